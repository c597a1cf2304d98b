# syntax=docker/dockerfile:1

# Two images: docker buildx build --target manager|runner --platform linux/amd64,linux/arm64 .
# docs/images.md says what is in them; "make images" builds them without a container engine.
#
# All stages run on the builder's own platform: Go compiles for the others, and Debian's packages are only unpacked.

ARG GOLANG_IMAGE=golang:1.26-trixie
ARG DEBIAN_IMAGE=debian:trixie-slim

FROM --platform=$BUILDPLATFORM ${GOLANG_IMAGE} AS build
WORKDIR /src
# For networks in which Go's own proxy is not to be reached, and for machines that have compiled the same before.
ARG GOPROXY
ARG GOCACHE=/go-build
COPY . .
ARG TARGETOS
ARG TARGETARCH
ARG VERSION=dev
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/go-build \
    GOCACHE=$GOCACHE CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH \
    go build -trimpath -buildvcs=false -ldflags "-s -w -X main.version=$VERSION" -o /out/ ./cmd/manager ./cmd/runner

FROM --platform=$BUILDPLATFORM ${DEBIAN_IMAGE} AS fio
RUN apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends binutils >/dev/null
# Results of two versions of fio are not always comparable, so it changes only on purpose. At least 3.39.
ARG FIO_VERSION=3.39-1
ARG TARGETARCH
COPY hack/images/fio.sh /
RUN /fio.sh $FIO_VERSION $TARGETARCH /out

FROM scratch AS runner
COPY --from=fio /out/ /
COPY LICENSE THIRD_PARTY_LICENSES /
COPY --from=build /out/runner /
ENV PATH=/usr/bin
USER 65532:65532
ENTRYPOINT ["/runner"]
ARG VERSION=dev
ARG REVISION=unknown
LABEL org.opencontainers.image.title="storagebench runner" \
      org.opencontainers.image.description="Runs fio for the storagebench operator" \
      org.opencontainers.image.url="https://github.com/storagebench/storagebench" \
      org.opencontainers.image.source="https://github.com/storagebench/storagebench" \
      org.opencontainers.image.documentation="https://github.com/storagebench/storagebench/blob/main/docs/images.md" \
      org.opencontainers.image.licenses="Apache-2.0 AND GPL-2.0-only" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION"

FROM scratch AS manager
COPY LICENSE THIRD_PARTY_LICENSES /
COPY --from=build /out/manager /
USER 65532:65532
ENTRYPOINT ["/manager"]
ARG VERSION=dev
ARG REVISION=unknown
LABEL org.opencontainers.image.title="storagebench operator" \
      org.opencontainers.image.description="Benchmarks Kubernetes storage with fio" \
      org.opencontainers.image.url="https://github.com/storagebench/storagebench" \
      org.opencontainers.image.source="https://github.com/storagebench/storagebench" \
      org.opencontainers.image.documentation="https://github.com/storagebench/storagebench/blob/main/docs/images.md" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION"

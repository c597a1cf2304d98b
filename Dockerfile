# syntax=docker/dockerfile:1

# Two images: docker buildx build --target operator|runner --platform linux/amd64,linux/arm64 .

ARG GO_VERSION=1.26

# Built on the builder's own platform, because Go compiles for the others faster than they are emulated.
FROM --platform=$BUILDPLATFORM golang:${GO_VERSION}-trixie AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/go/pkg/mod go mod download
COPY . .
ARG TARGETOS
ARG TARGETARCH
ARG VERSION=dev
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/go-build \
    GOCACHE=/go-build CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH \
    go build -trimpath -ldflags "-s -w -X main.version=$VERSION" -o /out/ ./cmd/manager ./cmd/runner

FROM scratch AS operator
ARG VERSION=dev
LABEL org.opencontainers.image.title="storagebench operator" \
      org.opencontainers.image.description="Benchmarks Kubernetes storage with fio" \
      org.opencontainers.image.source="https://github.com/storagebench/storagebench" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="$VERSION"
COPY LICENSE /LICENSE
COPY --from=build /out/manager /manager
USER 65532:65532
ENTRYPOINT ["/manager"]

FROM debian:trixie-slim AS runner
# Results of two versions of fio are not always comparable, so it changes only on purpose.
ARG FIO_VERSION=3.39-1
RUN apt-get update \
 && apt-get install --yes --no-install-recommends fio=${FIO_VERSION} \
 && rm -rf /var/lib/apt/lists/* \
 && fio --version
ARG VERSION=dev
LABEL org.opencontainers.image.title="storagebench runner" \
      org.opencontainers.image.description="Runs fio for the storagebench operator" \
      org.opencontainers.image.source="https://github.com/storagebench/storagebench" \
      org.opencontainers.image.licenses="Apache-2.0 AND GPL-2.0-only" \
      org.opencontainers.image.version="$VERSION"
COPY LICENSE /LICENSE
COPY --from=build /out/runner /runner
USER 65532:65532
ENTRYPOINT ["/runner"]

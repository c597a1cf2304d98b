#!/usr/bin/env bash
# Builds the images of the Dockerfile without a container engine and without a registry: build.sh [OPTION...]
#
#   --platform linux/arm64   for this platform; linux and the machine's own otherwise
#   --no-cache               take no layer from an earlier build
#   --oci DIRECTORY          leave OCI layouts DIRECTORY/operator and DIRECTORY/runner
#
# VERSION and REVISION are what the images' labels say. The same sources give the same images: all times in them are
# SOURCE_DATE_EPOCH, or else 1970.
#
# The build has no network but for apt, and that by the machine's own mirror: Go modules come from the machine's cache.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. hack/images/store.sh

platform=linux/$(go env GOHOSTARCH) oci=""
caching=(--layers)
while (($#)); do
  case $1 in
    --platform) platform=$2 && shift ;;
    --oci) oci=$2 && shift ;;
    --no-cache) caching=(--no-cache --layers) ;;
    *) fail "unknown option $1" ;;
  esac
  shift
done

# Programs for this machine are compiled already, by the same release of Go with the same flags. What the build adds to that is thrown
# away. Those for others stay in a cache of buildah's.
compiled=()
if [[ $platform == "linux/$(go env GOHOSTARCH)" ]]; then
  compiled=(--build-arg GOCACHE=/compiled --volume "$(go env GOCACHE):/compiled:O")
fi

build() {
  local target=$1
  # Debian's buildah takes BUILDPLATFORM for the platform that is built for, unless it is told.
  image build --quiet --isolation chroot --pull=never --platform "$platform" --target "$target" \
    --build-arg BUILDPLATFORM="linux/$(go env GOHOSTARCH)" \
    --timestamp "${SOURCE_DATE_EPOCH:-0}" --identity-label=false "${caching[@]}" \
    --build-arg GOPROXY=file:///modules --volume "$(go env GOMODCACHE)/cache/download:/modules:ro" \
    "${compiled[@]}" \
    --build-arg VERSION="${VERSION:-dev}" --build-arg REVISION="${REVISION:-unknown}" \
    --tag "storagebench/$target:${platform//\//-}" . 2>"$log" || {
    cat "$log" >&2
    fail "target $target of the Dockerfile for $platform does not build"
  }
}

hack/debian-packages.sh buildah
hack/images/bases.sh
go mod download
lock_images
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# The first two stages keep a name, by which what the next build can use is not removed as a leftover.
for stage in build fio; do
  build "$stage" >/dev/null
done
caching=(--layers) # the two images are made of just these
operator=$(build manager)
runner=$(build runner)
image rmi --prune >/dev/null

if [[ $oci ]]; then
  rm -rf "$oci"
  mkdir -p "$oci"
  image push --quiet "$operator" "oci:$oci/operator"
  image push --quiet "$runner" "oci:$oci/runner"
fi

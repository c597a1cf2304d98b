#!/usr/bin/env bash
# Makes the images that the Dockerfile builds on, under the names it uses, where no registry is to be reached: Debian
# from its packages, by the machine's own mirror, and beside it the machine's Go. Does nothing where they are there.
#
# None of it gets into the images that are built, but for what Go links.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. hack/images/store.sh

DEBIAN=$(dockerfile_default DEBIAN_IMAGE)
GOLANG=$(dockerfile_default GOLANG_IMAGE)
SUITE=${DEBIAN#debian:}
SUITE=${SUITE%-slim}
GO_VERSION=$(go env GOVERSION)
GO_ROOT=$(go env GOROOT)
readonly DEBIAN GOLANG SUITE GO_VERSION GO_ROOT

# Signatures are checked by Debian's keys, which every Debian has.
sources() { hack/debian-sources.sh "$SUITE" | sed 's/.*/deb & main/'; }

have() { image inspect --type image "$1" &>/dev/null; }

make_bases() {
  local root container
  root=$(mktemp -d)
  trap "rm -rf '$root'" EXIT
  echo "images: making $DEBIAN from Debian's packages" >&2
  mmdebstrap --quiet --variant=minbase --mode=root "$SUITE" "$root/debian.tar" - <<<"$SOURCES"
  container=$(image from scratch)
  image add --quiet "$container" "$root/debian.tar" / >/dev/null
  image config --cmd bash --arch "$(go env GOHOSTARCH)" "$container"
  image commit --quiet "$container" "$DEBIAN" >/dev/null

  echo "images: making $GOLANG from it and $GO_VERSION" >&2
  image add --quiet "$container" "$GO_ROOT" /usr/local/go >/dev/null
  image config --env GOPATH=/go --env GOTOOLCHAIN=local \
    --env PATH=/go/bin:/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$container"
  image commit --quiet --rm "$container" "$GOLANG" >/dev/null
}

wanted=${GOLANG#golang:}
wanted=go${wanted%%-*}
[[ $GO_VERSION == "$wanted" || $GO_VERSION == "$wanted".* ]] ||
  fail "the Dockerfile builds with $GOLANG, and this machine has $GO_VERSION: change GOLANG_IMAGE, or Go"

lock_images
SOURCES=$(sources)
key=$(sha256sum - hack/images/bases.sh <<<"$SOURCES $DEBIAN $GOLANG $GO_VERSION $GO_ROOT" | sha256sum)
if ! have "$DEBIAN" || ! have "$GOLANG" || [[ $key != "$(cat "$IMAGES_CACHE/bases" 2>/dev/null)" ]]; then
  hack/debian-packages.sh mmdebstrap
  make_bases
  echo "$key" >"$IMAGES_CACHE/bases"
fi

#!/usr/bin/env bash
# Prints the directory of what the runner's image has but for the runner: the Dockerfile's fio, made by fio.sh as in the
# Dockerfile, once for each version, in the user's cache.
#
# Asks the mirror that the machine's own packages come from, and takes nothing that apt finds unsigned. Needs neither
# root nor, once it is there, a network.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. hack/images/store.sh

readonly KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg
readonly CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/storagebench

VERSION=$(dockerfile_default FIO_VERSION)
SUITE=$(dockerfile_default DEBIAN_IMAGE)
SUITE=${SUITE#debian:}
SUITE=${SUITE%-slim}
KEY=$(sha256sum hack/images/fio.sh | head -c 8)
ARCHITECTURE=$(dpkg --print-architecture 2>/dev/null) || fail "this is not a Debian system; build the Dockerfile with docker buildx"
TREE=$CACHE/fio-$VERSION-$ARCHITECTURE-$KEY
readonly VERSION SUITE KEY ARCHITECTURE TREE

# One at a time, and only a whole one gets its place. What was killed before has left its work.
get() {
  mkdir -p "$CACHE"
  exec 9>"$CACHE/fio.lock"
  flock 9
  [[ ! -d $TREE ]] || return 0
  echo "fio-tree: getting fio $VERSION of Debian $SUITE" >&2
  rm -rf "$CACHE"/.fio.??????
  work=$(mktemp -d "$CACHE/.fio.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  hack/debian-sources.sh "$SUITE" | sed "s|.*|deb [signed-by=$KEYRING target=Packages lang=none] & main|" >"$work/sources.list"
  TMPDIR=$work FIO_SOURCES=$work/sources.list hack/images/fio.sh "$VERSION" "$ARCHITECTURE" "$work/tree"
  mv -T "$work/tree" "$TREE"
}

[[ -d $TREE ]] || get
echo "$TREE"

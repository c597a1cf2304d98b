#!/usr/bin/env bash
# Makes the images of the local cluster from programs that are built already: local.sh LOCALCLUSTER BIN OUT
#
# Of the programs in BIN (manager, runner) and the fio that the Dockerfile takes; what is in them is what the Dockerfile
# makes, which a test of "make test-images" holds them to. Leaves OUT/operator.tar and runner.tar, and their tag, which is
# made from the content of both, in OUT/tag. Does nothing where that is so already.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly LOCALCLUSTER=$1 BIN=$2 OUT=$3
readonly LICENCES=(LICENSE THIRD_PARTY_LICENSES)

TREE=$(hack/images/fio-tree.sh)
TAG=dev-$(cat "$BIN/manager" "$BIN/runner" "${LICENCES[@]}" hack/images/local.sh <(echo "${TREE##*/}") | sha256sum | head -c 12)
readonly TREE TAG

write() {
  local name=$1 program=$2
  shift 2
  "$LOCALCLUSTER" image --bare --name "ghcr.io/storagebench/$name:$TAG" --out "$OUT/$name.tar" --file "$BIN/$program=/$program" \
    --file LICENSE=/LICENSE --file THIRD_PARTY_LICENSES=/THIRD_PARTY_LICENSES --entrypoint "/$program" --user 65532:65532 "$@"
}

if [[ -e $OUT/operator.tar && -e $OUT/runner.tar && $(cat "$OUT/tag" 2>/dev/null) == "$TAG" ]]; then exit; fi
mkdir -p "$OUT"
rm -f "$OUT/tag"
write operator manager
write runner runner --tree "$TREE"
echo "$TAG" >"$OUT/tag"

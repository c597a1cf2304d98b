#!/usr/bin/env bash
# Runs Helm of the version that hack/tools/helm pins: helm.sh ARGUMENT...
#
# Takes the one that was built for the local cluster, if there is one in this checkout: another go command would link it anew.
# A localcluster that was built of another commit may know none.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
if [[ -x $root/.cluster/bin/localcluster ]] && directory=$("$root/.cluster/bin/localcluster" binaries helm); then
  exec "$directory/helm" "$@"
fi
export CGO_ENABLED=0 GOWORK=off GOFLAGS="${GOFLAGS:-} -trimpath"
exec go tool -modfile="$root/hack/tools/helm/go.mod" helm "$@"

#!/usr/bin/env bash
# Runs the tests that need an API server against the oldest kube-apiserver that the operator is for, with the etcd and
# the kubectl of the other tests:
#
#   hack/test-oldest.sh DIRECTORY_OF_ETCD_AND_KUBECTL [ARGUMENTS_OF_GO_TEST...]
#
# The kube-apiserver is built from hack/kubernetes-oldest, once, into the user's cache: some minutes. It may be named by
# OLDEST_KUBE_APISERVER instead, for another version.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly ROOT
readonly MODULE=$ROOT/hack/kubernetes-oldest
readonly CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/storagebench

# What the API server has a part in: CRD and its rules, admission policy, controller, plugin, and of the crash tests the
# smallest of each kind.
readonly PACKAGES=(./api/... ./controllers/... ./test/permissions/... ./test/plugin/...)
readonly CRASHES='^(TestKilledAllTheTime|TestNextOperatorReadsThePast|TestDeniedForGood)$'

fail() {
  echo "test-oldest: $*" >&2
  exit 1
}

version() {
  awk '$1 == "k8s.io/kubernetes" { print $2; exit }' "$MODULE/go.mod"
}

# Prints where the kube-apiserver is. Only a whole one gets its name.
build() {
  local key out version=$1 flags package
  key=$(cat "$MODULE/go.mod" "$MODULE/go.sum" <(go env GOARCH) | sha256sum | cut -c1-16)
  out=$CACHE/kubernetes-oldest-$key
  mkdir -p "$out"
  exec 9>"$out/.lock"
  flock 9
  if [[ ! -x $out/kube-apiserver ]]; then
    echo "test-oldest: building kube-apiserver $version (kept in $out)" >&2
    flags="-s -w"
    for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
      flags+=" -X $package.gitVersion=$version -X $package.gitMajor=1 -X $package.gitMinor=$(cut -d. -f2 <<<"$version") -X $package.gitTreeState=clean"
    done
    (cd "$MODULE" && CGO_ENABLED=0 GOWORK=off "$ROOT/hack/step.sh" "kube-apiserver $version" go build -trimpath -ldflags "$flags" -o "$out/kube-apiserver.new" k8s.io/kubernetes/cmd/kube-apiserver)
    mv "$out/kube-apiserver.new" "$out/kube-apiserver"
  fi
  exec 9>&-
  echo "$out/kube-apiserver"
}

main() {
  local pinned=${1:-} server assets failed=0
  [[ -x $pinned/etcd && -x $pinned/kubectl ]] || fail "usage: hack/test-oldest.sh DIRECTORY_OF_ETCD_AND_KUBECTL [ARGUMENTS_OF_GO_TEST...]"
  shift
  server=${OLDEST_KUBE_APISERVER:-$(build "$(version)")}
  assets=$(mktemp -d)
  # shellcheck disable=SC2064 # The directory is known now, and local.
  trap "rm -rf '$assets'" EXIT
  ln -s "$server" "$assets/kube-apiserver"
  ln -s "$(realpath "$pinned/etcd")" "$(realpath "$pinned/kubectl")" "$assets/"
  export KUBEBUILDER_ASSETS=$assets CGO_ENABLED=0 GOFLAGS=-trimpath
  echo "test-oldest: $("$assets/kube-apiserver" --version)" >&2
  cd "$ROOT"
  if (($#)); then
    go test "$@"
    return
  fi
  go test -timeout 60m "${PACKAGES[@]}" || failed=1
  go test -timeout 60m -run "$CRASHES" ./test/crash || failed=1
  return "$failed"
}

main "$@"

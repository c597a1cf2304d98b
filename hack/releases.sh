#!/usr/bin/env bash
# Writes the table of official builds that are downloaded instead of built (releases.txt of the local cluster's
# package release) anew, for the versions that hack/kubernetes/go.mod pins or for those that are named:
#
#   hack/releases.sh [-o FILE] [KUBERNETES ETCD]      such as: hack/releases.sh v1.37.1 v3.7.0
#
# For maintainers with an open network. Downloads every file for every architecture, about 800 MiB, and holds each
# to the checksum that its project publishes beside it. Writes nothing unless all of them are right.
# STORAGEBENCH_RELEASE_MIRROR names a mirror: MIRROR/dl.k8s.io/... and MIRROR/github.com/...
set -euo pipefail

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly HERE
readonly TABLE=$HERE/../test/localcluster/internal/release/releases.txt
readonly PINNED=$HERE/kubernetes/go.mod
readonly ARCHITECTURES=(amd64 arm64)
readonly PROGRAMS=(kube-apiserver kube-controller-manager kube-proxy kube-scheduler kubectl kubelet)

fail() {
  echo "releases: $*" >&2
  exit 1
}

pinned() {
  awk -v module="$1" '$1 == module { print $2; exit }' "$PINNED"
}

address() {
  echo "${STORAGEBENCH_RELEASE_MIRROR:-https:/}/$1"
}

# download ADDRESS FILE
download() {
  curl --fail --silent --show-error --location --retry 3 --output "$2" "$(address "$1")" || fail "cannot download $(address "$1")"
}

# verify FILE SUM WHAT
verify() {
  [[ "$2" =~ ^[0-9a-f]{64}$ ]] || fail "$3: what is published as its checksum is none: $2"
  echo "$2  $1" | sha256sum --check --status || fail "$3: its checksum is $(sha256sum <"$1" | cut -d' ' -f1), and $2 is published"
}

# row NAME VERSION ARCH FILE SUM ADDRESS [MEMBER]
row() {
  local size
  size=$(stat --format=%s "$4")
  echo "$1 $2 $3 $(((size + 1048575) / 1048576)) sha256:$5 $6${7:+ $7}"
  echo "$6: $size bytes, sha256 $5 as published" >&2
}

kubernetes() {
  local version=$1 work=$2 program arch from sum
  for program in "${PROGRAMS[@]}"; do
    for arch in "${ARCHITECTURES[@]}"; do
      from=dl.k8s.io/release/$version/bin/linux/$arch/$program
      download "$from" "$work/file"
      download "$from.sha256" "$work/sum"
      sum=$(tr -d '[:space:]' <"$work/sum")
      verify "$work/file" "$sum" "$from"
      row "$program" "$version" "$arch" "$work/file" "$sum" "$from"
    done
  done
}

etcd() {
  local version=$1 work=$2 arch from name sum
  from=github.com/etcd-io/etcd/releases/download/$version
  download "$from/SHA256SUMS" "$work/sums"
  for arch in "${ARCHITECTURES[@]}"; do
    name=etcd-$version-linux-$arch
    download "$from/$name.tar.gz" "$work/file"
    sum=$(awk -v name="$name.tar.gz" '$2 == name { print $1 }' "$work/sums")
    verify "$work/file" "$sum" "$from/$name.tar.gz"
    tar --list --gzip --file "$work/file" "$name/etcd" >/dev/null || fail "$from/$name.tar.gz: $name/etcd is not in it"
    row etcd "$version" "$arch" "$work/file" "$sum" "$from/$name.tar.gz" "$name/etcd"
  done
}

main() {
  local out=$TABLE work
  if [[ "${1:-}" == -o ]]; then
    out=$2
    shift 2
  fi
  [[ $# -eq 0 || $# -eq 2 ]] || fail "usage: hack/releases.sh [-o FILE] [KUBERNETES ETCD]"
  work=$(mktemp -d)
  # shellcheck disable=SC2064 # The directory is known now, and local.
  trap "rm -rf '$work'" EXIT
  grep '^#' "$TABLE" >"$work/table"
  kubernetes "${1:-$(pinned k8s.io/kubernetes)}" "$work" >>"$work/table"
  etcd "${2:-$(pinned go.etcd.io/etcd/server/v3)}" "$work" >>"$work/table"
  cp "$work/table" "$out"
}

main "$@"

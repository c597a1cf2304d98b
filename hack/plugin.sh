#!/usr/bin/env bash
# Builds the kubectl plugin for all platforms, and the manifest by which krew installs it: plugin.sh DIRECTORY
#
#   kubectl-storagebench_VERSION_OS_ARCH.tar.gz   the plugin, what completes it, and licences
#   storagebench.yaml                             krew's manifest, for an index or for "krew install --manifest"
#
# VERSION and SOURCE_DATE_EPOCH come from the environment; the same of both make the same files. PLATFORMS has fewer platforms built.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly HOMEPAGE=https://github.com/storagebench/storagebench
read -r -a platforms <<<"${PLATFORMS:-linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64}"
out=$(realpath -m "${1:?directory to write to}")
: "${VERSION:?}" "${SOURCE_DATE_EPOCH:?}"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"

build() {
  local os=$1 arch=$2 program=$3
  CGO_ENABLED=0 GOOS=$os GOARCH=$arch go build -trimpath -buildvcs=false -ldflags "-s -w -X main.version=$VERSION" \
    -o "$work/$program" ./cmd/kubectl-storagebench
}

# Names, owners and times are told, so that an archive depends on nothing but what is in it.
pack() {
  local archive=$1 program=$2
  cp LICENSE THIRD_PARTY_LICENSES cmd/kubectl-storagebench/kubectl_complete-storagebench "$work/"
  tar --create --directory "$work" --sort=name --format=ustar --owner=0 --group=0 --numeric-owner \
    --mode='u=rwX,go=rX' --mtime="@$SOURCE_DATE_EPOCH" "$program" kubectl_complete-storagebench LICENSE THIRD_PARTY_LICENSES | gzip --no-name --best >"$archive"
}

platform_of_manifest() {
  local os=$1 arch=$2 program=$3 archive=$4
  cat <<YAML
  - selector:
      matchLabels: {os: $os, arch: $arch}
    uri: $HOMEPAGE/releases/download/v$VERSION/$(basename "$archive")
    sha256: $(sha256sum "$archive" | cut -d' ' -f1)
    bin: $program
YAML
}

manifest=$out/storagebench.yaml
cat >"$manifest" <<YAML
apiVersion: krew.googlecontainertools.github.com/v1alpha2
kind: Plugin
metadata:
  name: storagebench
spec:
  version: v$VERSION
  homepage: $HOMEPAGE
  shortDescription: Measure and compare storage with fio
  description: |
    Measures the storage of a cluster with fio and compares it: EBS volumes, EFS, S3 through Mountpoint, any
    StorageClass. Makes StorageBenchmarks, follows them, and shows their results as tables, Markdown, CSV, JSON or a
    page with charts.
  caveats: |
    The operator has to be installed in the cluster: $HOMEPAGE
    Results from files need no kubectl under the name storagebench:
    ln -s "\$(command -v kubectl-storagebench)" ~/bin/storagebench    # or another directory of PATH
  platforms:
YAML
for platform in "${platforms[@]}"; do
  os=${platform%/*} arch=${platform#*/}
  program=kubectl-storagebench
  [[ $os == windows ]] && program+=.exe
  archive=$out/kubectl-storagebench_${VERSION}_${os}_$arch.tar.gz
  build "$os" "$arch" "$program"
  pack "$archive" "$program"
  platform_of_manifest "$os" "$arch" "$program" "$archive" >>"$manifest"
done

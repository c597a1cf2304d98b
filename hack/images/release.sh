#!/usr/bin/env bash
# Makes all that a release consists of, in DIRECTORY: release.sh DIRECTORY
#
#   storagebench-operator-VERSION.oci.tar, storagebench-runner-VERSION.oci.tar   the images, for all platforms
#   storagebench-IMAGE-VERSION-PLATFORM.cdx.json                                 what each is made of (CycloneDX)
#   storagebench-VERSION.tgz                                                     the chart
#   install.yaml                                                                 config/default, with the images' digests
#   kubectl-storagebench_VERSION_OS_ARCH.tar.gz, storagebench.yaml               the kubectl plugin, and krew's manifest of it
#   images.txt                                                                   the images with their digests
#   SHA256SUMS                                                                   of all of these
#
# hack/release publishes them.
#
# VERSION is the chart's appVersion. The commit that is checked out is what the labels of the images say, and its time is
# the time of all files in them, so that anybody who releases the same commit with the same Go on the same day gets
# the same files.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly PLATFORMS=(amd64 arm64)
readonly CHART=charts/storagebench
out=$(realpath -m "${1:?directory to write to}")

tool() { go tool -modfile="hack/tools/$1/go.mod" "$@"; }

VERSION=$(awk '$1 == "appVersion:" { print $2 }' "$CHART/Chart.yaml")
REVISION=$(git rev-parse HEAD)$(git diff --quiet HEAD || echo -modified)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export VERSION REVISION SOURCE_DATE_EPOCH

rm -rf "$out"
mkdir -p "$out"
for platform in "${PLATFORMS[@]}"; do
  hack/images/build.sh --no-cache --platform "linux/$platform" --oci "dist/oci/$platform"
done
(cd hack/images && go run . --layouts ../../dist/oci --version "$VERSION" --out "$out")

tool helm package "$CHART" --destination "$out" >/dev/null

# Every image of the manifests is named with the digest of the one that was just built, and none is left without.
go tool -modfile=hack/kubernetes/go.mod kubectl kustomize config/default >"$out/install.yaml"
while read -r image; do
  sed -i "s|${image%@*}\b|$image|g" "$out/install.yaml"
  grep -qF "$image" "$out/install.yaml" || {
    echo "release: config/default does not use ${image%@*}" >&2
    exit 1
  }
done <"$out/images.txt"

hack/plugin.sh "$out"

(cd "$out" && sha256sum -- * >SHA256SUMS)
echo "release $VERSION of $REVISION: $out"

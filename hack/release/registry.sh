#!/usr/bin/env bash
# Brings the images and the chart that "make release" has left in DIRECTORY to a registry:
#
#   registry.sh [--sign] DIRECTORY [REPOSITORY]
#
# REPOSITORY is ghcr.io/storagebench, or whatever images.txt has; another one is for a registry of your own:
#
#   REPOSITORY/operator:VERSION, REPOSITORY/runner:VERSION   the images, each for all platforms
#   REPOSITORY/charts/storagebench:VERSION                   the chart
#
# --sign has cosign sign these and SHA256SUMS, and attach each image's bill of materials, as whoever the environment says
# that this is: in GitHub's workflows, the workflow. It leaves SHA256SUMS.sigstore.json in DIRECTORY.
#
# REGISTRY_USER and REGISTRY_TOKEN log in. Without them, credentials are those of "docker login".
#
# Doing it twice does no harm. A tag that is published is never moved to something else.
set -euo pipefail

fail() {
  echo "release: $*" >&2
  exit 1
}

sign=false
if [[ ${1:-} == --sign ]]; then
  sign=true
  shift
fi
(($# == 1 || $# == 2)) || fail "usage: registry.sh [--sign] DIRECTORY [REPOSITORY]"
directory=$(realpath "$1")
repository=${2:-$(sed -n '1s|/[^/]*$||p' "$directory/images.txt")}
readonly sign directory repository

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
work=$(mktemp -d)
readonly work
trap 'rm -rf "$work"' EXIT

# Helm, cosign and our own program all read Docker's file.
log_in() {
  export DOCKER_CONFIG=$work/docker
  mkdir "$DOCKER_CONFIG"
  (umask 077 && printf '{"auths": {"%s": {"auth": "%s"}}}' "${repository%%/*}" \
    "$(printf '%s:%s' "$REGISTRY_USER" "$REGISTRY_TOKEN" | base64 --wrap=0)" >"$DOCKER_CONFIG/config.json")
}

push_image() {
  local image=$1 name=${1%%:*} version=${1%@*}
  version=${version#*:}
  mkdir "$work/$name"
  tar --extract --file "$directory/storagebench-$name-$version.oci.tar" --directory "$work/$name"
  "$work/registry" push "$work/$name" "$repository/$image" >"$work/$name.platforms"
  rm -r "${work:?}/$name"
  if ! $sign; then return; fi
  cosign sign --yes --recursive "$repository/$name@${image#*@}"
  while read -r architecture platform; do
    cosign attest --yes --type cyclonedx --predicate "$directory/storagebench-$name-$version-$architecture.cdx.json" "$platform"
  done <"$work/$name.platforms"
}

# Helm would move a tag that is there without a word.
push_chart() {
  local chart=$1 version tag layer
  local -a helm=(hack/helm.sh push "$chart" "oci://$repository/charts")
  version=${chart##*/storagebench-}
  version=${version%.tgz}
  tag=$repository/charts/storagebench:$version
  layer=sha256:$(sha256sum "$chart" | cut -d' ' -f1)
  "$work/registry" manifest "$tag" >"$work/there"
  if [[ ! -s $work/there ]]; then
    case $repository in # where neither cosign nor our own program asks for TLS
      localhost:* | 127.0.0.1:*) helm+=(--plain-http) ;;
    esac
    "${helm[@]}"
    "$work/registry" manifest "$tag" >"$work/there"
  fi
  grep -qF "$layer" "$work/there" ||
    fail "$tag is another chart already. A tag that is published stays what it is: raise version and appVersion in charts/storagebench/Chart.yaml"
  if $sign; then cosign sign --yes "$repository/charts/storagebench@sha256:$(sha256sum "$work/there" | cut -d' ' -f1)"; fi
}

(cd "$directory" && sha256sum --check --quiet SHA256SUMS) || fail "$directory is not what make release has left there: run it again"
[[ -z ${REGISTRY_TOKEN:-} ]] || log_in
(cd hack/images && CGO_ENABLED=0 GOWORK=off go build -trimpath -o "$work/registry" ./registry)
while read -r image; do
  push_image "${image##*/}"
done <"$directory/images.txt"
push_chart "$directory"/storagebench-*.tgz
if $sign; then cosign sign-blob --yes --bundle "$directory/SHA256SUMS.sigstore.json" "$directory/SHA256SUMS"; fi
echo "images and chart: $repository"

#!/usr/bin/env bash
# Fails if what is checked out is not what a tag releases, or names other places than it is published to: check.sh TAG
#
# GITHUB_REPOSITORY (OWNER/NAME) says which repository releases; GitHub sets it. A fork has names of its own.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly TAG=${1:?tag of the release, such as v0.1.0}
readonly CHART=charts/storagebench
owner=${GITHUB_REPOSITORY:?OWNER/NAME of the repository that releases}
owner=${owner%%/*}
readonly PLACE=ghcr.io/${owner,,} HOMEPAGE=https://github.com/$GITHUB_REPOSITORY
failed=0

problem() {
  echo "release: $*" >&2
  failed=1
}

for field in version appVersion; do
  value=$(sed -n "s/^$field: //p" "$CHART/Chart.yaml")
  [[ v$value == "$TAG" ]] || problem "tag $TAG, but $field of $CHART/Chart.yaml is $value: set it to ${TAG#v}, or tag v$value"
done
while read -r repository; do
  [[ $repository == "$PLACE"/* ]] ||
    problem "$CHART/values.yaml has repository $repository, but images are published in $PLACE: set it to $PLACE/${repository##*/}"
done < <(awk '$1 == "repository:" { print $2 }' "$CHART/values.yaml")
grep -qxF "readonly HOMEPAGE=$HOMEPAGE" hack/plugin.sh ||
  problem "krew's manifest would have the plugin's archives elsewhere: set HOMEPAGE of hack/plugin.sh to $HOMEPAGE"
exit "$failed"

#!/usr/bin/env bash
# Makes the release of a tag on GitHub, with all files of DIRECTORY: github.sh TAG DIRECTORY
#
# GH_TOKEN and GITHUB_REPOSITORY (OWNER/NAME) are what gh reads. Doing it twice does no harm: a release that is there is left as it
# is, and what a run that was cut off has left, a draft, is made anew.
set -euo pipefail

readonly TAG=${1:?tag of the release, such as v0.1.0}
directory=$(realpath "${2:?directory that make release has filled}")
readonly directory
export GH_REPO=${GITHUB_REPOSITORY:?OWNER/NAME of the repository that releases}

fail() {
  echo "release: $*" >&2
  exit 1
}

# Prints what users of this release type. The page of the tag says more.
notes() {
  local version=${TAG#v} repository
  repository=$(sed -n '1s|/[^/]*$||p' "$directory/images.txt")
  cat <<TEXT
\`\`\`
helm upgrade --install storagebench oci://$repository/charts/storagebench --version $version --namespace storagebench-system --create-namespace
kubectl krew install --manifest-url=https://github.com/$GH_REPO/releases/download/$TAG/storagebench.yaml
\`\`\`

Images, for linux/amd64 and linux/arm64:

\`\`\`
$(<"$directory/images.txt")
\`\`\`

[What is signed, and how to check it](https://github.com/$GH_REPO/blob/$TAG/docs/images.md#verify-a-release)
TEXT
}

# Empty: there is none.
draft=$(gh release list --limit 1000 --json tagName,isDraft --jq ".[] | select(.tagName == \"$TAG\") | .isDraft")
if [[ $draft == false ]]; then
  gh release download "$TAG" --pattern SHA256SUMS --output - | cmp --quiet - "$directory/SHA256SUMS" ||
    fail "$TAG is released with other files: raise version and appVersion in charts/storagebench/Chart.yaml, and tag that"
  echo "$TAG is released already"
  exit
fi
[[ -z $draft ]] || gh release delete "$TAG" --yes
notes | gh release create "$TAG" --verify-tag --title "storagebench ${TAG#v}" --notes-file - "$directory"/*

#!/usr/bin/env bash
# Brings the go.mod of all modules of hack/programs.work to one set of versions, the highest that any of them asks for, and
# tidies them. So a package that several programs and tests use is compiled once. Has all checksums in programs.work.sum that a
# build asks for: it would add them there, to a checkout that nobody meant to change.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")"

GOWORK=$PWD/programs.work go work sync
while read -r module; do
  (cd "$module" && GOWORK=off go mod tidy)
done < <(go work edit -json programs.work | sed -n 's/.*"DiskPath": "\(.*\)".*/\1/p')
GOWORK=$PWD/programs.work go list -deps tool ../cmd/... ../test/localcluster >/dev/null

#!/usr/bin/env bash
# Brings the go.mod of all modules of hack/programs.work to one set of versions, the highest that any of them asks for, and
# tidies them. So a package that several programs and tests use is compiled once. Has all checksums in programs.work.sum that a
# build asks for: it would add them there, to a checkout that nobody meant to change.
#
# Some modules follow: they have the versions of the others where they use the same, and ask for none. A driver may not implement the newest
# CSI, and what a tool asks for is no reason to change what is released.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")"

readonly FOLLOWERS=(s3/csi tools/kwok)
readonly OWN=github.com/container-storage-interface/spec

GOWORK=$PWD/programs.work go work sync
while read -r module; do
  (cd "$module" && GOWORK=off go mod tidy)
done < <(go work edit -json programs.work | sed -n 's/.*"DiskPath": "\(.*\)".*/\1/p')
GOWORK=$PWD/programs.work go list -deps tool ../cmd/... ../test/localcluster >/dev/null

modules() { GOWORK=$1 go list -m -f '{{if not .Main}}{{.Path}}@{{.Version}}{{end}}' all | LC_ALL=C sort -t @ -k 1,1; }

common=$(modules "$PWD/programs.work")
for module in "${FOLLOWERS[@]}"; do
  (
    cd "$module"
    # Of what both use, the common version is the least. Higher versions may use what lower ones did not.
    for _ in 1 2; do
      mapfile -t versions < <(LC_ALL=C join -t @ -o 2.1,2.2 <(modules off) - <<<"$common" | grep -v "^$OWN@" | sed 's/^/-require=/')
      GOWORK=off go mod edit "${versions[@]}"
      GOWORK=off go mod tidy
    done
  )
done

#!/usr/bin/env bash
# What benchmarks of 1 to 100 clients take: calls to the API server, passes, CPU time, memory and time. With argument
# check: the short form, with 5 and 40 clients, which fails if calls or passes of a run and client grow. With argument build:
# what that needs is built, and nothing more.
#
# All of it runs on this machine, without root and beside any cluster: docs/contributing/scale.md. CLIENTS and RUNS change it.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

make --no-print-directory "$PWD/.cluster/bin/localcluster"
binaries=$(.cluster/bin/localcluster binaries etcd kube-apiserver kube-controller-manager kube-scheduler)
kwok=$(go tool -n -modfile=hack/tools/kwok/go.mod kwok)
programs=$(mktemp -d)
trap 'rm -r "$programs"' EXIT
CGO_ENABLED=0 go build -trimpath -o "$programs/" ./cmd/manager ./hack/scale
if [[ ${1:-} == build ]]; then exit; fi

arguments=(-binaries "$binaries" -kwok "$kwok" -manager "$programs/manager")
if [[ ${1:-} == check ]]; then
  "$programs/scale" "${arguments[@]}" -clients "${CLIENTS:-5,40}" -runs "${RUNS:-3}" -check
else
  "$programs/scale" "${arguments[@]}" -clients "${CLIENTS:-1,10,25,50,100}" -runs "${RUNS:-20}"
fi

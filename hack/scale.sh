#!/usr/bin/env bash
# What benchmarks of 1 to 100 clients take: calls to the API server, passes, CPU time, memory and time. With argument
# check: the short form, with 5 and 40 clients and a fleet of 300 benchmarks, which fails if calls or passes grow. With argument fleet: what
# 10,000 benchmarks take, most of which have ended. With argument build: what that needs is built, and nothing more.
#
# All of it runs on this machine, without root and beside any cluster: docs/contributing/scale.md. CLIENTS, RUNS, FLEET,
# ACTIVE and FIO change it. STATUS=480000 gives benchmarks that have ended statuses of so many bytes, FULL=true schedules the
# largest histories.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

make --no-print-directory "$PWD/.cluster/bin/localcluster"
binaries=$(hack/step.sh "the control plane" .cluster/bin/localcluster binaries etcd kube-apiserver kube-controller-manager kube-scheduler)
kwok=$(go tool -n -modfile=hack/tools/kwok/go.mod kwok)
programs=$(mktemp -d)
trap 'rm -r "$programs"' EXIT
CGO_ENABLED=0 go build -trimpath -o "$programs/" ./cmd/manager ./hack/scale
if [[ ${1:-} == build ]]; then exit; fi

arguments=(-binaries "$binaries" -kwok "$kwok" -manager "$programs/manager")
if [[ ${1:-} == check ]]; then
  "$programs/scale" "${arguments[@]}" -clients "${CLIENTS:-5,40}" -runs "${RUNS:-3}" -check
  "$programs/scale" "${arguments[@]}" -fleet "${FLEET:-300}" -active "${ACTIVE:-10}" -check
elif [[ ${1:-} == fleet ]]; then
  "$programs/scale" "${arguments[@]}" -fleet "${FLEET:-1000,10000}" -active "${ACTIVE:-100}" -fio "${FIO:-30s}" \
    -status "${STATUS:-0}" -full="${FULL:-false}"
else
  "$programs/scale" "${arguments[@]}" -clients "${CLIENTS:-1,10,25,50,100}" -runs "${RUNS:-20}"
fi

#!/usr/bin/env bash
# Runs every fuzz test of this module, one after the other. Inputs that fail are written below testdata/fuzz of the
# package, and are ordinary tests from then on.
#
#   FUZZTIME  how long each, as of go test -fuzztime: 1000000x (default) are executions, 30s is a time
#   FUZZ      only those whose names match this expression
#   PARALLEL  how many processes at a time; default: as many as there are CPUs
set -euo pipefail
cd "$(dirname "$0")/.."

fuzztime=${FUZZTIME:-1000000x}
parallel=${PARALLEL:-$(nproc)}
failed=0

# Packages with a fuzz test. Listing starts no test, and so needs no API server.
packages=$(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n1 dirname | sort -u)
for package in $packages; do
  targets=$(go test -list '^Fuzz' "$package" | grep '^Fuzz')
  for target in $targets; do
    [[ $target =~ ${FUZZ:-.} ]] || continue
    echo "== $package $target"
    # Minimizing each interesting input for a minute, as is the default, would take most of the time.
    go test -run '^$' -fuzz "^$target\$" -fuzztime "$fuzztime" -fuzzminimizetime 10x -parallel "$parallel" -timeout 0 "$package" || failed=1
  done
done
exit $failed

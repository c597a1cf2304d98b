#!/usr/bin/env bash
# What it costs to begin from nothing: runs the README's two commands, step by step, in a clone of this checkout's commit
# with an empty HOME, and again with what they have left. Prints CPU minutes and wall time of each step: coldstart.sh
#
# Debian packages that the machine has already are not removed. CPU time is that of programs that have ended: not that of the
# cluster, which goes on. The cluster of the clone needs the machine for itself, and is taken down in the end.
# ONLY_PROGRAMS=1 stops before the first cluster. STORAGEBENCH_RELEASE_MIRROR=off has all programs built.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Figures of time have a point, in all languages.
export LC_ALL=C

scratch=$(mktemp -d "${TMPDIR:-/var/tmp}/storagebench-coldstart.XXXXXX")
readonly scratch clone=$scratch/clone

in_clone() {
  (cd "$clone" && env -u GOCACHE -u GOMODCACHE -u GOPATH -u GOFLAGS -u GOWORK -u XDG_CACHE_HOME -u EXISTING_CLUSTER -u KUBEBUILDER_ASSETS \
    -u KUBECONFIG -u STORAGE_CLASS -u STORAGEBENCH_TEST_ALL HOME="$scratch/home" "$@")
}

finish() {
  if [[ -e $clone/.cluster/bin/localcluster ]]; then
    in_clone .cluster/bin/localcluster down >>"$scratch/log" 2>&1 || {
      echo "coldstart: the cluster of $clone is left, see $scratch/log" >&2
      return
    }
  fi
  # Go's modules are read-only, and what was interrupted may go on to write for a moment.
  for _ in 1 2 3 4 5; do
    chmod -R u+w "$scratch" && rm -rf "$scratch" && return
    sleep 2
  done 2>/dev/null
  echo "coldstart: $scratch is left" >&2
}
trap finish EXIT

# Runs a step of the ledger: step WHAT COMMAND...
step() {
  local what=$1 times
  shift
  TIMEFORMAT='%R %U %S'
  {
    times=$({ time "$@" >>"$scratch/log" 2>&1 </dev/null; } 2>&1) || {
      tail -n 30 "$scratch/log" >&2
      echo "coldstart: $what failed" >&2
      exit 1
    }
  }
  tee -a "$scratch/ledger" <<<"$times" |
    awk -v what="$what" '{ printf "| %-48s | %8.1f | %7d:%02d |\n", what, ($2 + $3) / 60, $1 / 60, $1 % 60 }'
}

# Prints the sum of the last lines of the ledger: total WHAT LINES
total() {
  tail -n "$2" "$scratch/ledger" |
    awk -v what="**$1**" '{ wall += $1; cpu += $2 + $3 } END { printf "| %-48s | %8.1f | %7d:%02d |\n", what, cpu / 60, wall / 60, wall % 60 }'
}

# Prints the packages that the programs and the tests compile in more than one way, with the number of ways.
compiled_twice() {
  local -a list=(CGO_ENABLED=0 GOFLAGS=-trimpath go list -deps -export -f '{{.ImportPath}} {{.BuildID}}')
  {
    in_clone env -C hack GOWORK="$clone/hack/programs.work" "${list[@]}" tool ../cmd/... ../test/localcluster &&
      in_clone env -C test/localcluster GOWORK=off "${list[@]}" . &&
      in_clone env GOWORK=off "${list[@]}" -test ./...
  } | sed 's|/[^/ ]*$||' | sort -u | awk '!/\.test|\[/ { ways[$1]++ } END { for (p in ways) if (ways[p] > 1) print ways[p], p }' | sort -rn
}

mkdir -p "$scratch/home"
git clone --quiet . "$clone"
echo "commit $(git rev-parse --short HEAD), $(nproc) cores, $(go env GOVERSION), $(date --utc +%F)"
echo
printf '| %-48s | %8s | %10s |\n|%s|%s|%s|\n' step "CPU min" wall "$(printf -- '-%.0s' {1..50})" ---------: -----------:
step "Debian packages" in_clone make cluster-packages
step "localcluster" in_clone make "$clone/.cluster/bin/localcluster"
step "Kubernetes, etcd, Helm" in_clone make cluster-programs
step "manager, runner, plugin" in_clone make build
step "images, with fio" in_clone make images
if [[ ${ONLY_PROGRAMS:-} == 1 ]]; then
  total "programs, from nothing" 5
  exit
fi
step "cluster, operator, benchmark" in_clone make quickstart
total "make quickstart, from nothing" 6
step "make test, after it" in_clone make test
step "make quickstart, again" in_clone make quickstart
step "make test, again, with no result kept" in_clone env GOFLAGS=-count=1 make test
echo
echo "Compiled more than once (ways, package):"
twice=$(compiled_twice) || {
  echo "coldstart: that cannot be told" >&2
  exit 1
}
echo "${twice:-none}"

#!/usr/bin/env bash
# Installs the Debian packages that are missing: debian-packages.sh PACKAGE...
#
# Does nothing, and needs neither root nor a network, where all of them are there.
set -euo pipefail

readonly ATTEMPTS=4
readonly POLICY=/usr/sbin/policy-rc.d

# A package counts as installed, too, when an installed one provides it:
# containerd.io provides containerd, and apt would remove the one for the other.
missing() {
  local present package
  present=$(dpkg-query -W -f '${db:Status-Status} ${Package} ${Provides}\n' |
    awk '$1 == "installed" { gsub(/\([^)]*\)|,/, " "); for (i = 2; i <= NF; i++) print $i }' | sort -u)
  for package in "$@"; do
    grep -qxF -e "$package" <<<"$present" || echo "$package"
  done
}

# Mirrors have short failures; a real one shows itself every time.
retry() {
  local attempt
  for ((attempt = 1; attempt < ATTEMPTS; attempt++)); do
    "$@" && return
    echo "debian-packages: attempt $attempt of $ATTEMPTS failed: $*" >&2
    sleep $((attempt * 2))
  done
  "$@"
}

# Packages such as containerd start a service when they are installed. The local
# cluster runs its own, so while apt runs, a policy forbids starting any.
forbid_service_starts() {
  [[ -e $POLICY ]] && return
  trap 'rm -f "$POLICY"' EXIT
  printf '#!/bin/sh\nexit 101\n' >"$POLICY"
  chmod 0755 "$POLICY"
}

main() {
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    echo "debian-packages: this is not a Debian system; install by hand: $*" >&2
    exit 1
  fi
  local -a wanted
  mapfile -t wanted < <(missing "$@")
  ((${#wanted[@]})) || return 0
  if ((EUID != 0)); then
    echo "debian-packages: not root; run: apt-get install ${wanted[*]}" >&2
    exit 1
  fi
  export DEBIAN_FRONTEND=noninteractive
  echo "debian-packages: installing ${wanted[*]}" >&2
  forbid_service_starts
  retry apt-get -qq update </dev/null
  retry apt-get -qq -y --no-install-recommends -o Dpkg::Use-Pty=0 -o Acquire::Retries=3 \
    install "${wanted[@]}" </dev/null >/dev/null
}

main "$@"

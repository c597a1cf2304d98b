#!/usr/bin/env bash
# Installs the Debian packages that are missing: debian-packages.sh PACKAGE...
#
# Does nothing, and needs neither root nor a network, where all of them are there.
set -euo pipefail

readonly ATTEMPTS=4
readonly POLICY=${STORAGEBENCH_POLICY_RC_D:-/usr/sbin/policy-rc.d}
readonly OURS="# by storagebench's hack/debian-packages.sh, while it installs packages"

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
# cluster runs its own, so while apt runs, a policy forbids starting any. One that this
# script has left, because it was killed, is taken over.
forbid_service_starts() {
  if [[ -e $POLICY ]] && ! grep -qxF "$OURS" "$POLICY"; then return; fi
  trap 'rm -f "$POLICY"' EXIT
  printf '#!/bin/sh\n%s\nexit 101\n' "$OURS" >"$POLICY"
  chmod 0755 "$POLICY"
}

# Another program that installs, such as unattended-upgrades, is waited for, and what was cut
# off is finished before the next attempt.
install_packages() {
  apt-get -qq -y --no-install-recommends -o Dpkg::Use-Pty=0 -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 \
    install "$@" </dev/null >/dev/null 9<&- && return
  dpkg --configure -a </dev/null >/dev/null 9<&- || true
  return 1
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
  exec 9<"${POLICY%/*}" # one at a time: the policy is for all
  flock 9
  mapfile -t wanted < <(missing "$@")
  ((${#wanted[@]})) || return 0
  export DEBIAN_FRONTEND=noninteractive
  echo "debian-packages: installing ${wanted[*]}" >&2
  forbid_service_starts
  retry apt-get -qq -o APT::Update::Error-Mode=any update </dev/null 9<&-
  retry install_packages "${wanted[@]}"
}

main "$@"

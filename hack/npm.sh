#!/usr/bin/env bash
# Prints a directory that has, in node_modules, the npm packages that a package-lock.json pins: npm.sh DIRECTORY
# It is below the user's cache, named after the lock; once it is there, no network is needed.
#
# No package runs a script of its own when it is installed. Debian's nodejs and npm are installed where there are none.
set -euo pipefail

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly HERE
readonly CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/storagebench

# One at a time, and only a whole one gets its place.
get() {
  local from=$1 to=$2 work
  mkdir -p "$CACHE"
  exec 9>"$CACHE/npm.lock"
  flock 9
  if [[ -d $to ]]; then return; fi
  work=$(mktemp -d "$CACHE/npm.XXXXXX")
  trap "rm -rf '$work'" EXIT
  cp "$from/package.json" "$from/package-lock.json" "$work"
  npm ci --prefix "$work" --ignore-scripts --no-audit --no-fund --loglevel=error >&2
  mv -T "$work" "$to"
}

main() {
  local from=$1 sum
  command -v npm >/dev/null || "$HERE/debian-packages.sh" nodejs npm
  sum=$(sha256sum "$from/package-lock.json")
  local to=$CACHE/npm-${sum:0:16}
  [[ -d $to ]] || get "$from" "$to"
  echo "$to"
}

main "$@"

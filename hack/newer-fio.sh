#!/usr/bin/env bash
# Prints the path of a fio of at least 3.39, the first whose "All clients" has the percentiles of all clients:
# the machine's own where it is new enough, else that of the runner's image, which is started with its own libraries.
set -euo pipefail

readonly AT_LEAST=3.39

cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
  echo "newer-fio: $*" >&2
  exit 1
}

new_enough() {
  local version
  version=$("$1" --version 2>/dev/null) || return 1
  printf '%s\n' "$AT_LEAST" "${version#fio-}" | sort --check=silent --version-sort
}

# Writes a program that starts the fio of a tree, which is meant for the root of an image, from where it lies.
write_starter() {
  local tree=$1 starter=$2 linker path
  linker=$(find "$tree/usr/lib" -name 'ld-linux*.so.*' -print -quit)
  path=$(find "$tree/usr/lib" -name '*.so.*' -printf '%h\n' | sort -u | paste -sd:)
  printf '#!/bin/sh\nexec %q --library-path %q %q "$@"\n' "$linker" "$path" "$tree/usr/bin/fio" >"$starter.$$"
  chmod +x "$starter.$$"
  mv "$starter.$$" "$starter"
}

if own=$(command -v fio) && new_enough "$own"; then
  echo "$own"
  exit
fi
tree=$(hack/images/fio-tree.sh)
starter=$tree.run/fio
mkdir -p "${starter%/*}"
new_enough "$starter" || write_starter "$tree" "$starter"
new_enough "$starter" || fail "the fio of $tree does not start, or is older than $AT_LEAST"
echo "$starter"

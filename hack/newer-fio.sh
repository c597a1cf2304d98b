#!/usr/bin/env bash
# Prints the path of a fio of at least 3.39, the first whose "All clients" has the percentiles of all clients:
# the machine's own where it is new enough, else Debian's, unpacked into the user's cache with the libraries it
# needs and installed nowhere.
#
# Asks the mirror that the machine's own packages come from, and takes nothing that apt finds unsigned. Needs
# neither root nor, once it is there, a network.
set -euo pipefail

readonly AT_LEAST=3.39
readonly SUITE=trixie
readonly KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly HERE
readonly CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/storagebench
readonly PROGRAM=$CACHE/fio-$SUITE/fio

fail() {
  echo "newer-fio: $*" >&2
  exit 1
}

new_enough() {
  local version
  version=$("$1" --version 2>/dev/null) || return 1
  printf '%s\n' "$AT_LEAST" "${version#fio-}" | sort --check=silent --version-sort
}

# As if no package were installed, so that apt gets fio with every library, down to libc's.
download() {
  local work=$1
  mkdir -p "$work/state/lists/partial" "$work/archives/partial"
  : >"$work/status"
  "$HERE/debian-sources.sh" "$SUITE" |
    sed "s|.*|deb [signed-by=$KEYRING target=Packages lang=none] & main|" >"$work/sources.list" ||
    fail "install fio $AT_LEAST or later by hand"
  local -a apt=(apt-get -qq -o "Dir::State=$work/state" -o "Dir::State::status=$work/status" -o "Dir::Cache=$work"
    -o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=/dev/null
    -o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null
    -o APT::Sandbox::User= -o Acquire::Retries=3 -o APT::Update::Error-Mode=any -o APT::Get::AllowUnauthenticated=false)
  "${apt[@]}" update
  "${apt[@]}" -y --no-install-recommends --download-only install fio >/dev/null
}

# What the dynamic linker says that fio loads is kept, beside the linker itself.
unpack() {
  local work=$1 archive linker path
  for archive in "$work"/archives/{fio,lib*,zlib1g}_*.deb; do
    dpkg-deb --extract "$archive" "$work/root"
  done
  path=$(find "$work/root" -name '*.so.*' -printf '%h\n' | sort -u | paste -sd:)
  linker=$(find "$work/root" -name 'ld-linux*.so.*' -print -quit)
  mkdir -p "$work/out/lib"
  "$linker" --library-path "$path" --list "$work/root/usr/bin/fio" |
    awk -v root="$work/root" '$2 == "=>" { if (index($3, root) != 1) { print "newer-fio: not there:" $0 >"/dev/stderr"; exit 1 } print $3 }' |
    xargs cp --dereference --target-directory="$work/out/lib"
  cp --dereference "$linker" "$work/out/lib/ld.so"
  cp "$work/root/usr/bin/fio" "$work/out/fio.bin"
  cat >"$work/out/fio" <<'EOF'
#!/bin/sh
here=$(dirname -- "$0")
exec "$here/lib/ld.so" --library-path "$here/lib" "$here/fio.bin" "$@"
EOF
  chmod +x "$work/out/fio"
  new_enough "$work/out/fio" || fail "the fio of Debian $SUITE does not start, or is older than $AT_LEAST"
}

# One at a time, and only a whole one gets its place.
get() {
  command -v apt-get >/dev/null || fail "this is not a Debian system; install fio $AT_LEAST or later by hand"
  mkdir -p "$CACHE"
  exec 9>"$CACHE/newer-fio.lock"
  flock 9
  if new_enough "$PROGRAM"; then return; fi
  echo "newer-fio: getting the fio of Debian $SUITE" >&2
  local work
  work=$(mktemp -d "$CACHE/fio.XXXXXX")
  trap "rm -rf '$work'" EXIT
  download "$work"
  unpack "$work"
  rm -rf "${PROGRAM%/*}"
  mv -T "$work/out" "${PROGRAM%/*}"
}

main() {
  local own
  if own=$(command -v fio) && new_enough "$own"; then
    echo "$own"
    return
  fi
  new_enough "$PROGRAM" || get
  echo "$PROGRAM"
}

main

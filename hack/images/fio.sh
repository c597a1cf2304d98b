#!/usr/bin/env bash
# Makes the file system of the runner's image but for the runner: fio.sh VERSION ARCHITECTURE DIRECTORY
#
# Gets Debian's fio of that version (3.39-1) and of that architecture, as Debian calls it (amd64, arm64), from the
# apt sources of the system it runs on, or of the file FIO_SOURCES, and leaves in the directory fio, the libraries it
# loads and nothing else that can be run. Nothing of the other architecture is run, so it needs no emulation.
#
# What scanners look for is there as well: /var/lib/dpkg/status.d names the packages that files are of, and
# /usr/share/doc has the copyright of each.
#
# Runs in a stage of the Dockerfile, as root, and by fio-tree.sh. Needs binutils.
set -euo pipefail

readonly VERSION=$1 ARCHITECTURE=$2 OUT=$3

fail() {
  echo "fio.sh: $*" >&2
  exit 1
}

# As if no package were installed, so that apt gets fio with every library, down to libc's.
download() {
  mkdir -p "$work/state/lists/partial" "$work/archives/partial"
  : >"$work/status"
  local -a apt=(apt-get -qq -o "APT::Architecture=$ARCHITECTURE" -o "APT::Architectures=$ARCHITECTURE"
    -o "Dir::State=$work/state" -o "Dir::State::status=$work/status" -o "Dir::Cache=$work" -o APT::Sandbox::User=
    -o APT::Update::Post-Invoke::= -o DPkg::Post-Invoke::= -o Acquire::Retries=3 -o APT::Update::Error-Mode=any
    -o APT::Get::AllowUnauthenticated=false)
  [[ -z ${FIO_SOURCES:-} ]] || apt+=(-o "Dir::Etc::sourcelist=$FIO_SOURCES" -o Dir::Etc::sourceparts=/dev/null
    -o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null)
  "${apt[@]}" update
  "${apt[@]}" --yes --no-install-recommends --download-only install "fio=$VERSION" base-files >/dev/null ||
    fail "fio $VERSION for $ARCHITECTURE is not in Debian's sources, or what it needs is not: see FIO_VERSION in the Dockerfile"
}

# Unpacks the packages that can have libraries, gcc-14-base, which has the copyright of some, and base-files, which has the texts of licences, each into a directory that is called as the package is.
unpack() {
  local archive
  mkdir "$work/packages"
  for archive in "$work"/archives/{fio,lib*,zlib1g,gcc-*-base,base-files}_*.deb; do
    dpkg-deb --extract "$archive" "$work/packages/$(dpkg-deb --field "$archive" Package)"
  done
}

# Prints what the file asks the dynamic linker for: names of libraries.
needed() { readelf --dynamic "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]$/\1/p'; }

# Copies a file of a package to the same place, and remembers the package.
keep() {
  local file=$1 package path
  IFS=/ read -r package path <<<"${file#"$work/packages/"}"
  [[ $path == usr/* ]] || path=usr/$path # /lib and /lib64 are below /usr
  [[ ! -e $OUT/$path ]] || return 0
  install -D --mode="$(stat --dereference --format=%a "$file")" "$file" "$OUT/$path"
  echo "$package" >>"$work/kept"
  local name
  while read -r name; do keep_library "$name" "$package"; done < <(needed "$file")
}

keep_library() {
  local name=$1 wanted_by=$2 file
  file=$(find "$work/packages" -name "$name" -path '*/lib*' ! -path '*/gconv/*' | sort | head -n 1)
  [[ -n $file ]] || fail "no package has $name, which $wanted_by loads"
  keep "$file"
}

# The kernel opens the dynamic linker by a path of its own: /lib64/ld-linux-x86-64.so.2, /lib/ld-linux-aarch64.so.1.
link_interpreter() {
  local interpreter file
  interpreter=$(readelf --program-headers "$1" | sed -n 's/.*program interpreter: \(.*\)\]$/\1/p')
  file=$(find "$OUT/usr/lib" -name "${interpreter##*/}")
  [[ -n $interpreter && -n $file ]] || fail "the dynamic linker of $1, \"$interpreter\", is not in what was unpacked"
  mkdir -p "$OUT${interpreter%/*}"
  ln -s "${file#"$OUT"}" "$OUT$interpreter"
}

describe() {
  local package archive
  mkdir -p "$OUT/var/lib/dpkg/status.d"
  sort -u "$work/kept" | while read -r package; do
    archive=$(echo "$work/archives/$package"_*.deb)
    {
      echo "Package: $package"
      echo "Status: install ok installed"
      dpkg-deb --field "$archive" | sed '/^Package:/d'
    } >"$OUT/var/lib/dpkg/status.d/$package"
    copyright "$package"
  done
}

# A package may have its copyright in the directory of another one, from the same source.
copyright() {
  local directory=usr/share/doc/$1 file
  file=$work/packages/$1/$directory
  [[ ! -L $file ]] || file=$work/packages/$(readlink "$file")/usr/share/doc/$(readlink "$file")
  [[ -e $file/copyright ]] || fail "$1 has no $directory/copyright"
  install -D --mode=644 "$file/copyright" "$OUT/$directory/copyright"
  licences "$file/copyright"
}

# Copies the licences that a copyright refers to, which each Debian has and no package but its base: the text of GPL goes with fio.
licences() {
  local path
  { grep --only-matching '/usr/share/common-licenses/[A-Za-z0-9.-]*[A-Za-z0-9]' "$1" || true; } | sort -u | while read -r path; do
    install -D --mode=644 "$work/packages/base-files$path" "$OUT$path"
  done
}

# The user that the image runs as, for programs that ask for its name, and where it may write.
system() {
  mkdir -p "$OUT/etc"
  printf '%s\n' root:x:0:0:root:/:/sbin/nologin nonroot:x:65532:65532:nonroot:/tmp:/sbin/nologin >"$OUT/etc/passwd"
  printf '%s\n' root:x:0: nonroot:x:65532: >"$OUT/etc/group"
  install --directory --mode=1777 "$OUT/tmp"
}

work=$(mktemp -d)
readonly work
trap 'rm -rf "$work"' EXIT
download
unpack
mkdir -p "$OUT"
keep "$work/packages/fio/usr/bin/fio"
link_interpreter "$OUT/usr/bin/fio"
describe
system

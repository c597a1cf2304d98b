#!/usr/bin/env bash
# Prints the licences of all that the programs of cmd/ are linked from: a list, each text once, and the notices that
# Apache-2.0 wants passed on; then those of what HTML reports have from npm, as hack/report-assets.sh collects them. Fails
# if one of the former has a licence that is not among those allowed below.
#
# Nothing has to be reachable. go-licenses complains on its standard error that it could not look up the web address of
# some licences, which are not printed; its complaints are shown only if it fails.
set -euo pipefail
cd "$(dirname "$0")/.."

# Licences that ask for no more than their text and notices. Any other is a decision to make, not to slip in.
readonly ALLOWED=Apache-2.0,BSD-2-Clause,BSD-3-Clause,ISC,MIT

# What a program is linked from depends on the platform: the same one on all machines.
export GOOS=linux GOARCH=amd64 CGO_ENABLED=0

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The tool takes all for Go's standard library that lies below the root which it was compiled with: "" with -trimpath.
export GOROOT
GOROOT=$(go env GOROOT)

# The tool runs on this machine, and looks at the programs as they are for the platform above.
go_licenses() {
  "$work/go-licenses" "$@" ./cmd/... --ignore github.com/storagebench/storagebench 2>"$work/log" || {
    echo "licenses: go-licenses $1 failed; allowed are $ALLOWED:" >&2
    cat "$work/log" >&2
    exit 1
  }
}

heading() {
  printf '\n%s\n' "$(printf '=%.0s' {1..100})"
  printf '%s\n' "$@"
  printf '%s\n\n' "$(printf '=%.0s' {1..100})"
}

# Without the line ends of Windows and trailing blanks, by which copies of one text differ.
text() { sed -e 's/\r$//' -e 's/[[:space:]]*$//' "$1"; }

(cd hack/tools/go-licenses && GOOS='' GOARCH='' go build -o "$work/go-licenses" github.com/google/go-licenses/v2)
go_licenses check --allowed_licenses="$ALLOWED"
printf '{{range .}}{{.LicenseName}}\t{{.Name}}\t{{.Version}}\t{{.LicensePath}}\n{{end}}' >"$work/template"
go_licenses report --template "$work/template" >"$work/list"
(($(wc -l <"$work/list") > 50)) || {
  echo "licenses: go-licenses finds only $(wc -l <"$work/list") packages" >&2
  exit 1
}

cat <<'TEXT'
Third-party software that the programs of storagebench (manager, runner, kubectl-storagebench) are linked from.
Made by "make generate". The image of the runner holds fio (GPL-2.0-only) and Debian packages beside them, whose
licences are in the image, below /usr/share/doc.

TEXT
while IFS=$'\t' read -r license package version _; do
  printf '%-13s %s %s\n' "$license" "$package" "$version"
done <"$work/list"
printf '%-13s %s\n' BSD-3-Clause "Go's standard library and runtime"

mkdir "$work/texts"
while IFS=$'\t' read -r _ package version path; do
  sum=$(text "$path" | sha256sum)
  text "$path" >"$work/texts/${sum%% *}"
  printf '%s\t%s %s\n' "${sum%% *}" "$package" "$version"
done <"$work/list" | uniq >"$work/users"

# In the order of the list: each text where the first package has it, headed by all that have it.
cut -f1 "$work/users" | awk '!seen[$0]++' | while read -r sum; do
  mapfile -t packages < <(awk -F'\t' -v sum="$sum" '$1 == sum { print $2 }' "$work/users")
  heading "${packages[@]}"
  cat "$work/texts/$sum"
done

heading "Go's standard library and runtime"
text "$(go env GOROOT)/LICENSE"

go list -deps -f '{{with .Module}}{{if .Version}}{{.Path}} {{.Dir}}{{end}}{{end}}' ./cmd/... | sort -u |
  while read -r module directory; do
    if [[ -e $directory/NOTICE ]]; then
      heading "Notice of $module"
      text "$directory/NOTICE"
    fi
  done

heading "npm packages in the HTML reports that kubectl-storagebench writes, each report with these licences"
cat internal/report/html/assets/dist/LICENSES

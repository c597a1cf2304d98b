#!/usr/bin/env bash
# Fails if what is committed is not what the generators give: verify.sh MODULE...
#
# Everything is regenerated in a copy of the tree, so that a failing check changes nothing here.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
failed=0

fail() {
  echo "verify: $*" >&2
  failed=1
}

# All that git knows or would add; files that were deleted but are still in the index are left out.
tree() {
  git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
    if [[ -e $file ]]; then printf '%s\0' "$file"; fi
  done
}

tree | tar --create --null --files-from=- | tar --extract --directory="$copy"
make -C "$copy" generate >/dev/null

for generated in api config charts docs/reference.md internal/report/html/assets THIRD_PARTY_LICENSES; do
  diff --recursive --unified --new-file "$generated" "$copy/$generated" ||
    fail "$generated is not up to date; run: make generate"
done

# The modules that are built together agree on their versions; the others are tidy by themselves.
"$copy/hack/tidy.sh"
while read -r file; do
  diff --unified "$file" "$copy/$file" || fail "$file is not up to date; run: hack/tidy.sh"
done < <(tree | tr '\0' '\n' | grep -E '(^|/)(go\.mod|go\.sum|programs\.work(\.sum)?)$')
for module in "$@"; do
  (cd "$module" && GOWORK=off go mod tidy -diff) || fail "$module/go.mod is not tidy; run: (cd $module && go mod tidy)"
done

unformatted=$(tree | grep --null-data '\.go$' | xargs --null --no-run-if-empty gofmt -l)
[[ -z $unformatted ]] || fail "not formatted; run: make fmt"$'\n'"$unformatted"

exit "$failed"

#!/usr/bin/env bash
# Makes what HTML reports embed, internal/report/html/assets/dist: the script that draws charts, with all of npm's
# packages that it uses, and their licences.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
readonly ASSETS=internal/report/html/assets

packages=$(hack/npm.sh "$ASSETS")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Browsers of 2023 and later: the style sheet needs these as well.
NODE_PATH=$packages/node_modules "$packages/node_modules/.bin/esbuild" "$ASSETS/src/main.js" \
  --bundle --minify --format=iife --target=chrome120,firefox121,safari17 --charset=utf8 --legal-comments=none \
  --log-level=warning --metafile="$work/meta.json" --outfile="$work/report.js"
node "$ASSETS/licenses.mjs" "$work/meta.json" >"$work/LICENSES"

mkdir -p "$ASSETS/dist"
mv "$work/report.js" "$work/LICENSES" "$ASSETS/dist/"

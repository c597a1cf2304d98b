#!/usr/bin/env bash
# Writes internal/aws/instances.csv from the release of moto that requirements.txt pins. Needs python3 with pip and,
# for a release that pip has not cached, a network.
set -euo pipefail

here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
table=$here/../../internal/aws/instances.csv

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Downloaded and read, never installed: nothing of it runs here.
python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes \
  --requirement "$here/requirements.txt" --dest "$work"
python3 "$here/generate.py" "$work"/moto-*.whl >"$work/instances.csv"
mv "$work/instances.csv" "$table"
echo "instancetypes: $(grep -vc '^#' "$table") instance types in internal/aws/instances.csv"

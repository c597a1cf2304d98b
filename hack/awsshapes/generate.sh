#!/usr/bin/env bash
# Writes api/v1alpha1/testdata/awsshapes.json from the release of botocore that requirements.txt pins: 17 MB, which stay
# below the user's cache, so that no network is needed the second time. Debian's python3-pip is installed where there is
# no pip.
set -euo pipefail

here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
table=$here/../../api/v1alpha1/testdata/awsshapes.json
cache=${XDG_CACHE_HOME:-$HOME/.cache}/storagebench
sum=$(sha256sum "$here/requirements.txt")
wheel=$cache/botocore-${sum:0:16}.whl

# Only a whole file gets its place. It is read, never installed: nothing of it runs here.
if [[ ! -e $wheel ]]; then
  python3 -m pip --version >/dev/null 2>&1 || "$here/../debian-packages.sh" python3-pip
  mkdir -p "$cache"
  work=$(mktemp -d "$cache/botocore.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes \
    --requirement "$here/requirements.txt" --dest "$work"
  mv "$work"/botocore-*.whl "$wheel"
fi
(cd "$here/../.." && go run ./hack/awsshapes "$wheel") >"$table.new"
mv "$table.new" "$table"

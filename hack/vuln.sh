#!/usr/bin/env bash
# Looks for known vulnerabilities in code that is called, in each MODULE and in Go itself: vuln.sh MODULE...
#
#   VULNDB  the database to ask, by default https://vuln.go.dev; file:///DIRECTORY is a copy of it, for machines that
#           cannot reach it (https://go.dev/doc/security/vuln/database has what such a directory holds)
#
# Exit code 0: none are known. 1: there are some. 2: it could not be found out, which is no pass.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly DATABASE=${VULNDB:-https://vuln.go.dev}
readonly FOUND=3 # govulncheck's exit code for vulnerabilities

root=$PWD
worst=0
for module in "$@"; do
  echo "govulncheck $module"
  status=0
  (cd "$module" && go tool -modfile="$root/hack/tools/govulncheck/go.mod" govulncheck -db "$DATABASE" ./...) || status=$?
  case $status in
    0) ;;
    "$FOUND") worst=1 ;;
    *)
      echo "vuln: it is not known whether $module has vulnerabilities, see above. If $DATABASE cannot be reached from" \
        "here, give a copy of it: make vuln VULNDB=file:///DIRECTORY" >&2
      exit 2
      ;;
  esac
done
exit "$worst"

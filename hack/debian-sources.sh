#!/usr/bin/env bash
# Prints where a release of Debian is to be had, as "URI SUITE" lines: debian-sources.sh trixie
#
# These are the mirrors that the machine's own packages come from, with the machine's updates and security updates. Others
# in apt's sources may name their suites as Debian does, but not their components.
set -euo pipefail

readonly SUITE=$1

own=$(. /etc/os-release && [[ $ID != debian ]] || echo "$VERSION_CODENAME")
[[ -n $own ]] && command -v apt-get >/dev/null || {
  echo "debian-sources: this is not a Debian system, so its mirror of Debian is not known" >&2
  exit 1
}
lines=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
  awk -v own="$own" -v suite="$SUITE" '$3 == "main" && ($2 == own || index($2, own "-") == 1) && !seen[$1, $2]++ {
    print $1, suite substr($2, length(own) + 1) }')
[[ -n $lines ]] || {
  echo "debian-sources: no mirror of Debian in apt's sources" >&2
  exit 1
}
echo "$lines"

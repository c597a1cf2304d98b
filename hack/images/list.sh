#!/usr/bin/env bash
# Prints all images that the operator needs, one a line: list.sh [--values FILE | --set NAME=VALUE]...
#
# Asks the chart itself, with these values or its defaults, so that the list is what is pulled: the operator's own image,
# and the one whose pods run benchmarks. There are no others.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."

hack/step.sh "helm template" hack/helm.sh template storagebench charts/storagebench "$@" |
  sed -n 's/^ *-* *image: *"\{0,1\}\([^" ]*\)"\{0,1\}$/\1/p; s/^ *- "\{0,1\}--runner-image=\([^" ]*\)"\{0,1\}$/\1/p' | sort -u

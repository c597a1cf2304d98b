#!/usr/bin/env bash
# Runs a go command that builds programs into a directory: program.sh DIRECTORY COMMAND [ARGUMENT...]
#
# Go copies a program there from its directory for temporary files where that is of another file system, as /tmp often is. Who
# starts it meanwhile fails, and if the copy is cut off, go takes what there is of it for the whole program from then on. So
# this has Go's temporary files beside the programs, from where they are moved. One build at a time.
set -euo pipefail

mkdir -p "$1"
directory=$(cd "$1" && pwd)
shift
exec 9<"$directory"
flock 9
rm -rf "$directory"/.building.?????? # of a build that was killed
GOTMPDIR=$(mktemp -d "$directory/.building.XXXXXX")
export GOTMPDIR
trap 'rm -rf "$GOTMPDIR"' EXIT
"$@"

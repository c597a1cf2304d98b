#!/usr/bin/env bash
# Runs a command as a step that people wait for: step.sh WHAT COMMAND [ARGUMENT...]
#
# Says every 20 s that it goes on, and in the end how long it took, if that was more than a moment.
set -euo pipefail

what=$1
shift
SECONDS=0

tell() {
  while sleep 20; do echo "    $what: $SECONDS s so far"; done
}

tell >&2 &
teller=$!
status=0
"$@" || status=$?
kill "$teller" 2>/dev/null || true
wait "$teller" 2>/dev/null || true
if ((status)); then
  echo "    $what: failed after $SECONDS s" >&2
elif ((SECONDS > 1)); then
  echo "    $what: $SECONDS s" >&2
fi
exit "$status"

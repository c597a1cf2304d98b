#!/usr/bin/env bash
# Runs a command as a step that people wait for: step.sh WHAT COMMAND [ARGUMENT...]
#
# Says every 20 s that it goes on, and in the end how long it took, if that was more than a moment.
set -euo pipefail

what=$1
shift
SECONDS=0

# Ends when the other end of its pipe is closed, which only this script has: however it ends, nobody goes on to speak, or
# keeps a pipe open that somebody reads.
tell() {
  local ended
  while :; do
    ended=0
    read -r -t 20 || ended=$?
    ((ended > 128)) || return 0 # else it was 20 s
    echo "    $what: $SECONDS s so far"
  done
}

exec {alive}> >(tell >&2)
teller=$!
status=0
"$@" {alive}>&- || status=$?
exec {alive}>&-
wait "$teller" || true
if ((status)); then
  echo "    $what: failed after $SECONDS s" >&2
elif ((SECONDS > 1)); then
  echo "    $what: $SECONDS s" >&2
fi
exit "$status"

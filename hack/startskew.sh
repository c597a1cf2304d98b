#!/usr/bin/env bash
# How far apart several runners on this machine start fio at an agreed time: after it, and from the first to the last.
# Prints, for each number of runners, medians and the largest of ROUNDS rounds in milliseconds: of starting fio, and of
# the first I/O that fio completed, which it does some tenths of a second later.
#
# Usage: hack/startskew.sh [RUNNERS...]
set -euo pipefail

readonly ROUNDS=${ROUNDS:-10} SECONDS_AHEAD=${SECONDS_AHEAD:-2}
ROOT=$(cd "$(dirname "$0")/.." && pwd)
DIRECTORY=$(mktemp -d)
readonly ROOT DIRECTORY

cleanup() { rm -r "$DIRECTORY"; }
trap cleanup EXIT

(cd "$ROOT" && CGO_ENABLED=0 go build -o "$DIRECTORY/runner" ./cmd/runner)

# Each runner has files of its own, as it has in a pod.
launch() {
  local own=$1
  mkdir -p "$own/scratch"
  : >"$own/start"
  STORAGEBENCH_JOB_FILE="[global]
directory=$own/files
[writes]
rw=randwrite
size=1M
ioengine=psync
time_based=1
runtime=1
rate_iops=100
write_lat_log=$own/latency
log_unix_epoch=1
" "$DIRECTORY/runner" measure --directory="$own/files" --scratch="$own/scratch" --termination-message="$own/message" \
    --start-file="$own/start" --start-deadline=1m >"$own/log" 2>&1 || { cat "$own/log" >&2; return 1; }
}

round() {
  local directory=$1 runners=$2 start pids=()
  for ((i = 0; i < runners; i++)); do
    launch "$directory/$i" &
    pids+=($!)
  done
  for ((i = 0; i < runners; i++)); do
    until grep -q 'waiting for the start' "$directory/$i/log" 2>/dev/null; do sleep 0.01; done
  done
  start=$(date --utc --date="+$SECONDS_AHEAD seconds" +%Y-%m-%dT%H:%M:%S.%NZ)
  for ((i = 0; i < runners; i++)); do
    echo "$start" >"$directory/$i/new"
    mv "$directory/$i/new" "$directory/$i/start"
  done
  for pid in "${pids[@]}"; do wait "$pid"; done
  echo "$start" >"$directory/start"
}

evaluate() {
  python3 - "$1" <<'PYTHON'
import datetime, glob, re, statistics, sys

def milliseconds(text):
    # Python reads no more than microseconds.
    return datetime.datetime.fromisoformat(re.sub(r"(\.\d{6})\d*Z", r"\1+00:00", text)).timestamp() * 1000

after = {"fio started": [], "first I/O": []}
spread = {"fio started": [], "first I/O": []}
for directory in glob.glob(sys.argv[1] + "/*/"):
    start = milliseconds(open(directory + "start").read().strip())
    moments = {
        "fio started": [milliseconds(re.search(r"fio was started at (\S+)", open(log).read())[1]) for log in glob.glob(directory + "*/log")],
        "first I/O": [int(open(log).readline().split(",")[0]) for log in glob.glob(directory + "*/latency_lat.1.log")],
    }
    for what, of in moments.items():
        after[what] += [moment - start for moment in of]
        spread[what].append(max(of) - min(of))
for what in after:
    print("  %-11s  after the start: median %6.1f, most %6.1f   from first to last: median %6.1f, most %6.1f"
          % (what, statistics.median(after[what]), max(after[what]), statistics.median(spread[what]), max(spread[what])))
PYTHON
}

[[ $# -gt 0 ]] || set -- 2 8
for runners in "$@"; do
  for ((r = 0; r < ROUNDS; r++)); do round "$DIRECTORY/$runners/$r" "$runners"; done
  echo "$runners runners, $ROUNDS rounds, milliseconds:"
  evaluate "$DIRECTORY/$runners"
done

#!/usr/bin/env bash
# usage: hack/seriescost.sh [PAIRS] [FIO]
# What a series costs: fio without its logs and with those that the runner has it write, in pairs, with the median of the pairs.
#   cpu     ioengine=null, which does nothing: CPU time of each I/O. At 100,000 IOPS an I/O may take 10,000 ns, of which 1 % is 100
#   paced   the same, with 9 us of waiting after each, so that it does close to 100,000 IOPS: IOPS
#   memory  reads and writes of a file in memory, as fast as they go: IOPS
set -euo pipefail
pairs=${1:-7} fio=${2:-fio}
work=$(mktemp -d /dev/shm/seriescost.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work"
logs=(--write_iops_log=s --write_bw_log=s --write_hist_log=s --log_avg_msec=1000 --iopsavgtime=1000 --bwavgtime=1000 --log_hist_msec=1000 --log_unix_epoch=1)
median() { sort -n | awk '{v[NR] = $1} END {print (NR % 2) ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2}'; }

# cpu ARGS: nanoseconds of CPU time of each I/O. seconds of user and system time are those of the shell's children.
cpu() {
	local ios=10000000 TIMEFORMAT='%U %S'
	{ time "$fio" --name=a --ioengine=null --rw=randread --bs=4k --size=$((ios * 4096)) --thread=1 --output=out "$@" >/dev/null; } 2>&1 |
		awk -v ios=$ios '{printf "%.1f\n", ($1 + $2) * 1e9 / ios}'
}

# rate ARGS: I/Os a second of a job.
rate() {
	"$fio" --name=a --bs=4k --size=64M --runtime=3 --time_based --output=out --output-format=json "$@" >/dev/null
	awk '/"iops" :/ {gsub(",", "", $3); sum += $3} END {print sum}' out
}

paced() { rate --ioengine=null --rw=randread --thinktime=9 --thinktime_spin=9 "$@"; }
memory() { rate --filename="$work/file" --ioengine=psync --rw=randrw "$@"; }

for kind in cpu paced memory; do
	: >ratios
	for _ in $(seq "$pairs"); do
		without=$($kind) with=$($kind "${logs[@]}")
		echo "$kind without $without, with $with"
		if [ "$kind" = cpu ]; then echo "$without $with" | awk '{print $2 - $1}'; else echo "$without $with" | awk '{print $2 / $1}'; fi >>ratios
	done
	if [ "$kind" = cpu ]; then echo "cpu: $(median <ratios) ns of CPU more for each I/O"; else echo "$kind: $(median <ratios) of the IOPS"; fi
done

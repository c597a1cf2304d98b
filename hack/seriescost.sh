#!/usr/bin/env bash
# usage: hack/seriescost.sh [PAIRS] [FIO]
# What a series costs: fio without its logs and with those that the runner has it write, in pairs that take turns in which begins. Printed is the median of
# the pairs, with the interval that holds it in 95 of 100 cases whatever the noise is like (order statistics), because the neighbours of a virtual machine
# can double the time of a run.
#   cpu     ioengine=null, which does nothing: CPU time of each I/O. At 100,000 IOPS an I/O may take 10,000 ns, of which 1 % is 100
#   paced   the same, with 9 us of waiting after each, so that it does close to 100,000 IOPS: IOPS
#   memory  reads and writes of a file in memory, as fast as they go: IOPS
# fio before 3.36 can wait to the end of the job where thinktime_spin is as long as thinktime (its issue 1588), which has no end here; name a newer one.
set -euo pipefail
pairs=${1:-31} fio=${2:-fio}
work=$(mktemp -d /dev/shm/seriescost.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work"
logs=(--write_iops_log=s --write_bw_log=s --write_hist_log=s --log_avg_msec=1000 --iopsavgtime=1000 --bwavgtime=1000 --log_hist_msec=1000 --log_unix_epoch=1)
# summary: the median of the lines, and the ranks beside it that 1.96 standard deviations of a binomial distribution name.
summary() {
	sort -n | awk '{v[NR] = $1} END {
		reach = int(0.98 * sqrt(NR)) + 1; low = int((NR + 1) / 2) - reach; high = NR + 1 - low
		if (low < 1) {low = 1; high = NR}
		print (NR % 2) ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2, "(" v[low] " to " v[high] ")"}'
}

# cpu ARGS: nanoseconds of CPU time of each I/O. seconds of user and system time are those of the shell's children.
cpu() {
	local ios=2000000 TIMEFORMAT='%U %S'
	{ time "$fio" --name=a --ioengine=null --rw=randread --bs=4k --size=$((ios * 4096)) --thread=1 --output=out "$@" >/dev/null; } 2>&1 |
		awk -v ios=$ios '{printf "%.1f\n", ($1 + $2) * 1e9 / ios}'
}

# rate ARGS: I/Os a second of a job.
rate() {
	"$fio" --name=a --bs=4k --size=64M --runtime=2 --time_based --output=out --output-format=json "$@" >/dev/null
	awk '/"iops" :/ {gsub(",", "", $3); sum += $3} END {print sum}' out
}

paced() { rate --ioengine=null --rw=randread --thinktime=9 --thinktime_spin=9 "$@"; }
memory() { rate --filename="$work/file" --ioengine=psync --rw=randrw "$@"; }

# pair KIND NUMBER: without and with the logs. Every other pair begins with them.
pair() {
	local with without
	if (($2 % 2)); then without=$($1) with=$($1 "${logs[@]}"); else with=$($1 "${logs[@]}") without=$($1); fi
	echo "$without $with"
}

for kind in cpu paced memory; do
	for number in $(seq "$pairs"); do pair "$kind" "$number"; done >"$kind"
done
echo "cpu: $(awk '{print $2 - $1}' cpu | summary) ns of CPU more for each I/O"
for kind in paced memory; do echo "$kind: $(awk '{print $2 / $1}' "$kind" | summary) of the IOPS, $(awk '{print $1}' "$kind" | summary) without"; done

package fio

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStages(t *testing.T) {
	const mib = 1 << 20
	for name, test := range map[string]struct {
		text string
		want []Stage
	}{
		"by the clock": {
			"[a]\nrw=read\nsize=1M\nruntime=1m\ntime_based\nramp_time=5\nstartdelay=1-2\n", []Stage{{TimedSeconds: 67, Counted: true}},
		},
		"by size": {
			"[a]\nrw=read\nsize=1M\n", []Stage{{MostSeconds: math.Inf(1), Reads: Work{mib, 256}, Counted: true}},
		},
		"by size or runtime": {
			"[a]\nrw=write\nbs=1M\nsize=2M\nruntime=500ms\n", []Stage{{MostSeconds: 0.5, Writes: Work{2 * mib, 2}, Counted: true}},
		},
		"clones and loops": {
			"[a]\nrw=write\nbs=1M\nsize=2M\nnumjobs=3\nloops=5\nruntime=9\n", []Stage{{MostSeconds: 9, Writes: Work{30 * mib, 30}, Counted: true}},
		},
		"io_size prevails": {
			"[a]\nrw=read\nbs=1M\nsize=2M\nio_size=8M\n", []Stage{{MostSeconds: math.Inf(1), Reads: Work{8 * mib, 8}, Counted: true}},
		},
		"mixed, by halves": {
			"[a]\nrw=rw\nbs=1M\nsize=4M\n", []Stage{{MostSeconds: math.Inf(1), Reads: Work{2 * mib, 2}, Writes: Work{2 * mib, 2}, Counted: true}},
		},
		"mixed, by its reads": {
			"[a]\nrw=randrw\nbs=1M\nsize=4M\nrwmixread=75\n", []Stage{{MostSeconds: math.Inf(1), Reads: Work{3 * mib, 3}, Writes: Work{mib, 1}, Counted: true}},
		},
		"mixed, by its writes": {
			"[a]\nrw=randrw\nbs=1M\nsize=4M\nrwmixwrite=75\n", []Stage{{MostSeconds: math.Inf(1), Reads: Work{mib, 1}, Writes: Work{3 * mib, 3}, Counted: true}},
		},
		"blocks of several sizes": {
			"[a]\nrw=read\nbsrange=4k-1M\nsize=4M\n", []Stage{{MostSeconds: math.Inf(1), Reads: Work{Bytes: 4 * mib}, Counted: true}},
		},
		"together and after": {
			"[global]\nrw=read\nbs=1M\nsize=1M\n[a]\n[b]\nruntime=3\n[c]\nstonewall\nruntime=4\n[d]\nruntime=7\ntime_based\n",
			[]Stage{{MostSeconds: math.Inf(1), Reads: Work{2 * mib, 2}, Counted: true}, {TimedSeconds: 7, MostSeconds: 4, Reads: Work{mib, 1}, Counted: true}},
		},
		"one waits for another by its name": {
			"[global]\nrw=read\nsize=1M\ntime_based\nruntime=1\n[a]\n[b]\nruntime=2\n[c]\nwait_for=a\nruntime=4\n[d]\nwait_for=c\nruntime=8\n[e]\nstonewall\nwait_for=a\nruntime=16\n",
			[]Stage{{TimedSeconds: 2, Counted: true}, {TimedSeconds: 4, Counted: true}, {TimedSeconds: 8, Counted: true}, {TimedSeconds: 16, Counted: true}},
		},
		"blocks of writes alone": {"[a]\nrw=write\nbs=,1M\nsize=2M\nruntime=3\n", []Stage{{MostSeconds: 3, Writes: Work{2 * mib, 2}, Counted: true}}},
		"blocks of both":         {"[a]\nrw=rw\nbs=,8k\nsize=2M\nruntime=3\n", []Stage{{MostSeconds: 3, Reads: Work{mib, 256}, Writes: Work{mib, 256}, Counted: true}}},
		"at a rate": {
			"[a]\nrw=write\nbs=1M\nsize=8M\nrate=2M\n", []Stage{{MostSeconds: math.Inf(1), PacedSeconds: 4, Writes: Work{8 * mib, 8}, Counted: true}},
		},
		"at a rate of I/Os, by clones": {
			"[a]\nrw=read\nbs=1M\nsize=8M\nnumjobs=2\nrate_iops=4\n", []Stage{{MostSeconds: math.Inf(1), PacedSeconds: 2, Reads: Work{16 * mib, 16}, Counted: true}},
		},
		"at a rate of writes alone": {
			"[a]\nrw=rw\nbs=1M\nsize=8M\nrate=,1M\n", []Stage{{MostSeconds: math.Inf(1), PacedSeconds: 4, Reads: Work{4 * mib, 4}, Writes: Work{4 * mib, 4}, Counted: true}},
		},
		"at a rate, until the time is over": {
			"[a]\nrw=write\nbs=1M\nsize=8M\nrate=1M\nruntime=3\n", []Stage{{MostSeconds: 3, PacedSeconds: 3, Writes: Work{8 * mib, 8}, Counted: true}},
		},
		"thinking": {
			"[a]\nrw=write\nbs=1M\nsize=8M\nthinktime=500000\nthinktime_blocks=2\n", []Stage{{MostSeconds: math.Inf(1), PacedSeconds: 2, Writes: Work{8 * mib, 8}, Counted: true}},
		},
		"thinking, with a unit": {
			"[a]\nrw=write\nbs=1M\nsize=8M\nthinktime=1s\n[b]\nrw=write\nbs=1M\nsize=8M\nthinktime=10ms\n",
			[]Stage{{MostSeconds: math.Inf(1), PacedSeconds: 8, Writes: Work{16 * mib, 16}, Counted: true}},
		},
		"longer than can be": {
			"[a]\nrw=write\nbs=1\nsize=4P\nrate=1\nloops=1000000\n", []Stage{{MostSeconds: math.Inf(1), PacedSeconds: maxPaced, Writes: Work{(4 << 50) * 1e6, (4 << 50) * 1e6}, Counted: true}},
		},
		"a share of the device":     {"[a]\nrw=read\nsize=50%\nruntime=3\n", []Stage{{MostSeconds: 3}}},
		"all of the device":         {"[a]\nrw=read\nsize=1M\nfill_device=1\n", []Stage{{MostSeconds: math.Inf(1)}}},
		"a number of I/Os":          {"[a]\nrw=read\nsize=1M\nnumber_ios=7\n", []Stage{{MostSeconds: math.Inf(1)}}},
		"trims":                     {"[a]\nrw=trim\nsize=1M\n", []Stage{{MostSeconds: math.Inf(1)}}},
		"no size":                   {"[a]\nrw=read\n", []Stage{{MostSeconds: math.Inf(1)}}},
		"one of two is not known":   {"[a]\nrw=read\nbs=1M\nsize=1M\n[b]\nrw=read\nsize=1%\n", []Stage{{MostSeconds: math.Inf(1), Reads: Work{mib, 1}}}},
		"time_based without a time": {"[a]\nrw=read\nbs=1M\nsize=1M\ntime_based\n", []Stage{{MostSeconds: math.Inf(1), Reads: Work{mib, 1}, Counted: true}}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, mustParse(t, test.text).Stages()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

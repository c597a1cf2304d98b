package fio

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLoads(t *testing.T) {
	const kib = 1 << 10
	for name, tt := range map[string]struct {
		text string
		want []Load
	}{
		"what fio does by itself": {"[a]\n", []Load{{Jobs: 1, InFlight: 1, Buffered: true, Reads: true, FileBytes: 64 * kib}}},
		"clones":                  {"[a]\nnumjobs=16\ndirect=1\nrw=write\n", []Load{{Jobs: 16, InFlight: 16, FileBytes: 1024 * kib}}},
		"an asynchronous engine":  {"[a]\nioengine=libaio\niodepth=8\nnumjobs=2\ndirect=1\n", []Load{{Jobs: 2, InFlight: 16, Reads: true, FileBytes: 128 * kib}}},
		"an engine that waits":    {"[a]\nioengine=sync\niodepth=8\ndirect=1\n", []Load{{Jobs: 1, InFlight: 1, Reads: true, FileBytes: 64 * kib}}},
		"one that waits, in threads of fio's own": {
			"[a]\nioengine=psync\nio_submit_mode=offload\niodepth=8\ndirect=1\n", []Load{{Jobs: 1, InFlight: 8, Reads: true, FileBytes: 64 * kib}},
		},
		"memory mapped":     {"[a]\nioengine=mmap\ndirect=1\n", []Load{{Jobs: 1, InFlight: 1, Buffered: true, Reads: true, FileBytes: 64 * kib}}},
		"not buffered":      {"[a]\nbuffered=0\n", []Load{{Jobs: 1, InFlight: 1, Reads: true, FileBytes: 64 * kib}}},
		"not direct":        {"[a]\ndirect=0\n", []Load{{Jobs: 1, InFlight: 1, Buffered: true, Reads: true, FileBytes: 64 * kib}}},
		"no latencies":      {"[a]\ngtod_reduce=1\n", []Load{{Jobs: 1, InFlight: 1, Buffered: true, Reads: true, FileBytes: 64 * kib, LatencyOff: true}}},
		"no clat":           {"[a]\ndisable_clat=1\n", []Load{{Jobs: 1, InFlight: 1, Buffered: true, Reads: true, FileBytes: 64 * kib, LatencyOff: true}}},
		"no lat":            {"[a]\ndisable_lat=1\n", []Load{{Jobs: 1, InFlight: 1, Buffered: true, Reads: true, FileBytes: 64 * kib, LatencyOff: true}}},
		"latencies":         {"[a]\ngtod_reduce=0\n", []Load{{Jobs: 1, InFlight: 1, Buffered: true, Reads: true, FileBytes: 64 * kib}}},
		"polling":           {"[a]\nioengine=pvsync2\nhipri\ndirect=1\n", []Load{{Jobs: 1, InFlight: 1, Reads: true, FileBytes: 64 * kib, Polls: true}}},
		"a polling kernel":  {"[a]\nioengine=io_uring\nsqthread_poll=1\ndirect=1\n", []Load{{Jobs: 1, InFlight: 1, Reads: true, FileBytes: 64 * kib, Polls: true}}},
		"unknown files":     {"[a]\nfill_device=1\n", []Load{{Jobs: 1, InFlight: 1, Buffered: true, Reads: true}}},
		"sections apart":    {"[a]\ndirect=1\n[b]\nrw=write\nnumjobs=2\n", []Load{{Jobs: 1, InFlight: 1, Reads: true, FileBytes: 64 * kib}, {Jobs: 2, InFlight: 2, Buffered: true, UnsyncedWrites: true, Gathered: true, FileBytes: 128 * kib}}},
		"sections together": {"[global]\ngroup_reporting\n[a]\ndirect=1\n[b]\nrw=write\nnumjobs=2\n", []Load{{Jobs: 3, InFlight: 3, Buffered: true, UnsyncedWrites: true, Gathered: true, Reads: true, FileBytes: 192 * kib}}},
		"a shared file":     {"[global]\ngroup_reporting\nfilename=x\n[a]\nnumjobs=2\n[b]\n", []Load{{Jobs: 3, InFlight: 3, Buffered: true, Reads: true, FileBytes: 64 * kib}}},
		"groups":            {"[global]\ngroup_reporting\ndirect=1\n[a]\n[b]\nstonewall\n[c]\n", []Load{{Jobs: 1, InFlight: 1, Reads: true, FileBytes: 64 * kib}, {Jobs: 2, InFlight: 2, Reads: true, FileBytes: 128 * kib}}},
	} {
		t.Run(name, func(t *testing.T) {
			f := mustParse(t, "[global]\nsize=64k\nrw=read\n"+tt.text)
			got := f.Loads()
			for i := range got {
				got[i].Sequential, got[i].Traps = false, Traps{} // TestSequential and TestTraps have these
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if len(f.Loads()) != len(f.Groups()) {
				t.Errorf("%d loads of groups %v", len(f.Loads()), f.Groups())
			}
		})
	}
}

func TestSequential(t *testing.T) {
	for text, want := range map[string]bool{
		"rw=read\n": true, "rw=write\n": true, "rw=rw\n": true, "rw=trim\n": true, "rw=trimwrite\n": true,
		"rw=randread\n": false, "rw=randwrite\n": false, "rw=randrw\n": false, "rw=randtrim\n": false,
		"rw=randread:8\n": true, "rw=randwrite\npercentage_random=50\n": true,
		"group_reporting\nrw=randread\n[b]\nrw=write\n": true,
	} {
		if got := mustParse(t, "[a]\nsize=64k\n"+text).Loads()[0].Sequential; got != want {
			t.Errorf("%q is sequential: %t", text, got)
		}
	}
}

// What is synced is not answered by memory, and fio reports only calls between the writes.
func TestSyncs(t *testing.T) {
	unsynced := Load{Buffered: true, UnsyncedWrites: true, Gathered: true}
	for text, want := range map[string]Load{
		"[a]\nrw=write\n":                                          unsynced,
		"[a]\nrw=randrw\n":                                         unsynced,
		"[a]\nrw=write\ndirect=1\n":                                {},
		"[a]\nrw=write\nfsync=1\n":                                 {Syncs: true},
		"[a]\nrw=write\nfdatasync=32\n":                            {Syncs: true, Gathered: true},
		"[a]\nrw=randwrite\nfdatasync=1\ndirect=1\n":               {Syncs: true},
		"[a]\nrw=write\nsync_file_range=write:8\n":                 {Syncs: true, Gathered: true},
		"[a]\nrw=write\nsync_file_range=write:00\n":                unsynced,
		"[a]\nrw=write\nfsync=0\nfdatasync=0\n":                    unsynced,
		"[a]\nrw=write\nsync=1\n":                                  {},
		"[a]\nrw=write\nsync=sync\n":                               {},
		"[a]\nrw=write\nsync=dsync\n":                              {},
		"[a]\nrw=write\nsync=none\n":                               unsynced,
		"[a]\nrw=write\nsync=0\n":                                  unsynced,
		"[a]\nrw=write\nend_fsync=1\n":                             {Gathered: true, SyncedAtEnd: true},
		"[a]\nrw=write\nfsync_on_close=1\n":                        {Gathered: true, SyncedAtEnd: true},
		"[a]\nrw=write\nend_fsync=1\nfsync=4096\n":                 {Gathered: true, Syncs: true},
		"[a]\nrw=write\nend_fsync=1\nsync=dsync\n":                 {},
		"[a]\nrw=write\nend_fsync=1\ndirect=1\n":                   {},
		"[a]\nrw=read\nend_fsync=1\n":                              {Buffered: true},
		"[a]\nrw=write\nend_fsync=0\n":                             unsynced,
		"[a]\nrw=read\nfsync=1\n":                                  {Buffered: true},
		"[a]\nrw=rw\nfsync=1\n":                                    {Buffered: true, Syncs: true},
		"[a]\nrw=randtrim\nfsync=1\n":                              {},
		"[a]\nrw=trimwrite\nfsync=1\n":                             {Syncs: true},
		"[a]\nrw=write\nioengine=mmap\ndirect=1\n":                 unsynced,
		"[global]\ngroup_reporting\nrw=write\n[a]\nfsync=1\n[b]\n": {Buffered: true, UnsyncedWrites: true, Gathered: true, Syncs: true},
	} {
		loads := mustParse(t, text).Loads()
		got := Load{Buffered: loads[0].Buffered, UnsyncedWrites: loads[0].UnsyncedWrites, Gathered: loads[0].Gathered, SyncedAtEnd: loads[0].SyncedAtEnd, Syncs: loads[0].Syncs}
		if diff := cmp.Diff(want, got); len(loads) != 1 || diff != "" {
			t.Errorf("%q: %d loads (-want +got):\n%s", text, len(loads), diff)
		}
	}
}

func TestRates(t *testing.T) {
	const mib = 1 << 20
	for text, want := range map[string]Load{
		"[a]\nrw=read\n":                                               {},
		"[a]\nrw=read\nrate=10m\n":                                     {RateBytesPerSecond: 10 * mib},
		"[a]\nrw=read\nrate=10m\nnumjobs=3\n":                          {RateBytesPerSecond: 30 * mib},
		"[a]\nrw=randrw\nrate=10m\n":                                   {RateBytesPerSecond: 20 * mib},
		"[a]\nrw=randrw\nrate=10m,5m\n":                                {RateBytesPerSecond: 15 * mib},
		"[a]\nrw=randrw\nrate=10m,\n":                                  {},
		"[a]\nrw=randrw\nrate=,5m\n":                                   {},
		"[a]\nrw=read\nrate=10m,\n":                                    {RateBytesPerSecond: 10 * mib},
		"[a]\nrw=randwrite\nrate=10m,5m\n":                             {RateBytesPerSecond: 5 * mib},
		"[a]\nrw=randwrite\nrate=10m\n":                                {RateBytesPerSecond: 10 * mib},
		"[a]\nrw=trimwrite\nrate=10m,5m\n":                             {RateBytesPerSecond: 10 * mib},
		"[a]\nrw=trimwrite\nrate=10m,5m,\n":                            {},
		"[a]\nrw=trimwrite\nrate=10m,5m,2m\n":                          {RateBytesPerSecond: 7 * mib},
		"[a]\nrw=read\nrate=0\n":                                       {},
		"[a]\nrw=read\nrate=1m\nkb_base=1000\n":                        {RateBytesPerSecond: 1_000_000},
		"[a]\nrw=read:8\nrate_iops=100\n":                              {RateIOPS: 100},
		"[a]\nrw=readwrite\nrate_iops=100,50\nnumjobs=2\n":             {RateIOPS: 300},
		"[global]\ngroup_reporting\nrate_iops=100\n[a]\n[b]\n":         {RateIOPS: 200},
		"[global]\ngroup_reporting\n[a]\nrate_iops=100\n[b]\n":         {},
		"[global]\ngroup_reporting\n[a]\nrate=1m\n[b]\nrate_iops=10\n": {},
		"[a]\nthinktime=10ms\nnumjobs=4\n":                             {ThinkMilliIOPS: 400_000},
		"[a]\nthinktime=10000\nthinktime_blocks=3\n":                   {ThinkMilliIOPS: 300_000},
		"[a]\nthinktime=10ms\nrate_iops=50\n":                          {RateIOPS: 50, ThinkMilliIOPS: 100_000},
		"[a]\nthinktime=550ms\n":                                       {ThinkMilliIOPS: 1818},
		"[global]\ngroup_reporting\n[a]\nthinktime=1s\n[b]\n":          {},
		"[a]\nthinktime=1s\nthinktime_iotime=10s\n":                    {},
		"[a]\nthinktime=0\n":                                           {},
		"[a]\nrw=read\nrate=8000P\nnumjobs=1000\n":                     {},
	} {
		loads := mustParse(t, text).Loads()
		got := Load{RateIOPS: loads[0].RateIOPS, RateBytesPerSecond: loads[0].RateBytesPerSecond, ThinkMilliIOPS: loads[0].ThinkMilliIOPS}
		if diff := cmp.Diff(want, got); len(loads) != 1 || diff != "" {
			t.Errorf("%q: %d loads (-want +got):\n%s", text, len(loads), diff)
		}
	}
}

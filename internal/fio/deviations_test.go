package fio

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What people write differently is the same job, and what changes each I/O is another one.
func TestDeviations(t *testing.T) {
	const wal = "[wal]\nrw=write\nioengine=sync\nbs=2300\nsize=22m\nfdatasync=1\nruntime=30\n"
	for name, test := range map[string]struct {
		job  string
		want []string
	}{
		"the same":           {wal, nil},
		"elsewhere, longer":  {"[a]\nrw=write\nbs=2300\nfdatasync=1\nsize=1g\nruntime=60\ntime_based\ndirectory=/data\niodepth=8\nsync=none\n", nil},
		"a default that is":  {wal + "direct=0\nnumjobs=1\n", nil},
		"other blocks":       {"[a]\nrw=write\nblocksize=4k\nfdatasync=1\n", []string{"bs is 4096, not 2300"}},
		"no sync":            {"[a]\nrw=write\nbs=2300\n", []string{"fdatasync is not set, not 1"}},
		"direct":             {wal + "direct\n", []string{"direct is 1, not 0"}},
		"a rate":             {wal + "rate_iops=50\n", []string{"rate_iops is 50, not 0"}},
		"another engine":     {wal + "ioengine=libaio\niodepth=4\n", []string{"iodepth is 4, not 1", "ioengine is libaio, not psync"}},
		"several jobs":       {wal + "[b]\nrw=read\n", []string{"it has 2 jobs, not 1"}},
		"mixed, and unequal": {"[a]\nrw=readwrite\nbs=2300\nfdatasync=1\nrwmixread=70\n", []string{"rw is rw, not write", "rwmixread is 70, not 50"}},
	} {
		t.Run(name, func(t *testing.T) {
			job, err := Parse(test.job)
			if err != nil {
				t.Fatal(err)
			}
			from, err := Parse(wal)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, job.Deviations(from)); diff != "" {
				t.Errorf("deviations (-want +got):\n%s", diff)
			}
		})
	}
}

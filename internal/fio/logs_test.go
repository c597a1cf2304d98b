package fio

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWithLogs(t *testing.T) {
	const day = "86400"
	for name, tt := range map[string]struct {
		job                 string
		interval, histogram int64
		refused             string
	}{
		"a minute":                     {"rw=randwrite\nruntime=60\ntime_based", 1000, 1000, ""},
		"a minute of 16 jobs":          {"rw=randrw\nruntime=60\ntime_based\nnumjobs=16", 1000, 2000, ""},
		"an hour":                      {"rw=randwrite\nruntime=3600\ntime_based", 1000, 3000, ""},
		"a day of 64 jobs":             {"rw=randwrite\nruntime=" + day + "\ntime_based\nnumjobs=64", 48_000, 3_696_000, ""},
		"until all is written":         {"rw=write\nbs=1M\nsize=1G", 1000, 1000, ""},
		"64 jobs until all is written": {"rw=randwrite\nbs=4k\nsize=1G\nnumjobs=64", 24_000, 1_800_000, ""},
		"both":                         {"rw=randwrite\nbs=4k\nsize=100G\nruntime=60", 1000, 1000, ""},
		"no end":                       {"rw=write\nbs=1M\nsize=50%", 0, 0, "runtimeSeconds"},
		"metadata":                     {"ioengine=filecreate\nfilesize=4k\nnrfiles=10", 0, 0, "operations on files"},
		"threads that submit for it":   {"rw=randread\nruntime=60\ntime_based\nioengine=libaio\nio_submit_mode=offload", 0, 0, "offload"},
	} {
		file, err := Parse("[a]\n" + tt.job)
		if err != nil {
			t.Fatal(err)
		}
		_, logs, err := file.WithLogs(32<<20, 0)
		if tt.refused != "" {
			if err == nil || !strings.Contains(err.Error(), tt.refused) {
				t.Errorf("%s: the error is %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if logs.IntervalMilliseconds != tt.interval || logs.HistogramMilliseconds != tt.histogram {
			t.Errorf("%s: every %d ms, histograms every %d ms", name, logs.IntervalMilliseconds, logs.HistogramMilliseconds)
		}
	}
}

// The logs of jobs that make one result have its prefix, and no option of the job itself changes how often fio notes something.
func TestLogsOfGroups(t *testing.T) {
	file, err := Parse("[global]\nruntime=60\ntime_based\nbs=4k\n[a]\nrw=read\niopsavgtime=100\n[b]\nrw=write\nstonewall")
	if err != nil {
		t.Fatal(err)
	}
	logged, logs, err := file.WithLogs(32<<20, 0)
	if err != nil {
		t.Fatal(err)
	}
	if want := []LogGroup{{Name: "a", Prefix: "series-0"}, {Name: "b", Prefix: "series-1"}}; !cmp.Equal(logs.Groups, want) {
		t.Errorf("groups %v", logs.Groups)
	}
	for _, j := range logged.jobs() {
		if got := j.text("iopsavgtime", ""); got != "1000" {
			t.Errorf("job %s has iopsavgtime=%s", j.name, got)
		}
	}
	if strings.Contains(file.String(), "log") {
		t.Error("the file itself has changed")
	}
}

// Jobs of one result end apart if one is through with its files, or has another time. Those of other results do not matter.
func TestEndApart(t *testing.T) {
	for name, tt := range map[string]struct {
		job  string
		want []bool
	}{
		"the same time":     {"runtime=9\n[a]\n[b]", []bool{false}},
		"other runtimes":    {"runtime=9\n[a]\n[b]\nruntime=5", []bool{true}},
		"a later start":     {"runtime=9\n[a]\n[b]\nstartdelay=3", []bool{true}},
		"a start by chance": {"runtime=9\nstartdelay=1-5\n[a]\n[b]", []bool{true}},
		"through with it":   {"runtime=9\n[a]\n[b]\ntime_based=0", []bool{true}},
		"of other results":  {"runtime=9\n[a]\n[b]\nnew_group\nruntime=5", []bool{false, false}},
	} {
		file, err := Parse("[global]\ngroup_reporting\ntime_based\nsize=1M\nbs=4k\nrw=read\n" + tt.job)
		if err != nil {
			t.Fatal(err)
		}
		_, logs, err := file.WithLogs(32<<20, 0)
		if err != nil {
			t.Fatal(err)
		}
		var got []bool
		for _, group := range logs.Groups {
			got = append(got, group.EndApart)
		}
		if !cmp.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

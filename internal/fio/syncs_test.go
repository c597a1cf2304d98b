package fio

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/storagebench/storagebench/test/fiorun"
)

// A report has room for two of reads, writes, trims and syncs in each of as many groups as can be: more are refused.
func TestFiguresThatFit(t *testing.T) {
	sections := func(n int, options string) string {
		text := "[global]\nsize=1m\n"
		for i := range n {
			text += fmt.Sprintf("[s%d]\nstonewall\n%s\n", i, options)
		}
		return text
	}
	for name, test := range map[string]struct {
		text string
		want string
	}{
		"as many groups of writes and syncs": {sections(MaxGroups, "rw=write\nfsync=1"), ""},
		"as many groups of mixed I/O":        {sections(MaxGroups, "rw=randrw"), ""},
		"mixed I/O with syncs":               {sections(10, "rw=randrw\nfdatasync=1"), ""},
		"too many of them":                   {sections(11, "rw=randrw\nfdatasync=1"), "syncs 33 times together, and a report has room for 32; use group_reporting in [global], or split it into several workloads"},
		"in one group":                       {strings.ReplaceAll(sections(11, "rw=randrw\nfdatasync=1"), "stonewall", "group_reporting"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := mustParse(t, test.text)
			g := guard{path: field.NewPath("f")}
			g.report(resultProblems(f))
			if got := g.errs.ToAggregate(); (got == nil) != (test.want == "") || got != nil && !strings.Contains(got.Error(), test.want) {
				t.Errorf("refused with %v, want %q", got, test.want)
			}
		})
	}
}

// Whether a job file does more than read decides whether fio may write to a device.
func TestOverwrites(t *testing.T) {
	for text, want := range map[string]bool{
		"[a]\nsize=1M\n": false, // fio's default is read
		"[a]\nrw=read:8k\n[b]\nreadwrite=randread\n": false,
		"[a]\nrw=read\n[b]\nrw=write\n":              true,
		"[global]\nrw=randwrite\n[a]\n":              true,
		"[global]\nrw=randwrite\n[a]\nrw=randread\n": false,
		"[a]\nrw=rw\n":                true,
		"[a]\nrw=readwrite\n":         true,
		"[a]\nrw=randrw:2\n":          true,
		"[a]\nrw=trim\n":              true,
		"[a]\nrw=trimwrite\n":         true,
		"[a]\nrw=read\noverwrite=1\n": false, // of files that are laid out
	} {
		f, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Overwrites(); got != want {
			t.Errorf("%q: %t, want %t", text, got, want)
		}
	}
}

// TestFioSyncsAtTheEnd asks fio itself what of a sync at the end it counts: it is in the time of the job, by which IOPS and bandwidth are, and in no latency.
func TestFioSyncsAtTheEnd(t *testing.T) {
	const seconds, size = 1, 256 << 20
	job := fmt.Sprintf("[a]\nrw=write\nbs=1m\nsize=%d\ntime_based\nruntime=%d\nend_fsync=1\n", size, seconds)
	run := fiorun.Run(t, job, "--output-format=json")
	var report struct {
		Jobs []struct {
			Write struct {
				Runtime int64 `json:"runtime"`
				Total   int64 `json:"total_ios"`
				Latency struct {
					Max int64 `json:"max"`
				} `json:"lat_ns"`
			} `json:"write"`
			Sync struct {
				Total int64 `json:"total_ios"`
			} `json:"sync"`
		} `json:"jobs"`
	}
	if err := json.Unmarshal(run.Output, &report); err != nil || len(report.Jobs) != 1 {
		t.Fatalf("%v: %s %s", err, run.Output, run.Stderr)
	}
	w := report.Jobs[0].Write
	beyond := time.Duration(w.Runtime)*time.Millisecond - seconds*time.Second
	t.Logf("%d writes; the job took %s more than its runtime, and the longest write %s", w.Total, beyond, time.Duration(w.Latency.Max))
	if inMemory(t, t.TempDir()) {
		t.Skip("the directory for tests is in memory, where a sync takes no time")
	}
	const fastest = 5 * time.Millisecond // for 256 MiB of any disk
	if beyond < fastest || report.Jobs[0].Sync.Total != 0 {
		t.Errorf("the sync is not in the job's time, or among %d that were measured", report.Jobs[0].Sync.Total)
	}
}

// inMemory says whether a directory is on a tmpfs.
func inMemory(t *testing.T, directory string) bool {
	t.Helper()
	var fs unix.Statfs_t
	if err := unix.Statfs(directory, &fs); err != nil {
		t.Fatal(err)
	}
	return fs.Type == unix.TMPFS_MAGIC
}

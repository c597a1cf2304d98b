package fioresult

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

func gp3() Storage {
	return Storage{Target: v1alpha1.Target{Name: "gp3", EBS: &v1alpha1.EBSVolume{Type: "gp3"}}, InstanceType: "m6i.large"}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// The result says what an operator would say of the same output, without what only a pod knows.
func TestBenchmark(t *testing.T) {
	sb, note, err := Benchmark("saved", read(t, "../fiooutput/testdata/fio-3.40.json"), gp3())
	if err != nil {
		t.Fatal(err)
	}
	if note != "" {
		t.Errorf("there is nothing to note of JSON, and it is %q", note)
	}
	status := &sb.Status
	if len(status.Runs) != 1 || status.Runs[0].State != v1alpha1.RunSucceeded || len(status.Comparisons) != 2 || !status.HasEnded() {
		t.Fatalf("status is %+v", status)
	}
	run := &status.Runs[0]
	if len(run.Sections) != 2 || run.Sections[0].Name != "mixed" || run.Sections[1].Name != "write" || run.Sections[1].LimitedBy == nil {
		t.Fatalf("sections are %+v", run.Sections)
	}
	limits := status.Targets[0].Limits
	if limits == nil || limits.IOPS == nil || *limits.IOPS != 3000 || len(status.Targets[0].ClientLimits) != 1 {
		t.Errorf("limits are %+v of %+v", limits, status.Targets[0].ClientLimits)
	}
	if run.StartTime == nil || !run.StartTime.Before(run.CompletionTime) {
		t.Errorf("it was measured from %v to %v", run.StartTime, run.CompletionTime)
	}
	if credits := status.Targets[0].BurstCredits; credits != nil {
		t.Errorf("nobody knows how many credits the volume had, and they are %+v", credits)
	}
}

// Published output: figures as their authors printed them.
func TestPublished(t *testing.T) {
	efs := Storage{
		Target:  v1alpha1.Target{Name: "efs", EFS: &v1alpha1.EFSFileSystem{FileSystemID: "fs-00000000"}},
		Options: map[string]string{"rw": "randrw", "bs": "4k", "direct": "1", "ioengine": "libaio", "iodepth": "256"},
	}
	ebs := gp3()
	ebs.Options = map[string]string{"direct": "1"}
	for _, test := range []struct {
		file       string
		on         Storage
		iops       int64
		meanMillis int64
		p99Millis  int64
	}{
		{"efs-randrw.txt", efs, 2801, 177, 205},
		{"ebs-randrw-2.14.txt", ebs, 1539, 82, 137},
	} {
		t.Run(test.file, func(t *testing.T) {
			sb, note, err := Benchmark("published", read(t, "testdata/"+test.file), test.on)
			if err != nil {
				t.Fatal(err)
			}
			result := sb.Status.Runs[0].Result.Of(v1alpha1.OperationRead)
			mean, p99 := result.Latency.MeanNanoseconds/1e6, result.CompletionLatency.P99Nanoseconds/1e6
			if result.IOPS() != test.iops || mean != test.meanMillis || p99 < test.p99Millis-2 || p99 > test.p99Millis+2 {
				t.Errorf("%d IOPS, mean %d ms, p99 %d ms, want %d, %d and %d", result.IOPS(), mean, p99, test.iops, test.meanMillis, test.p99Millis)
			}
			if c := sb.Status.Conditions[0]; !strings.Contains(c.Message, "rounded") || !strings.Contains(note, "rounded") {
				t.Errorf("the message does not say that figures are rounded: %q", c.Message)
			}
		})
	}
}

func TestNotOfFio(t *testing.T) {
	const job, ended = "a: (groupid=%d, jobs=1): err= 0: pid=1\n  read: IOPS=10, BW=4KiB/s (4kB/s)(400KiB/10000msec)\n", "Run status group 0 (all jobs):\n"
	many := ""
	for i := range 257 {
		many += fmt.Sprintf(job, i)
	}
	for text, want := range map[string]string{
		many: "more than 256 results",
		fmt.Sprintf(job, 0) + ended + fmt.Sprintf(job, 0) + ended: "several reports",
		"":                    "fio gave no result",
		"fio: no such engine": "no such engine",
		`{"fio version": "fio-3.33", "jobs": []}`:                                                                                         "no jobs",
		"a: (groupid=0, jobs=1): err= 0: pid=1\n  read: IOPS=10, BW=40KiB/s (41kB/s)(400KiB/10000msec)\n":                                 "the text lacks the line with its options",
		"a: (g=0): rw=read, bs=4K-4K\na: (groupid=0, jobs=1): err= 0: pid=1\n  read: IOPS=10, BW=40KiB/s (41kB/s)(400KiB/10000msec)\n":    "--option direct=1 or --option direct=0",
		"a: (groupid=0, jobs=1): err=28 (file): pid=1\n  read: IOPS=10, BW=40KiB/s (41kB/s)(400KiB/10000msec)\n":                          "fio failed",
		"fio-3.33\nStarting 3 processes\na: (groupid=0, jobs=1): err= 0: pid=1\n  read: IOPS=10, BW=40KiB/s (41kB/s)(400KiB/10000msec)\n": "the text ends early",
		"fio-3.33\na: (groupid=0, jobs=1): err= 0: pid=1\n  read: IOPS=10, BW=4KiB/s (4kB/s)(400KiB/10000msec)\nfio-3.33\n":               "several reports",
	} {
		if _, _, err := Benchmark("none", []byte(text), gp3()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

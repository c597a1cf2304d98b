package fiooutput

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/histogram"
	"github.com/storagebench/storagebench/test/fiorun"
)

// rawReport is fio's JSON with what Output leaves out.
type rawReport struct {
	Jobs []struct {
		Name        string `json:"jobname"`
		Read, Write rawDirection
		JobRuntime  int64   `json:"job_runtime"`
		UserCPU     float64 `json:"usr_cpu"`
	}
}

type rawDirection struct {
	TotalIOs int64      `json:"total_ios"`
	Bytes    int64      `json:"io_bytes"`
	IOPS     float64    `json:"iops"`
	BW       float64    `json:"bw_bytes"`
	Runtime  int64      `json:"runtime"`
	CLat     rawLatency `json:"clat_ns"`
	Lat      rawLatency `json:"lat_ns"`
}

type rawLatency struct {
	N, Min, Max  int64
	Mean, StdDev float64
	Percentile   map[string]uint64
	Bins         map[uint64]uint64
}

// raw decodes the last document of fio's output without this package's types.
func raw(t *testing.T, data []byte) rawReport {
	t.Helper()
	documents, _ := splitDocuments(data)
	if len(documents) == 0 {
		t.Fatalf("no JSON in %s", data)
	}
	var report rawReport
	if err := json.Unmarshal(documents[len(documents)-1], &report); err != nil {
		t.Fatal(err)
	}
	return report
}

// TestPercentilesAreThoseOfFio compares every percentile that fio reports, of many kinds of samples.
func TestPercentilesAreThoseOfFio(t *testing.T) {
	for i, text := range []string{
		"[a]\nrw=randrw\nbs=4k\nsize=4M\nlat_percentiles=1\n",
		"[a]\nrw=randrw\nbs=512\nsize=2M\nnumjobs=2\ngroup_reporting\nlat_percentiles=1\n",
		"[a]\nrw=write\nbs=4k\nsize=4000k\nlat_percentiles=1\n",
		"[a]\nrw=read\nbs=4k\nnumber_ios=7\nsize=4M\nlat_percentiles=1\n",
		"[a]\nrw=randwrite\nbs=4k\nsize=1M\nfsync=1\nioengine=libaio\niodepth=8\nlat_percentiles=1\n",
	} {
		for _, list := range []string{"", "0.1:1:3:33.3:49.9:50.1:66.6:75:90:95:97.5:99:99.25:99.9:99.95:99.99:99.999:100"} {
			t.Run(fmt.Sprint(i, list), func(t *testing.T) {
				t.Parallel()
				job := mustParse(t, text).On(fio.Volume{Directory: t.TempDir()})
				if list != "" {
					job = job.With([]fio.Setting{{Name: "percentile_list", Value: list}})
				}
				run := fiorun.Run(t, job.String(), "--output-format=json+")
				output, err := Parse(run.Output)
				if err != nil {
					t.Fatal(err)
				}
				want, got, compared := raw(t, run.Output).Jobs[0], output.Groups[0], 0
				compared += comparePercentiles(t, "read clat", want.Read.CLat, got.Read, completion)
				compared += comparePercentiles(t, "read lat", want.Read.Lat, got.Read, total)
				compared += comparePercentiles(t, "write clat", want.Write.CLat, got.Write, completion)
				compared += comparePercentiles(t, "write lat", want.Write.Lat, got.Write, total)
				if compared == 0 {
					t.Errorf("nothing to compare: %s", run.Output)
				}
			})
		}
	}
}

func completion(d *Direction) *LatencyStats { return d.CompletionLatency }

func total(d *Direction) *LatencyStats { return d.Latency }

func comparePercentiles(t *testing.T, what string, want rawLatency, d *Direction, of func(*Direction) *LatencyStats) int {
	t.Helper()
	if want.N == 0 {
		if d != nil {
			t.Errorf("%s: a direction without I/O is %+v", what, d)
		}
		return 0
	}
	got := of(d)
	if got.Count != want.N || got.MinNanoseconds != want.Min || got.MaxNanoseconds != want.Max ||
		got.MeanNanoseconds != want.Mean || got.StddevNanoseconds != want.StdDev || got.Histogram.Count() != uint64(want.N) {
		t.Errorf("%s: %+v, want %+v", what, got, want)
	}
	for text, ns := range want.Percentile {
		p, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		if value := got.Histogram.Percentile(p); value != ns {
			t.Errorf("%s: percentile %s of %d is %d, fio says %d", what, text, want.N, value, ns)
		}
	}
	return len(want.Percentile)
}

// TestClonesAreMerged holds what is merged to the sums of what fio reports of each clone.
func TestClonesAreMerged(t *testing.T) {
	t.Parallel()
	output, run := measure(t, mustParse(t, "[a]\nrw=randrw\nsize=2M\nnumjobs=3\n[b]\nrw=read\nsize=1M\n"))
	report := raw(t, run.Output)
	if len(report.Jobs) != 4 || len(output.Groups) != 2 {
		t.Fatalf("%d jobs of fio, %d groups", len(report.Jobs), len(output.Groups))
	}
	var ios, bytes, runtime, jobs int64
	var sum, cpu float64
	h := &histogram.Histogram{}
	for _, job := range report.Jobs[:3] {
		ios += job.Write.TotalIOs
		bytes += job.Write.Bytes
		runtime = max(runtime, job.Write.Runtime)
		sum += job.Write.CLat.Mean * float64(job.Write.CLat.N)
		cpu += job.UserCPU * float64(job.JobRuntime)
		jobs += job.JobRuntime
		clone, err := histogram.FromBins(job.Write.CLat.Bins)
		if err != nil {
			t.Fatal(err)
		}
		h.Merge(clone)
	}
	a := output.Groups[0]
	if a.Jobs != 3 || a.Name != "a" || a.Write.IOs != ios || a.Write.Bytes != bytes || a.Write.RuntimeMilliseconds != runtime {
		t.Errorf("%+v, write %+v; want %d I/Os, %d bytes in %d ms", a, a.Write, ios, bytes, runtime)
	}
	near(t, "IOPS", a.Write.IOPS, float64(ios)*1000/float64(runtime))
	near(t, "bandwidth", a.Write.BytesPerSecond, float64(bytes)*1000/float64(runtime))
	near(t, "mean", a.Write.CompletionLatency.MeanNanoseconds, sum/float64(ios))
	near(t, "user CPU", a.UserCPUPercent, cpu/float64(jobs))
	if got := a.Write.CompletionLatency.Histogram; !got.Equal(h) || got.Count() != uint64(ios) {
		t.Errorf("histogram of %d, want %d", got.Count(), ios)
	}
	if b := output.Groups[1]; b.Name != "b" || b.Write != nil || b.ID != 0 || b.Jobs != 1 {
		t.Errorf("%+v", b)
	}
}

// TestRatesAreThoseOfFio also holds for what fio merged itself.
func TestRatesAreThoseOfFio(t *testing.T) {
	t.Parallel()
	output, run := measure(t, mustParse(t, "[a]\nrw=randrw\nsize=2M\nnumjobs=3\ngroup_reporting\n"))
	want, got := raw(t, run.Output).Jobs[0], output.Groups[0]
	near(t, "read IOPS", got.Read.IOPS, want.Read.IOPS)
	near(t, "write IOPS", got.Write.IOPS, want.Write.IOPS)
	if difference := got.Write.BytesPerSecond - want.Write.BW; difference < 0 || difference >= 1 {
		t.Errorf("%v B/s, fio says %v", got.Write.BytesPerSecond, want.Write.BW)
	}
	if got.ElapsedMilliseconds != max(want.Read.Runtime, want.Write.Runtime) || got.JobRuntimeMilliseconds != want.JobRuntime {
		t.Errorf("elapsed %d ms, in all %d ms", got.ElapsedMilliseconds, got.JobRuntimeMilliseconds)
	}
	if got.Options["rw"] != "randrw" || got.Options["directory"] == "" {
		t.Errorf("options %v", got.Options)
	}
}

// near compares what fio prints with six decimals.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-5*max(1, math.Abs(want)) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func TestPooledStatistics(t *testing.T) {
	samples := [][]float64{{1, 2, 3, 10}, {5}, {100, 7, 9}}
	stats := func(values []float64) *LatencyStats {
		mean, squares := 0.0, 0.0
		for _, v := range values {
			mean += v / float64(len(values))
		}
		for _, v := range values {
			squares += (v - mean) * (v - mean)
		}
		s := &LatencyStats{
			Count: int64(len(values)), MeanNanoseconds: mean,
			MinNanoseconds: int64(slices.Min(values)), MaxNanoseconds: int64(slices.Max(values)),
		}
		if len(values) > 1 {
			s.StddevNanoseconds = math.Sqrt(squares / float64(len(values)-1))
		}
		return s
	}
	var got *LatencyStats
	for _, sample := range samples {
		got = mergeLatencies(got, stats(sample))
	}
	want := stats(slices.Concat(samples...))
	near(t, "mean", got.MeanNanoseconds, want.MeanNanoseconds)
	near(t, "deviation", got.StddevNanoseconds, want.StddevNanoseconds)
	if got.Count != want.Count || got.MinNanoseconds != want.MinNanoseconds || got.MaxNanoseconds != want.MaxNanoseconds {
		t.Errorf("%+v, want %+v", got, want)
	}
	if mergeLatencies(nil, nil) != nil || mergeLatencies(want, nil) != want {
		t.Error("nothing adds something")
	}
}

// TestErrors runs fio into errors and holds what users are told to its own words.
func TestErrors(t *testing.T) {
	for name, tt := range map[string]struct {
		job       string
		directory string
		want      string
		result    bool
	}{
		"no space": {
			"[a]\nfilename=/dev/full\nrw=write\nsize=64k\nnumjobs=3\ngroup_reporting\n", "",
			"No space left on device", true,
		},
		"invalid argument": {
			"[a]\nrw=write\nbs=1000\ndirect=1\nsize=64k\nnumjobs=3\n", ".",
			"Invalid argument", true,
		},
		"no directory":   {"[a]\nrw=write\nsize=64k\n", "/nonexistent", "fio: /nonexistent is not a directory", false},
		"unknown option": {"[a]\nfrobnicate=1\n", ".", "Bad option <frobnicate", false},
		"no size":        {"[a]\nrw=write\nioengine=psync\n", ".", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := tt.job
			if tt.directory == "." {
				text = mustParse(t, text).On(fio.Volume{Directory: t.TempDir()}).String()
			} else if tt.directory != "" {
				text = mustParse(t, text).On(fio.Volume{Directory: tt.directory}).String()
			}
			run := fiorun.Run(t, text, "--output-format=normal,json+")
			output, err := Parse(run.Output)
			if (err == nil) != tt.result {
				t.Fatalf("result %t, want %t (%v)\n%s", err == nil, tt.result, err, run.Output)
			}
			words := ErrorText(run.Output, run.Stderr)
			if !strings.Contains(words, tt.want) {
				t.Errorf("ErrorText %q, want %q in it", words, tt.want)
			}
			if tt.result && tt.want != "" {
				if err := output.Err(); err == nil || !strings.Contains(err.Error(), tt.want) || run.Code == 0 {
					t.Errorf("Err %v, fio ended with %d", err, run.Code)
				}
			}
		})
	}
}

func TestErrPrefersTheFailedCall(t *testing.T) {
	o := &Output{
		Groups: []Group{{Name: "ok"}, {Name: "bad", Error: int(syscall.ENOSPC)}},
		Notes: []string{
			"a: (groupid=0, jobs=3): err=28 (file:io_u.c:1876, func=io_u error, error=No space left on device): pid=3936: Sat",
			"fio: io_u error on file /d/a: No space left on device: write offset=0, buflen=4096",
		},
	}
	if got, want := fmt.Sprint(o.Err()), "job bad: "+o.Notes[1]; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	o.Notes = o.Notes[:1]
	if got, want := fmt.Sprint(o.Err()), "job bad: err=28 (file:io_u.c:1876, func=io_u error, error=No space left on device)"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	o.Notes = nil
	if got, want := fmt.Sprint(o.Err()), "job bad: err=28 (no space left on device)"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestErrorText(t *testing.T) {
	clones := strings.Repeat("fio: pid=1, err=28/file:io_u.c:1876, func=io_u error, error=No space left on device\n", 3)
	clones += "fio: pid=22, err=28/file:io_u.c:1876, func=io_u error, error=No space left on device\n"
	many := ""
	for i := range 100 {
		many += fmt.Sprintf("fio: problem %c%s\n", 'a'+i%26, strings.Repeat("\u00e9", 300))
	}
	for name, tt := range map[string]struct{ output, stderr, want string }{
		"nothing":          {"", "", ""},
		"clones":           {clones, clones, "fio: pid=1, err=28/file:io_u.c:1876, func=io_u error, error=No space left on device"},
		"report is left":   {"fio-3.33\nStarting 1 process\nJobs: 1 (f=1)\n{\n\"jobs\" : []\n}\n\na: (groupid=0, jobs=1): err= 0: pid=1\n  read: IOPS=1\n", "", ""},
		"both":             {"fio: a\n", "fio: b\n", "fio: a\nfio: b"},
		"incomplete JSON":  {"{\n  \"jobs\" : [\nfio: a\n", "", "fio: a"},
		"invalid UTF-8":    {"fio: \xff\x00b\n", "", "fio: ? b"},
		"note on engines":  {"note: both iodepth >= 1 and synchronous I/O engine are selected\n", "", "note: both iodepth >= 1 and synchronous I/O engine are selected"},
		"Windows line end": {"fio-3.33\r\nfio: a\r\n", "", "fio: a"},
	} {
		if diff := cmp.Diff(tt.want, ErrorText([]byte(tt.output), []byte(tt.stderr))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	got := ErrorText([]byte(many), nil)
	if len(got) > maxErrorBytes || !utf8.ValidString(got) || !strings.HasSuffix(got, "...") {
		t.Errorf("%d bytes: %q", len(got), got)
	}
}

// TestInterrupted shows what SIGTERM leaves: a result that looks fine, so that callers must check more.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	// The file is as long as what was written, so it tells when I/O has begun.
	job := mustParse(t, "[a]\nrw=write\nsize=1M\ntime_based\nruntime=30\nrate_iops=100\nfallocate=none\ncreate_on_open=1\n").On(fio.Volume{Directory: directory})
	process, wait := fiorun.Start(t, job.String(), "--output-format=normal,json+")
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if info, err := os.Stat(filepath.Join(directory, "a.0.0")); err == nil && info.Size() > 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("fio has written nothing")
		}
	}
	if err := process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	run := wait()
	output, err := Parse(run.Output)
	if err != nil {
		t.Fatal(err)
	}
	if err := output.Err(); err != nil || run.Code != 128 || output.Groups[0].ElapsedMilliseconds > 20_000 {
		t.Errorf("%v, fio ended with %d after %d ms", err, run.Code, output.Groups[0].ElapsedMilliseconds)
	}
	if !slices.Contains(output.Notes, "fio: terminating on signal 15") {
		t.Errorf("notes %q", output.Notes)
	}
}

func TestWithoutLatency(t *testing.T) {
	t.Parallel()
	output, _ := measure(t, mustParse(t, "[a]\nrw=read\nsize=1M\ngtod_reduce=1\n"))
	read := output.Groups[0].Read
	if read == nil || read.IOs != 256 || read.Latency != nil || read.CompletionLatency != nil {
		t.Errorf("%+v", read)
	}
}

// TestTheLastReportCounts lets fio make a report every second.
func TestTheLastReportCounts(t *testing.T) {
	t.Parallel()
	output, run := measure(t, mustParse(t, "[a]\nrw=read\nsize=64k\ntime_based\nruntime=1500ms\nrate_iops=100\n"), "--status-interval=500ms")
	documents, _ := splitDocuments(run.Output)
	if len(documents) < 2 {
		t.Fatalf("%d documents", len(documents))
	}
	if elapsed := output.Groups[0].ElapsedMilliseconds; elapsed < 1400 {
		t.Errorf("%d ms", elapsed)
	}
}

// withValue leaves out the options without a value, which old versions of fio do not report.
func withValue(options map[string]string) map[string]string {
	kept := maps.Clone(options)
	maps.DeleteFunc(kept, func(_, value string) bool { return value == "" })
	return kept
}

func TestParseOutputShapes(t *testing.T) {
	job := func(rest string) string {
		return "{\n  \"fio version\" : \"fio-3.33\",\n  \"jobs\" : [\n    {\n      \"jobname\" : \"a\",\n      \"groupid\" : 0,\n" +
			"      \"error\" : 0,\n      \"read\" : {\n        \"io_bytes\" : 4096,\n        \"total_ios\" : 1,\n        \"runtime\" : 1000" + rest + "\n      }\n    }\n  ]\n}\n"
	}
	good := job("")
	lat := func(stats string) string { return job(",\n        \"clat_ns\" : {" + stats + "}") }
	for name, tt := range map[string]struct {
		text  string
		ios   int64
		notes []string
	}{
		"json only":                     {good, 1, nil},
		"text before and after":         {"fio: before\n" + good + "fio: after\n\na: (groupid=0, jobs=1): err= 0: pid=1: Sat\n  read: x\n", 1, []string{"fio: before", "fio: after"}},
		"the last counts":               {strings.Replace(good, `"total_ios" : 1`, `"total_ios" : 5`, 1) + good, 1, nil},
		"the last complete counts":      {good + strings.TrimSuffix(strings.Replace(good, `"total_ios" : 1`, `"total_ios" : 5`, 1), "}\n"), 1, nil},
		"incomplete, then complete":     {strings.TrimSuffix(good, "}\n") + good, 1, nil},
		"note in the middle":            {strings.Replace(good, "  \"jobs\"", "fio: pid=1, {err=5}\n  \"jobs\"", 1), 1, []string{"fio: pid=1, {err=5}"}},
		"nan":                           {lat(`"N" : 1, "mean" : nan, "stddev" : -nan`), 1, nil},
		"inf":                           {lat(`"N" : 1, "mean" : inf, "stddev" : -inf`), 1, nil},
		"exponent":                      {lat(`"N" : 1, "mean" : 1.5e3, "min" : 1e3, "max" : 2e3`), 1, nil},
		"brackets and quotes in values": {strings.Replace(good, `"a"`, `"a}\"{["`, 1), 1, nil},
		"a byte order mark":             {"\ufeff" + strings.Join(strings.Fields(good), " "), 1, nil},
		"a job without jobs":            {strings.Replace(good, "\"jobs\" : [", "\"jobs\" : [ {\"jobname\" : \"\", \"groupid\" : 4294967295},", 1), 1, nil},
	} {
		t.Run(name, func(t *testing.T) {
			output, err := Parse([]byte(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			if output.Version != "fio-3.33" || len(output.Groups) != 1 || output.Groups[0].Read.IOs != tt.ios {
				t.Errorf("%+v", output)
			}
			if diff := cmp.Diff(tt.notes, output.Notes); diff != "" {
				t.Error(diff)
			}
		})
	}
	for name, tt := range map[string]struct{ text, want string }{
		"nothing":           {"", "fio gave no result"},
		"words only":        {"fio: /x is not a directory\n", "fio gave no result: fio: /x is not a directory"},
		"cut":               {good[:len(good)/2], "fio gave no result"},
		"fio 2.1":           {strings.Replace(good, "fio-3.33", "fio-2.1.11", 1), "fio-2.1.11 is too old: use fio 3.0 or later, or give the output of fio 2.14 or later"},
		"no jobs":           {"{\n  \"jobs\" : []\n}\n", "has no jobs"},
		"mixed":             {strings.Replace(good, `"read"`, `"mixed"`, 1), "remove unified_rw_reporting"},
		"no such bucket":    {lat(`"N" : 1, "bins" : {"128" : 1}`), "128 ns is not the value"},
		"negative count":    {lat(`"N" : 1, "bins" : {"129" : -1}`), "-1 I/Os"},
		"text for a number": {lat(`"N" : "x"`), "where fio prints a number"},
		"jobs is no list":   {"{\n \"jobs\" : 1\n}\n", "fio's JSON"},
		"number too large":  {lat(`"mean" : 1e999`), "where fio prints a number"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse([]byte(tt.text))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q in it", err, tt.want)
			}
		})
	}
}

// Before 3.18 fio does not tell how many latencies it took, and of those without bins nothing else does. Where it took none, all are 0.
func TestLatenciesWithoutACount(t *testing.T) {
	for name, test := range map[string]struct {
		lat  string
		want *LatencyStats
	}{
		"some": {`"min" : 5, "max" : 9, "mean" : 7.0, "stddev" : 1.0`, &LatencyStats{Count: 3, MinNanoseconds: 5, MaxNanoseconds: 9, MeanNanoseconds: 7, StddevNanoseconds: 1}},
		"none": {`"min" : 0, "max" : 0, "mean" : 0.0, "stddev" : 0.0`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			text := `{"fio version" : "fio-3.5", "jobs" : [{"jobname" : "a", "groupid" : 0, "read" : {"io_bytes" : 12288, "total_ios" : 3, "runtime" : 1000, "lat_ns" : {` + test.lat + `}}}]}`
			output, err := Parse([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, output.Groups[0].Read.Latency); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	text := `{"fio version" : "fio-3.5", "jobs" : [{"jobname" : "a", "groupid" : 0, "read" : {"total_ios" : 3, "lat_ns" : {"min" : 9, "max" : 5}}}]}`
	if _, err := Parse([]byte(text)); err == nil {
		t.Error("a latency from 9 to 5 is taken")
	}
}

// TestVersions reads output of several versions of fio; testdata/README.md says how it was made.
func TestVersions(t *testing.T) {
	files, err := filepath.Glob("testdata/fio-*.json")
	if err != nil || len(files) < 4 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(file, func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			output, err := Parse(data)
			if err != nil {
				t.Fatal(err)
			}
			version := regexp.MustCompile(`fio-3\.\d+`).FindString(file)
			if output.Version != version {
				t.Errorf("version %s, want %s", output.Version, version)
			}
			want, a := raw(t, data).Jobs[0], output.Groups[0]
			if len(output.Groups) != 2 || a.Name != "mixed" || output.Groups[1].Name != "write" || output.Groups[1].Read != nil {
				t.Errorf("%+v", output.Groups)
			}
			if comparePercentiles(t, "read", want.Read.CLat, a.Read, completion)+comparePercentiles(t, "write", want.Write.CLat, a.Write, completion) == 0 {
				t.Error("no percentiles")
			}
			minor, _ := strconv.Atoi(strings.TrimPrefix(version, "fio-3."))
			if knows := minor >= 36; (a.JobStart > 1_700_000_000_000) != knows {
				t.Errorf("job_start %d", a.JobStart)
			}
			if diff := cmp.Diff(map[string]string{"bs": "4k", "directory": "/tmp/data", "numjobs": "2", "rw": "randrw", "size": "256k"}, withValue(a.Options)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Asynchronous engines tell how long submissions took, of clones together and in the units of old versions, and synchronous ones do not.
func TestSubmissionLatency(t *testing.T) {
	const job = `{"jobname": "a", "groupid": 0, "error": 0, "job options": {}, "read": {"io_bytes": 8192, "total_ios": %d, "runtime": 1000, "iops": 2, %s}}`
	output := func(version string, jobs ...string) []byte {
		return []byte(`{"fio version": "` + version + `", "jobs": [` + strings.Join(jobs, ",") + "]}")
	}
	for name, test := range map[string]struct {
		data  []byte
		count int64 // 0: there are none
		mean  float64
	}{
		"one":                  {output("fio-3.39", fmt.Sprintf(job, 2, `"slat_ns": {"N": 2, "min": 1, "max": 3, "mean": 2.5}`)), 2, 2.5},
		"a synchronous engine": {output("fio-3.39", fmt.Sprintf(job, 2, `"slat_ns": {"N": 0, "min": 0, "max": 0, "mean": 0}`)), 0, 0},
		"before fio 3.18":      {output("fio-3.1", fmt.Sprintf(job, 2, `"slat_ns": {"min": 1, "max": 3, "mean": 2.5}`)), 2, 2.5},
		"fio 2":                {output("fio-2.14", fmt.Sprintf(job, 2, `"slat": {"min": 1, "max": 3, "mean": 2.5}`)), 2, 2500},
		"clones": {output("fio-3.39", fmt.Sprintf(job, 1, `"slat_ns": {"N": 1, "min": 1, "max": 1, "mean": 1}`),
			fmt.Sprintf(job, 3, `"slat_ns": {"N": 3, "min": 5, "max": 5, "mean": 5}`)), 4, 4},
	} {
		got, err := Parse(test.data)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		s := got.Groups[0].Read.SubmissionLatency
		if (s != nil) != (test.count > 0) || s != nil && (s.Count != test.count || s.MeanNanoseconds != test.mean) {
			t.Errorf("%s: %+v", name, s)
		}
	}
	if _, err := Parse(output("fio-3.39", fmt.Sprintf(job, 2, `"slat_ns": {"N": 2, "min": 1, "max": 3, "mean": -2}`))); err == nil || !strings.Contains(err.Error(), "slat_ns: mean") {
		t.Errorf("a submission of less than no time: %v", err)
	}
}

// Package clientserver holds what internal/merge makes of the reports of several clients to what fio itself says of
// "All clients", where one fio has its servers run the same job and merges their results.
package clientserver

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/fiodigest"
	"github.com/storagebench/storagebench/internal/histogram"
	"github.com/storagebench/storagebench/internal/merge"
)

var update = flag.Bool("update", false, "write testdata from what fio says now")

const golden = "testdata/fio-3.39.json"

// settings are those of all jobs. Threads end with the process that a server makes for its client.
const settings = "[global]\nthread=1\nfallocate=none\n[job]\n"

// TestAllClients has servers run jobs at the same time.
func TestAllClients(t *testing.T) {
	for name, jobs := range map[string][]string{
		"time": {
			"rw=randrw\nbssplit=512/30:4k/50:64k/20\nsize=4M\nnumjobs=3\ngroup_reporting\ntime_based\nruntime=2\n",
			"rw=randrw\nbssplit=512/30:4k/50:64k/20\nsize=4M\nnumjobs=3\ngroup_reporting\ntime_based\nruntime=2\n",
		},
		"size": {
			"rw=randrw\nbs=4k\nsize=4M\n",
			"rw=randrw\nbs=4k\nsize=8M\n",
			"rw=randrw\nbs=4k\nsize=16M\n",
		},
		"clones": {
			"rw=randwrite\nbs=8k\nsize=16M\nnumjobs=3\n",
			"rw=randwrite\nbs=16k\nsize=16M\nnumjobs=2\n",
		},
		"different rates": {
			"rw=randread\nbs=4k\nsize=2M\ntime_based\nruntime=2\nrate_iops=1000\n",
			"rw=randread\nbs=4k\nsize=2M\ntime_based\nruntime=3\nrate_iops=50\n",
		},
		"different directions": {
			"rw=randread\nbs=4k\nsize=4M\n",
			"rw=randwrite\nbs=4k\nsize=4M\n",
			"rw=randrw\nbs=4k\nsize=4M\n",
		},
		"syncs": {
			"rw=write\nbs=2300\nsize=230000\nfdatasync=1\n",
			"rw=write\nbs=2300\nsize=115000\nfsync=2\nnumjobs=2\n",
		},
		"syncs of one of two": {
			"rw=write\nbs=2300\nsize=230000\nfdatasync=1\n",
			"rw=write\nbs=2300\nsize=230000\n",
		},
		"trims": {
			"ioengine=null\nrw=trimwrite\nbs=4k\nsize=256M\n",
			"ioengine=null\nrw=randtrim\nbs=4k\nsize=256M\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var files []string
			for _, job := range jobs {
				files = append(files, settings+job)
			}
			found := parse(t, runClients(t, files))
			if len(found.clients) != len(jobs) {
				t.Fatalf("%d clients, want %d", len(found.clients), len(jobs))
			}
			found.compare(t)
		})
	}
}

// TestAllClientsOfGolden does the same with what a fio has said before. Flag -update has it said anew.
func TestAllClientsOfGolden(t *testing.T) {
	if *update {
		job := settings + "rw=randrw\nbs=4k\nsize=1M\ngroup_reporting\nnumjobs=2\ntime_based\nruntime=1\nrate_iops=400,200\n"
		data := parse(t, runClients(t, []string{job, job, job})).anonymous(t)
		if err := os.MkdirAll(filepath.Dir(golden), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	found := parse(t, data)
	if len(found.clients) != 3 {
		t.Fatalf("%d clients, want 3", len(found.clients))
	}
	found.compare(t)
}

// output is what fio says of its clients: the entries of each, and the one of all of them.
type output struct {
	version string
	clients [][]json.RawMessage
	all     entry
	entries []json.RawMessage
}

// entry is an entry of client_stats.
type entry struct {
	Name  string   `json:"jobname"`
	Host  string   `json:"hostname"`
	Port  int      `json:"port"`
	Read  ioFigure `json:"read"`
	Write ioFigure `json:"write"`
	Trim  ioFigure `json:"trim"`
	Sync  struct {
		Latency latency `json:"lat_ns"`
	} `json:"sync"`
	User   float64 `json:"usr_cpu"`
	System float64 `json:"sys_cpu"`
}

type ioFigure struct {
	IOs        int64   `json:"total_ios"`
	Bytes      int64   `json:"io_bytes"`
	Short      int64   `json:"short_ios"`
	Dropped    int64   `json:"drop_ios"`
	IOPS       float64 `json:"iops"`
	Bandwidth  int64   `json:"bw_bytes"`
	Runtime    int64   `json:"runtime"`
	Latency    latency `json:"lat_ns"`
	Completion latency `json:"clat_ns"`
}

type latency struct {
	N          int64             `json:"N"`
	Min        int64             `json:"min"`
	Max        int64             `json:"max"`
	Mean       float64           `json:"mean"`
	Stddev     float64           `json:"stddev"`
	Percentile map[string]uint64 `json:"percentile"`
	Bins       map[uint64]uint64 `json:"bins"`
}

// parse takes fio's output apart, which has lines of the servers around its JSON.
func parse(t *testing.T, data []byte) output {
	t.Helper()
	from := max(bytes.Index(data, []byte("\n{"))+1, 0)
	var document struct {
		Version string            `json:"fio version"`
		Stats   []json.RawMessage `json:"client_stats"`
	}
	if err := json.NewDecoder(bytes.NewReader(data[from:])).Decode(&document); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	found := output{version: document.Version, entries: document.Stats}
	index := map[string]int{}
	for _, raw := range document.Stats {
		var e entry
		if err := json.Unmarshal(raw, &e); err != nil {
			t.Fatal(err)
		}
		if e.Name == "All clients" {
			found.all = e
			continue
		}
		client := fmt.Sprintf("%s,%d", e.Host, e.Port)
		at, known := index[client]
		if !known {
			at, index[client] = len(found.clients), len(found.clients)
			found.clients = append(found.clients, nil)
		}
		found.clients[at] = append(found.clients[at], raw)
	}
	if found.all.Name == "" {
		t.Fatalf("fio says nothing of all clients: %s", data)
	}
	return found
}

// reports returns what the runners of the clients would have reported, after its way through a termination message.
func (o output) reports(t *testing.T) []*digest.Report {
	t.Helper()
	reports := make([]*digest.Report, len(o.clients))
	for i, jobs := range o.clients {
		data, err := json.Marshal(map[string]any{"fio version": o.version, "jobs": jobs})
		if err != nil {
			t.Fatal(err)
		}
		report, err := fiodigest.Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		message, err := digest.Encode(*report)
		if err != nil {
			t.Fatal(err)
		}
		if reports[i], err = digest.Decode(message); err != nil {
			t.Fatal(err)
		}
	}
	return reports
}

// compare holds what is merged of the clients to what fio says of all.
func (o output) compare(t *testing.T) {
	t.Helper()
	reports := o.reports(t)
	merged, err := merge.Reports(reports)
	if err != nil {
		t.Fatal(err)
	}
	if len(merged.Report.Groups) != 1 || merged.Report.Coarsening != 0 || merged.Report.FioVersion != o.version {
		t.Fatalf("%+v", merged.Report)
	}
	group, differ := &merged.Report.Groups[0], &merged.Groups[0]
	if skew := differ.StartSkewMilliseconds; group.JobStart == 0 || skew == nil || *skew < 0 {
		t.Errorf("start %d, skew %v", group.JobStart, skew)
	}
	compared := 0
	for operation, want := range map[string]*ioFigure{
		v1alpha1.OperationRead: &o.all.Read, v1alpha1.OperationWrite: &o.all.Write, v1alpha1.OperationTrim: &o.all.Trim,
	} {
		compared += compareDirection(t, want, reports, group.Of(operation), operation)
	}
	compareSyncs(t, &o.all.Sync.Latency, group.Of(v1alpha1.OperationSync))
	if compared == 0 {
		t.Error("no percentile was compared")
	}
	if want := max(o.all.Read.Runtime, o.all.Write.Runtime, o.all.Trim.Runtime); group.ElapsedMilliseconds != want {
		t.Errorf("elapsed %d ms, fio says %d", group.ElapsedMilliseconds, want)
	}
	compareShare(t, "user", o.all.User, group.UserPercent, reports, func(g *digest.Group) int64 { return g.UserPercent })
	compareShare(t, "system", o.all.System, group.SystemPercent, reports, func(g *digest.Group) int64 { return g.SystemPercent })
}

// compareShare compares shares of CPU time. fio weighs them with the time of all jobs, set-up included, which a report
// does not carry; so both only lie between those of the clients, which are rounded.
func compareShare(t *testing.T, what string, want float64, got int64, reports []*digest.Report, of func(*digest.Group) int64) {
	t.Helper()
	lowest, highest := int64(math.MaxInt64), int64(0)
	for _, r := range reports {
		lowest, highest = min(lowest, of(&r.Groups[0])), max(highest, of(&r.Groups[0]))
	}
	if got < lowest || got > highest || want < float64(lowest)-0.5 || want > float64(highest)+0.5 {
		t.Errorf("%s CPU %d %%, fio says %v; the clients' are %d to %d", what, got, want, lowest, highest)
	}
}

// compareDirection returns the number of percentiles that it has compared.
func compareDirection(t *testing.T, want *ioFigure, reports []*digest.Report, got *digest.Figures, what string) int {
	t.Helper()
	if got == nil {
		if want.IOs != 0 {
			t.Errorf("%s: nothing, fio says %d I/Os", what, want.IOs)
		}
		return 0
	}
	if got.Count != want.IOs || got.Bytes != want.Bytes || got.ShortIOs != want.Short || got.DroppedIOs != want.Dropped {
		t.Errorf("%s: %+v, fio says %+v", what, got, want)
	}
	compareLatency(t, what, &want.Latency, got)
	compareRates(t, want, reports, got, what)
	return compareCompletion(t, what, &want.Completion, got)
}

// compareLatency compares exactly, but for figures that are rounded for each client.
func compareLatency(t *testing.T, what string, want *latency, got *digest.Figures) {
	t.Helper()
	l := got.Latency
	if got.LatencyCount != want.N || math.Abs(float64(l.MeanNanoseconds)-want.Mean) > 1 || math.Abs(float64(l.StddevNanoseconds)-want.Stddev) > 1 {
		t.Errorf("%s: latency %+v of %d, fio says %+v", what, l, got.LatencyCount, want)
	}
}

func compareSyncs(t *testing.T, want *latency, got *digest.Figures) {
	t.Helper()
	if got == nil || want.N == 0 {
		if got != nil || want.N != 0 {
			t.Errorf("syncs: %+v, fio says %+v", got, want)
		}
		return
	}
	compareLatency(t, "sync", want, got)
	if compareCompletion(t, "sync", want, got) == 0 {
		t.Error("syncs: no percentile was compared")
	}
}

// compareRates holds the sum of the clients' rates to fio's rate, which is that of all I/Os over the longest run time:
// where all ran equally long they are the same, and else fio's is less, but not by more than the times differ.
func compareRates(t *testing.T, want *ioFigure, reports []*digest.Report, got *digest.Figures, what string) {
	t.Helper()
	shortest, sum, bandwidth := math.Inf(1), int64(0), int64(0)
	for _, r := range reports {
		own := r.Groups[0].Of(what)
		if own == nil {
			continue
		}
		sum, bandwidth = sum+own.MilliIOPS, bandwidth+own.BytesPerSecond
		shortest = min(shortest, float64(own.Count)*1e6/float64(own.MilliIOPS))
	}
	if got.MilliIOPS != sum || got.BytesPerSecond != bandwidth {
		t.Errorf("%s: %d mIOPS and %d B/s, the clients' sums are %d and %d", what, got.MilliIOPS, got.BytesPerSecond, sum, bandwidth)
	}
	// Of each client the rates are rounded; fio cuts off its bandwidth.
	rounding, longer := float64(len(reports)), float64(want.Runtime)/math.Floor(shortest+0.5)
	if iops := float64(got.MilliIOPS); iops < want.IOPS*1000-rounding || iops > want.IOPS*1000*longer+rounding {
		t.Errorf("%s: %v mIOPS, fio says %v IOPS over a time up to %v as long", what, iops, want.IOPS, longer)
	}
	if rate := float64(got.BytesPerSecond); rate < float64(want.Bandwidth)-rounding || rate > float64(want.Bandwidth+1)*longer+rounding {
		t.Errorf("%s: %v B/s, fio says %d over a time up to %v as long", what, rate, want.Bandwidth, longer)
	}
}

// compareCompletion compares exactly: histograms, and every percentile that fio says of them.
func compareCompletion(t *testing.T, what string, want *latency, got *digest.Figures) int {
	t.Helper()
	d := got.CompletionLatency
	if d == nil || got.Histogram == nil {
		t.Errorf("%s: no completion latency", what)
		return 0
	}
	if d.MinNanoseconds != want.Min || d.MaxNanoseconds != want.Max || got.Histogram.Count() != uint64(want.N) {
		t.Errorf("%s: %d completed in %d to %d ns, fio says %+v", what, got.Histogram.Count(), d.MinNanoseconds, d.MaxNanoseconds, want)
	}
	if all, err := histogram.FromBins(want.Bins); err != nil || !got.Histogram.Equal(all) {
		t.Errorf("%s: another histogram than fio's (%v)", what, err)
	}
	for text, ns := range want.Percentile {
		p, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		if value := got.Histogram.Percentile(p); value != ns {
			t.Errorf("%s: percentile %s of %d is %d, fio says %d", what, text, want.N, value, ns)
		}
		if i := slices.Index(digest.Percentiles[:], p); i >= 0 && *d.Percentiles()[i] != int64(ns) {
			t.Errorf("%s: percentile %s is reported as %d, fio says %d", what, text, *d.Percentiles()[i], ns)
		}
	}
	return len(want.Percentile)
}

// anonymous returns the document with what is compared only, so without the machine's name and disks.
func (o output) anonymous(t *testing.T) []byte {
	t.Helper()
	kept := []string{"jobname", "groupid", "job_start", "job_runtime", "port", "read", "write", "trim", "sync", "usr_cpu", "sys_cpu"}
	var stats []map[string]json.RawMessage
	names := map[string]string{}
	for _, raw := range o.entries {
		var all map[string]json.RawMessage
		if err := json.Unmarshal(raw, &all); err != nil {
			t.Fatal(err)
		}
		host := string(all["hostname"])
		if names[host] == "" {
			names[host] = fmt.Sprintf("%q", fmt.Sprintf("client-%d", len(names)))
		}
		e := map[string]json.RawMessage{"hostname": json.RawMessage(names[host])}
		for _, key := range kept {
			e[key] = all[key]
		}
		stats = append(stats, e)
	}
	data, err := json.Marshal(map[string]any{"fio version": o.version, "client_stats": stats})
	if err != nil {
		t.Fatal(err)
	}
	return append(data, '\n')
}

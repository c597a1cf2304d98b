package fiooutput

import (
	"encoding/json"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/storagebench/storagebench/internal/histogram"
)

// recordedSync is what fio says of the syncs of a job.
type recordedSync struct {
	Name string `json:"jobname"`
	Sync struct {
		Latency rawLatency `json:"lat_ns"`
	} `json:"sync"`
}

// TestSyncsOfVersions holds what is read of recorded outputs to what they say: of each job alone, of clones that fio tells apart,
// and of those that fio has merged.
func TestSyncsOfVersions(t *testing.T) {
	for _, version := range []string{"3.33", "3.39"} {
		t.Run(version, func(t *testing.T) {
			data, err := os.ReadFile("testdata/sync-" + version + ".json")
			if err != nil {
				t.Fatal(err)
			}
			output, err := Parse(data)
			if err != nil {
				t.Fatal(err)
			}
			var recorded struct{ Jobs []recordedSync }
			if err := json.Unmarshal(data, &recorded); err != nil {
				t.Fatal(err)
			}
			if len(output.Groups) != 3 || len(recorded.Jobs) != 4 {
				t.Fatalf("%d groups of %d jobs", len(output.Groups), len(recorded.Jobs))
			}
			for i, jobs := range [][]recordedSync{recorded.Jobs[:1], recorded.Jobs[1:3], recorded.Jobs[3:]} {
				checkSyncs(t, output.Groups[i].Sync, jobs)
			}
		})
	}
}

// checkSyncs holds syncs to the jobs that they are of.
func checkSyncs(t *testing.T, got *LatencyStats, jobs []recordedSync) {
	t.Helper()
	if got == nil || got.Histogram == nil {
		t.Fatalf("%s: %+v", jobs[0].Name, got)
	}
	want := rawLatency{Min: math.MaxInt64}
	all, sum := &histogram.Histogram{}, 0.0
	for _, job := range jobs {
		own := job.Sync.Latency
		want.N, want.Min, want.Max, sum = want.N+own.N, min(want.Min, own.Min), max(want.Max, own.Max), sum+own.Mean*float64(own.N)
		bins, err := histogram.FromBins(own.Bins)
		if err != nil {
			t.Fatal(err)
		}
		all.Merge(bins)
	}
	if got.Count != want.N || got.MinNanoseconds != want.Min || got.MaxNanoseconds != want.Max || !got.Histogram.Equal(all) {
		t.Errorf("%s: %+v, fio says %+v", jobs[0].Name, got, want)
	}
	near(t, jobs[0].Name+": mean", got.MeanNanoseconds, sum/float64(want.N))
	if len(jobs) > 1 {
		return
	}
	compared := 0
	for text, ns := range jobs[0].Sync.Latency.Percentile {
		p, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		if value := got.Histogram.Percentile(p); value != ns {
			t.Errorf("%s: percentile %s is %d, fio says %d", jobs[0].Name, text, value, ns)
		}
		compared++
	}
	if compared < 10 {
		t.Errorf("%s: %d percentiles", jobs[0].Name, compared)
	}
}

// TestSyncsOfFio holds what is read of this machine's fio to what it says.
func TestSyncsOfFio(t *testing.T) {
	t.Parallel()
	_, run := measure(t, mustParse(t, "[a]\nrw=write\nbs=2300\nsize=115000\nfdatasync=1\n[b]\nstonewall\nrw=write\nbs=4k\nsize=64k\nfsync=4\n[c]\nstonewall\nrw=write\nbs=4k\nsize=64k\nend_fsync=1\n"))
	output, err := Parse(run.Output)
	if err != nil {
		t.Fatal(err)
	}
	var recorded struct{ Jobs []recordedSync }
	documents, _ := splitDocuments(run.Output)
	if err := json.Unmarshal(documents[0], &recorded); err != nil {
		t.Fatal(err)
	}
	for i := range recorded.Jobs[:2] {
		checkSyncs(t, output.Groups[i].Sync, recorded.Jobs[i:i+1])
	}
	if s := output.Groups[2].Sync; s != nil {
		t.Errorf("syncs at the end of a job: %+v", s)
	}
}

// TestSyncShapes: what other versions and options of fio leave out.
func TestSyncShapes(t *testing.T) {
	for name, test := range map[string]struct {
		sync  string
		count int64
		bins  bool
		err   string
	}{
		"none, as before 3.4":          {sync: ``},
		"no calls":                     {sync: `, "sync": {"total_ios": 0, "lat_ns": {"min": 0, "max": 0, "mean": 0.0, "stddev": 0.0, "N": 0}}`},
		"no latencies (disable_clat)":  {sync: `, "sync": {"total_ios": 7, "lat_ns": {"min": 0, "max": 0, "mean": 0.0, "stddev": 0.0, "N": 0}}`},
		"no count, as before 3.18":     {sync: `, "sync": {"total_ios": 0, "lat_ns": {"min": 5, "max": 7, "mean": 6.0, "stddev": 1.0, "bins": {"5": 1, "7": 2}}}`, count: 3, bins: true},
		"no bins (clat_percentiles=0)": {sync: `, "sync": {"total_ios": 0, "lat_ns": {"min": 5, "max": 7, "mean": 6.0, "stddev": 1.0, "N": 2}}`, count: 2},
		"negative mean":                {sync: `, "sync": {"lat_ns": {"min": 5, "max": 7, "mean": -6.0, "N": 2}}`, err: "sync lat_ns: mean of -6"},
		"no bucket":                    {sync: `, "sync": {"lat_ns": {"min": 5, "max": 7, "mean": 6.0, "N": 2, "bins": {"128": 2}}}`, err: "latency of syncs"},
	} {
		t.Run(name, func(t *testing.T) {
			output, err := Parse([]byte("{\n \"fio version\": \"fio-3.33\", \"jobs\": [{\"jobname\": \"a\", \"write\": {\"total_ios\": 1, \"io_bytes\": 1, \"runtime\": 1}" + test.sync + "}]\n}\n"))
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("error %v, want one with %q", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := output.Groups[0].Sync
			if (got != nil) != (test.count > 0) || got != nil && (got.Count != test.count || (got.Histogram != nil) != test.bins) {
				t.Errorf("%+v, want %d", got, test.count)
			}
		})
	}
}

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

// recordedMetadata is what fio says of a job of metadata: as of one that reads, or of one that writes.
type recordedMetadata struct {
	Name        string `json:"jobname"`
	Read, Write struct {
		Runtime  int64      `json:"runtime"`
		IOs      int64      `json:"total_ios"`
		Complete rawLatency `json:"clat_ns"`
	}
}

// operations returns what it says, wherever it does, and the run time.
func (r *recordedMetadata) operations() (rawLatency, int64) {
	if r.Write.Complete.N > 0 {
		return r.Write.Complete, r.Write.Runtime
	}
	return r.Read.Complete, r.Read.Runtime
}

// TestMetadataOfVersions holds what is read of recorded outputs to what they say, engine by engine (testdata/README.md).
func TestMetadataOfVersions(t *testing.T) {
	for version, engines := range map[string]int{"3.33": 3, "3.39": 6} {
		t.Run(version, func(t *testing.T) {
			data, err := os.ReadFile("testdata/metadata-" + version + ".json")
			if err != nil {
				t.Fatal(err)
			}
			checkMetadata(t, data, engines)
		})
	}
}

// TestMetadataOfFio holds what is read of this machine's fio to what it says.
func TestMetadataOfFio(t *testing.T) {
	t.Parallel()
	_, run := measure(t, mustParse(t, "[global]\nfilesize=4k\nnrfiles=64\n[filecreate]\nioengine=filecreate\nrw=write\nnumjobs=2\ngroup_reporting\nstonewall\n"+
		"[filestat]\nioengine=filestat\nstonewall\n[filedelete]\nioengine=filedelete\nunlink=0\nstonewall\n"))
	documents, _ := splitDocuments(run.Output)
	checkMetadata(t, documents[0], 3)
}

// checkMetadata holds what is read of jobs of metadata to what fio says of each.
func checkMetadata(t *testing.T, document []byte, jobs int) {
	t.Helper()
	output, err := Parse(document)
	if err != nil {
		t.Fatal(err)
	}
	var recorded struct{ Jobs []recordedMetadata }
	if err := json.Unmarshal(document, &recorded); err != nil {
		t.Fatal(err)
	}
	if len(output.Groups) != jobs || len(recorded.Jobs) != jobs {
		t.Fatalf("%d groups of %d jobs, want %d", len(output.Groups), len(recorded.Jobs), jobs)
	}
	for i := range recorded.Jobs {
		g, name := &output.Groups[i], recorded.Jobs[i].Name
		if g.Read != nil || g.Write != nil || g.Trim != nil || g.Sync != nil || g.Metadata == nil || g.Metadata.CompletionLatency.Histogram == nil {
			t.Fatalf("%s: %+v", name, g)
		}
		want, milliseconds := recorded.Jobs[i].operations()
		m := g.Metadata
		all, err := histogram.FromBins(want.Bins)
		if err != nil {
			t.Fatal(err)
		}
		if m.CompletionLatency.Count != want.N || want.N < 64 || m.CompletionLatency.MinNanoseconds != want.Min || m.CompletionLatency.MaxNanoseconds != want.Max || !m.CompletionLatency.Histogram.Equal(all) {
			t.Errorf("%s: %+v, fio says %+v", name, m.CompletionLatency, want)
		}
		near(t, name+": mean", m.CompletionLatency.MeanNanoseconds, want.Mean)
		near(t, name+": rate", m.IOPS, float64(want.N)*1000/math.Max(float64(milliseconds), 1))
		if m.RuntimeMilliseconds != milliseconds || g.ElapsedMilliseconds != milliseconds {
			t.Errorf("%s: %d ms, elapsed %d, fio says %d", name, m.RuntimeMilliseconds, g.ElapsedMilliseconds, milliseconds)
		}
		for text, ns := range want.Percentile {
			if p, err := strconv.ParseFloat(text, 64); err != nil || m.CompletionLatency.Histogram.Percentile(p) != ns {
				t.Errorf("%s: percentile %s is %d, fio says %d (%v)", name, text, m.CompletionLatency.Histogram.Percentile(p), ns, err)
			}
		}
	}
}

// TestMetadataShapes: what makes metadata of what fio calls reads or writes.
func TestMetadataShapes(t *testing.T) {
	const reads = `"read": {"total_ios": 8, "io_bytes": 32768, "runtime": 2, "clat_ns": {"min": 5, "max": 7, "mean": 6.0, "stddev": 1.0, "N": 4, "bins": {"5": 2, "7": 2}}}`
	const writes = `"write": {"total_ios": 4, "io_bytes": 16384, "runtime": 4, "clat_ns": {"min": 9, "max": 9, "mean": 9.0, "stddev": 0.0, "N": 4}}`
	for name, test := range map[string]struct {
		options, figures string
		perSecond        float64
		count            int64
	}{
		"of the job":                  {`"job options": {"ioengine": "filestat"}, `, reads, 2000, 4},
		"of [global]":                 {``, reads, 2000, 4},
		"by rw=write":                 {`"job options": {"ioengine": "dircreate"}, `, writes, 1000, 4},
		"data after all":              {`"job options": {"ioengine": "psync"}, `, reads, 0, 0},
		"less than a millisecond":     {`"job options": {"ioengine": "filestat"}, `, strings.Replace(reads, `"runtime": 2`, `"runtime": 0`, 1), 4000, 4},
		"no latencies (disable_clat)": {`"job options": {"ioengine": "filestat"}, `, `"read": {"total_ios": 8, "runtime": 2}`, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			output, err := Parse([]byte("{\n \"fio version\": \"fio-3.39\", \"global options\": {\"ioengine\": \"filedelete\"}, \"jobs\": [{\"jobname\": \"a\", " + test.options + test.figures + "}]\n}\n"))
			if err != nil {
				t.Fatal(err)
			}
			g := output.Groups[0]
			if test.count == 0 {
				if g.Metadata != nil || (g.Read == nil) == strings.Contains(test.options, "psync") {
					t.Errorf("%+v", g)
				}
				return
			}
			if g.Metadata == nil || g.Metadata.IOPS != test.perSecond || g.Metadata.CompletionLatency.Count != test.count || g.Read != nil || g.Write != nil {
				t.Errorf("%+v, metadata %+v", g, g.Metadata)
			}
		})
	}
}

// Clones that fio tells apart are one, with the time of the longest.
func TestMetadataOfClones(t *testing.T) {
	clone := func(runtime, n, ns string) string {
		return `{"jobname": "a", "job options": {"ioengine": "filestat"}, "read": {"total_ios": ` + n + `, "runtime": ` + runtime + `, "clat_ns": {"min": ` + ns + `, "max": ` + ns + `, "mean": ` + ns + `, "N": ` + n + `}}}`
	}
	output, err := Parse([]byte("{\n \"fio version\": \"fio-3.39\", \"jobs\": [" + clone("10", "30", "20") + ", " + clone("40", "10", "60") + "]\n}\n"))
	if err != nil {
		t.Fatal(err)
	}
	m := output.Groups[0].Metadata
	if len(output.Groups) != 1 || m.CompletionLatency.Count != 40 || m.RuntimeMilliseconds != 40 || m.IOPS != 1000 || m.CompletionLatency.MeanNanoseconds != 30 || output.Groups[0].ElapsedMilliseconds != 40 {
		t.Errorf("%+v, latency %+v", m, m.CompletionLatency)
	}
}

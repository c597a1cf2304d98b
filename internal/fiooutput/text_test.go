package fiooutput

import (
	"bytes"
	"math"
	"os"
	"regexp"
	"testing"

	"github.com/storagebench/storagebench/internal/direction"
)

// The same run as text and as JSON: the text has the same figures, rounded.
func TestTextIsAsJSON(t *testing.T) {
	for name, syncs := range map[string]bool{"testdata/both-2.14.txt": false, "testdata/both-3.33.txt": true} {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			want, err := Parse(data)
			if err != nil {
				t.Fatal(err)
			}
			got, err := ParseText(data)
			if err != nil {
				t.Fatal(err)
			}
			if !got.Rounded || want.Rounded || got.Version != want.Version || len(got.Groups) != len(want.Groups) {
				t.Fatalf("the text is %+v, the JSON %+v", got, want)
			}
			for i := range want.Groups {
				sameGroup(t, &got.Groups[i], &want.Groups[i])
				if sync := got.Groups[i].Sync; (sync != nil && sync.Histogram != nil) != syncs {
					t.Errorf("%s: syncs are %+v", got.Groups[i].Name, sync)
				}
			}
		})
	}
}

// sameGroup compares a result of the text with the same of the JSON.
func sameGroup(t *testing.T, got, want *Group) {
	t.Helper()
	if got.Name != want.Name || got.ID != want.ID || got.ContextSwitches != want.ContextSwitches || got.ElapsedMilliseconds != want.ElapsedMilliseconds {
		t.Errorf("%s is %+v, want %+v", want.Name, got, want)
	}
	for _, option := range []string{"rw", "ioengine"} {
		if of := want.Options[option]; of != "" && got.Options[option] != of {
			t.Errorf("%s: option %s is %q, want %q", want.Name, option, got.Options[option], of)
		}
	}
	if got.Options["bs"] != "4096" || got.Options["numjobs"] != want.Options["numjobs"] {
		t.Errorf("%s: options are %v", want.Name, got.Options)
	}
	isNear(t, want.Name+": user CPU", got.UserCPUPercent, want.UserCPUPercent)
	for name, d := range got.Directions() {
		of := map[string]*Direction{direction.Read: want.Read, direction.Write: want.Write, direction.Trim: want.Trim}[name]
		if of == nil {
			t.Errorf("%s: there are %ss that the JSON has not", want.Name, name)
			continue
		}
		if d.IOs != of.IOs || d.RuntimeMilliseconds != of.RuntimeMilliseconds {
			t.Errorf("%s: %d %ss in %d ms, want %d in %d ms", want.Name, d.IOs, name, d.RuntimeMilliseconds, of.IOs, of.RuntimeMilliseconds)
		}
		isNear(t, name+" bytes", float64(d.Bytes), float64(of.Bytes))
		isNear(t, name+" IOPS", d.IOPS, of.IOPS)
		sameLatency(t, name+" latency", d.Latency, of.Latency)
		sameLatency(t, name+" completion", d.CompletionLatency, of.CompletionLatency)
		if d.SubmissionLatency != nil || of.SubmissionLatency != nil {
			sameLatency(t, name+" submission", d.SubmissionLatency, of.SubmissionLatency)
		}
	}
	if (got.Sync == nil) != (want.Sync == nil) {
		t.Errorf("%s: syncs are %+v, want %+v", want.Name, got.Sync, want.Sync)
	} else if got.Sync != nil {
		sameLatency(t, "sync", got.Sync, want.Sync)
	}
}

func sameLatency(t *testing.T, what string, got, want *LatencyStats) {
	t.Helper()
	if got == nil || want == nil {
		t.Fatalf("%s: %+v, want %+v", what, got, want)
	}
	if got.Count != want.Count {
		t.Errorf("%s: %d, want %d", what, got.Count, want.Count)
	}
	isNear(t, what+" mean", got.MeanNanoseconds, want.MeanNanoseconds)
	isNear(t, what+" standard deviation", got.StddevNanoseconds, want.StddevNanoseconds)
	if want.Histogram == nil {
		return
	}
	for _, p := range []float64{1, 50, 90, 95, 99, 99.9} {
		isNear(t, what+" percentile", float64(got.Histogram.Percentile(p)), float64(want.Histogram.Percentile(p)))
	}
}

// isNear allows for what fio rounds to three digits, and to whole microseconds of which the next bucket may count.
func isNear(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > max(want*0.03, 0.01) && math.Abs(got-want) > 600 {
		t.Errorf("%s is %g, want %g", what, got, want)
	}
}

// Without bins, as in plain JSON, the percentiles are those that fio prints.
func TestPercentilesWithoutBins(t *testing.T) {
	data, err := os.ReadFile("testdata/both-3.33.txt")
	if err != nil {
		t.Fatal(err)
	}
	bins := regexpBins.ReplaceAll(data, []byte(`"bins" : {}`))
	if len(bins) >= len(data) {
		t.Fatal("there were no bins to remove")
	}
	full, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := Parse(bins)
	if err != nil {
		t.Fatal(err)
	}
	for i := range full.Groups {
		for name, d := range full.Groups[i].Directions() {
			h := map[string]*Direction{direction.Read: plain.Groups[i].Read, direction.Write: plain.Groups[i].Write}[name].CompletionLatency.Histogram
			if h.Count() != d.CompletionLatency.Histogram.Count() {
				t.Errorf("%d latencies, want %d", h.Count(), d.CompletionLatency.Histogram.Count())
			}
			for _, p := range []float64{1, 5, 50, 90, 95, 99, 99.5, 99.9, 99.99} {
				if got, want := h.Percentile(p), d.CompletionLatency.Histogram.Percentile(p); got != want {
					t.Errorf("%s: p%g is %d, want %d", name, p, got, want)
				}
			}
		}
	}
}

var regexpBins = regexp.MustCompile(`"bins" : \{[^}]*\}`)

func TestTextWithoutJobs(t *testing.T) {
	for _, text := range []string{"", "hello\n", "fio-3.33\nStarting 1 process\n", `{"jobs": []}`} {
		if got, err := ParseText([]byte(text)); err == nil {
			t.Errorf("%q is %+v", text, got)
		}
	}
}

// Text that is cut off, as in articles, or changed by hand neither panics nor gives figures that are none.
func FuzzParseText(f *testing.F) {
	for _, name := range []string{"testdata/both-2.14.txt", "testdata/both-3.33.txt"} {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
		f.Add(data[:len(data)/3])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		output, err := ParseText(data)
		if err != nil {
			return
		}
		for i := range output.Groups {
			for _, d := range output.Groups[i].Directions() {
				if d.IOs <= 0 || d.Bytes < 0 || math.IsNaN(d.IOPS) || math.IsInf(d.IOPS, 0) {
					t.Errorf("%+v", d)
				}
			}
		}
	})
}

// Text in which documents begin again and again, and none ends, takes no more time than its size.
func BenchmarkDocumentsThatNeverEnd(b *testing.B) {
	text := bytes.Repeat([]byte(" {\n  \"fio version\"\n"), 20_000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if documents := Documents(text); len(documents) > 0 {
			b.Fatal("there is a document")
		}
	}
}

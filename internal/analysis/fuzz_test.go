package analysis

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// fuzzed are what the fuzzer chose, from the front; 0 when they are used up.
type fuzzed []byte

// next returns a figure that is not negative, of any size.
func (f *fuzzed) next() int64 {
	if len(*f) == 0 {
		return 0
	}
	size := min(int((*f)[0]%9), len(*f)-1)
	var number [8]byte
	copy(number[:], (*f)[1:1+size])
	*f = (*f)[1+size:]
	return int64(binary.LittleEndian.Uint64(number[:]) & math.MaxInt64)
}

func (f *fuzzed) io() *v1alpha1.Figures {
	if f.next()%3 == 0 {
		return nil
	}
	io := &v1alpha1.Figures{Count: f.next(), Bytes: f.next(), MilliIOPS: f.next(), BytesPerSecond: f.next()}
	if f.next()%4 != 0 {
		io.Latency = &v1alpha1.Latency{MeanNanoseconds: f.next(), StddevNanoseconds: f.next()}
	}
	if f.next()%4 != 0 {
		io.CompletionLatency = f.distribution()
	}
	return io
}

// metadata returns operations on files.
func (f *fuzzed) metadata() *v1alpha1.Figures {
	m := &v1alpha1.Figures{Count: max(f.next(), 1), MilliIOPS: f.next(), Latency: &v1alpha1.Latency{MeanNanoseconds: f.next()}}
	if f.next()%4 != 0 {
		m.CompletionLatency = f.distribution()
	}
	return m
}

func (f *fuzzed) distribution() *v1alpha1.LatencyDistribution {
	return &v1alpha1.LatencyDistribution{P50Nanoseconds: f.next(), P90Nanoseconds: f.next(), P99Nanoseconds: f.next(), MaxNanoseconds: f.next()}
}

// run returns a run that has measured data, or operations on files.
func (f *fuzzed) run(target string) v1alpha1.Run {
	result := &v1alpha1.Result{ElapsedMilliseconds: f.next()}
	if f.next()%3 == 2 {
		result.Set(v1alpha1.OperationMetadata, f.metadata())
	} else {
		result.Set(v1alpha1.OperationRead, f.io())
		result.Set(v1alpha1.OperationWrite, f.io())
		result.Set(v1alpha1.OperationTrim, f.io())
	}
	result.CPU = &v1alpha1.CPUResult{UserPercent: int32(f.next() % 1001), SystemPercent: int32(f.next() % 1001)}
	return v1alpha1.Run{Name: "w." + target, Target: target, Workload: "w", State: v1alpha1.RunSucceeded, Result: result}
}

// FuzzAnalysis analyses whatever figures pods can report. What is said of them can be written into the status: no
// figure is negative, no ratio infinite, no text endless.
func FuzzAnalysis(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte(strings.Repeat("\x01\x02", 200)))
	f.Add([]byte(strings.Repeat("\x08\xff\xff\xff\xff\xff\xff\xff\xff", 100)))
	f.Add([]byte(strings.Repeat("\x08\xff\xff\xff\xff\xff\xff\xff\xff\x00\x01\x01", 60)))
	f.Add([]byte(strings.Repeat("\x08\xff\xff\xff\xff\xff\xff\xff\xff\x01\x02", 60)))
	f.Add([]byte(strings.Repeat("\x01\x02\x08\xff\xff\xff\xff\xff\xff\xff\xff", 60)))
	f.Fuzz(func(t *testing.T, data []byte) {
		source := fuzzed(data)
		limit := func() *int64 { return new(max(source.next(), 1)) }
		known := Known{Storage: &v1alpha1.KnownLimits{Limits: v1alpha1.Limits{IOPS: limit(), BytesPerSecond: limit()}}, Nodes: 1}
		load := Load{InFlight: source.next(), Jobs: source.next() % 5000, RateIOPS: source.next(), FileBytes: source.next(), Buffered: source.next()%2 == 0}
		client := Client{CPUMillis: source.next(), MemoryBytes: source.next(), Files: source.next(), SparseFiles: source.next(), ShortIOs: source.next(), DroppedIOs: source.next()}
		var runs []v1alpha1.Run
		for i := range 2 + source.next()%8 {
			runs = append(runs, source.run([]string{"a", "b"}[i%2]))
		}
		for i := range runs {
			bound := Bound(runs[i].Result, known, load, client)
			runs[i].LimitedBy = &bound
			if bound.UsedPercent != nil && *bound.UsedPercent < 0 || len(limitsOf(bound)) > 1 || slices.ContainsFunc(limitsOf(bound), func(n int64) bool { return n < 0 }) {
				t.Errorf("bound %+v", bound)
			}
			checkText(t, bound.Message)
			runs[i].Warnings = Warnings([]v1alpha1.Result{*runs[i].Result}, []Known{known}, []Load{load}, client)
			checkWarnings(t, runs[i].Warnings)
		}
		comparisons := Compare(runs, []string{"a", "b"}, "a")
		for i := range comparisons {
			for j := range comparisons[i].Targets {
				checkComparison(t, &comparisons[i].Targets[j])
			}
		}
		for _, summary := range Summarize(nil, runs, comparisons) {
			checkText(t, summary.Message)
		}
	})
}

func checkComparison(t *testing.T, c *v1alpha1.TargetComparison) {
	t.Helper()
	checkWarnings(t, c.Warnings)
	for i := range c.Figures {
		f := &c.Figures[i]
		for _, s := range []*v1alpha1.Statistic{f.MilliIOPS, f.BytesPerSecond, f.MeanNanoseconds, f.P50Nanoseconds, f.P90Nanoseconds, f.P99Nanoseconds} {
			checkStatistic(t, s)
		}
	}
}

func checkStatistic(t *testing.T, s *v1alpha1.Statistic) {
	t.Helper()
	if s == nil {
		return
	}
	if s.Least() < 0 || s.Most() < s.Least() || s.Median < 0 || s.ConfidenceLow != nil && (*s.ConfidenceLow < 0 || *s.ConfidenceHigh < *s.ConfidenceLow) {
		t.Errorf("statistic %+v", s)
	}
	for _, text := range []string{s.Ratio, s.PValue} {
		if f, err := strconv.ParseFloat(text, 64); text != "" && (err != nil || !(f >= 0 && f <= math.MaxFloat64) || len(text) > maxRatioBytes) {
			t.Errorf("%q is no ratio: %v", text, err)
		}
	}
}

func checkWarnings(t *testing.T, warnings []v1alpha1.Warning) {
	t.Helper()
	if len(warnings) > 16 {
		t.Errorf("%d warnings", len(warnings))
	}
	for _, w := range warnings {
		checkText(t, w.Message)
	}
}

func checkText(t *testing.T, text string) {
	t.Helper()
	if len(text) > 1024 || strings.Contains(text, "NaN") || strings.Contains(text, "Inf") || strings.Contains(text, " -") {
		t.Errorf("%d bytes: %.300q", len(text), text)
	}
}

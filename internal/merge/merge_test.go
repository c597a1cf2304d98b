package merge

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/histogram"
)

var equalHistograms = cmp.Comparer(func(a, b *histogram.Histogram) bool { return a.Equal(b) })

var ignoreBlanks = cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == "._" }, cmp.Ignore())

func diff(want, got any) string { return cmp.Diff(want, got, equalHistograms, ignoreBlanks) }

// measured returns what a runner says of I/Os with these latencies within so many milliseconds.
func measured(latencies []int64, elapsed int64) *digest.Direction {
	n := int64(len(latencies))
	h := &histogram.Histogram{}
	mean, squares := 0.0, 0.0
	for _, l := range latencies {
		h.Add(uint64(l), 1)
		mean += float64(l) / float64(n)
	}
	for _, l := range latencies {
		squares += (float64(l) - mean) * (float64(l) - mean)
	}
	return &digest.Direction{
		IOs: n, Bytes: 4096 * n, ShortIOs: n / 10, DroppedIOs: n / 20,
		MilliIOPS: n * 1_000_000 / elapsed, BytesPerSecond: n * 4_096_000 / elapsed,
		Latency:    &digest.Latency{Count: n, Mean: int64(math.Round(mean)), Stddev: int64(math.Round(math.Sqrt(squares / float64(max(n-1, 1)))))},
		Completion: digest.NewCompletion(slices.Min(latencies), slices.Max(latencies), h),
	}
}

// sample returns latencies of a client whose storage is as fast as the scale says, in nanoseconds.
func sample(r *rand.Rand, scale float64) []int64 {
	latencies := make([]int64, 50+r.IntN(2000))
	for i := range latencies {
		latencies[i] = int64(scale * math.Exp(r.NormFloat64()))
	}
	return latencies
}

// client returns the report of a client whose groups read and write.
func client(r *rand.Rand, groups int) *digest.Report {
	report := &digest.Report{FioVersion: "fio-3.39", Environment: digest.Environment{
		CPUMillis: 1 + r.Int64N(8000), MemoryBytes: 1 + r.Int64N(1<<34), Periods: 600, ThrottledPeriods: r.Int64N(600),
		Files: 4, SparseFiles: r.Int64N(5), StartMarginMilliseconds: r.Int64N(5000),
		StealPermille: r.Int64N(1001), UsedPermille: r.Int64N(1001), UsedInodesPermille: r.Int64N(1001), BusiestJobPermille: r.Int64N(1001),
		Counters: &digest.Counters{Reads: r.Int64N(1 << 40), WriteBytes: r.Int64N(1 << 50)},
	}}
	for i := range groups {
		elapsed := 1000 + r.Int64N(100)
		report.Groups = append(report.Groups, digest.Group{
			Name: fmt.Sprintf("section-%d", i), JobStart: 1_700_000_000_000 + r.Int64N(50), ElapsedMilliseconds: elapsed,
			UserPercent: r.Int64N(101), SystemPercent: r.Int64N(101),
			Read: measured(sample(r, 100_000), elapsed), Write: measured(sample(r, 900_000), elapsed),
		})
	}
	return report
}

func clients(r *rand.Rand, n, groups int) []*digest.Report {
	reports := make([]*digest.Report, n)
	for i := range reports {
		reports[i] = client(r, groups)
	}
	return reports
}

func mustMerge(t testing.TB, reports ...*digest.Report) *Merged {
	t.Helper()
	merged, err := Reports(reports)
	if err != nil {
		t.Fatal(err)
	}
	return merged
}

// What is merged of the clients' figures is what would have been measured of all their I/Os in one place.
func TestMergedIsMeasuredTogether(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		const elapsed = 1000
		var reports []*digest.Report
		var all []int64
		var want digest.Direction
		for range 2 + r.IntN(9) {
			latencies := sample(r, float64(1+r.IntN(1<<20)))
			all = append(all, latencies...)
			own := measured(latencies, elapsed)
			want.ShortIOs += own.ShortIOs
			want.DroppedIOs += own.DroppedIOs
			reports = append(reports, &digest.Report{Groups: []digest.Group{{Read: own}}})
		}
		together := measured(all, elapsed)
		together.ShortIOs, together.DroppedIOs = want.ShortIOs, want.DroppedIOs
		got := mustMerge(t, reports...).Report.Groups[0].Read
		// The clients' figures are rounded to nanoseconds, and so is what is made of them.
		near := cmp.Comparer(func(a, b digest.Latency) bool {
			return a.Count == b.Count && a.Mean-b.Mean <= 1 && b.Mean-a.Mean <= 1 && a.Stddev-b.Stddev <= 1 && b.Stddev-a.Stddev <= 1
		})
		if diff := cmp.Diff(together, got, equalHistograms, ignoreBlanks, near); diff != "" {
			t.Fatalf("%d clients (-want +got):\n%s", len(reports), diff)
		}
	}
}

func TestSumsAndExtremes(t *testing.T) {
	a := &digest.Report{FioVersion: "fio-3.39", Groups: []digest.Group{{
		Name: "a", JobStart: 1_000_020, ElapsedMilliseconds: 1000, UserPercent: 10, SystemPercent: 30,
		Read: &digest.Direction{IOs: 1, Bytes: 2, ShortIOs: 3, DroppedIOs: 4, MilliIOPS: 5, BytesPerSecond: 6, Submission: 111},
	}}}
	b := &digest.Report{FioVersion: "fio-3.39", Groups: []digest.Group{{
		Name: "a", JobStart: 1_000_000, ElapsedMilliseconds: 3000, UserPercent: 20, SystemPercent: 0,
		Read:  &digest.Direction{IOs: 10, Bytes: 20, ShortIOs: 30, DroppedIOs: 40, MilliIOPS: 50, BytesPerSecond: 60, Submission: 11},
		Write: &digest.Direction{IOs: 7, MilliIOPS: 8000, Latency: &digest.Latency{Count: 7, Mean: 70, Stddev: 2}},
	}}}
	want := &Merged{
		Report: digest.Report{FioVersion: "fio-3.39", Groups: []digest.Group{{
			Name: "a", JobStart: 1_000_000, ElapsedMilliseconds: 3000, UserPercent: 18, SystemPercent: 8,
			Read:  &digest.Direction{IOs: 11, Bytes: 22, ShortIOs: 33, DroppedIOs: 44, MilliIOPS: 55, BytesPerSecond: 66, Submission: 20},
			Write: &digest.Direction{IOs: 7, MilliIOPS: 8000, Latency: &digest.Latency{Count: 7, Mean: 70, Stddev: 2}},
		}}},
		Groups: []Group{{
			StartSkewMilliseconds: new(int64(20)), CommonMilliseconds: 1000,
			Read:  &Spread{MinMilliIOPS: 5, MaxMilliIOPS: 50, Variation: math.Sqrt(2 * (27.5 - 5) * (27.5 - 5) / (27.5 * 27.5))},
			Write: &Spread{MinMilliIOPS: 0, MaxMilliIOPS: 8000, Variation: math.Sqrt(2)},
		}},
	}
	if diff := diff(want, mustMerge(t, a, b)); diff != "" {
		t.Errorf("merged (-want +got):\n%s", diff)
	}
}

func TestOneReportIsItself(t *testing.T) {
	report := client(rand.New(rand.NewPCG(3, 4)), 2)
	report.Coarsening = 3 // its percentiles are of the full histogram still
	report.Groups[0].Read.Completion.Histogram = report.Groups[0].Read.Completion.Histogram.Coarsen(3)
	report.Groups[1].Read.Latency.Count = 0
	report.Groups[1].Trim = &digest.Direction{Completion: &digest.Completion{Min: 1, Max: 2}}
	merged := mustMerge(t, report)
	if diff := diff(report, &merged.Report); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	g := report.Groups[0]
	want := Group{
		StartSkewMilliseconds: new(int64(0)), CommonMilliseconds: g.ElapsedMilliseconds,
		Read:  &Spread{MinMilliIOPS: g.Read.MilliIOPS, MaxMilliIOPS: g.Read.MilliIOPS},
		Write: &Spread{MinMilliIOPS: g.Write.MilliIOPS, MaxMilliIOPS: g.Write.MilliIOPS},
	}
	if diff := diff(want, merged.Groups[0]); diff != "" {
		t.Errorf("group (-want +got):\n%s", diff)
	}
}

func TestOrderDoesNotMatter(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		reports := clients(r, 2+r.IntN(20), 1+r.IntN(3))
		reports[0].Coarsening = r.Int64N(histogram.MaxCoarsening + 1)
		reports[1].Groups[0].Write = nil
		want := mustMerge(t, reports...)
		r.Shuffle(len(reports), func(i, j int) { reports[i], reports[j] = reports[j], reports[i] })
		if diff := diff(want, mustMerge(t, reports...)); diff != "" {
			t.Fatalf("in another order (-want +got):\n%s", diff)
		}
	}
}

// Merging in steps gives the same sums, extremes and percentiles as merging at once.
func TestStepsDoNotMatter(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 20 {
		reports := clients(r, 3, 1)
		reports[1].Coarsening = r.Int64N(histogram.MaxCoarsening + 1)
		want := mustMerge(t, reports...).Report.Groups[0].Read
		first := mustMerge(t, reports[:2]...).Report
		got := mustMerge(t, &first, reports[2]).Report.Groups[0].Read
		if diff := cmp.Diff(want, got, equalHistograms, ignoreBlanks, cmp.Comparer(func(a, b digest.Latency) bool { return a.Count == b.Count })); diff != "" {
			t.Fatalf("in steps (-want +got):\n%s", diff)
		}
	}
}

func TestInputsDoNotChange(t *testing.T) {
	reports, again := clients(rand.New(rand.NewPCG(9, 10)), 3, 2), clients(rand.New(rand.NewPCG(9, 10)), 3, 2)
	reports[1].Coarsening, again[1].Coarsening = 2, 2
	mustMerge(t, reports...)
	mustMerge(t, reports[0])
	if diff := diff(again, reports); diff != "" {
		t.Errorf("reports (-want +got):\n%s", diff)
	}
}

// A client that reads nothing has no part in the latency of reads; one that reads without saying how fast has.
func TestPartsDoNotStandForAll(t *testing.T) {
	for name, test := range map[string]struct {
		change                func(*digest.Group)
		ios                   int64
		latency, completion   bool
		variation, leastRates bool
	}{
		"whole":         {func(*digest.Group) {}, 4, true, true, false, true},
		"no reads":      {func(g *digest.Group) { g.Read = nil }, 2, true, true, true, false},
		"no latency":    {func(g *digest.Group) { g.Read.Latency = nil }, 4, false, true, false, true},
		"no count":      {func(g *digest.Group) { g.Read.Latency.Count = 0 }, 4, false, true, false, true},
		"no completion": {func(g *digest.Group) { g.Read.Completion = nil }, 4, true, false, false, true},
		"no histogram":  {func(g *digest.Group) { g.Read.Completion.Histogram = nil }, 4, true, false, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			reports := []*digest.Report{
				{Groups: []digest.Group{{Read: measured([]int64{5, 7}, 10)}}},
				{Groups: []digest.Group{{Read: measured([]int64{5, 7}, 10)}}},
			}
			test.change(&reports[1].Groups[0])
			merged := mustMerge(t, reports...)
			read, spread := merged.Report.Groups[0].Read, merged.Groups[0].Read
			if read.IOs != test.ios || (read.Latency != nil) != test.latency || (read.Completion != nil) != test.completion {
				t.Errorf("%+v", read)
			}
			if (spread.Variation > 0) != test.variation || (spread.MinMilliIOPS > 0) != test.leastRates {
				t.Errorf("%+v", spread)
			}
		})
	}
	neither := mustMerge(t, &digest.Report{Groups: []digest.Group{{}}}, &digest.Report{Groups: []digest.Group{{}}})
	if diff := diff(&Merged{Report: digest.Report{Groups: []digest.Group{{}}}, Groups: []Group{{}}}, neither); diff != "" {
		t.Errorf("no I/O (-want +got):\n%s", diff)
	}
}

// Histograms of different widths become as coarse as the coarsest, and the percentiles are those of what is merged.
func TestCoarseHistograms(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for bits := 1; bits <= histogram.MaxCoarsening; bits++ {
		full, reports := clients(r, 3, 1), []*digest.Report(nil)
		for i, report := range full {
			own, completion := *report.Groups[0].Read, *report.Groups[0].Read.Completion
			own.Completion = &completion
			width := []int{0, bits, bits / 2}[i]
			completion.Histogram = completion.Histogram.Coarsen(width)
			reports = append(reports, &digest.Report{Coarsening: int64(width), Groups: []digest.Group{{Read: &own}}})
		}
		merged, exact := mustMerge(t, reports...).Report, mustMerge(t, full...).Report.Groups[0].Read.Completion
		if merged.Coarsening != int64(bits) {
			t.Errorf("coarser by %d bits, want %d", merged.Coarsening, bits)
		}
		got := merged.Groups[0].Read.Completion
		if want := digest.NewCompletion(exact.Min, exact.Max, exact.Histogram.Coarsen(bits)); diff(want, got) != "" {
			t.Errorf("%d bits (-want +got):\n%s", bits, diff(want, got))
		}
		for i := range got.Buckets {
			if moved := got.Buckets[i] - exact.Buckets[i]; max(moved, -moved) > 1<<bits>>1 {
				t.Errorf("%d bits: percentile %v moved by %d buckets", bits, digest.Percentiles[i], moved)
			}
		}
	}
}

func TestEnvironments(t *testing.T) {
	known := digest.Environment{
		CPUMillis: 1500, MemoryBytes: 1 << 30, Periods: 10, ThrottledPeriods: 5, Files: 2, SparseFiles: 1, StartMarginMilliseconds: 700,
		StealPermille: 80, UsedPermille: 950, UsedInodesPermille: 20, BusiestJobPermille: 333, Counters: &digest.Counters{
			Reads: 1, ReadBytes: 2, Writes: 3, WriteBytes: 4, Others: 5, Merges: 6, BusyMilliseconds: 7, QueueMilliseconds: 8,
		},
	}
	other := digest.Environment{
		CPUMillis: 2000, MemoryBytes: 1 << 31, Periods: 20, ThrottledPeriods: 6, Files: 3, SparseFiles: 3, StartMarginMilliseconds: 650,
		StealPermille: 70, UsedPermille: 960, UsedInodesPermille: 10, BusiestJobPermille: 900, Counters: &digest.Counters{
			Reads: 10, ReadBytes: 20, Writes: 30, WriteBytes: math.MaxInt64, Others: 50, Merges: 60, BusyMilliseconds: 70, QueueMilliseconds: 80,
		},
	}
	said := digest.Environment{Exceeded: &digest.Exceeded{VolumeIOPS: 1, VolumeThroughput: 2, InstanceIOPS: 3, InstanceThroughput: math.MaxInt64}}
	ebs := digest.Environment{Volume: &digest.Volume{
		Read: digest.VolumeOperations{Count: 1, Bytes: 2, Microseconds: 3, P50: 4, P99: 5}, Write: digest.VolumeOperations{Count: 6, Bytes: math.MaxInt64, Microseconds: 7, P50: 8, P99: 9},
	}}
	node := digest.Environment{Node: &digest.Node{BusyPermille: 900, OthersPermille: 10, WaitedPermille: 30, CPUPressurePermille: 40, IOPressurePermille: 1}}
	busier := digest.Environment{Node: &digest.Node{BusyPermille: 100, OthersPermille: 100, WaitedPermille: 300, CPUPressurePermille: 4, IOPressurePermille: 2}}
	nfs := digest.Environment{Counters: &digest.Counters{NFS: true, Reads: 5, Retransmissions: 1}}
	huge := digest.Environment{CPUMillis: math.MaxInt64, MemoryBytes: math.MaxInt64, Periods: math.MaxInt64, ThrottledPeriods: math.MaxInt64}
	for name, test := range map[string]struct{ a, b, want digest.Environment }{
		"known": {known, other, digest.Environment{
			CPUMillis: 3500, MemoryBytes: 3 << 30, Periods: 30, ThrottledPeriods: 11, Files: 5, SparseFiles: 4, StartMarginMilliseconds: 650,
			StealPermille: 80, UsedPermille: 960, UsedInodesPermille: 20, BusiestJobPermille: 900, Counters: &digest.Counters{
				Reads: 11, ReadBytes: 22, Writes: 33, WriteBytes: math.MaxInt64, Others: 55, Merges: 66, BusyMilliseconds: 77, QueueMilliseconds: 88,
			},
		}},
		"NFS":                     {nfs, nfs, digest.Environment{Counters: &digest.Counters{NFS: true, Reads: 10, Retransmissions: 2}}},
		"EBS says":                {said, said, digest.Environment{Exceeded: &digest.Exceeded{VolumeIOPS: 2, VolumeThroughput: 4, InstanceIOPS: 6, InstanceThroughput: math.MaxInt64}}},
		"EBS says nothing of one": {said, digest.Environment{}, digest.Environment{}},
		"EBS counts": {ebs, ebs, digest.Environment{Volume: &digest.Volume{
			Read: digest.VolumeOperations{Count: 2, Bytes: 4, Microseconds: 6, P50: 4, P99: 5}, Write: digest.VolumeOperations{Count: 12, Bytes: math.MaxInt64, Microseconds: 14, P50: 8, P99: 9},
		}}},
		"EBS does not count of one":   {digest.Environment{}, ebs, digest.Environment{}},
		"the busiest node":            {node, busier, digest.Environment{Node: &digest.Node{BusyPermille: 900, OthersPermille: 100, WaitedPermille: 300, CPUPressurePermille: 40, IOPressurePermille: 2}}},
		"one node that is known":      {digest.Environment{}, node, node},
		"counters of different kinds": {nfs, digest.Environment{Counters: &digest.Counters{Reads: 5}}, digest.Environment{}},
		"one unknown": {known, digest.Environment{}, digest.Environment{
			Periods: 10, ThrottledPeriods: 5, Files: 2, SparseFiles: 1, StealPermille: 80, UsedPermille: 950, UsedInodesPermille: 20, BusiestJobPermille: 333,
		}},
		"huge": {huge, huge, huge},
	} {
		t.Run(name, func(t *testing.T) {
			group := []digest.Group{{}}
			merged := mustMerge(t, &digest.Report{Groups: group, Environment: test.a}, &digest.Report{Groups: group, Environment: test.b})
			if diff := cmp.Diff(test.want, merged.Report.Environment); diff != "" {
				t.Errorf("environment (-want +got):\n%s", diff)
			}
		})
	}
}

func TestStartsAndCommonTime(t *testing.T) {
	type run struct{ start, elapsed int64 }
	for name, test := range map[string]struct {
		runs   []run
		skew   *int64
		common int64
		start  int64
	}{
		"at once":          {[]run{{5000, 1000}, {5000, 1000}}, new(int64(0)), 1000, 5000},
		"one later":        {[]run{{5000, 1000}, {5030, 1000}, {5010, 1000}}, new(int64(30)), 970, 5000},
		"one shorter":      {[]run{{5000, 1000}, {5030, 200}}, new(int64(30)), 200, 5000},
		"never together":   {[]run{{5000, 1000}, {7000, 1000}}, new(int64(2000)), 0, 5000},
		"one unknown":      {[]run{{5000, 1000}, {0, 900}}, nil, 900, 0},
		"all unknown":      {[]run{{0, 1000}, {0, 2000}}, nil, 1000, 0},
		"far beyond years": {[]run{{math.MaxInt64, math.MaxInt64}, {1, math.MaxInt64}}, new(int64(math.MaxInt64 - 1)), 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			var reports []*digest.Report
			for _, r := range test.runs {
				reports = append(reports, &digest.Report{Groups: []digest.Group{{JobStart: r.start, ElapsedMilliseconds: r.elapsed}}})
			}
			merged := mustMerge(t, reports...)
			if diff := cmp.Diff(Group{StartSkewMilliseconds: test.skew, CommonMilliseconds: test.common}, merged.Groups[0]); diff != "" {
				t.Errorf("group (-want +got):\n%s", diff)
			}
			if got := merged.Report.Groups[0].JobStart; got != test.start {
				t.Errorf("start %d, want %d", got, test.start)
			}
		})
	}
}

func TestVariation(t *testing.T) {
	for _, test := range []struct {
		rates []int64
		want  float64
	}{
		{[]int64{5}, 0},
		{[]int64{0, 0}, 0},
		{[]int64{7, 7, 7}, 0},
		{[]int64{0, 1}, math.Sqrt2},
		{[]int64{2, 4, 4, 4, 5, 5, 7, 9}, math.Sqrt(32.0/7) / 5},
		{[]int64{math.MaxInt64, math.MaxInt64}, 0},
		{[]int64{math.MaxInt64, 0, 0, 0}, 2},
	} {
		if got := variation(test.rates, func(rate int64) int64 { return rate }); math.Abs(got-test.want) > 1e-12 {
			t.Errorf("variation of %v is %v, want %v", test.rates, got, test.want)
		}
	}
}

func TestSumsSaturate(t *testing.T) {
	huge := func() *digest.Report {
		h := &histogram.Histogram{}
		h.Add(1, math.MaxUint64)
		return &digest.Report{Groups: []digest.Group{{
			JobStart: math.MaxInt64, ElapsedMilliseconds: math.MaxInt64, UserPercent: math.MaxInt64, SystemPercent: math.MaxInt64,
			Read: &digest.Direction{
				IOs: math.MaxInt64, Bytes: math.MaxInt64, ShortIOs: math.MaxInt64, DroppedIOs: math.MaxInt64,
				MilliIOPS: math.MaxInt64, BytesPerSecond: math.MaxInt64,
				Latency:    &digest.Latency{Count: math.MaxInt64, Mean: math.MaxInt64, Stddev: math.MaxInt64},
				Completion: digest.NewCompletion(0, math.MaxInt64, h),
			},
		}}}
	}
	one := huge()
	if diff := diff(*one, mustMerge(t, one, huge(), huge()).Report); diff != "" {
		t.Errorf("merged (-want +got):\n%s", diff)
	}
	apart, slow := huge(), huge()
	apart.Groups[0].Read.Latency = &digest.Latency{Count: 2, Stddev: math.MaxInt64}
	slow.Groups[0].Read.Latency = &digest.Latency{Count: 2, Mean: math.MaxInt64, Stddev: math.MaxInt64}
	if got := mustMerge(t, apart, slow).Report.Groups[0].Read.Latency; got.Stddev < math.MaxInt64/10*9 {
		t.Errorf("%+v", got)
	}
}

func TestReportsThatDiffer(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for name, test := range map[string]struct {
		change func([]*digest.Report) []*digest.Report
		want   string
	}{
		"none":     {func([]*digest.Report) []*digest.Report { return nil }, "no client left a report"},
		"missing":  {func(all []*digest.Report) []*digest.Report { all[1] = nil; return all }, "client 1 left no report"},
		"no first": {func(all []*digest.Report) []*digest.Report { all[0] = nil; return all }, "client 0 left no report"},
		"version": {
			func(all []*digest.Report) []*digest.Report { all[2].FioVersion = "fio-3.40"; return all },
			"client 2 reports fio-3.40, client 0 fio-3.39: both need the same image",
		},
		"groups": {
			func(all []*digest.Report) []*digest.Report { all[2].Groups = all[2].Groups[:1]; return all },
			"client 2 reports 1 result groups, client 0 2: all clients need the same job file",
		},
		"names": {
			func(all []*digest.Report) []*digest.Report { all[1].Groups[1].Name = "other"; return all },
			`client 1 reports "other" as result group 1, client 0 "section-1": all clients need the same job file`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			merged, err := Reports(test.change(clients(r, 3, 2)))
			if err == nil || !strings.Contains(err.Error(), test.want) || merged != nil {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

// BenchmarkReports shows that each client costs the same.
func BenchmarkReports(b *testing.B) {
	for _, n := range []int{2, 10, 100} {
		b.Run(fmt.Sprintf("clients=%d", n), func(b *testing.B) {
			reports := clients(rand.New(rand.NewPCG(15, 16)), n, 1)
			b.ReportAllocs()
			for b.Loop() {
				mustMerge(b, reports...)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/client")
		})
	}
}

package merge

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/histogram"
)

var equalHistograms = cmp.Comparer(func(a, b *histogram.Histogram) bool { return a.Equal(b) })

var ignoreBlanks = cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == "._" }, cmp.Ignore())

func diff(want, got any) string { return cmp.Diff(want, got, equalHistograms, ignoreBlanks) }

// measured returns what a runner says of operations with these latencies within so many milliseconds.
func measured(operation string, latencies []int64, elapsed int64) digest.Figures {
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
	f := digest.Figures{Figures: v1alpha1.Figures{Name: operation, Count: n}}
	if operation != v1alpha1.OperationSync {
		f.MilliIOPS = n * 1_000_000 / elapsed
	}
	if v1alpha1.IsData(operation) {
		f.Bytes, f.BytesPerSecond, f.ShortIOs, f.DroppedIOs = 4096*n, n*4_096_000/elapsed, n/10, n/20
	}
	f.SetLatency(n, int64(math.Round(mean)), int64(math.Round(math.Sqrt(squares/float64(max(n-1, 1))))))
	f.SetHistogram(slices.Min(latencies), slices.Max(latencies), h)
	return f
}

// reportOf returns a report of one group with these figures.
func reportOf(figures ...digest.Figures) *digest.Report {
	return &digest.Report{Groups: []digest.Group{{Figures: figures}}}
}

// alone returns the report of a client without others.
func alone(f v1alpha1.Figures) digest.Figures { return digest.Figures{Figures: f} }

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
			Figures: []digest.Figures{
				measured(v1alpha1.OperationRead, sample(r, 100_000), elapsed), measured(v1alpha1.OperationWrite, sample(r, 900_000), elapsed),
			},
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

// What is merged of the clients' figures is what would have been measured of all their operations in one place. Clients that
// did nothing of the kind have no part in it.
func TestMergedIsMeasuredTogether(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, operation := range []string{v1alpha1.OperationWrite, v1alpha1.OperationSync, v1alpha1.OperationMetadata} {
		for range 50 {
			const elapsed = 1000
			reports := []*digest.Report{reportOf()}
			var all []int64
			var short, dropped int64
			for range 2 + r.IntN(9) {
				latencies := sample(r, float64(1+r.IntN(1<<20)))
				all = append(all, latencies...)
				own := measured(operation, latencies, elapsed)
				short, dropped = short+own.ShortIOs, dropped+own.DroppedIOs
				reports = append(reports, reportOf(own))
			}
			together := measured(operation, all, elapsed)
			together.ShortIOs, together.DroppedIOs = short, dropped
			got := *mustMerge(t, reports...).Report.Groups[0].Of(operation)
			if (got.PerClient == nil) != (operation == v1alpha1.OperationSync) {
				t.Errorf("%ss of clients differ by %+v", operation, got.PerClient)
			}
			got.PerClient = nil
			// The clients' figures are rounded to nanoseconds, and so is what is made of them.
			near := cmp.Comparer(func(a, b v1alpha1.Latency) bool {
				mean, stddev := a.MeanNanoseconds-b.MeanNanoseconds, a.StddevNanoseconds-b.StddevNanoseconds
				return max(mean, -mean, stddev, -stddev) <= 1
			})
			if diff := cmp.Diff(together, got, equalHistograms, near); diff != "" {
				t.Fatalf("%d clients (-want +got):\n%s", len(reports), diff)
			}
		}
	}
}

func TestSumsAndExtremes(t *testing.T) {
	read := func(n int64) digest.Figures {
		return digest.Figures{ShortIOs: 3 * n, DroppedIOs: 4 * n, Figures: v1alpha1.Figures{
			Name: v1alpha1.OperationRead, Count: n, Bytes: 2 * n, MilliIOPS: 5 * n, BytesPerSecond: 6 * n,
		}}
	}
	write := alone(v1alpha1.Figures{Name: v1alpha1.OperationWrite, Count: 7, MilliIOPS: 8000})
	write.SetLatency(7, 70, 2)
	a, b := reportOf(read(1)), reportOf(read(10), write)
	a.FioVersion, b.FioVersion = "fio-3.39", "fio-3.39"
	for _, own := range []struct {
		report                       *digest.Report
		start, elapsed, user, system int64
	}{{a, 1_000_020, 1000, 10, 30}, {b, 1_000_000, 3000, 20, 0}} {
		g := &own.report.Groups[0]
		g.Name, g.JobStart, g.ElapsedMilliseconds, g.UserPercent, g.SystemPercent = "a", own.start, own.elapsed, own.user, own.system
	}
	reads, writes := read(11), write
	reads.PerClient = &v1alpha1.ClientSpread{MinMilliIOPS: 5, MaxMilliIOPS: 50, CoefficientOfVariation: "1.157"}
	writes.PerClient = &v1alpha1.ClientSpread{MaxMilliIOPS: 8000, CoefficientOfVariation: "1.414"}
	want := &Merged{
		Report: digest.Report{FioVersion: "fio-3.39", Groups: []digest.Group{{
			Name: "a", JobStart: 1_000_000, ElapsedMilliseconds: 3000, UserPercent: 18, SystemPercent: 8,
			Figures: []digest.Figures{reads, writes},
		}}},
		Groups: []Group{{StartSkewMilliseconds: new(int64(20)), CommonMilliseconds: 1000}},
	}
	if diff := diff(want, mustMerge(t, a, b)); diff != "" {
		t.Errorf("merged (-want +got):\n%s", diff)
	}
}

func TestOneReportIsItself(t *testing.T) {
	report := client(rand.New(rand.NewPCG(3, 4)), 2)
	report.Coarsening = 3 // its percentiles are of the full histogram still
	for i := range report.Groups {
		f := &report.Groups[i].Figures[0]
		f.Histogram = f.Histogram.Coarsen(3)
	}
	report.Groups[1].Figures[1] = alone(v1alpha1.Figures{Name: v1alpha1.OperationTrim, CompletionLatency: &v1alpha1.LatencyDistribution{MaxNanoseconds: 2}})
	merged := mustMerge(t, report)
	if diff := diff(report, &merged.Report); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	want := Group{StartSkewMilliseconds: new(int64(0)), CommonMilliseconds: report.Groups[0].ElapsedMilliseconds}
	if diff := diff(want, merged.Groups[0]); diff != "" {
		t.Errorf("group (-want +got):\n%s", diff)
	}
}

func TestOrderDoesNotMatter(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		reports := clients(r, 2+r.IntN(20), 1+r.IntN(3))
		reports[0].Coarsening = r.Int64N(histogram.MaxCoarsening + 1)
		reports[1].Groups[0].Drop(func(operation string) bool { return operation == v1alpha1.OperationWrite })
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
		want := *mustMerge(t, reports...).Report.Groups[0].Of(v1alpha1.OperationRead)
		first := mustMerge(t, reports[:2]...).Report
		got := *mustMerge(t, &first, reports[2]).Report.Groups[0].Of(v1alpha1.OperationRead)
		want.Latency, got.Latency, want.PerClient, got.PerClient = nil, nil, nil, nil
		if diff := diff(want, got); diff != "" {
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

// A client that did nothing of a kind has no part in its latency; one that did it without saying how fast has.
func TestPartsDoNotStandForAll(t *testing.T) {
	for _, operation := range v1alpha1.Operations()[:5] {
		for name, test := range map[string]struct {
			change                           func(*digest.Group, *digest.Figures)
			count                            int64
			latency, completion, isUnequally bool
		}{
			"whole":         {func(*digest.Group, *digest.Figures) {}, 4, true, true, false},
			"nothing":       {func(g *digest.Group, _ *digest.Figures) { g.Figures = nil }, 2, true, true, true},
			"no latency":    {func(_ *digest.Group, f *digest.Figures) { f.Latency = nil }, 4, false, true, false},
			"no count":      {func(_ *digest.Group, f *digest.Figures) { f.LatencyCount = 0 }, 4, false, true, false},
			"no completion": {func(_ *digest.Group, f *digest.Figures) { f.CompletionLatency = nil }, 4, true, false, false},
			"no histogram":  {func(_ *digest.Group, f *digest.Figures) { f.Histogram = nil }, 4, true, false, false},
		} {
			t.Run(operation+" "+name, func(t *testing.T) {
				reports := []*digest.Report{reportOf(measured(operation, []int64{5, 7}, 10)), reportOf(measured(operation, []int64{5, 7}, 10))}
				test.change(&reports[1].Groups[0], &reports[1].Groups[0].Figures[0])
				f := mustMerge(t, reports...).Report.Groups[0].Of(operation)
				if f.Count != test.count || (f.Latency != nil) != test.latency || (f.CompletionLatency != nil) != test.completion {
					t.Errorf("%+v", f)
				}
				if s := f.PerClient; s != nil && ((s.CoefficientOfVariation != "0.000") != test.isUnequally || (s.MinMilliIOPS == 0) != test.isUnequally) {
					t.Errorf("%+v", s)
				}
			})
		}
	}
	if diff := diff(&Merged{Report: *reportOf(), Groups: []Group{{}}}, mustMerge(t, reportOf(), reportOf())); diff != "" {
		t.Errorf("no I/O (-want +got):\n%s", diff)
	}
}

// Histograms of different widths become as coarse as the coarsest, and the percentiles are those of what is merged.
func TestCoarseHistograms(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for bits := 1; bits <= histogram.MaxCoarsening; bits++ {
		var full, reports []*digest.Report
		for _, width := range []int{0, bits, bits / 2} {
			own := measured(v1alpha1.OperationSync, sample(r, 100_000), 1000)
			full = append(full, reportOf(own))
			own.Histogram = own.Histogram.Coarsen(width)
			reports = append(reports, reportOf(own))
			reports[len(reports)-1].Coarsening = int64(width)
		}
		merged, exact := mustMerge(t, reports...).Report, mustMerge(t, full...).Report.Groups[0].Of(v1alpha1.OperationSync)
		if merged.Coarsening != int64(bits) {
			t.Errorf("coarser by %d bits, want %d", merged.Coarsening, bits)
		}
		got, want := merged.Groups[0].Of(v1alpha1.OperationSync), *exact
		want.SetHistogram(exact.CompletionLatency.MinNanoseconds, exact.CompletionLatency.MaxNanoseconds, exact.Histogram.Coarsen(bits))
		if diff := diff(&want, got); diff != "" {
			t.Errorf("%d bits (-want +got):\n%s", bits, diff)
		}
		for i, percentile := range got.CompletionLatency.Percentiles() {
			moved := histogram.Index(uint64(*percentile)) - histogram.Index(uint64(*exact.CompletionLatency.Percentiles()[i]))
			if max(moved, -moved) > 1<<bits>>1 {
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
		f := digest.Figures{ShortIOs: math.MaxInt64, DroppedIOs: math.MaxInt64, Figures: v1alpha1.Figures{
			Name: v1alpha1.OperationRead, Count: math.MaxInt64, Bytes: math.MaxInt64, MilliIOPS: math.MaxInt64, BytesPerSecond: math.MaxInt64,
		}}
		f.SetLatency(math.MaxInt64, math.MaxInt64, math.MaxInt64)
		f.SetHistogram(0, math.MaxInt64, h)
		return &digest.Report{Groups: []digest.Group{{
			JobStart: math.MaxInt64, ElapsedMilliseconds: math.MaxInt64, UserPercent: math.MaxInt64, SystemPercent: math.MaxInt64,
			Figures: []digest.Figures{f},
		}}}
	}
	one, merged := huge(), mustMerge(t, huge(), huge(), huge()).Report
	merged.Groups[0].Figures[0].PerClient = nil
	if diff := diff(*one, merged); diff != "" {
		t.Errorf("merged (-want +got):\n%s", diff)
	}
	apart, slow := huge(), huge()
	apart.Groups[0].Figures[0].SetLatency(2, 0, math.MaxInt64)
	slow.Groups[0].Figures[0].SetLatency(2, math.MaxInt64, math.MaxInt64)
	if got := mustMerge(t, apart, slow).Report.Groups[0].Figures[0].Latency; got.StddevNanoseconds < math.MaxInt64/10*9 {
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

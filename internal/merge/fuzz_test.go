package merge

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/histogram"
)

// figures are what the fuzzer chose, from the front; 0 when they are used up.
type figures []byte

// next returns a figure that is not negative, of any size.
func (f *figures) next() int64 {
	if len(*f) == 0 {
		return 0
	}
	size := min(int((*f)[0]%9), len(*f)-1)
	var number [8]byte
	copy(number[:], (*f)[1:1+size])
	*f = (*f)[1+size:]
	return int64(binary.LittleEndian.Uint64(number[:]) & math.MaxInt64)
}

// operation returns figures of an operation, none in one of four cases.
func (f *figures) operation(name string) []digest.Figures {
	if f.next()%4 == 0 {
		return nil
	}
	d := digest.Figures{ShortIOs: f.next(), DroppedIOs: f.next(), Figures: v1alpha1.Figures{
		Name: name, Count: f.next(), Bytes: f.next(), MilliIOPS: f.next(), BytesPerSecond: f.next(),
	}}
	if f.next()%4 != 0 {
		d.SetLatency(f.next(), f.next(), f.next())
	}
	if f.next()%4 != 0 {
		least := f.next()
		d.CompletionLatency = &v1alpha1.LatencyDistribution{MinNanoseconds: least, MaxNanoseconds: add(least, f.next())}
	}
	if d.CompletionLatency != nil && f.next()%4 != 0 {
		d.Histogram = &histogram.Histogram{}
		for range f.next() % 8 {
			d.Histogram.Add(uint64(f.next()), uint64(f.next()))
		}
	}
	return []digest.Figures{d}
}

func (f *figures) report() *digest.Report {
	r := &digest.Report{Coarsening: f.next() % (histogram.MaxCoarsening + 1), Environment: digest.Environment{
		CPUMillis: f.next(), MemoryBytes: f.next(), ThrottledPeriods: f.next(), SparseFiles: f.next(), StartMarginMilliseconds: f.next(),
		StealPermille: f.next() % 1001, UsedPermille: f.next() % 1001, UsedInodesPermille: f.next() % 1001, BusiestJobPermille: f.next() % 1001,
	}}
	if f.next()%4 > 0 {
		r.Environment.Counters = &digest.Counters{NFS: f.next()%2 == 0, Reads: f.next(), WriteBytes: f.next()}
	}
	r.Environment.Periods = add(r.Environment.ThrottledPeriods, f.next())
	r.Environment.Files = add(r.Environment.SparseFiles, f.next())
	for range 1 + f.next()%2 {
		g := digest.Group{JobStart: f.next(), ElapsedMilliseconds: f.next(), UserPercent: f.next() % 1001, SystemPercent: f.next() % 1001}
		for _, operation := range v1alpha1.Operations()[:5] {
			g.Figures = append(g.Figures, f.operation(operation)...)
		}
		r.Groups = append(r.Groups, g)
	}
	return r
}

// FuzzReports merges whatever pods can report. What comes out is within the bounds of what went in, in any order.
func FuzzReports(f *testing.F) {
	r := rand.New(rand.NewPCG(17, 18))
	for range 8 {
		seed := make([]byte, 2000)
		for i := range seed {
			seed[i] = byte(r.Uint32())
		}
		f.Add(uint8(1+r.IntN(6)), seed)
	}
	f.Fuzz(func(t *testing.T, n uint8, data []byte) {
		source := figures(data)
		var reports, reversed []*digest.Report
		for range n % 8 {
			report := source.report()
			reports, reversed = append(reports, report), append([]*digest.Report{report}, reversed...)
		}
		merged, err := Reports(reports)
		if err != nil {
			return
		}
		again, err := Reports(reversed)
		if err != nil {
			t.Fatal(err)
		}
		if diff := diff(merged, again); diff != "" {
			t.Errorf("in another order (-want +got):\n%s", diff)
		}
		checkMerged(t, merged, reports)
	})
}

func checkMerged(t *testing.T, merged *Merged, reports []*digest.Report) {
	t.Helper()
	e := merged.Report.Environment
	for _, share := range []int64{e.StealPermille, e.UsedPermille, e.UsedInodesPermille, e.BusiestJobPermille} {
		if share < 0 || share > 1000 {
			t.Errorf("environment %+v", e)
		}
	}
	if e.Counters != nil && (e.Counters.Reads < 0 || e.Counters.WriteBytes < 0) {
		t.Errorf("counters %+v", e.Counters)
	}
	for _, n := range []int64{e.CPUMillis, e.MemoryBytes, e.ThrottledPeriods, e.Periods - e.ThrottledPeriods, e.SparseFiles, e.Files - e.SparseFiles, e.StartMarginMilliseconds} {
		if n < 0 {
			t.Errorf("environment %+v", e)
		}
	}
	for i := range merged.Report.Groups {
		g, differ := &merged.Report.Groups[i], &merged.Groups[i]
		if g.JobStart < 0 || g.ElapsedMilliseconds < 0 || g.UserPercent < 0 || g.UserPercent > 1000 || g.SystemPercent < 0 || g.SystemPercent > 1000 {
			t.Errorf("group %+v", g)
		}
		if differ.CommonMilliseconds < 0 || differ.CommonMilliseconds > g.ElapsedMilliseconds || differ.StartSkewMilliseconds != nil && *differ.StartSkewMilliseconds < 0 {
			t.Errorf("group %+v", differ)
		}
		for _, operation := range v1alpha1.Operations() {
			checkOperation(t, g.Of(operation), figuresOf(groupsAt(reports, i), operation))
		}
	}
}

func checkOperation(t *testing.T, f *digest.Figures, own []*digest.Figures) {
	t.Helper()
	if (f == nil) != (len(own) == 0) {
		t.Errorf("figures of %d clients are merged to %+v", len(own), f)
	}
	if f == nil {
		return
	}
	for _, o := range own {
		if o.Count > f.Count || o.Bytes > f.Bytes || o.ShortIOs > f.ShortIOs || o.DroppedIOs > f.DroppedIOs || o.MilliIOPS > f.MilliIOPS || o.BytesPerSecond > f.BytesPerSecond {
			t.Errorf("sums %+v are less than %+v", f, o)
		}
	}
	if s := f.PerClient; s != nil {
		variation, err := strconv.ParseFloat(s.CoefficientOfVariation, 64)
		if err != nil || s.MinMilliIOPS < 0 || s.MaxMilliIOPS < s.MinMilliIOPS || !(variation >= 0 && variation <= math.Sqrt(128)) {
			t.Errorf("spread %+v, %v", s, err)
		}
	}
	if l := f.Latency; len(own) > 1 && l != nil {
		if f.LatencyCount < 1 || l.StddevNanoseconds < 0 || l.MeanNanoseconds < least(own, meanOf) || l.MeanNanoseconds > greatest(own, meanOf) {
			t.Errorf("latency %+v", l)
		}
	}
	if d := f.CompletionLatency; len(own) > 1 && d != nil {
		last := int64(0)
		for _, percentile := range d.Percentiles() {
			if *percentile < last || *percentile > v1alpha1.BeyondHistogramNanoseconds {
				t.Errorf("percentiles %+v", d)
			}
			last = *percentile
		}
		if d.MinNanoseconds < 0 || d.MaxNanoseconds < d.MinNanoseconds {
			t.Errorf("from %d to %d ns", d.MinNanoseconds, d.MaxNanoseconds)
		}
	}
}

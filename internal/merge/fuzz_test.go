package merge

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/direction"
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

func (f *figures) direction() *digest.Direction {
	if f.next()%4 == 0 {
		return nil
	}
	d := &digest.Direction{
		IOs: f.next(), Bytes: f.next(), ShortIOs: f.next(), DroppedIOs: f.next(), MilliIOPS: f.next(), BytesPerSecond: f.next(),
	}
	if f.next()%4 != 0 {
		d.Latency = &digest.Latency{Count: f.next(), Mean: f.next(), Stddev: f.next()}
	}
	if f.next()%4 != 0 {
		d.Completion = &digest.Completion{Min: f.next()}
		d.Completion.Max = add(d.Completion.Min, f.next())
	}
	if c := d.Completion; c != nil && f.next()%4 != 0 {
		c.Histogram = &histogram.Histogram{}
		for range f.next() % 8 {
			c.Histogram.Add(uint64(f.next()), uint64(f.next()))
		}
	}
	return d
}

func (f *figures) sync() *digest.Sync {
	d := f.direction()
	if d == nil || d.Latency == nil {
		return nil
	}
	return &digest.Sync{Count: max(d.Latency.Count, 1), Mean: d.Latency.Mean, Completion: d.Completion}
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
		r.Groups = append(r.Groups, digest.Group{
			JobStart: f.next(), ElapsedMilliseconds: f.next(), UserPercent: f.next() % 1001, SystemPercent: f.next() % 1001,
			Read: f.direction(), Write: f.direction(), Trim: f.direction(), Sync: f.sync(),
		})
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
		checkDirection(t, g.Read, differ.Read, directions(groupsAt(reports, i), direction.Read))
		checkDirection(t, g.Write, differ.Write, directions(groupsAt(reports, i), direction.Write))
		checkDirection(t, g.Trim, differ.Trim, directions(groupsAt(reports, i), direction.Trim))
		for _, own := range groupsAt(reports, i) {
			if s := g.Sync; own.Sync != nil && (s == nil || s.Count < own.Sync.Count || s.Mean < 0) {
				t.Errorf("syncs %+v are merged to %+v", own.Sync, s)
			}
		}
	}
}

func checkDirection(t *testing.T, d *digest.Direction, spread *Spread, own []*digest.Direction) {
	t.Helper()
	if (d == nil) != (len(own) == 0) || (spread == nil) != (len(own) == 0) {
		t.Errorf("%d directions are merged to %+v, spread %+v", len(own), d, spread)
	}
	if d == nil {
		return
	}
	for _, o := range own {
		if o.IOs > d.IOs || o.Bytes > d.Bytes || o.ShortIOs > d.ShortIOs || o.DroppedIOs > d.DroppedIOs || o.MilliIOPS > d.MilliIOPS || o.BytesPerSecond > d.BytesPerSecond {
			t.Errorf("sums %+v are less than %+v", d, o)
		}
	}
	if spread.MinMilliIOPS < 0 || spread.MaxMilliIOPS < spread.MinMilliIOPS || !(spread.Variation >= 0 && spread.Variation <= math.Sqrt(128)) {
		t.Errorf("spread %+v", spread)
	}
	if l := d.Latency; len(own) > 1 && l != nil {
		mean := func(d *digest.Direction) int64 { return d.Latency.Mean }
		if l.Count < 1 || l.Stddev < 0 || l.Mean < least(own, mean) || l.Mean > greatest(own, mean) {
			t.Errorf("latency %+v", l)
		}
	}
	if c := d.Completion; c != nil {
		last := int64(0)
		for _, bucket := range c.Buckets {
			if bucket < last || bucket >= histogram.Buckets {
				t.Errorf("percentiles %v", c.Buckets)
			}
			last = bucket
		}
		if c.Min < 0 || c.Max < c.Min {
			t.Errorf("from %d to %d ns", c.Min, c.Max)
		}
	}
}

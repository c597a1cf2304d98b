package result

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/series"
)

// seriesOf returns a series with a section for each of these rates, which is that for 20 s and then a tenth of it; of 0 it is the same all the time.
func seriesOf(rates ...float64) *series.Series {
	r := &series.Recording{IntervalMilliseconds: 1000, LatencyPoints: 1, Clients: 1}
	for _, rate := range rates {
		d := &series.Recorded{}
		for i := range 40 {
			now := max(rate, 100)
			if rate > 0 && i >= 20 {
				now = rate / 10
			}
			d.IOPS, d.Bytes = append(d.IOPS, series.Steady(now)), append(d.Bytes, series.Steady(now))
		}
		r.Sections = append(r.Sections, series.RecordedSection{Name: "s", Write: d})
	}
	return r.Series()
}

func TestAddSeries(t *testing.T) {
	want := &v1alpha1.OverTime{
		SteadySeconds: new(int32(20)), FirstTenthMilliIOPS: 3_000_000, LastTenthMilliIOPS: 300_000, SlowPercent: 50,
		Fall:  &v1alpha1.RateFall{AtSeconds: 20, BeforeMilliIOPS: 3_000_000, AfterMilliIOPS: 300_000},
		Drops: []v1alpha1.RateDrop{{AtSeconds: 20, DurationSeconds: 20, MilliIOPS: 300_000}},
	}
	one := &Measured{results: make([]v1alpha1.Result, 1)}
	one.Result = &one.results[0]
	one.AddSeries(seriesOf(3000))
	if diff := cmp.Diff(want, one.Result.OverTime); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}

	several := &Measured{results: make([]v1alpha1.Result, 2), Sections: make([]v1alpha1.SectionResult, 2)}
	several.AddSeries(seriesOf(0, 3000))
	if several.Sections[0].OverTime != nil || several.Sections[1].OverTime == nil || several.results[1].OverTime == nil {
		t.Errorf("sections %+v", several.Sections)
	}

	none := &Measured{results: make([]v1alpha1.Result, 2), Sections: make([]v1alpha1.SectionResult, 2)}
	none.AddSeries(seriesOf(3000)) // of a run with one result
	none.AddSeries(nil)
	if none.Sections[0].OverTime != nil {
		t.Errorf("sections %+v", none.Sections)
	}
}

// What a pod sends has bounds in the status, whatever it is.
func TestOverTimeIsBounded(t *testing.T) {
	s := seriesOf(1e14)
	s.IntervalMilliseconds = 1 << 31
	over := overTime(s, &s.Sections[0])
	if over == nil || over.FirstTenthMilliIOPS > 99_999_999_000 || over.Fall.AtSeconds > v1alpha1.MaxRunSeconds || len(over.Drops) > 3 || over.SlowPercent > 100 {
		t.Errorf("over time: %+v", over)
	}
}

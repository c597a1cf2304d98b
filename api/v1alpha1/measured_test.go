package v1alpha1

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A run has one result without a name, or one for each section, which may share a name. One that has failed has none.
func TestMeasured(t *testing.T) {
	result := func(milliseconds int64) Result { return Result{ElapsedMilliseconds: milliseconds} }
	bound := &LimitedBy{Reason: BoundLatency}
	whole := result(1)
	for _, test := range []struct {
		name string
		run  Run
		want []SectionResult
	}{
		{"one result", Run{Result: &whole, LimitedBy: bound}, []SectionResult{{Result: result(1), LimitedBy: bound}}},
		{"sections", Run{Sections: []SectionResult{{Name: "a", Result: result(1)}, {Name: "b", Result: result(2), LimitedBy: bound}}},
			[]SectionResult{{Name: "a", Result: result(1)}, {Name: "b", Result: result(2), LimitedBy: bound}}},
		{"none", Run{State: RunFailed}, nil},
	} {
		var got []SectionResult
		for measured := range test.run.Measured() {
			got = append(got, *measured)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
		if results := test.run.Results(); len(results) != len(test.want) || (len(results) > 0 && results[0].ElapsedMilliseconds != 1) {
			t.Errorf("%s: results are %+v", test.name, results)
		}
		for measured := range test.run.Measured() { // who has enough may stop
			if measured.ElapsedMilliseconds != 1 {
				t.Errorf("%s: the first is %+v", test.name, measured)
			}
			break
		}
	}
}

func TestMeasuredIn(t *testing.T) {
	whole := Result{ElapsedMilliseconds: 9}
	single := Run{Result: &whole}
	several := Run{Sections: []SectionResult{
		{Name: "a", Result: Result{ElapsedMilliseconds: 1}}, {Name: "b", Result: Result{ElapsedMilliseconds: 2}}, {Name: "a", Result: Result{ElapsedMilliseconds: 3}},
	}}
	for _, test := range []struct {
		run     *Run
		section string
		before  int
		want    int64 // 0: none
	}{
		{&single, "", 0, 9}, {&single, "", 1, 0}, {&single, "a", 0, 0},
		{&several, "a", 0, 1}, {&several, "b", 0, 2}, {&several, "a", 1, 3}, {&several, "a", 2, 0}, {&several, "", 0, 0},
		{&Run{}, "", 0, 0},
	} {
		got := test.run.MeasuredIn(test.section, test.before)
		if (got == nil) != (test.want == 0) || (got != nil && got.ElapsedMilliseconds != test.want) {
			t.Errorf("section %q after %d others is %+v, want %d", test.section, test.before, got, test.want)
		}
	}
}

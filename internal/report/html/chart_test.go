package html

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNumeric(t *testing.T) {
	for value, want := range map[string]float64{
		"1": 1, "16": 16, "4k": 4096, "4K": 4096, "1m": 1 << 20, "2Gi": 2 << 30, "1gib": 1 << 30, "8kb": 8192, "512b": 512, "0.5": 0.5, "1t": 1 << 40,
		"": 0, "0": 0, "-4": 0, "k": 0, "4kk": 0, "4k,8k": 0, "randread": 0, "1e400": 0, "inf": 0, "nan": 0,
	} {
		got, ok := numeric(value)
		if got != want || ok != (want > 0) {
			t.Errorf("%q is %v, %t; want %v", value, got, ok, want)
		}
	}
}

func TestNines(t *testing.T) {
	for percentile, want := range map[float64]float64{50: 0.30103, 90: 1, 99: 2, 99.9: 3, 99.99: 4} {
		if got := nines(percentile); math.Abs(got-want) > 1e-5 {
			t.Errorf("%v is at %v, want %v", percentile, got, want)
		}
	}
}

func TestOmitEmpty(t *testing.T) {
	full := table{Caption: "c", Columns: []column{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "d"}}, Rows: []row{
		{text("1"), text(""), cell{Sub: "2"}, cell{Target: &target{}}}, {text(""), text(""), text(""), text("")},
	}}
	want := table{Caption: "c", Columns: []column{{Name: "a"}, {Name: "c"}, {Name: "d"}}, Rows: []row{
		{text("1"), cell{Sub: "2"}, cell{Target: &target{}}}, {text(""), text(""), text("")},
	}}
	if diff := cmp.Diff(want, full.omitEmpty()); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
}

// TestTargets: as many as a benchmark can have look different from each other.
func TestTargets(t *testing.T) {
	seen := map[[3]int]int{}
	for i := range 16 {
		look := [3]int{target{Index: i}.Color(), target{Index: i}.Symbol(), target{Index: i}.Dash()}
		if other, known := seen[look]; known {
			t.Errorf("targets %d and %d look alike", other, i)
		}
		seen[look] = i
	}
}

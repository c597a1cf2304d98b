package cases

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMedianOf(t *testing.T) {
	for want, values := range map[int64][]int64{3: {9, 3, 1}, 2: {2}, 5: {4, 6}, 1<<63 - 1: {1<<63 - 1, 1<<63 - 1}} {
		before := slices.Clone(values)
		if got := Median(values); got != want {
			t.Errorf("of %d it is %d, want %d", values, got, want)
		}
		if diff := cmp.Diff(before, values); diff != "" {
			t.Errorf("the values were changed: %s", diff)
		}
	}
}

package v1alpha1_test

import (
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

func TestRunSeconds(t *testing.T) {
	for _, test := range []struct {
		name   string
		spec   *int32
		needed int32
		want   int32
	}{
		{"nothing says more", nil, 0, 86_400},
		{"its runs need more", nil, 172_800, 172_800},
		{"the spec says it", new(int32(60)), 0, 60},
		{"the spec says it of long runs", new(int32(60)), 172_800, 60},
	} {
		sb := &v1alpha1.StorageBenchmark{}
		sb.Spec.Deadlines.RunCompletionSeconds = test.spec
		if got := sb.RunSeconds(test.needed); got != test.want {
			t.Errorf("%s: %d, want %d", test.name, got, test.want)
		}
	}
}

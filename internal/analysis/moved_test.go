package analysis

import (
	"strings"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// TestMovedOn: runs of a target before and after its node changed are told, and counted.
func TestMovedOn(t *testing.T) {
	one := func(target string, state v1alpha1.RunState) v1alpha1.Run {
		return v1alpha1.Run{Target: target, State: state}
	}
	const done = v1alpha1.RunSucceeded
	runs := []v1alpha1.Run{one("a", done), one("b", done), one("a", v1alpha1.RunFailed), one("b", done), one("a", done), one("a", done)}
	for name, test := range map[string]struct {
		target string
		before *int32
		want   string
	}{
		"it never changed":          {"a", nil, ""},
		"before the first result":   {"a", new(int32(0)), ""},
		"after the first result":    {"a", new(int32(1)), "1 of 3 runs"},
		"a failed run is no result": {"a", new(int32(3)), "1 of 3 runs"},
		"after the last result":     {"a", new(int32(6)), ""},
		"of the other target":       {"b", new(int32(3)), "1 of 2 runs"},
	} {
		t.Run(name, func(t *testing.T) {
			target := &v1alpha1.TargetStatus{Name: test.target, RunsBeforeNodeChange: test.before}
			warning, _ := movedOn(target, runs)
			if got := ""; warning != nil || test.want != "" {
				if warning != nil {
					got = warning.Message
				}
				if !strings.HasPrefix(got, test.want) || got == "" {
					t.Errorf("%q, want %q", got, test.want)
				}
			}
			summary := Summarize([]v1alpha1.TargetStatus{*target}, runs, nil)
			if (len(summary) == 1) != (test.want != "") {
				t.Errorf("the summary is %+v", summary)
			}
		})
	}
}

package children

import (
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/test/builder"
)

// A Job that is made again may have been there before: what tells of its files has gone with it. One that this operator makes for the first time was not.
func TestNoteEarlierJobs(t *testing.T) {
	run := &v1alpha1.Run{Name: "a", Target: "t", State: v1alpha1.RunRunning, Attempts: 1, Clients: 2}
	begun := func(made ...int32) attempt.OwnAttempt {
		own := attempt.NewOwnAttempt(run)
		for _, client := range made {
			own.Made(run, client)
		}
		return own
	}
	for name, test := range map[string]struct {
		own  attempt.OwnAttempt
		want v1alpha1.TestFilesState
	}{
		"another operator began":    {attempt.OwnAttempt{}, v1alpha1.TestFilesPresent},
		"the first try":             {begun(), ""},
		"another client's was made": {begun(1), ""},
		"it was made":               {begun(0), v1alpha1.TestFilesPresent},
		"both were":                 {begun(0, 1), v1alpha1.TestFilesPresent},
	} {
		sb := builder.NewBenchmark("default", "sb").Target(builder.NewClaimTarget("t", "mine")).Build()
		sb.Status.Targets = []v1alpha1.TargetStatus{{Name: "t"}}
		c := Of(sb, noneUnmade)
		c.NoteEarlierJobs(run, []int32{0}, &test.own)
		if got := sb.Status.Targets[0].TestFiles; got != test.want {
			t.Errorf("%s: files are %q, want %q", name, got, test.want)
		}
	}
}

// Of a run that is given up, files are noted only if nobody has seen that it made none. There need not be a run.
func TestNoteUnseen(t *testing.T) {
	for name, test := range map[string]struct {
		run  *v1alpha1.Run
		want v1alpha1.TestFilesState
	}{
		"no run":         {nil, ""},
		"one that waits": {&v1alpha1.Run{Name: "a", Target: "t", State: v1alpha1.RunPending}, ""},
		"one that runs":  {&v1alpha1.Run{Name: "a", Target: "t", State: v1alpha1.RunRunning, Attempts: 1}, v1alpha1.TestFilesPresent},
	} {
		sb := builder.NewBenchmark("default", "sb").Target(builder.NewClaimTarget("t", "mine")).Build()
		sb.Status.Targets = []v1alpha1.TargetStatus{{Name: "t"}}
		c := Of(sb, noneUnmade)
		c.NoteUnseen(test.run, &attempt.OwnAttempt{})
		if got := sb.Status.Targets[0].TestFiles; got != test.want {
			t.Errorf("%s: files are %q, want %q", name, got, test.want)
		}
	}
}

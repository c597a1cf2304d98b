package controllers

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/humanize"
	"github.com/storagebench/storagebench/test/builder"
)

// A condition has the time at which its status became what it is, whatever its words were since.
func TestSetCondition(t *testing.T) {
	const yes, no, unknown = metav1.ConditionTrue, metav1.ConditionFalse, metav1.ConditionUnknown
	for _, test := range []struct {
		name     string
		before   []metav1.Condition
		status   metav1.ConditionStatus
		since    time.Time
		message  string
		want     string
		finished bool
	}{
		{"the first", nil, unknown, noon, "m", "m", false},
		{"other words", []metav1.Condition{{Type: v1alpha1.ConditionSucceeded, Status: unknown, Reason: "R", LastTransitionTime: *at(-time.Hour)}}, unknown, noon.Add(-time.Hour), "m", "m", false},
		{"another status", []metav1.Condition{{Type: v1alpha1.ConditionSucceeded, Status: unknown, Reason: "R", LastTransitionTime: *at(-time.Hour)}}, no, noon, "m", "m", true},
		{"beside another one", []metav1.Condition{{Type: v1alpha1.ConditionMeasured, Status: yes, Reason: "R", LastTransitionTime: *at(-time.Hour)}}, yes, noon, "m", "m", true},
		{"words of a driver", nil, unknown, noon, "red \x1b[31m\xff", "red  [31m?", false},
		{"too many words", nil, unknown, noon, strings.Repeat("m", world.MaxConditionMessage+1), strings.Repeat("m", world.MaxConditionMessage-len("…")) + "…", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := writerOf(builder.OneRun("default", "sb").With(func(sb *v1alpha1.StorageBenchmark) {
				sb.Generation, sb.Status.Conditions = 3, test.before
			}).Build())
			s.SetCondition(v1alpha1.ConditionSucceeded, test.status, "Because", test.message)
			want := metav1.Condition{
				Type: v1alpha1.ConditionSucceeded, Status: test.status, Reason: "Because", Message: test.want,
				ObservedGeneration: 3, LastTransitionTime: metav1.NewTime(test.since),
			}
			if got := s.SB.Status.Condition(v1alpha1.ConditionSucceeded); got != want {
				t.Errorf("condition is %+v, want %+v", got, want)
			}
			if s.SB.Status.HasEnded() != test.finished || !s.Changed() {
				t.Errorf("finished: %t, changed: %t", s.SB.Status.HasEnded(), s.Changed())
			}
		})
	}
}

// The first reason for which measuring ends is not the last one: who ends it asks before whether it has ended.
func TestConcluded(t *testing.T) {
	s := writerOf(builder.OneRun("default", "sb").Build())
	if s.Step(v1alpha1.ReasonMeasuring, "run a"); s.SB.Status.HasMeasured() || s.SB.Status.HasEnded() {
		t.Error("a step ends the benchmark")
	}
	if s.Fail(v1alpha1.ReasonRunFailed, "no"); !s.SB.Status.HasMeasured() || s.SB.Status.HasEnded() {
		t.Errorf("after a failure, concluded: %t, finished: %t", s.SB.Status.HasMeasured(), s.SB.Status.HasEnded())
	}
}

// What people read of the runs follows from how many have ended.
func TestSummarize(t *testing.T) {
	const done, failed, pending = v1alpha1.RunSucceeded, v1alpha1.RunFailed, v1alpha1.RunPending
	for _, test := range []struct {
		name     string
		states   []v1alpha1.RunState
		finished int32
		progress string
		compared int
	}{
		{"no plan", nil, 0, "", 0},
		{"none has ended", []v1alpha1.RunState{pending, pending}, 0, "0/2", 0},
		{"some have", []v1alpha1.RunState{done, failed, pending}, 2, "2/3", 1},
		{"all have", []v1alpha1.RunState{done, done}, 2, "2/2", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := writerOf(builder.OneRun("default", "sb").Build())
			s.SB.Status = v1alpha1.StorageBenchmarkStatus{
				PlannedRuns: int32(len(test.states)), Runs: runsOf(test.states...), Targets: []v1alpha1.TargetStatus{{Name: "fast"}},
			}
			for i := range s.SB.Status.Runs {
				if run := &s.SB.Status.Runs[i]; run.State == done {
					run.Workload, run.Result = "randread", builder.Result()
				}
			}
			summarize(s)
			status := s.SB.Status
			if status.FinishedRuns != test.finished || status.Progress != test.progress || len(status.Comparisons) != test.compared || (status.Best == "") != (test.compared == 0) {
				t.Errorf("%d have ended, %q, best %q, compared %+v", status.FinishedRuns, status.Progress, status.Best, status.Comparisons)
			}
		})
	}
}

func TestUnlessGone(t *testing.T) {
	pods := schema.GroupResource{Resource: "pods"}
	for name, test := range map[string]struct {
		err  error
		want string
	}{
		"none":     {nil, ""},
		"gone":     {apierrors.NewNotFound(pods, "p"), ""},
		"another":  {errors.New("etcd is busy"), "delete pod p: etcd is busy"},
		"conflict": {apierrors.NewConflict(pods, "p", errors.New("changed")), `delete pod p: Operation cannot be fulfilled on pods "p": changed`},
	} {
		err := world.UnlessGone(test.err, "delete pod p")
		if (err == nil) != (test.want == "") || (err != nil && (err.Error() != test.want || !errors.Is(err, test.err))) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}

func TestTruncate(t *testing.T) {
	for _, test := range []struct {
		text string
		n    int
		want string
	}{
		{"", 5, ""}, {"abcde", 5, "abcde"}, {"abcdef", 5, "ab…"}, {"äöüß", 7, "äö…"}, {"äöüß", 6, "ä…"}, {"aäöü", 6, "aä…"},
		{"a\nb", 5, "a\nb"}, {"\x1b[2Ja\r\u202e\x00", 9, " [2Ja   "}, {"\xff\xfea", 5, "?a"}, {"\x80\x80\x80", 2, "?"},
	} {
		if got := humanize.Fit(test.text, test.n); got != test.want || len(got) > test.n || !utf8.ValidString(got) {
			t.Errorf("humanize.Fit(%q, %d) is %q, want %q", test.text, test.n, got, test.want)
		}
	}
	if note := world.LimitNote(strings.Repeat("ä", 1000)); len(note) > 1024 || !strings.HasSuffix(note, "…") {
		t.Errorf("note of %d bytes", len(note))
	}
	if note := world.LimitNote("short"); note != "short" {
		t.Errorf("note %q", note)
	}
}

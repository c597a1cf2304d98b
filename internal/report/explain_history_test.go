package report

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/history"
	"github.com/storagebench/storagebench/internal/regression"
)

var firstNight = time.Date(2026, 10, 1, 3, 0, 0, 0, time.UTC)

// nights is a history of so many nights. Each has a figure of a case that a function gives.
func nights(n int, iops func(night int) int64, change func(night int, e *history.Environment)) *history.History {
	h := &history.History{}
	for night := range n {
		p := history.Point{
			Time: firstNight.AddDate(0, 0, night), Benchmark: fmt.Sprintf("nightly-%d", night), UID: fmt.Sprint(night),
			Environment: history.Environment{Baseline: "b", Kernel: "6.1"},
			Cases:       []history.Measured{{Case: history.Case{Workload: "randread", Parameters: "bs=4k", Target: "gp3"}, Figures: []history.Figure{{Metric: history.ReadIOPS, Value: 1000 * iops(night)}}}},
		}
		change(night, &p.Environment)
		h.Add(p, 90)
	}
	return h
}

// nightly is a schedule whose condition Scheduled has this status, reason and message.
func nightly(status metav1.ConditionStatus, reason, message string) *v1alpha1.StorageBenchmarkSchedule {
	s := &v1alpha1.StorageBenchmarkSchedule{Spec: v1alpha1.StorageBenchmarkScheduleSpec{Schedule: "0 3 * * *", HistoryLimit: new(int32(90))}}
	s.Namespace, s.Name = "ns", "nightly"
	s.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionScheduled, Status: status, Reason: reason, Message: message}}
	return s
}

func historyExplained(s *v1alpha1.StorageBenchmarkSchedule, h *history.History, options regression.Options) string {
	var out strings.Builder
	found := regression.Find(h, options)
	ExplainHistory(&out, s, h, &found, firstNight.AddDate(0, 0, 33), Style{})
	return out.String()
}

// slower has a step down from night 30 on, with another kernel.
func slower() *history.History {
	return nights(34, func(night int) int64 {
		if night >= 30 {
			return 2000 + int64(night%3)
		}
		return 3000 + int64(night%3)
	}, func(night int, e *history.Environment) {
		if night >= 30 {
			e.Kernel = "6.12"
		}
	})
}

// A schedule whose benchmarks fail is not silent about it.
func TestExplainAFailingSchedule(t *testing.T) {
	s := nightly(metav1.ConditionTrue, v1alpha1.ReasonWaiting, "")
	s.Status.LastResult = &v1alpha1.ScheduleResult{
		Benchmark: "nightly-2", CompletionTime: metav1.NewTime(firstNight), Reason: v1alpha1.ReasonInvalidSpec, Message: "there is no StorageClass gp33",
	}
	const want = "\n  Last      nightly-2 ended with InvalidSpec on 2026-10-01 03:00 UTC: there is no StorageClass gp33.\n  Kept      0 points"
	if got := historyExplained(s, &history.History{}, regression.Options{}); !strings.Contains(got, want) {
		t.Errorf("%q is not in\n%s", want, got)
	}
	s.Status.LastResult.Reason = v1alpha1.ReasonCompleted
	if got := LastFailure(s, Style{}); got != "" {
		t.Errorf("a success is told: %s", got)
	}
}

func TestExplainHistory(t *testing.T) {
	s := nightly(metav1.ConditionTrue, v1alpha1.ReasonWaiting, "")
	s.Status.LastScheduleTime = new(metav1.NewTime(firstNight.AddDate(0, 0, 33)))
	s.Status.NextScheduleTime = new(metav1.NewTime(firstNight.AddDate(0, 0, 34)))
	s.Status.MissedStarts = 1
	want := `nightly
  Starts    By "0 3 * * *", UTC; the last one was due on 2026-11-03 03:00 UTC; the next one is due on 2026-11-04 03:00 UTC; 1 missed so far.
  Kept      34 points of at most 90, since 2026-10-01 03:00 UTC.
  Compared  34 runs since 2026-10-01 03:00 UTC.
  Verdict   Read IOPS of randread bs=4k on gp3 fell 33 % (3001 -> 2000) on 2026-10-31 03:00 UTC (nightly-30), with kernel 6.1 -> 6.12; last measured on 2026-11-03 03:00 UTC.

read IOPS of randread bs=4k on gp3
  Change    Regression: it fell 33 % (3001 -> 2000). The first benchmark after it is nightly-30, which ended on 2026-10-31 03:00 UTC.
  Now       2000, the median of 4 runs. The last run ended on 2026-11-03 03:00 UTC.
  Beside    kernel 6.1 -> 6.12. That is no proof that it is the cause.
  How sure  30 runs before it and 4 from it on. A t-test that takes each run to be somewhat like the one before gives p below 1e-09. A change is told below 0.0005 (0.0005 / the number of figures). That does not exclude that a neighbour was busy for several runs. Few runs have come since: the next ones make it surer.

What to do
  First     Look at what changed beside it, and undo it.
  Again     kubectl storagebench run --from-schedule nightly -n ns
            It makes one more point of the history, at this time of day.
  Chart     kubectl storagebench report schedule/nightly -n ns -o html > nightly.html
  Known     kubectl annotate sbs nightly -n ns storagebench.dev/acknowledged="$(date -u +%FT%TZ)" --overwrite
            Nothing that is told now, on any target, makes the schedule Regressed any more.
  Accept    kubectl annotate sbs nightly -n ns storagebench.dev/baseline-from="$(date -u +%FT%TZ)" --overwrite
            Only runs from now on are compared. It cannot be told for 11 runs whether a figure is worse.
`
	if diff := cmp.Diff(want, historyExplained(s, slower(), regression.Options{})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// What a reader must not overlook is said, and what is not so is not.
func TestExplainHistoryWords(t *testing.T) {
	waiting := nightly(metav1.ConditionTrue, v1alpha1.ReasonWaiting, "")
	steady := func(int) int64 { return 3000 }
	same := func(int, *history.Environment) {}
	unkept := nightly(metav1.ConditionTrue, v1alpha1.ReasonWaiting, "")
	unkept.Status.Conditions = append(unkept.Status.Conditions, metav1.Condition{
		Type: v1alpha1.ConditionHistoryKept, Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonNotKept, Message: "write ConfigMap nightly-history-0: too large",
	})
	refused := nightly(metav1.ConditionFalse, v1alpha1.ReasonStartRefused, "exceeded quota.")
	refused.Status.NextScheduleTime = new(metav1.NewTime(firstNight.AddDate(0, 0, 34)))
	away := nightly(metav1.ConditionTrue, v1alpha1.ReasonWaiting, "")
	away.Status.NextScheduleTime = new(metav1.NewTime(firstNight.AddDate(0, 0, 31)))
	unseen := nightly(metav1.ConditionTrue, v1alpha1.ReasonWaiting, "")
	unseen.Generation = 2
	search := nightly(metav1.ConditionTrue, v1alpha1.ReasonWaiting, "")
	search.Spec.Template.Spec.Workloads = []v1alpha1.Workload{{Name: "randread", Search: &v1alpha1.LoadSearch{}}}
	full := nightly(metav1.ConditionTrue, v1alpha1.ReasonWaiting, "")
	full.Spec.HistoryLimit = new(int32(40))
	for name, test := range map[string]struct {
		schedule *v1alpha1.StorageBenchmarkSchedule
		history  *history.History
		options  regression.Options
		want     []string
		not      []string
	}{
		"nothing was measured": {waiting, &history.History{}, regression.Options{}, []string{"0 points of at most 90.", "No benchmark has measured anything yet."}, []string{"What to do", "since"}},
		"too few runs":         {waiting, nights(5, steady, same), regression.Options{}, []string{"It cannot be told yet"}, []string{"What to do"}},
		"nothing is worse":     {waiting, nights(40, steady, same), regression.Options{}, []string{"No figure was found to be worse"}, []string{"What to do", "Change"}},
		"suspended": {
			nightly(metav1.ConditionFalse, v1alpha1.ReasonSuspended, "spec.suspend is true"), nights(5, steady, same), regression.Options{},
			[]string{`By "0 3 * * *", UTC. None is made: spec.suspend is true.`}, []string{"due"},
		},
		"points are missing": {unkept, nights(5, steady, same), regression.Options{}, []string{"The last points could not be kept: write ConfigMap nightly-history-0: too large."}, nil},
		"acknowledged": {
			waiting, slower(), regression.Options{Acknowledged: firstNight.AddDate(0, 0, 40)},
			[]string{"Regression that is acknowledged: it fell 33 %"}, []string{"What to do"},
		},
		"over": {
			waiting, nights(50, func(night int) int64 {
				if night >= 20 && night < 35 {
					return 2000 + int64(night%3)
				}
				return 3000 + int64(night%3)
			}, same), regression.Options{},
			[]string{"Regression that is over: it fell 33 %", "20 runs before it and 15 from it until the next change.", "Improvement: it rose 50 %", "Nothing new is recorded of kernel. What is not known"}, []string{"What to do", "Few runs"},
		},
		"over, and worse again": {
			waiting, nights(64, func(night int) int64 {
				if night >= 20 && night < 34 || night >= 50 {
					return 2000 + int64(night%3)
				}
				return 3000 + int64(night%3)
			}, same), regression.Options{},
			[]string{"Regression: it fell 33 %", "Regression that was over, before another change: it fell 33 %", "Improvement that did not last: it rose 50 %", "Compared  64 runs since"}, []string{"Regression that is over"},
		},
		"a short level between two changes": {
			waiting, nights(44, func(night int) int64 {
				levels := []int64{3000, 2000, 2500}
				return levels[min(night/20, 1)+min(night/24, 1)] + int64(night%3)
			}, same), regression.Options{},
			[]string{"20 runs before it and 4 from it until the next change."}, []string{"Few runs"},
		},
		"every other run": {
			waiting, nights(60, func(night int) int64 { return 3000 - 1500*int64(night/40)*int64(night%2) + int64(night%3) }, same), regression.Options{},
			[]string{
				"Regression: it fell 50 % (3001 -> 1501) in 10 of 19 runs, after 0 of 41 before.", "1501, the median of 10 bad runs.",
				"Only some runs are bad. Fisher's exact test", "Look at what the bad runs have in common",
			}, []string{"A t-test"},
		},
		"by an annotation": {
			waiting, slower(), regression.Options{BaselineFrom: firstNight.AddDate(0, 0, 10)}, []string{"24 runs since 2026-10-11 03:00 UTC, without those before annotation baseline-from."}, nil,
		},
		"a start waits": {
			nightly(metav1.ConditionTrue, v1alpha1.ReasonActive, "a start is due and waits"), nights(5, steady, same), regression.Options{}, []string{"UTC. A start is due and waits."}, nil,
		},
		"a start was refused": {
			refused, nights(5, steady, same), regression.Options{},
			[]string{"the next one is due on 2026-11-04 03:00 UTC. The last one could not be made: exceeded quota."}, []string{"None is made", "quota.."},
		},
		"the operator is away":   {away, nights(5, steady, same), regression.Options{}, []string{"One was due on 2026-11-01 03:00 UTC, and was not made: look whether the operator runs."}, []string{"the next one"}},
		"a spec nobody has seen": {unseen, nights(5, steady, same), regression.Options{}, []string{"The operator has not seen the schedule as it is now"}, nil},
		"of a search":            {search, slower(), regression.Options{}, []string{"This is of the load that the search found; 0 is where no load kept its budget."}, nil},
		"a history that is full": {full, nights(40, func(night int) int64 { return 3000 - 1000*int64(min(night/7, 1)) + int64(night%3) }, same), regression.Options{}, []string{"The history is dropping the runs before it"}, nil},
		"what a history says is no command of a terminal": {
			waiting, nights(34, func(night int) int64 { return 3000 - 1000*int64(night/30) + int64(night%3) }, func(night int, e *history.Environment) {
				e.Kernel = fmt.Sprintf("6.%d\x1b[2J", night/30)
			}), regression.Options{},
			[]string{"6.0 [2J -> 6.1 [2J"}, []string{"\x1b"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := historyExplained(test.schedule, test.history, test.options)
			for _, words := range test.want {
				if !strings.Contains(got, words) {
					t.Errorf("no %q in\n%s", words, got)
				}
			}
			for _, words := range test.not {
				if strings.Contains(got, words) {
					t.Errorf("%q in\n%s", words, got)
				}
			}
		})
	}
}

// A history that somebody has made up has changes without end. Those that matter most are explained, and the rest is counted.
func TestManyChanges(t *testing.T) {
	h := slower()
	for i := range h.Points {
		first := h.Points[i].Cases[0]
		for n := range 2 * mostExplained {
			first.Target = fmt.Sprintf("target-%d", n)
			h.Points[i].Cases = append(h.Points[i].Cases, first)
		}
	}
	got := historyExplained(nightly(metav1.ConditionTrue, v1alpha1.ReasonWaiting, ""), h, regression.Options{})
	if changes := strings.Count(got, "  Change "); changes != mostExplained {
		t.Errorf("%d changes are explained", changes)
	}
	if !strings.Contains(got, "21 more changes\n  Chart     kubectl storagebench report schedule/nightly -n ns -o html > nightly.html") {
		t.Errorf("the others are not counted in\n%s", got)
	}
}

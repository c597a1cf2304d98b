package schedule

import (
	"strconv"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/history"
	"github.com/storagebench/storagebench/internal/regression"
)

// A change that began after the one that users were told of is told as well. The day of a change may move by a run or
// so, which is no news.
func TestNews(t *testing.T) {
	for _, row := range []struct {
		name        string
		told, worst int64
		want        bool
	}{
		{"not known what was told", 0, 40, false},
		{"the same change", 40, 40, false},
		{"its day has moved", 40, 42, false},
		{"an older one is the worst again", 40, 12, false},
		{"another one", 40, 43, true},
		{"nothing is worse", 40, 0, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			found := judged{status: metav1.ConditionTrue, reason: v1alpha1.ReasonSlower, worst: row.worst}
			p := &pass{memory: &memory{told: row.told, history: &known{regressed: found}}}
			if got := newlyWorse(p); got != row.want {
				t.Errorf("news: %v, want %v", got, row.want)
			}
			if newlyWorse(p) {
				t.Error("it is told twice")
			}
		})
	}
	t.Run("over, and then again", func(t *testing.T) {
		p := &pass{memory: &memory{told: 40, history: &known{regressed: judged{status: metav1.ConditionFalse}}}}
		if newlyWorse(p) || p.memory.told != 0 {
			t.Errorf("told since %d", p.memory.told)
		}
	})
}

// As long as no target has enough runs, nothing can be told: neither that a figure is worse, nor that none is.
func TestVerdict(t *testing.T) {
	runs := func(h *history.History, n int, storage string, iops int64) {
		for range n {
			i := len(h.Points)
			h.Add(history.Point{
				Time: time.Unix(int64(i)*3600, 0), UID: strconv.Itoa(i), Environment: history.Environment{Targets: []history.TargetBaseline{{Target: "gp3", Baseline: storage}}},
				Cases: []history.Measured{{Case: history.Case{Workload: "w", Target: "gp3"}, Figures: []history.Figure{{Metric: history.ReadIOPS, Value: 1000 * (iops + int64(i%3)*10)}}}},
			}, 90)
		}
	}
	for name, row := range map[string]struct {
		now    string
		n      int
		iops   int64
		status metav1.ConditionStatus
		reason string
	}{
		"worse":                             {"a", 3, 900, metav1.ConditionTrue, v1alpha1.ReasonSlower},
		"as it was":                         {"a", 3, 3000, metav1.ConditionFalse, v1alpha1.ReasonNotSlower},
		"other storage, and worse":          {"b", 3, 900, metav1.ConditionUnknown, v1alpha1.ReasonTooFewRuns},
		"other storage since enough runs":   {"b", 11, 900, metav1.ConditionFalse, v1alpha1.ReasonNotSlower},
		"other storage since almost enough": {"b", 10, 900, metav1.ConditionUnknown, v1alpha1.ReasonTooFewRuns},
	} {
		t.Run(name, func(t *testing.T) {
			h := &history.History{}
			runs(h, 30, "a", 3000)
			runs(h, row.n, row.now, row.iops)
			report := regression.Find(h, regression.Options{})
			if status, reason := verdict(&report); status != row.status || reason != row.reason {
				t.Errorf("%s %s: %s", status, reason, report.Message())
			}
		})
	}
}

// A lasting change is a regression, until somebody has acknowledged it or begins a new baseline.
func TestRegression(t *testing.T) {
	w := newWorld(t)
	w.startOperator()
	s := w.create()
	figures := []int64{3000, 3010, 2990, 3004, 3001, 2995, 3007, 2998, 3003, 3000, 2996, 3005, 1500, 1504, 1497, 1501, 1499}
	for i, iops := range figures {
		w.measure(s, metav1.ConditionTrue, iops)
		w.untilPoints(s, i+1)
		if i == 0 {
			w.untilCondition(s, v1alpha1.ConditionRegressed, metav1.ConditionUnknown, v1alpha1.ReasonTooFewRuns)
		}
	}
	w.untilCondition(s, v1alpha1.ConditionRegressed, metav1.ConditionTrue, v1alpha1.ReasonSlower, "fell 50 %")
	w.untilEvent(s, v1alpha1.ReasonSlower, "fell 50 %")
	w.measure(s, metav1.ConditionTrue, 1502) // it is worse still, which is no news
	w.untilPoints(s, len(figures)+1)
	w.untilEvent(s, v1alpha1.ReasonSlower, "fell 50 %")

	annotate := func(key, value string) {
		w.change(s, func(s *v1alpha1.StorageBenchmarkSchedule) { metav1.SetMetaDataAnnotation(&s.ObjectMeta, key, value) })
	}
	annotate(v1alpha1.AnnotationAcknowledged, "yes")
	w.untilCondition(s, v1alpha1.ConditionRegressed, metav1.ConditionUnknown, v1alpha1.ReasonInvalidAnnotation, `annotation storagebench.dev/acknowledged is "yes": give a time such as`)
	annotate(v1alpha1.AnnotationAcknowledged, "2099-01-01T00:00:00Z")
	w.untilCondition(s, v1alpha1.ConditionRegressed, metav1.ConditionUnknown, v1alpha1.ReasonInvalidAnnotation, "which has not come yet")
	annotate(v1alpha1.AnnotationAcknowledged, w.Clock.Now().UTC().Format(time.RFC3339))
	w.untilCondition(s, v1alpha1.ConditionRegressed, metav1.ConditionFalse, v1alpha1.ReasonNotSlower)
	annotate(v1alpha1.AnnotationAcknowledged, "")
	w.untilCondition(s, v1alpha1.ConditionRegressed, metav1.ConditionTrue, v1alpha1.ReasonSlower)
	annotate(v1alpha1.AnnotationBaselineFrom, w.Clock.Now().UTC().Format(time.RFC3339))
	w.untilCondition(s, v1alpha1.ConditionRegressed, metav1.ConditionUnknown, v1alpha1.ReasonTooFewRuns)
}

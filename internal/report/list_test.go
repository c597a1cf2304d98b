package report

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

func TestList(t *testing.T) {
	now := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	ago := func(d time.Duration) metav1.Time { return metav1.Time{Time: now.Add(-d)} }
	started, ended := ago(9*time.Minute), ago(4*time.Minute)
	benchmarks := []v1alpha1.StorageBenchmark{
		{
			ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "ended", CreationTimestamp: ago(10 * time.Minute)},
			Status: v1alpha1.StorageBenchmarkStatus{
				Conditions: []metav1.Condition{{Type: v1alpha1.ConditionSucceeded, Reason: v1alpha1.ReasonCompleted}},
				StartTime:  &started, CompletionTime: &ended, Progress: "4/4", Summary: "w: gp3 3000 IOPS",
				Expected: "2 of 5 missed", WarningCount: 3,
			},
		},
		{
			ObjectMeta: metav1.ObjectMeta{Namespace: "b", Name: "active", CreationTimestamp: ago(10 * time.Minute)},
			Status: v1alpha1.StorageBenchmarkStatus{
				Conditions: []metav1.Condition{{Type: v1alpha1.ConditionSucceeded, Reason: v1alpha1.ReasonMeasuring}}, StartTime: &started, Progress: "1/4",
			},
		},
		{ObjectMeta: metav1.ObjectMeta{Namespace: "b", Name: "new", CreationTimestamp: ago(2 * time.Second)}},
	}
	var out strings.Builder
	List(&out, benchmarks, true, now, Style{})
	want := `NAMESPACE  NAME    STATUS     RUNS  EXPECTED       WARN  DURATION  AGE  SUMMARY
a          ended   Completed   4/4  2 of 5 missed     3        5m  10m  w: gp3 3000 IOPS
b          active  Measuring   1/4  -                 -        9m  10m
b          new     -                -                 -             2s
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	out.Reset()
	List(&out, benchmarks[:1], false, now, Style{})
	if got, want := strings.Split(out.String(), "\n")[0], "NAME   STATUS     RUNS  EXPECTED       WARN  DURATION  AGE  SUMMARY"; got != want {
		t.Errorf("of one namespace: %q", got)
	}
	out.Reset()
	benchmarks[0].Status.Summary = strings.Repeat("w: gp3 3000 IOPS; ", 10)
	List(&out, benchmarks, true, now, Style{Width: 80})
	for line := range strings.Lines(out.String()) {
		if len(strings.TrimSuffix(line, "\n")) > 80 {
			t.Errorf("wider than the terminal: %q", line)
		}
	}
}

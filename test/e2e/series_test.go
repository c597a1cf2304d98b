//go:build e2e

package e2e

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/series"
)

// seriesOf returns what was kept of a run over its time.
func seriesOf(t *testing.T, run *v1alpha1.Run) *series.Series {
	t.Helper()
	kept := &corev1.ConfigMap{}
	if err := k8s.Get(t.Context(), client.ObjectKey{Namespace: namespaceOf(t), Name: run.LogConfigMap}, kept); err != nil {
		t.Fatal(err)
	}
	s, err := series.Decode(kept.BinaryData[series.Key])
	if err != nil {
		t.Fatalf("series of run %s: %v", run.Name, err)
	}
	t.Logf("run %s: a series of %d points of %d ms, %d bytes", run.Name, s.Sections[0].Points(), s.IntervalMilliseconds, len(kept.BinaryData[series.Key]))
	return s
}

// wantCliff checks that a run, which has this series, fell within 2 s of where the bookkeeping of credits has it, from and to about these rates, and that a warning says so.
func wantCliff(t checker, run *v1alpha1.Run, s *series.Series, seconds, before, after float64) {
	t.Helper()
	t.Logf("IOPS: %v", s.Sections[0].Write.IOPS.Mean)
	over := run.Result.OverTime
	if over == nil || over.Fall == nil {
		t.Errorf("run %s did not fall: %+v", run.Name, over)
		return
	}
	if off := float64(over.Fall.AtSeconds) - seconds; off < -2 || off > 2 {
		t.Errorf("run %s fell after %d s, and its credits end after %.1f", run.Name, over.Fall.AtSeconds, seconds)
	}
	wantRatio(t, "IOPS before the fall and the limit", float64(over.Fall.BeforeMilliIOPS)/1000, before, 0.8, 1.1)
	wantRatio(t, "IOPS after the fall and the baseline", float64(over.Fall.AfterMilliIOPS)/1000, after, 0.8, 1.5)
	for _, w := range run.Warnings {
		if w.Reason == v1alpha1.WarningRateFell {
			t.Logf("warning: %s", w.Message)
			return
		}
	}
	t.Errorf("run %s has no warning that it fell: %+v", run.Name, run.Warnings)
}

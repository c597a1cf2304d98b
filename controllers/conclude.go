package controllers

import (
	"context"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/legible"
)

// conclude says how the runs ended, when all of them have. The pass ends with that: results must be in the
// status before clean-up deletes the pods that they came from.
func conclude(_ context.Context, s *scope) (outcome, error) {
	if s.concluded() {
		return goOn(), nil
	}
	var failures []string
	for i := range s.sb.Status.Runs {
		if run := &s.sb.Status.Runs[i]; run.State == v1alpha1.RunFailed {
			failures = append(failures, run.Name+": "+run.Message)
		}
	}
	if len(failures) > 0 {
		s.fail(v1alpha1.ReasonRunFailed, fmt.Sprintf("%d of %s failed: %s",
			len(failures), legible.Plural(int(s.sb.Status.PlannedRuns), "run"), strings.Join(failures, "; ")))
		return saveFirst(), nil
	}
	took := s.Clock.Since(s.sb.Status.StartTime.Time).Round(time.Second)
	s.setCondition(v1alpha1.ConditionMeasured, metav1.ConditionTrue, v1alpha1.ReasonCompleted,
		fmt.Sprintf("%s on %s in %s", legible.Plural(int(s.sb.Status.PlannedRuns), "run"), legible.Plural(len(s.sb.Status.Targets), "target"), took))
	return saveFirst(), nil
}

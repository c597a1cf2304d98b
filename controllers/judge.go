package controllers

import (
	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/internal/expectation"
)

// judge tells whether the results are as expected, when no more runs are made. Nobody is told before: a median over
// some of the repetitions is another one. While the benchmark is cleaned up a last result may still be taken, which
// counts. After the end nothing changes.
func judge(s *pass.Pass) {
	if (!s.SB.Status.HasMeasured() && !s.SB.Status.HasEnded()) || s.Before.Status.HasEnded() {
		return
	}
	findings := expectation.Judge(&s.SB.Spec, &s.SB.Status)
	s.SB.Status.Expected = expectation.Short(findings)
	if status, reason, message, expected := expectation.Condition(findings); expected {
		s.SetCondition(v1alpha1.ConditionExpectationsMet, status, reason, message)
	}
}

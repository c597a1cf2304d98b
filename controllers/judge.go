package controllers

import (
	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/expectation"
)

// judge says once whether the results are as expected, when the runs have ended or will never begin. Nobody is told before: a median over
// some of the repetitions is another one.
func (s *scope) judge() {
	if (!s.concluded() && !s.finished()) || s.condition(v1alpha1.ConditionExpectationsMet).Status != "" {
		return
	}
	if status, reason, message, expected := expectation.Condition(expectation.Judge(&s.sb.Spec, &s.sb.Status)); expected {
		s.setCondition(v1alpha1.ConditionExpectationsMet, status, reason, message)
	}
}

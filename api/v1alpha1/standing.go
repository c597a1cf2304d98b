package v1alpha1

import (
	"cmp"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Condition returns the benchmark's condition of a type, or one without a status if it is not set.
func (s *StorageBenchmarkStatus) Condition(kind string) metav1.Condition {
	return conditionOf(s.Conditions, kind)
}

// Condition returns the schedule's condition of a type, or one without a status if it is not set.
func (s *StorageBenchmarkScheduleStatus) Condition(kind string) metav1.Condition {
	return conditionOf(s.Conditions, kind)
}

func conditionOf(all []metav1.Condition, kind string) metav1.Condition {
	return *cmp.Or(meta.FindStatusCondition(all, kind), &metav1.Condition{Type: kind})
}

// HasMeasured says whether the runs have ended, well or not, and only clean-up remains.
func (s *StorageBenchmarkStatus) HasMeasured() bool {
	return s.Condition(ConditionMeasured).Status != ""
}

// HasEnded says whether the benchmark has ended, clean-up included.
func (s *StorageBenchmarkStatus) HasEnded() bool {
	end := s.Condition(ConditionSucceeded).Status
	return end != "" && end != metav1.ConditionUnknown
}

// HasLeftovers says whether something of the benchmark could not be removed.
func (s *StorageBenchmarkStatus) HasLeftovers() bool {
	return s.Condition(ConditionCleanedUp).Reason == ReasonLeftBehind
}

// IsCorrected says whether a spec that was refused, before anything was made, has changed since. Then the benchmark begins anew.
func (sb *StorageBenchmark) IsCorrected() bool {
	return sb.Status.HasEnded() && sb.Status.StartTime == nil && sb.Generation != sb.Status.ObservedGeneration
}

package analysis

import (
	"fmt"

	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// A claim that was replaced has another volume. What was measured before and after that is of different storage, and is one series for no
// statistic: neither medians nor verdicts know of it.

// isBeforeReplacement says whether the run of an index in status.runs was made before a claim of its target was replaced.
func isBeforeReplacement(targets []v1alpha1.TargetStatus, runs []v1alpha1.Run, index int) bool {
	for i := range targets {
		if targets[i].Name == runs[index].Target {
			return index < int(ptr.Deref(targets[i].RunsBeforeReplacement, 0))
		}
	}
	return false
}

// WarnOfReplaced adds a warning to each figure of comparisons that is of results from before a claim was replaced and of results from after it.
func WarnOfReplaced(comparisons []v1alpha1.Comparison, targets []v1alpha1.TargetStatus, runs []v1alpha1.Run) {
	for i := range comparisons {
		c := &comparisons[i]
		for j := range c.Targets {
			t := &c.Targets[j]
			if warning := replacedIn(c, t.Name, targets, runs); warning != nil {
				t.Warnings = append(t.Warnings, *warning)
			}
		}
	}
}

// replacedIn warns of a target's figures in a comparison, if they are of different volumes.
func replacedIn(c *v1alpha1.Comparison, target string, targets []v1alpha1.TargetStatus, runs []v1alpha1.Run) *v1alpha1.Warning {
	warning, _ := replaced(targets, runs, func(run *v1alpha1.Run) bool {
		return run.IsOf(target, c.Workload, c.Parameters)
	})
	return warning
}

// replacedOn warns of a target whose results are of different volumes, and counts them.
func replacedOn(target *v1alpha1.TargetStatus, runs []v1alpha1.Run) (*v1alpha1.Warning, int) {
	return replaced([]v1alpha1.TargetStatus{*target}, runs, func(run *v1alpha1.Run) bool { return run.Target == target.Name })
}

// AreOfDifferentVolumes says whether those runs with results that are of one series are of different volumes.
func AreOfDifferentVolumes(targets []v1alpha1.TargetStatus, runs []v1alpha1.Run, of func(*v1alpha1.Run) bool) bool {
	warning, _ := replaced(targets, runs, of)
	return warning != nil
}

// replaced warns of those runs with results that are of one series, if they are of different volumes, and counts them.
func replaced(targets []v1alpha1.TargetStatus, runs []v1alpha1.Run, of func(*v1alpha1.Run) bool) (*v1alpha1.Warning, int) {
	before, all := 0, 0
	for i := range runs {
		if runs[i].State != v1alpha1.RunSucceeded || !of(&runs[i]) {
			continue
		}
		all++
		if isBeforeReplacement(targets, runs, i) {
			before++
		}
	}
	if before == 0 || before == all {
		return nil, 0
	}
	return &v1alpha1.Warning{
		Reason:  v1alpha1.WarningVolumeReplaced,
		Message: fmt.Sprintf("a claim was made again after %d of %d runs: runs before and after are of different volumes", before, all),
	}, all
}

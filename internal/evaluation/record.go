// Package evaluation derives what the status of a benchmark says of its runs: which are planned, which comes next, what
// each has measured, what held it back, and what all of them say together. It is pure. The operator and a run on a plain
// machine share it.
package evaluation

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/internal/result"
	"github.com/storagebench/storagebench/internal/search"
)

// Record takes what a run has measured into the status. runs is the plan; a run that it does not have, because the spec
// was edited, is not judged. ended is when it ended, nil if that is not known. The error says why a step of a search has
// no verdict, so that the run has failed.
func Record(
	sb *v1alpha1.StorageBenchmark, run *v1alpha1.Run, runs []plan.Run, measured *result.Measured, ended *metav1.Time,
) error {
	run.State, run.Message, run.CompletionTime = v1alpha1.RunSucceeded, "", ended
	run.Result, run.Sections, run.Probe = measured.Result, measured.Sections, measured.Probe
	if planned, known := plan.Of(runs, run); known {
		if err := judgeStep(run, planned); err != nil {
			return err
		}
		analyse(sb, run, planned, runs, measured)
	}
	result.BoundOverTime(sb.Status.Runs, run) // when warnings have told of it
	return nil
}

// judgeStep notes whether a step of a search keeps the budget.
func judgeStep(run *v1alpha1.Run, planned *plan.Run) error {
	if run.Search == nil || planned.Workload.Search == nil {
		return nil
	}
	verdict, err := search.Judge(planned.Workload.Search, run.Result, planned.Rate())
	if err == nil {
		run.Search.Verdict = verdict
	}
	return err
}

// analyse takes into the status what the results of a run mean.
func analyse(
	sb *v1alpha1.StorageBenchmark, run *v1alpha1.Run, planned *plan.Run, runs []plan.Run, measured *result.Measured,
) {
	target := sb.Status.Target(run.Target)
	findings := measured.Analyse(result.Facts{
		Planned: planned, Plan: runs, Target: target,
		Mode: plan.VolumesOf(sb.Status.Targets).ModeOf(planned.Target),
		Runs: sb.Status.Runs, Anchors: sb.Status.Anchors,
		ContainerLimits: ptr.Deref(sb.Spec.Pod, v1alpha1.PodSettings{}).Resources.Limits,
	})
	target.BurstCredits, run.Warnings = findings.BurstCredits, findings.Warnings
	run.Counters, run.Exceeded, run.NodeLoad = findings.Counters, findings.Exceeded, findings.NodeLoad
	run.VolumeStatistics = findings.Volume
	if run.Result != nil {
		run.LimitedBy = &findings.LimitedBy[0]
	}
	for i := range run.Sections {
		run.Sections[i].LimitedBy = &findings.LimitedBy[i]
	}
}

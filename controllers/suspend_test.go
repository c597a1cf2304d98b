package controllers

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/fakecluster"
)

// A run that has ended when its benchmark is suspended keeps its result: its pod is not deleted before that is saved.
func TestSuspendSavesAResultFirst(t *testing.T) {
	w := newWorldWithoutOperator(t)
	w.Cluster.AllPods(fakecluster.Hang(job.MeasureContainer))
	stop := w.startOperator()
	sb := create(w, builder.OneRun(w.Namespace, "sb").Build())
	w.untilStep(sb, v1alpha1.ReasonMeasuring)
	stop()
	w.update(sb, func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Suspend = new(true) })
	w.Cluster.AllPods(fakecluster.Succeed(builder.Report()))
	w.Eventually(func() error {
		if jobs := w.jobs(); len(jobs) != 1 || jobs[0].Status.Succeeded != 1 {
			return errors.New("the run has not ended")
		}
		return nil
	})
	var looked, unsaved atomic.Bool
	look := func() {
		looked.Store(true)
		unsaved.CompareAndSwap(false, w.Get(sb).Status.Runs[0].Result == nil)
	}
	w.startOperatorWith(interceptor.Funcs{
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, options ...client.ListOption) error {
			if _, ok := list.(*batchv1.JobList); ok { // which it looks for to delete them
				look()
			}
			return c.List(ctx, list, options...)
		},
	})
	sb = w.untilStep(sb, v1alpha1.ReasonSuspended, "set it to false to go on")
	if !looked.Load() || unsaved.Load() {
		t.Error("the run's Job is deleted before its result is saved")
	}
	if run := sb.Status.Runs[0]; run.Result == nil || run.Attempts != 1 || len(sb.Status.AbandonedAttempts) > 0 {
		t.Errorf("run = %+v, abandoned %+v", run, sb.Status.AbandonedAttempts)
	}
	w.update(sb, func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Suspend = nil })
	w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
}

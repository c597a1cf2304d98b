package controllers

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/fakecluster"
)

// limit allows at most n objects of a resource in the namespace, as the quota controller would.
func (w *testWorld) limit(what corev1.ResourceName, n int64) *corev1.ResourceQuota {
	w.Helper()
	hard := corev1.ResourceList{what: *resource.NewQuantity(n, resource.DecimalSI)}
	quota := create(w, &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "limit"},
		Spec:       corev1.ResourceQuotaSpec{Hard: hard},
	})
	quota.Status = corev1.ResourceQuotaStatus{Hard: hard, Used: corev1.ResourceList{what: resource.MustParse("0")}}
	if err := w.Client.Status().Update(w.Context(), quota); err != nil {
		w.Fatal(err)
	}
	return quota
}

func TestJobOverQuota(t *testing.T) {
	w := newWorld(t)
	w.limit("count/jobs.batch", 0)
	sb := create(w, builder.OneRun(w.Namespace, "sb").Build())

	w.untilStep(sb, v1alpha1.ReasonPreparing, "the Job was refused", "exceeded quota")
	w.pass(sb, 600*time.Second)
	w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonDeadlineExceeded, "exceeded quota")
}

func TestJobWaitsForQuota(t *testing.T) {
	w := newWorld(t)
	quota := w.limit("count/jobs.batch", 0)
	sb := create(w, builder.OneRun(w.Namespace, "sb").Build())

	w.untilStep(sb, v1alpha1.ReasonPreparing, "the Job was refused", "exceeded quota")
	w.delete(quota)
	sb = w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
	if err := wantRun(sb, v1alpha1.RunSucceeded, 1, 0); err != nil {
		t.Error(err)
	}
}

// Where a quota of Jobs refuses the next one, those of finished runs make room for it.
func TestJobsOfFinishedRunsMakeRoom(t *testing.T) {
	w := newWorld(t)
	quota := w.limit("count/jobs.batch", 1)
	sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(builder.NewTarget("fast")).Workload(builder.NewWorkload("reads")).
		Workload(builder.NewWorkload("writes")).Build())

	w.Eventually(func() error { // when the Job of the first run is gone, as the quota controller would count
		if jobs := w.jobs(); w.Get(sb).Status.FinishedRuns != 1 || len(jobs) > 0 {
			return fmt.Errorf("%d Jobs", len(jobs))
		}
		return nil
	})
	w.Eventually(func() error {
		if err := w.Client.Get(w.Context(), client.ObjectKeyFromObject(quota), quota); err != nil {
			return err
		}
		quota.Status.Used["count/jobs.batch"] = resource.MustParse("0")
		return w.Client.Status().Update(w.Context(), quota)
	})
	w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
}

// A volume that is made for its pod's node waits for the pod. So what does not let the pod be made is what is told.
func TestPodOverQuota(t *testing.T) {
	w := newWorld(t)
	w.limit("pods", 0)
	w.Cluster.OnClaim(func(*corev1.PersistentVolumeClaim) fakecluster.Provisioning { return fakecluster.Wait() })
	sb := create(w, builder.OneRun(w.Namespace, "sb").Build())

	w.passUntil(3*time.Second, func() error {
		return matches(w.Get(sb), v1alpha1.ConditionSucceeded, metav1.ConditionUnknown, v1alpha1.ReasonPreparing, "FailedCreate", "exceeded quota")
	}, sb)
	w.pass(sb, 600*time.Second)
	w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonDeadlineExceeded, "for its pod to start", "FailedCreate", "exceeded quota")
}

func TestClaimWaitsForQuota(t *testing.T) {
	w := newWorld(t)
	quota := w.limit("persistentvolumeclaims", 0)
	sb := create(w, builder.OneRun(w.Namespace, "sb").Build())

	w.untilStep(sb, v1alpha1.ReasonProvisioning, "target fast", "exceeded quota")
	w.delete(quota)
	w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
}

// A benchmark that was suspended for longer than storage may take has that time anew when it goes on.
func TestResumeIntoAQuota(t *testing.T) {
	w := newWorld(t)
	quota := w.limit("persistentvolumeclaims", 0)
	sb := create(w, builder.OneRun(w.Namespace, "sb").Build())
	w.untilStep(sb, v1alpha1.ReasonProvisioning, "target fast", "exceeded quota")
	w.update(sb, func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Suspend = new(true) })
	w.untilStep(sb, v1alpha1.ReasonSuspended, "set it to false")
	w.pass(sb, 2*time.Hour)

	w.update(sb, func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Suspend = nil })
	w.untilStep(sb, v1alpha1.ReasonProvisioning, "target fast", "exceeded quota")
	w.pass(sb, 599*time.Second)
	w.untilStep(sb, v1alpha1.ReasonProvisioning, "target fast", "exceeded quota")
	w.delete(quota)
	w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
}

func TestClaimOverQuota(t *testing.T) {
	w := newWorld(t)
	w.limit("persistentvolumeclaims", 1)
	sb := create(w, builder.OneRun(w.Namespace, "sb").Target(builder.NewTarget("second")).Build())

	w.untilStep(sb, v1alpha1.ReasonProvisioning, "target second", "exceeded quota")
	w.pass(sb, 600*time.Second)
	w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonProvisioningFailed, "target second", "exceeded quota")
	if left := w.children(); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

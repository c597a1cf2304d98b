package controllers

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/prepare"
	"github.com/storagebench/storagebench/test/builder"
)

// nothingWasMade checks that a benchmark has ended before anything was provisioned.
func (w *testWorld) nothingWasMade(sb *v1alpha1.StorageBenchmark) {
	w.Helper()
	if status := &sb.Status; status.StartTime != nil || len(status.Runs) > 0 || len(status.Targets) > 0 || len(w.children()) > 0 {
		w.Errorf("started at %v, runs %v, targets %v, children %q", status.StartTime, status.Runs, status.Targets, w.children())
	}
}

func TestInvalidSpec(t *testing.T) {
	t.Parallel()
	size := func(size string) v1alpha1.Workload {
		workload := builder.NewWorkload("reads")
		workload.Fio.Size = &size
		return workload
	}
	option := func(name string, value v1alpha1.FioOptionValue) v1alpha1.Workload {
		workload := builder.NewWorkload("reads")
		workload.Fio.Options = map[string]v1alpha1.FioOptionValue{name: value}
		return workload
	}
	for _, test := range []struct {
		name     string
		workload v1alpha1.Workload
		words    []string
	}{
		{"option that runs a command", option("exec_prerun", "reboot"), []string{"spec.workloads[0].fio", "exec_prerun"}},
		{"option that leaves the volume", option("filename", "/etc/passwd"), []string{"spec.workloads[0].fio", "filename"}},
		{"option that fio does not have", option("no_such_option", "1"), []string{"spec.workloads[0].fio", "no_such_option"}},
		{"job file without a job", builder.NewJobFile("reads", "[global]\nrw=read\n"), []string{"spec.workloads[0].jobFile", "no job: add a section"}},
		{"files larger than the volume", size("2G"), []string{"spec.targets[0].capacity", `"1Gi"`, `1Gi holds 953Mi of files, the workloads need 2Gi: set capacity to at least 2173Mi, or lower size or numjobs`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(builder.NewTarget("fast")).Workload(test.workload).Build())

			sb = w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonInvalidSpec, test.words...)
			w.nothingWasMade(sb)
			w.Eventually(func() error {
				return w.hasEvent(corev1.EventTypeWarning, v1alpha1.ReasonInvalidSpec, test.words...)
			})

			// An edited spec gets another chance.
			w.update(sb, func(sb *v1alpha1.StorageBenchmark) {
				sb.Spec.Workloads[0] = builder.NewWorkload("reads")
				sb.Spec.Targets[0].Capacity = new(resource.MustParse("3Gi"))
			})
			w.untilEnd(w.Until(sb, hasStarted), metav1.ConditionTrue, v1alpha1.ReasonCompleted)
			w.delete(sb)
			w.untilGone(sb)
		})
	}
}

// What a benchmark names may be created shortly after it, by the same kubectl apply.
func TestReferences(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		target v1alpha1.Target
		words  []string
	}{
		{
			"StorageClass", v1alpha1.Target{Name: "t", StorageClassName: new("typo")},
			[]string{`spec.targets[0].storageClassName: Invalid value: "typo": there is no such StorageClass: this cluster has`, builder.StorageClass},
		},
		{
			"claim", builder.NewClaimTarget("t", "late"),
			[]string{`spec.targets[0].claimName: Invalid value: "late": there is no such PersistentVolumeClaim in namespace`, "create it"},
		},
	} {
		for machine, newWorld := range map[string]func(*testing.T) *testWorld{"": newWorld, ", on a slow machine": newSlowWorld} {
			t.Run(test.name+machine, func(t *testing.T) {
				w := newWorld(t)
				sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(test.target).Workload(smallWorkload()).Build())

				w.untilStep(sb, v1alpha1.ReasonPending, test.words...)
				w.pass(sb, prepare.ReferenceGrace+time.Second)
				sb = w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonInvalidSpec, test.words...)
				w.nothingWasMade(sb)

				w.update(sb, func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Targets[0] = builder.NewTarget("t") })
				w.untilEnd(w.Until(sb, hasStarted), metav1.ConditionTrue, v1alpha1.ReasonCompleted)
			})
		}
	}
}

func TestLateClaim(t *testing.T) {
	w := newWorld(t)
	sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(builder.NewClaimTarget("t", "late")).Workload(smallWorkload()).Build())
	w.untilStep(sb, v1alpha1.ReasonPending, "there is no such PersistentVolumeClaim")
	w.claim("late", corev1.PersistentVolumeFilesystem)
	w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
}

func smallWorkload() v1alpha1.Workload { return builder.NewWorkload("reads") }

func hasStarted(sb *v1alpha1.StorageBenchmark) error {
	return matches(sb, v1alpha1.ConditionMeasured, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
}

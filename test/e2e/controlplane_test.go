//go:build e2e

package e2e

import (
	"context"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// checkMadeOnce checks that each run was made once and has a result.
func checkMadeOnce(t *testing.T, done *v1alpha1.StorageBenchmark) {
	t.Helper()
	for i := range done.Status.Runs {
		if run := &done.Status.Runs[i]; run.Attempts != 1 || run.Disruptions != 0 || run.Result == nil {
			t.Errorf("run = %+v", run)
		}
	}
}

// The operator may be killed at any step, and neither forgets nor repeats anything.
func TestOperatorKilled(t *testing.T) {
	for _, test := range []struct {
		step string
		// change makes the step last, or holdAfter keeps the provisioner from making and removing volumes once the
		// benchmark is at that step.
		change    func(*v1alpha1.StorageBenchmark)
		holdAfter string
		// says is in the message when the step is reached for long.
		says string
	}{
		{step: v1alpha1.ReasonProvisioning, holdAfter: v1alpha1.ReasonSuspended, change: suspended, says: "target volume: "},
		{step: v1alpha1.ReasonPreparing, change: longLayout},
		{step: v1alpha1.ReasonMeasuring, change: lasting(8)},
		{step: v1alpha1.ReasonCleaningUp, holdAfter: v1alpha1.ReasonMeasuring, change: lasting(4), says: "removal of volume"},
		{step: v1alpha1.ReasonSuspended, change: suspended},
	} {
		t.Run(test.step, func(t *testing.T) {
			f := begin(t, &fault{
				section: faultsOfControlPlane, name: "The operator is killed at step " + test.step, does: "kills its process (SIGKILL)",
				sees: test.step, ends: v1alpha1.ReasonCompleted, bound: 90 * time.Second,
			})
			renewOperator(t)
			sb := benchmark("operator-killed", test.change)
			create(t, sb)
			if test.holdAfter != "" {
				until(t, sb, "the step before", atStep(test.holdAfter))
				interfere(t, []string{"pause", "csi-provisioner"}, []string{"resume", "csi-provisioner"})
			}
			if test.step == v1alpha1.ReasonProvisioning {
				setSuspend(t, sb, false)
			}
			f.see(t, sb, test.says)
			f.strike()
			killOperator(t)
			if test.holdAfter != "" {
				localCluster(t.Context(), t, "resume", "csi-provisioner")
			}
			if test.step == v1alpha1.ReasonSuspended {
				setSuspend(t, sb, false)
			}
			checkMadeOnce(t, f.end(t, sb))
		})
	}
}

func suspended(sb *v1alpha1.StorageBenchmark) { sb.Spec.Suspend = new(true) }

// longLayout has the benchmark lay out files for about eight seconds.
func longLayout(sb *v1alpha1.StorageBenchmark) {
	sb.Spec.Targets[0].StorageClassName = new("loop-gp3")
	sb.Spec.Targets[0].Capacity = new(resource.MustParse("1200Mi"))
	sb.Spec.Workloads[0].Fio.Size = new("500M")
}

// While the benchmark waits for a node that another one holds.
func TestOperatorKilledWhileWaiting(t *testing.T) {
	f := begin(t, &fault{
		section: faultsOfControlPlane, name: "The operator is killed at step " + v1alpha1.ReasonWaitingForNode, does: "kills its process (SIGKILL)",
		sees: v1alpha1.ReasonWaitingForNode, ends: v1alpha1.ReasonCompleted, bound: 90 * time.Second,
	})
	renewOperator(t)
	first := benchmark("holder", exclusive, onFirstNode, lasting(8))
	create(t, first)
	until(t, first, "the first benchmark's turn", atStep(v1alpha1.ReasonMeasuring))
	sb := benchmark("killed-waiting", exclusive, onFirstNode)
	create(t, sb)
	f.see(t, sb)
	f.strike()
	killOperator(t)
	checkMadeOnce(t, completes(t, first))
	checkMadeOnce(t, f.end(t, sb))
}

// The API server and etcd may go away while a run measures, and at the moment that it ends.
func TestControlPlaneAway(t *testing.T) {
	for _, test := range []struct {
		test, name, does, component string
		runSeconds                  int32
		away                        time.Duration
	}{
		{"API server restarts", "The API server restarts under a run", "kills kube-apiserver (SIGKILL) and starts it", "kube-apiserver", 10, 0},
		{"API server away", "The API server is away when a run ends", "kills kube-apiserver (SIGKILL), and starts it 20 s later, when fio has long ended", "kube-apiserver", 8, 20 * time.Second},
		{"etcd restarts", "etcd restarts under a run", "kills etcd (SIGKILL) and starts it", "etcd", 10, 0},
	} {
		t.Run(test.test, func(t *testing.T) {
			f := begin(t, &fault{
				section: faultsOfControlPlane, name: test.name, does: test.does,
				sees: v1alpha1.ReasonMeasuring, ends: v1alpha1.ReasonCompleted, bound: 150 * time.Second,
			})
			before := operatorPod(t.Context(), t)
			sb := benchmark("control-plane", sweep("4k", "16k"), lasting(test.runSeconds))
			create(t, sb)
			runningPod(t, sb)
			f.see(t, sb)
			f.strike()
			interfere(t, []string{"stop", "--now", test.component}, []string{"start", test.component})
			keepAway(t, test.away)
			localCluster(t.Context(), t, "start", test.component)
			awaitAPI(t)
			checkMadeOnce(t, f.end(t, sb))
			// The operator outlives what is shorter than its leader election's renewDeadlineSeconds.
			after := operatorPod(t.Context(), t)
			if after.Name != before.Name || after.Status.ContainerStatuses[0].RestartCount != before.Status.ContainerStatuses[0].RestartCount {
				t.Errorf("the operator has ended: %+v", after.Status.ContainerStatuses[0])
			}
		})
	}
}

// awaitAPI waits until the API server answers again.
func awaitAPI(t *testing.T) {
	t.Helper()
	eventually(t.Context(), t, "the API server to answer", func(context.Context) (bool, error) {
		_, err := clientset.Discovery().ServerVersion()
		return err == nil, nil
	})
}

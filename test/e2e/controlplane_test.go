//go:build e2e

package e2e

import (
	"context"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"

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

// killed is a benchmark at whose step the operator is killed.
type killed struct {
	*fault
	sb *v1alpha1.StorageBenchmark
}

// killedAt begins the fault that the operator is killed at a step of a benchmark.
func killedAt(t *testing.T, step string, change ...func(*v1alpha1.StorageBenchmark)) *killed {
	t.Helper()
	f := begin(t, &fault{
		section: faultsOfControlPlane, name: "The operator is killed at step " + step, does: "kills its process (SIGKILL)",
		sees: step, ends: v1alpha1.ReasonCompleted, bound: 90 * time.Second,
	})
	return &killed{f, benchmark(t, "killed-"+strings.ToLower(step), change...)}
}

// The operator may be killed at any step, and neither forgets nor repeats anything. Here it is killed while a benchmark
// prepares its run, and another one measures.
func TestOperatorKilled(t *testing.T) {
	alone(t)
	preparing, measuring := killedAt(t, v1alpha1.ReasonPreparing, longLayout), killedAt(t, v1alpha1.ReasonMeasuring, lasting(20))
	renewOperator(t)
	// One after the other: how long a pod takes to start differs by more than the layout of files takes.
	for _, k := range []*killed{measuring, preparing} {
		create(t, k.sb)
		k.see(t, k.sb)
	}
	for _, k := range []*killed{preparing, measuring} {
		checkStep(t, k)
		k.strike()
	}
	killOperator(t)
	for _, k := range []*killed{preparing, measuring} {
		checkMadeOnce(t, k.end(t, k.sb))
	}
}

// Here it is killed while benchmarks wait: for a volume, for a node that another one holds, for the removal of a volume, and
// for whoever has suspended it.
func TestOperatorKilledWhileWaiting(t *testing.T) {
	alone(t)
	provisioning := killedAt(t, v1alpha1.ReasonProvisioning, suspended)
	waiting := killedAt(t, v1alpha1.ReasonWaitingForNode, exclusive, on(nodeNames[0]))
	cleaning := killedAt(t, v1alpha1.ReasonCleaningUp, on(nodeNames[1]), lasting(4))
	halted := killedAt(t, v1alpha1.ReasonSuspended, suspended)
	renewOperator(t)

	holder := benchmark(t, "holder", exclusive, on(nodeNames[0]), lasting(25))
	create(t, holder)
	until(t, holder, "the first benchmark's turn", atStep(v1alpha1.ReasonMeasuring))
	create(t, waiting.sb)
	waiting.see(t, waiting.sb) // before there are others whom it would name too
	for _, k := range []*killed{provisioning, cleaning, halted} {
		create(t, k.sb)
	}
	until(t, cleaning.sb, "the step before", atStep(v1alpha1.ReasonMeasuring))
	// From now on no volume is made or removed.
	interfere(t, []string{"pause", "csi-provisioner"}, []string{"resume", "csi-provisioner"})
	until(t, provisioning.sb, "the step before", atStep(v1alpha1.ReasonSuspended))
	setSuspend(t, provisioning.sb, false)
	provisioning.see(t, provisioning.sb, "target volume: ")
	cleaning.see(t, cleaning.sb, "removal of volume")
	halted.see(t, halted.sb)

	for _, k := range []*killed{provisioning, waiting, cleaning, halted} {
		checkStep(t, k)
		k.strike()
	}
	killOperator(t)
	localCluster(t.Context(), t, "resume", "csi-provisioner")
	setSuspend(t, halted.sb, false)
	for _, k := range []*killed{provisioning, waiting, cleaning, halted} {
		checkMadeOnce(t, k.end(t, k.sb))
	}
	checkMadeOnce(t, completes(t, holder))
}

// checkStep checks that a benchmark is still at the step at which the operator is to be killed.
func checkStep(t *testing.T, k *killed) {
	t.Helper()
	current := &v1alpha1.StorageBenchmark{}
	if err := k8s.Get(t.Context(), client.ObjectKeyFromObject(k.sb), current); err != nil || succeeded(current).Reason != k.sees {
		t.Errorf("%s: it is at step %s now, and not %s any more (%v)", k.sb.Name, succeeded(current).Reason, k.sees, err)
	}
}

// another has the benchmark make a short run at its end.
func another(sb *v1alpha1.StorageBenchmark) {
	sb.Spec.Workloads = append(sb.Spec.Workloads, v1alpha1.Workload{Name: "another", Fio: randwrite(1)})
}

func suspended(sb *v1alpha1.StorageBenchmark) { sb.Spec.Suspend = new(true) }

// longLayout has the benchmark lay out files for about eight seconds.
func longLayout(sb *v1alpha1.StorageBenchmark) {
	sb.Spec.Targets[0].StorageClassName = new("loop-gp3")
	sb.Spec.Targets[0].Capacity = new(resource.MustParse("1200Mi"))
	sb.Spec.Workloads[0].Fio.Size = new("500M")
}

// The API server and etcd may go away while a run measures, and at the moment that it ends.
func TestControlPlaneAway(t *testing.T) {
	alone(t, budget(4*time.Minute))
	for _, test := range []struct {
		test, name, does, component string
		runSeconds                  int32
		away                        time.Duration
	}{
		{"API server restarts", "The API server restarts under a run", "kills kube-apiserver (SIGKILL) and starts it", "kube-apiserver", 10, 0},
		{"API server away", "The API server is away when a run ends", "kills kube-apiserver (SIGKILL), and starts it 12 s later, when fio has long ended", "kube-apiserver", 6, 12 * time.Second},
		{"etcd restarts", "etcd restarts under a run", "kills etcd (SIGKILL) and starts it", "etcd", 10, 0},
	} {
		t.Run(test.test, func(t *testing.T) {
			f := begin(t, &fault{
				section: faultsOfControlPlane, name: test.name, does: test.does,
				sees: v1alpha1.ReasonMeasuring, ends: v1alpha1.ReasonCompleted, bound: 150 * time.Second,
			})
			before := operatorPod(t.Context(), t)
			sb := benchmark(t, "control-plane", sweep("4k"), lasting(test.runSeconds), another)
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

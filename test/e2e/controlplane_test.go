//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
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

// struck is a benchmark to which something happens at a step.
type struck struct {
	*fault
	sb *v1alpha1.StorageBenchmark
}

// begin creates the benchmark, and waits until it is at the step, with all of the texts in its message.
func (s *struck) begin(t *testing.T, texts ...string) {
	t.Helper()
	create(t, s.sb)
	s.see(t, s.sb, texts...)
}

// beginWithPod is begin where the step is also that of an attempt whose pod is not there yet, and then waits for its volume.
func (s *struck) beginWithPod(t *testing.T) {
	t.Helper()
	create(t, s.sb)
	eventually(t.Context(), t, "its pod to do something", func(ctx context.Context) (bool, error) {
		var list corev1.PodList
		err := k8s.List(ctx, &list, client.InNamespace(s.sb.Namespace), client.MatchingLabels{v1alpha1.LabelBenchmark: s.sb.Name, v1alpha1.LabelRole: v1alpha1.RoleRun})
		return slices.ContainsFunc(list.Items, isAtWork), err
	})
	// Before the operator has seen the pod, which has a node then, its message is the same as when the pod is at work.
	until(t, s.sb, "the operator to know of that", func(sb *v1alpha1.StorageBenchmark) bool {
		volumes := sb.Status.Target(sb.Spec.Targets[0].Name).Volumes
		return len(volumes) > 0 && volumes[0].Node != "" && !strings.Contains(succeeded(sb).Message, "is being started")
	})
	s.see(t, s.sb)
}

// isAtWork says whether a container of a pod runs.
func isAtWork(pod corev1.Pod) bool {
	return slices.ContainsFunc(slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses), func(c corev1.ContainerStatus) bool {
		return c.State.Running != nil
	})
}

// strike checks that the benchmark is still at the step, and says that it happens now.
func (s *struck) strike(t *testing.T) {
	t.Helper()
	current := &v1alpha1.StorageBenchmark{}
	if err := k8s.Get(t.Context(), client.ObjectKeyFromObject(s.sb), current); err != nil || succeeded(current).Reason != s.sees {
		t.Errorf("%s: it is at step %s now, and not %s any more (%v)", s.sb.Name, succeeded(current).Reason, s.sees, err)
	}
	s.fault.strike()
}

// killedAt begins the fault that the operator is killed at a step of a benchmark.
func killedAt(t *testing.T, step string, change ...func(*v1alpha1.StorageBenchmark)) *struck {
	t.Helper()
	f := begin(t, &fault{
		section: faultsOfControlPlane, name: "The operator is killed at step " + step, does: "kills its process (SIGKILL)",
		sees: step, ends: v1alpha1.ReasonCompleted, bound: 90 * time.Second,
	})
	return &struck{f, benchmark(t, "killed-"+strings.ToLower(step), change...)}
}

// The operator may be killed at any step, and neither forgets nor repeats anything. Here it is killed while a benchmark measures,
// another one waits for the node that the first holds, the third is suspended, and the last prepares its run.
func TestOperatorKilled(t *testing.T) {
	ownNode(t, twoNodes, ownOperator(), load(2), budget(4*time.Minute))
	held, free := nodesOf(t)[0], nodesOf(t)[1]
	measuring := killedAt(t, v1alpha1.ReasonMeasuring, exclusive, on(held), lasting(40))
	waiting := killedAt(t, v1alpha1.ReasonWaitingForNode, exclusive, on(held))
	halted := killedAt(t, v1alpha1.ReasonSuspended, suspended)
	preparing := killedAt(t, v1alpha1.ReasonPreparing, longLayout, on(free))
	// One after the other: how long a pod takes to start differs by more than the layout of files takes.
	measuring.begin(t)
	waiting.begin(t)
	halted.begin(t, "set it to false to go on") // at first it says that what is under way is being ended
	preparing.beginWithPod(t)
	for _, s := range []*struck{preparing, halted, waiting, measuring} {
		s.strike(t)
	}
	killOperator(t, podIn(t, namespaceOf(t)))
	setSuspend(t, halted.sb, false)
	for _, s := range []*struck{preparing, halted, measuring, waiting} {
		checkMadeOnce(t, s.end(t, s.sb))
	}
}

// Here it is killed while benchmarks wait for a volume, and for the removal of one, which only an operator of the whole cluster
// sees. All others would wait for volumes too.
func TestOperatorKilledWhileWaiting(t *testing.T) {
	alone(t)
	provisioning := killedAt(t, v1alpha1.ReasonProvisioning, suspended)
	cleaning := killedAt(t, v1alpha1.ReasonCleaningUp, lasting(4))
	for _, s := range []*struck{provisioning, cleaning} {
		create(t, s.sb)
	}
	until(t, cleaning.sb, "the step before", atStep(v1alpha1.ReasonMeasuring))
	// From now on no volume is made or removed.
	interfere(t, []string{"pause", "csi-provisioner"}, []string{"resume", "csi-provisioner"})
	until(t, provisioning.sb, "the step before", atStep(v1alpha1.ReasonSuspended))
	setSuspend(t, provisioning.sb, false)
	provisioning.see(t, provisioning.sb, "target volume: ExternalProvisioning: ")
	cleaning.see(t, cleaning.sb, "removal of volume")

	for _, s := range []*struck{provisioning, cleaning} {
		s.strike(t)
	}
	killOperator(t, operatorPod(t.Context(), t))
	localCluster(t.Context(), t, "resume", "csi-provisioner")
	for _, s := range []*struck{provisioning, cleaning} {
		checkMadeOnce(t, s.end(t, s.sb))
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

// outage is a fault of the control plane: a component goes away while a benchmark measures.
type outage struct {
	*struck
	component string
	away      time.Duration
}

// newOutage begins the fault that a component goes away for a time, under a run of so many seconds.
func newOutage(t *testing.T, component, name, does string, runCompletionSeconds int32, away time.Duration) *outage {
	t.Helper()
	f := begin(t, &fault{
		section: faultsOfControlPlane, name: name, does: does,
		sees: v1alpha1.ReasonMeasuring, ends: v1alpha1.ReasonCompleted, bound: 300 * time.Second,
	})
	sb := benchmark(t, fmt.Sprintf("%s-away-%.0f", component, away.Seconds()), sweep("4k"), lasting(runCompletionSeconds), another)
	return &outage{&struck{f, sb}, component, away}
}

// happen has the component go away while the benchmark measures, and come back.
func (o *outage) happen(t *testing.T) {
	t.Helper()
	runningPod(t, o.sb)
	o.strike(t)
	interfere(t, []string{"stop", "--now", o.component}, []string{"start", o.component})
	keepAway(t, o.away)
	localCluster(t.Context(), t, "start", o.component)
	awaitAPI(t)
}

// The API server and etcd may go away while a run measures, and at the moment that it ends. Each does so under the run of a
// benchmark of its own, one after the other. These prepare and end beside each other, so they go through more than that.
func TestControlPlaneAway(t *testing.T) {
	alone(t, budget(4*time.Minute))
	before := operatorPod(t.Context(), t)
	etcd := newOutage(t, "etcd", "etcd restarts under a run", "kills etcd (SIGKILL) and starts it", 20, 0)
	server := newOutage(t, "kube-apiserver", "The API server restarts under a run", "kills kube-apiserver (SIGKILL) and starts it", 20, 0)
	ending := newOutage(t, "kube-apiserver", "The API server is away when a run ends",
		"kills kube-apiserver (SIGKILL), and starts it 12 s later, when fio has long ended", 6, 12*time.Second)
	create(t, etcd.sb)
	server.begin(t)
	etcd.see(t, etcd.sb)
	etcd.happen(t)
	server.happen(t)
	ending.begin(t)
	ending.happen(t)
	for _, o := range []*outage{etcd, server, ending} {
		checkMadeOnce(t, o.end(t, o.sb))
	}
	// The operator outlives what is shorter than its leader election's renewDeadlineSeconds.
	after := operatorPod(t.Context(), t)
	if after.Name != before.Name || after.Status.ContainerStatuses[0].RestartCount != before.Status.ContainerStatuses[0].RestartCount {
		t.Errorf("the operator has ended: %+v", after.Status.ContainerStatuses[0])
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

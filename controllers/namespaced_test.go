package controllers

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/clean"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/storage"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
	"github.com/storagebench/storagebench/test/fakecluster"
	"github.com/storagebench/storagebench/test/harness"
)

// newNamespacedWorld is newWorld with an operator that has a Role in the namespace and no rights elsewhere. The test
// fails when the API server forbids it anything.
func newNamespacedWorld(t *testing.T) *testWorld {
	t.Helper()
	w := newWorldWithoutOperator(t)
	w.confine()
	return w
}

// confine starts an operator that is confined to the namespace.
func (w *testWorld) confine() {
	w.Helper()
	w.startOperatorAs(envtest.NamespacedOperatorConfig(w, w.Namespace), interceptor.Funcs{}, w.Namespace)
}

func (w *testWorld) confinement() string {
	return "this operator is confined to namespace " + w.Namespace
}

func TestNamespacedOperatorMeasures(t *testing.T) {
	w := newNamespacedWorld(t)
	sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(builder.NewTarget("fast")).Target(builder.NewTarget("slow")).
		Workload(builder.NewWorkload("reads")).Build())

	done := w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted, "2 runs on 2 targets in")
	for i := range done.Status.Targets {
		target := &done.Status.Targets[i]
		if target.Driver != fakecluster.Driver {
			t.Errorf("the driver of target %s is %q: its claim says which", target.Name, target.Driver)
		}
		if len(target.Volumes) != 1 || target.ProvisionedMilliseconds != nil || target.Limits != nil {
			t.Fatalf("target is %+v", target)
		}
		volume := target.Volumes[0]
		if volume.Name == "" || volume.Node != fakecluster.Node || volume.Handle != "" || volume.Zone != "" || volume.InstanceType != "" {
			t.Errorf("volume is %+v, of which only name and node can be known", volume)
		}
		words := []string{w.confinement(), "unless the StorageClass retains them: kubectl get pv", volume.Name}
		if err := matches(done, v1alpha1.ConditionCleanedUp, metav1.ConditionTrue, v1alpha1.ReasonClaimsGone, words...); err != nil {
			t.Error(err)
		}
	}
	if left := w.claims(); len(left) > 0 {
		t.Errorf("claims are left: %+v", left)
	}
	w.Eventually(func() error {
		return w.hasEvent(corev1.EventTypeNormal, v1alpha1.ReasonProvisioning, w.confinement(), "judged by spec.targets[].limits and clientLimits only")
	})
	// Volumes are gone a moment after their claims.
	w.Eventually(func() error {
		if left := w.volumes(); len(left) > 0 {
			return fmt.Errorf("volumes are left: %+v", left)
		}
		return nil
	})
	w.delete(done)
	w.untilGone(done)
}

// Limits that the user gives are the only ones, and are used.
func TestNamespacedOperatorJudgesByGivenLimits(t *testing.T) {
	w := newNamespacedWorld(t)
	target := builder.NewTarget("fast")
	target.Limits = &v1alpha1.Limits{IOPS: new(int64(3000))}
	sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(target).Workload(builder.NewDirectWorkload("reads")).Build())
	done := w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
	if bound := done.Status.Runs[0].LimitedBy; bound == nil || bound.Reason != v1alpha1.BoundVolumeIOPS {
		t.Errorf("limitedBy is %+v", bound)
	}
}

// Somebody's claim is measured, and left without test files: of its volume nothing has to be known.
func TestNamespacedOperatorMeasuresExistingClaim(t *testing.T) {
	w := newNamespacedWorld(t)
	claim := w.claim("existing", corev1.PersistentVolumeFilesystem)
	sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(builder.NewClaimTarget("mine", claim.Name)).Workload(builder.NewWorkload("reads")).Build())
	done := w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
	if err := matches(done, v1alpha1.ConditionCleanedUp, metav1.ConditionTrue, v1alpha1.ReasonNothingLeft); err != nil {
		t.Error(err)
	}
	if done.Status.Targets[0].TestFiles != v1alpha1.TestFilesRemoved {
		t.Errorf("test files: %q", done.Status.Targets[0].TestFiles)
	}
}

// Test files on EFS stay when their volume is deleted, so they have to be removed. Which driver makes the volumes of a
// StorageClass, only its claims tell.
func TestNamespacedOperatorRemovesFilesThatWouldStay(t *testing.T) {
	w := newNamespacedWorld(t)
	class := create(w, &storagev1.StorageClass{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "efs-"}, Provisioner: storage.EFSDriver, ReclaimPolicy: new(corev1.PersistentVolumeReclaimDelete),
	})
	t.Cleanup(func() { _ = w.Client.Delete(context.WithoutCancel(t.Context()), class) })
	target := builder.NewTarget("shared")
	target.StorageClassName = &class.Name
	sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(target).Workload(builder.NewWorkload("reads")).Build())
	done := w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
	if target := done.Status.Targets[0]; target.Driver != storage.EFSDriver || target.TestFiles != v1alpha1.TestFilesRemoved {
		t.Errorf("driver %q, test files %q", target.Driver, target.TestFiles)
	}
}

// Several clients have anchors, logs, a common start and ConfigMaps, none of which is without a namespace.
func TestNamespacedOperatorMeasuresWithClients(t *testing.T) {
	w := newNamespacedWorld(t)
	sb := create(w, builder.OneRun(w.Namespace, "sb").With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Clients = new(int32(3)) }).Build())
	done := w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
	if volumes := done.Status.Targets[0].Volumes; len(volumes) != 3 {
		t.Errorf("volumes are %+v", volumes)
	}
	for _, anchor := range done.Status.Anchors {
		if anchor.InstanceType != "" {
			t.Errorf("anchor is %+v", anchor)
		}
	}
	w.delete(done)
	w.untilGone(done)
}

// What takes objects without a namespace is refused at once, with the way out.
func TestNamespacedOperatorRefusesInlineStorage(t *testing.T) {
	t.Parallel()
	for field, change := range map[string]func(*v1alpha1.Target){
		"ebs": func(target *v1alpha1.Target) { target.EBS = &v1alpha1.EBSVolume{Type: "gp3"} },
		"efs": func(target *v1alpha1.Target) {
			target.Capacity, target.EFS = nil, &v1alpha1.EFSFileSystem{FileSystemID: "fs-0123456789abcdef0"}
		},
		"s3": func(target *v1alpha1.Target) {
			target.Capacity, target.S3 = nil, &v1alpha1.S3Bucket{Bucket: "my-bucket", Region: new("eu-central-1")}
		},
	} {
		t.Run(field, func(t *testing.T) {
			w := newNamespacedWorld(t)
			target := builder.NewTarget("inline")
			target.StorageClassName = nil
			change(&target)
			sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(builder.NewTarget("fast")).Target(target).Workload(builder.NewWorkload("reads")).Build())
			done := w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonInvalidSpec, "spec.targets[1]."+field+": Forbidden", w.confinement(),
				"name an existing StorageClass in storageClassName, or an existing claim in claimName", "nothing was provisioned")
			w.nothingWasMade(done)
			w.delete(done)
			w.untilGone(done)
		})
	}
}

// A StorageClass that does not exist shows when its claim is made.
func TestNamespacedOperatorTellsWhatClaimsSay(t *testing.T) {
	w := newNamespacedWorld(t)
	w.Cluster.OnClaim(func(*corev1.PersistentVolumeClaim) fakecluster.Provisioning {
		return fakecluster.Refuse(`storageclass.storage.k8s.io "none" not found`)
	})
	sb := create(w, builder.OneRun(w.Namespace, "sb").With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Targets[0].StorageClassName = new("none") }).Build())
	w.passUntil(3*time.Second, func() error {
		return matches(w.Get(sb), v1alpha1.ConditionSucceeded, metav1.ConditionUnknown, v1alpha1.ReasonProvisioning, `storageclass.storage.k8s.io "none" not found`)
	}, sb)
	w.delete(sb)
	w.untilGone(sb)
}

// Of a node that does not answer no more is seen than that its pod is not ready.
func TestNamespacedOperatorTellsOfSilentNode(t *testing.T) {
	w := newNamespacedWorld(t)
	w.Cluster.AllPods(fakecluster.Hang(job.MeasureContainer))
	sb := create(w, builder.OneRun(w.Namespace, "sb").Build())
	w.untilStep(sb, v1alpha1.ReasonMeasuring)
	pod := &w.runPods()[0]
	patch := client.StrategicMergeFrom(pod.DeepCopy())
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse, LastTransitionTime: metav1.NewTime(w.Clock.Now())}}
	if err := w.Client.Status().Patch(t.Context(), pod, patch); err != nil {
		t.Fatal(err)
	}
	if text := harness.Conditions(w.Get(sb)); strings.Contains(text, "may not answer") {
		t.Errorf("a pod that begins is not ready for a moment: %s", text)
	}
	w.passUntil(3*time.Second, func() error {
		return matches(w.Get(sb), v1alpha1.ConditionSucceeded, metav1.ConditionUnknown, v1alpha1.ReasonMeasuring, "pod "+pod.Name+" has not been ready since", "node "+fakecluster.Node+" may not answer")
	}, sb)
}

// A benchmark of another namespace may hold the node, for as long as a benchmark that is seen may.
func TestNamespacedOperatorWaitsForThoseItDoesNotSee(t *testing.T) {
	const refusal = "0/1 nodes are available: 1 node(s) didn't satisfy existing pods anti-affinity rules."
	w := newNamespacedWorld(t)
	w.Cluster.AllPods(fakecluster.Unschedulable(refusal))
	sb := create(w, builder.OneRun(w.Namespace, "sb").Build())
	w.passUntil(3*time.Second, func() error {
		return matches(w.Get(sb), v1alpha1.ConditionSucceeded, metav1.ConditionUnknown, v1alpha1.ReasonWaitingForNode, "in namespaces that the operator cannot see", w.confinement(), refusal)
	}, sb)
	// Longer than a pod may take to start, and then it may.
	w.pass(sb, 20*time.Minute)
	w.Cluster.AllPods(fakecluster.Succeed(builder.Report()))
	w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
}

// An operator that was not confined when the benchmark began has made what this one neither sees nor may remove.
func TestNamespacedOperatorNamesWhatItMayNotRemove(t *testing.T) {
	w := newWorldWithoutOperator(t)
	stop := w.startOperator()
	w.Cluster.AllPods(fakecluster.Hang(job.MeasureContainer))
	sb := create(w, builder.OneRun(w.Namespace, "sb").With(func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Targets[0].StorageClassName, sb.Spec.Targets[0].EBS = nil, &v1alpha1.EBSVolume{Type: "gp3"}
	}).Build())
	w.untilStep(sb, v1alpha1.ReasonMeasuring)
	stop()
	class := w.classes()[0]
	t.Cleanup(func() { _ = w.Client.Delete(context.WithoutCancel(t.Context()), &class) })

	w.confine()
	w.Cluster.AllPods(fakecluster.Succeed(builder.Report()))
	done := w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted, "StorageClass "+class.Name)
	words := []string{"StorageClass " + class.Name, w.confinement(), "kubectl delete storageclass " + class.Name}
	if err := matches(done, v1alpha1.ConditionCleanedUp, metav1.ConditionFalse, v1alpha1.ReasonLeftBehind, words...); err != nil {
		t.Error(err)
	}
	if err := w.gone(&class); err == nil {
		t.Error("the class is gone, of which the status says that it is left")
	}
}

// Volumes that were never seen may be there: of claims that were not bound in time, or in whose place others came.
func TestNamespacedOperatorDoesNotKnowUnseenVolumes(t *testing.T) {
	const seen, unseen = "kubectl get pv pv-1", "kubectl get pv | grep ns/sb-"
	for name, test := range map[string]struct {
		change func(*v1alpha1.StorageBenchmark)
		want   []string // none: nothing is left
	}{
		"all were seen": {func(sb *v1alpha1.StorageBenchmark) {
			sb.Status.Targets[0].Volumes = []v1alpha1.VolumeStatus{{Name: "pv-1"}}
		}, []string{seen}},
		"none was seen":          {func(*v1alpha1.StorageBenchmark) {}, []string{unseen}},
		"nothing was begun":      {func(sb *v1alpha1.StorageBenchmark) { sb.Status.StartTime = nil }, nil},
		"somebody's claim alone": {func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Targets[0] = builder.NewClaimTarget("fast", "mine") }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			sb := builder.OneRun("ns", "sb").Build()
			sb.Status.StartTime, sb.Status.Targets = new(metav1.Now()), []v1alpha1.TargetStatus{{Name: sb.Spec.Targets[0].Name}}
			test.change(sb)
			p := passOver(&Reconciler{Namespaces: []string{"ns"}}, sb)
			clean.SetCleanedUp(p)
			reason := v1alpha1.ReasonClaimsGone
			if test.want == nil {
				reason = v1alpha1.ReasonNothingLeft
			}
			if err := matches(sb, v1alpha1.ConditionCleanedUp, metav1.ConditionTrue, reason, test.want...); err != nil {
				t.Error(err)
			}
		})
	}
}

// Leaks are looked for in the namespaces of the operator, and nowhere else.
func TestNamespacedSweeperKeepsToItsNamespaces(t *testing.T) {
	c := envtest.Client(t)
	own := &orphanTest{T: t, client: c, namespace: envtest.Namespace(t, c)}
	second := &orphanTest{T: t, client: c, namespace: envtest.Namespace(t, c)}
	other := &orphanTest{T: t, client: c, namespace: envtest.Namespace(t, c)}
	gone := builder.OneRun(own.namespace, "gone").Build()
	gone.UID = uuid.NewUUID()
	name, cluster, inside := named(gone, "t")
	leaked := []client.Object{own.create(own.claim(name, inside, builder.OwnedBy(gone))), second.create(second.claim(name, inside, builder.OwnedBy(gone)))}
	elsewhere := other.create(other.claim(name, inside, builder.OwnedBy(gone)))
	class := own.create(own.class(name, cluster))

	way, err := client.New(envtest.NamespacedOperatorConfig(t, own.namespace, second.namespace), client.Options{Scheme: envtest.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	sweeper := &OrphanCollector{Client: way, Live: way, Metrics: NewMetrics(prometheus.NewRegistry()), Namespaces: []string{own.namespace, second.namespace}}
	if err := sweeper.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, object := range leaked {
		if !own.isGone(object) {
			t.Errorf("claim %s in namespace %s is left", object.GetName(), object.GetNamespace())
		}
	}
	if own.isGone(elsewhere) || own.isGone(class) {
		t.Error("something was removed that is not of the operator's namespaces")
	}
}

// What is another operator's is left alone, with and without a namespace.
func TestSweeperLeavesExcludedNamespacesAlone(t *testing.T) {
	c := envtest.Client(t)
	l := &orphanTest{T: t, client: c, namespace: envtest.Namespace(t, c)}
	gone := builder.OneRun(l.namespace, "gone").Build()
	gone.UID = uuid.NewUUID()
	name, cluster, inside := named(gone, "t")
	kept := []client.Object{l.create(l.claim(name, inside, builder.OwnedBy(gone))), l.create(l.class(name, cluster))}
	sweeper := &OrphanCollector{Client: c, Live: c, Metrics: NewMetrics(prometheus.NewRegistry()), Excluded: []string{l.namespace}}
	if err := sweeper.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, object := range kept {
		if l.isGone(object) {
			t.Errorf("%T %s was removed", object, object.GetName())
		}
	}
}

// The metric of benchmarks counts those of all namespaces of the operator, and no others.
func TestNamespacedMetrics(t *testing.T) {
	c := envtest.Client(t)
	var namespaces []string
	for range 3 {
		namespace := envtest.Namespace(t, c)
		namespaces = append(namespaces, namespace)
		sb := builder.OneRun(namespace, "sb").Suspended().Build()
		if err := c.Create(t.Context(), sb); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Delete(context.WithoutCancel(t.Context()), sb) })
		sb.Status.Conditions = []metav1.Condition{{
			Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionUnknown, Reason: v1alpha1.ReasonSuspended, LastTransitionTime: metav1.Now(),
		}}
		if err := c.Status().Update(t.Context(), sb); err != nil {
			t.Fatal(err)
		}
	}
	own := namespaces[:2]
	informers, err := cache.New(envtest.NamespacedOperatorConfig(t, own...), cache.Options{
		Scheme: envtest.Scheme(), DefaultNamespaces: map[string]cache.Config{own[0]: {}, own[1]: {}},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var reading sync.WaitGroup
	reading.Go(func() {
		if err := informers.Start(ctx); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() {
		stop()
		reading.Wait()
	})
	if err := informers.List(t.Context(), &v1alpha1.StorageBenchmarkList{}); err != nil {
		t.Fatal(err)
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(NewActiveBenchmarks(informers))
	if got := valuesOf(t, registry)["storagebench_benchmarks Suspended"]; got != 2 {
		t.Errorf("%v benchmarks are counted, want 2", got)
	}
}

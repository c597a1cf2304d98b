package controllers

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/prepare"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/storage"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/fakecluster"
)

func ebsTarget() v1alpha1.Target {
	return v1alpha1.Target{Name: "gp3", EBS: &v1alpha1.EBSVolume{Type: "gp3", IOPS: new(int32(4000))}}
}

func s3Target() v1alpha1.Target {
	return v1alpha1.Target{Name: "s3", S3: &v1alpha1.S3Bucket{Bucket: "my-bucket", Prefix: new("bench/")}}
}

// reads is a workload that any storage takes.
func reads(name string) v1alpha1.Workload {
	workload := builder.NewWorkload(name)
	workload.Fio.RW = "read"
	return workload
}

// A volume of EBS comes with a StorageClass of its own, whose limits and those of the node results are judged by, and
// nothing of it is left.
func TestEBSVolume(t *testing.T) {
	w := newWorld(t)
	w.Cluster.AllPods(fakecluster.Hang(job.MeasureContainer))
	sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(ebsTarget()).Workload(reads("w")).Build())

	w.untilStep(sb, v1alpha1.ReasonMeasuring)
	classes := w.classes()
	if len(classes) != 1 || classes[0].Provisioner != storage.EBSDriver || classes[0].Parameters["iops"] != "4000" {
		t.Fatalf("StorageClasses are %+v", classes)
	}
	w.Cluster.AllPods(fakecluster.Succeed(builder.Report()))
	target := w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted).Status.Targets[0]

	if target.Driver != storage.EBSDriver || target.StorageClassName != classes[0].Name {
		t.Errorf("target is %+v", target)
	}
	if target.Limits == nil || *target.Limits.IOPS != 4000 || target.Limits.Scope != v1alpha1.ScopeVolume {
		t.Errorf("limits are %+v", target.Limits)
	}
	if len(target.ClientLimits) != 1 || target.ClientLimits[0].Scope != v1alpha1.ScopeInstance || !strings.Contains(target.ClientLimits[0].Source, fakecluster.InstanceType) {
		t.Errorf("limits of the client are %+v", target.ClientLimits)
	}
	if left := w.children(); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// Test files on storage that stays are removed before the claim by which they are reached, and then the claim and the
// volume are.
func TestBucketIsEmptied(t *testing.T) {
	w := newWorld(t)
	cleaned := make(chan struct{})
	w.Cluster.OnPod(func(pod *corev1.Pod) fakecluster.Outcome {
		if pod.Labels[v1alpha1.LabelRole] != v1alpha1.RoleCleanUp {
			return fakecluster.Succeed(builder.Report())
		}
		select {
		case <-cleaned:
			return fakecluster.Succeed(builder.Report())
		default:
			return fakecluster.Hang(job.CleanContainer)
		}
	})
	sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(s3Target()).Workload(reads("w")).Build())

	sb = w.untilStep(sb, v1alpha1.ReasonCleaningUp, "objects of s3://my-bucket/bench/"+childmeta.Name(w.Get(sb), "s3")+"/")
	w.Eventually(func() error { return wantCleaner(w.podsOf(v1alpha1.RoleCleanUp)) })
	claims, volumes := w.claims(), w.volumes()
	if len(claims) != 1 || claims[0].DeletionTimestamp != nil || len(volumes) != 1 || volumes[0].DeletionTimestamp != nil {
		t.Fatalf("while files are removed, claims are %+v and volumes %+v", claims, volumes)
	}
	if driver := volumes[0].Spec.CSI.Driver; driver != storage.S3Driver {
		t.Errorf("the volume is of driver %s", driver)
	}
	close(cleaned)

	sb = w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
	if state := sb.Status.Targets[0].TestFiles; state != v1alpha1.TestFilesRemoved {
		t.Errorf("test files are %q", state)
	}
	if left := w.children(); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// wantCleaner says why there is no pod that removes files.
func wantCleaner(pods []corev1.Pod) error {
	if len(pods) != 1 || attempt.Began(&pods[0]).IsZero() {
		return fmt.Errorf("pods that clean up are %+v", pods)
	}
	return nil
}

// Test files that cannot be removed hold back neither the volumes nor the benchmark's deletion, and are told of.
func TestFilesThatCannotBeRemoved(t *testing.T) {
	w := newWorld(t)
	w.Cluster.OnPod(func(pod *corev1.Pod) fakecluster.Outcome {
		if pod.Labels[v1alpha1.LabelRole] == v1alpha1.RoleCleanUp {
			return fakecluster.Hang(job.CleanContainer)
		}
		return fakecluster.Succeed(builder.Report())
	})
	sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(s3Target()).Target(ebsTarget()).Workload(reads("w")).
		Deadlines(v1alpha1.Deadlines{CleanUpSeconds: new(int32(6000))}).Build())
	w.untilStep(sb, v1alpha1.ReasonCleaningUp, "objects of s3://my-bucket/bench/")
	w.Eventually(func() error { return wantCleaner(w.podsOf(v1alpha1.RoleCleanUp)) })

	w.pass(sb, 3001*time.Second)
	sb = w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)

	url := "s3://my-bucket/bench/" + childmeta.Name(sb, "s3") + "/"
	if err := matches(sb, v1alpha1.ConditionCleanedUp, metav1.ConditionFalse, v1alpha1.ReasonLeftBehind, "aws s3 rm --recursive "+url); err != nil {
		t.Error(err)
	}
	if state := sb.Status.Targets[0].TestFiles; state != v1alpha1.TestFilesLeftBehind {
		t.Errorf("test files are %q", state)
	}
	if left := w.children(); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
	w.delete(sb)
	w.untilGone(sb)
	w.Eventually(func() error { return w.hasEvent(corev1.EventTypeWarning, v1alpha1.ReasonLeftBehind, url) })
}

// All that was made for storage of the cloud goes with the benchmark, whenever that is deleted.
func TestDeletionOfCloudStorage(t *testing.T) {
	t.Parallel()
	for name, until := range map[string]func(*testWorld, *v1alpha1.StorageBenchmark){
		"at once": func(*testWorld, *v1alpha1.StorageBenchmark) {},
		"measuring": func(w *testWorld, sb *v1alpha1.StorageBenchmark) {
			w.Cluster.AllPods(fakecluster.Hang(job.MeasureContainer))
			w.untilStep(sb, v1alpha1.ReasonMeasuring)
			w.Cluster.AllPods(fakecluster.Succeed(builder.Report()))
		},
		"retained": func(w *testWorld, sb *v1alpha1.StorageBenchmark) {
			w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
			if classes, volumes := w.classes(), w.volumes(); len(classes) != 1 || len(volumes) != 2 {
				w.Errorf("retained are classes %v and volumes %v", classes, volumes)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(s3Target()).Target(ebsTarget()).Workload(reads("w")).
				With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.CleanupPolicy = v1alpha1.CleanupRetain }).Build())
			until(w, sb)
			w.delete(sb)
			w.untilGone(sb)
		})
	}
}

// What the volume comes with goes also where the volume never comes.
func TestRefusedVolume(t *testing.T) {
	w := newWorld(t)
	const words = `Could not create volume "x": could not create volume in EC2: InvalidParameterValue`
	w.Cluster.OnClaim(func(*corev1.PersistentVolumeClaim) fakecluster.Provisioning { return fakecluster.Refuse(words) })
	w.Cluster.AllPods(fakecluster.Unschedulable("waiting for the volume"))
	sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(ebsTarget()).Workload(reads("w")).
		Deadlines(v1alpha1.Deadlines{ProvisioningSeconds: new(int32(6000))}).Build())
	w.untilStep(sb, v1alpha1.ReasonProvisioning, "run w.gp3")
	w.pass(sb, 10*time.Second)
	w.untilStep(sb, v1alpha1.ReasonProvisioning, words)

	w.pass(sb, 6000*time.Second)
	w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonDeadlineExceeded, words)
	if left := w.children(); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

func TestVolumeAttributesClass(t *testing.T) {
	t.Parallel()
	class := func(w *testWorld, driver string) string {
		name := w.Namespace + "-class"
		created := &storagev1.VolumeAttributesClass{ObjectMeta: metav1.ObjectMeta{Name: name}, DriverName: driver, Parameters: map[string]string{"iops": "6000", "throughput": "250"}}
		create(w, created)
		w.Cleanup(func() { _ = w.Client.Delete(w.Context(), created) })
		return name
	}
	benchmark := func(w *testWorld, name string) *v1alpha1.StorageBenchmark {
		target := ebsTarget()
		target.EBS.IOPS, target.VolumeAttributesClassName, target.Capacity = nil, &name, new(resource.MustParse("100Gi"))
		return create(w, builder.NewBenchmark(w.Namespace, "sb").Target(target).Workload(reads("w")).Build())
	}
	t.Run("gives the volume its performance", func(t *testing.T) {
		w := newWorld(t)
		w.needAttributesClasses()
		w.Cluster.AllPods(fakecluster.Hang(job.MeasureContainer))
		name := class(w, storage.EBSDriver)
		sb := w.untilStep(benchmark(w, name), v1alpha1.ReasonMeasuring)
		if limits := sb.Status.Targets[0].Limits; limits == nil || *limits.IOPS != 6000 || *limits.BytesPerSecond != 250<<20 {
			t.Errorf("limits are %+v", limits)
		}
		if claims := w.claims(); len(claims) != 1 || *claims[0].Spec.VolumeAttributesClassName != name {
			t.Errorf("claims are %+v", claims)
		}
	})
	t.Run("is missing", func(t *testing.T) {
		w := newWorld(t)
		w.needAttributesClasses()
		sb := benchmark(w, "none")
		w.untilStep(sb, v1alpha1.ReasonPending)
		w.pass(sb, time.Minute)
		w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonInvalidSpec, "spec.targets[0].volumeAttributesClassName", "there is no such VolumeAttributesClass")
	})
	t.Run("sets iops over a class with iopsPerGB", func(t *testing.T) {
		w := newWorld(t)
		w.needAttributesClasses()
		perGB := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace + "-per-gb"}, Provisioner: storage.EBSDriver, Parameters: map[string]string{"type": "io2", "iopsPerGB": "50"}}
		create(w, perGB)
		w.Cleanup(func() { _ = w.Client.Delete(w.Context(), perGB) })
		target := v1alpha1.Target{Name: "io2", StorageClassName: &perGB.Name, VolumeAttributesClassName: new(class(w, storage.EBSDriver))}
		sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(target).Workload(reads("w")).Build())
		w.untilStep(sb, v1alpha1.ReasonPending)
		w.pass(sb, time.Minute)
		w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonInvalidSpec, "spec.targets[0].volumeAttributesClassName", "it sets iops, and the StorageClass sets iopsPerGB")
	})
	t.Run("is of another driver", func(t *testing.T) {
		w := newWorld(t)
		w.needAttributesClasses()
		sb := benchmark(w, class(w, fakecluster.Driver))
		w.untilStep(sb, v1alpha1.ReasonPending)
		w.pass(sb, time.Minute)
		w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonInvalidSpec, "it is of driver "+fakecluster.Driver)
	})
}

// Before Kubernetes 1.34 there are none: make test-oldest.
func TestVolumeAttributesClassNeedsANewerKubernetes(t *testing.T) {
	t.Parallel()
	named := func(w *testWorld) *v1alpha1.StorageBenchmark {
		target := builder.NewTarget("fast")
		target.VolumeAttributesClassName = new("gold")
		return create(w, builder.NewBenchmark(w.Namespace, "sb").Target(target).Workload(reads("w")).Build())
	}
	t.Run("which an operator sees before it makes anything", func(t *testing.T) {
		w := newWorld(t)
		w.needNoAttributesClasses()
		sb := named(w)
		w.untilStep(sb, v1alpha1.ReasonPending)
		w.pass(sb, time.Minute)
		w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonInvalidSpec, "spec.targets[0].volumeAttributesClassName", prepare.NoAttributesClasses)
	})
	t.Run("which a namespaced operator sees by its claims", func(t *testing.T) {
		w := newNamespacedWorld(t)
		w.needNoAttributesClasses()
		w.untilEnd(named(w), metav1.ConditionFalse, v1alpha1.ReasonProvisioningFailed, "has lost its volumeAttributesClassName", prepare.NoAttributesClasses)
	})
}

func (w *testWorld) hasAttributesClasses() bool {
	w.Helper()
	_, err := w.Client.RESTMapper().RESTMapping(storagev1.SchemeGroupVersion.WithKind("VolumeAttributesClass").GroupKind(), "v1")
	if err != nil && !meta.IsNoMatchError(err) {
		w.Fatal(err)
	}
	return err == nil
}

func (w *testWorld) needAttributesClasses() {
	w.Helper()
	if !w.hasAttributesClasses() {
		w.Skip("this API server has no VolumeAttributesClasses")
	}
}

func (w *testWorld) needNoAttributesClasses() {
	w.Helper()
	if w.hasAttributesClasses() {
		w.Skip("this API server has VolumeAttributesClasses")
	}
}

// Objects of other benchmarks are not touched, also not those of one of the same name in another namespace.
func TestClusterObjectsOfOthers(t *testing.T) {
	w := newWorld(t)
	others := &storagev1.StorageClass{
		ObjectMeta: metav1.ObjectMeta{Name: w.Namespace + "-theirs", Labels: map[string]string{
			v1alpha1.LabelManagedBy: v1alpha1.ManagedBy, v1alpha1.LabelBenchmark: "sb", v1alpha1.LabelNamespace: "elsewhere", v1alpha1.LabelUID: "1",
		}},
		Provisioner: fakecluster.Driver,
	}
	create(w, others)
	w.Cleanup(func() { _ = w.Client.Delete(w.Context(), others) })
	sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(ebsTarget()).Workload(reads("w")).Build())
	w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
	if err := w.Client.Get(w.Context(), client.ObjectKeyFromObject(others), others); err != nil || others.DeletionTimestamp != nil {
		t.Errorf("StorageClass of somebody else: %v, deleted %v", err, others.DeletionTimestamp)
	}
}

// On an object store runs that read share what the first of them lays out, and each attempt to write has names of its
// own.
func TestJobsOnABucket(t *testing.T) {
	w := newWorld(t)
	sweep := reads("reads")
	sweep.Matrix = map[string]v1alpha1.MatrixValues{"numjobs": {intstr.FromInt32(1), intstr.FromInt32(4)}}
	writes := reads("writes")
	writes.Fio.RW = "write"
	type files struct{ layout, measure string }
	var mu sync.Mutex
	seen := map[string]files{}
	w.Cluster.OnPod(func(pod *corev1.Pod) fakecluster.Outcome {
		mu.Lock()
		defer mu.Unlock()
		seen[pod.Annotations[v1alpha1.AnnotationRun]+" "+pod.Labels[v1alpha1.LabelAttempt]] = files{
			layout: variable(&pod.Spec, digest.LayoutVariable), measure: variable(&pod.Spec, digest.JobFileVariable),
		}
		if strings.HasPrefix(pod.Annotations[v1alpha1.AnnotationRun], "writes") && pod.Labels[v1alpha1.LabelAttempt] == "1" {
			return fakecluster.Evict()
		}
		return fakecluster.Succeed(builder.Report())
	})
	sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(s3Target()).Workload(sweep).Workload(writes).
		With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.CleanupPolicy = v1alpha1.CleanupRetain }).Build())
	w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)

	mu.Lock()
	defer mu.Unlock()
	if len(seen) < 4 {
		t.Fatalf("seen are only %v", seen)
	}
	one, four := seen["reads.numjobs-1.s3 1"], seen["reads.numjobs-4.s3 1"]
	if !strings.Contains(one.layout, "numjobs=4") || four.layout != "" {
		t.Errorf("layout of the first run is\n%s, of the second\n%s", one.layout, four.layout)
	}
	if !strings.Contains(one.measure, "directory="+job.MountPath+"\n") || !strings.Contains(one.measure, "filename_format=read-") {
		t.Errorf("the run that reads does\n%s", one.measure)
	}
	first, second := seen["writes.s3 1"], seen["writes.s3 2"]
	for _, option := range []string{"create_on_open=1", "fallocate=none", "end_fsync=1", "unlink=1", "filename_format=write-"} {
		if !strings.Contains(first.measure, option) {
			t.Errorf("the run that writes lacks %s:\n%s", option, first.measure)
		}
	}
	if first.layout != "" || first.measure == second.measure {
		t.Errorf("attempts that write have the layout %q and do\n%s and\n%s", first.layout, first.measure, second.measure)
	}
}

// variable returns a variable of a pod's container, "" if it has none of that name.
func variable(pod *corev1.PodSpec, name string) string {
	i := slices.IndexFunc(pod.Containers[0].Env, func(v corev1.EnvVar) bool { return v.Name == name })
	if i < 0 {
		return ""
	}
	return pod.Containers[0].Env[i].Value
}

// A pod that nobody can end keeps files from being removed, but not what has no owner.
func TestCloudStorageOfALostNode(t *testing.T) {
	w := newWorld(t)
	w.Cluster.AllPods(fakecluster.Lose())
	sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(s3Target()).Target(ebsTarget()).Workload(reads("w")).
		Deadlines(v1alpha1.Deadlines{CleanUpSeconds: new(int32(100))}).Build())
	w.untilStep(sb, v1alpha1.ReasonMeasuring)
	w.delete(sb)
	sb = w.untilStep(sb, v1alpha1.ReasonCleaningUp, "objects of s3://my-bucket/bench/")

	w.pass(sb, 100*time.Second)
	w.Eventually(func() error { return w.gone(sb.DeepCopy()) })
	w.Eventually(func() error {
		if volumes, classes := w.volumes(), w.classes(); len(volumes)+len(classes) > 0 {
			return fmt.Errorf("left: volumes %v and classes %v", volumes, classes)
		}
		return nil
	})
	w.Eventually(func() error {
		return w.hasEvent(corev1.EventTypeWarning, v1alpha1.ReasonLeftBehind, "s3://my-bucket/bench/", "kubectl delete pod --force")
	})
}

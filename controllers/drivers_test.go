package controllers

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/prepare"
	"github.com/storagebench/storagebench/controllers/workers"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/storage"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
	"github.com/storagebench/storagebench/test/fakecluster"
)

// classOf makes a StorageClass for the time of the test.
func classOf(w *testWorld, provisioner string) *storagev1.StorageClass {
	class := create(
		w,
		&storagev1.StorageClass{
			ObjectMeta:    metav1.ObjectMeta{GenerateName: "driver-"},
			Provisioner:   provisioner,
			ReclaimPolicy: new(corev1.PersistentVolumeReclaimDelete),
		},
	)
	w.Cleanup(func() { _ = w.Client.Delete(w.Context(), class) })
	return class
}

// A driver that the cluster does not have is told of at once, and nothing is made. One that is installed later serves
// the benchmark.
func TestMissingDriver(t *testing.T) {
	t.Parallel()
	of := func(w *testWorld, driver string) *v1alpha1.StorageBenchmark {
		target := builder.NewTarget("t")
		target.StorageClassName = &classOf(w, driver).Name
		sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(target).Workload(reads("w")).
			Deadlines(v1alpha1.Deadlines{ProvisioningSeconds: new(int32(300))}).Build())
		w.untilStep(
			sb,
			v1alpha1.ReasonProvisioning,
			"target t: the cluster has no CSI driver "+driver+" (StorageClass "+*target.StorageClassName+")",
		)
		if made := w.children(); len(made) > 0 {
			w.Errorf("%q are there before the driver is", made)
		}
		return sb
	}
	t.Run("installed in time", func(t *testing.T) {
		w := newWorld(t)
		driver := w.Namespace + ".csi.fake"
		sb := of(w, driver)
		installed := create(w, &storagev1.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: driver}})
		t.Cleanup(func() { _ = w.Client.Delete(w.Context(), installed) })
		w.pass(sb, workers.PollWaiting)
		done := w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		if done.Status.StepStartTime != nil {
			t.Error("it has ended, and is still at a step")
		}
	})
	t.Run("never installed", func(t *testing.T) {
		w := newWorld(t)
		sb := of(w, w.Namespace+".csi.fake")
		w.pass(sb, 300*time.Second)
		w.untilEnd(
			sb,
			metav1.ConditionFalse,
			v1alpha1.ReasonProvisioningFailed,
			"(spec.deadlines.provisioningSeconds)",
			"the cluster has no CSI driver",
		)
	})
}

// Only a driver that is certainly missing is waited for, and only before anything was made.
func TestAwaitDrivers(t *testing.T) {
	const driver, other = "new.csi.fake", "other.csi.fake"
	object := func(name string) *storagev1.CSIDriver {
		return &storagev1.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: name}}
	}
	node := func(drivers ...string) *storagev1.CSINode {
		made := &storagev1.CSINode{ObjectMeta: metav1.ObjectMeta{Name: "n"}}
		for _, name := range drivers {
			made.Spec.Drivers = append(made.Spec.Drivers, storagev1.CSINodeDriver{Name: name, NodeID: "n"})
		}
		return made
	}
	for _, test := range []struct {
		name    string
		driver  string
		objects []client.Object
		change  func(*pass.Pass)
		waits   bool
	}{
		{"missing", driver, nil, nil, true},
		{"others are there", driver, []client.Object{node(other), object(other)}, nil, true},
		{"there", driver, []client.Object{object(driver)}, nil, false},
		{"without an object, on a node", driver, []client.Object{node(other, driver)}, nil, false},
		{"a provisioner of another kind", "rancher.io/local-path", nil, nil, false},
		{"what may be one", "driver.example.com", nil, nil, false},
		{"nobody makes volumes", storage.NoProvisioner, nil, nil, false},
		{"not known", "", nil, nil, false},
		{"a claim was made", driver, nil, func(p *pass.Pass) { p.Children.Claims["c"] = &corev1.PersistentVolumeClaim{} }, false},
		{"an anchor was made", driver, nil, func(p *pass.Pass) { p.SB.Status.Anchors = []v1alpha1.Anchor{{}} }, false},
		{"a run was begun", driver, nil, func(p *pass.Pass) { p.SB.Status.Runs = []v1alpha1.Run{{Attempts: 1}} }, false},
		{"a namespaced operator may not look", driver, nil, func(p *pass.Pass) { p.Namespaces = []string{"default"} }, false},
		{"it has ended", driver, nil, func(p *pass.Pass) { p.Fail(v1alpha1.ReasonRunFailed, "") }, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			sb := builder.OneRun("default", "sb").Deadlines(v1alpha1.Deadlines{ProvisioningSeconds: new(int32(60))}).Build()
			sb.Status.Targets = []v1alpha1.TargetStatus{
				{Name: sb.Spec.Targets[0].Name, Driver: test.driver, StorageClassName: "new"},
			}
			p := passOver(
				&Reconciler{Live: fake.NewClientBuilder().WithScheme(envtest.Scheme()).WithObjects(test.objects...).Build()},
				sb,
			)
			p.Children.Claims = map[string]*corev1.PersistentVolumeClaim{}
			if test.change != nil {
				test.change(p)
			}
			out, err := prepare.AwaitDrivers(t.Context(), p)
			if err != nil || out.Stop != test.waits {
				t.Errorf("outcome %+v, %v", out, err)
			}
			if said := p.SB.Status.Condition(
				v1alpha1.ConditionSucceeded,
			).Message; strings.Contains(
				said,
				"no CSI driver "+driver+" (StorageClass new)",
			) != test.waits {
				t.Errorf("users read %q", said)
			}
		})
	}
}

// A target of ebs, efs or s3 waits for its driver as well, and its own StorageClass is not named: users do not know it.
func TestMissingDriverOfInlineStorage(t *testing.T) {
	for addOn, target := range map[string]v1alpha1.Target{
		"aws-ebs-csi-driver": ebsTarget(), "aws-mountpoint-s3-csi-driver": s3Target(),
	} {
		sb := builder.NewBenchmark("default", "sb").Target(target).Workload(reads("w")).
			Deadlines(v1alpha1.Deadlines{ProvisioningSeconds: new(int32(60))}).Build()
		p := passOver(&Reconciler{Live: fake.NewClientBuilder().WithScheme(envtest.Scheme()).Build()}, sb)
		p.SB.Status.Targets = []v1alpha1.TargetStatus{prepare.NewTargetStatus(sb, &target)}
		out, err := prepare.AwaitDrivers(t.Context(), p)
		said := p.SB.Status.Condition(v1alpha1.ConditionSucceeded).Message
		if err != nil || !out.Stop || !strings.Contains(said, "add-on "+addOn) ||
			strings.Contains(said, "StorageClass "+p.SB.Status.Targets[0].StorageClassName+")") {
			t.Errorf("outcome %+v, %v: %q", out, err, said)
		}
	}
}

// claimOnBucket makes a volume of Mountpoint and the claim that it is for, as an administrator does.
func claimOnBucket(w *testWorld, name string) *corev1.PersistentVolumeClaim {
	modes, size := []corev1.PersistentVolumeAccessMode{
		corev1.ReadWriteMany,
	}, corev1.ResourceList{
		corev1.ResourceStorage: storage.DefaultCapacity,
	}
	volume := create(w, &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "bucket-"},
		Spec: corev1.PersistentVolumeSpec{
			Capacity: size, AccessModes: modes, PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimRetain,
			ClaimRef: &corev1.ObjectReference{Namespace: w.Namespace, Name: name},
			PersistentVolumeSource: corev1.PersistentVolumeSource{CSI: &corev1.CSIPersistentVolumeSource{
				Driver: storage.S3Driver, VolumeHandle: "bucket", VolumeAttributes: map[string]string{"bucketName": "my-bucket"},
			}},
		},
	})
	w.Cleanup(func() { w.letGo(volume); _ = w.Client.Delete(w.Context(), volume) })
	return create(w, &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: name},
		Spec: corev1.PersistentVolumeClaimSpec{
			StorageClassName: new(
				"",
			),
			VolumeName:  volume.Name,
			AccessModes: modes,
			Resources:   corev1.VolumeResourceRequirements{Requests: size},
		},
	})
}

// What storage cannot do is refused in the same words, whichever field names it, and before anything is made.
func TestRulesFollowTheDriver(t *testing.T) {
	w := newWorld(t)
	random := reads("w")
	random.Fio.RW = "randwrite"
	class := builder.NewTarget("class")
	class.StorageClassName, class.AccessMode = &classOf(w, storage.S3Driver).Name, new(corev1.ReadWriteMany)
	said := map[string]string{}
	claim := builder.NewClaimTarget("claim", claimOnBucket(w, "mine").Name)
	for name, target := range map[string]v1alpha1.Target{"s3": s3Target(), "claim": claim, "class": class} {
		sb := create(w, builder.NewBenchmark(w.Namespace, name).Target(target).Workload(random).Build())
		done := w.untilEnd(
			sb,
			metav1.ConditionFalse,
			v1alpha1.ReasonInvalidSpec,
			"Mountpoint writes a file from its first byte to its last",
		)
		if made := w.children(); done.Status.StartTime != nil || len(made) != 1 { // the volume that was there
			t.Errorf("%s: begun at %s, there are %q", name, done.Status.StartTime, made)
		}
		said[name] = done.Status.Condition(v1alpha1.ConditionSucceeded).Message
	}
	if said["claim"] != said["s3"] || said["class"] != said["s3"] {
		t.Errorf("the words are %q", said)
	}
}

// A claim on a bucket is written as a bucket is, in a directory that holds, and S3's requests are its limits.
func TestClaimOnABucket(t *testing.T) {
	w := newWorld(t)
	w.Cluster.AllPods(fakecluster.Hang(job.MeasureContainer))
	writes := reads("writes")
	writes.Fio.RW = "write"
	claim := claimOnBucket(w, "mine")
	sb := create(
		w,
		builder.NewBenchmark(w.Namespace, "sb").Target(builder.NewClaimTarget("claim", claim.Name)).Workload(writes).Build(),
	)
	sb = w.untilStep(sb, v1alpha1.ReasonMeasuring)
	if target := sb.Status.Targets[0]; target.Driver != storage.S3Driver || target.Limits == nil ||
		target.Limits.Scope != v1alpha1.ScopeFileSystem {
		t.Errorf("target is %+v", target)
	}
	pods := w.runPods()
	if len(pods) != 1 {
		t.Fatalf("pods are %v", pods)
	}
	for _, option := range []string{
		"create_on_open=1", "fallocate=none", "end_fsync=1", "unlink=1", "filename_format=write-",
		"directory=/volume/storagebench-",
	} {
		if file := variable(&pods[0].Spec, digest.JobFileVariable); !strings.Contains(file, option) {
			t.Errorf("the run lacks %s:\n%s", option, file)
		}
	}
	if args := pods[0].Spec.Containers[0].Args; !strings.Contains(strings.Join(args, " "), "--hold-directory") {
		t.Errorf("the directory is not held: %q", args)
	}
}

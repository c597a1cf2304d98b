//go:build e2e

package e2e

import (
	"context"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// A StorageClass whose CSI driver is not installed is told of at once, and nothing is made. When the driver is there,
// the benchmark goes on, and tells that the driver is missing on the node that was chosen.
func TestMissingDriver(t *testing.T) {
	sideBySide(t, waits)
	driver := namespaceOf(t) + ".csi.storagebench.dev"
	missing := createFor(t, &storagev1.StorageClass{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "storagebench-e2e-"}, Provisioner: driver,
		VolumeBindingMode: new(storagev1.VolumeBindingWaitForFirstConsumer),
	})
	sb := benchmark(
		t,
		"missing-driver",
		func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Targets[0].StorageClassName = &missing.Name },
	)
	create(t, sb)
	untilSays(t, sb, "the cluster has no CSI driver "+driver+" (StorageClass "+missing.Name+")")
	var claims corev1.PersistentVolumeClaimList
	if err := k8s.List(t.Context(), &claims, client.InNamespace(sb.Namespace)); err != nil || len(claims.Items) > 0 {
		t.Errorf("there are %d claims before the driver is there, %v", len(claims.Items), err)
	}
	createFor(t, &storagev1.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: driver}})
	untilSays(t, sb, "does not run CSI driver "+driver, "ExternalProvisioning: ", "'"+driver+"'")
}

// The volume of a static StorageClass that a claim before has left is named, with what makes it usable.
func TestReleasedVolumeIsNamed(t *testing.T) {
	sideBySide(t, waits)
	static := createFor(t, &storagev1.StorageClass{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "storagebench-e2e-"}, Provisioner: "kubernetes.io/no-provisioner",
		VolumeBindingMode: new(storagev1.VolumeBindingWaitForFirstConsumer),
	})
	volume := createFor(t, &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "storagebench-e2e-"},
		Spec: corev1.PersistentVolumeSpec{
			StorageClassName: static.Name, PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimRetain,
			AccessModes:            []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Capacity:               corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")},
			ClaimRef:               &corev1.ObjectReference{Namespace: namespaceOf(t), Name: "before", UID: "4f4a2c1e-before"},
			PersistentVolumeSource: corev1.PersistentVolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/nowhere"}},
		},
	})
	awaitPhase(t, volume, corev1.VolumeReleased)
	sb := benchmark(
		t,
		"released",
		func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Targets[0].StorageClassName = &static.Name },
	)
	create(t, sb)
	untilSays(t, sb, "volume "+volume.Name+" fits, but is Released since claim "+namespaceOf(t)+"/before", "claimRef")
}

// A claim on a volume of Mountpoint has the rules and the parameters of an s3 target.
func TestClaimOfMountpoint(t *testing.T) {
	sideBySide(t)
	needsBucket(t)
	claim := claimOnBucket(t)
	on := func(name string, fio v1alpha1.FioParameters) *v1alpha1.StorageBenchmark {
		return benchmark(t, name, func(sb *v1alpha1.StorageBenchmark) {
			sb.Spec.Targets = []v1alpha1.Target{{Name: "theirs", ClaimName: &claim.Name}}
			sb.Spec.Workloads = []v1alpha1.Workload{{Name: "w", Fio: &fio}}
		})
	}
	random := on("claim-randwrite", v1alpha1.FioParameters{RW: "randwrite", Size: new("1M")})
	create(t, random)
	refused := fails(
		t,
		random,
		v1alpha1.ReasonInvalidSpec,
		"spec.workloads[0].fio.rw",
		"Mountpoint writes a file from its first byte to its last",
	)
	if refused.Status.StartTime != nil {
		t.Error("the benchmark began to provision")
	}
	sequential := on(
		"claim-write",
		v1alpha1.FioParameters{RW: "write", BS: new("1m"), Size: new("8M"), NumJobs: new(int32(2))},
	)
	sequential.Spec.Workloads = append(
		sequential.Spec.Workloads,
		v1alpha1.Workload{Name: "read", Fio: &v1alpha1.FioParameters{RW: "read", BS: new("1m"), Size: new("8M")}},
		v1alpha1.Workload{
			Name:    "in-turn",
			JobFile: new("[first]\nrw=write\nsize=1M\n[second]\nstonewall\nrw=write\nsize=1M\n"),
		},
	)
	create(t, sequential)
	done := completes(t, sequential)
	if target := done.Status.Targets[0]; target.Driver != "s3.csi.aws.com" ||
		target.TestFiles != v1alpha1.TestFilesRemoved {
		t.Errorf("driver %q, test files %q", target.Driver, target.TestFiles)
	}
}

// claimOnBucket makes a volume of Mountpoint by hand, as an administrator does, and the claim that it is for.
func claimOnBucket(t *testing.T) *corev1.PersistentVolumeClaim {
	t.Helper()
	s3 := bucket(t).S3
	options := []string{
		"prefix theirs/" + namespaceOf(t) + "/",
		"allow-delete",
		"allow-other",
		"uid 65532",
		"gid 65532",
		"region " + *s3.Region,
	}
	if s3.EndpointURL != nil {
		options = append(options, "endpoint-url="+*s3.EndpointURL, "force-path-style")
	}
	modes, size := []corev1.PersistentVolumeAccessMode{
		corev1.ReadWriteMany,
	}, corev1.ResourceList{
		corev1.ResourceStorage: resource.MustParse("1Gi"),
	}
	attributes := map[string]string{"bucketName": s3.Bucket}
	if s3.AuthenticationSource != nil {
		attributes["authenticationSource"] = string(*s3.AuthenticationSource)
	}
	volume := createFor(t, &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: namespaceOf(t) + "-theirs"},
		Spec: corev1.PersistentVolumeSpec{
			Capacity: size, AccessModes: modes, MountOptions: append(options, s3.MountOptions...),
			PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimRetain,
			ClaimRef:                      &corev1.ObjectReference{Namespace: namespaceOf(t), Name: "theirs"},
			PersistentVolumeSource: corev1.PersistentVolumeSource{CSI: &corev1.CSIPersistentVolumeSource{
				Driver: "s3.csi.aws.com", VolumeHandle: namespaceOf(t) + "-theirs", VolumeAttributes: attributes,
			}},
		},
	})
	return createFor(t, &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespaceOf(t), Name: "theirs"},
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

// createFor creates an object for the time of the test.
func createFor[O client.Object](t *testing.T, object O) O {
	t.Helper()
	if err := k8s.Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.IgnoreNotFound(k8s.Delete(context.WithoutCancel(t.Context()), object)); err != nil {
			t.Error(err)
		}
	})
	return object
}

// untilSays waits until the benchmark provisions its storage and says all of the texts.
func untilSays(t *testing.T, sb *v1alpha1.StorageBenchmark, texts ...string) {
	t.Helper()
	seen := until(t, sb, "the words "+strings.Join(texts, " and "), func(sb *v1alpha1.StorageBenchmark) bool {
		c := succeeded(sb)
		for _, text := range texts {
			if !strings.Contains(c.Message, text) {
				return false
			}
		}
		return c.Reason == v1alpha1.ReasonProvisioning
	})
	t.Logf("%s", succeeded(seen).Message)
}

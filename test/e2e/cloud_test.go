//go:build e2e

package e2e

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// What is local about the storage of the local cluster. "make test-e2e" names the directories whose files are the
// objects of the bucket and the files of the file system.
const (
	bucketDirectory     = "STORAGEBENCH_BUCKET_DIRECTORY"
	fileSystemDirectory = "STORAGEBENCH_FILE_SYSTEM_DIRECTORY"
)

// needsBucket fails a test where there is none, and checks at its end that its benchmarks have left nothing there.
func needsBucket(t *testing.T) {
	t.Helper()
	err := k8s.Get(t.Context(), types.NamespacedName{Name: "s3.csi.aws.com"}, &storagev1.CSIDriver{})
	if err != nil {
		t.Fatalf("the cluster has no driver for S3 (make cluster-up S3=1): %v", err)
	}
	t.Cleanup(func() { wantNoFiles(t, bucketDirectory) })
}

// wantNoFiles checks that there are no files of the test's benchmarks below a directory that the environment names. Those of
// other tests may be there.
func wantNoFiles(t *testing.T, variable string) {
	t.Helper()
	left, err := filesLeft(variable)
	if err != nil {
		t.Error(err)
	}
	for _, path := range left {
		if slices.ContainsFunc(stageOf(t).benchmarks(), func(directory string) bool { return strings.Contains(path, directory) }) {
			t.Errorf("%s is left", path)
		}
	}
}

// checkNoFiles checks that all tests together have left no files, wherever these may be.
func checkNoFiles() error {
	var errs []error
	for _, variable := range []string{bucketDirectory, fileSystemDirectory} {
		if left, err := filesLeft(variable); err != nil || len(left) > 0 {
			errs = append(errs, err, fmt.Errorf("%s has %d files that are left: %v", variable, len(left), left))
		}
	}
	return errors.Join(errs...)
}

// filesLeft returns the files below a directory that the environment names, but for the one that is somebody else's.
func filesLeft(variable string) ([]string, error) {
	root := os.Getenv(variable)
	if root == "" {
		return nil, fmt.Errorf("%s is not set: make test-e2e does so", variable)
	}
	if _, err := os.Stat(root); err != nil {
		return nil, err
	}
	var left []string
	err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // other tests remove theirs meanwhile
		}
		if err == nil && !entry.IsDir() && path != keptObject(root) {
			left = append(left, path)
		}
		return err
	})
	return left, err
}

// keptObject is somebody else's, in the bucket beside those of benchmarks.
func keptObject(root string) string { return filepath.Join(root, "benchmarks", "of-somebody-else") }

// bucket returns a target on the bucket of the local cluster.
func bucket(t *testing.T) v1alpha1.Target {
	t.Helper()
	return experiment(t, "e5").Spec.Targets[0]
}

func onS3(t *testing.T, name string, workloads ...v1alpha1.Workload) *v1alpha1.StorageBenchmark {
	t.Helper()
	return benchmark(t, name, func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Targets = []v1alpha1.Target{bucket(t)}
		sb.Spec.Workloads = workloads
	})
}

// Writes to a bucket, of a size, and reads; only the benchmark's own objects go.
func TestS3Writes(t *testing.T) {
	sideBySide(t)
	needsBucket(t)
	theirs := keptObject(os.Getenv(bucketDirectory))
	if err := os.MkdirAll(filepath.Dir(theirs), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(theirs, []byte("keep"), 0o644); err != nil {
		t.Fatal(err)
	}
	sb := onS3(t, "s3-writes",
		v1alpha1.Workload{Name: "write", Fio: &v1alpha1.FioParameters{RW: "write", BS: new("1m"), Size: new("32M"), NumJobs: new(int32(2))}},
		v1alpha1.Workload{Name: "read", Fio: &v1alpha1.FioParameters{RW: "read", BS: new("1m"), Size: new("32M")}},
		v1alpha1.Workload{Name: "randread", Fio: &v1alpha1.FioParameters{RW: "randread", BS: new("16k"), Size: new("4M"), Direct: new(true)}},
	)
	sb.Spec.Repetitions = new(int32(2))
	sb = measured(t, sb)
	for _, run := range sb.Status.Runs {
		if (run.Workload == "write") != (run.Result.Of(v1alpha1.OperationWrite) != nil) || (run.Workload == "write") == (run.Result.Of(v1alpha1.OperationRead) != nil) {
			t.Errorf("%s has %+v", run.Name, run.Result)
		}
	}
	if content, err := os.ReadFile(theirs); err != nil || string(content) != "keep" {
		t.Errorf("the object of somebody else: %q, %v", content, err)
	}
}

// What a bucket cannot do is refused before anything is provisioned.
func TestS3Refusals(t *testing.T) {
	sideBySide(t, early, waits)
	needsBucket(t)
	for name, test := range map[string]struct {
		fio   v1alpha1.FioParameters
		words []string
	}{
		"randwrite":  {v1alpha1.FioParameters{RW: "randwrite", Size: new("1M")}, []string{"spec.workloads[0].fio.rw", "randwrite"}},
		"mixed":      {v1alpha1.FioParameters{RW: "randrw", Size: new("1M")}, []string{"spec.workloads[0].fio.rw"}},
		"for-a-time": {v1alpha1.FioParameters{RW: "write", Size: new("1M"), TimeBased: new(true), RuntimeSeconds: new(int32(5))}, []string{"spec.workloads[0].fio.timeBased"}},
		"o-sync":     {v1alpha1.FioParameters{RW: "write", Size: new("1M"), Sync: new("sync")}, []string{"spec.workloads[0].fio.sync"}},
		"fsync":      {v1alpha1.FioParameters{RW: "write", Size: new("1M"), Fsync: new(int32(1))}, []string{"spec.workloads[0].fio.fsync"}},
		"again":      {v1alpha1.FioParameters{RW: "write", Size: new("1M"), Loops: new(int32(2))}, []string{"spec.workloads[0].fio.loops"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sb := onS3(t, "s3-"+name, v1alpha1.Workload{Name: "w", Fio: &test.fio})
			create(t, sb)
			done := fails(t, sb, v1alpha1.ReasonInvalidSpec, test.words...)
			if done.Status.StartTime != nil {
				t.Error("the benchmark began to provision")
			}
		})
	}
}

// A bucket that is not there: Mountpoint's own words, within the deadline.
func TestS3MissingBucket(t *testing.T) {
	sideBySide(t, waits)
	needsBucket(t)
	sb := onS3(t, "s3-missing", v1alpha1.Workload{Name: "read", Fio: &v1alpha1.FioParameters{RW: "read", Size: new("1M")}})
	sb.Spec.Targets[0].S3.Bucket = "no-such-bucket"
	sb.Spec.Deadlines.PodStartSeconds = new(int32(20))
	create(t, sb)
	fails(t, sb, v1alpha1.ReasonDeadlineExceeded, "no-such-bucket")
}

// An access point that is made for the benchmark, and the root of the file system, which only root may write.
func TestEFSProvisioning(t *testing.T) {
	sideBySide(t, shares(theFileSystem))
	t.Cleanup(func() { wantNoFiles(t, fileSystemDirectory) })
	read := v1alpha1.Workload{Name: "read", Fio: &v1alpha1.FioParameters{RW: "read", Size: new("1M"), BS: new("64k"), Direct: new(true)}}
	fileSystem := func() *v1alpha1.EFSFileSystem { return experiment(t, "e4").Spec.Targets[0].EFS.DeepCopy() }
	on := func(name string, efs *v1alpha1.EFSFileSystem) *v1alpha1.StorageBenchmark {
		return benchmark(t, name, func(sb *v1alpha1.StorageBenchmark) {
			sb.Spec.Targets, sb.Spec.Workloads = []v1alpha1.Target{{Name: "efs", EFS: efs}}, []v1alpha1.Workload{read}
		})
	}
	t.Run("access point of a user", func(t *testing.T) {
		efs := fileSystem()
		efs.UID, efs.GID, efs.BasePath = new(int64(4711)), new(int64(4712)), new("/benchmarks")
		measured(t, on("efs-user", efs))
	})
	t.Run("access point that exists", func(t *testing.T) {
		efs := fileSystem()
		efs.Provisioning, efs.AccessPointID = new(v1alpha1.EFSStatic), new(accessPoint(t, efs.FileSystemID))
		sb := measured(t, on("efs-existing", efs))
		if got := targetOf(t, sb, "efs").TestFiles; got != v1alpha1.TestFilesRemoved {
			t.Errorf("test files are %q", got)
		}
	})
	t.Run("root that pods may not write", func(t *testing.T) {
		efs := fileSystem()
		efs.Provisioning = new(v1alpha1.EFSStatic)
		sb := on("efs-root", efs)
		create(t, sb)
		fails(t, sb, v1alpha1.ReasonRunFailed, "permission denied")
	})
	t.Run("file system that is not there", func(t *testing.T) {
		efs := fileSystem()
		efs.FileSystemID = "fs-0000000000000000f"
		sb := on("efs-missing", efs)
		sb.Spec.Deadlines.ProvisioningSeconds = new(int32(15))
		create(t, sb)
		fails(t, sb, v1alpha1.ReasonDeadlineExceeded, "File System does not exist")
	})
}

// accessPoint has the driver make an access point, which is there until the test ends, and returns its identity.
func accessPoint(t *testing.T, fileSystem string) string {
	t.Helper()
	class := &storagev1.StorageClass{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "storagebench-e2e-"}, Provisioner: "efs.csi.aws.com",
		Parameters: map[string]string{"provisioningMode": "efs-ap", "fileSystemId": fileSystem, "directoryPerms": "700"},
	}
	if err := k8s.Create(t.Context(), class); err != nil {
		t.Fatal(err)
	}
	claim := &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespaceOf(t), GenerateName: "theirs-"},
		Spec: corev1.PersistentVolumeClaimSpec{
			StorageClassName: &class.Name, AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteMany},
			Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
		},
	}
	if err := k8s.Create(t.Context(), claim); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		for _, object := range []client.Object{claim, class} {
			if err := k8s.Delete(ctx, object); err != nil {
				t.Error(err)
			}
		}
	})
	id := ""
	eventually(t.Context(), t, "the access point", func(ctx context.Context) (bool, error) {
		if err := k8s.Get(ctx, client.ObjectKeyFromObject(claim), claim); err != nil || claim.Spec.VolumeName == "" {
			return false, err
		}
		var volume corev1.PersistentVolume
		if err := k8s.Get(ctx, types.NamespacedName{Name: claim.Spec.VolumeName}, &volume); err != nil {
			return false, client.IgnoreNotFound(err)
		}
		_, id, _ = strings.Cut(volume.Spec.CSI.VolumeHandle, "::")
		return id != "", nil
	})
	return id
}

// EBS as a raw block device, and with the figures of a VolumeAttributesClass.
func TestEBSVolumes(t *testing.T) {
	sideBySide(t, load(figures))
	ebs := func(name string, target v1alpha1.Target, fio v1alpha1.FioParameters) *v1alpha1.StorageBenchmark {
		return benchmark(t, name, func(sb *v1alpha1.StorageBenchmark) {
			target.Name = "ebs"
			sb.Spec.Targets, sb.Spec.Workloads = []v1alpha1.Target{target}, []v1alpha1.Workload{{Name: "w", Fio: &fio}}
		})
	}
	t.Run("raw block", func(t *testing.T) {
		t.Parallel()
		measured(t, ebs("ebs-block", v1alpha1.Target{EBS: &v1alpha1.EBSVolume{Type: "io2", IOPS: new(int32(1000))}, VolumeMode: new(corev1.PersistentVolumeBlock)},
			v1alpha1.FioParameters{RW: "randwrite", BS: new("16k"), Direct: new(true), Size: new("64M"), RuntimeSeconds: new(int32(2)), TimeBased: new(true)}))
	})
	t.Run("VolumeAttributesClass", func(t *testing.T) {
		t.Parallel()
		class := &storagev1.VolumeAttributesClass{
			ObjectMeta: metav1.ObjectMeta{GenerateName: "storagebench-e2e-"}, DriverName: "ebs.csi.aws.com",
			Parameters: map[string]string{"type": "gp3", "iops": "4000", "throughput": "200"},
		}
		if err := k8s.Create(t.Context(), class); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = k8s.Delete(context.WithoutCancel(t.Context()), class) })
		sb := measured(t, ebs("ebs-attributes", v1alpha1.Target{EBS: &v1alpha1.EBSVolume{Type: "gp3"}, VolumeAttributesClassName: &class.Name},
			v1alpha1.FioParameters{RW: "randwrite", BS: new("4k"), IOEngine: new("libaio"), IODepth: new(int32(32)), Direct: new(true), Size: new("64M"), RuntimeSeconds: new(int32(3)), TimeBased: new(true)}))
		if iops := sb.Status.Runs[0].Result.Of(v1alpha1.OperationWrite).IOPS(); iops < 3700 || iops > 4400 {
			t.Errorf("%d IOPS on a volume of 4000", iops)
		}
	})
}

// A StorageClass that AWS refuses: the driver's own words, within the deadline, and nothing is left.
func TestEBSRefusal(t *testing.T) {
	sideBySide(t, waits)
	class := &storagev1.StorageClass{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "storagebench-e2e-"}, Provisioner: "ebs.csi.aws.com",
		Parameters: map[string]string{"type": "gp3", "iops": "100"},
	}
	if err := k8s.Create(t.Context(), class); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = k8s.Delete(context.WithoutCancel(t.Context()), class) })
	sb := benchmark(t, "ebs-refused", func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Targets[0].StorageClassName = &class.Name
		sb.Spec.Deadlines.ProvisioningSeconds = new(int32(15))
	})
	create(t, sb)
	fails(t, sb, v1alpha1.ReasonDeadlineExceeded, "ProvisioningFailed", "Could not create volume", "100")
}

// clusterObjects returns the names of what was made for the benchmark that has no namespace.
func clusterObjects(ctx context.Context, t *testing.T, sb *v1alpha1.StorageBenchmark) []string {
	t.Helper()
	mine := client.MatchingLabels{v1alpha1.LabelNamespace: sb.Namespace, v1alpha1.LabelBenchmark: sb.Name}
	var volumes corev1.PersistentVolumeList
	var classes storagev1.StorageClassList
	for _, list := range []client.ObjectList{&volumes, &classes} {
		if err := k8s.List(ctx, list, mine); err != nil {
			t.Fatalf("list: %v", err)
		}
	}
	var names []string
	for i := range volumes.Items {
		names = append(names, "PersistentVolume "+volumes.Items[i].Name)
	}
	for i := range classes.Items {
		names = append(names, "StorageClass "+classes.Items[i].Name)
	}
	return names
}

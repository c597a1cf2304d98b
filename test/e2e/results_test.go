//go:build e2e

package e2e

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/childmeta"
)

func TestResult(t *testing.T) {
	sideBySide(t, early)
	sb := benchmark(t, "result")
	create(t, sb)
	done := completes(t, sb)

	if got := done.Status.Progress; got != "1/1" {
		t.Errorf("progress = %q", got)
	}
	run := done.Status.Runs[0]
	if run.Name != "randwrite.volume" || run.State != v1alpha1.RunSucceeded || run.Attempts != 1 || run.Result == nil {
		t.Fatalf("run = %+v", run)
	}
	if run.Result.Of(v1alpha1.OperationRead) != nil || run.Result.Of(v1alpha1.OperationWrite) == nil {
		t.Fatalf("result of writes = %+v", run.Result)
	}
	checkFigures(t, run.Result, run.Result.Of(v1alpha1.OperationWrite))
	if !strings.Contains(done.Status.Summary, "randwrite: volume ") {
		t.Errorf("summary = %q", done.Status.Summary)
	}
	target := done.Status.Targets[0]
	if len(target.Volumes) != 1 || target.Volumes[0].Handle == "" || target.Volumes[0].Node == "" || ptr.Deref(target.ProvisionedMilliseconds, 0) <= 0 {
		t.Errorf("target = %+v", target)
	}
	checkLog(t, &run)
}

// checkFigures checks that the figures are those of one real run of two seconds: they must agree with each other.
func checkFigures(t *testing.T, result *v1alpha1.Result, io *v1alpha1.Figures) {
	const seconds = 2
	t.Helper()
	if !strings.HasPrefix(result.FioVersion, "fio-") {
		t.Errorf("fioVersion = %q", result.FioVersion)
	}
	if result.ElapsedMilliseconds < seconds*1000 || result.ElapsedMilliseconds > (seconds+5)*1000 {
		t.Errorf("elapsed = %d ms of a run of %d s", result.ElapsedMilliseconds, seconds)
	}
	if io.Count == 0 || io.Bytes != io.Count*4096 {
		t.Errorf("%d I/Os of 4096 bytes moved %d bytes", io.Count, io.Bytes)
	}
	expected := io.Count * 1000 / result.ElapsedMilliseconds
	if io.IOPS() < expected*98/100 || io.IOPS() > expected*102/100+1 {
		t.Errorf("IOPS = %d, but %d I/Os in %d ms are %d", io.IOPS(), io.Count, result.ElapsedMilliseconds, expected)
	}
	if io.Latency == nil || io.CompletionLatency == nil {
		t.Fatalf("no latency: %+v", io)
	}
	c := io.CompletionLatency
	figures := []int64{c.MinNanoseconds, c.P50Nanoseconds, c.P90Nanoseconds, c.P95Nanoseconds, c.P99Nanoseconds, c.P999Nanoseconds, c.P9999Nanoseconds}
	for i := 2; i < len(figures); i++ {
		if figures[i] < figures[i-1] {
			t.Errorf("percentiles fall: %+v", c)
		}
	}
	if c.MinNanoseconds <= 0 || c.MaxNanoseconds < c.MinNanoseconds || io.Latency.MeanNanoseconds < c.MinNanoseconds {
		t.Errorf("latency %+v, completion latency %+v", io.Latency, c)
	}
}

// checkLog checks that the log that is kept of the run has fio's full output, for people and for programs.
func checkLog(t *testing.T, run *v1alpha1.Run) {
	t.Helper()
	log := keptLog(t, run)
	for _, text := range []string{`"fio version"`, `"bins"`, "write: IOPS=", "clat percentiles"} {
		if !strings.Contains(log, text) {
			t.Errorf("the log lacks %q", text)
		}
	}
}

// keptLog returns the log that is kept of the run of a client.
func keptLog(t *testing.T, run *v1alpha1.Run) string {
	t.Helper()
	var kept corev1.ConfigMap
	if err := k8s.Get(t.Context(), client.ObjectKey{Namespace: namespaceOf(t), Name: run.LogConfigMap}, &kept); err != nil {
		t.Fatalf("get the kept log: %v", err)
	}
	zipped, err := gzip.NewReader(bytes.NewReader(kept.BinaryData["fio.log.gz"]))
	if err != nil {
		t.Fatalf("unzip the kept log: %v", err)
	}
	text, err := io.ReadAll(zipped)
	if err != nil {
		t.Fatalf("unzip the kept log: %v", err)
	}
	return string(text)
}

func TestBlockVolume(t *testing.T) {
	sideBySide(t)
	sb := benchmark(t, "block", func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Targets[0].VolumeMode = new(corev1.PersistentVolumeBlock)
		sb.Spec.Workloads[0].Fio = &v1alpha1.FioParameters{
			RW: "randrw", BS: new("4k"), Direct: new(true), Size: new("100%"), Invalidate: new(false),
			IOEngine: new("libaio"), IODepth: new(int32(4)), TimeBased: new(true), RuntimeSeconds: new(int32(2)),
		}
	})
	create(t, sb)
	result := completes(t, sb).Status.Runs[0].Result
	if result.Of(v1alpha1.OperationRead) == nil || result.Of(v1alpha1.OperationWrite) == nil {
		t.Fatalf("result = %+v", result)
	}
	for _, io := range []*v1alpha1.Figures{result.Of(v1alpha1.OperationRead), result.Of(v1alpha1.OperationWrite)} {
		checkFigures(t, result, io)
	}
}

func TestTargetsAndWorkloads(t *testing.T) {
	sideBySide(t)
	sb := benchmark(t, "product", func(sb *v1alpha1.StorageBenchmark) {
		second := sb.Spec.Targets[0]
		second.Name = "other"
		sb.Spec.Targets = append(sb.Spec.Targets, second)
		sb.Spec.Workloads = append(sb.Spec.Workloads, v1alpha1.Workload{Name: "read", Fio: &v1alpha1.FioParameters{
			RW: "read", BS: new("64k"), Direct: new(true), Size: new("16M"),
		}})
	})
	create(t, sb)
	done := completes(t, sb)
	var names []string
	for _, run := range done.Status.Runs {
		names = append(names, run.Name)
	}
	if got, want := strings.Join(names, " "), "randwrite.volume randwrite.other read.volume read.other"; got != want {
		t.Errorf("runs = %s, want %s", got, want)
	}
	for _, run := range done.Status.Runs[2:] {
		if run.Result.Of(v1alpha1.OperationRead).Bytes != 16<<20 {
			t.Errorf("run %s read %d bytes of a file of 16 MiB", run.Name, run.Result.Of(v1alpha1.OperationRead).Bytes)
		}
	}
}

const stonewalled = `
[global]
size=16m
filename=shared
direct=1
[write]
rw=write
bs=64k
[mixed]
stonewall
rw=randrw
bs=4k
numjobs=2
group_reporting
`

func TestJobFile(t *testing.T) {
	sideBySide(t)
	sb := benchmark(t, "jobfile", func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Workloads = []v1alpha1.Workload{{Name: "file", JobFile: new(stonewalled)}}
	})
	create(t, sb)
	run := completes(t, sb).Status.Runs[0]
	if run.Result != nil || len(run.Sections) != 2 {
		t.Fatalf("run = %+v", run)
	}
	first, second := run.Sections[0], run.Sections[1]
	if first.Name != "write" || first.Of(v1alpha1.OperationWrite).Bytes != 16<<20 || first.Of(v1alpha1.OperationRead) != nil {
		t.Errorf("first section = %+v", first)
	}
	if second.Name != "mixed" || second.Of(v1alpha1.OperationRead) == nil || second.Of(v1alpha1.OperationWrite) == nil || second.Of(v1alpha1.OperationRead).Bytes+second.Of(v1alpha1.OperationWrite).Bytes != 32<<20 {
		t.Errorf("second section = %+v", second)
	}
}

// TestExistingClaim checks that a benchmark on a claim leaves what was on it, and nothing of its own.
func TestExistingClaim(t *testing.T) {
	sideBySide(t)
	claim := createClaim(t, "existing", corev1.PersistentVolumeFilesystem)
	const keep = "--filename=keep"
	if code, output := runFio(t, "claim-before", claim.Name, keep, "--rw=write", "--size=1m"); code != 0 {
		t.Fatalf("write a file to the claim: %s", output)
	}
	sb := benchmark(t, "on-claim", func(sb *v1alpha1.StorageBenchmark) {
		reserve := resource.MustParse("64Mi")
		sb.Spec.Targets = []v1alpha1.Target{{Name: "claim", ClaimName: &claim.Name, FreeSpaceReserve: &reserve}}
	})
	create(t, sb)
	done := completes(t, sb)
	if got := done.Status.Targets[0].Claims; len(got) != 1 || got[0].Name != claim.Name || got[0].UID != claim.UID {
		t.Errorf("claims = %v", got)
	}
	if err := k8s.Get(t.Context(), client.ObjectKeyFromObject(claim), claim); err != nil || !claim.DeletionTimestamp.IsZero() {
		t.Fatalf("the claim is gone (%v)", err)
	}
	if code, output := runFio(t, "claim-after", claim.Name, keep, "--rw=read", "--size=1m", "--allow_file_create=0"); code != 0 {
		t.Errorf("the file that was on the claim cannot be read any more: %s", output)
	}
	directory := "--directory=" + childmeta.Directory(done)
	code, output := runFio(t, "claim-left", claim.Name, directory, "--filename=new", "--rw=write", "--size=1m")
	if code == 0 || !strings.Contains(output, "No such file or directory") && !strings.Contains(output, "not a directory") {
		t.Errorf("the benchmark's directory is left on the claim: fio ended with %d: %s", code, output)
	}
}

// createClaim creates a claim that no benchmark has made.
func createClaim(t *testing.T, name string, mode corev1.PersistentVolumeMode) *corev1.PersistentVolumeClaim {
	t.Helper()
	return createClaimOfClass(t, namespaceOf(t), name, class, mode)
}

func createClaimOfClass(t *testing.T, namespace, name, class string, mode corev1.PersistentVolumeMode) *corev1.PersistentVolumeClaim {
	t.Helper()
	claim := &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: corev1.PersistentVolumeClaimSpec{
			StorageClassName: &class,
			VolumeMode:       &mode,
			AccessModes:      []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources:        corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("256Mi")}},
		},
	}
	if err := k8s.Create(t.Context(), claim); err != nil {
		t.Fatalf("create the claim: %v", err)
	}
	return claim
}

// TestExistingBlockClaim checks that somebody's device can be read, and is never written to.
func TestExistingBlockClaim(t *testing.T) {
	sideBySide(t)
	claim := createClaim(t, "existing-block", corev1.PersistentVolumeBlock)
	on := func(name, rw string) *v1alpha1.StorageBenchmark {
		return benchmark(t, name, func(sb *v1alpha1.StorageBenchmark) {
			sb.Spec.Targets = []v1alpha1.Target{{Name: "claim", ClaimName: &claim.Name}}
			sb.Spec.Workloads[0].Fio = &v1alpha1.FioParameters{RW: rw, BS: new("4k"), Size: new("16M"), Invalidate: new(false), Direct: new(true)}
		})
	}
	writes := on("block-claim-written", "randwrite")
	create(t, writes)
	fails(t, writes, v1alpha1.ReasonInvalidSpec, "spec.workloads[0].fio.rw")
	reads := on("block-claim-read", "randread")
	create(t, reads)
	if result := completes(t, reads).Status.Runs[0].Result; result.Of(v1alpha1.OperationRead) == nil || result.Of(v1alpha1.OperationRead).Bytes != 16<<20 {
		t.Errorf("result = %+v", result)
	}
}

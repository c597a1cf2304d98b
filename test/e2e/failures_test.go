//go:build e2e

package e2e

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

func TestFioError(t *testing.T) {
	sideBySide(t)
	f := begin(t, &fault{
		section: faultsOfWorkload, name: "fio refuses its job, or the kernel what fio asks for", does: "direct I/O of single bytes",
		ends: v1alpha1.ReasonRunFailed, bound: 75 * time.Second,
	})
	sb := benchmark(t, "fio-error", func(sb *v1alpha1.StorageBenchmark) {
		// Direct I/O needs whole sectors.
		sb.Spec.Workloads[0].Fio.BS = new("1")
		sb.Spec.Workloads[0].Fio.NumJobs = new(int32(1))
		sb.Spec.Workloads = append(sb.Spec.Workloads, v1alpha1.Workload{Name: "good", Fio: randwrite(1)})
	})
	f.strike()
	create(t, sb)
	// A script that waits is told of a failure as well.
	wait := exec.CommandContext(bounded(t), "kubectl", "wait", "--namespace", sb.Namespace, "--for=condition=Finished", "storagebenchmark/"+sb.Name, "--timeout=3m")
	if output, err := wait.CombinedOutput(); err != nil {
		t.Errorf("%s: %v: %s", wait, err, output)
	}
	done := f.end(t, sb, "1 of 2 runs failed", "randwrite.volume", "Invalid argument")
	if done.Status.Runs[0].State != v1alpha1.RunFailed || done.Status.Runs[0].Attempts != 1 {
		t.Errorf("failed run = %+v", done.Status.Runs[0])
	}
	if done.Status.Runs[1].Result == nil {
		t.Errorf("the other run has no result: %+v", done.Status.Runs[1])
	}
}

func TestNoSpaceLeft(t *testing.T) {
	sideBySide(t)
	f := begin(t, &fault{
		section: faultsOfWorkload, name: "The volume is full", does: "a file that is appended to after it was laid out, so that it becomes twice as large as its size",
		ends: v1alpha1.ReasonRunFailed, bound: 75 * time.Second,
	})
	sb := benchmark(t, "no-space", func(sb *v1alpha1.StorageBenchmark) {
		// fio lays out the file in its size and appends as much. plan counts its size once.
		sb.Spec.Workloads[0].Fio = &v1alpha1.FioParameters{
			RW: "write", BS: new("1m"), Size: new("150M"), Options: map[string]v1alpha1.FioOptionValue{"file_append": "1"},
		}
	})
	f.strike()
	create(t, sb)
	f.end(t, sb, "No space left on device")
}

func TestOutOfMemory(t *testing.T) {
	sideBySide(t)
	f := begin(t, &fault{
		section: faultsOfWorkload, name: "The container runs out of memory", does: "a block size of 128 MiB with a limit of 64Mi",
		ends: v1alpha1.ReasonRunFailed, bound: 75 * time.Second,
	})
	sb := benchmark(t, "oom", func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Workloads[0].Fio.BS = new("128m")
		sb.Spec.Workloads[0].Fio.Size = new("128m")
		sb.Spec.Workloads[0].Fio.NumJobs = new(int32(1))
		sb.Spec.Pod = &v1alpha1.PodSettings{Resources: corev1.ResourceRequirements{
			Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("64Mi")},
		}}
	})
	f.strike()
	create(t, sb)
	f.end(t, sb, "memory", "limits.memory")
}

// TestRefusedByDriver checks that the words of the CSI driver reach the user.
func TestRefusedByDriver(t *testing.T) {
	sideBySide(t, waits)
	f := begin(t, &fault{
		section: faultsOfWorkload, name: "The CSI driver refuses the volume", does: "a parameter that the driver does not know; provisioningSeconds 15",
		sees: v1alpha1.ReasonProvisioning, ends: v1alpha1.ReasonDeadlineExceeded, bound: time.Minute,
	})
	var loop storagev1.StorageClass
	if err := k8s.Get(t.Context(), clientKey(unthrottled), &loop); err != nil {
		t.Fatalf("get StorageClass: %v", err)
	}
	refused := &storagev1.StorageClass{
		ObjectMeta:        metav1.ObjectMeta{GenerateName: "refused-"},
		Provisioner:       loop.Provisioner,
		Parameters:        map[string]string{"nonsense": "1"},
		VolumeBindingMode: new(storagev1.VolumeBindingWaitForFirstConsumer),
	}
	if err := k8s.Create(t.Context(), refused); err != nil {
		t.Fatalf("create StorageClass: %v", err)
	}
	deleteAtEnd(t, refused)
	sb := benchmark(t, "refused", func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Targets[0].StorageClassName = &refused.Name
		sb.Spec.Deadlines.ProvisioningSeconds = new(int32(15))
	})
	f.strike()
	create(t, sb)
	f.see(t, sb, "nonsense")
	f.end(t, sb, "15 s", "volume of target volume", "nonsense")
}

func TestUnschedulable(t *testing.T) {
	sideBySide(t, early, takes(healthyNodes), waits)
	f := begin(t, &fault{
		section: faultsOfWorkload, name: "No node fits", does: "a node selector that no node has; provisioningSeconds 10",
		sees: v1alpha1.ReasonProvisioning, ends: v1alpha1.ReasonDeadlineExceeded, bound: time.Minute,
	})
	sb := benchmark(t, "unschedulable", func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Placement = &v1alpha1.Placement{NodeSelector: map[string]string{"no-such": "label"}}
		sb.Spec.Deadlines.ProvisioningSeconds = new(int32(10))
	})
	f.strike()
	create(t, sb)
	f.see(t, sb, "didn't match Pod's node affinity/selector")
	f.end(t, sb, "didn't match Pod's node affinity/selector")
}

// TestImageCannotBePulled has an operator use an image that there is not.
func TestImageCannotBePulled(t *testing.T) {
	sideBySide(t, ownOperator("runner.image.repository=no-such-image.invalid/runner", "runner.image.tag=none"))
	f := begin(t, &fault{
		section: faultsOfWorkload, name: "The image of the runner cannot be pulled", does: "an image that there is not; podStartSeconds 20",
		sees: v1alpha1.ReasonPreparing, ends: v1alpha1.ReasonDeadlineExceeded, bound: 75 * time.Second,
	})
	sb := benchmark(t, "no-image", func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Deadlines.PodStartSeconds = new(int32(20)) })
	f.strike()
	create(t, sb)
	f.see(t, sb, "ImagePullBackOff", "no-such-image.invalid")
	f.end(t, sb, "its pod to start", "no-such-image.invalid")
}

func TestMissingReferences(t *testing.T) {
	sideBySide(t, early, waits)
	sb := benchmark(t, "missing", func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Targets[0].StorageClassName = new("no-such-class")
		sb.Spec.Targets = append(sb.Spec.Targets, v1alpha1.Target{Name: "claim", ClaimName: new("no-such-claim")})
	})
	create(t, sb)
	fails(t, sb, v1alpha1.ReasonInvalidSpec,
		"spec.targets[0].storageClassName", "no-such-class", class,
		"spec.targets[1].claimName", "no-such-claim")
}

// TestRefusedSpecs checks that a newcomer is told what is wrong, where, and what to do, and that nothing
// is provisioned.
func TestRefusedSpecs(t *testing.T) {
	sideBySide(t, early, waits)
	for name, test := range map[string]struct {
		change func(*v1alpha1.StorageBenchmark)
		texts  []string
	}{
		"two kinds of storage": {
			func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Targets[0].ClaimName = new("claim") },
			[]string{"spec.targets[0]", "exactly one of storageClassName"},
		},
		"no type of I/O": {
			func(sb *v1alpha1.StorageBenchmark) {
				sb.Spec.Workloads[0].Fio = &v1alpha1.FioParameters{Size: new("1M")}
			},
			[]string{"spec.workloads", "set rw"},
		},
		"typed option in options": {
			func(sb *v1alpha1.StorageBenchmark) {
				sb.Spec.Workloads[0].Fio.Options = map[string]v1alpha1.FioOptionValue{"runtime": "5"}
			},
			[]string{"spec.workloads[0].fio.options", "runtimeSeconds"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			sb := benchmark(t, "refused-spec", test.change)
			err := k8s.Create(t.Context(), sb)
			if !apierrors.IsInvalid(err) {
				t.Fatalf("create: %v", err)
			}
			for _, text := range test.texts {
				if !strings.Contains(err.Error(), text) {
					t.Errorf("%q lacks %q", err, text)
				}
			}
		})
	}
}

func TestRefusedJobs(t *testing.T) {
	sideBySide(t, early, waits)
	for name, test := range map[string]struct {
		workload v1alpha1.Workload
		texts    []string
	}{
		"command":   {jobFile("[a]\nrw=read\nsize=1m\nexec_prerun=id\n"), []string{"spec.workloads[0].jobFile", "exec_prerun"}},
		"elsewhere": {jobFile("[a]\nrw=write\nsize=1m\nfilename=/etc/passwd\n"), []string{"filename", "/etc/passwd"}},
		"too large": {v1alpha1.Workload{Name: "large", Fio: &v1alpha1.FioParameters{RW: "write", Size: new("1T")}}, []string{"spec.targets[0].capacity", "set capacity to at least"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sb := benchmark(t, "refused-"+strings.ReplaceAll(name, " ", "-"), func(sb *v1alpha1.StorageBenchmark) {
				sb.Spec.Workloads[0] = test.workload
			})
			create(t, sb)
			done := fails(t, sb, v1alpha1.ReasonInvalidSpec, test.texts...)
			if done.Status.StartTime != nil || len(done.Status.Targets) > 0 {
				t.Errorf("something was provisioned: %+v", done.Status)
			}
		})
	}
}

func jobFile(text string) v1alpha1.Workload {
	return v1alpha1.Workload{Name: "file", JobFile: &text}
}

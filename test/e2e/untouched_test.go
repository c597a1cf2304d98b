//go:build e2e

package e2e

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// The user and the group of an application, whose volume a benchmark measures on.
const (
	applicationUser  = 999
	applicationGroup = 2000
)

// securityOf returns a security context that Pod Security "restricted" admits, of the runner's user.
func securityOf(change func(*corev1.PodSecurityContext)) *corev1.PodSecurityContext {
	security := &corev1.PodSecurityContext{
		RunAsNonRoot: new(true), RunAsUser: new(int64(65532)), RunAsGroup: new(int64(65532)),
		SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
	}
	change(security)
	return security
}

// TestExistingClaimStaysAsItWas checks that a benchmark on an application's claim changes no file there, while the application
// runs. Of both drivers the kubelet gives all files to the fsGroup of any pod that has one, and lets the group write.
func TestExistingClaimStaysAsItWas(t *testing.T) {
	sideBySide(t, load(2), budget(4*time.Minute)) // one of the longest, so that it does not begin as the last
	ebs := &storagev1.StorageClass{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "storagebench-e2e-"}, Provisioner: "ebs.csi.aws.com",
		Parameters: map[string]string{"type": "gp3"}, VolumeBindingMode: new(storagev1.VolumeBindingWaitForFirstConsumer),
	}
	if err := k8s.Create(t.Context(), ebs); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = k8s.Delete(context.WithoutCancel(t.Context()), ebs) })
	for driver, class := range map[string]string{"loop.csi.storagebench.dev": class, "ebs.csi.aws.com": ebs.Name} {
		t.Run(driver, func(t *testing.T) {
			object := &storagev1.CSIDriver{}
			if err := k8s.Get(t.Context(), client.ObjectKey{Name: driver}, object); err != nil {
				t.Fatal(err)
			}
			if policy := object.Spec.FSGroupPolicy; policy == nil || *policy != storagev1.FileFSGroupPolicy {
				t.Fatalf("the driver's fsGroupPolicy is %v, with which this shows nothing", policy)
			}
			name := "application-" + strings.Split(driver, ".")[0]
			application, root := startApplication(t, name, createClaimOfClass(t, namespaceOf(t), name, class, corev1.PersistentVolumeFilesystem))
			plantTree(t, root)
			before := snapshot(t, root)
			on := func(benchmarkName string) *v1alpha1.StorageBenchmark {
				return benchmark(t, benchmarkName, func(sb *v1alpha1.StorageBenchmark) {
					reserve := resource.MustParse("64Mi")
					sb.Spec.Targets = []v1alpha1.Target{{Name: "claim", ClaimName: &name, FreeSpaceReserve: &reserve}}
					sb.Spec.Repetitions = new(int32(2)) // for an anchor
					sb.Spec.Placement.NodeSelector = map[string]string{corev1.LabelHostname: application.Spec.NodeName}
				})
			}

			refused := on(name + "-refused")
			create(t, refused)
			fails(t, refused, v1alpha1.ReasonRunFailed,
				fmt.Sprintf("the volume (of user %d and group %d, mode 0775) does not let user 65532 of groups [65532] write", applicationUser, applicationGroup),
				"set runAsUser, runAsGroup or supplementalGroups in spec.pod.securityContext")
			if diff := cmp.Diff(before, snapshot(t, root), cmp.AllowUnexported(entry{})); diff != "" {
				t.Errorf("after a benchmark that may not write (-before +after):\n%s", diff)
			}

			measured := on(name + "-measured")
			measured.Spec.Pod = &v1alpha1.PodSettings{SecurityContext: securityOf(func(s *corev1.PodSecurityContext) { s.SupplementalGroups = []int64{applicationGroup} })}
			create(t, measured)
			completes(t, measured)
			after := snapshot(t, root)
			// The benchmark's directory was made there and removed.
			delete(before, ".")
			if top := after["."]; top.user != applicationUser || top.group != applicationGroup || top.mode != fs.ModeDir|0o775 {
				t.Errorf("the root directory is now %+v", top)
			}
			delete(after, ".")
			if diff := cmp.Diff(before, after, cmp.AllowUnexported(entry{})); diff != "" {
				t.Errorf("after a benchmark (-before +after):\n%s", diff)
			}
		})
	}
}

// runApplication runs a pod that uses the claim until the test ends, as its container is told to, and waits until it runs.
func runApplication(t *testing.T, name string, claim *corev1.PersistentVolumeClaim, use func(*corev1.Container)) *corev1.Pod {
	t.Helper()
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: claim.Namespace, Name: name},
		Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever, TerminationGracePeriodSeconds: new(int64(5)),
			SecurityContext: securityOf(func(*corev1.PodSecurityContext) {}),
			Containers: []corev1.Container{{
				Name: "application", Image: runnerImage(t), ImagePullPolicy: corev1.PullIfNotPresent, Args: []string{"hold"},
				SecurityContext: &corev1.SecurityContext{AllowPrivilegeEscalation: new(false), Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}},
			}},
			Volumes: []corev1.Volume{{Name: "volume", VolumeSource: corev1.VolumeSource{
				PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim.Name},
			}}},
		},
	}
	use(&pod.Spec.Containers[0])
	if err := k8s.Create(t.Context(), pod); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = k8s.Delete(context.WithoutCancel(t.Context()), pod) })
	eventually(t.Context(), t, "pod "+name+" to run", func(ctx context.Context) (bool, error) {
		err := k8s.Get(ctx, client.ObjectKeyFromObject(pod), pod)
		return pod.Status.Phase == corev1.PodRunning, err
	})
	return pod
}

// startApplication runs a pod that has the claim mounted until the test ends, and returns it and the volume as this machine sees it.
func startApplication(t *testing.T, name string, claim *corev1.PersistentVolumeClaim) (pod *corev1.Pod, root string) {
	t.Helper()
	pod = runApplication(t, name, claim, func(c *corev1.Container) {
		c.VolumeMounts = []corev1.VolumeMount{{Name: "volume", MountPath: "/volume"}}
	})
	return pod, filepath.Join("/proc", strconv.Itoa(pidOf(t, pod.Status.ContainerStatuses[0].ContainerID)), "root", "volume")
}

// plantTree puts an application's files on a volume, of several owners and modes.
func plantTree(t *testing.T, root string) {
	t.Helper()
	chmod := func(path string, uid, gid int, mode fs.FileMode) {
		if err := os.Lchown(path, uid, gid); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []struct {
		path     string
		uid, gid int
		mode     fs.FileMode
	}{
		{"data/", applicationUser, applicationUser, 0o700}, // PostgreSQL starts with no other mode
		{"data/PG_VERSION", applicationUser, applicationUser, 0o600},
		{"keys/", 0, 0, 0o755},
		{"keys/private", 0, 0, 0o400},
		{"keys/public", 0, 0, 0o644},
		{"shared/", 0, applicationGroup, 0o775 | fs.ModeSetgid},
		{"shared/program", 0, applicationGroup, 0o755 | fs.ModeSetuid},
	} {
		path := filepath.Join(root, f.path)
		var err error
		if strings.HasSuffix(f.path, "/") {
			err = os.Mkdir(path, 0o700)
		} else {
			err = os.WriteFile(path, []byte("what is in "+f.path), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		chmod(path, f.uid, f.gid, f.mode)
	}
	if err := os.Symlink("../keys/private", filepath.Join(root, "data", "link")); err != nil {
		t.Fatal(err)
	}
	chmod(root, applicationUser, applicationGroup, 0o775)
}

// entry is what there is to know of a file, but when it was last read: comparing reads it.
type entry struct {
	user, group      uint32
	mode             fs.FileMode
	links            uint64
	modified, status int64 // nanoseconds; the status changes with owner and mode as well
	content          string
}

// snapshot returns what is below a directory, without lost+found.
func snapshot(t *testing.T, root string) map[string]entry {
	t.Helper()
	entries := map[string]entry{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.Name() == "lost+found" {
			return fs.SkipDir
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		entries[name], err = look(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

func look(path string) (entry, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return entry{}, err
	}
	stat := info.Sys().(*syscall.Stat_t)
	e := entry{user: stat.Uid, group: stat.Gid, mode: info.Mode(), links: uint64(stat.Nlink), modified: stat.Mtim.Nano(), status: stat.Ctim.Nano()} //nolint:unconvert // It has 32 bits on arm64.
	switch {
	case info.Mode().IsRegular():
		content, err := os.ReadFile(path)
		e.content = fmt.Sprintf("%x", sha256.Sum256(content))
		return e, err
	case info.Mode()&fs.ModeSymlink != 0:
		e.content, err = os.Readlink(path)
	}
	return e, err
}

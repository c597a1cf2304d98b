package controllers

import (
	"slices"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/measure"
	"github.com/storagebench/storagebench/internal/owned"
	"github.com/storagebench/storagebench/test/fakecluster"
)

// preconditioned is a benchmark of two workloads on a device that is written in full before.
func preconditioned(namespace string) *v1alpha1.StorageBenchmark {
	sb := steadyBenchmark(namespace)
	sb.Spec.Targets[0].VolumeMode, sb.Spec.Targets[0].Precondition = new(corev1.PersistentVolumeBlock), &v1alpha1.Precondition{Passes: new(int32(1))}
	for i := range sb.Spec.Workloads {
		sb.Spec.Workloads[i].Fio.RW = "randread"
	}
	return sb
}

// A device that was made for the claim is written. One that was there before is not, whatever binds it and when: then
// nothing is measured, and no pod of a run is made.
func TestOnlyNewDevicesAreWritten(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		freed bool
		mode  corev1.PersistentVolumeAccessMode
		words string
	}{
		{"made for it", false, corev1.ReadWriteOnce, ""},
		{"that was there before", true, corev1.ReadWriteOnce, "was not made for it, as far as can be seen, and precondition would write all of it"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			var mu sync.Mutex
			written := false
			w.Cluster.OnPod(func(pod *corev1.Pod) fakecluster.Outcome {
				mu.Lock()
				defer mu.Unlock()
				written = written || slices.Contains(pod.Spec.Containers[0].Args, "--precondition=1:128k")
				return fakecluster.Succeed(steadyReport(300, 310, 290, 300, 300))
			})
			sb := preconditioned(w.Namespace)
			sb.Spec.Workloads, sb.Spec.Targets[0].AccessMode = sb.Spec.Workloads[:1], &test.mode
			if test.freed {
				volume := freedVolume(w, func(v *corev1.PersistentVolume) {
					v.Spec.VolumeMode, v.Spec.AccessModes = new(corev1.PersistentVolumeBlock), []corev1.PersistentVolumeAccessMode{test.mode}
				})
				sb.Spec.Targets[0].StorageClassName = &volume.Spec.StorageClassName
				w.Cluster.OnClaim(func(*corev1.PersistentVolumeClaim) fakecluster.Provisioning { return fakecluster.BindTo(volume.Name) })
			}
			sb = create(w, sb)
			if test.words == "" {
				w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
			} else {
				w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonProvisioningFailed, test.words)
			}
			mu.Lock()
			defer mu.Unlock()
			if written == test.freed {
				t.Errorf("written: %t", written)
			}
		})
	}
}

// Only a volume that was made for its claim is written in full.
func TestWhyKept(t *testing.T) {
	for origin, want := range map[owned.Origin]struct{ why, err string }{
		owned.Made:     {},
		owned.Unbound:  {err: "claim c of target t has no volume that could be written before it is measured"},
		owned.Existing: {why: "the volume of claim c of target t was not made for it"},
		"":             {why: "the volume of claim c of target t was not made for it"},
	} {
		why, err := measure.WhyKept("t", "c", origin)
		if !strings.HasPrefix(why, want.why) || (why == "") != (want.why == "") || (err == nil) != (want.err == "") || (err != nil && err.Error() != want.err) {
			t.Errorf("%s: %q, %v, want %+v", origin, why, err, want)
		}
	}
}

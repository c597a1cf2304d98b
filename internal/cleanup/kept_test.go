package cleanup

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// Users read what has become of volumes that were not made for the benchmark, of whatever kind they are.
func TestKept(t *testing.T) {
	const files = "kept, because it was not made for this benchmark: volume a (vol-1), to which a claim of it was bound; any test files left are in its directory storagebench-uid"
	const device = "kept, because it was not made for this benchmark: raw block volume b (vol-2), to which a claim of it was bound; it has what workloads wrote to it, and nothing else was changed"
	a, b := v1alpha1.VolumeStatus{Name: "a", Handle: "vol-1"}, v1alpha1.VolumeStatus{Name: "b", Handle: "vol-2"}
	for want, kept := range map[string][]v1alpha1.VolumeStatus{"": nil, files: {a}, device: {b}, files + "; " + device: {b, a}} {
		var all Kept
		for _, volume := range kept {
			all.Add(volume, volume == b)
		}
		if got := all.Words(&v1alpha1.StorageBenchmark{ObjectMeta: metav1.ObjectMeta{UID: "uid"}}); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

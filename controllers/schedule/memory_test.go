package schedule

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// What is remembered goes with the schedule. Another one of its name begins without it.
func TestMemories(t *testing.T) {
	first := &v1alpha1.StorageBenchmarkSchedule{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "nightly", UID: "first"}}
	second := first.DeepCopy()
	second.UID = "second"
	var all memories
	all.of(first).told = 7
	if got := all.of(first).told; got != 7 {
		t.Errorf("in the next pass, told is %d", got)
	}
	if got := all.of(second).told; got != 0 {
		t.Errorf("of another schedule, told is %d", got)
	}
	all.of(second).told = 8
	all.forget(client.ObjectKeyFromObject(second))
	if got := all.of(second).told; got != 0 {
		t.Errorf("after it was forgotten, told is %d", got)
	}
}

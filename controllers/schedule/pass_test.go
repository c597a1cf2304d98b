package schedule

import (
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/schedule"
)

// Of two waits the shorter one counts, and one of 0 is none.
func TestSooner(t *testing.T) {
	for _, row := range []struct{ a, b, want time.Duration }{
		{0, 0, 0}, {time.Second, 0, time.Second}, {0, time.Second, time.Second}, {time.Minute, time.Second, time.Second}, {time.Second, time.Minute, time.Second},
	} {
		if got := sooner(row.a, row.b); got != row.want {
			t.Errorf("of %s and %s: %s, want %s", row.a, row.b, got, row.want)
		}
	}
}

// A StorageBenchmark is over when its condition Succeeded says how it ended.
func TestStateOf(t *testing.T) {
	for status, want := range map[metav1.ConditionStatus]schedule.State{
		"": schedule.Active, metav1.ConditionUnknown: schedule.Active, metav1.ConditionTrue: schedule.Succeeded, metav1.ConditionFalse: schedule.Failed,
	} {
		sb := &v1alpha1.StorageBenchmark{}
		if status != "" {
			sb.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionSucceeded, Status: status}}
		}
		if got := stateOf(sb); got != want {
			t.Errorf("%q: it is %v, want %v", status, got, want)
		}
	}
}

// Only a schedule of this API that controls a StorageBenchmark counts as its own.
func TestScheduleOf(t *testing.T) {
	owner := func(change func(*metav1.OwnerReference)) []metav1.OwnerReference {
		o := metav1.OwnerReference{APIVersion: v1alpha1.GroupVersion.String(), Kind: schedule.Kind, UID: "uid", Controller: new(true)}
		change(&o)
		return []metav1.OwnerReference{o}
	}
	for name, row := range map[string]struct {
		owners []metav1.OwnerReference
		want   []string
	}{
		"its schedule":     {owner(func(*metav1.OwnerReference) {}), []string{"uid"}},
		"nobody":           {nil, nil},
		"no controller":    {owner(func(o *metav1.OwnerReference) { o.Controller = nil }), nil},
		"another kind":     {owner(func(o *metav1.OwnerReference) { o.Kind = "CronJob" }), nil},
		"of another group": {owner(func(o *metav1.OwnerReference) { o.APIVersion = "example.com/v1" }), nil},
	} {
		if got := scheduleOf(&v1alpha1.StorageBenchmark{ObjectMeta: metav1.ObjectMeta{OwnerReferences: row.owners}}); !slices.Equal(got, row.want) {
			t.Errorf("%s: %v, want %v", name, got, row.want)
		}
	}
}

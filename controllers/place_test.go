package controllers

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pvc"
	"github.com/storagebench/storagebench/test/builder"
)

// A volume is noted when a pod that uses it has a node. One that clients share is the first one's, and is noted once of
// each node. Somebody's claim is compared once for each pod.
func TestMayHaveNewPlace(t *testing.T) {
	own, shared, claim := builder.NewTarget("t"), builder.NewTarget("t"), builder.NewClaimTarget("t", "mine")
	shared.AccessMode = new(corev1.ReadWriteMany)
	pod := func(node string) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "pod"}, Spec: corev1.PodSpec{NodeName: node}}
	}
	onA := []v1alpha1.VolumeStatus{{Name: "v", Node: "a"}}
	for name, test := range map[string]struct {
		target   v1alpha1.Target
		client   int32
		pod      *corev1.Pod
		volumes  []v1alpha1.VolumeStatus
		compared string
		want     bool
	}{
		"no pod":                                         {target: own},
		"no node":                                        {target: own, pod: pod("")},
		"a volume of a client's own":                     {target: own, pod: pod("a"), want: true},
		"of another client's own":                        {target: own, client: 1, pod: pod("a"), want: true},
		"of a client's own, noted":                       {target: own, pod: pod("a"), volumes: onA, want: true},
		"a shared one":                                   {target: shared, pod: pod("a"), want: true},
		"a shared one, noted":                            {target: shared, pod: pod("a"), volumes: onA},
		"a shared one, noted of another node":            {target: shared, pod: pod("b"), volumes: onA, want: true},
		"a shared one, of another client":                {target: shared, client: 1, pod: pod("b")},
		"somebody's":                                     {target: claim, pod: pod("a"), want: true},
		"somebody's, noted":                              {target: claim, pod: pod("a"), volumes: onA, want: true},
		"somebody's, noted, and compared by another":     {target: claim, pod: pod("a"), volumes: onA, compared: "before", want: true},
		"somebody's, noted and compared by the pod":      {target: claim, pod: pod("a"), volumes: onA, compared: "pod"},
		"somebody's, compared, and not noted":            {target: claim, pod: pod("a"), compared: "pod", want: true},
		"somebody's, compared, noted of another node":    {target: claim, pod: pod("b"), volumes: onA, compared: "pod", want: true},
		"somebody's, compared, of another client":        {target: claim, client: 1, pod: pod("a"), compared: "pod"},
		"somebody's, without a node, though it is noted": {target: claim, pod: pod(""), volumes: onA},
	} {
		status := &v1alpha1.TargetStatus{Name: "t", Volumes: test.volumes}
		if got := pvc.MayHaveNewPlace(&test.target, status, test.client, test.pod, types.UID(test.compared)); got != test.want {
			t.Errorf("%s: %t, want %t", name, got, test.want)
		}
	}
}

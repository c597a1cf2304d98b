package owned

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Nothing is made, deleted or forgotten by an old version, or beside what is somebody else's or may be. Claims that are gone are forgotten before others are made.
func TestNext(t *testing.T) {
	volume := &corev1.PersistentVolume{}
	for _, test := range []struct {
		name  string
		facts ProvisionFacts
		want  ProvisionStep
	}{
		{"nothing is there", ProvisionFacts{}, MakeObjects},
		{"the benchmark has changed", ProvisionFacts{Stale: true}, ReadAgain},
		{"the benchmark has changed, and all is in the way", ProvisionFacts{Stale: true, Taken: "StorageClass x", Noted: true, InTheWay: volume}, ReadAgain},
		{"somebody else's is there", ProvisionFacts{Taken: "StorageClass x"}, RefuseTaken},
		{"somebody else's is there, and claims are gone", ProvisionFacts{Taken: "PersistentVolumeClaim x", Noted: true}, RefuseTaken},
		{"somebody else's is there, and a volume is in the way", ProvisionFacts{Taken: "PersistentVolumeClaim x", InTheWay: volume}, RefuseTaken},
		{"a second operator's claim is there, and claims are gone", ProvisionFacts{Unnoted: "PersistentVolumeClaim x", Noted: true}, AwaitNote},
		{"a second operator's claim is there, and a volume is in the way", ProvisionFacts{Unnoted: "x", InTheWay: volume}, AwaitNote},
		{"somebody else's is there, and a second operator's", ProvisionFacts{Taken: "StorageClass x", Unnoted: "x"}, RefuseTaken},
		{"claims are gone", ProvisionFacts{Noted: true}, ForgetClaims},
		{"a volume is in the way", ProvisionFacts{InTheWay: volume}, FreeVolume},
	} {
		if got := NextProvisionStep(test.facts); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// A volume stays that its claim has, or that no claim has had yet.
func TestIsInTheWay(t *testing.T) {
	for _, test := range []struct {
		name    string
		boundTo *corev1.ObjectReference
		deleted bool
		claim   types.UID
		want    bool
	}{
		{"bound to nothing", nil, false, "", false},
		{"kept for the claim, which is not there yet", &corev1.ObjectReference{Name: "c"}, false, "", false},
		{"kept for the claim, which is there", &corev1.ObjectReference{Name: "c"}, false, "c1", false},
		{"bound to the claim", &corev1.ObjectReference{Name: "c", UID: "c1"}, false, "c1", false},
		{"bound to the claim before", &corev1.ObjectReference{Name: "c", UID: "c0"}, false, "c1", true},
		{"bound to the claim, which is gone", &corev1.ObjectReference{Name: "c", UID: "c1"}, false, "", true},
		{"being deleted, bound to the claim", &corev1.ObjectReference{Name: "c", UID: "c1"}, true, "c1", true},
		{"being deleted, bound to nothing", nil, true, "", true},
	} {
		volume := &corev1.PersistentVolume{Spec: corev1.PersistentVolumeSpec{ClaimRef: test.boundTo}}
		if test.deleted {
			volume.DeletionTimestamp = new(metav1.NewTime(time.Unix(1, 0)))
		}
		if got := IsInTheWay(volume, test.claim); got != test.want {
			t.Errorf("%s: it is in the way: %t, want %t", test.name, got, test.want)
		}
	}
}

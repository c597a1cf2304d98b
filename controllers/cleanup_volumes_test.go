package controllers

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Of a volume that has had another claim, everything is as of one that was made for a claim, but its name and its age.
func TestIsMadeForItsClaim(t *testing.T) {
	const uid = "0b1e5f0a-1111-2222-3333-444455556666"
	since := time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		name    string
		volume  string
		by      string
		claim   types.UID
		created time.Time
		want    bool
	}{
		{"made for it", "pvc-" + uid, "csi.fake", uid, since.Add(time.Second), true},
		{"made in the same second", "pvc-" + uid, "csi.fake", uid, since, true},
		{"an API server's clock is behind", "pvc-" + uid, "csi.fake", uid, since.Add(-30 * time.Second), true},
		{"another prefix", "team-a-" + uid, "csi.fake", uid, since, true},
		{"a short name", "pvc-0b1e5f0a11", "csi.fake", uid, since, true},
		{"a name that is too short", "pvc-0b1e", "csi.fake", uid, since, false},
		{"no name of its own", "pvc-", "csi.fake", uid, since, false},
		{"made for another claim", "pvc-99999999-1111-2222-3333-444455556666", "csi.fake", uid, since, false},
		{"restored under a name while the claim waited", "restored", "csi.fake", uid, since.Add(time.Second), false},
		{"older than the claim", "pvc-" + uid, "csi.fake", uid, since.Add(-time.Hour), false},
		{"made by hand", "pvc-" + uid, "", uid, since, false},
		{"a claimRef without a UID", "pvc-" + uid, "csi.fake", "", since, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			volume := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: test.volume, CreationTimestamp: metav1.NewTime(test.created)}}
			if test.by != "" {
				volume.Annotations = map[string]string{provisionedBy: test.by}
			}
			volume.Spec.ClaimRef = &corev1.ObjectReference{Namespace: "ns", Name: "claim", UID: test.claim}
			if got := isMadeForItsClaim(volume, metav1.NewTime(since)); got != test.want {
				t.Errorf("made for its claim: %t, want %t", got, test.want)
			}
		})
	}
	if isMadeForItsClaim(&corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "pvc-" + uid, Annotations: map[string]string{provisionedBy: "x"}}}, metav1.Time{}) {
		t.Error("a volume without a claim was made for it")
	}
}

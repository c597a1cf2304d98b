package cleanup

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Only a volume that was made for a claim of the benchmark is changed. One that was there before is left as it was, whatever becomes of its claim.
func TestFateOf(t *testing.T) {
	for _, test := range []struct {
		name  string
		facts VolumeFacts
		want  Fate
	}{
		{"it is gone, or bound to nothing of ours", VolumeFacts{}, NotOurs},
		{"it is made for somebody's claim", VolumeFacts{Made: true}, NotOurs},
		{"it goes with somebody's claim", VolumeFacts{Made: true, Deletes: true}, NotOurs},
		{"a bucket's", VolumeFacts{Bound: true, AsIs: true}, NotOurs},
		{"a bucket's, to be deleted", VolumeFacts{Bound: true, AsIs: true, Deletes: true}, NotOurs},
		{"a bucket's that looks as if it were made for its claim", VolumeFacts{Bound: true, AsIs: true, Made: true}, NotOurs},
		{"it is made for its claim", VolumeFacts{Bound: true, Made: true, Deletes: true}, Goes},
		{"it was there before, and goes by its own policy", VolumeFacts{Bound: true, Deletes: true}, Goes},
		{"its StorageClass retains it", VolumeFacts{Bound: true, Made: true}, Retained},
		{"it was there before", VolumeFacts{Bound: true}, Stays},
	} {
		if got := FateOf(test.facts); got != test.want {
			t.Errorf("%s: its fate is %q, want %q", test.name, got, test.want)
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

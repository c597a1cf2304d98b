package controllers

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/builder"
)

// What is noted of a volume and its node is what was read of them. A volume that is bound to another claim by its own word is not noted.
func TestNotePlace(t *testing.T) {
	const zone, kind = "ap-northeast-1a", "m6i.large"
	labels := map[string]string{corev1.LabelTopologyZone: zone, corev1.LabelInstanceTypeStable: kind}
	bound := func(uid types.UID) *corev1.PersistentVolume {
		volume := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "pv", CreationTimestamp: *at(2 * time.Second)}}
		volume.Annotations = map[string]string{provisionedBy: "ebs.csi.aws.com"}
		volume.Spec.ClaimRef = &corev1.ObjectReference{Namespace: "default", Name: "c", UID: uid}
		volume.Spec.CSI = &corev1.CSIPersistentVolumeSource{Driver: "ebs.csi.aws.com", VolumeHandle: "vol-1"}
		return volume
	}
	known := v1alpha1.VolumeStatus{Name: "pv", Handle: "vol-1", Node: "m", Zone: "z", InstanceType: "t"}
	moved := v1alpha1.VolumeStatus{Name: "pv", Handle: "vol-1", Node: "n", Zone: zone, InstanceType: kind}
	for _, test := range []struct {
		name string
		own  bool // the claim was made for the benchmark
		has  []v1alpha1.VolumeStatus
		at   place
		want v1alpha1.TargetStatus
	}{
		{"its own, which no pod uses yet", true, nil, place{volume: bound("c1")},
			v1alpha1.TargetStatus{Volumes: []v1alpha1.VolumeStatus{{Name: "pv", Handle: "vol-1"}}, ProvisionedMilliseconds: new(int64(2000))}},
		{"its own, which a pod uses and was there before", true, nil, place{volume: bound("c1"), node: "n", labels: labels},
			v1alpha1.TargetStatus{Volumes: []v1alpha1.VolumeStatus{moved}, ProvisionedMilliseconds: new(int64(2000)), TestFiles: v1alpha1.TestFilesPresent}},
		{"somebody's", false, nil, place{volume: bound("c1"), node: "n", labels: labels},
			v1alpha1.TargetStatus{Volumes: []v1alpha1.VolumeStatus{moved}, Driver: "ebs.csi.aws.com"}},
		{"another claim's", true, nil, place{volume: bound("c2"), node: "n", labels: labels}, v1alpha1.TargetStatus{}},
		{"gone", true, nil, place{volume: &corev1.PersistentVolume{}, node: "n", labels: labels}, v1alpha1.TargetStatus{}},
		{"not seen", true, nil, place{node: "n"}, v1alpha1.TargetStatus{Volumes: []v1alpha1.VolumeStatus{{Name: "pv", Node: "n"}}}},
		{"known, on another node", true, []v1alpha1.VolumeStatus{known}, place{node: "n", labels: labels}, v1alpha1.TargetStatus{Volumes: []v1alpha1.VolumeStatus{moved}}},
		{"known, on the same node", true, []v1alpha1.VolumeStatus{known}, place{node: "m"}, v1alpha1.TargetStatus{Volumes: []v1alpha1.VolumeStatus{known}}},
		{"known, and no pod uses it", true, []v1alpha1.VolumeStatus{known}, place{}, v1alpha1.TargetStatus{Volumes: []v1alpha1.VolumeStatus{known}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := scopeOf(builder.OneRun("default", "sb").Build())
			test.at.claim = &corev1.PersistentVolumeClaim{
				ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "c", UID: "c1", CreationTimestamp: *at(0)},
				Spec:       corev1.PersistentVolumeClaimSpec{VolumeName: "pv"},
			}
			if test.own {
				s.claims, s.claimTargets = map[string]*corev1.PersistentVolumeClaim{"c": test.at.claim}, map[string]string{"c": "fast"}
			}
			got := v1alpha1.TargetStatus{Volumes: slices.Clone(test.has)}
			s.notePlace(&got, test.at)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("status of the target (-want +got):\n%s", diff)
			}
		})
	}
}

// Volumes are in the order of their claims, whichever pod comes first, and each is there once. A target of one claim has one.
func TestPutVolume(t *testing.T) {
	volume := func(name, node string) v1alpha1.VolumeStatus { return v1alpha1.VolumeStatus{Name: name, Node: node} }
	for _, test := range []struct {
		name   string
		claims []string
		bound  map[string]string
		has    []v1alpha1.VolumeStatus
		put    v1alpha1.VolumeStatus
		want   []v1alpha1.VolumeStatus
	}{
		{"the first", []string{"a"}, map[string]string{"a": "x"}, nil, volume("x", "n"), []v1alpha1.VolumeStatus{volume("x", "n")}},
		{"another node", []string{"a"}, map[string]string{"a": "x"}, []v1alpha1.VolumeStatus{volume("x", "m")}, volume("x", "n"), []v1alpha1.VolumeStatus{volume("x", "n")}},
		{"in place of another one", []string{"a"}, map[string]string{"a": "x"}, []v1alpha1.VolumeStatus{volume("old", "m")}, volume("x", "n"), []v1alpha1.VolumeStatus{volume("x", "n")}},
		{
			"of the first client, after the second's", []string{"a", "b"}, map[string]string{"a": "x", "b": "y"}, []v1alpha1.VolumeStatus{volume("y", "m")}, volume("x", "n"),
			[]v1alpha1.VolumeStatus{volume("x", "n"), volume("y", "m")},
		},
		{
			"of a claim that the cache has not heard of", []string{"a", "b"}, map[string]string{"b": "y"}, []v1alpha1.VolumeStatus{volume("y", "m")}, volume("x", "n"),
			[]v1alpha1.VolumeStatus{volume("y", "m"), volume("x", "n")},
		},
		{
			"when the cache has heard of all", []string{"a", "b"}, map[string]string{"a": "x", "b": "y"}, []v1alpha1.VolumeStatus{volume("y", "m"), volume("x", "")}, volume("x", "n"),
			[]v1alpha1.VolumeStatus{volume("x", "n"), volume("y", "m")},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := scopeOf(builder.OneRun("default", "sb").Build())
			s.claims = map[string]*corev1.PersistentVolumeClaim{}
			for claim, volume := range test.bound {
				s.claims[claim] = &corev1.PersistentVolumeClaim{Spec: corev1.PersistentVolumeClaimSpec{VolumeName: volume}}
			}
			target := &v1alpha1.TargetStatus{Claims: test.claims, Volumes: slices.Clone(test.has)}
			s.putVolume(target, test.put)
			if diff := cmp.Diff(test.want, target.Volumes); diff != "" {
				t.Errorf("volumes (-want +got):\n%s", diff)
			}
		})
	}
}

// How long storage took to be made is said of volumes that were made for the benchmark, and of several of the slowest.
func TestNoteProvisioning(t *testing.T) {
	for name, test := range map[string]struct {
		claim  string
		took   time.Duration
		before *int64
		want   *int64
	}{
		"ours":               {"ours", 1500 * time.Millisecond, nil, new(int64(1500))},
		"somebody's":         {"mine", time.Second, nil, nil},
		"faster than before": {"ours", time.Second, new(int64(2000)), new(int64(2000))},
		"slower than before": {"ours", 3 * time.Second, new(int64(2000)), new(int64(3000))},
		"at once":            {"ours", 0, nil, new(int64(0))},
		"there before":       {"ours", -time.Second, nil, nil},
		"one there before":   {"ours", -time.Second, new(int64(2000)), new(int64(2000))},
	} {
		s := scopeOf(builder.OneRun("default", "sb").Build())
		claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: test.claim, CreationTimestamp: *at(0)}}
		s.claims = map[string]*corev1.PersistentVolumeClaim{"ours": {}}
		target := &v1alpha1.TargetStatus{ProvisionedMilliseconds: test.before}
		s.noteProvisioning(target, claim, &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: *at(test.took)}})
		if got := target.ProvisionedMilliseconds; ptr.Deref(got, -1) != ptr.Deref(test.want, -1) {
			t.Errorf("%s: %d ms, want %d", name, ptr.Deref(got, -1), ptr.Deref(test.want, -1))
		}
	}
}

// A volume is a claim's by its own word: who makes a claim can name any volume there.
func TestIsBound(t *testing.T) {
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "tenant", Name: "c", UID: "u"}}
	ref := func(namespace, name string, uid types.UID) *corev1.ObjectReference {
		return &corev1.ObjectReference{Namespace: namespace, Name: name, UID: uid}
	}
	for name, test := range map[string]struct {
		ref  *corev1.ObjectReference
		want bool
	}{
		"this claim's":            {ref("tenant", "c", "u"), true},
		"reserved for this claim": {ref("tenant", "c", ""), true},
		"without an owner":        {nil, false},
		"one's of before":         {ref("tenant", "c", "before"), false},
		"another namespace's":     {ref("other", "c", "u"), false},
		"another claim's":         {ref("tenant", "d", "u"), false},
	} {
		if got := isBound(&corev1.PersistentVolume{Spec: corev1.PersistentVolumeSpec{ClaimRef: test.ref}}, claim); got != test.want {
			t.Errorf("%s: %t, want %t", name, got, test.want)
		}
	}
}

func TestHandle(t *testing.T) {
	for want, source := range map[string]corev1.PersistentVolumeSource{
		"vol-0123":       {CSI: &corev1.CSIPersistentVolumeSource{VolumeHandle: "vol-0123"}},
		"/mnt/disk":      {Local: &corev1.LocalVolumeSource{Path: "/mnt/disk"}},
		"/var/x":         {HostPath: &corev1.HostPathVolumeSource{Path: "/var/x"}},
		"server:/export": {NFS: &corev1.NFSVolumeSource{Server: "server", Path: "/export"}},
		"pv":             {ISCSI: &corev1.ISCSIPersistentVolumeSource{}},
	} {
		pv := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "pv"}, Spec: corev1.PersistentVolumeSpec{PersistentVolumeSource: source}}
		if got := handle(pv); got != want {
			t.Errorf("handle is %q, want %q", got, want)
		}
	}
}

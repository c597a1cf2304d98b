package owned

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
	"github.com/storagebench/storagebench/internal/storage"
	"github.com/storagebench/storagebench/test/builder"
)

// What is noted of a volume and its node is what was read of them. A volume that is bound to another claim by its own word is not noted.
func TestNote(t *testing.T) {
	const zone, kind = "ap-northeast-1a", "m6i.large"
	labels := map[string]string{corev1.LabelTopologyZone: zone, corev1.LabelInstanceTypeStable: kind}
	bound := func(uid types.UID) *corev1.PersistentVolume {
		volume := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "pv", CreationTimestamp: *at(2 * time.Second)}}
		volume.Annotations = map[string]string{ProvisionedBy: "ebs.csi.aws.com"}
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
		at   Place
		want v1alpha1.TargetStatus
	}{
		{"its own, which no pod uses yet", true, nil, Place{Volume: bound("c1"), Provisioned: new(2 * time.Second)},
			v1alpha1.TargetStatus{Volumes: []v1alpha1.VolumeStatus{{Name: "pv", Handle: "vol-1"}}, ProvisionedMilliseconds: new(int64(2000))}},
		{"its own, which a pod uses and was there before", true, nil, Place{Volume: bound("c1"), Node: "n", Labels: labels, Provisioned: new(2 * time.Second)},
			v1alpha1.TargetStatus{Volumes: []v1alpha1.VolumeStatus{moved}, ProvisionedMilliseconds: new(int64(2000)), TestFiles: v1alpha1.TestFilesPresent}},
		{"somebody's", false, nil, Place{Volume: bound("c1"), Node: "n", Labels: labels},
			v1alpha1.TargetStatus{Volumes: []v1alpha1.VolumeStatus{moved}, Driver: "ebs.csi.aws.com"}},
		{"of a claim with its name that is not its own", false, nil, Place{Named: true, Volume: bound("c1"), Node: "n", Labels: labels},
			v1alpha1.TargetStatus{Volumes: []v1alpha1.VolumeStatus{moved}, TestFiles: v1alpha1.TestFilesPresent}},
		{"another claim's", true, nil, Place{Volume: bound("c2"), Node: "n", Labels: labels}, v1alpha1.TargetStatus{}},
		{"gone", true, nil, Place{Volume: &corev1.PersistentVolume{}, Node: "n", Labels: labels}, v1alpha1.TargetStatus{}},
		{"not seen", true, nil, Place{Node: "n"}, v1alpha1.TargetStatus{Volumes: []v1alpha1.VolumeStatus{{Name: "pv", Node: "n"}}}},
		{"known, on another node", true, []v1alpha1.VolumeStatus{known}, Place{Node: "n", Labels: labels}, v1alpha1.TargetStatus{Volumes: []v1alpha1.VolumeStatus{moved}}},
		{"known, on the same node", true, []v1alpha1.VolumeStatus{known}, Place{Node: "m"}, v1alpha1.TargetStatus{Volumes: []v1alpha1.VolumeStatus{known}}},
		{"known, and no pod uses it", true, []v1alpha1.VolumeStatus{known}, Place{}, v1alpha1.TargetStatus{Volumes: []v1alpha1.VolumeStatus{known}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.at.Named = test.at.Named || test.own
			test.at.Claim = &corev1.PersistentVolumeClaim{
				ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "c", UID: "c1", CreationTimestamp: *at(0)},
				Spec:       corev1.PersistentVolumeClaimSpec{VolumeName: "pv"},
			}
			claims := Claims{}
			if test.own {
				claims["c"] = test.at.Claim
			}
			got := v1alpha1.TargetStatus{Volumes: slices.Clone(test.has)}
			Note(builder.OneRun("default", "sb").Build(), &got, claims, test.at)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("status of the target (-want +got):\n%s", diff)
			}
		})
	}
}

// TestNoteNodeChange: it is noted how many runs had ended when the node first changed, if one had a result.
func TestNoteNodeChange(t *testing.T) {
	const done, failed, pending = v1alpha1.RunSucceeded, v1alpha1.RunFailed, v1alpha1.RunPending
	for name, test := range map[string]struct {
		runs []v1alpha1.RunState
		node string
		has  *int32
		want *int32
	}{
		"no result yet":     {[]v1alpha1.RunState{failed, pending}, "n", nil, nil},
		"two results":       {[]v1alpha1.RunState{done, done, pending}, "n", nil, new(int32(2))},
		"the same node":     {[]v1alpha1.RunState{done, done, pending}, "m", nil, nil},
		"it changes again":  {[]v1alpha1.RunState{done, done, pending}, "n", new(int32(1)), new(int32(1))},
		"none was used yet": {[]v1alpha1.RunState{done, done, pending}, "", nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			sb := builder.OneRun("default", "sb").Build()
			for _, state := range test.runs {
				sb.Status.Runs = append(sb.Status.Runs, v1alpha1.Run{State: state})
			}
			target := v1alpha1.TargetStatus{Volumes: []v1alpha1.VolumeStatus{{Name: "pv", Node: "m"}}, RunsBeforeNodeChange: test.has}
			claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: "c"}, Spec: corev1.PersistentVolumeClaimSpec{VolumeName: "pv"}}
			Note(sb, &target, Claims{"c": claim}, Place{Claim: claim, Named: true, Node: test.node})
			if got := target.RunsBeforeNodeChange; ptr.Deref(got, -1) != ptr.Deref(test.want, -1) {
				t.Errorf("%v, want %v", ptr.Deref(got, -1), ptr.Deref(test.want, -1))
			}
		})
	}
}

// Volumes are in the order of their claims, whichever pod comes first, and each is there once. A target of one claim has one.
func TestPut(t *testing.T) {
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
			claims := Claims{}
			for claim, volume := range test.bound {
				claims[claim] = &corev1.PersistentVolumeClaim{Spec: corev1.PersistentVolumeClaimSpec{VolumeName: volume}}
			}
			target := &v1alpha1.TargetStatus{Claims: claimsNamed(test.claims), Volumes: slices.Clone(test.has)}
			put(target, claims, test.put)
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
		made   time.Duration // of the object, in whole seconds, and after the wait for earlier runs
		took   *time.Duration
		before *int64
		want   *int64
	}{
		"ours":               {"ours", 21 * time.Second, new(1234 * time.Millisecond), nil, new(int64(1234))},
		"somebody's":         {"mine", time.Second, new(time.Second), nil, nil},
		"faster than before": {"ours", time.Second, new(time.Second), new(int64(2000)), new(int64(2000))},
		"slower than before": {"ours", 3 * time.Second, new(3 * time.Second), new(int64(2000)), new(int64(3000))},
		"at once":            {"ours", 0, new(time.Duration(0)), nil, new(int64(0))},
		"not seen":           {"ours", time.Second, nil, nil, nil},
		"there before":       {"ours", -time.Second, new(time.Second), nil, nil},
		"one there before":   {"ours", -time.Second, new(time.Second), new(int64(2000)), new(int64(2000))},
	} {
		claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: test.claim, UID: "u", CreationTimestamp: *at(0)}}
		volume := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: *at(test.made)}}
		volume.Spec.ClaimRef = &corev1.ObjectReference{Namespace: "ns", Name: test.claim, UID: "u"}
		target := &v1alpha1.TargetStatus{ProvisionedMilliseconds: test.before}
		Note(builder.OneRun("ns", "sb").Build(), target, Claims{"ours": {}}, Place{Claim: claim, Volume: volume, Provisioned: test.took})
		if got := target.ProvisionedMilliseconds; ptr.Deref(got, -1) != ptr.Deref(test.want, -1) {
			t.Errorf("%s: %d ms, want %d", name, ptr.Deref(got, -1), ptr.Deref(test.want, -1))
		}
	}
}

// A volume has the driver's name for it as soon as that is known.
func TestHandleOf(t *testing.T) {
	bound := func(volume string) *corev1.PersistentVolumeClaim {
		return &corev1.PersistentVolumeClaim{Spec: corev1.PersistentVolumeClaimSpec{VolumeName: volume}}
	}
	claims := Claims{"c-0": bound("pv-0"), "c-1": bound("pv-1"), "c-2": bound("")}
	one := []v1alpha1.VolumeStatus{{Name: "pv-1", Handle: "vol-1"}}
	two := []v1alpha1.VolumeStatus{{Name: "pv-0", Handle: "vol-0"}, {Name: "pv-1", Handle: "vol-1"}}
	for _, test := range []struct {
		name    string
		claims  []string
		volumes []v1alpha1.VolumeStatus
		claim   string
		want    string
	}{
		{"not bound yet", []string{"c-2"}, nil, "c-2", ""},
		{"the only one", []string{"mine"}, one, "mine", "vol-1"},
		{"the first of several", []string{"c-0", "c-1", "c-2"}, two, "c-0", "vol-0"},
		{"the second of several", []string{"c-0", "c-1", "c-2"}, two, "c-1", "vol-1"},
		{"of several the one that is known", []string{"c-0", "c-1", "c-2"}, one, "c-1", "vol-1"},
		{"of several one that is not recorded yet", []string{"c-0", "c-1", "c-2"}, one, "c-0", ""},
		{"of several one that is not bound yet", []string{"c-0", "c-1", "c-2"}, two, "c-2", ""},
		{"a claim that nobody knows", []string{"c-0", "c-1"}, two, "c-9", ""},
	} {
		if got := HandleOf(&v1alpha1.TargetStatus{Claims: claimsNamed(test.claims), Volumes: test.volumes}, claims, test.claim); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// at returns a time after noon.
func at(after time.Duration) *metav1.Time { return new(metav1.NewTime(noon.Add(after))) }

// A file system has the limits of its region as soon as a client has a node, whose own limits are known then too.
func TestNoteLimits(t *testing.T) {
	target := v1alpha1.Target{Name: "efs", EFS: &v1alpha1.EFSFileSystem{FileSystemID: "fs-01234567", ThroughputMode: new(v1alpha1.EFSElastic)}}
	status := v1alpha1.TargetStatus{Name: "efs", Driver: storage.EFSDriver, Limits: storage.Limits(&target, storage.Class{})}
	NoteLimits(&target, &status)
	if len(status.ClientLimits) != 0 || *status.Limits.WriteBytesPerSecond != 1<<30 {
		t.Errorf("without a node: %+v", status)
	}
	status.Volumes = []v1alpha1.VolumeStatus{{Node: "node", Zone: "us-east-1c", InstanceType: "m6i.large"}}
	NoteLimits(&target, &status)
	if len(status.ClientLimits) != 2 || *status.Limits.WriteBytesPerSecond != 5<<30 {
		t.Errorf("on a node in us-east-1c: limits %+v, of the client %+v", status.Limits, status.ClientLimits)
	}
}

func claimsNamed(names []string) (claims []v1alpha1.ClaimStatus) {
	for _, name := range names {
		claims = append(claims, v1alpha1.ClaimStatus{Name: name})
	}
	return claims
}

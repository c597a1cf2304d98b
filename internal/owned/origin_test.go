package owned

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

const claimUID = "0b1e5f0a-1111-2222-3333-444455556666"

var nine = time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)

// volume returns a volume of class a that a provisioner has made at nine, and that is bound to no claim.
func volume(name string, changes ...func(*corev1.PersistentVolume)) *corev1.PersistentVolume {
	pv := &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name, CreationTimestamp: metav1.NewTime(nine), Annotations: map[string]string{ProvisionedBy: "csi.fake"}},
		Spec: corev1.PersistentVolumeSpec{
			StorageClassName: "a", Capacity: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("2Gi")},
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce, corev1.ReadOnlyMany},
		},
	}
	for _, change := range changes {
		change(pv)
	}
	return pv
}

// boundTo has a volume say that it is a claim's.
func boundTo(namespace, name string, uid types.UID) func(*corev1.PersistentVolume) {
	return func(pv *corev1.PersistentVolume) {
		pv.Spec.ClaimRef = &corev1.ObjectReference{Namespace: namespace, Name: name, UID: uid}
	}
}

// createdAt has a volume be made at a time.
func createdAt(at time.Time) func(*corev1.PersistentVolume) {
	return func(pv *corev1.PersistentVolume) { pv.CreationTimestamp = metav1.NewTime(at) }
}

// A volume counts as one that was there before, unless all that is known of it says that it was made for the claim.
func TestOriginOf(t *testing.T) {
	its := boundTo("ns", "claim", claimUID)
	for _, test := range []struct {
		name   string
		bound  string
		volume *corev1.PersistentVolume
		want   Origin
	}{
		{"not bound", "", nil, Unbound},
		{"not bound, and its volume says that it is its own", "", volume("pvc-"+claimUID, its), Unbound},
		{"made for it", "pvc-" + claimUID, volume("pvc-"+claimUID, its), Made},
		{"there before", "old", volume("old", its), Existing},
		{"older than the claim", "pvc-" + claimUID, volume("pvc-"+claimUID, its, createdAt(nine.Add(-time.Hour))), Existing},
		{"gone", "pvc-" + claimUID, &corev1.PersistentVolume{}, Existing},
		{"bound to nothing, by its own word", "pvc-" + claimUID, volume("pvc-" + claimUID), Existing},
		{"another claim's, by its own word", "pvc-" + claimUID, volume("pvc-"+claimUID, boundTo("ns", "another", claimUID)), Existing},
		{"one of another namespace, by its own word", "pvc-" + claimUID, volume("pvc-"+claimUID, boundTo("other", "claim", claimUID)), Existing},
		{"one that had the claim's name, by its own word", "pvc-" + claimUID, volume("pvc-99999999", boundTo("ns", "claim", "99999999-1111-2222-3333-444455556666")), Existing},
		{"kept for it by an administrator", "pvc-" + claimUID, volume("pvc-"+claimUID, boundTo("ns", "claim", "")), Existing},
		{"not seen, named after it", "pvc-" + claimUID, nil, Made},
		{"not seen, of another name", "old", nil, Existing},
	} {
		claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "claim", UID: claimUID, CreationTimestamp: metav1.NewTime(nine)}}
		claim.Spec.VolumeName = test.bound
		if got := OriginOf(claim, test.volume); got != test.want {
			t.Errorf("%s: its origin is %s, want %s", test.name, got, test.want)
		}
	}
}

// Of storage that is named, or mounted as it is, and of devices nothing needs to be asked.
func TestMayHaveExisting(t *testing.T) {
	for name, test := range map[string]struct {
		target v1alpha1.Target
		want   bool
	}{
		"of a class":          {v1alpha1.Target{StorageClassName: new("a")}, true},
		"a device of a class": {v1alpha1.Target{StorageClassName: new("a"), VolumeMode: new(corev1.PersistentVolumeBlock)}, false},
		"of a class of ours":  {v1alpha1.Target{EBS: &v1alpha1.EBSVolume{}}, true},
		"a claim of somebody": {v1alpha1.Target{ClaimName: new("a")}, false},
		"a bucket":            {v1alpha1.Target{S3: &v1alpha1.S3Bucket{}}, false},
	} {
		if got := MayHaveExisting(&test.target); got != test.want {
			t.Errorf("%s: %t, want %t", name, got, test.want)
		}
	}
}

// Kubernetes binds a claim to a volume that is kept for it, or for nobody, and has what the claim asks for.
func TestMayGet(t *testing.T) {
	for name, test := range map[string]struct {
		volume *corev1.PersistentVolume
		change func(*v1alpha1.Target)
		want   bool
	}{
		"free":                   {volume: volume("old"), want: true},
		"free, of the size":      {volume: volume("old"), change: func(t *v1alpha1.Target) { t.Capacity = new(resource.MustParse("2Gi")) }, want: true},
		"free, and too small":    {volume: volume("old"), change: func(t *v1alpha1.Target) { t.Capacity = new(resource.MustParse("3Gi")) }},
		"free, of no size":       {volume: volume("old", func(pv *corev1.PersistentVolume) { pv.Spec.Capacity = nil })},
		"free, of another class": {volume: volume("old", func(pv *corev1.PersistentVolume) { pv.Spec.StorageClassName = "b" })},
		"free, of an annotated class": {volume: volume("old", func(pv *corev1.PersistentVolume) {
			pv.Spec.StorageClassName, pv.Annotations[corev1.BetaStorageClassAnnotation] = "", "a"
		}), want: true},
		"free, annotated another one": {volume: volume("old", func(pv *corev1.PersistentVolume) { pv.Annotations[corev1.BetaStorageClassAnnotation] = "b" })},
		"free, a device":              {volume: volume("old", func(pv *corev1.PersistentVolume) { pv.Spec.VolumeMode = new(corev1.PersistentVolumeBlock) })},
		"free, said to have files":    {volume: volume("old", func(pv *corev1.PersistentVolume) { pv.Spec.VolumeMode = new(corev1.PersistentVolumeFilesystem) }), want: true},
		"free, for one pod":           {volume: volume("old"), change: func(t *v1alpha1.Target) { t.AccessMode = new(corev1.ReadWriteOncePod) }},
		"free, being deleted":         {volume: volume("old", func(pv *corev1.PersistentVolume) { pv.DeletionTimestamp = new(metav1.NewTime(nine)) })},
		"kept for it":                 {volume: volume("old", boundTo("ns", "claim", "")), want: true},
		"kept for it, whatever it is": {volume: volume("old", boundTo("ns", "claim", ""), func(pv *corev1.PersistentVolume) { pv.Spec = corev1.PersistentVolumeSpec{ClaimRef: pv.Spec.ClaimRef} }), want: true},
		"another claim's":             {volume: volume("old", boundTo("ns", "another", ""))},
		"one of another namespace":    {volume: volume("old", boundTo("other", "claim", ""))},
		"its own, which has come":     {volume: volume("pvc-"+claimUID, boundTo("ns", "claim", claimUID))},
		"older than the benchmark":    {volume: volume("pvc-"+claimUID, boundTo("ns", "claim", claimUID), createdAt(nine.Add(-time.Hour))), want: true},
	} {
		t.Run(name, func(t *testing.T) {
			sb := &v1alpha1.StorageBenchmark{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "sb", CreationTimestamp: metav1.NewTime(nine)}}
			target := v1alpha1.Target{Name: "t", StorageClassName: new("a"), Capacity: new(resource.MustParse("1Gi"))}
			if test.change != nil {
				test.change(&target)
			}
			if got := MayGet(sb, &target, sets.New("claim", "claim-2"), test.volume); got != test.want {
				t.Errorf("it may come to it: %t, want %t", got, test.want)
			}
		})
	}
}

// A volume that somebody has retained may be freed at any time. Any other goes with its claim.
func TestMayBeFreed(t *testing.T) {
	retained := func(pv *corev1.PersistentVolume) {
		pv.Spec.PersistentVolumeReclaimPolicy = corev1.PersistentVolumeReclaimRetain
	}
	for name, test := range map[string]struct {
		volume *corev1.PersistentVolume
		want   bool
	}{
		"retained":             {volume("old", boundTo("ns", "another", "u"), retained), true},
		"of another namespace": {volume("old", boundTo("other", "claim", "u"), retained), true},
		"of its own claim":     {volume("old", boundTo("ns", "claim", claimUID), retained), false},
		"not retained":         {volume("old", boundTo("ns", "another", "u")), false},
		"free already":         {volume("old", retained), false},
		"of another class":     {volume("old", boundTo("ns", "another", "u"), retained, func(pv *corev1.PersistentVolume) { pv.Spec.StorageClassName = "b" }), false},
	} {
		t.Run(name, func(t *testing.T) {
			sb := &v1alpha1.StorageBenchmark{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "sb", CreationTimestamp: metav1.NewTime(nine)}}
			target := v1alpha1.Target{Name: "t", StorageClassName: new("a"), Capacity: new(resource.MustParse("1Gi"))}
			if got := MayBeFreed(sb, &target, sets.New("claim"), test.volume); got != test.want {
				t.Errorf("it may be freed: %t, want %t", got, test.want)
			}
		})
	}
}

// Of a volume that has had another claim, everything is as of one that was made for a claim, but its name and its age.
func TestMadeForItsClaim(t *testing.T) {
	for _, test := range []struct {
		name    string
		volume  string
		by      string
		claim   types.UID
		created time.Time
		want    bool
	}{
		{"made for it", "pvc-" + claimUID, "csi.fake", claimUID, nine.Add(time.Second), true},
		{"made in the same second", "pvc-" + claimUID, "csi.fake", claimUID, nine, true},
		{"an API server's clock is behind", "pvc-" + claimUID, "csi.fake", claimUID, nine.Add(-30 * time.Second), true},
		{"another prefix", "team-a-" + claimUID, "csi.fake", claimUID, nine, true},
		{"a short name", "pvc-0b1e5f0a11", "csi.fake", claimUID, nine, true},
		{"a name that is too short", "pvc-0b1e", "csi.fake", claimUID, nine, false},
		{"no name of its own", "pvc-", "csi.fake", claimUID, nine, false},
		{"made for another claim", "pvc-99999999-1111-2222-3333-444455556666", "csi.fake", claimUID, nine, false},
		{"restored under a name while the claim waited", "restored", "csi.fake", claimUID, nine.Add(time.Second), false},
		{"older than the claim", "pvc-" + claimUID, "csi.fake", claimUID, nine.Add(-time.Hour), false},
		{"made by hand", "pvc-" + claimUID, "", claimUID, nine, false},
		{"a claimRef without a UID", "pvc-" + claimUID, "csi.fake", "", nine, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			pv := volume(test.volume, boundTo("ns", "claim", test.claim), createdAt(test.created))
			pv.Annotations[ProvisionedBy] = test.by
			if got := MadeForItsClaim(pv, metav1.NewTime(nine)); got != test.want {
				t.Errorf("made for its claim: %t, want %t", got, test.want)
			}
		})
	}
	if MadeForItsClaim(volume("pvc-"+claimUID), metav1.Time{}) {
		t.Error("a volume without a claim was made for it")
	}
}

// A volume that was there counts, and so does a claim without one that may come to it. Where nobody can see that, none does.
func TestSources(t *testing.T) {
	made, existing, unbound := map[string]Origin{"a": Made}, map[string]Origin{"a": Made, "b": Existing}, map[string]Origin{"a": Made, "b": Existing, "c": Unbound}
	waiting := map[string]Origin{"a": Made, "c": Unbound}
	const came = "a volume that was not made for it was bound to the claim of target fast"
	for name, test := range map[string]struct {
		sources Sources
		depends bool
		want    sets.Set[string]
		says    string
	}{
		"nothing is known":                {Sources{}, false, sets.New[string](), ""},
		"all were made":                   {Sources{Origins: made}, false, sets.New[string](), ""},
		"one was there":                   {Sources{Origins: existing}, false, sets.New("b"), came},
		"one is not bound, and none fits": {Sources{Origins: waiting}, true, sets.New[string](), ""},
		"one is not bound, and one fits":  {Sources{Origins: waiting, Fitting: "pv"}, true, sets.New("c"), "volume pv, which was not made for it, may be bound to the claim of target fast"},
		"all kinds, and none fits":        {Sources{Origins: unbound}, true, sets.New("b"), came},
		"all kinds, and one fits":         {Sources{Origins: unbound, Fitting: "pv"}, true, sets.New("b", "c"), came},
		"nobody makes volumes":            {Sources{Origins: unbound, NoProvisioner: true}, false, sets.New("b", "c"), came},
		"nobody sees volumes":             {Sources{Origins: unbound, Unseen: true, NoProvisioner: true}, false, sets.New("b"), came},
	} {
		if got := test.sources.Existing(); !got.Equal(test.want) || test.sources.DependsOnVolumes() != test.depends {
			t.Errorf("%s: %v, want %v; depends on volumes: %t", name, sets.List(got), sets.List(test.want), test.sources.DependsOnVolumes())
		}
		if got := test.sources.WhyExisting("fast"); got != test.says {
			t.Errorf("%s: it says %q, want %q", name, got, test.says)
		}
	}
}

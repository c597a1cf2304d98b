package controllers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/provisioning"
	"github.com/storagebench/storagebench/internal/storage"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
)

// What the API server says of a target's storage ends the benchmark, is waited for, or is tried again.
func TestApplied(t *testing.T) {
	claims := schema.GroupResource{Resource: "persistentvolumeclaims"}
	forbidden := apierrors.NewForbidden(claims, "c", errors.New("exceeded quota"))
	for _, test := range []struct {
		name    string
		err     error
		refused *metav1.Time
		want    outcome
		failed  string // what the error says to users, or what the pass ends with
		since   *metav1.Time
		ends    bool
	}{
		{name: "all is there", refused: at(-time.Second), want: goOn()},
		{name: "a quota", err: fmt.Errorf("apply claim: %w", forbidden), want: awaitFor(pollWaiting).resting(time.Minute), failed: "target fast: apply claim: " + forbidden.Error(), since: at(0)},
		{name: "the quota goes on", err: forbidden, refused: at(-59 * time.Second), want: awaitFor(time.Second), failed: "target fast: " + forbidden.Error(), since: at(-59 * time.Second)},
		{name: "the quota went on", err: forbidden, refused: at(-time.Minute), want: saveFirst(), failed: "target fast waited 60 s for its storage to be made (spec.deadlines.provisioningSeconds): " + forbidden.Error(), since: at(-time.Minute), ends: true},
		{name: "a webhook without a code", err: apierrors.NewBadRequest("no"), want: awaitFor(pollWaiting).resting(time.Minute), failed: "target fast: no", since: at(0)},
		{
			name: "a size that no claim can have", err: apierrors.NewInvalid(schema.GroupKind{Kind: "PersistentVolumeClaim"}, "c", nil), want: saveFirst(),
			failed: `target fast: PersistentVolumeClaim "c" is invalid`, ends: true,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := scopeOf(builder.OneRun("default", "sb").Deadlines(v1alpha1.Deadlines{ProvisioningSeconds: new(int32(60))}).Build())
			s.sb.Status.StorageRefusedSince = test.refused
			out, err := s.provisioned(&s.sb.Spec.Targets[0], storageMade{err: test.err})
			if err != nil || out != test.want || s.concluded() != test.ends || !s.sb.Status.StorageRefusedSince.Equal(test.since) {
				t.Errorf("it goes on with %+v, want %+v, ended %t, refused since %s: %v", out, test.want, s.concluded(), s.sb.Status.StorageRefusedSince, err)
			}
			kind, reason := v1alpha1.ConditionSucceeded, v1alpha1.ReasonProvisioning
			if test.ends {
				kind, reason = v1alpha1.ConditionMeasured, v1alpha1.ReasonProvisioningFailed
			}
			if got := s.condition(kind); test.failed != "" && (got.Reason != reason || got.Message != test.failed) {
				t.Errorf("condition is %+v, want %s %q", got, reason, test.failed)
			}
		})
	}
	s := scopeOf(builder.OneRun("default", "sb").Build())
	busy := errors.New("etcd is busy")
	if _, err := s.provisioned(&s.sb.Spec.Targets[0], storageMade{err: busy}); !errors.Is(err, busy) || err.Error() != "target fast: etcd is busy" || s.changed() {
		t.Errorf("an error that may pass is %v, status %+v", err, s.sb.Status)
	}
}

// What keeps a target's storage from being made ends the benchmark, or is waited for. It tells as well what becomes of test files that cannot be
// reached without.
func TestStorageMade(t *testing.T) {
	const present, left = v1alpha1.TestFilesPresent, v1alpha1.TestFilesLeftBehind
	busy := errors.New("etcd is busy")
	terminating := apierrors.NewForbidden(schema.GroupResource{Resource: "persistentvolumeclaims"}, "c", errors.New("no"))
	held := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "x", Finalizers: []string{"a", "b"}}}
	terminating.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: corev1.NamespaceTerminatingCause}}
	for _, test := range []struct {
		name  string
		made  storageMade
		want  outcome
		says  string
		ends  bool
		files v1alpha1.TestFilesState
		err   error
	}{
		{"all of it", storageMade{}, goOn(), "", false, present, nil},
		{"nothing by an old version", storageMade{step: provisioning.LookAgain}, awaitFor(retrySoon), "", false, present, nil},
		{"somebody's is in its place", storageMade{facts: provisioning.Facts{Taken: "PersistentVolume x"}, step: provisioning.RefuseTaken}, saveFirst(),
			"target fast: PersistentVolume x exists, and was not made for this benchmark; delete or rename it, and create the benchmark anew", true, left, nil},
		{"one before it has to go", storageMade{facts: provisioning.Facts{InTheWay: held}, step: provisioning.FreeVolume}, awaitFor(pollChildren).resting(time.Minute),
			"target fast: PersistentVolume x is being deleted, to be made anew; it is kept by finalizer a, b", false, present, nil},
		{"its namespace is being deleted", storageMade{err: fmt.Errorf("apply claim: %w", terminating)}, awaitFor(pollWaiting).resting(time.Minute),
			"target fast: apply claim: " + terminating.Error(), false, left, nil},
		{"an error", storageMade{err: busy}, outcome{}, "", false, present, busy},
		{"claims that are gone are to be heard of", storageMade{step: provisioning.ForgetClaims}, awaitFor(retrySoon), "", false, present, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := scopeOf(builder.OneRun("default", "sb").Deadlines(v1alpha1.Deadlines{ProvisioningSeconds: new(int32(60))}).Build())
			target := &s.sb.Spec.Targets[0]
			out, err := s.provisioned(target, test.made)
			if out != test.want || !errors.Is(err, test.err) || s.concluded() != test.ends {
				t.Errorf("it goes on with %+v, %v, want %+v, %v; ended %t", out, err, test.want, test.err, s.concluded())
			}
			kind := v1alpha1.ConditionSucceeded
			if test.ends {
				kind = v1alpha1.ConditionMeasured
			}
			if got := s.condition(kind).Message; got != test.says {
				t.Errorf("it says %q, want %q", got, test.says)
			}
			files, err := test.made.files(target)
			if files != test.files || !errors.Is(err, test.err) || (err != nil && err.Error() != "reach test files of target fast: etcd is busy") {
				t.Errorf("test files are %s, %v, want %s", files, err, test.files)
			}
		})
	}
}

// Claims that are gone are forgotten in the status, which is saved before others are made.
func TestForgottenClaimsAreSavedFirst(t *testing.T) {
	s := scopeOf(builder.OneRun("default", "sb").Build())
	s.sb.Status.Targets = []v1alpha1.TargetStatus{{Name: "fast"}}
	if out, err := s.provisioned(&s.sb.Spec.Targets[0], storageMade{step: provisioning.ForgetClaims}); err != nil || out != saveFirst() {
		t.Errorf("it goes on with %+v, %v", out, err)
	}
}

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

func TestWithoutAttributes(t *testing.T) {
	target := ebsTarget()
	sb := builder.NewBenchmark("ns", "sb").Target(target).Build()
	name := storage.ClaimNames(sb, &target)[0]
	claim := func(class *string) map[string]*corev1.PersistentVolumeClaim {
		return map[string]*corev1.PersistentVolumeClaim{name: {Spec: corev1.PersistentVolumeClaimSpec{VolumeAttributesClassName: class}}}
	}
	for what, test := range map[string]struct {
		asked  *string
		claims map[string]*corev1.PersistentVolumeClaim
		lost   bool
	}{
		"not asked for": {claims: claim(nil)},
		"not made yet":  {asked: new("gold")},
		"kept":          {asked: new("gold"), claims: claim(new("gold"))},
		"lost":          {asked: new("gold"), claims: claim(nil), lost: true},
	} {
		t.Run(what, func(t *testing.T) {
			target := ebsTarget()
			target.VolumeAttributesClassName = test.asked
			s := &scope{sb: sb, claims: test.claims}
			got := s.withoutAttributes(&target)
			if test.lost != strings.Contains(got, "claim "+name+" has lost its volumeAttributesClassName: "+noAttributesClasses) || (!test.lost && got != "") {
				t.Errorf("got %q", got)
			}
		})
	}
}

// Of the claims of many clients those are applied that are missing.
func TestOnlyMissingClaimsAreApplied(t *testing.T) {
	sb := builder.OneRun("default", "sb").With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Clients = new(int32(4)) }).Build()
	target := &sb.Spec.Targets[0]
	names := storage.ClaimNames(sb, target)
	for name, there := range map[string][]string{"all are missing": nil, "one is missing": names[:3], "two are missing": names[1:3]} {
		t.Run(name, func(t *testing.T) {
			var applied []string
			var mu sync.Mutex
			writes := interceptor.NewClient(fake.NewClientBuilder().WithScheme(envtest.Scheme()).Build(), interceptor.Funcs{
				Apply: func(_ context.Context, _ client.WithWatch, object runtime.ApplyConfiguration, _ ...client.ApplyOption) error {
					if claim, ok := object.(*corev1ac.PersistentVolumeClaimApplyConfiguration); ok {
						mu.Lock()
						defer mu.Unlock()
						applied = append(applied, *claim.Name)
					}
					return nil
				},
			})
			r := &Reconciler{Client: writes, Clock: clocktesting.NewFakeClock(noon)}
			p := r.newPass(sb, &memory{})
			p.claims = map[string]*corev1.PersistentVolumeClaim{}
			for _, claim := range there {
				p.claims[claim] = &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: claim}}
			}
			if err := p.applyObjects(t.Context(), storage.For(sb, target, job.UserOf(sb))); err != nil {
				t.Fatal(err)
			}
			slices.Sort(applied)
			want := slices.DeleteFunc(slices.Sorted(slices.Values(names)), func(name string) bool { return slices.Contains(there, name) })
			if len(names) != 4 || !slices.Equal(applied, want) {
				t.Errorf("applied are %v, want %v of %v", applied, want, names)
			}
		})
	}
}

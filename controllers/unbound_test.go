package controllers

import (
	"context"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/workers"
	"github.com/storagebench/storagebench/internal/owned"
	"github.com/storagebench/storagebench/internal/storage"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
)

// unboundWorld is a pass over a benchmark with a claim of a driver, in a cluster of objects where events tell of the
// claim.
func unboundWorld(
	driver string,
	events []corev1.Event,
	objects ...client.Object,
) (*pass.Pass, *corev1.PersistentVolumeClaim) {
	fast := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "fast"}}
	live := interceptor.NewClient(
		fake.NewClientBuilder().WithScheme(envtest.Scheme()).WithObjects(append(objects, fast)...).Build(),
		interceptor.Funcs{
			List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, options ...client.ListOption) error {
				if asked, is := list.(*corev1.EventList); is {
					asked.Items = events
					return nil
				}
				return c.List(ctx, list, options...)
			},
		},
	)
	sb := builder.OneRun("ns", "sb").Build()
	target := &sb.Spec.Targets[0]
	sb.Status.Targets = []v1alpha1.TargetStatus{{Name: target.Name, Driver: driver, StorageClassName: "fast"}}
	p := (&Reconciler{Live: live, Clock: clocktesting.NewFakeClock(noon)}).newPass(sb, &pass.Memory{})
	return p, &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: storage.ClaimName(sb, target, 0), Annotations: map[string]string{}},
		Spec:       corev1.PersistentVolumeClaimSpec{StorageClassName: new("fast")},
	}
}

// A claim may name a StorageClass that is not there: Kubernetes says nothing of it but that the claim is not bound.
func TestExplainClaimWithoutItsClass(t *testing.T) {
	p, claim := unboundWorld("csi.fake", nil)
	p.SB.Spec.Targets[0].StorageClassName, p.SB.Spec.Targets[0].ClaimName = nil, &claim.Name
	claim.Spec.StorageClassName = new("gone")
	const want = "there is no StorageClass gone, and no volume that names it is free; "
	if text, err := workers.ExplainClaim(t.Context(), p, claim, unscheduled("unbound immediate PersistentVolumeClaims")); err != nil || !strings.HasPrefix(text, want) {
		t.Errorf("%q, error %v, want %q", text, err, want)
	}
	for _, class := range []*string{nil, new(""), new("fast")} {
		claim.Spec.StorageClassName = class
		if text, err := workers.ExplainClaim(t.Context(), p, claim, nil); err != nil || strings.Contains(text, "there is no StorageClass") {
			t.Errorf("%q, error %v", text, err)
		}
	}
}

// A claim without a volume tells what is lacking for it, who is asked for it, and what they say.
func TestExplainClaim(t *testing.T) {
	const driver = "csi.fake"
	event := func(kind, reason, message string, seconds int) corev1.Event {
		return corev1.Event{
			Type:          kind,
			Reason:        reason,
			Message:       message,
			LastTimestamp: metav1.NewTime(noon.Add(time.Duration(seconds) * time.Second)),
		}
	}
	const asked = "Waiting for a volume to be created either by the external provisioner 'csi.fake' or manually"
	external := event(corev1.EventTypeNormal, "ExternalProvisioning", asked, 3)
	failed := event(corev1.EventTypeWarning, "ProvisioningFailed", "no space", 1)
	normal := event(corev1.EventTypeNormal, "WaitForFirstConsumer", "waiting for first consumer", 4)
	pod := unscheduled(crowdedOut)
	csiNode := func(drivers ...storagev1.CSINodeDriver) *storagev1.CSINode {
		return &storagev1.CSINode{ObjectMeta: metav1.ObjectMeta{Name: "n"}, Spec: storagev1.CSINodeSpec{Drivers: drivers}}
	}
	const lacks = "node n does not run CSI driver csi.fake: look at the driver's pods there, " +
		"or keep the benchmark on other nodes by spec.placement"
	const unbound = "is not bound yet (StorageClass fast)"
	for name, test := range map[string]struct {
		driver   string
		selected string
		events   []corev1.Event
		objects  []client.Object
		pod      *corev1.Pod
		want     string
	}{
		"nobody says anything": {driver: driver, want: unbound},
		"a pod that cannot be": {driver: driver, pod: pod, want: "the pod cannot be scheduled: " + crowdedOut},
		"a provisioner is asked": {
			driver: driver, events: []corev1.Event{normal, external}, pod: pod, want: "ExternalProvisioning: " + asked,
		},
		"its words come first": {
			driver: driver, events: []corev1.Event{external, failed}, want: "ProvisioningFailed: no space",
		},
		"the node has no driver": {
			driver: driver, selected: "n", objects: []client.Object{csiNode()}, events: []corev1.Event{external},
			want: lacks + "; ExternalProvisioning: " + asked,
		},
		"the node has no CSI driver": {driver: driver, selected: "n", want: lacks},
		"the node has the driver": {
			driver: driver, selected: "n", objects: []client.Object{csiNode(storagev1.CSINodeDriver{Name: driver})},
			want: unbound,
		},
		"a provisioner of another kind": {driver: "rancher.io/local-path", selected: "n", want: unbound},
	} {
		t.Run(name, func(t *testing.T) {
			p, claim := unboundWorld(test.driver, test.events, test.objects...)
			if test.selected != "" {
				claim.Annotations[owned.SelectedNode] = test.selected
			}
			got, err := workers.ExplainClaim(t.Context(), p, claim, test.pod)
			if got = strings.TrimPrefix(got, "claim "+claim.Name+" "); err != nil || got != test.want {
				t.Errorf("%q, %v, want %q", got, err, test.want)
			}
		})
	}
}

// What a released volume needs is told, and not whose claim of another namespace it was. The cluster's volumes are
// looked at now and then.
func TestReleasedVolume(t *testing.T) {
	volume := func(name, namespace string, phase corev1.PersistentVolumePhase) *corev1.PersistentVolume {
		pv := &corev1.PersistentVolume{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Status:     corev1.PersistentVolumeStatus{Phase: phase},
		}
		pv.Spec.StorageClassName, pv.Spec.AccessModes = builder.StorageClass, []corev1.PersistentVolumeAccessMode{
			corev1.ReadWriteOnce,
		}
		pv.Spec.Capacity = corev1.ResourceList{corev1.ResourceStorage: *builder.NewTarget("t").Capacity}
		pv.Spec.ClaimRef = &corev1.ObjectReference{Namespace: namespace, Name: "before", UID: "u"}
		return pv
	}
	const remedy = "have an administrator save or wipe what is on it, and clear its claimRef " +
		`(kubectl patch pv local-0 --type=json -p '[{"op": "remove", "path": "/spec/claimRef"}]')`
	for name, test := range map[string]struct {
		driver string
		volume *corev1.PersistentVolume
		want   string
	}{
		"of a claim of the namespace": {
			storage.NoProvisioner, volume("local-0", "ns", corev1.VolumeReleased),
			"volume local-0 fits, but is Released since claim ns/before: " + remedy,
		},
		"of another namespace": {
			storage.NoProvisioner, volume("local-0", "other", corev1.VolumeReleased),
			"volume local-0 fits, but is Released since a claim of another namespace: " + remedy,
		},
		"in use":      {storage.NoProvisioner, volume("local-0", "ns", corev1.VolumeBound), ""},
		"of a driver": {"csi.fake", volume("local-0", "ns", corev1.VolumeReleased), ""},
	} {
		t.Run(name, func(t *testing.T) {
			p, claim := unboundWorld(test.driver, nil, test.volume)
			got, err := workers.WhatClaimLacks(t.Context(), p, claim)
			if err != nil || got != test.want {
				t.Errorf("%q, %v, want %q", got, err, test.want)
			}
			if test.want == "" {
				return
			}
			if err := p.World.Live.(client.Client).Delete(t.Context(), test.volume); err != nil {
				t.Fatal(err)
			}
			for after, want := range map[time.Duration]string{workers.RestReleased - time.Second: test.want, workers.RestReleased: ""} {
				p.Now = metav1.NewTime(noon.Add(after))
				again := *p.Memory
				if got, err := workers.WhatClaimLacks(t.Context(), p, claim); err != nil || got != want {
					t.Errorf("%s later: %q, %v, want %q", after, got, err, want)
				}
				*p.Memory = again
			}
		})
	}
}

// What the scheduler said before it chose the node for a volume is no reason for a wait for that volume.
func TestWithoutOldScheduling(t *testing.T) {
	chosen := &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{owned.SelectedNode: "n"}},
	}
	bound := unscheduled(crowdedOut)
	bound.Spec.NodeName = "n"
	for name, test := range map[string]struct {
		pod   *corev1.Pod
		claim *corev1.PersistentVolumeClaim
		says  bool
	}{
		"a node is chosen":    {unscheduled(crowdedOut), chosen, false},
		"no node is chosen":   {unscheduled(crowdedOut), &corev1.PersistentVolumeClaim{}, true},
		"all claims bound":    {unscheduled(crowdedOut), nil, true},
		"the pod has a node":  {bound, chosen, true},
		"there is no pod yet": {nil, chosen, false},
	} {
		got := workers.WithoutOldScheduling(test.pod, test.claim)
		if (got == nil) != (test.pod == nil) || got != nil && (len(got.Status.Conditions) > 0) != test.says {
			t.Errorf("%s: %+v", name, got)
		}
		if test.pod != nil && len(test.pod.Status.Conditions) == 0 {
			t.Errorf("%s: the cache's pod was changed", name)
		}
	}
}

package owned

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/storage"
)

// Place is what was read of where a claim's volume is used.
type Place struct {
	Claim *corev1.PersistentVolumeClaim
	// Named says that the claim has a name which the benchmark gives.
	Named bool
	// Volume is nil where all is known of it, or where the operator sees no volumes.
	Volume *corev1.PersistentVolume
	// Provisioned is how long the driver was asked for the volume, nil where that is not known.
	Provisioned *time.Duration
	// Node is "" where no pod uses the volume yet. Labels are those of the node.
	Node   string
	Labels map[string]string
}

// Note notes a volume of a target, and its node. A volume that is bound to another claim by its own word is not noted. claims are the benchmark's.
func Note(sb *v1alpha1.StorageBenchmark, target *v1alpha1.TargetStatus, claims Claims, at Place) {
	volume := Known(target, at.Claim.Spec.VolumeName)
	if at.Volume != nil {
		if !IsBound(at.Volume, at.Claim) {
			return
		}
		volume.Handle = Handle(at.Volume)
		if claims[at.Claim.Name] != nil {
			noteProvisioning(target, at)
		}
		if !at.Named { // somebody's, of which nothing else tells the driver
			target.Driver = Driver(at.Volume)
		}
		if at.Named && at.Node != "" && !ClusterObject(sb, at.Volume) { // a pod uses it
			noteTestFiles(target, at)
		}
	}
	if at.Node != "" && volume.Node != at.Node {
		if volume.Node != "" {
			noteNodeChange(sb.Status.Runs, target)
		}
		volume.Node, volume.Zone, volume.InstanceType = at.Node, at.Labels[corev1.LabelTopologyZone], at.Labels[corev1.LabelInstanceTypeStable]
	}
	put(target, claims, volume)
}

// noteNodeChange notes how many runs had ended when the node of a target first changed.
func noteNodeChange(runs []v1alpha1.Run, target *v1alpha1.TargetStatus) {
	if target.RunsBeforeNodeChange != nil {
		return
	}
	for i := range runs {
		if runs[i].State == v1alpha1.RunSucceeded {
			target.RunsBeforeNodeChange = new(int32(i + 1))
		}
	}
}

// noteTestFiles notes that there may be test files on a volume that a claim of the benchmark has got and that was not made for it: they do not go with
// the claim.
func noteTestFiles(target *v1alpha1.TargetStatus, at Place) {
	if OriginOf(at.Claim, at.Volume) == Existing && target.TestFiles == "" && target.VolumeMode != corev1.PersistentVolumeBlock {
		target.TestFiles = v1alpha1.TestFilesPresent
	}
}

// noteProvisioning notes how long a volume that was made for the benchmark took, of several the one that took longest. A volume that is older
// than its claim was there before.
func noteProvisioning(target *v1alpha1.TargetStatus, at Place) {
	if at.Provisioned == nil || at.Volume.CreationTimestamp.Before(&at.Claim.CreationTimestamp) {
		return
	}
	took := max(at.Provisioned.Milliseconds(), ptr.Deref(target.ProvisionedMilliseconds, 0), 0)
	target.ProvisionedMilliseconds = &took
}

// NoteLimits notes the limits that follow from the first client's node: its own, and those that the storage has in its region.
func NoteLimits(target *v1alpha1.Target, status *v1alpha1.TargetStatus) {
	if len(status.Volumes) == 0 {
		return
	}
	node := &status.Volumes[0]
	status.Limits = storage.LimitsInZone(target, status.Limits, node.Zone)
	status.ClientLimits = storage.ClientLimits(target, status.Driver, node.InstanceType)
}

// Known returns what is known of a volume of a target, at least its name.
func Known(target *v1alpha1.TargetStatus, name string) v1alpha1.VolumeStatus {
	if at := index(target, name); at >= 0 {
		return target.Volumes[at]
	}
	return v1alpha1.VolumeStatus{Name: name}
}

// HandleOf returns what the driver calls the volume of a claim of a target, "" if that is not known yet.
func HandleOf(target *v1alpha1.TargetStatus, claims Claims, claim string) string {
	if len(target.Volumes) == 1 && len(target.Claims) < 2 {
		return target.Volumes[0].Handle
	}
	if c := claims[claim]; c != nil && c.Spec.VolumeName != "" {
		return Known(target, c.Spec.VolumeName).Handle
	}
	return ""
}

// IsOnDevice says whether a volume of one of the targets is a raw block volume.
func IsOnDevice(targets []v1alpha1.TargetStatus, volume string) bool {
	return slices.ContainsFunc(targets, func(t v1alpha1.TargetStatus) bool {
		return t.VolumeMode == corev1.PersistentVolumeBlock && index(&t, volume) >= 0
	})
}

// index returns which volume of a target has a name, -1 if none has.
func index(target *v1alpha1.TargetStatus, name string) int {
	return slices.IndexFunc(target.Volumes, func(v v1alpha1.VolumeStatus) bool { return v.Name == name })
}

// put notes a volume of a target, in the place of what was known of it. A target of one claim has no other volume.
func put(target *v1alpha1.TargetStatus, claims Claims, volume v1alpha1.VolumeStatus) {
	switch at := index(target, volume.Name); {
	case at >= 0:
		target.Volumes[at] = volume
	case len(target.Claims) > 1:
		target.Volumes = append(target.Volumes, volume)
	default:
		target.Volumes = []v1alpha1.VolumeStatus{volume}
	}
	sort(target, claims)
}

// sort puts a target's volumes into the order of their claims, once it is known what all of these are bound to: the
// cache may hear of it late.
func sort(target *v1alpha1.TargetStatus, claims Claims) {
	of := func(v v1alpha1.VolumeStatus) int {
		return slices.IndexFunc(target.Claims, func(c v1alpha1.ClaimStatus) bool {
			return claims[c.Name] != nil && claims[c.Name].Spec.VolumeName == v.Name
		})
	}
	if !slices.ContainsFunc(target.Volumes, func(v v1alpha1.VolumeStatus) bool { return of(v) < 0 }) {
		slices.SortFunc(target.Volumes, func(a, b v1alpha1.VolumeStatus) int { return of(a) - of(b) })
	}
}

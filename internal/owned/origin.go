package owned

import (
	"cmp"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/storage"
)

// Origin is where the volume of a claim of the benchmark is from. A claim of a StorageClass need not get a new volume. Kubernetes binds it to one that
// is there if one fits, such as a retained one that an administrator has made available again. What is on that is somebody's.
type Origin string

// The origins.
const (
	Unbound  Origin = "Unbound"  // the claim has no volume yet
	Made     Origin = "Made"     // it was made for the claim
	Existing Origin = "Existing" // it was there before the benchmark, or may have been
)

// OriginOf says where the volume of a claim is from. The volume is empty if it is gone, and nil for a namespaced operator, which sees no more of it than its name.
func OriginOf(claim *corev1.PersistentVolumeClaim, volume *corev1.PersistentVolume) Origin {
	switch {
	case claim.Spec.VolumeName == "":
		return Unbound
	case volume == nil && isNamedAfter(claim.Spec.VolumeName, claim.UID), volume != nil && isMadeFor(volume, claim):
		return Made
	default:
		return Existing
	}
}

// isMadeFor says whether a volume was made for a claim, by its own word: who makes a claim can name any volume there.
func isMadeFor(volume *corev1.PersistentVolume, claim *corev1.PersistentVolumeClaim) bool {
	ref := volume.Spec.ClaimRef
	return ref != nil && ref.Namespace == claim.Namespace && ref.Name == claim.Name && ref.UID == claim.UID && MadeForItsClaim(volume, claim.CreationTimestamp)
}

// MayHaveExisting says whether claims of a target may come to volumes that were there before. Other targets tell by their kind, and so does a device: it has
// no files that could be given to somebody.
func MayHaveExisting(t *v1alpha1.Target) bool {
	return storage.IsProvisioned(t) && !storage.MakesVolume(t) && storage.VolumeMode(t) != corev1.PersistentVolumeBlock
}

// Sources is what tells which claims of a target have a volume that was there before the benchmark, or may come to one.
type Sources struct {
	// Origins are those of the claims' volumes, by the names of the claims.
	Origins map[string]Origin
	// Unseen says that the operator is confined to namespaces, and sees no volumes. NoProvisioner says that nobody makes volumes of the target's
	// StorageClass: an administrator may free one that fits when the pod is there already.
	Unseen, NoProvisioner bool
	// Fitting is a volume that one of the claims without a volume may come to, "" if there is none.
	Fitting string
}

// Unbound returns the claims that have no volume yet.
func (s Sources) Unbound() sets.Set[string] { return s.of(Unbound) }

// DependsOnVolumes says whether it depends on the volumes of the cluster, so that they have to be looked at.
func (s Sources) DependsOnVolumes() bool {
	return !s.Unseen && !s.NoProvisioner && s.Unbound().Len() > 0
}

// Existing returns the claims whose volume was there before, or may have been. Those that have none yet count among them where one that is there may become
// theirs, which an operator that sees no volumes cannot know.
func (s Sources) Existing() sets.Set[string] {
	existing := s.of(Existing)
	if !s.Unseen && (s.NoProvisioner || s.Fitting != "") {
		return existing.Union(s.Unbound())
	}
	return existing
}

// WhyExisting says that a volume that was there before has come, or may come, to a claim of a target, "" if there is none.
func (s Sources) WhyExisting(target string) string {
	switch {
	case s.of(Existing).Len() > 0:
		return "a volume that was not made for it was bound to the claim of target " + target
	case s.Fitting != "":
		return "volume " + s.Fitting + ", which was not made for it, may be bound to the claim of target " + target
	default:
		return ""
	}
}

func (s Sources) of(origin Origin) sets.Set[string] {
	claims := sets.New[string]()
	for name, o := range s.Origins {
		if o == origin {
			claims.Insert(name)
		}
	}
	return claims
}

// MayGet says whether Kubernetes may bind one of a target's claims, which have no volume yet, to a volume that was there before: it is kept for that, or for
// nobody, and has what is asked for. Of where it can be reached nothing is asked.
// https://kubernetes.io/docs/concepts/storage/persistent-volumes/#binding
func MayGet(sb *v1alpha1.StorageBenchmark, t *v1alpha1.Target, claims sets.Set[string], volume *corev1.PersistentVolume) bool {
	if ref := volume.Spec.ClaimRef; ref != nil {
		return ref.Namespace == sb.Namespace && claims.Has(ref.Name) && !MadeForItsClaim(volume, sb.CreationTimestamp)
	}
	return fits(sb, t, volume)
}

// MayBeFreed says whether one of a target's claims could be bound to a volume that is another claim's, if an administrator freed that. It is one that its
// StorageClass retains, and so holds what somebody wants to keep. Kubernetes looks at volumes when it schedules a pod, which may be long after that was made.
func MayBeFreed(sb *v1alpha1.StorageBenchmark, t *v1alpha1.Target, claims sets.Set[string], volume *corev1.PersistentVolume) bool {
	ref := volume.Spec.ClaimRef
	return ref != nil && (ref.Namespace != sb.Namespace || !claims.Has(ref.Name)) &&
		volume.Spec.PersistentVolumeReclaimPolicy == corev1.PersistentVolumeReclaimRetain && fits(sb, t, volume)
}

// IsReleased reports whether a volume would come to one of a target's claims, had an administrator freed it of the
// claim before.
func IsReleased(sb *v1alpha1.StorageBenchmark, t *v1alpha1.Target, volume *corev1.PersistentVolume) bool {
	return volume.Status.Phase == corev1.VolumeReleased && volume.Spec.ClaimRef != nil && fits(sb, t, volume)
}

// fits reports whether a volume has what a target's claims ask for.
func fits(sb *v1alpha1.StorageBenchmark, t *v1alpha1.Target, volume *corev1.PersistentVolume) bool {
	class := cmp.Or(volume.Annotations[corev1.BetaStorageClassAnnotation], volume.Spec.StorageClassName)
	size := volume.Spec.Capacity[corev1.ResourceStorage]
	return volume.DeletionTimestamp.IsZero() && class == storage.ClassName(sb, t) && size.Cmp(storage.Capacity(t)) >= 0 &&
		slices.Contains(volume.Spec.AccessModes, storage.AccessMode(t)) &&
		ptr.Deref(volume.Spec.VolumeMode, corev1.PersistentVolumeFilesystem) == storage.VolumeMode(t)
}

const (
	// ProvisionedBy is the annotation of volumes that a provisioner has made for a claim. It stays on a volume that is
	// used again for another one.
	ProvisionedBy = "pv.kubernetes.io/provisioned-by"
	// ProvisionerAnnotation is the annotation of claims with the driver that is to make their volume, which Kubernetes takes
	// from the StorageClass.
	ProvisionerAnnotation = "volume.kubernetes.io/storage-provisioner"
	// SelectedNode is the annotation of claims with the node that the scheduler has chosen for the pod, for which their
	// volume is made. A provisioner that cannot make it there removes the annotation.
	SelectedNode = "volume.kubernetes.io/selected-node"
	// clockSkew is how far the clocks of API servers may differ, which write down when an object was made.
	clockSkew = time.Minute
	// leastUID is the fewest characters of a claim's UID that make the name of a volume the claim's.
	leastUID = 8
)

// IsDriverAsked reports whether the driver of a claim is asked for its volume: as soon as the claim is there, or once the scheduler has
// chosen the node of its first pod.
func IsDriverAsked(claim *corev1.PersistentVolumeClaim) bool {
	return claim.Annotations[SelectedNode] != "" || claim.Annotations[ProvisionerAnnotation] != ""
}

// MadeForItsClaim says whether a provisioner has made a volume for the very claim that it is bound to, since a time: then it is
// named after the claim's UID. An older one has had another claim, and maybe holds what somebody wants to keep.
// https://kubernetes-csi.github.io/docs/external-provisioner.html (--volume-name-prefix, --volume-name-uuid-length)
func MadeForItsClaim(volume *corev1.PersistentVolume, since metav1.Time) bool {
	ref := volume.Spec.ClaimRef
	return volume.Annotations[ProvisionedBy] != "" && ref != nil && !volume.CreationTimestamp.Add(clockSkew).Before(since.Time) && isNamedAfter(volume.Name, ref.UID)
}

// isNamedAfter says whether a volume has its name from the UID of a claim.
func isNamedAfter(volume string, claim types.UID) bool {
	if claim == "" {
		return false
	}
	last := volume[strings.LastIndex(volume, "-")+1:]
	return strings.HasSuffix(volume, "-"+string(claim)) || (len(last) >= leastUID && strings.HasPrefix(strings.ReplaceAll(string(claim), "-", ""), last))
}

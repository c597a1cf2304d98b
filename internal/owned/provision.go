package owned

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// ProvisionFacts is what is there in the place of what provisions a target's storage.
type ProvisionFacts struct {
	// Stale says that the benchmark has changed since it was read.
	Stale bool
	// Taken names an object that is somebody else's, "" if there is none.
	Taken string
	// Unnoted names a claim that a second operator may have made, and has not noted yet, "" if there is none.
	Unnoted string
	// Noted says that the claims of a driver's volumes were noted, which are not all there any more.
	Noted bool
	// InTheWay is the benchmark's own PersistentVolume of storage that is mounted as it is, if it has to go first.
	InTheWay *corev1.PersistentVolume
}

// ProvisionStep is what is to be done next to make a target's storage.
type ProvisionStep string

// The steps.
const (
	ReadAgain    ProvisionStep = "ReadAgain"    // nothing yet. What has no namespace has no owner: made for a benchmark that is gone, nobody would remove it again
	RefuseTaken  ProvisionStep = "RefuseTaken"  // nothing: what is somebody else's would be taken over, and deleted in the end
	ForgetClaims ProvisionStep = "ForgetClaims" // forget the claims that are gone, before others are made
	AwaitNote    ProvisionStep = "AwaitNote"    // nothing yet: a second operator notes the claims that it makes
	FreeVolume   ProvisionStep = "FreeVolume"   // delete the PersistentVolume that is in the way
	MakeObjects  ProvisionStep = "MakeObjects"  // make what is missing
)

// NextProvisionStep says what is to be done next to make a target's storage.
func NextProvisionStep(f ProvisionFacts) ProvisionStep {
	switch {
	case f.Stale:
		return ReadAgain
	case f.Taken != "":
		return RefuseTaken
	case f.Unnoted != "":
		return AwaitNote
	case f.Noted:
		return ForgetClaims
	case f.InTheWay != nil:
		return FreeVolume
	default:
		return MakeObjects
	}
}

// IsInTheWay says whether a PersistentVolume has to go before a claim can have one of its name. The claim's UID is "" if it is gone. Kubernetes binds
// a volume that a claim has had to no other one.
func IsInTheWay(volume *corev1.PersistentVolume, claim types.UID) bool {
	ref := volume.Spec.ClaimRef
	return !volume.DeletionTimestamp.IsZero() || (ref != nil && ref.UID != "" && ref.UID != claim)
}

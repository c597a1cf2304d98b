package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// TargetStatus is what was provisioned or found for a target.
type TargetStatus struct {
	// name is that of the target.
	// +required
	// +kubebuilder:validation:MaxLength=32
	Name string `json:"name"`

	// storageClassName is the StorageClass of the volume.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	StorageClassName string `json:"storageClassName,omitempty"`

	// driver is the CSI driver, or other provisioner, of the volume.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Driver string `json:"driver,omitempty"`

	// volumeMode says whether fio uses files in a file system (Filesystem) or the raw device (Block).
	// +optional
	// +kubebuilder:validation:Enum=Filesystem;Block
	VolumeMode corev1.PersistentVolumeMode `json:"volumeMode,omitempty"`

	// accessModes of the volume. One that only a single pod may have (ReadWriteOncePod) is not mounted by the anchor.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=4
	AccessModes []corev1.PersistentVolumeAccessMode `json:"accessModes,omitempty"`

	// claims are the PersistentVolumeClaims of the target: one that all clients share, or one for each client in their
	// order.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=128
	Claims []ClaimStatus `json:"claims,omitempty"`

	// runsBeforeNodeChange is how many of status.runs, from the first one on, had ended when a volume of the target was
	// first used from another node than before. Unset if all runs are from the same node.
	// +optional
	RunsBeforeNodeChange *int32 `json:"runsBeforeNodeChange,omitempty"`

	// volumes are what the claims are bound to.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=128
	Volumes []VolumeStatus `json:"volumes,omitempty"`

	// provisionedMilliseconds is how long the driver took to make the volume, by the operator's clock: from the creation of the
	// claim, or from when the node of its first pod was chosen if the volume is made for that, until the claim was bound. Of
	// several claims it is the longest. Unset where the volume is older than its claim, and where the operator did not see it.
	// +optional
	ProvisionedMilliseconds *int64 `json:"provisionedMilliseconds,omitempty"`

	// limits are what the storage can do at most; of several volumes, each of them. Results are judged by them. Unset
	// if none are known.
	// +optional
	Limits *KnownLimits `json:"limits,omitempty"`

	// clientLimits are what one node can do at most on its way to the storage. Results are judged by them as well.
	// Unset if none are known.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=2
	ClientLimits []KnownLimits `json:"clientLimits,omitempty"`

	// testFiles says what became of test files on storage that stays: a claim that existed, a file system, a bucket.
	// Unset as long as there are none.
	// +optional
	// +kubebuilder:validation:Enum=Present;Removed;LeftBehind
	TestFiles TestFilesState `json:"testFiles,omitempty"`

	// burstCredits are those of the volume, as far as they follow from what this benchmark has used; of several
	// volumes, the first client's.
	// +optional
	BurstCredits *BurstCredits `json:"burstCredits,omitempty"`
}

// ClaimStatus identifies a PersistentVolumeClaim.
type ClaimStatus struct {
	// name of the claim.
	// +required
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// uid of the claim. A claim with the same name and another UID is a different one. Unset until the claim exists.
	// +optional
	UID types.UID `json:"uid,omitempty"`
}

// TestFilesState says what became of test files.
type TestFilesState string

const (
	// TestFilesPresent is the state of files that may have been made.
	TestFilesPresent TestFilesState = "Present"
	// TestFilesRemoved is the state of files that were removed.
	TestFilesRemoved TestFilesState = "Removed"
	// TestFilesLeftBehind is the state of files that could not be removed in time.
	TestFilesLeftBehind TestFilesState = "LeftBehind"
)

// BurstCredits are what is left of a volume's burst credits. They are taken to have been full when the volume was made.
// What the runs have used and what came back since is counted; layout and other users are not.
type BurstCredits struct {
	// ios is how many I/Os can still be done beyond the baseline.
	// +optional
	IOs *int64 `json:"ios,omitempty"`

	// bytes is how many bytes can still be moved beyond the baseline.
	// +optional
	Bytes *int64 `json:"bytes,omitempty"`

	// leftPercent is how much is left, in percent of full credits.
	// +required
	LeftPercent int32 `json:"leftPercent"`

	// secondsToBaseline is how many seconds a run at the full rate must last, from full credits on, before the
	// baseline shows.
	// +optional
	SecondsToBaseline int64 `json:"secondsToBaseline,omitempty"`
}

// VolumeStatus is a volume and the node that it was measured from.
type VolumeStatus struct {
	// name of the PersistentVolume.
	// +required
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// handle identifies the volume for its CSI driver, such as vol-0123456789abcdef0.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Handle string `json:"handle,omitempty"`

	// node that the last run on this volume was made from.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Node string `json:"node,omitempty"`

	// zone of that node: its label topology.kubernetes.io/zone.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Zone string `json:"zone,omitempty"`

	// instanceType is the type of that node, such as m6i.large: its label node.kubernetes.io/instance-type.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	InstanceType string `json:"instanceType,omitempty"`
}

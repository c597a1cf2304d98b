package v1alpha1

import corev1 "k8s.io/api/core/v1"

// TargetStatus is what was provisioned or found for a target.
type TargetStatus struct {
	// Name of the target.
	// +required
	// +kubebuilder:validation:MaxLength=32
	Name string `json:"name"`

	// StorageClass of the volume.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	StorageClassName string `json:"storageClassName,omitempty"`

	// CSI driver, or other provisioner, of the volume.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Driver string `json:"driver,omitempty"`

	// Whether fio uses files in a file system or the raw device.
	// +optional
	// +kubebuilder:validation:Enum=Filesystem;Block
	VolumeMode corev1.PersistentVolumeMode `json:"volumeMode,omitempty"`

	// Access modes of the volume. One that only a single pod may have (ReadWriteOncePod) is not mounted by
	// the anchor.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=4
	AccessModes []corev1.PersistentVolumeAccessMode `json:"accessModes,omitempty"`

	// PersistentVolumeClaims of the target: one that all clients share, or one for each client in their order.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=128
	// +kubebuilder:validation:items:MaxLength=253
	Claims []string `json:"claims,omitempty"`

	// UID of the claim. Several claims have a hash of their UIDs. It changes when a claim is deleted and made again.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	ClaimsUID string `json:"claimsUID,omitempty"`

	// Number of status.runs, from the first one on, that had ended when a claim of the target was last replaced. Those of them that are on
	// this target were measured on another volume than later ones. Unset if no claim was replaced.
	// +optional
	RunsBeforeReplacement *int32 `json:"runsBeforeReplacement,omitempty"`

	// Volumes that the claims are bound to.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=128
	Volumes []VolumeStatus `json:"volumes,omitempty"`

	// Milliseconds from the creation of the claim until its volume was there, of several claims the most. Kubernetes notes
	// both in whole seconds, so it is off by less than 1,000 either way. A volume that is made for the node of its first
	// pod includes the wait for that node.
	// +optional
	ProvisionedMilliseconds *int64 `json:"provisionedMilliseconds,omitempty"`

	// What the storage can do at most; of several volumes, each of them. Results are judged by it.
	// +optional
	Limits *KnownLimits `json:"limits,omitempty"`

	// What one node can do at most on its way to the storage. Results are judged by it as well.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=2
	ClientLimits []KnownLimits `json:"clientLimits,omitempty"`

	// What became of test files on storage that stays: a claim that existed, a file system, a bucket. Unset as long
	// as there are none.
	// +optional
	// +kubebuilder:validation:Enum=Present;Removed;LeftBehind
	TestFiles TestFilesState `json:"testFiles,omitempty"`

	// Burst credits of the volume, of several the first client's, as far as they follow from what this benchmark
	// has used.
	// +optional
	BurstCredits *BurstCredits `json:"burstCredits,omitempty"`
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

// BurstCredits are what is left of a volume's burst credits: of a full bucket when the volume was made, after what
// the runs have used and what came back since. Layout and other users are not counted.
type BurstCredits struct {
	// I/Os that can still be done beyond the baseline.
	// +optional
	IOs *int64 `json:"ios,omitempty"`

	// Bytes that can still be moved beyond the baseline.
	// +optional
	Bytes *int64 `json:"bytes,omitempty"`

	// What is left, of all.
	LeftPercent int32 `json:"leftPercent"`

	// Seconds that a run at the full rate must last, from a full bucket, before the baseline shows.
	// +optional
	SecondsToBaseline int64 `json:"secondsToBaseline,omitempty"`
}

// VolumeStatus is a volume and the node that it was measured from.
type VolumeStatus struct {
	// Name of the PersistentVolume.
	// +required
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// Identity of the volume for its CSI driver, such as vol-0123456789abcdef0.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Handle string `json:"handle,omitempty"`

	// Node that the last run on this volume was made from.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Node string `json:"node,omitempty"`

	// Zone of that node (its label topology.kubernetes.io/zone).
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Zone string `json:"zone,omitempty"`

	// Type of that node (its label node.kubernetes.io/instance-type), such as m6i.large.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	InstanceType string `json:"instanceType,omitempty"`
}

package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Target is storage to measure: a new volume of a StorageClass, or a claim that exists.
//
// +kubebuilder:validation:XValidation:rule="[has(self.storageClassName), has(self.claimName)].filter(x, x).size() == 1",message="set exactly one of storageClassName (a new volume) and claimName (an existing PersistentVolumeClaim)",reason=FieldValueInvalid
// +kubebuilder:validation:XValidation:rule="!has(self.claimName) || !has(self.capacity)",message="capacity belongs to new volumes; remove it, the claim has its own",fieldPath=".capacity",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="!has(self.claimName) || !has(self.accessMode)",message="accessMode belongs to new volumes; remove it, the claim has its own",fieldPath=".accessMode",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="!has(self.claimName) || !has(self.volumeMode)",message="volumeMode belongs to new volumes; remove it, the claim has its own",fieldPath=".volumeMode",reason=FieldValueForbidden
type Target struct {
	// Name of the target in results. A DNS label of at most 32 characters, unique in the benchmark.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",message="name must be a DNS label: lower case letters, digits and -, beginning and ending with a letter or digit, such as gp3-xfs",reason=FieldValueInvalid
	Name string `json:"name"`

	// StorageClass of which a new volume is provisioned for this benchmark, and deleted after it.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	StorageClassName *string `json:"storageClassName,omitempty"`

	// PersistentVolumeClaim of the same namespace to measure on. Test files go into a directory of their
	// own, which is removed at the end; nothing else on the volume is touched. A claim with volumeMode
	// Block is only read.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	ClaimName *string `json:"claimName,omitempty"`

	// Size of the new volume, such as 30Gi. Default: 10Gi.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^[1-9][0-9]*([.][0-9]+)?([KMGTPE]i|[kMGTPE])?$')",message="capacity must be a quantity of bytes of at least 1, such as 500Mi or 30Gi",reason=FieldValueInvalid
	Capacity *resource.Quantity `json:"capacity,omitempty"`

	// Access mode of the new volume. Default: ReadWriteOnce.
	// +optional
	// +kubebuilder:validation:Enum=ReadWriteOnce;ReadWriteMany;ReadWriteOncePod
	AccessMode *corev1.PersistentVolumeAccessMode `json:"accessMode,omitempty"`

	// Whether fio uses files in a file system (Filesystem) or the raw device (Block). Default: Filesystem.
	// +optional
	// +kubebuilder:validation:Enum=Filesystem;Block
	VolumeMode *corev1.PersistentVolumeMode `json:"volumeMode,omitempty"`

	// What the storage can do at most, such as {iops: 3000, bytesPerSecond: 131072000} of a gp3 volume.
	// Results are judged by it: whether they reached a limit, or were held back by something else.
	// +optional
	Limits *Limits `json:"limits,omitempty"`
}

package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Target is storage to measure: a new volume, access to a file system or bucket, or a claim that exists.
//
// +kubebuilder:validation:XValidation:rule="[has(self.storageClassName), has(self.ebs), has(self.efs), has(self.s3), has(self.claimName)].filter(x, x).size() == 1",message="set exactly one of storageClassName (a new volume of a StorageClass), ebs (a new EBS volume), efs (an EFS file system), s3 (a bucket) and claimName (an existing PersistentVolumeClaim)",reason=FieldValueInvalid
// +kubebuilder:validation:XValidation:rule="!has(self.claimName) || !(has(self.capacity) || has(self.accessMode) || has(self.volumeMode))",message="capacity, accessMode and volumeMode belong to new volumes; remove them, the claim has its own",fieldPath=".claimName",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="!(has(self.efs) || has(self.s3)) || (!has(self.accessMode) || self.accessMode == 'ReadWriteMany') && (!has(self.volumeMode) || self.volumeMode == 'Filesystem')",message="EFS file systems and S3 buckets are shared, and have no raw block volumes; remove accessMode and volumeMode, or use ebs",reason=FieldValueInvalid
// +kubebuilder:validation:XValidation:rule="!has(self.ebs) || !has(self.accessMode) || self.accessMode != 'ReadWriteMany' || (self.ebs.type == 'io2' && has(self.volumeMode) && self.volumeMode == 'Block')",message="an EBS volume belongs to one node, except a raw block volume of type io2; remove accessMode, set type: io2 and volumeMode: Block, or use efs for storage that is shared",fieldPath=".accessMode",reason=FieldValueInvalid
// +kubebuilder:validation:XValidation:rule="!has(self.volumeMode) || self.volumeMode != 'Block' || !(has(self.freeSpaceReserve) || has(self.ebs) && has(self.ebs.fsType))",message="a raw block volume has no file system; remove fsType and freeSpaceReserve, or volumeMode",fieldPath=".volumeMode",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="!has(self.ebs) || [int((quantity(has(self.capacity) ? self.capacity : '10Gi').asApproximateFloat() + 1073741823.0) / 1073741824.0)].all(g, self.ebs.type in ['st1', 'sc1'] ? g >= 125 && g <= 16384 : self.ebs.type in ['io1', 'io2'] ? g >= 4 && g <= (self.ebs.type == 'io1' ? 16384 : 65536) : g <= {'gp3': 65536, 'gp2': 16384, 'standard': 1024}[self.ebs.type])",message="capacity is out of range",messageExpression="self.ebs.type in ['st1', 'sc1'] ? 'st1 and sc1 volumes have 125 to 16384 GiB; set capacity within' : self.ebs.type in ['io1', 'io2'] ? 'io1 volumes have 4 to 16384 GiB, io2 volumes 4 to 65536 GiB; set capacity within' : 'gp3 volumes have 1 to 65536 GiB, gp2 volumes 1 to 16384 GiB, standard volumes 1 to 1024 GiB; set capacity within'",fieldPath=".capacity",reason=FieldValueInvalid
// +kubebuilder:validation:XValidation:rule="!has(self.ebs) || [int((quantity(has(self.capacity) ? self.capacity : '10Gi').asApproximateFloat() + 1073741823.0) / 1073741824.0)].all(g, !has(self.ebs.iops) || (self.ebs.type == 'gp3' ? self.ebs.iops <= 3000 || self.ebs.iops <= 500 * g : self.ebs.type == 'io2' ? self.ebs.iops <= 1000 * g : self.ebs.type == 'io1' ? self.ebs.iops <= 50 * g : true))",message="iops is too much for the capacity",messageExpression="{'gp3': 'gp3 volumes have at most 500 IOPS for each GiB above 3000', 'io2': 'io2 volumes have at most 1000 IOPS for each GiB', 'io1': 'io1 volumes have at most 50 IOPS for each GiB'}[self.ebs.type] + '; raise capacity, or lower iops'",fieldPath=".ebs.iops",reason=FieldValueInvalid
// +kubebuilder:validation:XValidation:rule="!has(self.ebs) || !(self.ebs.type in ['io1', 'io2']) || has(self.ebs.iops) || has(self.ebs.iopsPerGB) || has(self.volumeAttributesClassName)",message="io1 and io2 volumes have the IOPS that are provisioned; set iops or iopsPerGB",fieldPath=".ebs.iops",reason=FieldValueRequired
// +kubebuilder:validation:XValidation:rule="has(self.storageClassName) || has(self.ebs) || !(has(self.volumeAttributesClassName) || has(self.dataSource))",message="a VolumeAttributesClass and a dataSource are for new volumes; remove volumeAttributesClassName and dataSource, or use storageClassName or ebs",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="!has(self.volumeAttributesClassName) || !has(self.ebs) || [has(self.ebs.iops), has(self.ebs.iopsPerGB), has(self.ebs.throughput)].all(x, !x)",message="iops and throughput come from the VolumeAttributesClass; remove them from ebs, or volumeAttributesClassName",fieldPath=".volumeAttributesClassName",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="!has(self.dataSource) || !(has(self.storageClassName) || has(self.ebs)) || (has(self.volumeMode) && self.volumeMode == 'Block')",message="test files in a file system are new blocks, so that nothing of the dataSource would be read; set volumeMode: Block, or remove dataSource",fieldPath=".volumeMode",reason=FieldValueInvalid
// +kubebuilder:validation:XValidation:rule="!has(self.precondition) || ((has(self.storageClassName) || has(self.ebs)) && !has(self.dataSource))",message="precondition writes all of a new volume without data: remove it, or use storageClassName or ebs without dataSource",fieldPath=".precondition",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="!has(self.precondition) || !has(self.volumeMode) || self.volumeMode != 'Block' || !has(self.accessMode) || self.accessMode != 'ReadWriteOncePod'",message="with ReadWriteOncePod the claim of a raw block volume could get another volume before the pod starts: set accessMode to ReadWriteOnce, or remove precondition",fieldPath=".precondition",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="(!has(self.limits) || !has(self.limits.scope) || self.limits.scope in ['Volume', 'FileSystem']) && (!has(self.clientLimits) || !has(self.clientLimits.scope) || self.clientLimits.scope in ['Client', 'Instance'])",message="scope of limits must be Volume or FileSystem, and scope of clientLimits Client or Instance",reason=FieldValueInvalid
type Target struct {
	// name of the target in results. A DNS label of at most 32 characters, unique in the benchmark.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",message="name must be a DNS label: lower case letters, digits and -, beginning and ending with a letter or digit, such as gp3-xfs",reason=FieldValueInvalid
	Name string `json:"name"`

	// storageClassName is the StorageClass of a new volume. The volume is provisioned for this benchmark and deleted
	// after it.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$')",message="storageClassName must be the name of a StorageClass: lower case letters, digits, - and .",reason=FieldValueInvalid
	StorageClassName *string `json:"storageClassName,omitempty"`

	// ebs is a new Amazon EBS volume. The aws-ebs-csi-driver makes it for this benchmark and deletes it after it.
	// +optional
	EBS *EBSVolume `json:"ebs,omitempty"`

	// efs is an Amazon EFS file system, mounted by the aws-efs-csi-driver.
	// +optional
	EFS *EFSFileSystem `json:"efs,omitempty"`

	// s3 is a bucket of Amazon S3 or of an S3-compatible store, mounted by the mountpoint-s3-csi-driver.
	// +optional
	S3 *S3Bucket `json:"s3,omitempty"`

	// claimName is a PersistentVolumeClaim of the same namespace to measure on. Test files go into a directory of
	// their own, which is removed at the end. Nothing else on the volume is touched. A claim with volumeMode Block is
	// only read.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$')",message="claimName must be the name of a PersistentVolumeClaim of the same namespace: lower case letters, digits, - and .",reason=FieldValueInvalid
	ClaimName *string `json:"claimName,omitempty"`

	// capacity is the size of the new volume, such as 30Gi; for efs and s3 it is how much the files of all clients may
	// take. The files of all workloads have to fit beside what the volume's file system needs for itself. Unset: 10Gi.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^[1-9][0-9]*([.][0-9]+)?([KMGTPE]i|[kMGTPE])?$')",message="capacity must be a quantity of bytes of at least 1, such as 500Mi or 30Gi",reason=FieldValueInvalid
	Capacity *resource.Quantity `json:"capacity,omitempty"`

	// freeSpaceReserve is how many bytes of the volume's file system stay free, such as 500Mi. From 0 on; the same
	// part of the inodes stays free as well. A run that needs more is refused, and fio is stopped when it comes to
	// the reserve. Unset: the larger of 1Gi and 10 % of the file system, where others may use it as well:
	// claimName, and new volumes that are no block device of their own, as on NFS or in a directory of the node.
	// On a new block device nothing stays free. Only users who may create pods in the namespace may set it.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^(0|[1-9][0-9]*([.][0-9]+)?([KMGTPE]i|[kMGTPE])?)$')",message="freeSpaceReserve must be a quantity of bytes, such as 0 or 500Mi",reason=FieldValueInvalid
	FreeSpaceReserve *resource.Quantity `json:"freeSpaceReserve,omitempty"`

	// volumeAttributesClassName is the VolumeAttributesClass of the new volume. The volume's performance comes from
	// it. Needs Kubernetes 1.34 or later.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$')",message="volumeAttributesClassName must be the name of a VolumeAttributesClass: lower case letters, digits, - and .",reason=FieldValueInvalid
	VolumeAttributesClassName *string `json:"volumeAttributesClassName,omitempty"`

	// accessMode of the new volume. For ebs, only raw block volumes of type io2 can be ReadWriteMany, for at most 16
	// instances of one zone. Unset: ReadWriteOnce; for efs and s3 ReadWriteMany.
	// +optional
	// +kubebuilder:validation:Enum=ReadWriteOnce;ReadWriteMany;ReadWriteOncePod
	AccessMode *corev1.PersistentVolumeAccessMode `json:"accessMode,omitempty"`

	// volumeMode says whether fio uses files in a file system (Filesystem) or the raw device (Block). Unset:
	// Filesystem.
	// +optional
	// +kubebuilder:validation:Enum=Filesystem;Block
	VolumeMode *corev1.PersistentVolumeMode `json:"volumeMode,omitempty"`

	// dataSource is what the new volume is made from: a VolumeSnapshot or PersistentVolumeClaim of the namespace. Needs
	// volumeMode Block. Nothing is laid out: a workload that only reads, reads what the source has. Blocks may be slow
	// until they were used once: warning FirstAccess. Unset: an empty volume.
	// +optional
	DataSource *DataSource `json:"dataSource,omitempty"`

	// precondition has the new volume written in full before it is measured, so that no first write of a block is. A raw block volume
	// has to be made for its claim, which is looked at before, and cannot have accessMode ReadWriteOncePod. Unset: it is not written.
	// +optional
	Precondition *Precondition `json:"precondition,omitempty"`

	// limits are what the storage can do at most, such as {iops: 3000, bytesPerSecond: 131072000} for a gp3 volume.
	// Results are judged by them: whether they reached a limit, or were held back by something else. If each client
	// has a volume of its own, they are those of one volume, unless scope is FileSystem. Unset: what AWS documents for
	// ebs, efs and StorageClasses of the aws-ebs-csi-driver.
	// +optional
	Limits *Limits `json:"limits,omitempty"`

	// clientLimits are what one node can do at most on its way to the storage. Unset: what AWS documents for the type
	// of the node's instance, and for one client of EFS.
	// +optional
	ClientLimits *Limits `json:"clientLimits,omitempty"`
}

// Precondition is how a new volume is written before it is measured: one block after the other. Of a raw block volume that is all of
// the device, in a file system all test files, when they are laid out.
type Precondition struct {
	// passes is how often all is written. 1 to 10. Unset: 2, as SNIA's Performance Test Specification has it.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10
	Passes *int32 `json:"passes,omitempty"`

	// bs is the size of the blocks that are written: a power of two from 4k to 1m. Files that are no whole blocks of this size are
	// written in smaller ones. Unset: 128k.
	// +optional
	// +kubebuilder:validation:Enum="4k";"8k";"16k";"32k";"64k";"128k";"256k";"512k";"1m"
	BS *string `json:"bs,omitempty"`
}

package v1alpha1

import "k8s.io/apimachinery/pkg/api/resource"

// EFSProvisioning says how an EFS file system is used.
//
// +kubebuilder:validation:Enum=Dynamic;Static
type EFSProvisioning string

const (
	// EFSDynamic has the driver make an access point for the benchmark, with a directory of its own.
	EFSDynamic EFSProvisioning = "Dynamic"
	// EFSStatic mounts the root of the file system, or an access point that exists.
	EFSStatic EFSProvisioning = "Static"
)

// EFSThroughputMode is a throughput mode of EFS file systems.
//
// +kubebuilder:validation:Enum=Bursting;Elastic;Provisioned
type EFSThroughputMode string

const (
	// EFSBursting is the mode in which throughput follows from how much is stored, with credits to burst.
	EFSBursting EFSThroughputMode = "Bursting"
	// EFSElastic is the mode in which throughput follows the load, and is billed by it.
	EFSElastic EFSThroughputMode = "Elastic"
	// EFSProvisioned is the mode in which throughput is what provisionedThroughput says.
	EFSProvisioned EFSThroughputMode = "Provisioned"
)

// EFSPerformanceMode is a performance mode of EFS file systems.
//
// +kubebuilder:validation:Enum=GeneralPurpose;MaxIO
type EFSPerformanceMode string

const (
	// EFSGeneralPurpose has the lowest latency, and AWS documents its limits.
	EFSGeneralPurpose EFSPerformanceMode = "GeneralPurpose"
	// EFSMaxIO has more operations per second and a higher latency. AWS documents figures for neither.
	EFSMaxIO EFSPerformanceMode = "MaxIO"
)

// EFSFileSystemType says in how many zones an EFS file system is kept.
//
// +kubebuilder:validation:Enum=Regional;OneZone
type EFSFileSystemType string

const (
	// EFSRegional is the type that is kept in several zones.
	EFSRegional EFSFileSystemType = "Regional"
	// EFSOneZone is the type that is kept in one zone, and has lower limits.
	EFSOneZone EFSFileSystemType = "OneZone"
)

// EFSFileSystem is an Amazon EFS file system that exists, mounted by the aws-efs-csi-driver. The benchmark's files
// go into a directory of their own, which is removed at the end. The clients of a benchmark share one volume.
//
// +kubebuilder:validation:XValidation:rule="!has(self.accessPointID) || (has(self.provisioning) && self.provisioning == 'Static')",message="accessPointID names an access point that exists; set provisioning: Static, or remove it to have one made",fieldPath=".accessPointID",reason=FieldValueInvalid
// +kubebuilder:validation:XValidation:rule="!has(self.provisioning) || self.provisioning != 'Static' || [has(self.directoryPerms), has(self.uid), has(self.gid), has(self.gidRangeStart), has(self.gidRangeEnd), has(self.basePath)].all(x, !x)",message="directoryPerms, uid, gid, gidRangeStart, gidRangeEnd and basePath are of access points that are made; remove them, or provisioning: Static",fieldPath=".provisioning",reason=FieldValueInvalid
// +kubebuilder:validation:XValidation:rule="has(self.uid) == has(self.gid) && has(self.gidRangeStart) == has(self.gidRangeEnd) && (!has(self.gidRangeStart) || !has(self.gidRangeEnd) || self.gidRangeStart < self.gidRangeEnd)",message="uid and gid go together",messageExpression="has(self.uid) != has(self.gid) ? 'set both uid and gid, or neither' : has(self.gidRangeStart) != has(self.gidRangeEnd) ? 'set both gidRangeStart and gidRangeEnd, or neither' : 'gidRangeEnd must be greater than gidRangeStart'",reason=FieldValueInvalid
// +kubebuilder:validation:XValidation:rule="has(self.provisionedThroughput) == (has(self.throughputMode) && self.throughputMode == 'Provisioned')",message="provisionedThroughput goes with throughputMode: Provisioned; set both, or neither",fieldPath=".provisionedThroughput",reason=FieldValueInvalid
// +kubebuilder:validation:XValidation:rule="!has(self.encryptInTransit) || self.encryptInTransit || (has(self.provisioning) && self.provisioning == 'Static' && !has(self.accessPointID))",message="access points are always reached with TLS; remove encryptInTransit, or mount the root of the file system (provisioning: Static without accessPointID)",fieldPath=".encryptInTransit",reason=FieldValueInvalid
type EFSFileSystem struct {
	// fileSystemID identifies the file system, such as fs-0123456789abcdef0.
	// +required
	// +kubebuilder:validation:MaxLength=43
	// +kubebuilder:validation:XValidation:rule="self.matches('^fs-[0-9a-f]{8,40}$')",message="fileSystemID must be that of an EFS file system, such as fs-0123456789abcdef0",reason=FieldValueInvalid
	FileSystemID string `json:"fileSystemID"`

	// provisioning says how the file system is mounted. Dynamic has an access point made for the benchmark and deleted
	// after it. Static mounts the access point of accessPointID, or the root of the file system if that is unset. At
	// the root, the pods' user needs the right to make a directory. Unset: Dynamic.
	// +optional
	Provisioning *EFSProvisioning `json:"provisioning,omitempty"`

	// accessPointID identifies an access point that exists, such as fsap-0123456789abcdef0.
	// +optional
	// +kubebuilder:validation:MaxLength=45
	// +kubebuilder:validation:XValidation:rule="self.matches('^fsap-[0-9a-f]{8,40}$')",message="accessPointID must be that of an EFS access point, such as fsap-0123456789abcdef0",reason=FieldValueInvalid
	AccessPointID *string `json:"accessPointID,omitempty"`

	// directoryPerms are the permissions of the new access point's directory, three or four octal digits. Unset: 700.
	// +optional
	// +kubebuilder:validation:MaxLength=4
	// +kubebuilder:validation:XValidation:rule="self.matches('^[0-7]{3,4}$')",message="directoryPerms must be three or four octal digits, such as 700",reason=FieldValueInvalid
	DirectoryPerms *string `json:"directoryPerms,omitempty"`

	// uid is the user as whom the new access point makes all access. At least 0. Unset, together with gid: a number
	// from the range of groups, for both.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=4294967295
	UID *int64 `json:"uid,omitempty"`

	// gid is the group as which the new access point makes all access. At least 0. Set both uid and gid, or neither.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=4294967295
	GID *int64 `json:"gid,omitempty"`

	// gidRangeStart is the first number of the range of groups. At least 1. Unset: the driver's default, 50000.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=4294967295
	GIDRangeStart *int64 `json:"gidRangeStart,omitempty"`

	// gidRangeEnd is the last number of the range of groups. More than gidRangeStart. Unset: the driver's default,
	// 7000000.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=4294967295
	GIDRangeEnd *int64 `json:"gidRangeEnd,omitempty"`

	// basePath is the directory of the file system in which the new access point's directory is made: at most 3
	// directories, because EFS takes 4 with the access point's own. None begins with a dot or has one of the
	// characters $#<>;`|&?{}^* in it. Unset: the root.
	// +optional
	// +kubebuilder:validation:MaxLength=59
	// +kubebuilder:validation:XValidation:rule="self.matches('^(/[^/.$#<>;`|&?{}^*\\\\n][^/$#<>;`|&?{}^*\\\\n]*){1,3}$')",message="basePath must be a path of at most 3 directories from the root of the file system, without / at its end, none of which begins with a dot or has one of $#<>;`|&?{}^* in it, such as /benchmarks",reason=FieldValueInvalid
	BasePath *string `json:"basePath,omitempty"`

	// fileSystemType is the file system's type, Regional or OneZone. Kubernetes cannot find it out. With
	// throughputMode its limits follow from it. An access point of a OneZone file system is mounted only on nodes
	// of its zone (enforceZoneAffinity). Unset: Regional.
	// +optional
	FileSystemType *EFSFileSystemType `json:"fileSystemType,omitempty"`

	// performanceMode is the file system's performance mode. Kubernetes cannot find it out. With MaxIO the limits of I/Os
	// per second and the typical latency are unknown. Unset: GeneralPurpose.
	// +optional
	PerformanceMode *EFSPerformanceMode `json:"performanceMode,omitempty"`

	// throughputMode is the file system's throughput mode. Its limits follow from it, and Kubernetes cannot find it
	// out. Unset: limits are unknown.
	// +optional
	ThroughputMode *EFSThroughputMode `json:"throughputMode,omitempty"`

	// provisionedThroughput is the throughput in MiB/s of a file system with throughputMode Provisioned. 1 to 3414.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=3414
	ProvisionedThroughput *int32 `json:"provisionedThroughput,omitempty"`

	// meteredSize is how much the file system stores, such as 2Ti. With throughputMode Bursting the throughput follows
	// from it. Unset: 0, an empty file system.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^(0|[1-9][0-9]*([.][0-9]+)?([KMGTPE]i|[kMGTPE])?)$')",message="meteredSize must be a quantity of bytes, such as 500Gi",reason=FieldValueInvalid
	MeteredSize *resource.Quantity `json:"meteredSize,omitempty"`

	// encryptInTransit says whether traffic is encrypted with TLS. Through an access point it always is. Unset: the
	// driver's default, true.
	// +optional
	EncryptInTransit *bool `json:"encryptInTransit,omitempty"`

	// mountOptions are further options of the mount, such as iam.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=128
	// +kubebuilder:validation:XValidation:rule="self.all(o, !(o in ['tls', 'notls', 'ro', 'crossaccount'] || o.startsWith('accesspoint=')))",message="the operator sets some options itself",messageExpression="self.exists(o, o.startsWith('accesspoint=')) ? 'set provisioning: Static and accessPointID instead of accesspoint' : 'tls is the default (see encryptInTransit), the file system must be writable, and crossaccount is no mount option; remove tls, notls, ro and crossaccount'",reason=FieldValueForbidden
	// +kubebuilder:validation:XValidation:rule="self.all(o, !o.contains(',') && !o.matches('\\\\s'))",message="write each option as an item of its own, without commas and blanks",reason=FieldValueInvalid
	MountOptions []string `json:"mountOptions,omitempty"`
}

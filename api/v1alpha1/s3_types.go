package v1alpha1

import "k8s.io/apimachinery/pkg/api/resource"

// S3AuthenticationSource says whose credentials the mountpoint-s3-csi-driver uses, under the driver's names.
//
// +kubebuilder:validation:Enum=driver;pod
type S3AuthenticationSource string

// S3Bucket is a bucket of Amazon S3 that exists, mounted by the mountpoint-s3-csi-driver. The benchmark's objects
// have a prefix of their own and are deleted at the end. No other object is touched.
//
// Files on such a mount are written once, from beginning to end, by one writer. Other workloads are refused.
type S3Bucket struct {
	// bucket is the name of the bucket, or the ARN or alias of an access point.
	// +required
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule="self.matches('^([a-z0-9][a-z0-9.-]{1,61}[a-z0-9]|arn:aws[a-z-]*:s3(-outposts|-object-lambda)?:[a-z0-9-]*:[0-9]{12}:(accesspoint|outpost)[/:][a-zA-Z0-9:/._-]+)$') && (self.startsWith('arn:') ? size(self) <= 128 : !self.contains('..') && !self.matches('^([0-9]+[.]){3}[0-9]+$'))",message="bucket must be the name of a bucket (3 to 63 lower case letters, digits, dots and -, no two dots in a row and no IP address, without s3:// and without a prefix) or the ARN of an access point",reason=FieldValueInvalid
	Bucket string `json:"bucket"`

	// prefix is put before the keys of the benchmark's objects, such as benchmarks/. The operator adds one that no
	// other benchmark has. Unset: only that one.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Za-z0-9!_.*()-][A-Za-z0-9!_.*()/-]*/$') && !self.contains('//') && !self.contains('..')",message="prefix must be letters, digits and !_.*()-/ that begin with no / and end with one, such as benchmarks/",reason=FieldValueInvalid
	Prefix *string `json:"prefix,omitempty"`

	// region of the bucket. Unset: that of the node.
	// +optional
	// +kubebuilder:validation:MaxLength=50
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]+(-[a-z0-9]+)*$')",message="region must be the name of a region, such as eu-central-1",reason=FieldValueInvalid
	Region *string `json:"region,omitempty"`

	// endpointURL is the URL of an S3-compatible store. Unset: Amazon S3.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="self.matches('^https?://[^ ,]+$')",message="endpointURL must begin with https:// or http://, such as https://minio.example.com:9000",reason=FieldValueInvalid
	EndpointURL *string `json:"endpointURL,omitempty"`

	// forcePathStyle says whether URLs have the bucket in their path instead of in their host name. Some S3-compatible
	// stores need that. Unset: false.
	// +optional
	ForcePathStyle *bool `json:"forcePathStyle,omitempty"`

	// authenticationSource says whose credentials are used: those of the driver (driver), or those of the service
	// account of the pods, spec.pod.serviceAccountName (pod). Unset: the driver's default, driver.
	// +optional
	AuthenticationSource *S3AuthenticationSource `json:"authenticationSource,omitempty"`

	// stsRegion is the region of the STS endpoint for authenticationSource pod. Unset: region, or that of the node.
	// +optional
	// +kubebuilder:validation:MaxLength=50
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]+(-[a-z0-9]+)*$')",message="stsRegion must be the name of a region, such as eu-central-1",reason=FieldValueInvalid
	STSRegion *string `json:"stsRegion,omitempty"`

	// cache keeps on the node what was read. Unset: none, so that reads reach S3.
	// +optional
	Cache *S3Cache `json:"cache,omitempty"`

	// mountOptions are further options of Mountpoint, such as "max-threads 32". Name and value have a blank between
	// them. Values that Mountpoint sends to S3 (storage-class, sse, sse-kms-key-id, expected-bucket-owner) have to be
	// those that S3 takes.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=128
	// +kubebuilder:validation:XValidation:rule="self.all(o, !o.matches('^(--)?(prefix|region|endpoint-url|force-path-style|cache)([ =].*)?$') && !o.matches('^(--)?(read-only|allow-delete|allow-other|allow-root|uid|gid|auto-unmount|foreground|help|version|log-directory|profile|user-agent-prefix|fstab-options)([ =].*)?$') && !o.matches('^-[a-zA-Z]'))",message="the operator sets some options itself",messageExpression="self.exists(o, o.matches('^(--)?(prefix|region|endpoint-url|force-path-style|cache)([ =].*)?$')) ? 'prefix, region, endpoint-url, force-path-style and cache have fields of their own (prefix, region, endpointURL, forcePathStyle, cache)' : 'the operator or the driver sets read-only, allow-delete, allow-other, allow-root, uid, gid, auto-unmount, foreground, log-directory, profile, user-agent-prefix and all options of one letter; remove them'",reason=FieldValueForbidden
	// +kubebuilder:validation:XValidation:rule="self.all(o, o.matches('^((--)?[a-z]|-[a-zA-Z])[ -+.-~-]*$'))",message="write each option as an item of its own, in one line of printable ASCII characters without commas, and begin it with its name, with or without --",reason=FieldValueInvalid
	MountOptions []string `json:"mountOptions,omitempty"`
}

// S3Cache is where Mountpoint keeps what it has read.
//
// +kubebuilder:validation:XValidation:rule="[has(self.emptyDir), has(self.ephemeral)].filter(x, x).size() == 1",message="set exactly one of emptyDir and ephemeral",reason=FieldValueInvalid
type S3Cache struct {
	// emptyDir keeps the cache on the node's disk or in its memory.
	// +optional
	EmptyDir *S3EmptyDirCache `json:"emptyDir,omitempty"`

	// ephemeral keeps the cache on a volume that is made for it.
	// +optional
	Ephemeral *S3EphemeralCache `json:"ephemeral,omitempty"`
}

// S3EmptyDirCache is a cache on the node.
type S3EmptyDirCache struct {
	// sizeLimit is the most bytes of the cache, such as 10Gi.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^[1-9][0-9]*([.][0-9]+)?([KMGTPE]i|[kMGTPE])?$')",message="sizeLimit must be a quantity of bytes of at least 1, such as 10Gi",reason=FieldValueInvalid
	SizeLimit *resource.Quantity `json:"sizeLimit,omitempty"`

	// medium Memory keeps the cache in memory. Unset: on the node's disk.
	// +optional
	// +kubebuilder:validation:Enum=Memory
	Medium *string `json:"medium,omitempty"`
}

// S3EphemeralCache is a cache on a volume of its own.
type S3EphemeralCache struct {
	// storageClassName is the StorageClass of the volume.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	StorageClassName string `json:"storageClassName"`

	// storageRequest is the size of the volume, such as 100Gi.
	// +required
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^[1-9][0-9]*([.][0-9]+)?([KMGTPE]i|[kMGTPE])?$')",message="storageRequest must be a quantity of bytes of at least 1, such as 100Gi",reason=FieldValueInvalid
	StorageRequest resource.Quantity `json:"storageRequest"`
}

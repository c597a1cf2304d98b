package v1alpha1

// EBSVolumeType is a type of Amazon EBS volumes, under AWS's name.
//
// +kubebuilder:validation:Enum=gp3;gp2;io2;io1;st1;sc1;standard
type EBSVolumeType string

// EBSVolume is a new Amazon EBS volume, which the aws-ebs-csi-driver makes and deletes. Its figures have to be within
// AWS's limits (https://docs.aws.amazon.com/ebs/latest/userguide/ebs-volume-types.html).
//
// +kubebuilder:validation:XValidation:rule="!has(self.iops) || !has(self.iopsPerGB)",message="set iops or iopsPerGB, not both",fieldPath=".iopsPerGB",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="!(has(self.iops) || has(self.iopsPerGB)) || self.type in ['gp3', 'io1', 'io2']",message="only gp3, io1 and io2 volumes take iops and iopsPerGB; those of gp2, st1, sc1 and standard follow from their size: remove them, or use gp3",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="!has(self.iops) || (self.type == 'gp3' ? self.iops >= 3000 && self.iops <= 80000 : self.type == 'io2' ? self.iops >= 100 && self.iops <= 256000 : self.type == 'io1' ? self.iops >= 100 && self.iops <= 64000 : true)",message="iops is out of range",messageExpression="{'gp3': 'gp3 volumes have 3000 to 80000 IOPS; set iops within, or remove it for 3000', 'io2': 'io2 volumes have 100 to 256000 IOPS; set iops within', 'io1': 'io1 volumes have 100 to 64000 IOPS; set iops within, or use io2'}[self.type]",fieldPath=".iops",reason=FieldValueInvalid
// +kubebuilder:validation:XValidation:rule="!has(self.throughput) || self.type == 'gp3' && self.throughput >= 125 && self.throughput <= 2000 && (has(self.iopsPerGB) || 4 * self.throughput <= (has(self.iops) ? self.iops : 3000))",message="throughput is out of range",messageExpression="self.type != 'gp3' ? 'only gp3 volumes take throughput; that of other types follows from their size or IOPS: remove it, or use gp3' : self.throughput < 125 || self.throughput > 2000 ? 'gp3 volumes have 125 to 2000 MiB/s; set throughput within, or remove it for 125' : 'gp3 volumes have at most 0.25 MiB/s for each of their IOPS (3000 if iops is not set); raise iops to four times throughput, or lower throughput'",fieldPath=".throughput",reason=FieldValueInvalid
// +kubebuilder:validation:XValidation:rule="!has(self.kmsKeyID) || (has(self.encrypted) && self.encrypted)",message="a key is for encrypted volumes; set encrypted: true, or remove kmsKeyID",fieldPath=".kmsKeyID",reason=FieldValueInvalid
type EBSVolume struct {
	// type of the volume. Default: gp3.
	// +optional
	// +kubebuilder:default=gp3
	Type EBSVolumeType `json:"type,omitempty"`

	// iops is the I/Os per second to provision. gp3: 3000 to 80000, at most 500 for each GiB; unset: 3000. io2: 100 to
	// 256000, at most 1000 for each GiB. io1: 100 to 64000, at most 50 for each GiB. io1 and io2 need iops or
	// iopsPerGB. Other types have none.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=2147483647
	IOPS *int32 `json:"iops,omitempty"`

	// iopsPerGB is the I/Os per second to provision for each GiB of the volume. It takes the place of iops. At least
	// 1.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=2147483647
	IOPSPerGB *int32 `json:"iopsPerGB,omitempty"`

	// throughput of a gp3 volume in MiB/s. 125 to 2000, at most 0.25 for each of its IOPS. Unset: 125. Other types
	// have none.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=2147483647
	Throughput *int32 `json:"throughput,omitempty"`

	// encrypted says whether the volume is encrypted. Unset: as the account has it set for the region.
	// +optional
	Encrypted *bool `json:"encrypted,omitempty"`

	// kmsKeyID is the ARN of the key of an encrypted volume, or of an alias of it. Unset: the account's key for EBS.
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="self.matches('^arn:aws[a-zA-Z0-9-]*:kms:[a-z0-9-]+:[0-9]{12}:(key/[a-zA-Z0-9-]+|alias/[a-zA-Z0-9/_-]+)$')",message="kmsKeyID must be the ARN of a key or of an alias, such as arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab",reason=FieldValueInvalid
	KMSKeyID *string `json:"kmsKeyID,omitempty"`

	// fsType is the file system of the volume. Unset: the driver's default, ext4.
	// +optional
	// +kubebuilder:validation:Enum=ext3;ext4;xfs
	FSType *string `json:"fsType,omitempty"`

	// tags of the volume, such as those by which cost is allocated.
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) >= 1 && size(k) <= 128 && !k.contains('=') && !k.lowerAscii().startsWith('aws:') && !k.startsWith('kubernetes.io') && !k.startsWith('ebs.csi.aws.com/') && !(k in ['CSIVolumeName', 'CSIVolumeSnapshotName']))",message="the key of a tag has 1 to 128 characters, no = and does not begin with aws: in any case, kubernetes.io or ebs.csi.aws.com/, nor is it CSIVolumeName or CSIVolumeSnapshotName, which AWS and the driver set; choose another one",reason=FieldValueInvalid
	Tags map[string]TagValue `json:"tags,omitempty"`
}

// TagValue is the value of a tag of AWS. aws-ebs-csi-driver takes values as templates, which are refused here: a wrong one would keep the volume
// from being made (https://github.com/kubernetes-sigs/aws-ebs-csi-driver/blob/v1.64.0/docs/tagging.md).
//
// +kubebuilder:validation:XValidation:rule="!self.contains('{{')",message="the driver takes the value of a tag as a template, in which {{ begins an action; write the value without {{",reason=FieldValueInvalid
// +kubebuilder:validation:MaxLength=256
type TagValue string

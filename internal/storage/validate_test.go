package storage

import (
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// What a kind of storage cannot have is refused without an API server too: it would be made, and no pod could start.
func TestVolumesThatCannotBe(t *testing.T) {
	class := v1alpha1.Target{StorageClassName: new("fast")}
	claim := v1alpha1.Target{ClaimName: new("data")}
	efs := v1alpha1.Target{EFS: &v1alpha1.EFSFileSystem{FileSystemID: "fs-01234567"}}
	ebs := v1alpha1.Target{EBS: &v1alpha1.EBSVolume{Type: "gp3"}}
	capacity := new(resource.MustParse("30Gi"))
	from := func(mode corev1.PersistentVolumeMode, kind v1alpha1.DataSourceKind, group *string, name string) func(*v1alpha1.Target) {
		return func(t *v1alpha1.Target) {
			t.VolumeMode, t.DataSource = &mode, &v1alpha1.DataSource{APIGroup: group, Kind: kind, Name: name}
		}
	}
	bucket := v1alpha1.Target{S3: &v1alpha1.S3Bucket{Bucket: "my-bucket"}}
	s3Options := func(options ...string) func(*v1alpha1.Target) {
		return func(t *v1alpha1.Target) { t.S3 = &v1alpha1.S3Bucket{Bucket: "my-bucket", MountOptions: options} }
	}
	tag := func(key string, value v1alpha1.TagValue) func(*v1alpha1.Target) {
		return func(t *v1alpha1.Target) { t.EBS.Tags = map[string]v1alpha1.TagValue{key: value} }
	}
	const block, snapshot, source = corev1.PersistentVolumeBlock, v1alpha1.DataSourceSnapshot, v1alpha1.DataSourceClaim
	group := new(v1alpha1.SnapshotGroup)
	for _, test := range []struct {
		name   string
		target v1alpha1.Target
		change func(*v1alpha1.Target)
		want   string // "" if it can be
	}{
		{"class", class, func(t *v1alpha1.Target) { t.Capacity, t.AccessMode = capacity, new(corev1.ReadWriteOncePod) }, ""},
		{"shared file system", efs, func(t *v1alpha1.Target) { t.AccessMode = new(corev1.ReadWriteMany) }, ""},
		{"raw block volume", ebs, func(t *v1alpha1.Target) { t.VolumeMode = new(corev1.PersistentVolumeBlock) }, ""},
		{"unknown access", class, func(t *v1alpha1.Target) { t.AccessMode = new(corev1.PersistentVolumeAccessMode("")) }, "t.accessMode: Unsupported value"},
		{"unknown mode", class, func(t *v1alpha1.Target) { t.VolumeMode = new(corev1.PersistentVolumeMode("Raw")) }, "t.volumeMode: Unsupported value"},
		{"no capacity", class, func(t *v1alpha1.Target) { t.Capacity = new(resource.MustParse("0")) }, "t.capacity: Invalid value: \"0\": give at least 1"},
		{"claim's capacity", claim, func(t *v1alpha1.Target) { t.Capacity = capacity }, "t.capacity: Forbidden"},
		{"claim's access", claim, func(t *v1alpha1.Target) { t.AccessMode = new(corev1.ReadWriteOnce) }, "t.accessMode: Forbidden"},
		{"claim's mode", claim, func(t *v1alpha1.Target) { t.VolumeMode = new(corev1.PersistentVolumeBlock) }, "t.volumeMode: Forbidden"},
		{"claim's attributes", claim, func(t *v1alpha1.Target) { t.VolumeAttributesClassName = new("fast") }, "t.volumeAttributesClassName: Forbidden"},
		{"file system of one node", efs, func(t *v1alpha1.Target) { t.AccessMode = new(corev1.ReadWriteOnce) }, "set ReadWriteMany"},
		{"raw file system", efs, func(t *v1alpha1.Target) { t.VolumeMode = new(corev1.PersistentVolumeBlock) }, "use ebs"},
		{"shared EBS volume", ebs, func(t *v1alpha1.Target) { t.AccessMode = new(corev1.ReadWriteMany) }, "use efs"},
		{"from a snapshot", ebs, from(block, snapshot, group, "db"), ""},
		{"from a claim", class, from(block, source, nil, "db.0"), ""},
		{"from a claim of the empty group", class, from(block, source, new(""), "db"), ""},
		{"a claim from a snapshot", claim, func(t *v1alpha1.Target) {
			t.DataSource = &v1alpha1.DataSource{APIGroup: group, Kind: snapshot, Name: "db"}
		}, "t.dataSource: Forbidden"},
		{"a file system of AWS from a snapshot", efs, func(t *v1alpha1.Target) {
			t.DataSource = &v1alpha1.DataSource{APIGroup: group, Kind: snapshot, Name: "db"}
		}, "t.dataSource: Forbidden"},
		{"files from a snapshot", ebs, from(corev1.PersistentVolumeFilesystem, snapshot, group, "db"), "t.volumeMode: Invalid value: \"Filesystem\": test files in a file system are new blocks"},
		{"files by default", ebs, func(t *v1alpha1.Target) {
			t.DataSource = &v1alpha1.DataSource{APIGroup: group, Kind: snapshot, Name: "db"}
		}, "t.volumeMode: Invalid value"},
		{"from something else", ebs, from(block, "Populator", new("example.com"), "db"), "t.dataSource.kind: Unsupported value"},
		{"from a snapshot of no group", ebs, from(block, snapshot, nil, "db"), "t.dataSource.apiGroup: Invalid value: \"\": VolumeSnapshots are of another group"},
		{"from a snapshot of another group", ebs, from(block, snapshot, new("example.com"), "db"), "t.dataSource.apiGroup: Invalid value: \"example.com\""},
		{"from a claim of another group", ebs, from(block, source, group, "db"), "PersistentVolumeClaims are of no group"},
		{"from nothing", ebs, from(block, source, nil, ""), "t.dataSource.name: Invalid value"},
		{"from another namespace", ebs, from(block, source, nil, "other/db"), "t.dataSource.name: Invalid value"},
		{"raw block volume with a file system", ebs, func(t *v1alpha1.Target) {
			t.VolumeMode, t.EBS.FSType = new(corev1.PersistentVolumeBlock), new("xfs")
		}, "t.ebs.fsType: Forbidden: a raw block volume has no file system"},
		{"encrypted with a key", ebs, func(t *v1alpha1.Target) {
			t.EBS.KMSKeyID, t.EBS.Encrypted = new("arn:aws:kms:eu-west-1:111122223333:key/2"), new(true)
		}, ""},
		{"a key of nothing", ebs, func(t *v1alpha1.Target) { t.EBS.KMSKeyID = new("arn:aws:kms:eu-west-1:111122223333:key/2") }, "t.ebs.kmsKeyID: Invalid value: \"arn:aws:kms:eu-west-1:111122223333:key/2\": a key is for encrypted volumes"},
		{"a key by its alias", ebs, func(t *v1alpha1.Target) { t.EBS.KMSKeyID, t.EBS.Encrypted = new("alias/mine"), new(true) }, "t.ebs.kmsKeyID: Invalid value: \"alias/mine\": set the ARN of a key"},
		{"a long key", ebs, func(t *v1alpha1.Target) {
			t.EBS.KMSKeyID, t.EBS.Encrypted = new("arn:aws:kms:eu-west-1:111122223333:key/"+strings.Repeat("x", 2048)), new(true)
		}, "t.ebs.kmsKeyID: Too long"},
		{"a key of another service", ebs, func(t *v1alpha1.Target) {
			t.EBS.KMSKeyID, t.EBS.Encrypted = new("arn:aws:s3:::my-bucket"), new(true)
		}, "t.ebs.kmsKeyID: Invalid value"},
		{"values that S3 takes", bucket, s3Options("storage-class STANDARD_IA", "--sse=aws:kms", "expected-bucket-owner 111122223333"), ""},
		{"a storage class without a name", bucket, s3Options("max-threads 32", "storage-class"),
			"t.s3.mountOptions[1]: Invalid value: \"storage-class\": S3 does not take this value: name a storage class"},
		{"objects that cannot be read at once", bucket, s3Options("storage-class GLACIER"), "such as STANDARD_IA"},
		{"a key that is no ARN", bucket, s3Options("sse-kms-key-id=alias/mine"), "set the ARN of a key"},
		{"an owner by name", bucket, s3Options("--expected-bucket-owner me"), "set the 12 digits of an account"},
		{"a storage class of another store", bucket, func(t *v1alpha1.Target) {
			s3Options("storage-class COLD")(t)
			t.S3.EndpointURL = new("https://minio.example.com")
		}, ""},
		{"tags", ebs, tag(strings.Repeat("ä", 128), v1alpha1.TagValue(strings.Repeat("ä", 256))), ""},
		{"a tag without a name", ebs, tag("", "v"), "has 1 to 128 characters"},
		{"a tag with a long name", ebs, tag(strings.Repeat("ä", 129), "v"), "has 1 to 128 characters"},
		{"a tag with =", ebs, tag("a=b", "v"), "has no ="},
		{"a tag of AWS", ebs, tag("aws:x", "v"), "t.ebs.tags: Invalid value: \"aws:x\": AWS or the driver sets this tag"},
		{"a tag of AWS in capitals", ebs, tag("AWS:x", "v"), "t.ebs.tags: Invalid value: \"AWS:x\": AWS or the driver sets this tag"},
		{"a tag of Kubernetes", ebs, tag("kubernetes.io", "v"), "sets this tag"},
		{"a tag of the driver", ebs, tag("ebs.csi.aws.com/cluster-name", "v"), "sets this tag"},
		{"a tag of a name of the driver", ebs, tag("CSIVolumeName", "v"), "sets this tag"},
		{"a tag like that of the driver", ebs, tag("ebs.csi.aws.community", "v"), ""},
		{"a tag with a long value", ebs, tag("a", v1alpha1.TagValue(strings.Repeat("ä", 257))), "t.ebs.tags[a]: Too long"},
		{"a tag that is a template", ebs, tag("a", "{{ .PVCName }}"), "t.ebs.tags[a]: Invalid value: \"{{ .PVCName }}\": the driver takes the value of a tag as a template"},
		{"many tags", ebs, func(t *v1alpha1.Target) {
			t.EBS.Tags = map[string]v1alpha1.TagValue{}
			for i := range 33 {
				t.EBS.Tags[strconv.Itoa(i)] = ""
			}
		}, "t.ebs.tags: Too many: 33: must have at most 32 items"},
		{"figures beside attributes", ebs, func(t *v1alpha1.Target) { t.EBS.IOPSPerGB, t.VolumeAttributesClassName = new(int32(50)), new("fast") }, "t.volumeAttributesClassName: Forbidden: iops and throughput come from it"},
		{"size of a volume with attributes", ebs, func(t *v1alpha1.Target) { t.EBS.Type, t.VolumeAttributesClassName = "st1", new("fast") }, "t.capacity: Invalid value: \"10Gi\""},
	} {
		t.Run(test.name, func(t *testing.T) {
			target := *test.target.DeepCopy()
			test.change(&target)
			errs := Validate(field.NewPath("t"), &target, KindOf(&target, ""))
			if test.want == "" && len(errs) > 0 || test.want != "" && (len(errs) != 1 || !strings.Contains(errs[0].Error(), test.want)) {
				t.Errorf("errors %v, want one with %q", errs, test.want)
			}
		})
	}
}

// What storage cannot have is refused of a StorageClass as of a target of its own, as the driver decides.
func TestVolumesThatDriversCannotMake(t *testing.T) {
	const many, block = corev1.ReadWriteMany, corev1.PersistentVolumeBlock
	for name, test := range map[string]struct {
		driver string
		access *corev1.PersistentVolumeAccessMode
		mode   *corev1.PersistentVolumeMode
		want   string // "" if it can be
	}{
		"a shared disk of EBS":             {EBSDriver, new(many), nil, "t.accessMode: Invalid value"},
		"a shared disk of Auto Mode":       {EBSAutoModeDriver, new(many), nil, "an EBS volume belongs to one node"},
		"a shared device of EBS":           {EBSDriver, new(many), new(block), ""}, // of type io2
		"a disk of EBS":                    {EBSDriver, nil, nil, ""},
		"an access point for one node":     {EFSDriver, nil, nil, ""},
		"a device of EFS":                  {EFSDriver, new(many), new(block), "have no raw block volumes"},
		"a bucket":                         {S3Driver, new(many), nil, ""},
		"a bucket for one node by default": {S3Driver, nil, nil, "S3 buckets are shared: set ReadWriteMany"},
		"a device of another driver":       {"csi.fake", new(many), new(block), ""},
	} {
		target := &v1alpha1.Target{StorageClassName: new("c"), AccessMode: test.access, VolumeMode: test.mode}
		target.Capacity = new(resource.MustParse("1Gi"))
		errs := Validate(field.NewPath("t"), target, KindOf(target, test.driver))
		wrong := min(1, len(test.want))
		if len(errs) != wrong || wrong > 0 && !strings.Contains(errs[0].Error(), test.want) {
			t.Errorf("%s: errors %v, want one with %q", name, errs, test.want)
		}
	}
}

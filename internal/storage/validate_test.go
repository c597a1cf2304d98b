package storage

import (
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
		{"file system's capacity", efs, func(t *v1alpha1.Target) { t.Capacity = capacity }, "t.capacity: Forbidden"},
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
		{"size of a volume with attributes", ebs, func(t *v1alpha1.Target) { t.EBS.Type, t.VolumeAttributesClassName = "st1", new("fast") }, "t.capacity: Invalid value: \"10Gi\""},
	} {
		t.Run(test.name, func(t *testing.T) {
			target := *test.target.DeepCopy()
			test.change(&target)
			errs := Validate(field.NewPath("t"), &target)
			if test.want == "" && len(errs) > 0 || test.want != "" && (len(errs) != 1 || !strings.Contains(errs[0].Error(), test.want)) {
				t.Errorf("errors %v, want one with %q", errs, test.want)
			}
		})
	}
}

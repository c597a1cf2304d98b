package controllers

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/prepare"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/internal/storage"
	"github.com/storagebench/storagebench/test/builder"
)

// Who names a claim on which nothing can be measured reads why, and what to do.
func TestWhyNotClaim(t *testing.T) {
	claim := func(change func(*corev1.PersistentVolumeClaim), modes ...corev1.PersistentVolumeAccessMode) *corev1.PersistentVolumeClaim {
		made := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{UID: "u"}, Spec: corev1.PersistentVolumeClaimSpec{AccessModes: modes}}
		if change != nil {
			change(made)
		}
		return made
	}
	deleted := func(c *corev1.PersistentVolumeClaim) { c.DeletionTimestamp = at(0) }
	const once, oncePod, many, read = corev1.ReadWriteOnce, corev1.ReadWriteOncePod, corev1.ReadWriteMany, corev1.ReadOnlyMany
	for _, test := range []struct {
		name    string
		claim   *corev1.PersistentVolumeClaim
		clients int32
		want    string
	}{
		{"it is there", claim(nil, once), 1, ""},
		{"it is not there", &corev1.PersistentVolumeClaim{}, 1, "there is no such PersistentVolumeClaim in namespace tenant; create it, or name a storageClassName for a new volume"},
		{"it is not there, for many", &corev1.PersistentVolumeClaim{}, 2, "there is no such PersistentVolumeClaim in namespace tenant; create it, or name a storageClassName for a new volume"},
		{"it goes", claim(deleted, many), 1, "the PersistentVolumeClaim is being deleted; name another one"},
		{"it goes, and is for one", claim(deleted, once), 2, "the PersistentVolumeClaim is being deleted; name another one"},
		{"it is for many", claim(nil, once, many), 2, ""},
		{"many may read it", claim(nil, read), 2, ""},
		{
			"it is for one node", claim(nil, once, oncePod), 3,
			"the PersistentVolumeClaim is ReadWriteOnce and ReadWriteOncePod, which lets pods of one node use it, and 3 clients are to measure together; name one that is ReadWriteMany, or set clients to 1",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			sb := builder.OneRun("tenant", "sb").With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Clients = &test.clients }).Build()
			if got := prepare.WhyNotClaim(sb, test.claim); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

// Classes that were made for benchmarks are not named: their names tell of those of other tenants.
func TestWhichClasses(t *testing.T) {
	class := func(name, managedBy string) storagev1.StorageClass {
		return storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{v1alpha1.LabelManagedBy: managedBy}}}
	}
	for want, classes := range map[string][]storagev1.StorageClass{
		"this cluster has none; create one": {class("secret", v1alpha1.ManagedBy)},
		"this cluster has gp3":              {class("gp3", ""), class("secret", v1alpha1.ManagedBy)},
		"this cluster has gp3, efs":         {class("gp3", ""), class("efs", "Helm")},
	} {
		if got := prepare.WhichClasses(classes); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// What is known of a target before anything is looked up follows from the spec.
func TestNewTargetStatus(t *testing.T) {
	bucket := v1alpha1.Target{Name: "t", S3: &v1alpha1.S3Bucket{Bucket: "b"}}
	volume := v1alpha1.Target{Name: "t", EBS: &v1alpha1.EBSVolume{}, VolumeMode: new(corev1.PersistentVolumeBlock), AccessMode: new(corev1.ReadWriteOncePod)}
	sb := builder.NewBenchmark("default", "sb").Workload(builder.NewWorkload("w")).With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Clients = new(int32(2)) }).Build()
	first, second := childmeta.Name(sb, "t"), childmeta.Name(sb, "t", childmeta.Client(1))
	for _, test := range []struct {
		name   string
		target v1alpha1.Target
		want   v1alpha1.TargetStatus
	}{
		{"a class", builder.NewTarget("t"), v1alpha1.TargetStatus{
			Name: "t", StorageClassName: builder.StorageClass, VolumeMode: corev1.PersistentVolumeFilesystem,
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}, Claims: []v1alpha1.ClaimStatus{{Name: first}, {Name: second}},
		}},
		{"ebs", volume, v1alpha1.TargetStatus{
			Name: "t", StorageClassName: first, Driver: storage.EBSDriver, VolumeMode: corev1.PersistentVolumeBlock,
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOncePod}, Claims: []v1alpha1.ClaimStatus{{Name: first}, {Name: second}},
		}},
		{"s3", bucket, v1alpha1.TargetStatus{
			Name: "t", Driver: storage.S3Driver, VolumeMode: corev1.PersistentVolumeFilesystem,
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteMany}, Claims: []v1alpha1.ClaimStatus{{Name: first}},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, prepare.NewTargetStatus(sb, &test.target)); diff != "" {
				t.Errorf("status (-want +got):\n%s", diff)
			}
		})
	}
}

// Classes that the operator has made for benchmarks of others are not named: who may see one benchmark need not know of
// another tenant's.
func TestClassesOfBenchmarksAreNotTold(t *testing.T) {
	classes := []storagev1.StorageClass{
		{ObjectMeta: metav1.ObjectMeta{Name: "gp3"}},
		{ObjectMeta: metav1.ObjectMeta{Name: "secret-io2-01234567", Labels: map[string]string{v1alpha1.LabelManagedBy: v1alpha1.ManagedBy}}},
	}
	if got := prepare.WhichClasses(classes); got != "this cluster has gp3" {
		t.Errorf("it says %q", got)
	}
	if got := prepare.WhichClasses(classes[1:]); got != "this cluster has none; create one" {
		t.Errorf("it says %q", got)
	}
}

package storage

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/builder"
)

// objectOf returns the object of an apply configuration.
func objectOf[T any](t *testing.T, configuration any) *T {
	t.Helper()
	object := new(T)
	text, err := json.Marshal(configuration)
	if err == nil {
		err = json.Unmarshal(text, object)
	}
	if err != nil {
		t.Fatal(err)
	}
	return object
}

// objectsFor returns what provisions a target of a benchmark.
func objectsFor(target v1alpha1.Target) Objects {
	sb := builder.NewBenchmark("ns", "sb").Target(target).Build()
	sb.UID = "u1"
	return For(sb, &sb.Spec.Targets[0], User{UID: 1, GID: 1})
}

// Only what its volumes depend on makes a StorageClass another one.
func TestClassDiffers(t *testing.T) {
	gp3 := v1alpha1.Target{Name: "t", EBS: &v1alpha1.EBSVolume{Type: "gp3", IOPS: new(int32(4000)), Tags: map[string]v1alpha1.TagValue{"team": "a"}}}
	for name, test := range map[string]struct {
		change func(*storagev1.StorageClass)
		want   []string
	}{
		"nothing": {func(*storagev1.StorageClass) {}, nil},
		"what is not measured": {func(c *storagev1.StorageClass) {
			c.ReclaimPolicy, c.VolumeBindingMode, c.AllowVolumeExpansion = new(corev1.PersistentVolumeReclaimRetain), new(storagev1.VolumeBindingImmediate), new(true)
			c.Parameters["tagSpecification_1"], c.Parameters["tagSpecification_2"] = "team=b", "more=c"
			c.Labels["another"], c.Annotations = "label", map[string]string{"an": "annotation"}
		}, nil},
		"a parameter":      {func(c *storagev1.StorageClass) { c.Parameters["iops"] = "3000" }, []string{`parameters.iops is "3000", and would be "4000"`}},
		"one that is gone": {func(c *storagev1.StorageClass) { c.Parameters["encrypted"] = "true" }, []string{`parameters.encrypted is "true", and would be ""`}},
		"a new one":        {func(c *storagev1.StorageClass) { delete(c.Parameters, "type") }, []string{`parameters.type is "", and would be "gp3"`}},
		"no parameters": {func(c *storagev1.StorageClass) { c.Parameters = nil }, []string{
			`parameters.iops is "", and would be "4000"`, `parameters.type is "", and would be "gp3"`,
		}},
		"the driver":    {func(c *storagev1.StorageClass) { c.Provisioner = "another" }, []string{`provisioner is "another", and would be "ebs.csi.aws.com"`}},
		"mount options": {func(c *storagev1.StorageClass) { c.MountOptions = []string{"noatime"} }, []string{`mountOptions is "noatime", and would be ""`}},
	} {
		wanted := objectsFor(gp3).Class
		there := objectOf[storagev1.StorageClass](t, wanted)
		test.change(there)
		if diff := cmp.Diff(test.want, ClassDiffers(there, wanted)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestVolumeDiffers(t *testing.T) {
	s3 := v1alpha1.Target{Name: "t", S3: &v1alpha1.S3Bucket{Bucket: "my-bucket", MountOptions: []string{"read-part-size 1"}}}
	wanted := objectsFor(s3).Volume
	for name, test := range map[string]struct {
		change func(*corev1.PersistentVolume)
		want   []string
	}{
		"nothing": {func(*corev1.PersistentVolume) {}, nil},
		"what is not measured": {func(v *corev1.PersistentVolume) {
			v.Spec.PersistentVolumeReclaimPolicy, v.Spec.ClaimRef.UID = corev1.PersistentVolumeReclaimDelete, "u2"
			v.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
		}, nil},
		"another bucket": {func(v *corev1.PersistentVolume) { v.Spec.CSI.VolumeAttributes["bucketName"] = "theirs" }, []string{`volumeAttributes.bucketName is "theirs", and would be "my-bucket"`}},
		"another driver": {func(v *corev1.PersistentVolume) { v.Spec.CSI.Driver = "another" }, []string{`driver is "another", and would be "s3.csi.aws.com"`}},
		"another volume": {func(v *corev1.PersistentVolume) { v.Spec.CSI.VolumeHandle = "h" }, []string{fmt.Sprintf("volumeHandle is \"h\", and would be %q", *wanted.Name)}},
		"a raw volume":   {func(v *corev1.PersistentVolume) { v.Spec.VolumeMode = new(corev1.PersistentVolumeBlock) }, []string{`volumeMode is "Block", and would be "Filesystem"`}},
		"no mount options": {func(v *corev1.PersistentVolume) { v.Spec.MountOptions = nil }, []string{
			fmt.Sprintf("mountOptions is \"\", and would be %q", strings.Join(wanted.Spec.MountOptions, ",")),
		}},
	} {
		there := objectOf[corev1.PersistentVolume](t, wanted)
		test.change(there)
		if diff := cmp.Diff(test.want, VolumeDiffers(there, wanted)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

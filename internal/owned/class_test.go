package owned

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/internal/storage"
)

// Where somebody's volume comes from is told by itself, and by its class if that has made it.
func TestClassOf(t *testing.T) {
	parameters := map[string]string{"type": "gp3"}
	class := &storagev1.StorageClass{
		ObjectMeta:  metav1.ObjectMeta{CreationTimestamp: *at(time.Minute)},
		Provisioner: storage.EBSDriver,
		Parameters:  parameters,
	}
	none := &storagev1.StorageClass{}
	size := resource.MustParse("30Gi")
	volume := func(driver, provisioner string, change func(*corev1.PersistentVolume)) *corev1.PersistentVolume {
		pv := &corev1.PersistentVolume{
			ObjectMeta: metav1.ObjectMeta{
				CreationTimestamp: *at(2 * time.Minute),
				Annotations:       map[string]string{ProvisionedBy: provisioner},
			},
		}
		pv.Spec.Capacity = corev1.ResourceList{corev1.ResourceStorage: size}
		pv.Spec.CSI = &corev1.CSIPersistentVolumeSource{
			Driver:           driver,
			VolumeAttributes: map[string]string{"bucketName": "b"},
		}
		if change != nil {
			change(pv)
		}
		return pv
	}
	old := func(pv *corev1.PersistentVolume) { pv.CreationTimestamp = *at(0) }
	with := func(options ...string) func(*corev1.PersistentVolume) {
		return func(pv *corev1.PersistentVolume) { pv.Spec.MountOptions = options }
	}
	for name, test := range map[string]struct {
		volume *corev1.PersistentVolume
		class  *storagev1.StorageClass
		want   storage.Class
	}{
		"none yet": {nil, class, storage.Class{Driver: storage.EBSDriver, Parameters: parameters}},
		"of the class": {volume(storage.EBSDriver, storage.EBSDriver, nil), class,
			storage.Class{Driver: storage.EBSDriver, Parameters: parameters, Capacity: &size}},
		"of the class, from before CSI": {volume(storage.EBSDriver, "kubernetes.io/aws-ebs", nil), class,
			storage.Class{Driver: storage.EBSDriver, Parameters: parameters, Capacity: &size}},
		"older than the class": {volume(storage.EBSDriver, storage.EBSDriver, old), class,
			storage.Class{Driver: storage.EBSDriver, Parameters: parameters, Capacity: &size, Unknown: true}},
		"made by hand": {volume(storage.EBSDriver, "", nil), class,
			storage.Class{Driver: storage.EBSDriver, Parameters: parameters, Capacity: &size, Unknown: true}},
		"a bucket": {
			volume(storage.S3Driver, "", nil), none,
			storage.Class{Driver: storage.S3Driver, Capacity: &size, Bucket: "b", Unknown: true},
		},
		"a bucket of another store": {volume(storage.S3Driver, "", func(pv *corev1.PersistentVolume) {
			pv.Spec.MountOptions = []string{"allow-delete", "endpoint-url=https://x"}
		}), none,
			storage.Class{Driver: storage.S3Driver, Capacity: &size, Unknown: true}},
		"another one, with dashes": {volume(storage.S3Driver, "", with("--endpoint-url https://x")), none,
			storage.Class{Driver: storage.S3Driver, Capacity: &size, Unknown: true}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, ClassOf(test.volume, test.class)); diff != "" {
				t.Errorf("class (-want +got):\n%s", diff)
			}
		})
	}
}

// A volume has the attributes that it has, and a claim asks for some until it has a volume.
func TestAttributesClass(t *testing.T) {
	claim := &corev1.PersistentVolumeClaim{Spec: corev1.PersistentVolumeClaimSpec{VolumeAttributesClassName: new("asked")}}
	volume := &corev1.PersistentVolume{Spec: corev1.PersistentVolumeSpec{VolumeAttributesClassName: new("has")}}
	for want, got := range map[string]string{
		"asked": AttributesClass(claim, nil), "has": AttributesClass(claim, volume),
		"": AttributesClass(claim, &corev1.PersistentVolume{}),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

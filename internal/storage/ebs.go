package storage

import (
	"maps"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	storagev1ac "k8s.io/client-go/applyconfigurations/storage/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/childmeta"
)

// fsTypeParameter is what external-provisioner takes as the file system of a volume.
// https://kubernetes-csi.github.io/docs/external-provisioner.html
const fsTypeParameter = "csi.storage.k8s.io/fstype"

// tagParameter begins the names of parameters that are tags of a volume.
const tagParameter = "tagSpecification_"

// ebsClass returns the StorageClass of an EBS volume, with the parameters of aws-ebs-csi-driver:
// https://github.com/kubernetes-sigs/aws-ebs-csi-driver/blob/v1.64.0/docs/parameters.md
func ebsClass(sb *v1alpha1.StorageBenchmark, t *v1alpha1.Target) *storagev1ac.StorageClassApplyConfiguration {
	parameters := map[string]string{}
	v := t.EBS
	set(parameters, "type", (*string)(new(v.Type)))
	setNumber(parameters, "iops", v.IOPS)
	setNumber(parameters, "iopsPerGB", v.IOPSPerGB)
	setNumber(parameters, "throughput", v.Throughput)
	if v.Encrypted != nil {
		parameters["encrypted"] = strconv.FormatBool(*v.Encrypted)
	}
	set(parameters, "kmsKeyId", v.KMSKeyID)
	set(parameters, fsTypeParameter, v.FSType)
	for i, key := range slices.Sorted(maps.Keys(v.Tags)) {
		parameters[tagParameter+strconv.Itoa(i+1)] = key + "=" + string(v.Tags[key])
	}
	// In the zone of the node that the benchmark comes to.
	return class(sb, t, EBSDriver, parameters).WithVolumeBindingMode(storagev1.VolumeBindingWaitForFirstConsumer)
}

// class returns a StorageClass that only the benchmark's claim uses.
func class(sb *v1alpha1.StorageBenchmark, t *v1alpha1.Target, driver string, parameters map[string]string) *storagev1ac.StorageClassApplyConfiguration {
	return storagev1ac.StorageClass(ClassName(sb, t)).
		WithLabels(childmeta.ClusterLabels(sb, v1alpha1.LabelTarget, t.Name)).
		WithProvisioner(driver).
		WithParameters(parameters).
		WithReclaimPolicy(corev1.PersistentVolumeReclaimDelete)
}

func set(parameters map[string]string, name string, value *string) {
	if value != nil && *value != "" {
		parameters[name] = *value
	}
}

func setNumber[N int32 | int64](parameters map[string]string, name string, value *N) {
	if value != nil {
		parameters[name] = strconv.FormatInt(int64(*value), 10)
	}
}

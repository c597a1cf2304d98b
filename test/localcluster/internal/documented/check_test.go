package documented

import (
	"maps"
	"strings"
	"testing"
)

type values = map[string]string

func get(t *testing.T, driver func() (Driver, error)) Driver {
	t.Helper()
	d, err := driver()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// expect that an error has the words, or that there is none where the words are empty.
func expect(t *testing.T, err error, words string) {
	t.Helper()
	switch {
	case words == "" && err != nil:
		t.Errorf("got %v, want none", err)
	case words != "" && (err == nil || !strings.Contains(err.Error(), words)):
		t.Errorf("got error %v, want one with %s", err, words)
	}
}

func TestParametersOfEBS(t *testing.T) {
	d := get(t, EBS)
	tests := map[string]struct {
		parameters values
		fails      string
	}{
		"none":                       {},
		"all of a gp3 class":         {parameters: values{"type": "gp3", "iops": "3000", "throughput": "125", "encrypted": "true", "kmsKeyId": "arn:aws:kms:eu-west-1:1:key/a", "tagSpecification_1": "a=b", "csi.storage.k8s.io/fstype": "xfs"}},
		"case of keys":               {parameters: values{"kmskeyid": "arn:aws:kms:eu-west-1:1:key/a", "IOPSPERGB": "50", "allowautoiopspergbincrease": "true"}},
		"case of a tag":              {parameters: values{"tagspecification_1": "a=b"}, fails: `"tagspecification_1": not documented`},
		"tag without a value":        {parameters: values{"tagSpecification_1": "a"}, fails: "documented form"},
		"tag with an empty value":    {parameters: values{"tagSpecification_1": "a="}},
		"several tags":               {parameters: values{"tagSpecification_1": "a=b", "tagSpecification_2": "c=d"}},
		"the provisioner's extras":   {parameters: values{"csi.storage.k8s.io/pvc/name": "a", "csi.storage.k8s.io/pvc/namespace": "b", "csi.storage.k8s.io/pv/name": "c"}},
		"a reserved key of no one":   {parameters: values{"csi.storage.k8s.io/fsType": "xfs"}, fails: `"csi.storage.k8s.io/fsType"`},
		"the deprecated fstype":      {parameters: values{"fstype": "xfs"}, fails: `"fstype"`},
		"first of two by name":       {parameters: values{"b": "", "a": ""}, fails: `"a"`},
		"both iops and iopsPerGB":    {parameters: values{"iops": "3000", "IopsPerGB": "5"}, fails: "only one of"},
		"one key in two cases":       {parameters: values{"iops": "3000", "IOPS": "3000"}, fails: `the same as "IOPS"`},
		"a type that is none":        {parameters: values{"type": "gp4"}, fails: `"gp4"`},
		"a number with a unit":       {parameters: values{"throughput": "125Mi"}, fails: `"125Mi"`},
		"True is false to it":        {parameters: values{"encrypted": "True"}, fails: `"True"`},
		"a cluster without bigalloc": {parameters: values{"ext4ClusterSize": "16384"}, fails: `needs "ext4BigAlloc"`},
		"in the code only":           {parameters: values{"blockExpress": "true"}, fails: `"blockExpress"`},
		"ours, to the API":           {parameters: values{"kmsKeyID": "arn:aws:kms:eu-west-1:1:key/a"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { expect(t, d.CheckParameters(test.parameters), test.fails) })
	}
}

func TestParametersOfEFS(t *testing.T) {
	d := get(t, EFS)
	with := func(more values) values {
		all := values{"provisioningMode": "efs-ap", "fileSystemId": "fs-92107410", "directoryPerms": "700"}
		maps.Copy(all, more)
		return all
	}
	tests := map[string]struct {
		parameters values
		fails      string
	}{
		"least":                       {parameters: with(nil)},
		"the driver's example":        {parameters: with(values{"gidRangeStart": "1000", "gidRangeEnd": "2000", "basePath": "/dynamic_provisioning", "subPathPattern": "${.PVC.namespace}/${.PVC.name}", "ensureUniqueDirectory": "true", "reuseAccessPoint": "false", "enableTagging": "true"})},
		"secrets for another account": {parameters: with(values{"az": "us-east-1a", "csi.storage.k8s.io/provisioner-secret-name": "x", "csi.storage.k8s.io/provisioner-secret-namespace": "y"})},
		"case, which it ignores":      {parameters: with(values{"basepath": "/a"}), fails: `"basepath"`},
		"our name of it":              {parameters: values{"provisioningMode": "efs-ap", "fileSystemID": "fs-92107410"}, fails: `"fileSystemID"`},
		"no file system":              {parameters: values{"provisioningMode": "efs-ap", "directoryPerms": "700"}, fails: "exactly one of"},
		"two file systems":            {parameters: with(values{"fileSystemIdConfigRef": "a/b/c"}), fails: "exactly one of"},
		"no mode":                     {parameters: values{"fileSystemId": "fs-92107410", "directoryPerms": "700"}, fails: `"provisioningMode": required`},
		"no permissions":              {parameters: values{"fileSystemId": "fs-92107410", "provisioningMode": "efs-ap"}, fails: `"directoryPerms": required`},
		"half a range":                {parameters: with(values{"gidRangeStart": "1000"}), fails: "all of"},
		"range from zero":             {parameters: with(values{"gidRangeStart": "0", "gidRangeEnd": "9"}), fails: `"gidRangeStart"`},
		"root as user":                {parameters: with(values{"uid": "0", "gid": "0"})},
		"permissions in letters":      {parameters: with(values{"directoryPerms": "rwx"}), fails: `"rwx"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { expect(t, d.CheckParameters(test.parameters), test.fails) })
	}
}

// s3 is read by tests alone: the local cluster runs the real driver.
func s3() (Driver, error) { return load("s3.yaml") }

func TestS3HasNoStorageClass(t *testing.T) {
	d := get(t, s3)
	expect(t, d.CheckParameters(values{"bucketName": "a"}), `"bucketName": not documented`)
	expect(t, d.CheckMutableParameters(values{"a": "b"}), `"a": not documented`)
}

func TestMutableParameters(t *testing.T) {
	ebs, efs := get(t, EBS), get(t, EFS)
	tests := map[string]struct {
		driver     Driver
		parameters values
		fails      string
	}{
		"ebs":               {driver: ebs, parameters: values{"type": "io2", "iops": "4000", "tagSpecification_1": "a=b", "tagDeletion_1": "c"}},
		"ebs, throughput":   {driver: ebs, parameters: values{"throughput": "250"}},
		"ebs, by its case":  {driver: ebs, parameters: values{"IOPS": "4000"}, fails: `"IOPS"`},
		"ebs, a deprecated": {driver: ebs, parameters: values{"volumeType": "io2"}, fails: `"volumeType"`},
		"ebs, of a class":   {driver: ebs, parameters: values{"encrypted": "true"}, fails: `"encrypted"`},
		"efs has none":      {driver: efs, parameters: values{"throughput": "250"}, fails: "documented are none"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { expect(t, test.driver.CheckMutableParameters(test.parameters), test.fails) })
	}
}

func TestVolumeAttributes(t *testing.T) {
	ebs, efs, s3 := get(t, EBS), get(t, EFS), get(t, s3)
	tests := map[string]struct {
		driver     Driver
		attributes values
		fails      string
	}{
		"ebs, as provisioned":   {driver: ebs, attributes: values{"storage.kubernetes.io/csiProvisionerIdentity": "1-ebs.csi.aws.com"}},
		"ebs, of a class":       {driver: ebs, attributes: values{"iops": "3000"}, fails: `"iops"`},
		"efs, none":             {driver: efs},
		"efs, case":             {driver: efs, attributes: values{"encryptintransit": "false", "MountTargetIP": "10.0.0.1"}},
		"efs, unknown":          {driver: efs, attributes: values{"path": "/a"}, fails: `"path"`},
		"efs, an address":       {driver: efs, attributes: values{"mounttargetip": "host"}, fails: `"host"`},
		"s3":                    {driver: s3, attributes: values{"bucketName": "b-1", "authenticationSource": "pod", "stsRegion": "us-east-1"}},
		"s3, in a node call":    {driver: s3, attributes: values{"bucketName": "b-1", "csi.storage.k8s.io/pod.uid": "1", "csi.storage.k8s.io/serviceAccount.tokens": "{}"}},
		"s3, no bucket":         {driver: s3, attributes: values{"authenticationSource": "driver"}, fails: `"bucketName": required`},
		"s3, case":              {driver: s3, attributes: values{"bucketname": "b-1"}, fails: `"bucketname"`},
		"s3, an access point":   {driver: s3, attributes: values{"bucketName": "arn:aws:s3-outposts:r:1:outpost/op-1/accesspoint/a"}},
		"s3, a bucket's URL":    {driver: s3, attributes: values{"bucketName": "s3://b-1"}, fails: "documented form"},
		"s3, cache":             {driver: s3, attributes: values{"bucketName": "b-1", "cache": "emptyDir", "cacheEmptyDirSizeLimit": "1Gi", "cacheEmptyDirMedium": ""}},
		"s3, cache by half":     {driver: s3, attributes: values{"bucketName": "b-1", "cache": "ephemeral", "cacheEphemeralStorageClassName": "gp3"}, fails: "all of"},
		"s3, size of no cache":  {driver: s3, attributes: values{"bucketName": "b-1", "cacheEmptyDirSizeLimit": "1Gi"}, fails: `needs "cache"`},
		"s3, environment":       {driver: s3, attributes: values{"bucketName": "b-1", "mountpointEnv.HTTPS_PROXY": "http://p"}},
		"s3, other environment": {driver: s3, attributes: values{"bucketName": "b-1", "mountpointEnv.AWS_PROFILE": "p"}, fails: `"mountpointEnv.AWS_PROFILE"`},
		"s3, resources":         {driver: s3, attributes: values{"bucketName": "b-1", "mountpointContainerResourcesLimitsMemory": "1Gi", "mountpointContainerResourcesRequestsCpu": "500m"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { expect(t, test.driver.CheckVolumeAttributes(test.attributes), test.fails) })
	}
}

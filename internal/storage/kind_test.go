package storage

import (
	"testing"

	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// The driver decides what storage is, whichever field names it.
func TestKindOf(t *testing.T) {
	class, claim := v1alpha1.Target{StorageClassName: new("c")}, v1alpha1.Target{ClaimName: new("c")}
	bucket := v1alpha1.Target{S3: &v1alpha1.S3Bucket{Bucket: "b"}}
	for _, test := range []struct {
		target  v1alpha1.Target
		driver  string
		want    Kind
		objects bool
		part    bool
	}{
		{class, "", KindOther, false, false},
		{claim, "csi.fake", KindOther, false, false},
		{class, EBSDriver, KindEBS, false, false},
		{claim, EBSAutoModeDriver, KindEBS, false, false},
		{class, EFSDriver, KindEFS, false, true},
		{claim, S3Driver, KindS3, true, true},
		{bucket, "", KindS3, true, true},
		{v1alpha1.Target{EBS: &v1alpha1.EBSVolume{}}, "", KindEBS, false, false},
		{v1alpha1.Target{EFS: &v1alpha1.EFSFileSystem{}}, "", KindEFS, false, true},
	} {
		got := KindOf(&test.target, test.driver)
		if got != test.want || got.IsObjectStore() != test.objects || got.IsPartOfService() != test.part {
			t.Errorf(
				"%+v of driver %q is %q, object store %t, part of a service %t",
				test.target,
				test.driver,
				got,
				got.IsObjectStore(),
				got.IsPartOfService(),
			)
		}
	}
}

// A provisioner that has no object in the cluster must not be waited for: only what is certainly a CSI driver is.
func TestIsCSI(t *testing.T) {
	for provisioner, want := range map[string]bool{
		EBSDriver: true, EFSDriver: true, S3Driver: true, EBSAutoModeDriver: true, fsxDriver: true,
		"fsx.openzfs.csi.aws.com": true,
		"csi.trident.netapp.io":   true, "rook-ceph.rbd.csi.ceph.com": true, "pd.csi.storage.gke.io": true,
		"kubernetes.io/aws-ebs": true, "kubernetes.io/portworx-volume": true,
		"": false, NoProvisioner: false, "rancher.io/local-path": false, "k8s.io/minikube-hostpath": false,
		"cluster.local/nfs-subdir-external-provisioner": false,
		"example.com/csi": false, "csi.example.com/nfs": false, "driver.longhorn.io": false, "nfs-storage": false,
	} {
		if got := IsCSI(DriverOf(provisioner)); got != want {
			t.Errorf("%s: %t, want %t", provisioner, got, want)
		}
	}
}

// A missing driver is told of with the class that the user has named, and what to do.
func TestMissingDriver(t *testing.T) {
	const none = "the cluster has no CSI driver "
	for _, test := range []struct{ driver, class, want string }{
		{EBSDriver, "", none + "ebs.csi.aws.com; install it, on EKS as add-on aws-ebs-csi-driver; " +
			"EKS Auto Mode does without it: there, name a StorageClass of ebs.csi.eks.amazonaws.com in storageClassName"},
		{EBSAutoModeDriver, "auto", none + "ebs.csi.eks.amazonaws.com (StorageClass auto); it comes with EKS Auto Mode: " +
			"elsewhere, name a StorageClass of ebs.csi.aws.com, or use ebs"},
		{DriverOf("kubernetes.io/gce-pd"), "standard",
			none + "pd.csi.storage.gke.io (StorageClass standard); install it, or use other storage"},
		{fsxDriver, "scratch",
			none + "fsx.csi.aws.com (StorageClass scratch); install it, on EKS as add-on aws-fsx-csi-driver"},
	} {
		if got := MissingDriver(test.driver, test.class); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

// Limits of a claim follow from its volume, where that tells them.
func TestLimitsOfClaims(t *testing.T) {
	_, claim := benchmark(t, "{name: t, claimName: c}")
	large := new(resource.MustParse("100Gi"))
	gp3 := ClassOf(
		&storagev1.StorageClass{Provisioner: EBSDriver, Parameters: map[string]string{"type": "gp3", "iops": "5000"}},
	)
	with := func(change func(*Class)) Class {
		class := gp3
		change(&class)
		return class
	}
	for name, test := range map[string]struct {
		class Class
		scope v1alpha1.LimitScope // "" if nothing is known
		iops  int64
	}{
		"a volume of EBS":            {with(func(c *Class) { c.Capacity = large }), v1alpha1.ScopeVolume, 5000},
		"a volume that is not there": {gp3, "", 0},
		"a volume of another class":  {with(func(c *Class) { c.Capacity, c.Unknown = large, true }), "", 0},
		"a volume with attributes": {with(func(c *Class) {
			c.Capacity, c.Attributes = large, map[string]string{"iops": "6000"}
		}), v1alpha1.ScopeVolume, 6000},
		"a file system of some mode":  {Class{Driver: EFSDriver}, "", 0},
		"a bucket":                    {Class{Driver: S3Driver, Bucket: "b"}, v1alpha1.ScopeFileSystem, 0},
		"a bucket of another store":   {Class{Driver: S3Driver}, "", 0},
		"a volume of another storage": {Class{Driver: "csi.fake", Capacity: large}, "", 0},
	} {
		limits := Limits(claim, test.class)
		if (limits == nil) != (test.scope == "") ||
			limits != nil && (limits.Scope != test.scope || test.iops > 0 && *limits.IOPS != test.iops) {
			t.Errorf("%s: limits are %+v", name, limits)
		}
	}
	_, given := benchmark(t, "{name: t, claimName: c, limits: {iops: 5}}")
	if got := Limits(given, Class{Driver: EFSDriver}).Scope; got != v1alpha1.ScopeFileSystem {
		t.Errorf("limits that the user gives for a claim on EFS are those of %s", got)
	}
}

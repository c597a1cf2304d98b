package storage

import "testing"

// What is to be installed is named for each kind of target that needs a driver, and for no driver that EKS does not
// have.
func TestAddOnOf(t *testing.T) {
	for driver, want := range map[string]string{EBSDriver: "ebs aws-ebs-csi-driver", EFSDriver: "efs aws-efs-csi-driver", S3Driver: "s3 aws-mountpoint-s3-csi-driver", "csi.fake": " "} {
		if got := AddOnOf(driver); got.Field+" "+got.Name != want || (got.Otherwise != "") != (driver == EBSDriver) {
			t.Errorf("%s: %+v, want %q", driver, got, want)
		}
	}
}

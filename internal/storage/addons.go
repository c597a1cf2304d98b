package storage

// AddOn is what a cluster needs for targets of a kind.
type AddOn struct {
	// Field is the field of a target that needs it, Name the add-on of EKS that is the driver.
	Field, Name string
	// Otherwise is what else can be done where it is missing.
	Otherwise string
}

// AddOnOf returns the add-on that has a driver, none if no kind of target needs it.
// https://docs.aws.amazon.com/eks/latest/userguide/workloads-add-ons-available-eks.html
func AddOnOf(driver string) AddOn {
	switch driver {
	case EBSDriver:
		return AddOn{"ebs", "aws-ebs-csi-driver", "; EKS Auto Mode does without it: there, name a StorageClass of " + EBSAutoModeDriver + " in storageClassName"}
	case EFSDriver:
		return AddOn{"efs", "aws-efs-csi-driver", ""}
	case S3Driver:
		return AddOn{"s3", "aws-mountpoint-s3-csi-driver", ""}
	default:
		return AddOn{}
	}
}

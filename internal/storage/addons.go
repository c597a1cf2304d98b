package storage

import "fmt"

// AddOn is what a cluster needs for volumes of a driver.
type AddOn struct {
	// Field is the field of a target that needs it, "" if none does. Name is the add-on of EKS that is the driver, ""
	// if there is none.
	Field, Name string
	// Otherwise is what else can be done where it is missing.
	Otherwise string
}

// AddOnOf returns the add-on that has a driver, none if EKS has none for it.
// https://docs.aws.amazon.com/eks/latest/userguide/workloads-add-ons-available-eks.html
func AddOnOf(driver string) AddOn {
	switch driver {
	case EBSDriver:
		return AddOn{
			"ebs",
			"aws-ebs-csi-driver",
			"; EKS Auto Mode does without it: there, name a StorageClass of " + EBSAutoModeDriver + " in storageClassName",
		}
	case EBSAutoModeDriver:
		return AddOn{
			Otherwise: "; it comes with EKS Auto Mode: elsewhere, name a StorageClass of " + EBSDriver + ", or use ebs",
		}
	case EFSDriver:
		return AddOn{"efs", "aws-efs-csi-driver", ""}
	case S3Driver:
		return AddOn{"s3", "aws-mountpoint-s3-csi-driver", ""}
	case fsxDriver:
		return AddOn{Name: "aws-fsx-csi-driver"}
	default:
		return AddOn{}
	}
}

// MissingDriver tells that the cluster does not have a driver, and what to do. class is the StorageClass that needs it,
// "" if it is not one that the user has named.
func MissingDriver(driver, class string) string {
	text, addOn := "the cluster has no CSI driver "+driver, AddOnOf(driver)
	if class != "" {
		text += fmt.Sprintf(" (StorageClass %s)", class)
	}
	switch {
	case addOn.Name != "":
		text += "; install it, on EKS as add-on " + addOn.Name
	case addOn.Otherwise == "":
		text += "; install it, or use other storage"
	}
	return text + addOn.Otherwise
}

package storage

import (
	"fmt"

	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/childmeta"
)

// S3Prefix returns the prefix of all objects of a target: the user's, and below it one that no other benchmark has.
func S3Prefix(sb *v1alpha1.StorageBenchmark, t *v1alpha1.Target) string {
	return ptr.Deref(t.S3.Prefix, "") + childmeta.Name(sb, t.Name) + "/"
}

// s3Volume returns a bucket as mountpoint-s3-csi-driver takes it, which provisions nothing by itself:
// https://github.com/awslabs/mountpoint-s3-csi-driver/blob/main/docs/CONFIGURATION.md
func s3Volume(sb *v1alpha1.StorageBenchmark, t *v1alpha1.Target, user User) csiVolume {
	return csiVolume{
		driver: S3Driver,
		// The driver takes two volumes with one handle for the same, and mounts only one.
		handle:       childmeta.Name(sb, t.Name),
		attributes:   s3Attributes(t.S3),
		mountOptions: s3Options(sb, t, user),
	}
}

func s3Attributes(bucket *v1alpha1.S3Bucket) map[string]string {
	attributes := map[string]string{"bucketName": bucket.Bucket}
	set(attributes, "authenticationSource", (*string)(bucket.AuthenticationSource))
	set(attributes, "stsRegion", bucket.STSRegion)
	if bucket.Cache == nil {
		return attributes
	}
	if dir := bucket.Cache.EmptyDir; dir != nil {
		attributes["cache"] = "emptyDir"
		set(attributes, "cacheEmptyDirMedium", dir.Medium)
		if dir.SizeLimit != nil {
			attributes["cacheEmptyDirSizeLimit"] = dir.SizeLimit.String()
		}
	}
	if volume := bucket.Cache.Ephemeral; volume != nil {
		attributes["cache"] = "ephemeral"
		attributes["cacheEphemeralStorageClassName"] = volume.StorageClassName
		attributes["cacheEphemeralStorageResourceRequest"] = volume.StorageRequest.String()
	}
	return attributes
}

// s3Options returns the options of Mountpoint, each as "name" or "name value". Test files are deleted through the
// mount, and belong to the pods' user: Mountpoint has no other owners, and lets nobody else in by itself.
func s3Options(sb *v1alpha1.StorageBenchmark, t *v1alpha1.Target, user User) []string {
	bucket := t.S3
	options := append([]string{"prefix " + S3Prefix(sb, t), "allow-delete", "allow-other"}, s3Owner(user)...)
	if bucket.Region != nil {
		options = append(options, "region "+*bucket.Region)
	}
	if bucket.EndpointURL != nil {
		// Not with a blank: the driver divides at the first equals sign that there is, which a URL may have.
		options = append(options, "endpoint-url="+*bucket.EndpointURL)
	}
	if ptr.Deref(bucket.ForcePathStyle, false) {
		options = append(options, "force-path-style")
	}
	return append(options, bucket.MountOptions...)
}

// s3Owner has files belong to the pods' user. Mountpoint knows no root: for that user everybody may write.
func s3Owner(user User) []string {
	if user.UID == 0 || user.GID == 0 {
		return []string{"dir-mode 0777", "file-mode 0666"}
	}
	return []string{fmt.Sprintf("uid %d", user.UID), fmt.Sprintf("gid %d", user.GID)}
}

package storage

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/aws"
)

// validateEBS refuses what AWS or the driver would refuse of an EBS volume, or would silently change.
func validateEBS(path *field.Path, t *v1alpha1.Target) field.ErrorList {
	at := path.Child("ebs")
	errs := validateKey(at, t.EBS)
	if t.EBS.FSType != nil && VolumeMode(t) == corev1.PersistentVolumeBlock {
		errs = append(errs, field.Forbidden(at.Child("fsType"), "a raw block volume has no file system: remove it, or volumeMode"))
	}
	errs = append(errs, validateTags(at.Child("tags"), t.EBS.Tags)...)
	found := ebsVolume(t).Problems()
	if t.VolumeAttributesClassName != nil { // of which the rest comes
		found = slices.DeleteFunc(found, func(p aws.Problem) bool { return p.Field != aws.FieldCapacity })
		if t.EBS.IOPS != nil || t.EBS.IOPSPerGB != nil || t.EBS.Throughput != nil {
			errs = append(errs, field.Forbidden(path.Child("volumeAttributesClassName"), "iops and throughput come from it: remove them from ebs, or remove this"))
		}
	}
	return append(errs, problems(path, "ebs", t, found)...)
}

func validateKey(path *field.Path, v *v1alpha1.EBSVolume) field.ErrorList {
	at := path.Child("kmsKeyID")
	switch {
	case v.KMSKeyID == nil:
	case len(*v.KMSKeyID) > maxKeyLength:
		return field.ErrorList{field.TooLong(at, "", maxKeyLength)}
	case !keyARN.MatchString(*v.KMSKeyID):
		return field.ErrorList{field.Invalid(at, *v.KMSKeyID, "set the ARN of a key or of an alias, such as "+
			"arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab")}
	case !ptr.Deref(v.Encrypted, false):
		return field.ErrorList{field.Invalid(at, *v.KMSKeyID, "a key is for encrypted volumes: set encrypted: true, or remove it")}
	}
	return nil
}

// keyARN matches what EC2 can take for a key. With a key that does not exist it makes the volume, which fails later, and
// the driver cannot say why.
var keyARN = regexp.MustCompile(
	`^arn:aws[a-zA-Z0-9-]*:kms:[a-z0-9-]+:[0-9]{12}:(key/[a-zA-Z0-9-]+|alias/[a-zA-Z0-9/_-]+)$`)

const (
	// maxKeyLength is the length of the ARN of a key, in the API of KMS.
	maxKeyLength = 2048
	// A volume has 50 tags at most, of which AWS and the driver set some. Keys and values are counted in characters.
	// https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/Using_Tags.html#tag-restrictions
	maxTags, maxTagKey, maxTagValue = 32, 128, 256
)

// Tags that AWS and the driver (v1.64.0, validateExtraTags in pkg/driver/validation.go, read 2026-11-24) set themselves.
var (
	reservedTagPrefixes = []string{"kubernetes.io", EBSDriver + "/"}
	reservedTags        = []string{"CSIVolumeName", "CSIVolumeSnapshotName"}
)

func validateTags(path *field.Path, tags map[string]v1alpha1.TagValue) field.ErrorList {
	var errs field.ErrorList
	if len(tags) > maxTags {
		errs = append(errs, field.TooMany(path, len(tags), maxTags))
	}
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		if why := whyNotTagKey(key); why != "" {
			errs = append(errs, field.Invalid(path, key, why))
		}
		switch value := string(tags[key]); {
		case utf8.RuneCountInString(value) > maxTagValue:
			errs = append(errs, field.TooLong(path.Key(key), "", maxTagValue))
		case strings.Contains(value, "{{"):
			errs = append(errs, field.Invalid(path.Key(key), value, "the driver takes the value of a tag as a template, in which {{ begins an action: write it without {{"))
		}
	}
	return errs
}

// whyNotTagKey says why a tag cannot have a key, "" if it can.
func whyNotTagKey(key string) string {
	switch {
	case key == "" || utf8.RuneCountInString(key) > maxTagKey:
		return "the key of a tag has 1 to 128 characters"
	case strings.Contains(key, "="):
		return "the key of a tag has no =, with which the driver begins the value: remove it"
	case slices.Contains(reservedTags, key),
		slices.ContainsFunc(reservedTagPrefixes, func(p string) bool { return strings.HasPrefix(key, p) }),
		strings.HasPrefix(strings.ToLower(key), "aws:"): // in any case
		return "AWS or the driver sets this tag: choose another key"
	}
	return ""
}

// ClashOfAttributes says why the driver refuses a volume of a StorageClass with the attributes of a VolumeAttributesClass, "" if it does not:
// it takes a figure for the volume or one for each GiB (v1.64.0, CreateDisk in pkg/cloud/cloud.go, read 2026-11-24).
func ClashOfAttributes(class Class) string {
	if class.Driver != EBSDriver {
		return ""
	}
	own := withParameters(aws.Volume{}, class.Parameters)
	set := withAttributes(aws.Volume{}, class.Attributes)
	if ptr.Deref(own.IOPSPerGiB, 0) <= 0 || ptr.Deref(set.IOPS, 0) <= 0 {
		return ""
	}
	return "it sets iops, and the StorageClass sets iopsPerGB; the driver takes only one of them: name a StorageClass without iopsPerGB, or remove this"
}

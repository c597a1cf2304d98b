package storage

import (
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// sentToS3 are the options of Mountpoint whose values it sends to S3 as they are, with what S3 takes. With another value
// the mount succeeds, and the first write fails.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObject.html
var sentToS3 = map[string]struct {
	value  *regexp.Regexp
	remedy string
}{
	"storage-class": {
		regexp.MustCompile(`^(STANDARD|REDUCED_REDUNDANCY|(STANDARD|ONEZONE)_IA|INTELLIGENT_TIERING|GLACIER_IR|OUTPOSTS|EXPRESS_ONEZONE)$`),
		"name a storage class whose objects can be read at once, such as STANDARD_IA",
	},
	"sse":                   {regexp.MustCompile(`^(AES256|aws:kms|aws:kms:dsse)$`), "set AES256, aws:kms or aws:kms:dsse"},
	"sse-kms-key-id":        {keyARN, "set the ARN of a key"},
	"expected-bucket-owner": {regexp.MustCompile(`^[0-9]{12}$`), "set the 12 digits of an account"},
}

// validateS3 refuses what Amazon S3 would refuse of a bucket's options. Other stores have rules of their own.
func validateS3(path *field.Path, bucket *v1alpha1.S3Bucket) field.ErrorList {
	if bucket.EndpointURL != nil {
		return nil
	}
	var errs field.ErrorList
	for i, option := range bucket.MountOptions {
		name, value, _ := strings.Cut(strings.ReplaceAll(strings.TrimPrefix(option, "--"), "=", " "), " ")
		rule, ok := sentToS3[name]
		if ok && !rule.value.MatchString(strings.TrimSpace(value)) {
			at := path.Child("mountOptions").Index(i)
			errs = append(errs, field.Invalid(at, option, "S3 does not take this value: "+rule.remedy))
		}
	}
	return errs
}

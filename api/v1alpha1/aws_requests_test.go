package v1alpha1_test

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/test/envtest"
)

// awsShapes is made by hack/awsshapes from the service models by which AWS checks requests.
//
//go:embed testdata/awsshapes.json
var awsShapes []byte

// awsShape is what a service model says of a value.
type awsShape struct {
	Service, Name, Pattern string
	Min, Max               *int64
	Enum                   []string

	expression *regexp.Regexp
}

// withoutLookahead are the patterns that Go's regular expressions lack something for, in words that they have. When a
// model changes, its pattern is no longer here, and the test fails.
var withoutLookahead = map[string]string{
	"^(\\/|(\\/(?!\\.)+[^$#<>;`|&?{}^*/\\n]+){1,4})$": "^(/|(/[^.$#<>;`|&?{}^*/\\n][^$#<>;`|&?{}^*/\\n]*){1,4})$",
}

func readShapes(t *testing.T) map[string]*awsShape {
	t.Helper()
	var all []*awsShape
	if err := json.Unmarshal(awsShapes, &all); err != nil {
		t.Fatal(err)
	}
	shapes := map[string]*awsShape{}
	for _, shape := range all {
		pattern, ok := withoutLookahead[shape.Pattern]
		if !ok {
			pattern = shape.Pattern
		}
		shape.expression = regexp.MustCompile("^(?:" + pattern + ")$")
		shapes[shape.Service+"/"+shape.Name] = shape
	}
	return shapes
}

// takes reports whether AWS takes a string.
func (s *awsShape) takes(value string) bool {
	length := int64(utf8.RuneCountInString(value))
	switch {
	case s.Min != nil && length < *s.Min, s.Max != nil && length > *s.Max:
		return false
	case s.Pattern != "" && !s.expression.MatchString(value):
		return false
	}
	return len(s.Enum) == 0 || slices.Contains(s.Enum, value)
}

// takesNumber reports whether AWS takes a number.
func (s *awsShape) takesNumber(value int64) bool {
	return (s.Min == nil || value >= *s.Min) && (s.Max == nil || value <= *s.Max)
}

// awsRequest is a field whose value ends up in a request to AWS.
type awsRequest struct {
	// field of a target, such as efs.basePath.
	field string
	// shape of the value, as SERVICE/NAME.
	shape string
	// target returns the rest of a target with a value, which is JSON.
	target func(value string) string
	// sized returns a string of that many characters that is good in all other respects. Nil: sizes are not tried.
	sized func(length int) string
	// sent returns what AWS gets of a value. Nil: the value itself.
	sent func(value string) string
	// values are tried beside the values of the shape and those at its bounds.
	values []string
	// narrower and wider match values that AWS takes and we do not, and the other way round, each with the reason.
	narrower, wider map[string]string
}

const (
	keyPrefix = "arn:aws:kms:eu-central-1:111122223333:"
	apPrefix  = "arn:aws:s3:eu-central-1:111122223333:accesspoint/"
	efsTarget = "efs: {fileSystemID: fs-01234567, "
	s3Target  = "s3: {bucket: my-bucket, "
)

// padded returns strings that begin with a prefix and have that many characters in all.
func padded(prefix, with string) func(int) string {
	return func(length int) string { return prefix + strings.Repeat(with, max(length-len(prefix), 0)) }
}

// option returns the target on a bucket with an option of Mountpoint.
func option(name string) func(string) string {
	return func(value string) string {
		text, err := strconv.Unquote(value)
		if err != nil {
			text = value
		}
		return s3Target + "mountOptions: [" + strconv.Quote(name+" "+text) + "]}"
	}
}

func efsField(name string) func(string) string {
	return func(value string) string { return efsTarget + name + ": " + value + "}" }
}

func s3Field(name string) func(string) string {
	return func(value string) string { return s3Target + name + ": " + value + "}" }
}

const (
	noSuchRegion = "no region has such a name"
	byID         = "the driver mounts by the ID, which it makes a host name of"
)

var awsRequests = []awsRequest{{
	field: "ebs.type", shape: "ec2/VolumeType", values: []string{"gp4", "GP3"},
	target: func(value string) string {
		iops := ""
		if strings.HasPrefix(value, `"io`) {
			iops = ", iops: 1000"
		}
		return "ebs: {type: " + value + iops + "}, capacity: 200Gi"
	},
}, {
	field: "ebs.kmsKeyID", shape: "s3control/NonEmptyKmsKeyArnString", sized: padded(keyPrefix+"key/", "a"),
	target: func(value string) string { return "ebs: {encrypted: true, kmsKeyID: " + value + "}" },
	values: []string{
		"1234abcd-12ab-34cd-56ef-1234567890ab", "alias/mine", keyPrefix + "alias/mine", keyPrefix + "grant/mine",
		"arn:aws-us-gov:kms:us-gov-west-1:111122223333:key/mrk-1", "arn:aws:kms:x:1:key/2", "arn:aws:s3:::bucket-of-mine",
		" " + keyPrefix + "key/a",
	},
	wider: map[string]string{":alias/": "EC2 takes the ARN of an alias as well, says its CreateVolume"},
}, {
	field: "ebs.tags", shape: "resourcegroupstaggingapi/TagKey", sized: padded("", "ä"),
	target: func(value string) string { return "ebs: {tags: {" + value + ": v}}" },
	values: []string{
		"team", "a b", "aws:x", "AWS:x", "awsome", "a=b", "kubernetes.io/x", "ebs.csi.aws.com/x",
		"CSIVolumeName", "CSIVolumeSnapshotName",
	},
	narrower: map[string]string{
		"^(?i)aws:": "AWS keeps the prefix to itself, in any case (TagKey of efs has it)",
		"=":         "the driver takes key=value",
		"^kubernetes.io|^ebs.csi.aws.com/|^CSIVolume(Snapshot)?Name$": "the driver sets them",
	},
}, {
	field: "ebs.tags", shape: "resourcegroupstaggingapi/TagValue", sized: padded("", "ä"),
	values:   []string{"a=b", "aws:x", "{{ .x }}"},
	target:   func(value string) string { return "ebs: {tags: {team: " + value + "}}" },
	narrower: map[string]string{"{{": "the driver takes it for a template"},
}, {
	field: "efs.fileSystemID", shape: "efs/FileSystemId", sized: padded("fs-", "a"),
	target: func(value string) string { return "efs: {fileSystemID: " + value + "}" },
	values: []string{
		"fs-01234567", "fs-" + strings.Repeat("0", 40), "fs-" + strings.Repeat("0", 41), "fs-0123456",
		"fs-0123456G", "FS-01234567", "fsap-01234567",
		"arn:aws:elasticfilesystem:eu-central-1:111122223333:file-system/fs-01234567",
	},
	narrower: map[string]string{"^arn:": byID},
}, {
	field: "efs.accessPointID", shape: "efs/AccessPointId", sized: padded("fsap-", "a"),
	target: efsField("provisioning: Static, accessPointID"),
	values: []string{
		"fsap-01234567", "fsap-" + strings.Repeat("0", 40), "fsap-" + strings.Repeat("0", 41), "fsap-0123456", "fs-01234567",
		"arn:aws:elasticfilesystem:eu-central-1:111122223333:access-point/fsap-01234567",
	},
	narrower: map[string]string{"^arn:": byID},
}, {
	field: "efs.directoryPerms", shape: "efs/Permissions", sized: padded("", "7"), target: efsField("directoryPerms"),
	values: []string{"0700", "000", "778", "rwx"},
}, {
	field: "efs.uid", shape: "efs/Uid", target: efsField("gid: 1, uid"),
}, {
	field: "efs.gid", shape: "efs/Gid", target: efsField("uid: 1, gid"),
}, {
	field: "efs.gidRangeStart", shape: "efs/Gid",
	target: func(value string) string { return efsTarget + "gidRangeEnd: 4294967295, gidRangeStart: " + value + "}" },
	narrower: map[string]string{
		"^0$": "the driver takes 0 for no range", "^4294967295$": "nothing is left for gidRangeEnd",
	},
}, {
	field: "efs.gidRangeEnd", shape: "efs/Gid", target: efsField("gidRangeStart: 1, gidRangeEnd"),
	narrower: map[string]string{"^0$": "the driver takes 0 for no range", "^1$": "it is no more than gidRangeStart"},
}, {
	field: "efs.basePath", shape: "efs/Path", target: efsField("basePath"),
	// The driver adds a directory that has the name of the PersistentVolume.
	sent: func(value string) string { return value + "/pvc-01234567-89ab-cdef-0123-456789abcdef" },
	sized: func(length int) string {
		return padded("/", "a")(max(length-len("/pvc-01234567-89ab-cdef-0123-456789abcdef"), 0))
	},
	values: append([]string{
		"/a", "/a/b/c", "/a/b/c/d", "a", "/a/", "//a", "/a/..", "/.a", "/a.b", "/a b", "/a:b", "/a\\b", "/ä", "/a\nb", "/a\tb", "/a'b",
	}, strings.Split("/a$ /a# /a< /a> /a; /a` /a| /a& /a? /a{ /a} /a^ /a* /a% /a! /a~ /a@ /a+ /a=", " ")...),
}, {
	field: "s3.bucket", shape: "s3control/BucketName", sized: padded("", "a"),
	target: func(value string) string { return "s3: {bucket: " + value + "}" },
	values: []string{"my-bucket", "my.bucket.1", "a..b", "192.168.5.4", "-ab", "ab-", "my_bucket", "My-bucket", "s3://bucket"},
	narrower: map[string]string{
		"^.{64,}$|[A-Z_]|[/:]|^-|-$|[.][.]|^[0-9.]+$": "no new bucket has such a name: " +
			"https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html",
	},
}, {
	field: "s3.bucket", shape: "s3control/S3AccessPointArn", sized: padded(apPrefix, "a"),
	target: func(value string) string { return "s3: {bucket: " + value + "}" },
	values: []string{
		apPrefix + "mine", "arn:aws:s3:eu-central-1:111122223333:accesspoint:mine",
		"arn:aws:s3::111122223333:accesspoint/m.mrap",
		"arn:aws:s3-outposts:eu-central-1:111122223333:outpost/op-1/accesspoint/mine",
		"arn:aws-cn:s3:cn-north-1:111122223333:accesspoint/mine",
		"arn:aws:s3-object-lambda:eu-central-1:111122223333:accesspoint/mine", "arn:aws:s3:::my-bucket", "arn:aws:s3express:x",
	},
	narrower: map[string]string{
		"^arn:aws:s3:::|s3express": "it is no access point, which the model does not check",
		"accesspoint/$":            "no access point has an empty name",
	},
}, {
	field: "s3.prefix", shape: "s3/ObjectKey", target: s3Field("prefix"),
	sent: func(value string) string { return value + "sb-1/file" },
	values: []string{
		"", "a", "a/", "/", "/a/", "a//b/", "a/../b/", "ä/", "a b/", strings.Repeat("a", 511) + "/", strings.Repeat("a", 512) + "/",
	},
	narrower: map[string]string{
		"^$": "without a prefix the field is left out", "[^/]$": "it would be the beginning of names, and not a directory",
		"^/|//|[.][.]": "Mountpoint has no such directories", "[ä ]": "S3 asks to avoid them, and the driver divides options at blanks",
		"^.{513,}$": "keys have 1,024 bytes, of which the benchmark's own part needs some",
	},
}, {
	field: "s3.region", shape: "account/RegionName", sized: padded("", "a"), target: s3Field("region"),
	values:   []string{"eu-central-1", "us-gov-west-1", "EU", "eu_central", "eu-", "a b"},
	narrower: map[string]string{"[A-Z_ ]|-$": noSuchRegion},
}, {
	field: "s3.region", shape: "s3/BucketLocationConstraint", target: s3Field("region"),
	narrower: map[string]string{"^EU$": "it is the old name of eu-west-1, and no region"},
}, {
	field: "s3.stsRegion", shape: "account/RegionName", sized: padded("", "a"),
	target: s3Field("authenticationSource: pod, stsRegion"),
	values: []string{"eu-central-1", "EU"}, narrower: map[string]string{"[A-Z]": noSuchRegion},
}, {
	field: "s3.mountOptions", shape: "s3/StorageClass", target: option("storage-class"),
	values: []string{"standard", "COLD"},
	narrower: map[string]string{
		"^(GLACIER|DEEP_ARCHIVE)$":     "objects have to be restored before they can be read",
		"^(SNOW|FSX_.*|AWS_BACKUP_.*)": "other services write such objects",
	},
}, {
	field: "s3.mountOptions", shape: "s3/ServerSideEncryption", target: option("sse"), values: []string{"aes256", "none"},
	narrower: map[string]string{"^aws:(fsx|backup)$": "other services write such objects"},
}, {
	field: "s3.mountOptions", shape: "s3control/NonEmptyKmsKeyArnString", target: option("sse-kms-key-id"),
	values: []string{keyPrefix + "key/a", keyPrefix + "alias/a", "alias/a"},
	wider:  map[string]string{":alias/": "S3 takes the ARN of an alias as well"},
}, {
	field: "s3.mountOptions", shape: "s3control/AccountId", sized: padded("", "1"),
	target: option("expected-bucket-owner"),
	values: []string{"111122223333", "11112222333", "1111222233334", "1111-2222-333"},
}}

// noRequests are the other fields of AWS's storage, with the reasons why no model bounds what AWS gets of them.
var noRequests = map[string]string{
	"ebs.iops":                  "the model has no bounds: TestEBSRulesAgreeWithTheTable",
	"ebs.iopsPerGB":             "the driver makes IOPS of it",
	"ebs.throughput":            "the model has no bounds: TestEBSRulesAgreeWithTheTable",
	"ebs.encrypted":             "a boolean",
	"ebs.fsType":                "for the node",
	"efs.provisioning":          "for the operator",
	"efs.fileSystemType":        "for the operator",
	"efs.throughputMode":        "for the analysis",
	"efs.performanceMode":       "for the analysis",
	"efs.provisionedThroughput": "for the analysis",
	"efs.meteredSize":           "for the analysis",
	"efs.encryptInTransit":      "for the mount",
	"efs.mountOptions":          "for the mount",
	"s3.endpointURL":            "of other stores",
	"s3.forcePathStyle":         "a boolean",
	"s3.authenticationSource":   "for the driver",
	"s3.cache":                  "for the node",
}

// AWS accepts all that we accept, and we accept all that AWS accepts, unless a reason is given.
func TestRequestsToAWS(t *testing.T) {
	shapes, c := readShapes(t), envtest.Client(t)
	atOnce := make(chan struct{}, 8)
	for _, request := range awsRequests {
		shape, ok := shapes[request.shape]
		if !ok {
			t.Errorf("%s: there is no shape %s", request.field, request.shape)
			continue
		}
		var wait sync.WaitGroup
		var used sync.Map
		for value, taken := range request.tried(shape) {
			wait.Go(func() {
				atOnce <- struct{}{}
				defer func() { <-atOnce }()
				request.compare(t, c, value, taken, &used)
			})
		}
		wait.Wait()
		for pattern := range maps.Keys(request.narrower) {
			if _, ok := used.Load(pattern); !ok {
				t.Errorf("%s: no value needs the reason of %q", request.field, pattern)
			}
		}
	}
}

// tried returns values as JSON, each with whether AWS takes it.
func (r *awsRequest) tried(shape *awsShape) map[string]bool {
	tried := map[string]bool{}
	if r.sized == nil && len(r.values) == 0 && len(shape.Enum) == 0 {
		for _, bound := range []int64{*shape.Min, *shape.Max} {
			for number := bound - 1; number <= bound+1; number++ {
				tried[strconv.FormatInt(number, 10)] = shape.takesNumber(number)
			}
		}
		return tried
	}
	values := slices.Concat(shape.Enum, r.values)
	for _, bound := range []*int64{shape.Min, shape.Max} {
		for by := -1; bound != nil && r.sized != nil && by <= 1; by++ {
			values = append(values, r.sized(max(int(*bound)+by, 0)))
		}
	}
	for _, value := range values {
		text, err := json.Marshal(value)
		if err != nil {
			panic(err)
		}
		sent := value
		if r.sent != nil {
			sent = r.sent(value)
		}
		tried[string(text)] = shape.takes(sent)
	}
	return tried
}

// compare holds our judgement of a value to AWS's, and notes the reasons that it used.
func (r *awsRequest) compare(t *testing.T, c client.Client, value string, taken bool, used *sync.Map) {
	refusal := refusalOf(t, c, r.target(value))
	reasons, kind := r.narrower, "AWS accepts it, and we do not"
	switch {
	case taken == (refusal == nil):
		return
	case refusal == nil:
		reasons, kind = r.wider, "we accept it, and AWS does not"
	}
	plain := value
	if text, err := strconv.Unquote(value); err == nil {
		plain = text
	}
	for pattern := range reasons {
		if regexp.MustCompile(pattern).MatchString(plain) {
			used.Store(pattern, true)
			return
		}
	}
	t.Errorf("%s (%s): %.200s: %s: %v", r.field, r.shape, value, kind, refusal)
}

// refusalOf returns why the API server or the plan refuses a target, nil if neither does.
func refusalOf(t *testing.T, c client.Client, fields string) error {
	sb := benchmark(t, target(fields))
	typed := &v1alpha1.StorageBenchmark{}
	if err := c.Create(t.Context(), sb, client.DryRunAll); apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) {
		return err
	} else if err != nil {
		t.Error(err)
		return nil
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(sb.Object, typed); err != nil {
		t.Error(err)
		return nil
	}
	_, problems := plan.Runs(&typed.Spec, nil)
	return problems.ToAggregate()
}

// Each field of AWS's storage is held to a model, or there is a reason why it is not.
func TestEachFieldForAWS(t *testing.T) {
	known := maps.Clone(noRequests)
	for _, request := range awsRequests {
		known[request.field] = request.shape
	}
	kinds := map[string]any{"ebs": v1alpha1.EBSVolume{}, "efs": v1alpha1.EFSFileSystem{}, "s3": v1alpha1.S3Bucket{}}
	for prefix, kind := range kinds {
		for member := range reflect.TypeOf(kind).Fields() {
			name, _, _ := strings.Cut(member.Tag.Get("json"), ",")
			field := fmt.Sprintf("%s.%s", prefix, name)
			if known[field] == "" {
				t.Errorf("%s: does it end up in a request to AWS? Add it to awsRequests or noRequests", field)
			}
			delete(known, field)
		}
	}
	for field := range known {
		t.Errorf("there is no field %s", field)
	}
}

package documented

import (
	"strings"
	"testing"
)

// asOptions writes arguments of mount-s3 in the form of mount options, name=value.
func asOptions(arguments []string) []string {
	var options []string
	for _, argument := range arguments {
		argument = strings.TrimPrefix(argument, "--")
		if at := strings.IndexAny(argument, " ="); at > 0 {
			argument = argument[:at] + "=" + argument[at+1:]
		}
		options = append(options, argument)
	}
	return options
}

func TestMountOptionsOfS3(t *testing.T) {
	d := get(t, s3)
	tests := map[string]struct {
		options []string
		fails   string
	}{
		"none":                        {},
		"the driver's example":        {options: []string{"allow-delete", "region us-west-2", "aws-max-attempts 5"}},
		"as a user":                   {options: []string{"uid=1000", "gid=2000", "allow-other"}},
		"with dashes":                 {options: []string{"--allow-delete", "--prefix a/b/"}},
		"another store":               {options: []string{"endpoint-url http://127.0.0.1:7070", "force-path-style", "region us-east-1"}},
		"an equals sign in a value":   {options: []string{"endpoint-url http://h/?a=b"}},
		"a space in a value":          {options: []string{"otlp-endpoint=http://h:4318/a b"}},
		"an interface":                {options: []string{"bind ens0"}},
		"no value":                    {options: []string{"prefix"}, fails: "documented form"},
		"a value too many":            {options: []string{"allow-delete=true"}, fails: "takes no value"},
		"a prefix without slash":      {options: []string{"prefix a"}, fails: "documented form"},
		"unknown":                     {options: []string{"allow-rename"}, fails: `"allow-rename": not documented`},
		"case":                        {options: []string{"Allow-Delete"}, fails: "not documented"},
		"one dash":                    {options: []string{"-region us-east-1"}, fails: "not documented"},
		"of fstab":                    {options: []string{"fstab-options allow-delete"}, fails: "refused by"},
		"foreground":                  {options: []string{"foreground"}, fails: "dropped by"},
		"cache":                       {options: []string{"cache /tmp"}, fails: "replaced by"},
		"auto-unmount":                {options: []string{"auto-unmount"}, fails: "refused by"},
		"newer than the image":        {options: []string{"infer-content-type"}, fails: "refused by"},
		"twice":                       {options: []string{"region a", "--region=b"}, fails: "given twice"},
		"both":                        {options: []string{"allow-root", "allow-other"}, fails: "only one of"},
		"a key without its kind":      {options: []string{"sse-kms-key-id arn:aws:kms:a:1:key/b"}, fails: `needs "sse"`},
		"root as owner":               {options: []string{"uid=0"}, fails: "documented form"},
		"two in one":                  {options: []string{"allow-delete,allow-overwrite"}, fails: "not documented"},
		"a feature that is not built": {options: []string{"max-memory-target 1024"}, fails: "not documented"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { expect(t, d.CheckMountOptions(asOptions(test.options)), test.fails) })
	}
}

func TestMountOptionsOfEFS(t *testing.T) {
	d := get(t, EFS)
	tests := map[string]struct {
		options []string
		fails   string
	}{
		"none":             {},
		"usual":            {options: []string{"tls", "iam", "lookupcache=pos", "noresvport"}},
		"case":             {options: []string{"TLS"}},
		"with a profile":   {options: []string{"awsprofile=a", "iam"}},
		"no iam":           {options: []string{"awsprofile=a"}, fails: `needs "iam"`},
		"a value":          {options: []string{"rsize=1048576", "lookupcache=none"}},
		"no value":         {options: []string{"region"}, fails: "empty"},
		"nothing as one":   {options: []string{"tls="}, fails: "without a value"},
		"a value too many": {options: []string{"tls=true"}, fails: "takes no value"},
		"another form":     {options: []string{"rsize=1M"}, fails: "documented form"},
		"twice":            {options: []string{"region=a", "region=b"}, fails: "given twice"},
		"in two cases":     {options: []string{"region=a", "Region=b"}, fails: "the same as"},
		"both":             {options: []string{"hard", "soft"}, fails: "only one of"},
		"dropped":          {options: []string{"awscredsuri=/a"}, fails: "dropped by"},
		"crossaccount":     {options: []string{"crossaccount"}, fails: "refused by"},
		"an access point":  {options: []string{"accesspoint=fsap-068c22f0246419f75"}, fails: "refused by"},
		"without TLS":      {options: []string{"notls"}, fails: "refused by"},
		"of S3":            {options: []string{"allow-delete"}, fails: "not documented"},
		"two in one":       {options: []string{"tls,iam"}, fails: "not documented"},
		"a space":          {options: []string{"region us-east-1"}, fails: "not documented"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { expect(t, d.CheckMountOptions(test.options), test.fails) })
	}
}

package storage

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// documented is a table of what a CSI driver documents, which the local stand-ins are held to as well. See the
// README beside the tables.
type documented struct {
	StorageClassParameters, VolumeAttributes, MountOptions section
	VolumeHandles                                          []struct{ Pattern string }
}

type section struct {
	CaseSensitive bool
	Entries       []entry
}

type entry struct {
	Name, Pattern, Handling string
	Values                  []string
	Prefix, TakesValue      bool
	Required                bool
}

func readDocumented(t *testing.T, name string) documented {
	t.Helper()
	text, err := os.ReadFile("../../test/localcluster/internal/documented/" + name + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	var table documented
	if err := yaml.Unmarshal(text, &table); err != nil {
		t.Fatal(err)
	}
	if len(table.VolumeHandles) == 0 {
		t.Fatalf("%s.yaml has no volume handles: has its form changed?", name)
	}
	return table
}

// check says what of a name and its value a driver does not document.
func (s section) check(name, value string) string {
	for _, e := range s.Entries {
		if !e.names(name, s.CaseSensitive) {
			continue
		}
		switch {
		case e.Handling != "":
			return "the driver does not take " + name + ": " + e.Handling
		case len(e.Values) > 0 && !slices.Contains(e.Values, value):
			return name + " has the values " + strings.Join(e.Values, ", ") + ", not " + value
		case e.Pattern != "" && !regexp.MustCompile(e.Pattern).MatchString(value):
			return name + " must match " + e.Pattern + ", and is " + value
		}
		return ""
	}
	return name + " is not documented"
}

func (e entry) names(name string, caseSensitive bool) bool {
	if !caseSensitive && !e.Prefix {
		return strings.EqualFold(e.Name, name)
	}
	return e.Name == name || (e.Prefix && strings.HasPrefix(name, e.Name))
}

// missing returns what a driver requires and is not given.
func (s section) missing(given map[string]string) []string {
	var names []string
	for _, e := range s.Entries {
		if _, ok := given[e.Name]; e.Required && !ok {
			names = append(names, e.Name)
		}
	}
	return names
}

// Everything that drivers are told is something that they document, by its name and with such a value.
func TestOnlyDocumentedParameters(t *testing.T) {
	tables := map[string]documented{EBSDriver: readDocumented(t, "ebs"), EFSDriver: readDocumented(t, "efs"), S3Driver: readDocumented(t, "s3")}
	for _, text := range []string{
		`{name: t, ebs: {type: gp3, iops: 4000, throughput: 200, encrypted: true, kmsKeyID: "arn:aws:kms:eu-west-1:111122223333:key/2", fsType: xfs, tags: {team: a, empty: ""}}}`,
		`{name: t, ebs: {type: io2, iopsPerGB: 100, encrypted: false, fsType: ext3}}`,
		`{name: t, ebs: {type: standard, fsType: ext4}}`,
		`{name: t, efs: {fileSystemID: fs-01234567}}`,
		`{name: t, efs: {fileSystemID: fs-0123456789abcdef0, directoryPerms: "755", uid: 1, gid: 2, gidRangeStart: 3, gidRangeEnd: 4, basePath: /b, mountOptions: [iam]}}`,
		`{name: t, efs: {fileSystemID: fs-01234567, provisioning: Static, encryptInTransit: false}}`,
		`{name: t, efs: {fileSystemID: fs-01234567, provisioning: Static, accessPointID: fsap-01234567}}`,
		`{name: t, s3: {bucket: my-bucket}}`,
		`{name: t, s3: {bucket: my-bucket, prefix: a/b/, region: eu-central-1, endpointURL: "https://s3.example.com", forcePathStyle: true, authenticationSource: pod, stsRegion: eu-west-1,
  cache: {emptyDir: {sizeLimit: 1Gi, medium: Memory}}, mountOptions: [max-threads 32, read-part-size=1048576]}}`,
		`{name: t, s3: {bucket: my-bucket, authenticationSource: driver, cache: {ephemeral: {storageClassName: c, storageRequest: 2Gi}}}}`,
	} {
		sb, target := benchmark(t, text)
		for _, user := range []User{{UID: 1000, GID: 2000}, {}} {
			for _, problem := range tables[Driver(target)].problems(For(sb, target, user)) {
				t.Errorf("%s: %s", text, problem)
			}
		}
	}
}

func (d documented) problems(objects Objects) []string {
	var found []string
	if class := objects.Class; class != nil {
		for name, value := range class.Parameters {
			if name != fsTypeParameter { // that one is external-provisioner's
				found = append(found, d.StorageClassParameters.check(name, value))
			}
		}
		found = append(append(found, d.StorageClassParameters.missing(class.Parameters)...), d.options(class.MountOptions)...)
	}
	if volume := objects.Volume; volume != nil {
		for name, value := range volume.Spec.CSI.VolumeAttributes {
			found = append(found, d.VolumeAttributes.check(name, value))
		}
		found = append(append(found, d.VolumeAttributes.missing(volume.Spec.CSI.VolumeAttributes)...), d.options(volume.Spec.MountOptions)...)
		if !slices.ContainsFunc(d.VolumeHandles, func(h struct{ Pattern string }) bool {
			return regexp.MustCompile(h.Pattern).MatchString(*volume.Spec.CSI.VolumeHandle)
		}) {
			found = append(found, "no form of volume handles: "+*volume.Spec.CSI.VolumeHandle)
		}
	}
	return slices.DeleteFunc(found, func(problem string) bool { return problem == "" })
}

func (d documented) options(options []string) []string {
	var found []string
	for _, option := range options {
		name, value, _ := strings.Cut(strings.ReplaceAll(option, "=", " "), " ")
		found = append(found, d.MountOptions.check(name, value))
	}
	return found
}

// The check above finds what is wrong.
func TestUndocumentedParameters(t *testing.T) {
	ebs, s3 := readDocumented(t, "ebs"), readDocumented(t, "s3")
	for _, problem := range []string{
		ebs.StorageClassParameters.check("volumeType", "gp3"), ebs.StorageClassParameters.check("iops", "many"), ebs.StorageClassParameters.check("type", "gp9"),
		s3.MountOptions.check("allow-everything", ""), s3.MountOptions.check("prefix", "no-slash"), s3.VolumeAttributes.check("bucketname", "b"),
	} {
		if problem == "" {
			t.Error("an undocumented name or value passes")
		}
	}
	if missing := s3.VolumeAttributes.missing(nil); !slices.Equal(missing, []string{"bucketName"}) {
		t.Errorf("without attributes %v are missing", missing)
	}
}

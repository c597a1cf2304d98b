package documented

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	storagev1 "k8s.io/api/storage/v1"
	"sigs.k8s.io/yaml"
)

// handle is a form of spec.csi.volumeHandle.
type handle struct{ Form, Pattern, Example, Source, Notes string }

// table is all that a file says of a driver.
type table struct {
	Driver

	Repository, Commit, Released, Read string
	// Engine is the program in the driver's image that takes the mount options, where it has documents of its own.
	Engine string

	StorageClassParameters fullSection `json:"storageClassParameters"`
	VolumeAttributes       fullSection `json:"volumeAttributes"`
	MutableParameters      fullSection `json:"mutableParameters"`
	MountOptions           fullSection `json:"mountOptions"`

	VolumeHandles []handle
	AccessModes   []struct {
		Mode, Source, Notes string
		VolumeModes         []string
	}
	// CSIDriver is the spec of the CSIDriver object that the chart makes with its default values.
	CSIDriver storagev1.CSIDriverSpec
	Messages  []struct{ When, Code, Text, Source string }
}

type fullSection struct {
	Section

	Form, Unknown string
	Open          bool
	Entries       []fullEntry `json:"entries"`
}

type fullEntry struct {
	Entry

	Short, Default, Since string
	Repeatable            bool
}

func (t table) sections() []fullSection {
	return []fullSection{t.StorageClassParameters, t.VolumeAttributes, t.MutableParameters, t.MountOptions}
}

// readTable reads a file, which may have nothing that the structs do not know.
func readTable(t *testing.T, name string) table {
	t.Helper()
	var read table
	readStrictly(t, name, &read)
	for _, section := range []*fullSection{&read.StorageClassParameters, &read.VolumeAttributes, &read.MutableParameters, &read.MountOptions} {
		for _, entry := range section.Entries {
			section.Section.Entries = append(section.Section.Entries, entry.Entry)
		}
		if err := compile(section.Section.Entries); err != nil {
			t.Fatal(err)
		}
	}
	return read
}

func readStrictly(t *testing.T, name string, into any) {
	t.Helper()
	raw, err := files.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(raw, into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

func TestKeysOfKubernetes(t *testing.T) {
	var keys struct {
		reserved

		Sources map[string]string
		Read    string
	}
	readStrictly(t, "kubernetes.yaml", &keys)
}

func drivers(t *testing.T) []table {
	t.Helper()
	return []table{readTable(t, "ebs.yaml"), readTable(t, "efs.yaml"), readTable(t, "s3.yaml")}
}

func TestTablesNameTheirSource(t *testing.T) {
	for _, d := range drivers(t) {
		t.Run(d.Name, func(t *testing.T) {
			if !regexp.MustCompile(`^v\d+\.\d+\.\d+$`).MatchString(d.Version) || len(d.Commit) != 40 {
				t.Errorf("version %q, commit %q", d.Version, d.Commit)
			}
			used := map[string]bool{"csidriver": true, "changelog": true}
			check := func(what, source string) {
				used[source] = true
				if !strings.HasPrefix(d.Sources[source], "https://") {
					t.Errorf("%s: source %q is none of the table", what, source)
				}
			}
			for _, section := range d.sections() {
				for _, entry := range section.Entries {
					check(entry.Name, entry.Source)
				}
			}
			for _, handle := range d.VolumeHandles {
				check(handle.Form, handle.Source)
			}
			for _, mode := range d.AccessModes {
				check(mode.Mode, mode.Source)
			}
			for _, message := range d.Messages {
				check(message.Text, message.Source)
			}
			for name, url := range d.Sources {
				if strings.HasPrefix(url, d.Repository+"/") && !strings.Contains(url, "/"+d.Version+"/") {
					t.Errorf("source %q is not of version %s: %s", name, d.Version, url)
				}
				if !used[name] {
					t.Errorf("nothing is from source %q", name)
				}
			}
		})
	}
}

func TestEntriesHoldTogether(t *testing.T) {
	for _, d := range drivers(t) {
		for _, section := range d.sections() {
			seen := map[string]bool{}
			for _, entry := range section.Entries {
				if seen[strings.ToLower(entry.Name)] {
					t.Errorf("%s: %q is there twice", d.Name, entry.Name)
				}
				seen[strings.ToLower(entry.Name)] = true
				found, _ := section.find(entry.Name)
				if err := found.checkValue(entry.Default); entry.Default != "" && err != nil {
					t.Errorf("%s: default of %q: %v", d.Name, entry.Name, err)
				}
				if len(entry.Values) > 0 && entry.Pattern != "" {
					t.Errorf("%s: %q has values and a pattern", d.Name, entry.Name)
				}
				if entry.Handling != "" && !slices.Contains([]string{"refused", "dropped", "replaced"}, entry.Handling) {
					t.Errorf("%s: %q has handling %q", d.Name, entry.Name, entry.Handling)
				}
				if _, ok := section.find(entry.Requires); entry.Requires != "" && !ok {
					t.Errorf("%s: %q requires %q, which is none", d.Name, entry.Name, entry.Requires)
				}
			}
			for _, name := range slices.Concat(slices.Concat(section.ExactlyOneOf...), slices.Concat(section.NotBoth...), slices.Concat(section.Together...)) {
				if !seen[strings.ToLower(name)] {
					t.Errorf("%s: a group names %q, which is none", d.Name, name)
				}
			}
			for _, name := range section.Undocumented {
				if entry, ok := section.find(name); ok && section.CaseSensitive {
					t.Errorf("%s: undocumented %q is entry %q", d.Name, name, entry.Name)
				}
			}
		}
	}
}

func TestMessagesHaveCodesOfGRPC(t *testing.T) {
	known := []string{"", "InvalidArgument", "NotFound", "Aborted", "Internal", "Unauthenticated", "ResourceExhausted"}
	for _, d := range drivers(t) {
		for _, message := range d.Messages {
			if !slices.Contains(known, message.Code) || message.When == "" || message.Text == "" {
				t.Errorf("%s: %+v", d.Name, message)
			}
		}
	}
}

func TestMountOptionsOfEBSAreThoseOfTheFileSystem(t *testing.T) {
	if options := readTable(t, "ebs.yaml").MountOptions; !options.Open || len(options.Entries) > 0 {
		t.Errorf("the table has %+v", options)
	}
}

func TestVolumeHandleExamples(t *testing.T) {
	for _, d := range drivers(t) {
		for _, handle := range d.VolumeHandles {
			if !regexp.MustCompile(handle.Pattern).MatchString(handle.Example) {
				t.Errorf("%s: example %q is not of form %s", d.Name, handle.Example, handle.Form)
			}
		}
	}
}

func TestCSIDriverOfTheCharts(t *testing.T) {
	want := map[string]struct{ attach, podInfo, republish bool }{
		"ebs.csi.aws.com": {attach: true},
		"efs.csi.aws.com": {},
		"s3.csi.aws.com":  {podInfo: true, republish: true},
	}
	for _, d := range drivers(t) {
		is := func(b *bool) bool { return b != nil && *b }
		spec := d.CSIDriver
		w := want[d.Name]
		if is(spec.AttachRequired) != w.attach || is(spec.PodInfoOnMount) != w.podInfo || is(spec.RequiresRepublish) != w.republish {
			t.Errorf("%s: %+v, want %+v", d.Name, spec, w)
		}
	}
}

func TestVolumeHandles(t *testing.T) {
	ebs, efs, s3 := readTable(t, "ebs.yaml"), readTable(t, "efs.yaml"), readTable(t, "s3.yaml")
	tests := map[string]struct {
		driver table
		handle string
		none   bool
	}{
		"ebs":                        {driver: ebs, handle: "vol-03c604538dd7d2f41"},
		"ebs, a name":                {driver: ebs, handle: "my-volume", none: true},
		"efs, the root":              {driver: efs, handle: "efs:fs-e8a95a42"},
		"efs, an access point":       {driver: efs, handle: "efs:fs-e8a95a42::fsap-068c22f0246419f75"},
		"efs, a path":                {driver: efs, handle: "efs:fs-e8a95a42:/dir1"},
		"efs, before version 3":      {driver: efs, handle: "fs-e8a95a42::fsap-068c22f0246419f75"},
		"efs, path before version 3": {driver: efs, handle: "fs-e8a95a42:/dir1"},
		"efs, one colon":             {driver: efs, handle: "efs:fs-e8a95a42:fsap-068c22f0246419f75:x", none: true},
		"efs, five fields":           {driver: efs, handle: "efs:fs-e8a95a42:/a:fsap-068c22f0246419f75:b", none: true},
		"efs, letters":               {driver: efs, handle: "efs:fs-xyz", none: true},
		"s3":                         {driver: s3, handle: "any-name"},
		"s3, empty":                  {driver: s3, none: true},
	}
	for name, test := range tests {
		matches := func(handle handle) bool {
			return regexp.MustCompile(handle.Pattern).MatchString(test.handle)
		}
		if is := slices.ContainsFunc(test.driver.VolumeHandles, matches); is == test.none {
			t.Errorf("%s: %q has a form of the table: %t", name, test.handle, is)
		}
	}
}

package documented

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

func drivers(t *testing.T) []Driver {
	t.Helper()
	var all []Driver
	for _, get := range []func() (Driver, error){EBS, EFS, S3} {
		driver, err := get()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, driver)
	}
	return all
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
				if entry.Default != "" && entry.checkValue(entry.Default) != nil {
					t.Errorf("%s: default of %q: %v", d.Name, entry.Name, entry.checkValue(entry.Default))
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

func TestVolumeHandleExamples(t *testing.T) {
	for _, d := range drivers(t) {
		for _, handle := range d.VolumeHandles {
			if !handle.expression.MatchString(handle.Example) {
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

package fio

import (
	"fmt"
	"math/big"
	"os/exec"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// namesOfFiles returns a job file of the API's 16 KiB whose sections name so many files each, each name as short as can be.
func namesOfFiles(rw string, sections, names int) string {
	text := "[global]\nsize=1M\n"
	for i := range sections {
		list := make([]string, names)
		for j := range list {
			list[j] = big.NewInt(int64(i*names + j)).Text(62)
		}
		text += fmt.Sprintf("[%d]\nrw=%s\nfilename=%s\n", i, rw, strings.Join(list, ":"))
	}
	return text
}

// starts says whether the kernel starts a program with job files as a container has them.
func starts(t *testing.T, job, layout string) bool {
	t.Helper()
	cmd := exec.Command("/bin/true")
	cmd.Env = []string{"STORAGEBENCH_JOB_FILE=" + job, "STORAGEBENCH_LAYOUT_FILE=" + layout}
	return cmd.Run() == nil
}

// Lists of names that have room in the API have none in the environment of a container when each has got its prefix.
func TestListsOfNamesOnAnObjectStore(t *testing.T) {
	volume := Volume{Directory: "/volume"}
	for _, test := range []struct {
		rw              string
		sections, names int
		want            string
	}{
		{"write", 4, 200, ""},
		{"read", 4, 200, ""},
		{"write", 16, 254, "the job file takes"},
		{"read", 16, 254, "the one that lays out what is read takes"},
	} {
		t.Run(fmt.Sprint(test.rw, test.sections), func(t *testing.T) {
			text := namesOfFiles(test.rw, test.sections, test.names)
			if len(text) > 16<<10 {
				t.Fatalf("%d bytes", len(text))
			}
			f := mustParse(t, text)
			if errs := Validate(nil, f, corev1.PersistentVolumeFilesystem, false); len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}
			got := ""
			if errs := ValidateOnObjectStore(nil, f); len(errs) > 0 {
				got = errs.ToAggregate().Error()
			}
			if (got == "") != (test.want == "") || !strings.Contains(got, test.want) || got != "" && !strings.Contains(got, "use fewer names") {
				t.Errorf("it says %q, want %q", got, test.want)
			}
			job := f.OnObjectStore().WithObjectNames("a").WithNamePrefix(longestPrefix).On(volume).String()
			layout := ""
			if l, _ := layoutOfObjects(f); l != nil {
				layout = l.WithNamePrefix(longestPrefix).On(volume).String()
			}
			if test.want == "" && (len(job)+len(layout) > 126<<10 || !starts(t, job, layout)) {
				t.Errorf("a container would be given %d and %d bytes", len(job), len(layout))
			}
			// With a small limit of the stack the kernel starts neither, with the usual one the one that reads.
			if test.want != "" && len(job)+len(layout) <= 128<<10 || test.rw == "write" && test.want != "" && starts(t, job, layout) {
				t.Errorf("a container can be given %d and %d bytes", len(job), len(layout))
			}
		})
	}
}

// What lays out the files of all runs is within its bound with the prefixes of clients too.
func TestLayoutOfObjectsWithPrefixes(t *testing.T) {
	var files []*JobFile
	for i := range 12 {
		text := strings.ReplaceAll(namesOfFiles("read", 1, 250), "[0]", fmt.Sprintf("[s%d]", i))
		files = append(files, mustParse(t, text))
	}
	if layout := LayoutObjects(files...); layout != nil {
		t.Errorf("a layout of %d bytes is made", len(layout.WithNamePrefix(longestPrefix).String()))
	}
	if layout := LayoutObjects(files[:2]...); layout == nil {
		t.Error("two files are not laid out")
	}
}

// Options of their largest size are more than a container can be given.
func TestLargestOptions(t *testing.T) {
	w := &v1alpha1.FioParameters{RW: "read", Size: new("1M"), Options: map[string]v1alpha1.FioOptionValue{}}
	f := FromParameters("a", w)
	if errs := Validate(nil, f, corev1.PersistentVolumeFilesystem, false); len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	sections := f.Sections()
	for i := range 70 {
		sections[0].Options = append(sections[0].Options, Option{Name: fmt.Sprint("o", i), Value: strings.Repeat("1", 1000), HasValue: true})
	}
	f = sections.File()
	g := newGuard(nil, f)
	if g.checkText(f); len(g.errs) != 1 || !strings.Contains(g.errs[0].Error(), "use fewer or shorter options") {
		t.Errorf("errors %v", g.errs)
	}
}

package fio

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// addJobFiles seeds a fuzz test with job files good and bad.
func addJobFiles(f *testing.F) {
	for _, e := range experiments() {
		f.Add(e.published)
	}
	for _, text := range []string{
		"", "[", "[]", "[global]\n[a]\nbs = 4k ; x\n", "[a]\nexec_prerun=id\n", "[a]\nsize=1M\nfilename=/etc/passwd\n", "[a]\nsize=1M\nbs=1,2,3\n\x00",
		"[a]\nfilename_format=$jobname.$jobnum.$filenum\nsize=16384p\nnumjobs=1024\n", "[a]\nruntime=999999999999d\nstartdelay=1-2\nramp_time=1us\n",
	} {
		f.Add(text)
	}
}

// parseError is what every error of Parse looks like: it names a line, or is about the file as a whole, and is fit to be
// printed.
var parseError = regexp.MustCompile(`\A(?:line [1-9][0-9]*: |job file of [0-9]+ bytes: |[0-9]+ (?:sections|options): |no job: )[^\pC]+\z`)

// maxErrorBytes bounds the errors of Parse.
const maxErrorBytes = 1 << 10

// FuzzParse holds that what is rendered is read as the same.
func FuzzParse(f *testing.F) {
	addJobFiles(f)
	f.Fuzz(func(t *testing.T, text string) {
		file, err := Parse(text)
		if err != nil {
			if !parseError.MatchString(err.Error()) || len(err.Error()) > maxErrorBytes {
				t.Errorf("error %q", err)
			}
			return
		}
		again, err := Parse(file.String())
		if err != nil {
			t.Fatalf("%q: %v", file.String(), err)
		}
		if diff := cmp.Diff(file.String(), again.String()); diff != "" {
			t.Error(diff)
		}
	})
}

// FuzzValidate holds that what passes has no way to say more than the guard has read, and can be planned.
func FuzzValidate(f *testing.F) {
	addJobFiles(f)
	f.Fuzz(func(t *testing.T, text string) {
		file, err := Parse(text)
		if err != nil {
			return
		}
		for _, mode := range []corev1.PersistentVolumeMode{corev1.PersistentVolumeFilesystem, corev1.PersistentVolumeBlock} {
			errs := Validate(field.NewPath("job"), file, mode, true)
			if len(errs) > maxErrors {
				t.Errorf("%d errors", len(errs))
			}
			if len(errs) == 0 {
				checkPassed(t, file, mode)
			}
		}
		file.Groups()
		FileBytes(file)
		file.RuntimeSeconds()
		file.NeedsLayout()
		if errs := ValidateOnObjectStore(field.NewPath("job"), file); len(errs) > maxErrors {
			t.Errorf("%d errors on an object store", len(errs))
		}
		file.OnObjectStore().WithObjectNames("fuzz").FilesRead()
		LayoutObjects(file)
	})
}

// FuzzGuard holds the same for one option in a section, which is found faster than in a whole file.
func FuzzGuard(f *testing.F) {
	for _, seed := range [][3]string{
		{"a", "filename", "x:y"}, {"a", "filename", "../x"}, {"a", "filename", `a\:/etc/passwd`}, {"../a", "filename_format", "$jobname/$jobnum"},
		{"a", "filename_format", "${HOME}"}, {"a", "exec_prerun", "id"}, {"a", "Exec_Prerun ", " id"}, {"a", "ioengine", "libaio:/x"}, {"a", "include", "/x"},
		{"a", "include /etc/passwd", ""}, {"a", "mem", "mmap:/etc/x"}, {"a", "description", "(a: /b)"}, {"a", "bs", "4k;exec_prerun=id"}, {"a", "readwrite", "read"},
		{"global", "directory", "/"}, {"a]\nexec_prerun=id\n[b", "bs", "4k"}, {"a", "buffer_pattern", "'/etc/passwd'"}, {"a", "size", "$mb_memory"},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, section, name, value string) {
		file, err := Parse("[global]\nrw=read\nsize=1M\n[" + section + "]\n" + name + "=" + value + "\n")
		if err != nil {
			return
		}
		for _, mode := range []corev1.PersistentVolumeMode{corev1.PersistentVolumeFilesystem, corev1.PersistentVolumeBlock} {
			if len(Validate(field.NewPath("job"), file, mode, true)) == 0 {
				checkPassed(t, file, mode)
			}
		}
	})
}

// harmful begins what options are called by which fio runs commands, reads or writes elsewhere, or changes the node.
var harmful = regexp.MustCompile(`(?i)^(?:exec|include|directory|opendir|write_(?:bw|lat|iops|hist|iolog)|read_iolog|replay|merge_blktrace|log_|per_job|` +
	`verify_state_load|cgroup|uid|gid|ioscheduler|profile|allow_mounted|trigger|chroot|lockmem|aux|output|client|server|hostname|mmapfile|name$)`)

// checkPassed checks what must hold for every job file that passes, without the tables that decided it.
func checkPassed(t *testing.T, file *JobFile, mode corev1.PersistentVolumeMode) {
	t.Helper()
	text := file.String()
	if strings.ContainsAny(text, "`'\"\\;#\t\r\x00") {
		t.Errorf("%q passes", text)
	}
	plain := strings.NewReplacer("$jobname", "", "$jobnum", "", "$filenum", "", "$clientuid", "").Replace(strings.ToLower(text))
	if strings.Contains(plain, "$") {
		t.Errorf("%q passes", text)
	}
	for line := range strings.SplitSeq(text, "\n") {
		checkPassedLine(t, line, mode)
	}
	if groups := file.Groups(); len(groups) == 0 || len(groups) > MaxGroups {
		t.Errorf("%d groups pass", len(groups))
	}
	placed := file.On(Volume{Directory: "/volume/sub"}).String()
	if strings.Count(placed, "\ndirectory=") != 1 || strings.Index(placed, "\ndirectory=/volume/sub\n") > strings.Index(placed, "=") {
		t.Errorf("the directory is not the first option, and the only one, of\n%s", placed)
	}
}

// engineNames are the engines that do I/O on files, by themselves.
var engineNames = []string{"psync", "sync", "vsync", "pvsync", "pvsync2", "libaio", "io_uring", "posixaio", "mmap"}

func checkPassedLine(t *testing.T, line string, mode corev1.PersistentVolumeMode) {
	t.Helper()
	if strings.HasPrefix(line, "[") { // a section, whose name files are called by
		if strings.Contains(line, "/") || strings.Count(line, "]") != 1 {
			t.Errorf("%q passes", line)
		}
		return
	}
	name, value, _ := strings.Cut(line, "=")
	if harmful.MatchString(name) || len(line) > 4000 || strings.TrimSpace(name) != name || strings.TrimSpace(value) != value {
		t.Errorf("%q passes", line)
	}
	if name != "description" && name != "bssplit" && name != "random_distribution" && strings.Contains(value, "/") {
		t.Errorf("%q passes", line)
	}
	switch name {
	case "ioengine":
		if !slices.Contains(engineNames, value) {
			t.Errorf("%q passes", line)
		}
	case "filename", "filename_format":
		if mode == corev1.PersistentVolumeBlock {
			t.Errorf("%q passes on %s", line, mode)
		}
		for file := range strings.SplitSeq(value, ":") {
			if at := path.Join("/volume/sub", file); path.Dir(at) != "/volume/sub" || strings.HasPrefix(file, "-") || strings.HasPrefix(file, ".") {
				t.Errorf("%q passes, which names %s", line, at)
			}
		}
	}
}

package fio

import (
	"math"
	"os"
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

// FuzzParseOutput holds that no output of fio brings the parser down or makes it invent I/O.
func FuzzParseOutput(f *testing.F) {
	for _, text := range []string{
		"{\n \"fio version\" : \"fio-3.33\",\n \"jobs\" : [ { \"jobname\" : \"a\", \"groupid\" : 0, \"error\" : 28,\n" +
			" \"write\" : { \"total_ios\" : 2, \"io_bytes\" : 8192, \"runtime\" : 5, \"clat_ns\" : { \"N\" : 2, \"bins\" : { \"129\" : 2 } } } } ]\n}\n\n" +
			"a: (groupid=0, jobs=1): err=28 (file:io_u.c:1, func=x, error=No space left on device): pid=1: Sat\n",
		"", "fio: x\n{\n}\n", "{\n \"jobs\" : [ { \"jobname\" : \"a\", \"read\" : { \"total_ios\" : 1, \"clat_ns\" : { \"N\" : 1, \"mean\" : nan } } } ]\n}\n",
		"{\n{\n{\n", "{\"\\", "{\nfio: x\n}\n",
	} {
		f.Add([]byte(text))
	}
	for _, figures := range []string{
		`"io_bytes": -1`, `"short_ios": -1, "drop_ios": -9223372036854775808`, `"runtime": -5`, `"total_ios": 9223372036854775807, "io_bytes": 9223372036854775807, "runtime": 1`,
		`"clat_ns": {"N": 9223372036854775807, "min": 5, "max": 4, "mean": 1e308, "stddev": 1e308}`, `"lat_ns": {"N": 1, "min": -5, "mean": -nan, "stddev": inf}`,
		`"clat_ns": {"N": 1, "bins": {"1": 9223372036854775807, "2": 9223372036854775807, "3": 9223372036854775807}}`,
	} {
		entry := `{"jobname": "a", "job_start": 1, "job_runtime": 9223372036854775807, "usr_cpu": 1e308, "read": {"total_ios": 1, "io_bytes": 1, ` + figures + `}}`
		f.Add([]byte("{ \"jobs\": [" + entry + ", " + entry + "]\n}\n"))
	}
	data, err := os.ReadFile("testdata/fio-3.40.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		if words := ErrorText(data, data); len(words) > maxErrorBytes {
			t.Errorf("%d bytes of words", len(words))
		}
		output, err := ParseOutput(data)
		if err != nil {
			return
		}
		_ = output.Err()
		for i := range output.Groups {
			checkGroup(t, &output.Groups[i])
		}
	})
}

// checkGroup holds a result to what a measurement can be.
func checkGroup(t *testing.T, g *Group) {
	t.Helper()
	if g.Jobs < 1 || g.ElapsedMilliseconds < 0 || g.JobStart < 0 || g.JobRuntimeMilliseconds < 0 || !isFigure(g.UserCPUPercent) || !isFigure(g.SystemCPUPercent) {
		t.Errorf("group %+v", g)
	}
	for _, d := range []*Direction{g.Read, g.Write, g.Trim} {
		if d == nil {
			continue
		}
		if d.IOs <= 0 || d.Bytes < 0 || d.ShortIOs < 0 || d.DropIOs < 0 || d.RuntimeMilliseconds < 0 || !isFigure(d.IOPS) || !isFigure(d.BytesPerSecond) {
			t.Errorf("direction %+v", d)
		}
		for _, l := range []*LatencyStats{d.Latency, d.CompletionLatency} {
			if l != nil && (l.Count < 1 || l.MinNanoseconds < 0 || l.MaxNanoseconds < l.MinNanoseconds || !isFigure(l.MeanNanoseconds) || !isFigure(l.StddevNanoseconds)) {
				t.Errorf("latency %+v", l)
			}
		}
	}
}

// isFigure is false of what is negative, infinite or no number.
func isFigure(f float64) bool { return f >= 0 && f <= math.MaxFloat64 }

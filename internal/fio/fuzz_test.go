package fio

import (
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
		"", "[", "[]", "[global]\n[a]\nbs = 4k ; x\n", "[a]\nexec_prerun=id\n", "[a]\nfilename=/etc/passwd\n", "[a]\nsize=1M\nbs=1,2,3\n\x00",
		"[a]\nfilename_format=$jobname.$jobnum.$filenum\nsize=16384p\nnumjobs=1024\n", "[a]\nruntime=999999999999d\nstartdelay=1-2\nramp_time=1us\n",
	} {
		f.Add(text)
	}
}

// FuzzParse holds that what is rendered is read as the same.
func FuzzParse(f *testing.F) {
	addJobFiles(f)
	f.Fuzz(func(t *testing.T, text string) {
		file, err := Parse(text)
		if err != nil {
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
		name, value, _ := strings.Cut(line, "=")
		if name != "description" && name != "bssplit" && name != "random_distribution" && strings.Contains(value, "/") {
			t.Errorf("%q passes", line)
		}
		if mode == corev1.PersistentVolumeBlock && name == "filename" || name == "directory" {
			t.Errorf("%q passes on %s", line, mode)
		}
	}
	if groups := file.Groups(); len(groups) == 0 || len(groups) > MaxGroups {
		t.Errorf("%d groups pass", len(groups))
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
	f.Fuzz(func(t *testing.T, data []byte) {
		if words := ErrorText(data, data); len(words) > maxErrorBytes {
			t.Errorf("%d bytes of words", len(words))
		}
		output, err := ParseOutput(data)
		if err != nil {
			return
		}
		_ = output.Err()
		for _, group := range output.Groups {
			for _, d := range []*Direction{group.Read, group.Write, group.Trim} {
				if d != nil && d.IOs <= 0 {
					t.Errorf("%+v", d)
				}
			}
		}
	})
}

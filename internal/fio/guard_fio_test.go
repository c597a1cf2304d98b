package fio

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// trickyValues are what options are given beside their own examples: other places, commands, and what fio itself makes
// something of.
var trickyValues = []string{
	"1", "4k", "1M", "a", "a:b", "../a", "/etc/passwd", `a\:b`, "${HOME}", "$jobnum", "$jobname.$filenum", "'/etc/passwd'", `"a"`, "`id`", "a;b", "a b", "psync", "exec",
	"libaio:/x", "0x1", "none", "random", "4k/50:8k/50", "zipf:1.2", "5%", "1-2", "60s", "",
}

// randomJobFile returns a job file of any options, some of them refused.
func randomJobFile(r *rand.Rand) string {
	names := append(slices.Sorted(maps.Keys(byName)), "exec_prerun", "directory", "include", "write_bw_log", "opendir")
	var text strings.Builder
	for i := range 1 + r.IntN(2) {
		fmt.Fprintf(&text, "[%s]\nrw=read\nsize=1M\n", []string{"a", "b-1", "c d", "../x", "(e)"}[(r.IntN(5)+i)%5])
		for range r.IntN(4) {
			fmt.Fprintf(&text, "%s=%s\n", names[r.IntN(len(names))], trickyValues[r.IntN(len(trickyValues))])
		}
		if r.IntN(2) == 0 {
			fmt.Fprintf(&text, "%s=%s\n", []string{"filename", "filename_format"}[r.IntN(2)], trickyValues[r.IntN(len(trickyValues))])
		}
	}
	return text.String()
}

var addedFile = regexp.MustCompile(`file 0x[0-9a-f]+ "(.*)" added at`)

// openedBy returns the files that fio itself would open for a job file, and all it says.
func openedBy(t *testing.T, text string) (files []string, output string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "job.fio")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	said, _ := exec.CommandContext(t.Context(), "fio", "--debug=file", "--parse-only", path).CombinedOutput()
	for _, match := range addedFile.FindAllStringSubmatch(string(said), -1) {
		files = append(files, match[1])
	}
	return files, string(said)
}

// TestGuardAgainstFio asks fio which files it would open for what the guard lets pass: none but those in the directory.
func TestGuardAgainstFio(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	if files, output := openedBy(t, "[global]\ndirectory="+directory+"\n[a]\nrw=read\nsize=1M\nfilename=../x:y\n"); len(files) != 2 || isIn(directory, files[0]) || !isIn(directory, files[1]) {
		t.Fatalf("fio does not tell its files, but %q:\n%s", files, output)
	}
	r := rand.New(rand.NewPCG(13, 14))
	passed, opened := 0, 0
	for passed < 40 { // each takes fio a third of a second, to calibrate its clock
		text := randomJobFile(r)
		if !strings.Contains(text, "filename") || len(refused(t, text, corev1.PersistentVolumeFilesystem, false)) > 0 {
			continue
		}
		file, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		passed++
		files, output := openedBy(t, file.On(Volume{Directory: directory}).String())
		opened += len(files)
		for _, path := range files {
			if !isIn(directory, path) {
				t.Errorf("%q passes, for which fio opens %s:\n%s", text, path, output)
			}
		}
		if strings.Contains(output, "Bad option") {
			t.Errorf("%q passes, of which fio does not know an option:\n%s", text, output)
		}
	}
	if opened < 20 {
		t.Errorf("fio opens %d files by their names: too few to say something", opened)
	}
	t.Logf("%d job files pass, of which fio opens %d files by their names", passed, opened)
	if left, err := os.ReadDir(directory); err != nil || len(left) > 0 {
		t.Errorf("parsing left %v, error %v", left, err)
	}
}

func isIn(directory, path string) bool { return filepath.Dir(filepath.Clean(path)) == directory }

package local

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/storagebench/storagebench/test/builder"
)

// TestDirectoriesThatFioReadsOtherwise: fio would write elsewhere, or do something else, for such paths. Other paths are
// taken, and are one word of a shell.
func TestDirectoriesThatFioReadsOtherwise(t *testing.T) {
	for name, isSafe := range map[string]bool{
		"data#1": false, "a;b": false, "${HOME}": false, "a\nexec_prerun=id": false, "a'b": false, "über Größe": true, "pvc-1_2.3+4": true,
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		got, err := checkDirectory(path)
		if (err == nil) != isSafe || err != nil && !strings.Contains(err.Error(), "fio's job files cannot have") {
			t.Errorf("%q: %q, %v", name, got, err)
		}
		if isSafe && strings.Contains(name, " ") && shellQuoted(got) != "'"+got+"'" {
			t.Errorf("%q is quoted as %s", got, shellQuoted(got))
		}
	}
}

// TestDirectoryThatIsReplaced: when a mount goes away, what is below it is neither measured nor cleaned.
func TestDirectoryThatIsReplaced(t *testing.T) {
	directory := filepath.Join(t.TempDir(), "mount")
	s := &Session{sb: builder.OneRun("ns", "sb").Build(), directories: map[string]string{"a": directory}}
	if err := os.Mkdir(directory, 0o700); err != nil {
		t.Fatal(err)
	}
	var err error
	if s.found, err = statAll(s.directories); err != nil {
		t.Fatal(err)
	}
	if why := s.whyChanged("a"); why != "" {
		t.Errorf("at the beginning: %s", why)
	}
	if err := os.Symlink(t.TempDir(), s.testDirectory("a")); err != nil {
		t.Fatal(err)
	}
	if why := s.whyChanged("a"); !strings.Contains(why, "no directory") {
		t.Errorf("a link in the place of the test files: %q", why)
	}
	if err := os.Rename(directory, directory+"-2"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(directory, 0o700); err != nil {
		t.Fatal(err)
	}
	if why := s.whyChanged("a"); !strings.Contains(why, "unmounted, moved or replaced") {
		t.Errorf("another directory: %q", why)
	}
}

// TestFileThatIsReplaced: a file that somebody else has put in the place of the results stays, and the results are kept.
func TestFileThatIsReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.yaml")
	file, err := CreateFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sb := builder.OneRun("ns", "sb").Build()
	for range 2 {
		if err := file.Write(sb); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename(path, path+".moved"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	err = file.Write(sb)
	if err == nil || !strings.Contains(err.Error(), "they are in ") {
		t.Fatalf("error %v", err)
	}
	_, kept, _ := strings.Cut(err.Error(), "they are in ")
	if text, _ := os.ReadFile(path); string(text) != "theirs" {
		t.Errorf("the file has %q", text)
	}
	if text, err := os.ReadFile(kept); err != nil || !strings.Contains(string(text), "name: randread") {
		t.Errorf("the results: %v: %s", err, text)
	}
}

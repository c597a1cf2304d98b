package local

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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

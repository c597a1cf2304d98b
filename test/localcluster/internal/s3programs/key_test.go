package s3programs

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/mod/semver"
)

func TestSourceKeyCoversWhatIsBuilt(t *testing.T) {
	tests := map[string]struct {
		file    string
		changes bool
	}{
		"a source":             {"server/src/main.rs", true},
		"the lock file":        {"Cargo.lock", true},
		"the other module":     {"csi/main.go", false},
		"what cargo built":     {"target/release/server", false},
		"documentation":        {"README.md", false},
		"a directory named so": {"server/csi/main.rs", true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "Cargo.toml"))
			before := key(t, dir)
			write(t, filepath.Join(dir, test.file))
			if changed := key(t, dir) != before; changed != test.changes {
				t.Errorf("the key changed: %t, want %t", changed, test.changes)
			}
		})
	}
}

func TestProgramsOfThisCheckout(t *testing.T) {
	root := filepath.Join("..", "..", "..", "..")
	programs, err := Open(root, t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	version, err := programs.driverVersion()
	if err != nil || !semver.IsValid("v"+version) {
		t.Errorf("driver version %q, %v", version, err)
	}
}

func write(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
}

func key(t *testing.T, dir string) string {
	t.Helper()
	key, err := sourceKey(dir, "csi")
	if err != nil {
		t.Fatal(err)
	}
	return key
}

package plugin

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/storagebench/storagebench/test/extent"
)

// krew installs the archive of a release by its manifest, and kubectl then finds the plugin.
func TestKrewInstallsTheRelease(t *testing.T) {
	extent.OnlyInAll(t, "krew is built for this test alone")
	t.Parallel()
	release, home := t.TempDir(), t.TempDir()
	run := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir = filepath.Join("..", "..")
		cmd.Env = append(os.Environ(), "VERSION=1.2.3", "SOURCE_DATE_EPOCH=1790000000", "PLATFORMS="+runtime.GOOS+"/"+runtime.GOARCH,
			"KREW_ROOT="+home, "KREW_NO_UPGRADE_CHECK=1", "PATH="+filepath.Join(home, "bin")+":"+os.Getenv("KUBEBUILDER_ASSETS")+":"+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	run("hack/plugin.sh", release)
	archives, err := filepath.Glob(filepath.Join(release, "kubectl-storagebench_1.2.3_*.tar.gz"))
	if err != nil || len(archives) != 1 {
		t.Fatalf("archives %v, %v", archives, err)
	}
	run("go", "tool", "-modfile=hack/tools/krew/go.mod", "krew", "install", "--manifest="+filepath.Join(release, "storagebench.yaml"), "--archive="+archives[0])
	if out := run(filepath.Join(os.Getenv("KUBEBUILDER_ASSETS"), "kubectl"), "storagebench", "--version"); strings.TrimSpace(out) != "kubectl storagebench version 1.2.3" {
		t.Errorf("it says: %s", out)
	}
	if _, err := os.Stat(filepath.Join(home, "store", "storagebench", "v1.2.3", "THIRD_PARTY_LICENSES")); err != nil {
		t.Error(err)
	}
}

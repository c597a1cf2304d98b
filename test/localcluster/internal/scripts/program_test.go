package scripts

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Go takes half a program for a whole one, because it looks at the beginning only. So there must never be half of one.
func TestProgramsAreMovedToTheirPlace(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	left := filepath.Join(root, "bin", ".building.abcdef")
	if err := os.MkdirAll(left, 0o700); err != nil {
		t.Fatal(err)
	}
	const build = `test "${GOTMPDIR%/.building.*}" = "$PWD/bin" && test -d "$GOTMPDIR" && echo text >"$GOTMPDIR/program" && mv "$GOTMPDIR/program" bin/; exit 3`
	cmd := script(t, nil, "program.sh", "bin", "sh", "-c", build)
	cmd.Dir = root
	if output, err := cmd.CombinedOutput(); err == nil || err.Error() != "exit status 3" {
		t.Errorf("%v, want the exit code of the command\n%s", err, output)
	}
	entries, err := os.ReadDir(filepath.Join(root, "bin"))
	if err != nil || len(entries) != 1 || entries[0].Name() != "program" {
		t.Errorf("there is %v, want the program alone (%v)", entries, err)
	}
}

// The targets that build programs which are started from where they are built.
func TestMakeMovesProgramsToTheirPlace(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs(filepath.Join("..", "..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for target, directory := range map[string]string{"build": "bin", root + "/.cluster/bin/localcluster": root + "/.cluster/bin"} {
		cmd := exec.CommandContext(t.Context(), "make", "--directory="+root, "--dry-run", target)
		cmd.Env = append(os.Environ(), "MAKEFLAGS=", "MAKELEVEL=")
		if output, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(output), "/program.sh "+directory+" go build ") {
			t.Errorf("%s: %v\n%s", target, err, output)
		}
	}
}

// What builds the cluster's programs says nothing for minutes, and so is a step that says that it goes on.
func TestMakeTellsThatProgramsAreBuilt(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs(filepath.Join("..", "..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for target, command := range map[string]string{
		"cluster-programs": "binaries", "cluster-up": "up", "build-ahead": "build-s3", "test-unit": "binaries", "test-oldest": "binaries",
	} {
		cmd := exec.CommandContext(t.Context(), "make", "--directory="+root, "--dry-run", target)
		cmd.Env = append(os.Environ(), "MAKEFLAGS=", "MAKELEVEL=", "KUBEBUILDER_ASSETS=")
		output, err := cmd.CombinedOutput()
		step := regexp.MustCompile(`hack/step\.sh "[^"]+" ` + regexp.QuoteMeta(root+"/.cluster/bin/localcluster "+command))
		if err != nil || !step.Match(output) {
			t.Errorf("%s: %v\n%s", target, err, output)
		}
	}
}

package scripts

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// fake puts shell scripts into a directory of their own, which it returns.
func fake(t *testing.T, scripts map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range scripts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// fakeTools returns a PATH on which go only says how it was called, and all is there that targets would install.
func fakeTools(t *testing.T) string {
	t.Helper()
	const told = `[ "$*" != "env GOFLAGS" ] || exec echo "$GOFLAGS"
echo "go $* with GOFLAGS=$GOFLAGS GOWORK=$GOWORK KUBEBUILDER_ASSETS=$KUBEBUILDER_ASSETS"`
	return "PATH=" + fake(t, map[string]string{"go": told, "fio": "echo fio-3.99", "tmux": "", "readelf": "", "promtool": ""}) + ":" + os.Getenv("PATH")
}

// fewTools returns a PATH with some of this machine's programs and no other: so no make.
func fewTools(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(path, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return "PATH=" + dir
}

// runMake has make run one target of the checkout's Makefile with a go that does nothing.
func runMake(t *testing.T, environment []string, target string) (output string, err error) {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", "..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "make", "--directory="+root, "--no-print-directory", target)
	cmd.Env = append(append(os.Environ(), "MAKEFLAGS=", "MAKELEVEL=", fakeTools(t)), environment...)
	said, err := cmd.CombinedOutput()
	return string(said), err
}

// What a user has set for other modules decides nothing here, and all else that go takes does.
func TestMakeHeedsNoSettingsForOtherModules(t *testing.T) {
	t.Parallel()
	output, err := runMake(t, []string{"GOFLAGS=-mod=mod -p=1 -modfile=x.mod", "GOWORK=/nowhere/go.work"}, "build")
	if err != nil || !strings.Contains(output, "with GOFLAGS=-p=1 -trimpath GOWORK=off") {
		t.Errorf("%v\n%s", err, output)
	}
}

func TestMakeTestUsesTheProgramsThatAreNamed(t *testing.T) {
	t.Parallel()
	assets := t.TempDir()
	output, err := runMake(t, []string{"KUBEBUILDER_ASSETS=" + assets}, "test-unit")
	if err == nil || !strings.Contains(output, assets+"/etcd: No such file") || !strings.Contains(output, "KUBEBUILDER_ASSETS has to name") || strings.Contains(output, "go run") {
		t.Errorf("without programs: %v\n%s", err, output)
	}
	for _, name := range []string{"etcd", "kube-apiserver", "kubectl"} {
		if err := os.WriteFile(filepath.Join(assets, name), nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	root, err := filepath.Abs(filepath.Join("..", "..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	relative, err := filepath.Rel(root, assets)
	if err != nil {
		t.Fatal(err)
	}
	output, err = runMake(t, []string{"KUBEBUILDER_ASSETS=" + relative}, "test-unit")
	if err != nil || !strings.Contains(output, "KUBEBUILDER_ASSETS="+assets+"\n") {
		t.Errorf("of a path that is relative: %v\n%s", err, output)
	}
}

// Make takes a path with a space for two.
func TestMakeRefusesAPathWithASpace(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "with space")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "Makefile"), content, 0o600); err != nil {
		t.Fatal(err)
	}
	output, err := exec.CommandContext(t.Context(), "make", "--directory="+dir, "help").CombinedOutput()
	if err == nil || !strings.Contains(string(output), "whose path has a space") {
		t.Errorf("%v\n%s", err, output)
	}
}

// What cannot go well is said before anything is built.
func TestQuickstartChecksFirst(t *testing.T) {
	t.Parallel()
	tools := fewTools(t, "bash", "dirname", "awk")
	for name, test := range map[string]struct{ home, want string }{
		"no HOME": {"", "HOME is not set"},
		"no go":   {"/nowhere", "go is not in PATH; Go 1."},
	} {
		output, err := script(t, []string{tools, "HOME=" + test.home}, "quickstart.sh").CombinedOutput()
		if err == nil || !strings.Contains(string(output), test.want) || strings.Contains(string(output), "==>") {
			t.Errorf("%s: %v\n%s", name, err, output)
		}
	}
}

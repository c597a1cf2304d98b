package binaries

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/storagebench/storagebench/test/localcluster/internal/state"
)

const (
	// buildLimit bounds a build: that of all programs takes seven minutes on two cores, with nothing in Go's build cache.
	buildLimit = time.Hour
	// stripped leaves out of programs what only debuggers read.
	stripped = "-s -w"
	// endGrace is how long go gets to end and to remove what it has in the directory for temporary files.
	endGrace = 10 * time.Second
	// unfinished is how the directories begin that programs are built in.
	unfinished = ".building-"
	// errorLines are the last lines of what go prints that go into an error.
	errorLines = 20
)

// goBuild is one call of go build, for any number of programs.
type goBuild struct {
	// dir that go runs in.
	dir string
	// workspace is a go.work file, or "" for the module of dir alone.
	workspace string
	// ldflags as go build takes them: for all packages, or PATTERN=FLAGS.
	ldflags []string
	// packages in order, and the file that each becomes.
	packages, targets []string
}

// add has the build make a program of a package. Ldflags may be "", for those of all.
func (b *goBuild) add(target, pkg, ldflags string) {
	b.packages, b.targets = append(b.packages, pkg), append(b.targets, target)
	if ldflags != "" {
		b.ldflags = append(b.ldflags, pkg+"="+ldflags)
	}
}

// GoBuild builds one package of the module in dir.
func GoBuild(ctx context.Context, dir, target, pkg, ldflags string) error {
	build := goBuild{dir: dir, ldflags: []string{ldflags}}
	build.add(target, pkg, "")
	return build.run(ctx)
}

// run builds all programs. Each appears at its target only when it is whole.
func (b *goBuild) run(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, buildLimit)
	defer cancel()
	for _, target := range b.targets {
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
	}
	tmp, err := os.MkdirTemp(filepath.Dir(b.targets[0]), unfinished)
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	out, files := b.built(tmp)
	cmd := b.command(ctx, out)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
		return fmt.Errorf("go build %s: %w\n%s", strings.Join(b.packages, " "), err, strings.Join(lines[max(0, len(lines)-errorLines):], "\n"))
	}
	for i, target := range b.targets {
		if err := state.KeepProgram(files[i], target); err != nil {
			return err
		}
	}
	return nil
}

// removeUnfinished removes what builds have left that were killed. No other may go on in this directory.
func removeUnfinished(dir string) error {
	left, err := filepath.Glob(filepath.Join(dir, unfinished+"*"))
	for _, path := range left {
		err = errors.Join(err, os.RemoveAll(path))
	}
	return err
}

// executable is how go build names the program of a package: by the last element of its path that is no major version.
func executable(pkg string) string { return path.Base(majorSuffix.ReplaceAllString(pkg, "")) }

// built returns where go build leaves the programs, and what it is to be told for that: a directory, or for a single
// program, which may be given as ".", its file.
func (b *goBuild) built(tmp string) (out string, files []string) {
	if len(b.packages) == 1 {
		file := filepath.Join(tmp, "program")
		return file, []string{file}
	}
	for _, pkg := range b.packages {
		files = append(files, filepath.Join(tmp, executable(pkg)))
	}
	return tmp + string(filepath.Separator), files
}

// command is go build with the flags that everything here is compiled with, tests too, so that all share what Go keeps. They
// come after the user's GOFLAGS, which may say where modules come from, and overrule those. The programs are for this machine,
// whatever else a user builds for. Without a look at the version control system: git refuses a checkout of another user.
func (b *goBuild) command(ctx context.Context, out string) *exec.Cmd {
	args := []string{"build", "-trimpath", "-buildvcs=false", "-mod=readonly", "-modfile=", "-o", out}
	for _, flag := range b.ldflags {
		args = append(args, "-ldflags", flag)
	}
	cmd := exec.CommandContext(ctx, "go", append(args, b.packages...)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = endGrace
	cmd.Dir = b.dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK="+cmp.Or(b.workspace, "off"), "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH)
	return cmd
}

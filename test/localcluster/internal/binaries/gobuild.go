package binaries

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
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
	// tellEvery is how often a build says how far it is.
	tellEvery = 20 * time.Second
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
	// progress, if not nil, is told how far the build is.
	progress func(format string, args ...any)
	// every is how often; 0 is tellEvery.
	every time.Duration
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
	if err := b.build(ctx, out); err != nil {
		return err
	}
	for i, target := range b.targets {
		if err := state.KeepProgram(files[i], target); err != nil {
			return err
		}
	}
	return nil
}

// removeUnfinished removes what builds have left that were killed. No other may go on in these directories.
func removeUnfinished(dirs ...string) error {
	var errs []error
	for _, dir := range dirs {
		left, err := filepath.Glob(filepath.Join(dir, unfinished+"*"))
		errs = append(errs, err)
		for _, path := range left {
			errs = append(errs, os.RemoveAll(path))
		}
	}
	return errors.Join(errs...)
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

func (b *goBuild) build(ctx context.Context, out string) error {
	meter := newMeter(b.progress)
	stop := meter.run(cmp.Or(b.every, tellEvery))
	defer stop()
	if b.progress != nil {
		// That takes as long as downloading all modules does, where they are not there.
		meter.begin(b.stale(ctx))
	}
	cmd := b.command(ctx, append([]string{"build", "-v"}, b.flags("-o", out)...)...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	last := follow(stderr, meter)
	if err := cmd.Wait(); err != nil {
		return errors.Join(fmt.Errorf("go build %s: %w", strings.Join(b.packages, " "), err), errors.New(strings.Join(last, "\n")))
	}
	return nil
}

// command is a go command with the flags that everything here is compiled with, tests too, so that all share what Go keeps.
// The programs are for this machine, whatever else a user builds for.
func (b *goBuild) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = endGrace
	cmd.Dir = b.dir
	workspace := b.workspace
	if workspace == "" {
		workspace = "off"
	}
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK="+workspace, "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH)
	return cmd
}

// flags come after the user's GOFLAGS, which may say where modules come from, and overrule those. Without a look at the
// version control system: git refuses a checkout of another user.
func (b *goBuild) flags(more ...string) []string {
	flags := append([]string{"-trimpath", "-buildvcs=false", "-mod=readonly", "-modfile="}, more...)
	for _, flag := range b.ldflags {
		flags = append(flags, "-ldflags", flag)
	}
	return append(flags, b.packages...)
}

// stale counts the packages that go build would compile, or returns 0 where go does not tell.
func (b *goBuild) stale(ctx context.Context) int {
	const cached = "not installed but available in build cache"
	out, err := b.command(ctx, append([]string{"list", "-deps", "-f", "{{.StaleReason}}"}, b.flags()...)...).Output()
	if err != nil {
		return 0
	}
	count := 0
	for line := range strings.Lines(string(out)) {
		if reason := strings.TrimSpace(line); reason != "" && reason != cached {
			count++
		}
	}
	return count
}

// follow reads what go build -v prints, a line for each package that it begins to compile, and returns the last lines.
// It reads to the end, however long a line is: go would wait for ever to write the rest.
func follow(stderr io.Reader, meter *meter) []string {
	var last []string
	for lines := bufio.NewReader(stderr); ; {
		line, err := lines.ReadString('\n')
		if line = strings.TrimSuffix(line, "\n"); line != "" {
			last = append(last, line)
			last = last[max(0, len(last)-errorLines):]
			if !strings.HasPrefix(line, "go: ") { // such as "go: downloading"
				meter.compiled()
			}
		}
		if err != nil {
			return last
		}
	}
}

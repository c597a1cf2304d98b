package s3programs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/storagebench/storagebench/test/localcluster/internal/state"
)

// rustLimit bounds the build of the Rust programs: 6 minutes on two cores that have
// nothing else to do, with the sources to be downloaded (measured, 2026-11).
const rustLimit = 40 * time.Minute

var errNoCargo = errors.New("the program cargo is missing: S3 needs Rust 1.92 or later, see https://rustup.rs")

// buildRust builds in a directory that is deleted at the end: it takes 1 GB, for
// programs of 32 MB. Whoever works on them calls cargo, which has its own.
func (p *Programs) buildRust(ctx context.Context) error {
	if exist(p.Server(), p.mountpoint()) {
		return nil
	}
	program, err := findCargo()
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp(p.rust, ".building-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	p.progress("Building Mountpoint for S3 and an S3 server, which takes some minutes (kept in %s)", p.rust)
	started := time.Now()
	// Tested here as well, where what they are made of has been compiled.
	for _, command := range []string{"build", "test"} {
		if err := cargo(ctx, program, command, p.source, work); err != nil {
			return err
		}
	}
	for _, program := range []string{p.Server(), p.mountpoint()} {
		if err := state.KeepProgram(filepath.Join(work, "release", filepath.Base(program)), program); err != nil {
			return err
		}
	}
	p.progress("Built Mountpoint for S3 and an S3 server in %.0f s", time.Since(started).Seconds())
	return nil
}

// findCargo returns cargo's path: in PATH, or where rustup puts it, which only login shells have in theirs.
func findCargo() (string, error) {
	if path, err := exec.LookPath("cargo"); err == nil {
		return path, nil
	}
	home := os.Getenv("CARGO_HOME")
	if home == "" {
		user, err := os.UserHomeDir()
		if err != nil {
			return "", errNoCargo
		}
		home = filepath.Join(user, ".cargo")
	}
	path, err := exec.LookPath(filepath.Join(home, "bin", "cargo"))
	if err != nil {
		return "", errNoCargo
	}
	return path, nil
}

func cargo(ctx context.Context, program, command, workspace, target string) error {
	ctx, cancel := context.WithTimeout(ctx, rustLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, command, "--release", "--locked", "--quiet", "--workspace")
	cmd.Dir = workspace
	// The compiler is beside it.
	path := filepath.Dir(program) + string(filepath.ListSeparator) + os.Getenv("PATH")
	cmd.Env = append(os.Environ(), "CARGO_TARGET_DIR="+target, "PATH="+path)
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Run(); err != nil {
		const lines = 30
		all := strings.Split(strings.TrimSpace(output.String()), "\n")
		return fmt.Errorf("cargo %s in %s: %w\n%s", command, workspace, err, strings.Join(all[max(0, len(all)-lines):], "\n"))
	}
	return nil
}

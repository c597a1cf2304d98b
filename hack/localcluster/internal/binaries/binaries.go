package binaries

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/storagebench/storagebench/hack/localcluster/internal/state"
)

// buildLimit bounds the build of one program: kube-apiserver takes some minutes on
// two cores, with nothing in Go's build cache.
const buildLimit = 30 * time.Minute

// Set is the programs that can be built, from all tool modules.
type Set struct {
	modules  []*toolModule
	progress func(format string, args ...any)
}

// Open reads the tool modules of a checkout.
func Open(root string, progress func(format string, args ...any)) (*Set, error) {
	cache, err := CacheDir()
	if err != nil {
		return nil, err
	}
	set := &Set{progress: progress}
	for _, dir := range moduleDirs {
		module, err := readModule(filepath.Join(root, "hack", dir), cache)
		if err != nil {
			return nil, fmt.Errorf("tool module hack/%s: %w", dir, err)
		}
		set.modules = append(set.modules, module)
	}
	return set, nil
}

// CacheDir is shared by all checkouts of a user.
func CacheDir() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(cache, "storagebench"), nil
}

// Path returns where a program is, or will be once it is built.
func (s *Set) Path(name string) (string, error) {
	module, err := s.moduleOf(name)
	if err != nil {
		return "", err
	}
	return filepath.Join(module.out, name), nil
}

func (s *Set) moduleOf(name string) (*toolModule, error) {
	var known []string
	for _, module := range s.modules {
		if module.packages[name] != "" {
			return module, nil
		}
		known = append(known, slices.Collect(maps.Keys(module.packages))...)
	}
	slices.Sort(known)
	return nil, fmt.Errorf("no tool module builds %q; known are %s", name, strings.Join(known, ", "))
}

// Dir returns the one directory that holds all the named programs.
func (s *Set) Dir(names ...string) (string, error) {
	dir := ""
	for _, name := range names {
		module, err := s.moduleOf(name)
		if err != nil {
			return "", err
		}
		if dir != "" && dir != module.out {
			return "", fmt.Errorf("%s is not built by the same module as %s: ask for them separately", name, names[0])
		}
		dir = module.out
	}
	return dir, nil
}

// Build downloads or builds those of the named programs that are missing. Several
// processes may do so at the same time: one does it and the others wait for it.
func (s *Set) Build(ctx context.Context, names ...string) error {
	if err := s.download(ctx, names); err != nil {
		return err
	}
	for _, name := range names {
		module, err := s.moduleOf(name)
		if err != nil {
			return err
		}
		if err := s.build(ctx, module, name); err != nil {
			return fmt.Errorf("build %s: %w", name, err)
		}
	}
	return nil
}

func (s *Set) build(ctx context.Context, module *toolModule, name string) error {
	target := filepath.Join(module.out, name)
	if built(target) {
		return nil
	}
	unlock, err := state.Lock(ctx, filepath.Join(module.out, ".lock"), func() {
		s.progress("Waiting for another process that builds into %s", module.out)
	})
	if err != nil {
		return err
	}
	defer unlock()
	if built(target) {
		return nil
	}
	s.progress("Building %s %s (kept in %s)", name, module.packages[name], module.out)
	started := time.Now()
	if err := GoBuild(ctx, module.dir, target, module.packages[name], module.ldflags); err != nil {
		return err
	}
	s.progress("Built %s in %.0f s", name, time.Since(started).Seconds())
	return nil
}

func built(target string) bool {
	info, err := os.Stat(target)
	return err == nil && info.Mode().IsRegular()
}

// GoBuild builds one package of the module in dir. The program appears at target
// only when it is whole.
func GoBuild(ctx context.Context, dir, target, pkg, ldflags string) error {
	ctx, cancel := context.WithTimeout(ctx, buildLimit)
	defer cancel()
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(target), ".building-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	out := filepath.Join(tmp, filepath.Base(target))
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", ldflags, "-o", out, pkg)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return errors.Join(fmt.Errorf("go build %s: %w", pkg, err), errors.New(tail(stderr.String(), 20)))
	}
	return os.Rename(out, target)
}

func tail(text string, lines int) string {
	all := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

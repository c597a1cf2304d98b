package binaries

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/storagebench/storagebench/test/localcluster/internal/state"
)

// Set is the programs that can be built, from all tool modules.
type Set struct {
	modules []*toolModule
	// workspace is the Go workspace of the tool modules and of this project's own, by which
	// all programs are built from one set of versions.
	workspace string
	// cache is what holds the modules' programs.
	cache    string
	progress func(format string, args ...any)
}

// Open reads the tool modules of a checkout.
func Open(root string, progress func(format string, args ...any)) (*Set, error) {
	cache, err := CacheDir()
	if err != nil {
		return nil, err
	}
	set := &Set{workspace: filepath.Join(root, "hack", "programs.work"), cache: cache, progress: progress}
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

// Dirs returns the directories that hold the named programs, each once, in the order of the names.
func (s *Set) Dirs(names ...string) ([]string, error) {
	var dirs []string
	for _, name := range names {
		module, err := s.moduleOf(name)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(dirs, module.out) {
			dirs = append(dirs, module.out)
		}
	}
	return dirs, nil
}

// Build downloads those of the named programs that are missing, or builds them: all at once, so that what they share is
// compiled once and no core waits for another program's end. Several processes may do so at the same time: one does it
// and the others wait for it.
func (s *Set) Build(ctx context.Context, names ...string) error {
	missing, err := s.missing(names)
	if err != nil || len(missing) == 0 {
		return err
	}
	unlock, err := state.Lock(ctx, filepath.Join(s.cache, "programs.lock"), func() {
		s.progress("Waiting for another process that builds into %s", s.cache)
	})
	if err != nil {
		return err
	}
	defer unlock()
	if missing, err = s.missing(names); err != nil {
		return err
	}
	if err := s.download(ctx, missing); err != nil {
		return err
	}
	if missing, err = s.missing(names); err != nil || len(missing) == 0 {
		return err
	}
	return s.build(ctx, missing)
}

// missing returns the programs that are not there, by name.
func (s *Set) missing(names []string) (map[string]*toolModule, error) {
	missing := map[string]*toolModule{}
	for _, name := range names {
		module, err := s.moduleOf(name)
		if err != nil {
			return nil, err
		}
		if !built(filepath.Join(module.out, name)) {
			missing[name] = module
		}
	}
	return missing, nil
}

func (s *Set) build(ctx context.Context, missing map[string]*toolModule) error {
	names := slices.Sorted(maps.Keys(missing))
	s.progress("Building %s (kept in %s)", strings.Join(names, ", "), s.cache)
	for _, module := range missing {
		if err := removeUnfinished(module.out); err != nil {
			return err
		}
	}
	started := time.Now()
	build := goBuild{dir: filepath.Dir(s.workspace), workspace: s.workspace, ldflags: []string{stripped}}
	for _, name := range names {
		build.add(filepath.Join(missing[name].out, name), missing[name].packages[name], missing[name].ldflags)
	}
	if err := build.run(ctx); err != nil {
		return err
	}
	s.progress("Built %d programs in %.0f s", len(names), time.Since(started).Seconds())
	return nil
}

// built says whether a program is there. A file that is empty, or cannot be run, is what something else has left.
func built(target string) bool {
	info, err := os.Stat(target)
	return err == nil && info.Mode().IsRegular() && info.Size() > 0 && info.Mode()&0o100 != 0
}

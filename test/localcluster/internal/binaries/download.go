package binaries

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/storagebench/storagebench/test/localcluster/internal/release"
)

// download takes those of the missing programs from their projects' releases that can be had there. What is missing
// afterwards has to be built. An error is one that building would meet as well.
func (s *Set) download(ctx context.Context, missing map[string]*toolModule) error {
	client := release.New(filepath.Join(s.cache, "releases"), s.progress)
	programs := map[string][]release.Program{}
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		module := missing[name]
		programs[module.out] = append(programs[module.out], release.Program{Name: name, Version: module.version(module.packages[name])})
	}
	for dir, programs := range programs {
		err := client.Fetch(ctx, programs, dir)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if errors.Is(err, release.ErrHere) {
			return err
		}
		if err != nil {
			s.progress("Not downloaded, and so built here: %s", strings.ReplaceAll(err.Error(), "\n", "; "))
		}
	}
	return nil
}

// version is that of the module which a package is in.
func (m *toolModule) version(pkg string) string {
	path, version := "", ""
	for _, require := range m.require {
		if inside := pkg == require.Mod.Path || strings.HasPrefix(pkg, require.Mod.Path+"/"); inside && len(require.Mod.Path) > len(path) {
			path, version = require.Mod.Path, require.Mod.Version
		}
	}
	return version
}

package binaries

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/storagebench/storagebench/hack/localcluster/internal/release"
)

// download takes those of the named programs that are missing from their projects'
// releases, as far as these can be had. What is missing afterwards has to be built.
func (s *Set) download(ctx context.Context, names []string) error {
	cache, err := CacheDir()
	if err != nil {
		return err
	}
	client := release.New(filepath.Join(cache, "releases"), s.progress)
	for _, module := range s.modules {
		err := client.Fetch(ctx, module.missing(names), module.out)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			s.progress("Not downloaded, and so built here: %s", strings.ReplaceAll(err.Error(), "\n", "; "))
		}
	}
	return nil
}

// missing returns those of the named programs that this module has to make.
func (m *toolModule) missing(names []string) []release.Program {
	var missing []release.Program
	for _, name := range names {
		if pkg := m.packages[name]; pkg != "" && !built(filepath.Join(m.out, name)) {
			missing = append(missing, release.Program{Name: name, Version: m.version(pkg)})
		}
	}
	return missing
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

package s3programs

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
)

// unread are directories that cargo builds into.
const unread = "target"

// sourceKey stands for the files below a directory that decide what is built, but for
// some directories. The releases of the compilers are not among what decides: a new one
// is no reason to wait minutes for the same programs.
func sourceKey(dir string, except ...string) (string, error) {
	digest := sha256.New()
	fmt.Fprintln(digest, runtime.GOARCH)
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == unread || slices.Contains(except, path)):
			return fs.SkipDir
		case entry.IsDir() || filepath.Ext(path) == ".md":
			return nil
		}
		content, err := os.ReadFile(filepath.Join(dir, path))
		fmt.Fprintf(digest, "%s %d\n%s", path, len(content), content)
		return err
	})
	return hex.EncodeToString(digest.Sum(nil)[:8]), err
}

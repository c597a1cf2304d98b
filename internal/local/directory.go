package local

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"golang.org/x/sys/unix"
)

// checkDirectories returns the directories with absolute paths and without symbolic links. It fails unless each can be
// written to, and each target has one of its own.
func checkDirectories(given map[string]string, targets []string) (map[string]string, error) {
	checked, owners := map[string]string{}, map[string]string{}
	for _, target := range targets {
		path, err := checkDirectory(given[target])
		if err != nil {
			return nil, fmt.Errorf("target %s: %w", target, err)
		}
		if other, taken := owners[path]; taken {
			return nil, fmt.Errorf("targets %s and %s are both in %s: give each a directory of its own", other, target, path)
		}
		checked[target], owners[path] = path, target
	}
	return checked, nil
}

// checkDirectory returns the absolute path of a directory in which files can be made.
func checkDirectory(path string) (string, error) {
	absolute, err := filepath.Abs(path)
	if err == nil {
		absolute, err = filepath.EvalSymlinks(absolute)
	}
	if err != nil {
		return "", fmt.Errorf("directory %s: %w", path, err)
	}
	info, err := os.Stat(absolute)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%s is no directory, and only directories are measured without a cluster: "+
			"mount the device, and name the directory", path)
	}
	if err := unix.Access(absolute, unix.W_OK|unix.X_OK); err != nil {
		return "", fmt.Errorf("directory %s: user %d cannot make files in it (%w): "+
			"name a directory that this user may write to", path, os.Getuid(), err)
	}
	return absolute, nil
}

// ofBenchmark matches the names of directories with the test files of a benchmark.
var ofBenchmark = regexp.MustCompile(`^storagebench-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// leftovers returns the directories with test files of other benchmarks: of those that were killed, or that are under
// way. Nothing here can tell which, so nothing is removed.
func leftovers(directory string) []string {
	entries, err := os.ReadDir(directory)
	if err != nil {
		return nil // its owner may let others make files and not list them
	}
	var found []string
	for _, entry := range entries {
		if entry.IsDir() && ofBenchmark.MatchString(entry.Name()) {
			found = append(found, filepath.Join(directory, entry.Name()))
		}
	}
	return found
}

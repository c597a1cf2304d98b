package local

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"

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
	// The path gets into fio's job file, where # and ; begin comments, $ a variable, and a line end the next option.
	if at := strings.IndexFunc(absolute, isUnsafe); at >= 0 {
		return "", fmt.Errorf("directory %q: fio's job files cannot have %q in a path: name a directory without it, "+
			"or mount or move this one elsewhere", absolute, absolute[at:at+1])
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

// statAll returns what the directories of targets are.
func statAll(directories map[string]string) (map[string]os.FileInfo, error) {
	found := map[string]os.FileInfo{}
	for target, directory := range directories {
		info, err := os.Stat(directory)
		if err != nil {
			return nil, err
		}
		found[target] = info
	}
	return found, nil
}

// whyChanged returns why the directory of a target is not the one of the beginning, or that of its test files not the
// one that was made there; "" if both are.
func (s *Session) whyChanged(target string) string {
	directory := s.directories[target]
	if now, err := os.Lstat(directory); err != nil || !os.SameFile(now, s.found[target]) {
		return fmt.Sprintf("%s is not the directory any more that it was at the beginning: "+
			"it was unmounted, moved or replaced", directory)
	}
	if own, err := os.Lstat(s.testDirectory(target)); err == nil && !own.IsDir() {
		return s.testDirectory(target) + " was replaced by something that is no directory"
	}
	return ""
}

// isUnsafe reports whether a character of a path means something else to fio or to a shell. Letters of all languages,
// digits, spaces and common punctuation are safe.
func isUnsafe(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("/._-+@%:=,~ ", r)
}

// shellQuoted returns a path as one word of a shell.
func shellQuoted(path string) string {
	if !strings.Contains(path, " ") {
		return path
	}
	return "'" + path + "'"
}

func quotedAll(paths []string) []string {
	quoted := make([]string, len(paths))
	for i, path := range paths {
		quoted[i] = shellQuoted(path)
	}
	return quoted
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

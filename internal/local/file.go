package local

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// File is the file that a benchmark is written to, with what is kept of its runs: YAML documents, as "kubectl get -o
// yaml" would save them.
type File struct {
	path string
	kept [][]byte
	// last is the file as it was written last.
	last os.FileInfo
}

// CreateFile makes the file. It fails if there is one of that name.
func CreateFile(path string) (*File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644) //nolint:gosec // results are for everybody to read
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%s is there already, and would be overwritten: "+
			"remove it, or name another file with --output-file", path)
	}
	if err != nil {
		return nil, fmt.Errorf("the results cannot be written: %w: name another file with --output-file", err)
	}
	info, err := file.Stat()
	return &File{path: path, last: info}, errors.Join(err, file.Close())
}

// Keep has the file hold a ConfigMap from the next Write on.
func (f *File) Keep(configMap *corev1.ConfigMap) {
	if text, err := yaml.Marshal(configMap); err == nil { // which does not fail
		f.kept = append(f.kept, text)
	}
}

// Write replaces the content of the file. Whatever happens meanwhile, the file has the old content or the new one.
func (f *File) Write(sb *v1alpha1.StorageBenchmark) error {
	text, err := yaml.Marshal(sb)
	if err != nil {
		return err
	}
	content := bytes.Join(append([][]byte{text}, f.kept...), []byte("---\n"))
	next, err := os.CreateTemp(filepath.Dir(f.path), "."+filepath.Base(f.path)+"-")
	if err != nil {
		return fmt.Errorf("write the results: %w", err)
	}
	_, err = next.Write(content)
	info, statErr := next.Stat()
	err = errors.Join(err, statErr, next.Chmod(0o644), next.Close())
	if now, lostErr := os.Lstat(f.path); err == nil && (lostErr != nil || !os.SameFile(now, f.last)) {
		return fmt.Errorf("write the results: %s was removed or replaced meanwhile, and is left alone: they are in %s", f.path, next.Name())
	}
	if err == nil {
		err = os.Rename(next.Name(), f.path)
		f.last = info
	}
	if err != nil {
		return fmt.Errorf("write the results: %w", errors.Join(err, os.Remove(next.Name())))
	}
	return nil
}

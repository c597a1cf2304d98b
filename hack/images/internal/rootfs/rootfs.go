// Package rootfs reads what is in a container image.
package rootfs

import (
	"archive/tar"
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
)

// File is a file of an image. A directory and a link have no content.
type File struct {
	Mode fs.FileMode
	// Link is where a symbolic link leads, as it is written there.
	Link    string
	Content []byte
}

// ELF returns the file as a program or library, or false if it is neither.
func (f File) ELF() (*elf.File, bool) {
	parsed, err := elf.NewFile(bytes.NewReader(f.Content))
	return parsed, err == nil
}

// Files maps absolute paths to all files of an image.
type Files map[string]File

// Read returns what a container of the image finds, before anything is mounted over it.
func Read(image v1.Image) (Files, error) {
	content := mutate.Extract(image)
	defer func() { _ = content.Close() }()
	files := Files{}
	for reader := tar.NewReader(content); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read the image's layers: %w", err)
		}
		file := File{Mode: header.FileInfo().Mode(), Link: header.Linkname}
		if file.Content, err = io.ReadAll(reader); err != nil {
			return nil, fmt.Errorf("read the image's %s: %w", header.Name, err)
		}
		files[path.Join("/", header.Name)] = file
	}
}

// Below returns the paths of the regular files in the directory and below it, sorted.
func (f Files) Below(dir string) []string {
	var found []string
	for _, name := range slices.Sorted(maps.Keys(f)) {
		if strings.HasPrefix(name, strings.TrimSuffix(dir, "/")+"/") && f[name].Mode.IsRegular() {
			found = append(found, name)
		}
	}
	return found
}

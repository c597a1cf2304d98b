package image

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

const (
	passwd = "root:x:0:0:root:/:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/tmp:/sbin/nologin\n"
	group  = "root:x:0:\nnonroot:x:65532:\n"
)

// node is a file of an image, a symbolic link if it has a link, or else, with a nil content, a directory.
type node struct {
	mode    int64
	content []byte
	link    string
}

type tree map[string]node

func fileTree(spec Spec) (tree, error) {
	t := tree{}
	if !spec.Bare {
		t.addDir("/tmp", 0o1777)
		t.addFile("/etc/passwd", 0o644, []byte(passwd))
		t.addFile("/etc/group", 0o644, []byte(group))
	}
	files := maps.Clone(spec.Files)
	if files == nil {
		files = map[string]string{}
	}
	for _, program := range spec.Programs {
		needed, err := closure(program)
		if err != nil {
			return nil, err
		}
		for _, file := range needed {
			files[file] = file
		}
	}
	if spec.Tree != "" {
		if err := t.copyTree(spec.Tree); err != nil {
			return nil, err
		}
	}
	for dst, src := range files {
		if err := t.copy(dst, src); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// copyTree adds what a directory holds. A directory with the sticky bit is for everybody, as /tmp is.
func (t tree) copyTree(root string) error {
	return filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || file == root {
			return err
		}
		name := strings.TrimPrefix(file, filepath.Clean(root))
		info, err := entry.Info()
		if err != nil {
			return err
		}
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			link, err := os.Readlink(file)
			t.addParents(name)
			t[name] = node{mode: 0o777, link: link}
			return err
		case info.IsDir() && info.Mode()&fs.ModeSticky != 0:
			t.addDir(name, 0o1777)
			return nil
		case info.IsDir():
			t.addDir(name, 0o755)
			return nil
		}
		return t.copy(name, file)
	})
}

// copy adds a file. Of its mode only the executable bit counts: the rest depends
// on the umask of whoever made it.
func (t tree) copy(dst, src string) error {
	if !path.IsAbs(dst) || path.Clean(dst) != dst || dst == "/" {
		return fmt.Errorf("%q is not an absolute, clean path for a file in an image", dst)
	}
	info, err := os.Stat(src)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", src)
	}
	content, err := os.ReadFile(src)
	if err != nil {
		return err
	}
	mode := int64(0o644)
	if info.Mode()&0o111 != 0 {
		mode = 0o755
	}
	t.addFile(dst, mode, content)
	return nil
}

func (t tree) addFile(name string, mode int64, content []byte) {
	t.addParents(name)
	if content == nil {
		content = []byte{}
	}
	t[name] = node{mode: mode, content: content}
}

func (t tree) addDir(name string, mode int64) {
	t.addParents(name)
	t[name] = node{mode: mode}
}

func (t tree) addParents(name string) {
	for dir := path.Dir(name); dir != "/"; dir = path.Dir(dir) {
		if _, ok := t[dir]; !ok {
			t[dir] = node{mode: 0o755}
		}
	}
}

// tar writes the tree in a fixed order, with nothing in it that changes from one
// build to the next.
func (t tree) tar() ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(t)) {
		if err := t[name].write(w, strings.TrimPrefix(name, "/")); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func (n node) write(w *tar.Writer, name string) error {
	header := &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: n.mode, Size: int64(len(n.content)), Format: tar.FormatPAX}
	switch {
	case n.link != "":
		header.Typeflag, header.Linkname = tar.TypeSymlink, n.link
	case n.content == nil:
		header.Typeflag, header.Name = tar.TypeDir, name+"/"
	}
	err := w.WriteHeader(header)
	_, writeErr := w.Write(n.content)
	return errors.Join(err, writeErr)
}

func opener(content []byte) tarball.Opener {
	return func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil }
}

package image

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"testing/fstest"
)

const (
	passwd = "root:x:0:0:root:/:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/tmp:/sbin/nologin\n"
	group  = "root:x:0:\nnonroot:x:65532:\n"
)

// everybodys is the mode of a directory such as /tmp.
const everybodys = fs.ModeDir | fs.ModeSticky | 0o777

// tree is the files of an image, which all belong to root and have no time.
type tree fstest.MapFS

func fileTree(spec Spec) (tree, error) {
	t := tree{}
	if !spec.Bare {
		t.add("tmp", everybodys, nil)
		t.add("etc/passwd", 0o644, []byte(passwd))
		t.add("etc/group", 0o644, []byte(group))
	}
	if spec.Tree != "" {
		if err := t.copyTree(spec.Tree); err != nil {
			return nil, err
		}
	}
	for _, program := range spec.Programs {
		needed, err := closure(program)
		if err != nil {
			return nil, err
		}
		for _, file := range needed {
			if err := t.copy(file, file); err != nil {
				return nil, err
			}
		}
	}
	for dst, src := range spec.Files {
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
		info, err := entry.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			link, err := os.Readlink(file)
			t.add(name, fs.ModeSymlink|0o777, []byte(link))
			return err
		case info.IsDir() && info.Mode()&fs.ModeSticky != 0:
			t.add(name, everybodys, nil)
			return nil
		case info.IsDir():
			t.add(name, fs.ModeDir|0o755, nil)
			return nil
		}
		return t.copy("/"+name, file)
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
	mode := fs.FileMode(0o644)
	if info.Mode()&0o111 != 0 {
		mode = 0o755
	}
	t.add(dst[1:], mode, content)
	return nil
}

// add adds a file, a directory, or a symbolic link to what it holds, and the directories above.
func (t tree) add(name string, mode fs.FileMode, content []byte) {
	for dir := path.Dir(name); dir != "." && t[dir] == nil; dir = path.Dir(dir) {
		t[dir] = &fstest.MapFile{Mode: fs.ModeDir | 0o755}
	}
	t[name] = &fstest.MapFile{Mode: mode, Data: content}
}

// tar writes the tree in a fixed order, with nothing in it that changes from one
// build to the next.
func (t tree) tar() ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	err := errors.Join(w.AddFS(fstest.MapFS(t)), w.Close())
	return out.Bytes(), err
}

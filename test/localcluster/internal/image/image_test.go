package image

import (
	"archive/tar"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"golang.org/x/sync/errgroup"
)

func writeFile(t *testing.T, content string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestWriteIsReproducible(t *testing.T) {
	var tarballs []string
	for range 2 {
		src := writeFile(t, "content", 0o644)
		later := time.Now().Add(time.Duration(len(tarballs)) * time.Hour)
		if err := os.Chtimes(src, later, later); err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(t.TempDir(), "image.tar")
		if err := Write(Spec{Name: "a/b:c", Files: map[string]string{"/x/y": src, "/a": src}}, out); err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		tarballs = append(tarballs, string(content))
	}
	if tarballs[0] != tarballs[1] {
		t.Error("the same input gives different bytes")
	}
}

func TestTreeAndConfig(t *testing.T) {
	img, err := Build(Spec{
		Files:      map[string]string{"/bin/tool": writeFile(t, "#!", 0o700), "/etc/tool/conf": writeFile(t, "x", 0o600)},
		Entrypoint: []string{"/bin/tool"},
		User:       "65532:65532",
	})
	if err != nil {
		t.Fatal(err)
	}
	config, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if config.Config.User != "65532:65532" || len(config.RootFS.DiffIDs) != 1 {
		t.Errorf("config %+v", config)
	}
	layers, err := img.Layers()
	if err != nil {
		t.Fatal(err)
	}
	content, err := layers[0].Uncompressed()
	if err != nil {
		t.Fatal(err)
	}
	modes := map[string]int64{}
	for reader := tar.NewReader(content); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		modes[header.Name] = header.Mode
	}
	want := map[string]int64{
		"bin/": 0o755, "bin/tool": 0o755, "etc/": 0o755, "etc/group": 0o644, "etc/passwd": 0o644,
		"etc/tool/": 0o755, "etc/tool/conf": 0o644, "tmp/": 0o1777,
	}
	if diff := cmp.Diff(want, modes); diff != "" {
		t.Error(diff)
	}
}

func TestTreeOfADirectory(t *testing.T) {
	dir := t.TempDir()
	for _, err := range []error{
		os.MkdirAll(filepath.Join(dir, "usr", "lib"), 0o750),
		os.WriteFile(filepath.Join(dir, "usr", "lib", "program"), []byte("#!"), 0o700),
		os.Symlink("usr/lib", filepath.Join(dir, "lib")),
		os.Mkdir(filepath.Join(dir, "scratch"), 0o700),
		os.Chmod(filepath.Join(dir, "scratch"), 0o777|os.ModeSticky),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	got, err := fileTree(Spec{Tree: dir + "/"})
	if err != nil {
		t.Fatal(err)
	}
	want := tree{
		"usr": {Mode: fs.ModeDir | 0o755}, "usr/lib": {Mode: fs.ModeDir | 0o755}, "usr/lib/program": {Mode: 0o755, Data: []byte("#!")},
		"lib": {Mode: fs.ModeSymlink | 0o777, Data: []byte("usr/lib")}, "scratch": {Mode: fs.ModeDir | fs.ModeSticky | 0o777},
	}
	bare, err := fileTree(Spec{Tree: dir, Bare: true})
	if err != nil || len(bare) != len(want) {
		t.Errorf("a bare image has %d files, want %d (%v)", len(bare), len(want), err)
	}
	for name, node := range want {
		if diff := cmp.Diff(node, got[name]); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if _, err := fileTree(Spec{Tree: filepath.Join(dir, "absent")}); err == nil {
		t.Error("a directory that is not there was taken")
	}
}

func TestFilesMustHaveCleanAbsolutePaths(t *testing.T) {
	for _, dst := range []string{"relative", "/", "/a/../b", "/a/"} {
		if _, err := Build(Spec{Files: map[string]string{dst: writeFile(t, "", 0o644)}}); err == nil {
			t.Errorf("%q was taken", dst)
		}
	}
}

func TestParseLdd(t *testing.T) {
	got, err := parseLdd("\tlinux-vdso.so.1 (0x00007ffc)\n\tlibm.so.6 => /lib/x/libm.so.6 (0x00007f)\n\t/lib64/ld-linux.so.2 (0x00007f)\n")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"/lib/x/libm.so.6", "/lib64/ld-linux.so.2"}, got); diff != "" {
		t.Error(diff)
	}
	if _, err := parseLdd("\tlibgone.so.1 => not found\n"); err == nil || !strings.Contains(err.Error(), "libgone.so.1") {
		t.Errorf("missing library: %v", err)
	}
}

// TestProgramRunsInImage runs a dynamic program with nothing but the image around.
func TestProgramRunsInImage(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("chroot needs root")
	}
	program, err := exec.LookPath("fio")
	if err != nil {
		t.Fatalf("this test runs fio: install package fio (%v)", err)
	}
	out := filepath.Join(t.TempDir(), "image.tar")
	if err := Write(Spec{Name: "test/fio:dev", Programs: []string{program}, Entrypoint: []string{program}}, out); err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	unpack(t, out, root)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "--version")
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: 65532, Gid: 65532}}
	version, err := cmd.CombinedOutput()
	if err != nil || !strings.HasPrefix(string(version), "fio-") {
		t.Errorf("got %q, %v", version, err)
	}
}

func unpack(t *testing.T, tarballPath, root string) {
	t.Helper()
	img, err := tarball.ImageFromPath(tarballPath, nil)
	if err != nil {
		t.Fatal(err)
	}
	layers, err := img.Layers()
	if err != nil {
		t.Fatal(err)
	}
	content, err := layers[0].Uncompressed()
	if err != nil {
		t.Fatal(err)
	}
	// The temporary directory is root's alone, and the program runs as another.
	for dir := root; dir != filepath.Dir(os.TempDir()) && dir != "/"; dir = filepath.Dir(dir) {
		if dir != os.TempDir() {
			if err := os.Chmod(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	cmd := exec.Command("tar", "-x", "-C", root)
	cmd.Stdin = content
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// Nodes that start together each find that the image of sandboxes is missing.
func TestWriteOfSeveralAtATime(t *testing.T) {
	src, out := writeFile(t, strings.Repeat("content", 1<<18), 0o644), filepath.Join(t.TempDir(), "image.tar")
	var group errgroup.Group
	for range 8 {
		group.Go(func() error { return Write(Spec{Name: "a/b:c", Files: map[string]string{"/x": src}}, out) })
	}
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
	if _, err := tarball.ImageFromPath(out, nil); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(filepath.Dir(out)); err != nil || len(left) != 1 {
		t.Errorf("%v is there, %v", left, err)
	}
}

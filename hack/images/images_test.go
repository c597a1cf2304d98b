package main

import (
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/storagebench/storagebench/hack/images/internal/archive"
	"github.com/storagebench/storagebench/hack/images/internal/rootfs"
)

// layoutsVariable names the directory of what "make test-images" has built: PLATFORM/IMAGE, each an OCI layout.
const layoutsVariable = "STORAGEBENCH_IMAGES"

var machines = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}

type built struct {
	architecture string
	image        v1.Image
	files        rootfs.Files
}

// each calls f with the image that is called so, of each platform.
func each(t *testing.T, name string, f func(*testing.T, built)) {
	t.Helper()
	dir := os.Getenv(layoutsVariable)
	if dir == "" {
		t.Skip(layoutsVariable + " is not set: make test-images builds the images and sets it")
	}
	for architecture := range machines {
		t.Run(name+" "+architecture, func(t *testing.T) {
			image, err := archive.Image(filepath.Join(dir, architecture, name))
			if err != nil {
				t.Fatal(err)
			}
			files, err := rootfs.Read(image)
			if err != nil {
				t.Fatal(err)
			}
			f(t, built{architecture: architecture, image: image, files: files})
		})
	}
}

func TestConfig(t *testing.T) {
	for _, name := range names {
		each(t, name, func(t *testing.T, b built) {
			config, err := b.image.ConfigFile()
			if err != nil {
				t.Fatal(err)
			}
			if config.OS != "linux" || config.Architecture != b.architecture {
				t.Errorf("the image says that it is for %s/%s", config.OS, config.Architecture)
			}
			if config.Config.User != "65532:65532" {
				t.Errorf("the image runs as %q, want 65532:65532", config.Config.User)
			}
			program := map[string]string{"operator": "/manager", "runner": "/runner"}[name]
			if !slices.Equal(config.Config.Entrypoint, []string{program}) || b.files[program].Mode.Perm()&0o001 == 0 {
				t.Errorf("entrypoint %q, mode %v", config.Config.Entrypoint, b.files[program].Mode)
			}
			for _, label := range []string{"title", "description", "source", "licenses", "version", "revision"} {
				if config.Config.Labels["org.opencontainers.image."+label] == "" {
					t.Errorf("the image has no label org.opencontainers.image.%s", label)
				}
			}
			if !bytes.Contains(b.files["/LICENSE"].Content, []byte("Apache License")) {
				t.Error("the image has no /LICENSE")
			}
			if !bytes.Contains(b.files["/THIRD_PARTY_LICENSES"].Content, []byte("sigs.k8s.io/controller-runtime")) {
				t.Error("the image has no /THIRD_PARTY_LICENSES")
			}
		})
	}
}

// All that can be run is for the image's platform and is known here, so that there is no shell and no package manager.
func TestPrograms(t *testing.T) {
	for name, programs := range map[string][]string{"operator": {"/manager"}, "runner": {"/runner", "/usr/bin/fio"}} {
		each(t, name, func(t *testing.T, b built) {
			var found []string
			for _, file := range b.files.Below("/") {
				mode := b.files[file].Mode
				if mode&(os.ModeSetuid|os.ModeSetgid) != 0 {
					t.Errorf("%s has mode %v", file, mode)
				}
				program, isELF := b.files[file].ELF()
				if isELF && program.Machine != machines[b.architecture] {
					t.Errorf("%s is for %v", file, program.Machine)
				}
				if mode.Perm()&0o111 != 0 && !strings.Contains(path.Base(file), ".so.") {
					found = append(found, file)
				}
			}
			if !slices.Equal(found, programs) {
				t.Errorf("programs %q, want %q", found, programs)
			}
		})
	}
}

// The kernel finds fio's dynamic linker, and the linker each library which something in the image loads.
func TestLibraries(t *testing.T) {
	each(t, "runner", func(t *testing.T, b built) {
		fio, ok := b.files["/usr/bin/fio"].ELF()
		if !ok {
			t.Fatal("/usr/bin/fio is no program")
		}
		linker := interpreter(t, fio)
		if file := b.files[linker]; file.Link == "" || !b.files[file.Link].Mode.IsRegular() {
			t.Errorf("fio's dynamic linker %s is %v, a link to %q, which is %v", linker, file.Mode, file.Link, b.files[file.Link].Mode)
		}
		directory := path.Dir(b.files[linker].Link) // of the architecture, where Debian's linker looks
		loaded := 0
		for _, file := range b.files.Below("/usr") {
			program, isELF := b.files[file].ELF()
			if !isELF {
				continue
			}
			libraries, err := program.ImportedLibraries()
			if err != nil {
				t.Errorf("%s: %v", file, err)
			}
			for _, library := range libraries {
				loaded++
				if !slices.ContainsFunc(append(runPaths(t, program), directory), func(dir string) bool {
					return b.files[path.Join(dir, library)].Mode.IsRegular() && b.files[path.Join(dir, library)].Content != nil
				}) {
					t.Errorf("%s loads %s, which is not there", file, library)
				}
			}
		}
		if loaded < 20 {
			t.Errorf("only %d libraries are loaded: is this Debian's fio?", loaded)
		}
	})
}

func interpreter(t *testing.T, program *elf.File) string {
	t.Helper()
	section := program.Section(".interp")
	if section == nil {
		t.Fatal("fio is linked statically")
	}
	data, err := section.Data()
	if err != nil {
		t.Fatal(err)
	}
	return string(bytes.TrimRight(data, "\x00"))
}

func runPaths(t *testing.T, program *elf.File) []string {
	t.Helper()
	var paths []string
	for _, tag := range []elf.DynTag{elf.DT_RUNPATH, elf.DT_RPATH} {
		values, err := program.DynString(tag)
		if err != nil {
			t.Error(err)
		}
		for _, value := range values {
			paths = append(paths, strings.Split(value, ":")...)
		}
	}
	return paths
}

// commonLicences are texts that copyrights of Debian's packages refer to.
var commonLicences = regexp.MustCompile(`/usr/share/common-licenses/[A-Za-z0-9.-]*[A-Za-z0-9]`)

// Scanners see each package that a file is of, and each has its copyright there.
func TestPackages(t *testing.T) {
	each(t, "runner", func(t *testing.T, b built) {
		packages := b.files.Below("/var/lib/dpkg/status.d")
		for _, file := range packages {
			name := path.Base(file)
			for _, line := range []string{"Package: " + name, "Status: install ok installed", "Architecture: " + b.architecture} {
				if !slices.Contains(strings.Split(string(b.files[file].Content), "\n"), line) {
					t.Errorf("%s has no line %q", file, line)
				}
			}
			copyright := path.Join("/usr/share/doc", name, "copyright")
			if len(b.files[copyright].Content) == 0 {
				t.Errorf("the image has no %s", copyright)
			}
			for _, licence := range commonLicences.FindAllString(string(b.files[copyright].Content), -1) {
				if len(b.files[licence].Content) == 0 {
					t.Errorf("the image has no %s, to which %s refers", licence, copyright)
				}
			}
		}
		if !bytes.Contains(b.files["/usr/share/common-licenses/GPL-2"].Content, []byte("GNU GENERAL PUBLIC LICENSE")) {
			t.Error("the image has fio, and not the licence that goes with it")
		}
		for _, want := range []string{"fio", "libc6", "libaio1t64"} {
			if !slices.Contains(packages, "/var/lib/dpkg/status.d/"+want) {
				t.Errorf("package %s is not in %q", want, packages)
			}
		}
		if want := "\nVersion: " + fioVersion(t) + "\n"; !strings.Contains(string(b.files["/var/lib/dpkg/status.d/fio"].Content), want) {
			t.Errorf("fio is not of the Dockerfile's version %q", want)
		}
	})
}

// fioVersion returns Debian's version of fio that the Dockerfile names.
func fioVersion(t *testing.T) string {
	t.Helper()
	dockerfile, err := os.ReadFile("../../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^ARG FIO_VERSION=(.+)$`).FindSubmatch(dockerfile)
	if found == nil {
		t.Fatal("the Dockerfile names no FIO_VERSION")
	}
	return string(found[1])
}

// fio starts with nothing but the image around, as the image's user.
func TestFioRuns(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("chroot needs root")
	}
	each(t, "runner", func(t *testing.T, b built) {
		if b.architecture != runtime.GOARCH {
			t.Skip("this machine cannot run it")
		}
		root := unpack(t, b.files)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		command := exec.CommandContext(ctx, "/usr/bin/fio", "--version")
		command.Dir = "/"
		command.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: 65532, Gid: 65532}}
		version, err := command.CombinedOutput()
		upstream, _, _ := strings.Cut(fioVersion(t), "-")
		if err != nil || strings.TrimSpace(string(version)) != "fio-"+upstream {
			t.Errorf("fio --version: %q, %v; want fio-%s", version, err, upstream)
		}
	})
}

func unpack(t *testing.T, files rootfs.Files) string {
	t.Helper()
	root, err := os.MkdirTemp("", "image-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	errs := []error{os.Chmod(root, 0o755)} // another user runs what is there
	for name, file := range files {
		target := filepath.Join(root, name)
		errs = append(errs, os.MkdirAll(filepath.Dir(target), 0o755))
		switch {
		case file.Link != "":
			errs = append(errs, os.Symlink(file.Link, target))
		case file.Mode.IsRegular():
			errs = append(errs, os.WriteFile(target, file.Content, file.Mode.Perm()))
		}
	}
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	return root
}

// The same source gives the same programs, wherever they are built: those of the images were built in a container, in another
// directory. Had that changed what is compiled, they would not have been found in the cache of this user, and would differ.
func TestProgramsAreReproducible(t *testing.T) {
	for image, program := range map[string]string{"operator": "manager", "runner": "runner"} {
		each(t, image, func(t *testing.T, b built) {
			if b.architecture != runtime.GOARCH {
				t.Skip("one platform is enough: the compiler is the same, and all packages would have to be compiled again")
			}
			out := filepath.Join(t.TempDir(), program)
			config, err := b.image.ConfigFile()
			if err != nil {
				t.Fatal(err)
			}
			version := config.Config.Labels["org.opencontainers.image.version"]
			build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -X main.version="+version, "-o", out, "./cmd/"+program)
			build.Dir = "../.."
			build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+b.architecture)
			if said, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, said)
			}
			content, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(content, b.files["/"+program].Content) {
				t.Errorf("%s, built again, has %d other bytes than the image's %d", program, len(content), len(b.files["/"+program].Content))
			}
		})
	}
}

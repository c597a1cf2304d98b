package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/storagebench/storagebench/internal/digest"
)

// uringVariable has this test's program be a runner to whose fio io_uring is refused with the error of that number.
const uringVariable = "STORAGEBENCH_TEST_REFUSE_URING"

// refuseUring has the kernel refuse io_uring to this process and all that it starts, as a seccomp profile does.
func refuseUring(errno syscall.Errno) error {
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0}, // the number of the system call
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: unix.SYS_IO_URING_SETUP},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(errno)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no new privileges: %w", err)
	}
	if _, _, e := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&program))); e != 0 {
		return fmt.Errorf("filter system calls: %w", e)
	}
	return nil
}

// TestRefusedRunner is no test, but the runner of the next one.
func TestRefusedRunner(t *testing.T) {
	errno, err := strconv.Atoi(os.Getenv(uringVariable))
	if err != nil {
		t.Skip("only a part of another test")
	}
	f := newFixture(t, "[job]\nioengine=io_uring\nrw=write\nsize=64k\n")
	if err := refuseUring(syscall.Errno(errno)); err != nil {
		t.Fatal(err)
	}
	code := Measure(context.Background(), f.Options)
	message, err := os.ReadFile(f.TerminationMessage)
	fmt.Printf("code %d: %s, %v\n", code, message, err)
}

// fio is silent about an io_uring that is refused; the runner is not.
func TestRefusedUring(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		errno syscall.Errno
		want  string
	}{
		"by a filter of system calls": {syscall.EPERM, "the container's seccomp profile forbids io_uring"},
		"by a kernel without it":      {syscall.ENOSYS, "the node's kernel or sandbox has no io_uring"},
		"for lack of locked memory":   {syscall.ENOMEM, "io_uring needs more locked memory than the container may have"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestRefusedRunner$")
			cmd.Env = append(os.Environ(), uringVariable+"="+strconv.Itoa(int(test.errno)))
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v:\n%s", err, out)
			}
			for _, want := range []string{fmt.Sprintf("code %d: %s", digest.ExitFailed, test.want), "use ioengine libaio", "; fio failed (exit status"} {
				if !strings.Contains(string(out), want) {
					t.Errorf("no %q in:\n%s", want, out)
				}
			}
		})
	}
}

// Two switches of the kernel forbid io_uring with the same error as a filter of system calls.
func TestAdviceOnForbiddenUring(t *testing.T) {
	for level, want := range map[string]string{
		"2\n": "kernel.io_uring_disabled is 2", "1\n": "spec.pod.securityContext.supplementalGroups", "0\n": "seccomp profile", "": "seccomp profile",
	} {
		m := machine{root: t.TempDir()}
		if level != "" {
			path := filepath.Join(m.root, "proc/sys/kernel/io_uring_disabled")
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(level), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		if got := adviseOnUring(syscall.EPERM, m); !strings.Contains(got, want) || !strings.Contains(got, "use ioengine libaio") {
			t.Errorf("at level %q the advice is %q", level, got)
		}
	}
	if got := adviseOnUring(syscall.EINVAL, thisMachine()); got != "" {
		t.Errorf("advice on another error: %q", got)
	}
}

// An error of another kind gets no advice, also of a job with io_uring where that is not refused.
func TestNoAdviceOnOtherErrors(t *testing.T) {
	engines := []string{"psync"}
	if uringError(nil) == nil {
		engines = append(engines, "io_uring")
	}
	for _, engine := range engines {
		f := newFixture(t, "[job]\nioengine="+engine+"\nrw=read\nsize=64k\nallow_file_create=0\n")
		if code := Measure(t.Context(), f.Options); code != digest.ExitFailed {
			t.Errorf("%s: code %d", engine, code)
		}
		message, err := os.ReadFile(f.TerminationMessage)
		if err != nil || !strings.HasPrefix(string(message), "fio failed") || !strings.Contains(string(message), "file creation disallowed") {
			t.Errorf("%s: %q, %v", engine, message, err)
		}
	}
}

// The smallest io_uring may find the memory that one of a greater depth does not.
func TestDeepUring(t *testing.T) {
	if err := uringError(nil); err != nil {
		t.Skipf("this machine has no io_uring: %v", err)
	}
	for code, want := range map[syscall.Errno]error{syscall.ENOMEM: syscall.ENOMEM, syscall.EIO: nil} {
		output := fmt.Sprintf(`{"fio version": "fio-3.33", "jobs": [{"jobname": "a", "error": %d}]}`, code)
		if got := uringError([]byte(output)); !errors.Is(got, want) {
			t.Errorf("of error %d fio makes %v", code, got)
		}
	}
}

func TestAdviceOnDevice(t *testing.T) {
	opening := func(err error) func(string, int, fs.FileMode) (*os.File, error) {
		return func(path string, _ int, _ fs.FileMode) (*os.File, error) {
			if err != nil {
				return nil, &fs.PathError{Op: "open", Path: path, Err: err}
			}
			return os.Open(os.DevNull)
		}
	}
	raw := Options{JobFile: "[global]\nfilename=/dev/null\n[job]\nrw=read\n", Log: io.Discard}
	got := raw.adviseOnDevice(opening(syscall.EACCES))
	for _, want := range []string{
		"(of user 0 and group 0, mode 0666)", fmt.Sprintf("fio runs as user %d", os.Getuid()), "device_ownership_from_security_context = true",
		"spec.containerd.config of a NodeConfig for AL2023", "settings.kubernetes.device-ownership-from-security-context for Bottlerocket", "volumeMode Filesystem",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
	const keptByRun = 1024 // bytes of a message, of which fio's own words need some
	if len(got) > keptByRun-200 {
		t.Errorf("the advice has %d bytes, which leaves fio's words out", len(got))
	}
	for name, err := range map[string]error{"that opens": nil, "that is gone": syscall.ENOENT, "that is in use": syscall.EBUSY} {
		if got := raw.adviseOnDevice(opening(err)); got != "" {
			t.Errorf("advice on a device %s: %q", name, got)
		}
	}
	files := Options{JobFile: "[job]\nrw=read\ndirectory=/volume\n", Log: io.Discard}
	if got := files.adviseOnDevice(opening(syscall.EACCES)); got != "" {
		t.Errorf("advice without a device: %q", got)
	}
}

// Who may not write on a volume is told whose it is, and what lets them write: without fsGroup, which would change all files.
func TestAdviceOnRoot(t *testing.T) {
	root := t.TempDir()
	if err := os.Chmod(root, 0o750); err != nil {
		t.Fatal(err)
	}
	if got := nearest(filepath.Join(root, "storagebench-u1", "client-1")); got != root {
		t.Errorf("the nearest directory is %s, want %s", got, root)
	}
	got := adviseOnRoot(root, 65532, []int{65532})
	for _, want := range []string{
		fmt.Sprintf("the volume (of user %d and group %d, mode 0750) does not let user 65532 of groups [65532] write", os.Getuid(), os.Getgid()),
		"set runAsUser, runAsGroup or supplementalGroups in spec.pod.securityContext", "on EFS use an access point", "give every file on the volume to that group for good",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("advice %q lacks %q", got, want)
		}
	}
	if got := adviseOnRoot(filepath.Join(root, "none"), 1, nil); !strings.HasPrefix(got, "the volume does not let user 1 of groups [] write") {
		t.Errorf("advice on a volume that cannot be looked at is %q", got)
	}
}

package runner

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/storagebench/storagebench/internal/fiooutput"
)

// advise adds to an error of fio what it comes of and what to do about it, where that can be found out by trying what fio
// has tried: fio says nothing at all of an io_uring that is refused, and of a device no more than "Permission denied".
func (o Options) advise(err error, text []byte) error {
	failed, ok := errors.AsType[*failure](err)
	if !ok {
		return err
	}
	advice := o.adviseOnDevice(os.OpenFile)
	if advice == "" && usesUring.MatchString(o.JobFile) {
		advice = adviseOnUring(uringError(text), thisMachine())
	}
	if advice == "" {
		return err
	}
	return failf(failed.code, "%s; %s", advice, failed.text)
}

// usesDevice finds the path of a raw block device in a job file, and usesUring an ioengine.
var (
	usesDevice = regexp.MustCompile(`(?m)^filename=(/dev/\S+)$`)
	usesUring  = regexp.MustCompile(`(?m)^ioengine=io_uring$`)
)

// adviseOnDevice says why a raw block device cannot be opened, "" if it can.
func (o Options) adviseOnDevice(open func(string, int, fs.FileMode) (*os.File, error)) string {
	match := usesDevice.FindStringSubmatch(o.JobFile)
	if match == nil {
		return ""
	}
	how := os.O_RDWR
	if o.ReadOnly {
		how = os.O_RDONLY
	}
	file, err := open(match[1], how, 0)
	if err == nil {
		_ = file.Close()
		return ""
	}
	if !errors.Is(err, syscall.EACCES) {
		return ""
	}
	return fmt.Sprintf("the volume's device%s is closed to other users, and fio runs as user %d of groups %v: set device_ownership_from_security_context = true in containerd's configuration on the nodes "+
		"(on EKS in the launch template's user data: spec.containerd.config of a NodeConfig for AL2023, settings.kubernetes.device-ownership-from-security-context for Bottlerocket) "+
		"and keep runAsUser and runAsGroup in spec.pod.securityContext; or use volumeMode Filesystem", ownership(match[1]), os.Getuid(), o.groups())
}

// adviseOnRoot says what to do about a volume on which the user may make no directory. The root directory tells who may.
func adviseOnRoot(root string, user int, groups []int) string {
	return fmt.Sprintf("the volume%s does not let user %d of groups %v write: set runAsUser, runAsGroup or supplementalGroups in spec.pod.securityContext to one that may, "+
		"or on EFS use an access point; on a volume that has no files yet set fsGroup (kubectl storagebench run --fs-group 65532), by which many drivers give every file on the volume to that group for good", ownership(root), user, groups)
}

// nearest returns the directory itself, or the nearest one above it that is there.
func nearest(directory string) string {
	for {
		above := filepath.Dir(directory)
		if _, err := os.Stat(directory); err == nil || above == directory {
			return directory
		}
		directory = above
	}
}

// ownership says whose a device or a directory is, "" if that cannot be read.
func ownership(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprintf(" (of user %d and group %d, mode %#o)", stat.Uid, stat.Gid, info.Mode().Perm())
}

// uringError returns why the kernel refuses an io_uring, nil if it does not: what the smallest one meets, or else what fio
// reports of a job, of which only a lack of memory can come of its depth.
func uringError(text []byte) error {
	// The parameters, of which all may be 0: struct io_uring_params.
	var parameters [120]byte
	fd, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&parameters)), 0) //nolint:gosec // The kernel writes its answer there.
	if errno != 0 {
		return errno
	}
	_ = unix.Close(int(fd))
	if output, err := fiooutput.Parse(text); err == nil && slices.ContainsFunc(output.Groups, hasNoMemory) {
		return syscall.ENOMEM
	}
	return nil
}

func hasNoMemory(g fiooutput.Group) bool { return g.Error == int(syscall.ENOMEM) }

// adviseOnUring says what an io_uring needs that is refused with an error, "" if it is not.
func adviseOnUring(err error, m machine) string {
	switch {
	case errors.Is(err, syscall.EPERM):
		return adviseOnForbiddenUring(m)
	case errors.Is(err, syscall.ENOSYS):
		return "the node's kernel or sandbox has no io_uring, which came with Linux 5.1: use ioengine libaio, or other nodes"
	case errors.Is(err, syscall.ENOMEM):
		return fmt.Sprintf("io_uring needs more locked memory than the container may have (RLIMIT_MEMLOCK%s), which counts on kernels before 5.12: "+
			"use ioengine libaio, lower iodepth and numjobs, or raise LimitMEMLOCK of containerd's service on the nodes", lockedMemory())
	default:
		return ""
	}
}

// adviseOnForbiddenUring tells the kernel's own switch from the container's filter of system calls, which both forbid it with
// the same error.
func adviseOnForbiddenUring(m machine) string {
	text, err := os.ReadFile(filepath.Join(m.root, "proc/sys/kernel/io_uring_disabled"))
	switch level := strings.TrimSpace(string(text)); {
	case err == nil && level == "2":
		return "io_uring is switched off on the node (sysctl kernel.io_uring_disabled is 2): use ioengine libaio, or set it to 0 on the nodes"
	case err == nil && level == "1":
		return "io_uring is reserved for a group on the node (sysctl kernel.io_uring_disabled is 1): use ioengine libaio, or name the group of " +
			"sysctl kernel.io_uring_group in spec.pod.securityContext.supplementalGroups"
	}
	return "the container's seccomp profile forbids io_uring, as RuntimeDefault of containerd 2.0 and later does: use ioengine libaio, or put a profile " +
		"that allows io_uring_setup, io_uring_enter and io_uring_register on the nodes and name it in spec.pod.securityContext.seccompProfile " +
		"(type Localhost, which Pod Security \"restricted\" admits; Unconfined it does not)"
}

// lockedMemory returns how much memory the process may lock, as " is 65536 bytes"; "" if that is not known or not limited.
func lockedMemory() string {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_MEMLOCK, &limit); err != nil || limit.Cur == unix.RLIM_INFINITY {
		return ""
	}
	return " is " + strconv.FormatUint(limit.Cur, 10) + " bytes"
}

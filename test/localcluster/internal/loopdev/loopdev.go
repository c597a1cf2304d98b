// Package loopdev attaches files as block devices.
package loopdev

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	controlDevice = "/dev/loop-control"
	commandLimit  = 10 * time.Second
	detachLimit   = 30 * time.Second
	pollInterval  = 10 * time.Millisecond
)

// Device is an attached loop device.
type Device struct {
	// Path, such as /dev/loop3.
	Path string
	// BackingFile as the kernel shows it.
	BackingFile string
}

// Attach attaches a file with direct I/O, so that it is not cached twice and a
// direct write to the device is a direct write to the disk below.
func Attach(ctx context.Context, file string) (string, error) {
	return losetup(ctx, "--find", "--show", "--direct-io=on", file)
}

// losetup also takes another device where somebody else was quicker.
func losetup(ctx context.Context, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, commandLimit)
	defer cancel()
	var said strings.Builder
	cmd := exec.CommandContext(ctx, "losetup", args...)
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("losetup %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(said.String()))
	}
	return strings.TrimSpace(string(out)), nil
}

// List returns the attached devices.
func List() ([]Device, error) {
	attributes, err := filepath.Glob("/sys/block/loop*/loop/backing_file")
	if err != nil {
		return nil, err
	}
	var devices []Device
	for _, attribute := range attributes {
		content, err := os.ReadFile(attribute)
		if err != nil {
			continue // detached since
		}
		name := filepath.Base(filepath.Dir(filepath.Dir(attribute)))
		devices = append(devices, Device{Path: "/dev/" + name, BackingFile: strings.TrimSpace(string(content))})
	}
	return devices, nil
}

// Find returns the device a file is attached to, or "".
func Find(file string) (string, error) {
	devices, err := List()
	if err != nil {
		return "", err
	}
	at := slices.IndexFunc(devices, func(d Device) bool { return d.BackingFile == file })
	if at < 0 {
		return "", nil
	}
	return devices[at].Path, nil
}

// Detach detaches a device and waits until it is free. A device still in use is
// an error; the kernel then frees it at the last close.
func Detach(ctx context.Context, path string) error {
	// It fails for a device that is free already.
	_, failed := losetup(ctx, "--detach", path)
	attribute := filepath.Join("/sys/block", filepath.Base(path), "loop/backing_file")
	err := wait.PollUntilContextTimeout(ctx, pollInterval, detachLimit, true, func(context.Context) (bool, error) {
		_, err := os.Stat(attribute)
		return os.IsNotExist(err), nil
	})
	if err != nil {
		return fmt.Errorf("waiting for %s to be free, it is still in use: %w", path, errors.Join(err, failed))
	}
	return nil
}

// Numbers returns the numbers of the devices that exist, attached or not.
func Numbers() ([]int, error) {
	names, err := filepath.Glob("/sys/block/loop*")
	if err != nil {
		return nil, err
	}
	var numbers []int
	for _, name := range names {
		var number int
		if _, err := fmt.Sscanf(filepath.Base(name), "loop%d", &number); err == nil {
			numbers = append(numbers, number)
		}
	}
	return numbers, nil
}

// Remove makes a free device disappear. One that is in use stays.
func Remove(number int) error {
	control, err := os.OpenFile(controlDevice, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() { _ = control.Close() }()
	err = unix.IoctlSetInt(int(control.Fd()), unix.LOOP_CTL_REMOVE, number)
	if errors.Is(err, unix.EBUSY) || errors.Is(err, unix.ENODEV) {
		return nil
	}
	return err
}

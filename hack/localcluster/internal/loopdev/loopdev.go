// Package loopdev attaches files as block devices.
package loopdev

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	controlDevice = "/dev/loop-control"
	// attachAttempts bounds how often another process may take the device that was
	// just found free.
	attachAttempts = 20
	detachLimit    = 5 * time.Second
	pollInterval   = 10 * time.Millisecond
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
func Attach(file string) (string, error) {
	backing, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		return "", err
	}
	defer func() { _ = backing.Close() }()
	for range attachAttempts {
		path, err := freeDevice()
		if err != nil {
			return "", err
		}
		err = configure(path, backing)
		if errors.Is(err, unix.EBUSY) {
			continue
		}
		if err != nil {
			return "", fmt.Errorf("attach %s to %s: %w", file, path, err)
		}
		return path, nil
	}
	return "", fmt.Errorf("attach %s: every free device was taken by somebody else", file)
}

func freeDevice() (string, error) {
	control, err := os.OpenFile(controlDevice, os.O_RDWR, 0)
	if err != nil {
		return "", err
	}
	defer func() { _ = control.Close() }()
	number, err := unix.IoctlRetInt(int(control.Fd()), unix.LOOP_CTL_GET_FREE)
	if err != nil {
		return "", fmt.Errorf("find a free loop device: %w", err)
	}
	return fmt.Sprintf("/dev/loop%d", number), nil
}

func configure(path string, backing *os.File) error {
	device, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() { _ = device.Close() }()
	config := &unix.LoopConfig{
		Fd:   uint32(backing.Fd()),
		Info: unix.LoopInfo64{Flags: unix.LO_FLAGS_DIRECT_IO},
	}
	// The last byte stays zero: the name is a C string.
	copy(config.Info.File_name[:len(config.Info.File_name)-1], backing.Name())
	return unix.IoctlLoopConfigure(int(device.Fd()), config)
}

// DirectIO says whether a device really does direct I/O: the kernel leaves it off
// where the file system below has none.
func DirectIO(path string) bool {
	content, err := os.ReadFile(filepath.Join("/sys/block", filepath.Base(path), "loop/dio"))
	return err == nil && strings.TrimSpace(string(content)) == "1"
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
	device, err := os.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	_, err = unix.IoctlRetInt(int(device.Fd()), unix.LOOP_CLR_FD)
	err = errors.Join(ignore(err, unix.ENXIO), device.Close())
	if err != nil {
		return fmt.Errorf("detach %s: %w", path, err)
	}
	return waitFree(ctx, path)
}

func waitFree(ctx context.Context, path string) error {
	attribute := filepath.Join("/sys/block", filepath.Base(path), "loop/backing_file")
	err := wait.PollUntilContextTimeout(ctx, pollInterval, detachLimit, true, func(context.Context) (bool, error) {
		_, err := os.Stat(attribute)
		return os.IsNotExist(err), nil
	})
	if err != nil {
		return fmt.Errorf("waiting for %s to be free, it is still in use: %w", path, err)
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
	return ignore(ignore(err, unix.EBUSY), unix.ENODEV)
}

func ignore(err, harmless error) error {
	if errors.Is(err, harmless) {
		return nil
	}
	return err
}

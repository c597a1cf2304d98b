package local

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/prometheus/procfs"

	"github.com/storagebench/storagebench/internal/aws"
	"github.com/storagebench/storagebench/internal/mounts"
	"github.com/storagebench/storagebench/internal/storage"
)

// machine is what the system tells of the machine and of its storage. root is where /proc, /sys and /run are: / but in
// tests.
type machine struct{ root string }

// volume is what the system tells of the storage that a directory is on. The zero value is storage of which nothing is
// known.
type volume struct {
	// driver is the CSI driver that such storage has in a cluster, and handle what that calls it.
	driver, handle string
	// bytes is the size of an EBS volume.
	bytes int64
}

// instanceType returns the type of the EC2 instance that this is, "" if it is none, or one that is not known.
func (m machine) instanceType() string {
	if m.read("sys/class/dmi/id/sys_vendor") != "Amazon EC2" {
		return ""
	}
	name := m.read("sys/class/dmi/id/product_name")
	if _, known := aws.LookupInstance(name); !known {
		return ""
	}
	return name
}

// volumeAt returns what is known of the storage that a directory is on.
func (m machine) volumeAt(directory string) volume {
	mount := mounts.Of(m.root, directory)
	switch {
	case mount == nil:
		return volume{}
	case strings.HasPrefix(mount.FSType, "nfs"):
		return m.fileSystemOf(mount)
	case mount.Source == "mountpoint-s3":
		return volume{driver: storage.S3Driver}
	}
	return m.diskOf(mount)
}

var (
	// ofEFS matches the source of a mount of EFS: fs-0123456789abcdef0.efs.eu-central-1.amazonaws.com:/.
	ofEFS = regexp.MustCompile(`^(?:[a-z0-9-]+\.)?(fs-[0-9a-f]+)\.efs\.`)
	// ofTunnel matches a file of amazon-efs-utils about a tunnel: the file system, where it is mounted, and the port.
	ofTunnel = regexp.MustCompile(`^(fs-[0-9a-f]+)\..*\.([0-9]+)$`)
)

// fileSystemOf returns the EFS file system of an NFS mount. With TLS it is mounted through a tunnel on this machine.
func (m machine) fileSystemOf(mount *procfs.MountInfo) volume {
	if match := ofEFS.FindStringSubmatch(mount.Source); match != nil {
		return volume{driver: storage.EFSDriver, handle: match[1]}
	}
	port := mount.SuperOptions["port"]
	if port == "" || !strings.HasPrefix(mount.Source, "127.0.0.1:") {
		return volume{}
	}
	// https://github.com/aws/efs-utils: the files in its state directory.
	tunnels, err := os.ReadDir(filepath.Join(m.root, "run/efs"))
	if err != nil {
		return volume{}
	}
	for _, tunnel := range tunnels {
		if match := ofTunnel.FindStringSubmatch(tunnel.Name()); len(match) > 2 && match[2] == port {
			return volume{driver: storage.EFSDriver, handle: match[1]}
		}
	}
	return volume{}
}

// ofEBS matches the serial number of an EBS volume: its ID without the hyphen.
var ofEBS = regexp.MustCompile(`^vol-?([0-9a-f]+)$`)

// diskOf returns the EBS volume that a file system is on, also through a partition, or through one layer of LVM or
// encryption on one volume.
func (m machine) diskOf(mount *procfs.MountInfo) volume {
	device := m.deviceOf(mount)
	for range 4 { // a partition, LVM, encryption, and a partition again
		if match := ofEBS.FindStringSubmatch(m.read(filepath.Join(device, "device/serial"))); match != nil {
			return volume{driver: storage.EBSDriver, handle: "vol-" + match[1], bytes: m.bytesOf(device)}
		}
		if device = m.below(device); device == "" {
			break
		}
	}
	return volume{}
}

// deviceOf returns the directory of sysfs of the block device that a file system is on, without the root. btrfs has a
// number that is no device's, so its source counts.
func (m machine) deviceOf(mount *procfs.MountInfo) string {
	link := filepath.Join("sys/dev/block", mount.MajorMinorVer)
	if strings.HasPrefix(mount.MajorMinorVer, "0:") {
		link = filepath.Join("sys/class/block", filepath.Base(mount.Source))
	}
	path, err := filepath.EvalSymlinks(filepath.Join(m.root, link))
	if err != nil {
		return ""
	}
	relative, err := filepath.Rel(m.root, path)
	if err != nil {
		return ""
	}
	return relative
}

// below returns the device that another one is a part of, or is made of; "" if there is none, or several.
func (m machine) below(device string) string {
	if device == "" {
		return ""
	}
	if _, err := os.Stat(filepath.Join(m.root, device, "partition")); err == nil {
		return filepath.Dir(device)
	}
	slaves, err := os.ReadDir(filepath.Join(m.root, device, "slaves"))
	if err != nil || len(slaves) != 1 {
		return ""
	}
	path, err := filepath.EvalSymlinks(filepath.Join(m.root, device, "slaves", slaves[0].Name()))
	if err != nil {
		return ""
	}
	relative, err := filepath.Rel(m.root, path)
	if err != nil {
		return ""
	}
	return relative
}

// bytesOf returns the size of a block device, 0 if it is not known.
func (m machine) bytesOf(device string) int64 {
	const sectorBytes = 512 // whatever the sectors of the device are
	sectors, err := strconv.ParseInt(m.read(filepath.Join(device, "size")), 10, 64)
	if err != nil {
		return 0
	}
	return sectors * sectorBytes
}

// read returns the text of a file, "" if there is none.
func (m machine) read(path string) string {
	text, err := os.ReadFile(filepath.Join(m.root, path))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

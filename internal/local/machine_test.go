package local

import (
	"os"
	"path/filepath"
	"testing"
)

// root makes a directory with files, and symbolic links where a text begins with "->".
func root(t *testing.T, files map[string]string) machine {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if len(text) > 2 && text[:2] == "->" {
			err = os.Symlink(text[2:], path)
		} else {
			err = os.WriteFile(path, []byte(text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return machine{root}
}

// mount is a line of /proc/self/mountinfo.
func mount(number, point, kind, source, options string) map[string]string {
	return map[string]string{"proc/self/mountinfo": "36 35 " + number + " / " + point + " rw,relatime - " + kind + " " + source + " " + options + "\n"}
}

// with returns files with others.
func with(files map[string]string, others ...string) map[string]string {
	for i := 0; i < len(others); i += 2 {
		files[others[i]] = others[i+1]
	}
	return files
}

const (
	disk      = "sys/devices/nvme/nvme1/nvme1n1"
	partition = disk + "/nvme1n1p1"
	mapper    = "sys/devices/virtual/block/dm-0"
)

func TestInstanceType(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		files map[string]string
		want  string
	}{
		"EC2":          {map[string]string{"sys/class/dmi/id/sys_vendor": "Amazon EC2\n", "sys/class/dmi/id/product_name": "m6i.large\n"}, "m6i.large"},
		"another type": {map[string]string{"sys/class/dmi/id/sys_vendor": "Amazon EC2\n", "sys/class/dmi/id/product_name": "m99.huge\n"}, ""},
		"elsewhere":    {map[string]string{"sys/class/dmi/id/sys_vendor": "QEMU\n", "sys/class/dmi/id/product_name": "m6i.large\n"}, ""},
		"nothing":      {nil, ""},
	} {
		if got := root(t, test.files).instanceType(); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// What a directory is on is found by what Linux says of its mount, and of the devices below.
func TestVolumeAt(t *testing.T) {
	t.Parallel()
	ebs := volume{driver: "ebs.csi.aws.com", handle: "vol-0123456789abcdef0", bytes: 100 << 30}
	efs := volume{driver: "efs.csi.aws.com", handle: "fs-0123456789abcdef0"}
	serial := []string{disk + "/device/serial", "vol0123456789abcdef0  \n", disk + "/size", "209715200\n"}
	for name, test := range map[string]struct {
		files map[string]string
		want  volume
	}{
		"a whole volume": {with(mount("259:1", "/data", "xfs", "/dev/nvme1n1", "rw"),
			append(serial, "sys/dev/block/259:1", "->../../devices/nvme/nvme1/nvme1n1")...), ebs},
		"a partition": {with(mount("259:2", "/data", "ext4", "/dev/nvme1n1p1", "rw"),
			append(serial, partition+"/partition", "1\n", "sys/dev/block/259:2", "->../../devices/nvme/nvme1/nvme1n1/nvme1n1p1")...), ebs},
		"LVM on a partition": {with(mount("252:0", "/data", "ext4", "/dev/mapper/vg-data", "rw"),
			append(serial, partition+"/partition", "1\n", "sys/dev/block/252:0", "->../../devices/virtual/block/dm-0",
				mapper+"/slaves/nvme1n1p1", "->../../../../nvme/nvme1/nvme1n1/nvme1n1p1")...), ebs},
		"btrfs": {with(mount("0:42", "/data", "btrfs", "/dev/nvme1n1", "rw"),
			append(serial, "sys/class/block/nvme1n1", "->../../devices/nvme/nvme1/nvme1n1")...), ebs},
		"a stripe over volumes": {with(mount("252:0", "/data", "ext4", "/dev/md0", "rw"),
			append(serial, "sys/dev/block/252:0", "->../../devices/virtual/block/dm-0",
				mapper+"/slaves/nvme1n1", "->../../../../nvme/nvme1/nvme1n1", mapper+"/slaves/nvme2n1", "->x")...), volume{}},
		"an instance's disk": {with(mount("259:1", "/data", "xfs", "/dev/nvme1n1", "rw"),
			disk+"/device/serial", "AWS2A7D1B5C0D2E3F4A\n", "sys/dev/block/259:1", "->../../devices/nvme/nvme1/nvme1n1"), volume{}},
		"EFS":           {mount("0:50", "/data", "nfs4", "fs-0123456789abcdef0.efs.eu-central-1.amazonaws.com:/", "rw,vers=4.1"), efs},
		"EFS in a zone": {mount("0:50", "/data", "nfs4", "eu-central-1a.fs-0123456789abcdef0.efs.eu-central-1.amazonaws.com:/", "rw"), efs},
		"EFS with TLS": {with(mount("0:50", "/data", "nfs4", "127.0.0.1:/", "rw,port=20049"),
			"run/efs/fs-0123456789abcdef0.data.20049", "{}"), efs},
		"another tunnel": {with(mount("0:50", "/data", "nfs4", "127.0.0.1:/", "rw,port=20050"),
			"run/efs/fs-0123456789abcdef0.data.20049", "{}"), volume{}},
		"another server": {mount("0:50", "/data", "nfs", "server:/export", "rw"), volume{}},
		"S3":             {mount("0:51", "/data", "fuse", "mountpoint-s3", "rw"), volume{driver: "s3.csi.aws.com"}},
		"memory":         {mount("0:30", "/data", "tmpfs", "tmpfs", "rw"), volume{}},
		"elsewhere":      {mount("0:50", "/other", "nfs4", "fs-0123456789abcdef0.efs.eu-central-1.amazonaws.com:/", "rw"), volume{}},
		"nothing":        {nil, volume{}},
	} {
		if got := root(t, test.files).volumeAt("/data/bench"); got != test.want {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
	}
}

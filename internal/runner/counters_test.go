package runner

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/internal/digest"
)

// nfsStats is what Linux 6.1 writes of an NFS mount of version 4.1, with the figures of its bytes, and of its reads, writes, commits and lookups.
func nfsStats(mountPoint, bytes, read, write, commit, getattr string) string {
	return "device 127.0.0.1:/ mounted on " + mountPoint + ` with fstype nfs4 statvers=1.1
	opts:	rw,vers=4.1,rsize=1048576,wsize=1048576,namlen=255,acregmin=3,acregmax=60,acdirmin=30,acdirmax=60,hard,proto=tcp,nconnect=1,port=20049,timeo=600,retrans=2,sec=sys,clientaddr=127.0.0.1,local_lock=none
	age:	3712
	impl_id:	name='',domain='',date='0,0'
	caps:	caps=0x3fffb7,wtmult=512,dtsize=1048576,bsize=0,namlen=255
	nfsv4:	bm0=0xf9dffe5e,bm1=0xb0be8a,bm2=0x0,acl=0x0,sessions,pnfs=not configured,lease_time=60,lease_expired=0
	sec:	flavor=1,pseudoflavor=1
	events:	12 4820 0 3 8 5 5212 65536 0 2 0 9 4 1 6 65530 0 2 0 0 4 0 0 0 0 0 0
	bytes:	` + bytes + `
	RPC iostats version: 1.1  p/v: 100003/4 (nfs)
	xprt:	tcp 0 0 2 0 11 70433 70432 1 141022 0 64 4412 130001
	per-op statistics
	        NULL: 1 1 0 44 24 0 0 0 0
	        READ: ` + read + `
	       WRITE: ` + write + `
	      COMMIT: ` + commit + `
	     GETATTR: ` + getattr + `

`
}

const (
	otherMounts = "device proc mounted on /proc with fstype proc\ndevice /dev/nvme0n1p1 mounted on /etc/hosts with fstype xfs\n"
	nfsBefore   = "268435456 268435456 0 0 1048576 2097152 256 512"
	nfsAfter    = "268435456 536870912 0 268435456 5242880 270532608 1280 66048"
)

var mountInfo = strings.Join([]string{
	"1200 1100 0:210 / / rw,relatime - overlay none rw,lowerdir=/a,upperdir=/b,workdir=/c",
	"1201 1200 259:4 / /volume rw,relatime - ext4 /dev/nvme1n1 rw",
	"1202 1200 0:57 /bench /efs rw,relatime - nfs4 127.0.0.1:/ rw,vers=4.1,rsize=1048576,wsize=1048576",
	"1203 1200 0:58 / /s3 rw,nosuid,nodev,noatime - fuse mountpoint-s3 rw,user_id=0,group_id=0,default_permissions,allow_other",
	"",
}, "\n")

func diskstats(nvme string) string {
	return "   7       0 loop0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n" +
		" 259       0 nvme0n1 51213 9 3413452 20018 80213 61123 6152011 91230 0 70212 113210 0 0 0 0 4212 1962\n" +
		" 259       4 nvme1n1 " + nvme + "\n"
}

// A block device has its counters in /proc/diskstats, in sectors of 512 bytes, and an NFS mount in /proc/self/mountstats.
func TestCounters(t *testing.T) {
	const stats, disks = "proc/7/mountstats", "proc/diskstats"
	for _, test := range []struct {
		name          string
		major, minor  uint32
		before, after map[string]string
		want          *digest.Counters
	}{
		{
			name: "device", major: 259, minor: 4,
			// reads merged sectors ms, writes merged sectors ms, in flight, busy, queue, discards merged sectors ms, flushes ms
			before: map[string]string{disks: diskstats("100 1 800 50 200 2 1600 90 0 120 140 3 0 6144 1 40 20")},
			after:  map[string]string{disks: diskstats("110 3 1600 60 435 65303 9600 990 4 1120 1140 5 0 8192 1 43 25")},
			want: &digest.Counters{
				Reads: 10, ReadBytes: 800 * 512, Writes: 235, WriteBytes: 8000 * 512, Others: 5, Merges: 65303, BusyMilliseconds: 1000, QueueMilliseconds: 1000,
			},
		}, {
			name: "device of a kernel that counts no discards", major: 259, minor: 4,
			before: map[string]string{disks: diskstats("100 1 800 50 200 2 1600 90 0 120 140")},
			after:  map[string]string{disks: diskstats("101 1 808 50 200 2 1600 90 0 121 141")},
			want:   &digest.Counters{Reads: 1, ReadBytes: 4096, BusyMilliseconds: 1, QueueMilliseconds: 1},
		}, {
			name: "idle device", major: 7, minor: 0, before: map[string]string{disks: diskstats("0 0 0 0 0 0 0 0 0 0 0")},
			want: &digest.Counters{},
		}, {
			name: "another device meanwhile", major: 259, minor: 4,
			before: map[string]string{disks: diskstats("100 1 800 50 200 2 1600 90 0 120 140")},
			after:  map[string]string{disks: diskstats("100 1 800 50 199 2 1600 90 0 120 140")},
		}, {
			name: "a device that is gone", major: 259, minor: 4,
			before: map[string]string{disks: diskstats("100 1 800 50 200 2 1600 90 0 120 140")},
			after:  map[string]string{disks: "   7       0 loop0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"},
		}, {
			name: "no such device", major: 259, minor: 5, before: map[string]string{disks: diskstats("1 0 0 0 0 0 0 0 0 0 0")},
		}, {
			name: "no diskstats", major: 259, minor: 4,
		}, {
			name: "diskstats that cannot be read", major: 259, minor: 4, before: map[string]string{disks: "259 four nvme1n1\n"},
		}, {
			name: "NFS", minor: 57,
			// requests, sent, timeouts, bytes sent and received, ms queued, ms of the answer, ms in all, errors
			before: map[string]string{stats: otherMounts + nfsStats("/efs", nfsBefore, "1 1 0 188 1048680 0 9 10 0", "2 2 0 2097528 352 0 20 30 0", "0 0 0 0 0 0 0 0 0", "5 5 0 900 1200 0 4 5 0")},
			after:  map[string]string{stats: otherMounts + nfsStats("/efs", nfsAfter, "5 5 0 940 5243400 0 45 50 0", "258 260 0 270580000 45000 100 2600 2730 0", "2 2 0 400 300 0 40 40 0", "8 8 0 1500 2000 0 6 7 0")},
			want: &digest.Counters{
				NFS: true, Reads: 4, ReadBytes: 4 << 20, Writes: 256, WriteBytes: 256 << 20, Others: 5, QueueMilliseconds: 40 + 2700 + 40 + 2, Retransmissions: 2,
			},
		}, {
			name: "another NFS mount", minor: 57, before: map[string]string{stats: otherMounts + nfsStats("/data", nfsBefore, "1 1 0 0 0 0 0 0 0", "0 0 0 0 0 0 0 0 0", "0 0 0 0 0 0 0 0 0", "0 0 0 0 0 0 0 0 0")},
		}, {
			name: "FUSE", minor: 58, before: map[string]string{disks: diskstats("1 0 0 0 0 0 0 0 0 0 0")},
		}, {
			name: "the container's own file system", minor: 210, before: map[string]string{disks: diskstats("1 0 0 0 0 0 0 0 0 0 0")},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := newMachine(t, map[string]string{"proc/7/mountinfo": mountInfo, "sys/block/.keep": ""})
			m.write(t, test.before)
			seen := observe(t.Context(), m, filesSeen{counted: m.countedOf(test.major, test.minor)})
			m.write(t, test.after)
			if diff := cmp.Diff(test.want, seen().Counters); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// The storage is found by what a path is: a file's device, or the device itself.
func TestCountedAt(t *testing.T) {
	m := thisMachine()
	if got := m.countedAt(t.TempDir() + "/none"); got != (counted{}) {
		t.Errorf("of nothing %+v is counted", got)
	}
	if got := m.countedAt("/proc/self"); got != (counted{}) {
		t.Errorf("of /proc %+v is counted", got)
	}
	directory := m.countedAt(t.TempDir())
	if directory.major == 0 && directory.mountPoint == "" && directory != (counted{}) {
		t.Errorf("%+v is neither a device nor NFS", directory)
	}
}

// What is counted on the machine that the test is on is at least what fio does there past the page cache.
func TestMeasureReportsCounters(t *testing.T) {
	f := newFixture(t, "[writes]\nrw=write\nbs=64k\nsize=4M\ndirect=1")
	if thisMachine().countedAt(f.Directory) == (counted{}) {
		t.Skip("the kernel counts nothing of the file system of temporary directories")
	}
	if code := Measure(t.Context(), f.Options); code != 0 {
		t.Skip(fmt.Sprint("no direct I/O on the file system of temporary directories: exit code ", code))
	}
	c := f.report().Environment.Counters
	if c == nil || c.NFS || c.WriteBytes < 4<<20 || c.Writes < 1 {
		t.Errorf("counters are %+v", c)
	}
}

// The kernel prints the last 32 bits of a device's times.
func TestTimesOfADeviceBeginAnew(t *testing.T) {
	before := &digest.Counters{Reads: 100, ReadBytes: 4096, BusyMilliseconds: 1<<32 - 1000, QueueMilliseconds: 4_294_960_000}
	after := &digest.Counters{Reads: 180_100, ReadBytes: 1 << 30, BusyMilliseconds: 59_000, QueueMilliseconds: (4_294_960_000 + 60*256*1000) % (1 << 32)}
	want := &digest.Counters{Reads: 180_000, ReadBytes: 1<<30 - 4096, BusyMilliseconds: 60_000, QueueMilliseconds: 60 * 256 * 1000}
	if diff := cmp.Diff(want, countersSince(before, after)); diff != "" {
		t.Error(diff)
	}
}

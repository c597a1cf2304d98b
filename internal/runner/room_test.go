package runner

import (
	"math"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/storagebench/storagebench/internal/fio"
)

const (
	mib = 1 << 20
	gib = 1 << 30
)

// ext4 is what is known of a file system with so many bytes, and so many of them free.
func ext4(total, free uint64) unix.Statfs_t {
	const block = 4096
	return unix.Statfs_t{Frsize: block, Blocks: total / block, Bavail: free / block}
}

func TestRoom(t *testing.T) {
	inodes, efs := ext4(100*gib, 100*gib), unix.Statfs_t{Frsize: mib, Blocks: 8 << 40, Bavail: 8 << 40}
	inodes.Files, inodes.Ffree = 1000, 500
	for _, test := range []struct {
		name    string
		stat    unix.Statfs_t
		reserve *int64
		growth  fio.Growth
		want    string
	}{
		{
			"10 % of a large one", ext4(100*gib, 50*gib), nil, fio.Growth{Files: 1, Bytes: 40 * gib},
			"free 50 GiB, needed 40 GiB, reserve 10 GiB",
		},
		{"it fits", ext4(100*gib, 50*gib), nil, fio.Growth{Files: 1, Bytes: 39 * gib}, ""},
		{
			"1 GiB of a small one", ext4(256*mib, 205*mib), nil, fio.Growth{Files: 1, Bytes: 10 * gib},
			"free 205 MiB, needed 10 GiB, reserve 1 GiB",
		},
		{"a small one has no room at all", ext4(256*mib, 256*mib), nil, fio.Growth{}, "free 256 MiB, reserve 1 GiB"},
		{
			"a reserve of the target", ext4(256*mib, 256*mib), new(int64(64 * mib)), fio.Growth{Files: 2, Bytes: 190 * mib},
			"",
		},
		{
			"more than that leaves", ext4(256*mib, 256*mib), new(int64(64 * mib)), fio.Growth{Files: 2, Bytes: 192 * mib},
			"free 256 MiB, needed 192 MiB, reserve 64 MiB",
		},
		{"no reserve", ext4(gib, mib), new(int64(0)), fio.Growth{Files: 1, Bytes: gib}, ""},
		{"nothing is needed", ext4(gib, 256*mib), new(int64(256 * mib)), fio.Growth{}, ""},
		{
			"blocks of many small files", ext4(gib, 512*mib), new(int64(256 * mib)), fio.Growth{Files: 100_000, Bytes: 100_000},
			"free 512 MiB, needed 391 MiB, reserve 256 MiB",
		},
		{"inodes", inodes, nil, fio.Growth{Files: 401}, "free 500 inodes, needed 401 inodes, reserve 100 inodes"},
		{"inodes that fit", inodes, nil, fio.Growth{Files: 400}, ""},
		{"inodes are not known", ext4(100*gib, 100*gib), nil, fio.Growth{Files: 400}, ""},
		{"nothing is known", unix.Statfs_t{}, nil, fio.Growth{Files: 400, Bytes: gib}, ""},
		{"EFS", efs, nil, fio.Growth{Files: 1, Bytes: 1 << 50}, ""},
		{
			"more than EFS", efs, nil, fio.Growth{Files: 1, Bytes: math.MaxInt64},
			"free 8 EiB, needed 8 EiB, reserve 819 PiB",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			room := newRoom(&test.stat, test.reserve)
			if got := room.lack(room.needed(test.growth)); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

// The free space is looked at again before it can have come to the reserve, and neither without a pause nor too seldom.
func TestNextLook(t *testing.T) {
	for _, test := range []struct {
		room    room
		clients int
		want    time.Duration
	}{
		{room{free: stock{bytes: 9 * gib}, reserve: stock{bytes: gib}}, 1, time.Second},
		{room{free: stock{bytes: 9 * gib}, reserve: stock{bytes: gib}}, 4, time.Second / 4},
		{room{free: stock{bytes: 9 * gib, inodes: 600_000}, reserve: stock{bytes: gib, inodes: 100_000}}, 1, time.Second / 2},
		{room{free: stock{bytes: gib}, reserve: stock{bytes: gib}}, 1, soonestLook},
		{room{free: stock{bytes: math.MaxInt64}, reserve: stock{bytes: gib}}, 1, latestLook},
	} {
		if got := test.room.nextLook(test.clients); got != test.want {
			t.Errorf("%+v, %d clients: %s, want %s", test.room, test.clients, got, test.want)
		}
	}
}

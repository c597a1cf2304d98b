package storage

import (
	"math"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

const (
	kibibyte = 1 << 10
	mebibyte = 1 << 20
)

// Room returns how many bytes of files a target's capacity holds. A file system keeps a part of a new volume for
// itself. A file system or a bucket that is shared holds all that the target gives.
func Room(t *v1alpha1.Target, kind Kind) int64 {
	capacity := Capacity(t)
	return roomIn(t, kind, capacity.Value())
}

// CapacityFor returns a capacity in which a target has room for so many bytes of files, and hardly more: whole
// mebibytes, from 10 GiB on whole gibibytes.
func CapacityFor(t *v1alpha1.Target, kind Kind, bytes int64) resource.Quantity {
	capacity := bytes
	for {
		unit := int64(mebibyte)
		if capacity > 10*gib {
			unit = gib
		}
		capacity = roundUp(capacity, unit)
		lack := bytes - roomIn(t, kind, capacity)
		if lack <= 0 || capacity > math.MaxInt64/2 {
			return *resource.NewQuantity(capacity, resource.BinarySI)
		}
		capacity += lack
	}
}

func roomIn(t *v1alpha1.Target, kind Kind, capacity int64) int64 {
	overhead := ext4Overhead
	switch {
	case kind.IsPartOfService() || VolumeMode(t) == corev1.PersistentVolumeBlock:
		return capacity
	case t.EBS != nil && ptr.Deref(t.EBS.FSType, "") == "xfs":
		overhead = xfsOverhead
	}
	return max(capacity-overhead(capacity), 0)
}

// The overheads are what statfs lacks of the size of a sparse file after mkfs.ext4 -m0 of e2fsprogs 1.47.0 and mkfs.xfs
// of xfsprogs 6.1.0 without other options, mounted by Linux 6.18, plus at most 1.3 % (TestRoom has the figures).
// Kubernetes makes file systems for CSI drivers with these options: no block of ext4 is reserved for root
// (https://github.com/kubernetes/mount-utils/blob/v0.37.1/mount_linux.go#L596). ext4 is the default of most drivers.

// ext4Overhead returns the bytes that ext4 takes for the tables of inodes, the journal, clusters that it holds back
// from everybody, and the rest: bitmaps and room to grow.
func ext4Overhead(capacity int64) int64 {
	block, inodes := int64(4*kibibyte), capacity/64
	if capacity < 512*mebibyte {
		block, inodes = kibibyte, capacity/16
	}
	blocks := capacity / block
	heldBack := min(blocks/50, 4096) * block
	return inodes + ext4Journal(blocks)*block + heldBack + min(capacity/250, 256*mebibyte) + 2*mebibyte
}

// ext4Journal returns the number of blocks of the journal of so many blocks, as mke2fs has it.
// https://github.com/tytso/e2fsprogs/blob/v1.47.0/lib/ext2fs/mkjournal.c
func ext4Journal(blocks int64) int64 {
	const k = 1024
	for _, size := range []struct{ below, journal int64 }{
		{2 * k, 0}, {32 * k, k}, {256 * k, 4 * k}, {512 * k, 8 * k}, {4096 * k, 16 * k}, {8192 * k, 32 * k},
		{16384 * k, 64 * k}, {32768 * k, 128 * k},
	} {
		if blocks < size.below {
			return size.journal
		}
	}
	return 256 * k
}

// xfsOverhead returns the bytes that xfs takes for its log, and for what it sets aside to grow its metadata.
func xfsOverhead(capacity int64) int64 {
	log := min(max(capacity/2048, 64*mebibyte), 2*gib)
	return log + capacity/1000*7 + capacity/5000 + 32*mebibyte
}

func roundUp(bytes, to int64) int64 { return (bytes + to - 1) / to * to }

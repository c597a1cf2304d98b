package runner

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"syscall"
	"time"
	"unsafe"

	"github.com/storagebench/storagebench/internal/fio"
)

const (
	// lookTime is how long looking at test files may take. Storage that hangs must not keep fio, which is
	// watched, from starting.
	lookTime = 30 * time.Second
	// maxFiles is how many test files are looked at.
	maxFiles = 1000
	// extentsAtOnce is how many extents of a file the kernel is asked for at once, maxAsked how often.
	extentsAtOnce = 128
	maxAsked      = 32
)

// filesSeen are the files that were there for fio to read before it measured.
type filesSeen struct {
	directory string
	count     int64
	// sparse are the names of those with more than a hundredth of their size never written.
	sparse []string
	// used is how much of their file system was used.
	used usage
	// counted is the storage that they are on, or that is a raw block volume.
	counted counted
	// exporter was asked about the volume, nil if none was, answer brings what it says, and volume is what it has said before the start.
	exporter *exporter
	answer   <-chan *volumeSeen
	volume   *volumeSeen
}

// lookAtFiles looks at the files that the job reads, and at the storage. It sees no files on a raw block volume, and nothing where the job file
// cannot be read (fio says why), or looking takes longer than lookTime.
func (o Options) lookAtFiles(ctx context.Context) filesSeen {
	job, err := fio.Parse(o.JobFile)
	if err != nil {
		return filesSeen{}
	}
	return within(ctx, lookTime, func(ctx context.Context) filesSeen {
		seen, place := filesSeen{}, job.Device()
		if o.Directory != "" {
			seen, place = look(ctx, o.Directory, job.FilesRead()), o.Directory
		}
		seen.counted = thisMachine().countedAt(place)
		seen.exporter = o.exporterOf(thisMachine(), seen.counted)
		seen.answer = seen.exporter.askAside(ctx)
		return seen
	})
}

// stillSparse returns how many of the sparse files are sparse after the measurement. Those that are not were
// written by the job itself: a section that writes a file for a later one to read is laid out sparse.
func (f filesSeen) stillSparse(ctx context.Context) int64 {
	written := int64(0)
	if len(f.sparse) > 0 {
		written = within(ctx, lookTime, f.written)
	}
	return int64(len(f.sparse)) - written
}

// within calls a function with a context that ends after some time, and then returns without its result:
// it may hang in a system call.
func within[T any](ctx context.Context, limit time.Duration, f func(context.Context) T) T {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	result := make(chan T, 1)
	go func() { result <- f(ctx) }()
	select {
	case seen := <-result:
		return seen
	case <-ctx.Done():
		var none T
		return none
	}
}

// look looks at those files in the directory that match one of the patterns.
func look(ctx context.Context, directory string, patterns []string) filesSeen {
	seen := filesSeen{directory: directory, used: usageOf(directory)}
	root, err := os.OpenRoot(directory)
	if err != nil {
		return seen
	}
	defer root.Close()
	var names []string
	for _, pattern := range patterns {
		matching, err := fs.Glob(root.FS(), pattern)
		if err != nil || ctx.Err() != nil {
			return seen
		}
		names = append(names, matching...)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	for _, name := range names[:min(len(names), maxFiles)] {
		sparse, err := isSparse(root, name)
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			continue
		}
		seen.count++
		if sparse {
			seen.sparse = append(seen.sparse, name)
		}
	}
	return seen
}

// written returns how many of the sparse files are sparse no more.
func (f filesSeen) written(ctx context.Context) int64 {
	root, err := os.OpenRoot(f.directory)
	if err != nil {
		return 0
	}
	defer root.Close()
	count := int64(0)
	for _, name := range f.sparse {
		if sparse, err := isSparse(root, name); err == nil && !sparse {
			count++
		}
		if ctx.Err() != nil {
			break
		}
	}
	return count
}

// isSparse says whether more than a hundredth of a file was never written. It fails for what is no regular
// file in the directory.
func isSparse(root *os.Root, name string) (bool, error) {
	file, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // lest a named pipe waits for a writer
	if err != nil {
		return false, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return false, err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.Mode().IsRegular() {
		return false, errors.New("no regular file")
	}
	missing, err := unwritten(file, info.Size())
	if err != nil {
		// NFS and FUSE know no extents. Blocks say the same but for those that are reserved and not written.
		const blockBytes = 512
		missing = max(missing, info.Size()-stat.Blocks*blockBytes)
	}
	return missing > info.Size()/100, nil
}

// fiemap is struct fiemap of linux/fiemap.h with room for extents, which golang.org/x/sys does not have.
type fiemap struct {
	start, length uint64
	flags         uint32
	mapped        uint32
	count         uint32
	_             uint32
	extents       [extentsAtOnce]extent
}

// extent is struct fiemap_extent.
type extent struct {
	logical, physical, length uint64
	_                         [2]uint64
	flags                     uint32
	_                         [3]uint32
}

// Constants of linux/fs.h and linux/fiemap.h.
const (
	ioctlFiemap     = 0xc020660b
	flagSync        = 0x1 // data that is not yet written back would be in unwritten extents
	extentLast      = 0x1
	extentUnwritten = 0x800
)

// unwritten returns how many bytes of a file of the given size are holes, or were reserved with fallocate and
// not written since. With an error, which it returns where the file system does not tell or the file has
// more than extentsAtOnce * maxAsked extents, it is how many it has found until then.
func unwritten(file *os.File, size int64) (int64, error) {
	missing, next := int64(0), int64(0)
	for asked := 0; next < size; asked++ {
		if asked == maxAsked {
			return missing, errors.New("too many extents")
		}
		request := &fiemap{start: uint64(next), length: uint64(size - next), flags: flagSync, count: extentsAtOnce}
		if err := request.ask(file); err != nil {
			return missing, err
		}
		last := request.mapped == 0
		for _, e := range request.extents[:min(request.mapped, extentsAtOnce)] {
			begin, end := clamp(e.logical, next, size), clamp(e.logical+e.length, next, size)
			missing += begin - next
			if e.flags&extentUnwritten != 0 {
				missing += end - begin
			}
			next, last = end, e.flags&extentLast != 0
		}
		if last {
			return missing + size - next, nil
		}
	}
	return missing, nil
}

// clamp returns the offset or the nearest one from low to high.
func clamp(offset uint64, low, high int64) int64 {
	return int64(min(max(offset, uint64(low)), uint64(high)))
}

// ask has the kernel fill in the extents.
func (f *fiemap) ask(file *os.File) error {
	conn, err := file.SyscallConn()
	if err != nil {
		return err
	}
	var errno syscall.Errno
	if err := conn.Control(func(fd uintptr) {
		_, _, errno = syscall.Syscall(syscall.SYS_IOCTL, fd, ioctlFiemap, uintptr(unsafe.Pointer(f))) //nolint:gosec // the kernel takes the struct by its address
	}); err != nil {
		return err
	}
	if errno != 0 {
		return errno
	}
	return nil
}

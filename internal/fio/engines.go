package fio

import (
	"slices"
	"strings"
)

// engine is a value of option ioengine.
type engine string

// The engines of metadata move no data: they do one thing to each file or directory, once, and note how long it took.
// fio has them pretend an I/O of a block for each, by which it counts how far they are.
// https://github.com/axboe/fio/blob/fio-3.39/engines/fileoperations.c
var (
	metadataEngines = []string{"filecreate", "filestat", "filedelete", "dircreate", "dirstat", "dirdelete"}
	lookups         = []string{"filestat", "dirstat"}

	engines       = []string{"psync", "sync", "vsync", "pvsync", "pvsync2", "libaio", "io_uring", "posixaio", "mmap"}
	nativeEngines = []string{"libaio", "io_uring"}
	pollEngines   = []string{"pvsync2", "io_uring"}
	nowaitEngines = []string{"pvsync2", "libaio", "io_uring"}
	uringOnly     = []string{"io_uring"}
)

// isMetadata reports whether jobs create, look up or delete files or directories, and move no data.
func (e engine) isMetadata() bool { return slices.Contains(metadataEngines, string(e)) }

// creates reports whether jobs make files or directories while they are measured, which must not be there before.
func (e engine) creates() bool { return e.isMetadata() && strings.HasSuffix(string(e), "create") }

// looksUp reports whether jobs look up files or directories, which they can do again and again.
func (e engine) looksUp() bool { return slices.Contains(lookups, string(e)) }

// removes reports whether jobs delete what was made before, so that it has to be made for each run.
func (e engine) removes() bool { return e.isMetadata() && strings.HasSuffix(string(e), "delete") }

// onlyOnce reports whether jobs do one thing to each file, after which they can do no more.
func (e engine) onlyOnce() bool { return e.creates() || e.removes() }

// ofDirectories reports whether jobs are about directories. fio makes those that it needs itself, before it measures.
func (e engine) ofDirectories() bool { return e.isMetadata() && strings.HasPrefix(string(e), "dir") }

// IsMetadata reports whether an ioengine moves no data, but creates, looks up or deletes files or directories.
func IsMetadata(ioengine string) bool { return engine(ioengine).isMetadata() }

// Queues reports whether a job of an ioengine can keep several I/Os in flight, so that its iodepth counts. submitMode
// is its io_submit_mode, "" if it has none.
func Queues(ioengine, submitMode string) bool {
	return slices.Contains([]string{"libaio", "io_uring", "posixaio"}, ioengine) || submitMode == "offload"
}

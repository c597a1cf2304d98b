package runner

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/fio"
)

// preconditionDevice writes all of the device that a job works on.
func (o Options) preconditionDevice(ctx context.Context) error {
	file, err := fio.Parse(o.JobFile)
	if err != nil {
		return err
	}
	written := o.Precondition.WholeDevice(file)
	if written == nil || o.ReadOnly {
		return failf(digest.ExitFailed, "there is no device that may be written before it is measured")
	}
	o.tellPrecondition("the device")
	return o.writeBefore(ctx, written)
}

// preconditionFiles writes all test files that are there. It looks at what there is: what a job file says of its files is not all of them, and some of them twice.
func (o Options) preconditionFiles(ctx context.Context) error {
	files, err := testFiles(o.Directory)
	if err != nil {
		return fmt.Errorf("look for test files: %w", err)
	}
	o.tellPrecondition(fmt.Sprintf("each of %d test files", len(files)))
	for written := range o.Precondition.Files(files) {
		if err := o.writeBefore(ctx, written); err != nil {
			return err
		}
	}
	return nil
}

func (o Options) tellPrecondition(what string) {
	fmt.Fprintf(o.Log, "preconditioning: %s is written %d times, in blocks of %s\n", what, o.Precondition.Passes, o.Precondition.BS)
}

// writeBefore has fio write what a job file says.
func (o Options) writeBefore(ctx context.Context, written *fio.JobFile) error {
	o.JobFile = written.String()
	call, err := o.prepareFio()
	if err != nil {
		return err
	}
	call.quiet = true
	_, err = o.runFio(ctx, call)
	return err
}

// testFiles returns the regular files below a directory.
func testFiles(directory string) ([]fio.File, error) {
	var files []fio.File
	err := filepath.WalkDir(directory, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		files = append(files, fio.File{Path: path, Bytes: info.Size()})
		return nil
	})
	return files, err
}

package runner

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/fiooutput"
)

const (
	// maxOutput is the most bytes that fio may report to its file. What it reports of the most sections that a job file may
	// have takes a quarter of that.
	maxOutput = 16 << 20
	// maxErrors is the most bytes that fio may print on standard error. They are kept, and go to the log. fio ends at the
	// first error, unless it is told to go on: then it prints 20 MB a second.
	maxErrors = 1 << 20
	// floodPause is how long fio waits for each part that it prints beyond maxErrors. It prints an error there before it
	// writes it to its file. So the file grows no faster than this either until fio has ended.
	floodPause = 10 * time.Millisecond
)

// errFlood is the cause with which a run's context ends when fio prints more than is kept.
var errFlood = errors.New("too much output")

// errorOutput gets what fio prints on standard error. What the other jobs do when one was killed is no result, and fio
// itself can wait for ever for a lock that the killed one held. So it is told at once, before Wait tells of fio's end.
type errorOutput struct {
	log             io.Writer
	killed, flooded func()

	mu   sync.Mutex
	kept bytes.Buffer
}

// Write implements io.Writer. It never fails: fio must not end because of a log.
func (e *errorOutput) Write(p []byte) (int, error) {
	const line = 80 // a line may come in two parts
	e.mu.Lock()
	defer e.mu.Unlock()
	before := e.kept.Len()
	fits := p[:min(len(p), maxErrors-before)]
	_, _ = e.log.Write(fits)
	e.kept.Write(fits)
	if jobSignal.Match(e.kept.Bytes()[max(0, before-line):]) {
		e.killed()
	}
	if len(fits) < len(p) {
		e.flooded()
		time.Sleep(floodPause)
	}
	return len(p), nil
}

// Bytes returns what is kept. What comes later is not in it.
func (e *errorOutput) Bytes() []byte {
	e.mu.Lock()
	defer e.mu.Unlock()
	return bytes.Clone(e.kept.Bytes())
}

// watchSize returns when the context ends, or calls flooded once when the file is larger than fio's output may be.
func watchSize(ctx context.Context, path string, flooded func()) {
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if info, err := os.Stat(path); err == nil && info.Size() > maxOutput {
				flooded()
				return
			}
		}
	}
}

// readOutput returns what fio has reported, and whether that is all. Of more than maxOutput it is the end, which has the
// results. A file that is missing is empty.
func readOutput(path string) (text []byte, whole bool, err error) {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, true, nil
	}
	if err != nil {
		return nil, false, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, false, err
	}
	text, err = io.ReadAll(io.NewSectionReader(file, max(0, info.Size()-maxOutput), maxOutput))
	return text, info.Size() <= maxOutput, err
}

// logOutput writes fio's output to the log. Of a flood it is what fio has measured until then: the errors are there already.
func (o Options) logOutput(ctx context.Context, text []byte) error {
	if errors.Is(context.Cause(ctx), errFlood) {
		text = bytes.Join(slices.Insert(fiooutput.Documents(text), 0, nil), []byte("\n")) // the last error may have no end
	}
	_, err := o.Log.Write(text)
	return err
}

// goesOn finds what has fio go on after an error, of the device or of what was read there.
var goesOn = regexp.MustCompile(`(?m)^continue_on_error(=.*)?$`)

// floodError says what a flood may come of and what to do about it, with the first of the errors in fio's own words.
func floodError(job string, text, stderr []byte) error {
	remedy := "use fewer jobs, or a shorter runtime"
	if goesOn.MatchString(job) {
		remedy = "with continue_on_error fio goes on after an error and prints each: remove it, or set it to none"
	}
	words, _, _ := strings.Cut(fiooutput.ErrorText(nil, stderr), "\n")
	if words == "" {
		words, _, _ = strings.Cut(fiooutput.ErrorText(text, nil), "\n")
	}
	return failf(digest.ExitFailed, "fio printed more than is kept (%d MiB of errors, %d MiB in all) and was ended; %s. What it had measured is in the log. It began with: %s",
		maxErrors>>20, maxOutput>>20, remedy, words)
}

package controllers

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"sync"
)

// zippers are gzip writers that are not in use: each takes close to 1 MiB, which is not to be asked for anew for each log.
var zippers = sync.Pool{New: func() any { return gzip.NewWriter(io.Discard) }}

// zip gzips what is written. It ends with the first byte that is more than can be kept, whatever is still to come: who
// sends us much gets to know it before it takes our memory.
func zip(most int, write func(io.Writer) error) ([]byte, error) {
	w, _ := zippers.Get().(*gzip.Writer)
	defer func() {
		w.Reset(io.Discard) // it keeps nothing of this alive
		zippers.Put(w)
	}()
	var zipped bytes.Buffer
	w.Reset(&atMost{w: &zipped, left: most, what: fmt.Sprintf("gzipped it takes more than %d bytes, the most that is kept", most)})
	if err := write(w); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return zipped.Bytes(), nil
}

// sizeError says of what it is more than it may be.
type sizeError string

func (e sizeError) Error() string { return string(e) }

// atMost is a writer that refuses what is more than so many bytes.
type atMost struct {
	w    io.Writer
	left int
	// what is the error's text.
	what string
}

// Write implements io.Writer.
func (a *atMost) Write(p []byte) (int, error) {
	if len(p) > a.left {
		a.left = 0
		return 0, sizeError(a.what)
	}
	a.left -= len(p)
	return a.w.Write(p)
}

// Package sizelimit keeps what others send within bounds: it ends at the first byte that is too much, and not when all of it is
// in memory.
package sizelimit

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"sync"
)

// zippers are gzip writers that are not in use: each takes close to 1 MiB, which is not to be asked for anew for each log.
var zippers = sync.Pool{New: func() any { return gzip.NewWriter(io.Discard) }}

// Zip gzips what is written, which may take so many bytes then. It ends with the first byte that is more, whatever is still
// to come: who sends us much gets to know it before it takes our memory. The error is a SizeError then.
func Zip(most int, write func(io.Writer) error) ([]byte, error) {
	w, _ := zippers.Get().(*gzip.Writer)
	defer func() {
		w.Reset(io.Discard) // it keeps nothing of this alive
		zippers.Put(w)
	}()
	var zipped bytes.Buffer
	w.Reset(Writer(&zipped, most, fmt.Sprintf("gzipped it takes more than %d bytes, the most that is kept", most)))
	if err := write(w); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return zipped.Bytes(), nil
}

// SizeError says of what it is more than it may be.
type SizeError string

func (e SizeError) Error() string { return string(e) }

// Writer returns a writer that refuses what is more than so many bytes. What it says then is a SizeError of the text.
func Writer(w io.Writer, most int, text string) io.Writer {
	return &writer{w: w, left: most, text: text}
}

type writer struct {
	w    io.Writer
	left int
	text string
}

// Write implements io.Writer.
func (b *writer) Write(p []byte) (int, error) {
	if len(p) > b.left {
		b.left = 0
		return 0, SizeError(b.text)
	}
	b.left -= len(p)
	return b.w.Write(p)
}

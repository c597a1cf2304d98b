package series

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
)

const (
	// linePrefix is what each line of a log begins with that has a part of a series.
	linePrefix = "series of the run, part "
	// lineBytes is how many bytes of a series are in a line: less than container runtimes cut lines into.
	lineBytes = 6 << 10
	// MessageLines is how many lines at the end of a log have a series, if there is one: what else a runner may write meanwhile fits in as well.
	MessageLines = MaxBytes/lineBytes + 32
	// MessageBytes is the most bytes that those lines have.
	MessageBytes = MaxBytes*4/3 + 64<<10
)

// WriteMessage writes an encoded series as lines of a log.
func WriteMessage(w io.Writer, data []byte) error {
	lines := (len(data) + lineBytes - 1) / lineBytes
	for i := range lines {
		part := data[i*lineBytes : min(len(data), (i+1)*lineBytes)]
		if _, err := fmt.Fprintf(w, "%s%d of %d: %s\n", linePrefix, i+1, lines, base64.StdEncoding.EncodeToString(part)); err != nil {
			return err
		}
	}
	return nil
}

// ErrNoMessage says that a log has no series, or only a part of one.
var ErrNoMessage = errors.New("the log has no series")

// ReadMessage returns the encoded series that the last lines of a log have, of which it reads no more than MessageBytes.
func ReadMessage(log io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(log, MessageBytes))
	if err != nil {
		return nil, err
	}
	var data []byte
	next, last := 1, 0
	for line := range bytes.Lines(text) {
		part, found := bytes.CutPrefix(line, []byte(linePrefix))
		if !found {
			continue
		}
		var number, all int
		var encoded string
		if _, err := fmt.Sscanf(string(part), "%d of %d: %s", &number, &all, &encoded); err != nil {
			return nil, ErrNoMessage
		}
		if number == 1 {
			data, next, last = nil, 1, all
		}
		decoded, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil || number != next || all != last || len(data)+len(decoded) > MaxBytes {
			return nil, ErrNoMessage
		}
		data, next = append(data, decoded...), next+1
	}
	if last == 0 || next != last+1 {
		return nil, ErrNoMessage
	}
	return data, nil
}

// CopyWithout copies a log but for the lines that have a series: those are kept apart.
func CopyWithout(w io.Writer, log io.Reader) error {
	lines := bufio.NewReaderSize(log, 64<<10)
	begins, drop := true, false
	for {
		line, err := lines.ReadSlice('\n')
		if begins {
			drop = bytes.HasPrefix(line, []byte(linePrefix))
		}
		if !drop {
			if _, err := w.Write(line); err != nil {
				return err
			}
		}
		begins = err == nil
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}

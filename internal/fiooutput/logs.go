package fiooutput

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/storagebench/storagebench/internal/direction"
	"github.com/storagebench/storagebench/internal/histogram"
)

// maxLogLine is the most bytes of a line of a log: 1,856 counts of 20 digits, with a comma and a blank.
const maxLogLine = 64 << 10

// Sample is a line of one of fio's logs of averages.
type Sample struct {
	// Milliseconds is when the interval ended, as the log says it.
	Milliseconds int64
	Direction    string
	// Value is the average of I/Os or of KiB a second, without its fraction.
	Value int64
}

// HistogramSample is a line of one of fio's logs of histograms.
type HistogramSample struct {
	// Milliseconds is when the interval ended, as the log says it.
	Milliseconds int64
	Direction    string
	// Histogram has the completion latencies of the I/Os that ended in the interval.
	Histogram *histogram.Histogram
}

// logDirections are the directions by the numbers that fio's logs have for them.
var logDirections = direction.All()

// ReadLog calls with each line of a log that write_iops_log or write_bw_log made.
func ReadLog(r io.Reader, with func(Sample)) error {
	return eachLine(r, func(line string) error {
		fields := strings.SplitN(line, ",", 4)
		if len(fields) < 3 {
			return errors.New("it has fewer than 3 fields")
		}
		value, err := logNumber(fields[1])
		if err != nil {
			return err
		}
		at, name, err := whenAndWhat(fields[0], fields[2])
		if err == nil {
			with(Sample{at, name, int64(value)})
		}
		return err
	})
}

// ReadHistogramLog calls with each line of a log that write_hist_log made, with all its buckets (log_hist_coarseness=0).
func ReadHistogramLog(r io.Reader, with func(HistogramSample)) error {
	return eachLine(r, func(line string) error {
		const before = 3 // time, direction, size of a block
		fields := strings.SplitN(line, ",", before+1)
		if len(fields) <= before {
			return errors.New("it has no histogram")
		}
		at, name, err := whenAndWhat(fields[0], fields[1])
		if err != nil {
			return err
		}
		h, err := logHistogram(fields[before])
		if err == nil {
			with(HistogramSample{at, name, h})
		}
		return err
	})
}

func logHistogram(text string) (*histogram.Histogram, error) {
	h, index := &histogram.Histogram{}, 0
	for field := range strings.SplitSeq(text, ",") {
		if index >= histogram.Buckets {
			return nil, errors.New("it has more than 1,856 counts")
		}
		count, err := logNumber(field)
		if err != nil {
			return nil, err
		}
		if count > 0 {
			h.Add(histogram.Value(index), count)
		}
		index++
	}
	if index != histogram.Buckets {
		return nil, fmt.Errorf("it has %d counts, and not 1,856", index)
	}
	return h, nil
}

func eachLine(r io.Reader, with func(string) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLogLine)
	for number := 1; lines.Scan(); number++ {
		if err := with(lines.Text()); err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
	}
	return lines.Err()
}

func whenAndWhat(when, what string) (int64, string, error) {
	at, err := logNumber(when)
	if err != nil {
		return 0, "", err
	}
	number, err := logNumber(what)
	if err != nil {
		return 0, "", err
	}
	if at >= 1<<62 || number >= uint64(len(logDirections)) {
		return 0, "", fmt.Errorf("%q and %q are no time and no direction", when, what)
	}
	return int64(at), logDirections[number], nil
}

func logNumber(text string) (uint64, error) {
	text = strings.TrimSpace(text)
	if text == "0" { // most are
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n >= 1<<62 {
		return 0, fmt.Errorf("%.40q is no number of a log", text)
	}
	return n, nil
}

package runner

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

const (
	// maxMetricsBytes bounds an exporter's answer. That of a node with 128 volumes has 1.5 MiB.
	maxMetricsBytes = 8 << 20
	// maxMetricsLine bounds a line of it. The longest of aws-ebs-csi-driver have some 200 bytes.
	maxMetricsLine = 64 << 10
	// maxMetricsKept bounds what is kept of it, which is a line or two of each counter, and of each histogram up to 66: some 20 KiB. maxKeptLine
	// bounds each line. A line of 15 KiB that is all labels takes 125 MiB when it is parsed.
	maxMetricsKept = 32 << 10
	maxKeptLine    = 256
)

var (
	errMetricsTooLong = fmt.Errorf("it has more than %d MiB", maxMetricsBytes>>20)
	errMetricsTooMany = fmt.Errorf("it has more than %d KiB of one volume's few metrics, or a line of more than %d bytes",
		maxMetricsKept>>10, maxKeptLine)
	errNoMetrics = errors.New("a line of it has no metric")
)

// metricsOf reads the metrics of these names, of one volume, from an exporter's answer. Of all other lines nothing is kept: an answer of 8 MiB takes 350 MiB
// when it is parsed as a whole.
func metricsOf(answer io.Reader, volume string, names ...string) (map[string]*dto.MetricFamily, error) {
	limited := &io.LimitedReader{R: answer, N: maxMetricsBytes + 1}
	lines := bufio.NewScanner(limited)
	lines.Buffer(nil, maxMetricsLine)
	var kept bytes.Buffer
	for lines.Scan() {
		line := bytes.TrimSpace(lines.Bytes())
		switch name, err := metricOf(line); {
		case err != nil:
			return nil, err
		case !slices.ContainsFunc(names, func(wanted string) bool { return wanted == string(name) }), line[0] != '#' && !bytes.Contains(line, []byte(volume)):
		case len(line) > maxKeptLine, kept.Len()+len(line) >= maxMetricsKept:
			return nil, errMetricsTooMany
		default:
			kept.Write(line)
			kept.WriteByte('\n')
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if limited.N == 0 {
		return nil, errMetricsTooLong
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	return parser.TextToMetricFamilies(&kept)
}

// metricOf returns which metric a line is about, or says the type of, "" if of none.
// https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
func metricOf(line []byte) ([]byte, error) {
	switch {
	case len(line) == 0:
		return nil, nil
	case line[0] == '#':
		kind, rest := word(line[1:])
		name, _ := word(rest)
		if string(kind) != "TYPE" {
			name = nil
		}
		return name, nil
	case line[0] != '{' && line[0] != ':' && !isLetter(line[0]):
		return nil, errNoMetrics
	}
	name := line
	if end := bytes.IndexAny(line, "{ \t"); end >= 0 {
		name = line[:end]
	}
	return name, nil
}

// word returns the first word of a line, and what comes after it.
func word(line []byte) (first, rest []byte) {
	line = bytes.TrimLeft(line, " \t")
	if end := bytes.IndexAny(line, " \t"); end >= 0 {
		return line[:end], line[end:]
	}
	return line, nil
}

func isLetter(c byte) bool { return c == '_' || ('a' <= c|0x20 && c|0x20 <= 'z') }

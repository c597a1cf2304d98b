package history

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/storagebench/storagebench/internal/humanize"
	"github.com/storagebench/storagebench/internal/sizelimit"
)

// maxSeconds is the last second of the year 9999, after which times have no text in RFC 3339.
const maxSeconds = 253402300799

// Decode reads what Encode wrote, in any order. Users who can edit ConfigMaps can have written the chunks: the memory that
// decoding takes is bounded, and figures and names are within the bounds of what FromBenchmark makes. A chunk that cannot be
// read does not affect the others: the history has what could be read, and the error says what could not.
func Decode(chunks [][]byte) (*History, error) {
	h, _, err := DecodeChunks(chunks)
	return h, err
}

// DecodeChunks is Decode that also returns the number of each chunk, 0 for one that cannot be read.
func DecodeChunks(chunks [][]byte) (*History, []int64, error) {
	var problems []error
	numbers := make([]int64, len(chunks))
	if len(chunks) > MaxChunks {
		problems = append(problems, fmt.Errorf("%d chunks of a history: at most %d are read", len(chunks), MaxChunks))
		chunks = chunks[:MaxChunks]
	}
	d := decoder{left: MaxCasePoints}
	for i, data := range chunks {
		points, err := d.chunk(data)
		if err != nil {
			problems = append(problems, fmt.Errorf("chunk %d of the history: %w", i+1, err))
			continue
		}
		numbers[i] = points[0].Chunk
		d.points = append(d.points, points...)
	}
	return &History{Points: inOrder(d.points)}, numbers, errors.Join(problems...)
}

// inOrder sorts points, of which those that there are twice are there once then.
func inOrder(points []Point) []Point {
	slices.SortStableFunc(points, func(a, b Point) int { return cmp.Compare(a.Sequence, b.Sequence) })
	points = slices.CompactFunc(points, func(a, b Point) bool { return a.Sequence == b.Sequence })
	if excess := len(points) - MaxPoints; excess > 0 {
		points = slices.Delete(points, 0, excess)
	}
	return points
}

// decoder reads chunks. All together they may have so many cases of points.
type decoder struct {
	points []Point
	left   int
}

// strict decodes no more than Encode writes.
var strict = sizelimit.CBOR(maxChunkCases * int(metricCount))

// chunk reads a chunk.
func (d *decoder) chunk(data []byte) ([]Point, error) {
	payload, err := inflate(data)
	if err != nil {
		return nil, err
	}
	var w wire
	if err := strict.Unmarshal(payload, &w); err != nil {
		return nil, fmt.Errorf("parse: %w", err)
	}
	if err := w.check(); err != nil {
		return nil, err
	}
	points, err := w.points()
	if err != nil {
		return nil, err
	}
	return points, d.fill(points, &w)
}

// inflate returns what a chunk has gzipped, of which there can be no more than a chunk takes without.
func inflate(data []byte) ([]byte, error) {
	zipped, ok := bytes.CutPrefix(data, []byte(magic))
	if !ok {
		line, _, _ := strings.Cut(string(data[:min(len(data), len(magic))]), "\n")
		return nil, fmt.Errorf("it begins with %q where %q is expected: it is of a newer release, or was changed", humanize.Excerpt(line), strings.TrimSpace(magic))
	}
	if len(data) > MaxChunkBytes {
		return nil, fmt.Errorf("it has %d bytes: at most %d are read", len(data), MaxChunkBytes)
	}
	reader, err := gzip.NewReader(bytes.NewReader(zipped))
	if err != nil {
		return nil, fmt.Errorf("gunzip: %w", err)
	}
	payload, err := io.ReadAll(io.LimitReader(reader, MaxChunkBytes+1))
	if err != nil {
		return nil, fmt.Errorf("gunzip: %w", err)
	}
	if len(payload) > MaxChunkBytes {
		return nil, fmt.Errorf("gunzipped it has more than %d bytes", MaxChunkBytes)
	}
	return payload, nil
}

// check holds the numbers of things to their bounds, before they are made.
func (w *wire) check() error {
	switch {
	case w.Number < 1:
		return fmt.Errorf("its number is %d", w.Number)
	case len(w.Points) == 0 || len(w.Points) > maxChunkPoints:
		return fmt.Errorf("%d points: from 1 to %d are read", len(w.Points), maxChunkPoints)
	case len(w.Environments) > len(w.Points):
		return fmt.Errorf("%d environments of %d points", len(w.Environments), len(w.Points))
	case len(w.Cases) > maxChunkCases:
		return fmt.Errorf("%d cases: at most %d are read", len(w.Cases), maxChunkCases)
	}
	return nil
}

// points returns the points without their figures.
func (w *wire) points() ([]Point, error) {
	environments := make([]Environment, len(w.Environments))
	for i, raw := range w.Environments {
		if err := strict.Unmarshal(raw, &environments[i]); err != nil {
			return nil, fmt.Errorf("parse environment: %w", err)
		}
		environments[i].clean()
	}
	points := make([]Point, len(w.Points))
	for i, raw := range w.Points {
		var p wirePoint
		if err := strict.Unmarshal(raw, &p); err != nil {
			return nil, fmt.Errorf("parse point: %w", err)
		}
		if p.Sequence < w.Number || p.Sequence > 1<<53 || p.Seconds < 0 || p.Seconds > maxSeconds || p.Environment < 0 || p.Environment >= len(environments) {
			return nil, fmt.Errorf("point %d is of time %d and environment %d: that cannot be", p.Sequence, p.Seconds, p.Environment)
		}
		points[i] = Point{
			Sequence: p.Sequence, Chunk: w.Number, Time: time.Unix(p.Seconds, 0).UTC(),
			Benchmark: name(p.Benchmark), UID: name(p.UID), Succeeded: p.Succeeded, Reason: name(p.Reason),
			Environment: environments[p.Environment],
		}
	}
	return points, nil
}

// fill gives the points their figures.
func (d *decoder) fill(points []Point, w *wire) error {
	rows := make([][]Figure, len(points))
	before := -1
	next := 0
	for i := range w.Cases {
		clear(rows)
		for ; next < len(w.Columns) && w.Columns[next].Case == i; next++ {
			c := &w.Columns[next]
			place := c.Case*int(metricCount) + int(c.Metric)
			if c.Metric >= uint8(metricCount) {
				continue // of a newer release
			}
			if place <= before {
				return errors.New("its columns are not in order")
			}
			before = place
			if err := c.read(rows); err != nil {
				return err
			}
		}
		if err := d.addCase(points, w.Cases[i], rows); err != nil {
			return err
		}
	}
	if next < len(w.Columns) {
		return errors.New("its columns are not in order")
	}
	return nil
}

// addCase adds a case to those points that have figures of it.
func (d *decoder) addCase(points []Point, of Case, rows [][]Figure) error {
	key := Case{Workload: name(of.Workload), Parameters: name(of.Parameters), Section: name(of.Section), Target: name(of.Target)}
	for i, figures := range rows {
		if len(figures) == 0 {
			continue
		}
		if d.left--; d.left < 0 || len(points[i].Cases) >= MaxCases {
			return fmt.Errorf("more cases than a history holds: %d of a point, %d in all", MaxCases, MaxCasePoints)
		}
		points[i].Cases = append(points[i].Cases, Measured{Case: key, Figures: slices.Clip(figures)})
	}
	return nil
}

// read appends the figures of a column to the rows of their points.
func (c *wireColumn) read(rows [][]Figure) error {
	values, before := c.Values, int64(0)
	for i := range rows {
		code, n := binary.Uvarint(values)
		if n <= 0 {
			return errors.New("a column ends before its last point")
		}
		values = values[n:]
		if code == 0 {
			continue
		}
		code--
		value := before + (int64(code>>1) ^ -int64(code&1))
		if most := Metric(c.Metric).Most(); code > 4*uint64(most) || value < 0 || value > most {
			return fmt.Errorf("a figure of %d: it can be from 0 to %d", value, most)
		}
		rows[i] = append(rows[i], Figure{Metric: Metric(c.Metric), Value: value})
		before = value
	}
	if len(values) > 0 {
		return errors.New("a column goes on after its last point")
	}
	return nil
}

package series

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/storagebench/storagebench/internal/sizelimit"
)

const (
	// maxText is the most bytes that a series takes before it is gzipped. The largest ones take half of that.
	maxText = 1 << 20
	// maxObjects and maxArrays are more than a series has: the smallest one is two bytes as text, and up to 160 when it is decoded. Each direction of a section
	// has four objects and ten columns; histograms are bounded in all.
	maxObjects, maxArrays = 512, 2048
	// maxInterval is the longest interval: 30 days.
	maxInterval = 30 * 24 * 3600 * 1000
	// maxStart is the end of the year 9999, in milliseconds since 1970.
	maxStart = 253_402_300_799_000
	// maxName is the most bytes of a section's name.
	maxName = 256
	// maxRate bounds what a rate can be: no storage moves as much.
	maxRate = 1e15
)

// Encode returns a series as gzipped JSON. The error is a sizelimit.SizeError if it takes more than MaxBytes.
func Encode(s *Series) ([]byte, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	return sizelimit.Zip(MaxBytes, func(w io.Writer) error { return json.NewEncoder(w).Encode(s) })
}

// Decode returns the series that Encode made these bytes of. They may come from anybody: it takes no more memory than a series can take,
// and all columns of what it returns have the lengths that the comments of Series say.
func Decode(data []byte) (*Series, error) {
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("the series has %d bytes, and may have %d", len(data), MaxBytes)
	}
	unzipped, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("unzip the series: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(unzipped, maxText+1))
	if err != nil {
		return nil, fmt.Errorf("unzip the series: %w", err)
	}
	if len(text) > maxText {
		return nil, fmt.Errorf("the series has more than %d bytes", maxText)
	}
	return decodeText(text)
}

// checkShape refuses a text that would take much when it is decoded.
func checkShape(text []byte) error {
	objects, arrays, quoted := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++ // what is escaped ends no name
		case c == '"':
			quoted = !quoted
		case c == '{' && !quoted:
			objects++
		case c == '[' && !quoted:
			arrays++
		}
	}
	if objects > maxObjects || arrays > maxArrays {
		return fmt.Errorf("the series has %d objects and %d arrays, and may have %d and %d", objects, arrays, maxObjects, maxArrays)
	}
	return nil
}

func decodeText(text []byte) (*Series, error) {
	if err := checkShape(text); err != nil {
		return nil, err
	}
	version := struct {
		Version int `json:"version"`
	}{}
	if err := json.Unmarshal(text, &version); err != nil {
		return nil, fmt.Errorf("decode the series: %w", err)
	}
	if version.Version != Version {
		return nil, fmt.Errorf("the series is of version %d, and this program knows version %d", version.Version, Version)
	}
	s := &Series{}
	if err := json.Unmarshal(text, s); err != nil {
		return nil, fmt.Errorf("decode the series: %w", err)
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	return s, nil
}

// check says what of a series is not as the format says.
func (s *Series) check() error {
	switch {
	case s.Version != Version:
		return fmt.Errorf("the series is of version %d", s.Version)
	case s.StartMilliseconds < 0 || s.StartMilliseconds > maxStart:
		return fmt.Errorf("the series begins %d ms after 1970", s.StartMilliseconds)
	case s.IntervalMilliseconds < 1 || s.IntervalMilliseconds > maxInterval:
		return fmt.Errorf("the series has an interval of %d ms", s.IntervalMilliseconds)
	case s.LatencyPoints < 1 || s.LatencyPoints > MaxPoints:
		return fmt.Errorf("the series has a latency for %d points", s.LatencyPoints)
	case s.Clients < 1 || s.Clients > MaxClients:
		return fmt.Errorf("the series is of %d clients", s.Clients)
	case len(s.Sections) < 1 || len(s.Sections) > MaxSections:
		return fmt.Errorf("the series has %d sections", len(s.Sections))
	}
	for i := range s.Sections {
		if err := s.checkSection(&s.Sections[i]); err != nil {
			return fmt.Errorf("section %d of the series: %w", i+1, err)
		}
	}
	return nil
}

func (s *Series) checkSection(section *Section) error {
	points := section.Points()
	switch {
	case len(section.Name) > maxName:
		return fmt.Errorf("its name has %d bytes", len(section.Name))
	case section.OffsetMilliseconds < 0 || section.OffsetMilliseconds > maxInterval*MaxPoints:
		return fmt.Errorf("it begins %d ms after the series", section.OffsetMilliseconds)
	case section.WholePoints < 0 || section.WholePoints > points:
		return fmt.Errorf("it has %d points of %d with all jobs", section.WholePoints, points)
	case section.FromPoint < 0 || section.FromPoint > max(points-1, 0):
		return fmt.Errorf("its result is of the points from %d on, of %d", section.FromPoint, points)
	case points > MaxPoints:
		return fmt.Errorf("it has %d points, and may have %d", points, MaxPoints)
	}
	for name, d := range section.Directions() {
		if err := d.check(points, s.LatencyPoints); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func (d *Direction) check(points, latencyPoints int) error {
	for name, rate := range map[string]*Rate{"iops": &d.IOPS, "bytesPerSecond": &d.BytesPerSecond} {
		if err := rate.check(points); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if d.Latency == nil {
		return nil
	}
	wanted := (points + latencyPoints - 1) / latencyPoints
	if n := len(d.Latency.Histograms); n != 0 && n != wanted {
		return fmt.Errorf("a latency has %d histograms of %d", n, wanted)
	}
	for _, column := range [][]int64{d.Latency.Mean, d.Latency.P50, d.Latency.P99, d.Latency.Max} {
		if len(column) != wanted {
			return fmt.Errorf("a latency has %d points of %d", len(column), wanted)
		}
		for _, value := range column {
			if value < 0 {
				return fmt.Errorf("a latency is %d ns", value)
			}
		}
	}
	return nil
}

func (r *Rate) check(points int) error {
	if (r.Min == nil) != (r.Max == nil) {
		return errors.New("it has one of min and max")
	}
	for _, column := range [][]float64{r.Mean, r.Min, r.Max} {
		if len(column) != points && column != nil || r.Mean == nil && points > 0 {
			return fmt.Errorf("a column has %d points of %d", len(column), points)
		}
		for _, value := range column {
			if !(value >= 0 && value <= maxRate) {
				return fmt.Errorf("a rate is %v", value)
			}
		}
	}
	return nil
}

// significant returns a figure in 4 significant digits: fewer bytes, and less than the figure itself is good for.
func significant(v float64) float64 {
	if v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return 0
	}
	scale := math.Pow(10, 3-math.Floor(math.Log10(math.Abs(v))))
	return math.Round(v*scale) / scale
}

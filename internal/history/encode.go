package history

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
	"reflect"
	"slices"

	"github.com/fxamacker/cbor/v2"

	"github.com/storagebench/storagebench/internal/sizelimit"
)

// Chunk is a part of a history: a range of its points, which can be read alone.
type Chunk struct {
	// Number is that of its first point when the chunk was begun. It stays, and tells the chunks of a history apart.
	Number int64
	// Data is gzipped, behind a line that names the version of the encoding.
	Data []byte
}

// magic begins each chunk and names the version of its encoding.
const magic = "storagebench-history/v2\n"

// maxChunkPoints is the most points of a chunk, and maxChunkCases the most different cases.
const (
	maxChunkPoints = 128
	maxChunkCases  = 4 * MaxCases
)

// wire is a chunk. All maps have numbers as keys, so that there can be new ones, which older operators pass over.
type wire struct {
	Number int64 `cbor:"1,keyasint"`
	// Points and Environments are encoded each by itself: so many are only decoded when their number is known not to be too large.
	Points       []cbor.RawMessage `cbor:"2,keyasint"`
	Environments []cbor.RawMessage `cbor:"3,keyasint"`
	Cases        []Case            `cbor:"4,keyasint"`
	// Columns are in ascending order of case and metric.
	Columns []wireColumn `cbor:"5,keyasint"`
}

// wirePoint is a point without its figures.
type wirePoint struct {
	Sequence  int64  `cbor:"1,keyasint"`
	Seconds   int64  `cbor:"2,keyasint"`
	Benchmark string `cbor:"3,keyasint"`
	UID       string `cbor:"4,keyasint"`
	Succeeded bool   `cbor:"5,keyasint,omitempty"`
	Reason    string `cbor:"6,keyasint,omitempty"`
	// Environment is an index of the chunk's environments.
	Environment int `cbor:"7,keyasint"`
}

// wireColumn is a metric of a case over the points of the chunk: for each point a varint, 0 where there is no figure, else 1 more than the
// zigzag of the difference to the figure before, or to 0.
type wireColumn struct {
	_      struct{} `cbor:",toarray"`
	Case   int
	Metric uint8
	Values []byte
}

// Encode returns the history in chunks of at most MaxChunkBytes, oldest first, and has the points remember theirs. A point stays in the chunk
// that it was first kept in: a new point changes the last chunk, or begins one, and what goes beyond the limit changes or ends the first
// one. So each chunk can be written by itself, and a crash between two writes loses no point.
func (h *History) Encode() ([]Chunk, error) {
	h.choose()
	var chunks []Chunk
	for start := 0; start < len(h.Points); {
		number := h.Points[start].Chunk
		end := start
		for end < len(h.Points) && h.Points[end].Chunk == number {
			end++
		}
		data, err := encodeChunk(number, h.Points[start:end])
		if err != nil {
			return nil, fmt.Errorf("points %d to %d: %w", h.Points[start].Sequence, h.Points[end-1].Sequence, err)
		}
		chunks = append(chunks, Chunk{Number: number, Data: data})
		start = end
	}
	if len(chunks) > MaxChunks {
		return nil, fmt.Errorf("the history takes %d ConfigMaps: at most %d are kept; lower historyLimit", len(chunks), MaxChunks)
	}
	return chunks, nil
}

// choose gives points that have none a chunk: the last one, while that has room.
func (h *History) choose() {
	var open room
	for i := range h.Points {
		p := &h.Points[i]
		isNew := p.Chunk == 0
		if isNew {
			p.Chunk = open.number
		}
		if p.Chunk != open.number || open.number == 0 {
			if isNew {
				p.Chunk = p.Sequence
			}
			open = room{number: p.Chunk}
		}
		if !open.take(p) && isNew {
			p.Chunk = p.Sequence
			open = room{number: p.Chunk}
			open.take(p)
		}
	}
}

// room is how full a chunk is, by bounds: what is gzipped takes less, but for texts that cannot be.
type room struct {
	number                 int64
	points, figures, texts int
	values                 int // bytes of the figures
	cases                  map[Case]*[metricCount]bool
	columns                int
	before                 *Environment
}

// Bounds of what parts of a chunk take, beside their texts.
const (
	columnBytes = 8 // its case and metric, and its length
	caseBytes   = 16
	pointBytes  = 64
)

// figureBytes is the most that a figure takes: a varint of 7 bits a byte, of twice the difference to another one.
func figureBytes(m Metric) int { return (bits.Len64(uint64(m.Most())) + 1 + 6) / 7 }

// take adds a point, and says whether the chunk still has room with it.
func (r *room) take(p *Point) bool {
	r.points++
	r.texts += pointBytes + len(p.Benchmark) + len(p.UID) + len(p.Reason)
	if r.before == nil || !reflect.DeepEqual(r.before, &p.Environment) {
		r.texts += textBytes(&p.Environment)
	}
	r.before = &p.Environment
	for i := range p.Cases {
		r.takeCase(&p.Cases[i])
	}
	return r.points <= maxChunkPoints && len(r.cases) <= maxChunkCases && r.bytes() <= MaxChunkBytes-len(magic)
}

// takeCase adds a case of a point.
func (r *room) takeCase(m *Measured) {
	if r.cases == nil {
		r.cases = map[Case]*[metricCount]bool{}
	}
	has := r.cases[m.Case]
	if has == nil {
		has = &[metricCount]bool{}
		r.cases[m.Case] = has
		r.texts += caseBytes + len(m.Workload) + len(m.Parameters) + len(m.Section) + len(m.Target)
	}
	for _, f := range m.Figures {
		if !has[f.Metric] {
			has[f.Metric] = true
			r.columns++
		}
		r.values += figureBytes(f.Metric)
	}
	r.figures += len(m.Figures)
}

// bytes is the most that the chunk takes: each point has a figure in each column, or a byte that says there is none.
func (r *room) bytes() int {
	absent := r.columns*r.points - r.figures
	return r.texts + r.columns*columnBytes + r.values + absent
}

// textBytes is the most that an environment takes.
func textBytes(e *Environment) int {
	const perText = 4
	sum := 10*perText + len(e.Operator) + len(e.Fio) + len(e.Kubelet) + len(e.Kernel) + len(e.OSImage) + len(e.InstanceType) + len(e.Zone) + len(e.Node) + len(e.Baseline)
	for _, t := range e.Targets {
		sum += 3*perText + len(t.Target) + len(t.Baseline)
	}
	for _, c := range e.Classes {
		sum += 4*perText + len(c.Name)
		for _, text := range slices.Concat(c.Parameters, c.Targets) {
			sum += perText + len(text)
		}
	}
	for _, d := range e.Drivers {
		sum += 4*perText + len(d.Name) + len(d.Image)
		for _, target := range d.Targets {
			sum += perText + len(target)
		}
	}
	return sum
}

func encodeChunk(number int64, points []Point) ([]byte, error) {
	w := wire{Number: number}
	for i := range points {
		if err := w.addPoint(&points[i]); err != nil {
			return nil, err
		}
	}
	w.addColumns(points)
	payload, err := cbor.Marshal(w)
	if err != nil {
		return nil, err
	}
	zipped, err := sizelimit.Zip(MaxChunkBytes-len(magic), func(to io.Writer) error {
		_, err := to.Write(payload)
		return err
	})
	if err != nil {
		return nil, err
	}
	return append([]byte(magic), zipped...), nil
}

// addPoint adds a point without its figures. Environments that follow each other and are the same are kept once.
func (w *wire) addPoint(p *Point) error {
	env, err := cbor.Marshal(p.Environment)
	if err != nil {
		return err
	}
	if last := len(w.Environments) - 1; last < 0 || !slices.Equal(w.Environments[last], env) {
		w.Environments = append(w.Environments, env)
	}
	point, err := cbor.Marshal(wirePoint{
		Sequence: p.Sequence, Seconds: p.Time.Unix(), Benchmark: p.Benchmark, UID: p.UID, Succeeded: p.Succeeded, Reason: p.Reason,
		Environment: len(w.Environments) - 1,
	})
	w.Points = append(w.Points, point)
	return err
}

// addColumns adds the figures, a column for each metric of each case.
func (w *wire) addColumns(points []Point) {
	table := map[Case]*[metricCount]column{}
	for i := range points {
		for j := range points[i].Cases {
			m := &points[i].Cases[j]
			columns := table[m.Case]
			if columns == nil {
				columns = &[metricCount]column{}
				table[m.Case] = columns
				w.Cases = append(w.Cases, m.Case)
			}
			for _, f := range m.Figures {
				columns[f.Metric].add(i, f.Value)
			}
		}
	}
	for i := range w.Cases {
		columns := table[w.Cases[i]]
		for metric := range columns {
			if c := &columns[metric]; c.points > 0 {
				c.absentUntil(len(points))
				w.Columns = append(w.Columns, wireColumn{Case: i, Metric: uint8(metric), Values: c.values})
			}
		}
	}
}

// column is a column that is being encoded.
type column struct {
	values []byte
	points int
	before int64
}

// add adds the figure of a point.
func (c *column) add(point int, value int64) {
	if c.points > point {
		return // a case twice in a point, which FromBenchmark does not make
	}
	c.absentUntil(point)
	difference := value - c.before
	c.values = binary.AppendUvarint(c.values, uint64(difference<<1^difference>>63)+1)
	c.points, c.before = c.points+1, value
}

// absentUntil fills up the points before one.
func (c *column) absentUntil(point int) {
	for c.points < point {
		c.values = append(c.values, 0)
		c.points++
	}
}

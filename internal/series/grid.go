package series

import (
	"errors"
	"math"
	"slices"

	"github.com/storagebench/storagebench/internal/histogram"
)

// maxGridPoints is the most points before they are thinned: 32 MiB of fio's memory hold fewer. More come from clocks that were set while jobs ran.
const maxGridPoints = 200_000

// Sample is a rate that a job noted: the mean of an interval.
type Sample struct {
	// EndMilliseconds is when the interval ended, in milliseconds since 1970.
	EndMilliseconds int64
	PerSecond       float64
}

// Builder puts what jobs noted, each at instants of its own, onto the points of one clock.
type Builder struct {
	interval      int64
	latencyPoints int
	sections      []*SectionBuilder
}

// NewBuilder returns a Builder for jobs that note rates at an interval in milliseconds, and histograms every so many of them.
func NewBuilder(interval int64, latencyPoints int) *Builder {
	return &Builder{interval: interval, latencyPoints: latencyPoints}
}

// Section begins the next result. What its jobs noted of rates has to be added before their histograms.
func (b *Builder) Section(name string) *SectionBuilder {
	s := &SectionBuilder{builder: b, name: name, directions: map[string]*directionBuilder{}, first: math.MaxInt64}
	b.sections = append(b.sections, s)
	return s
}

// SectionBuilder takes what the jobs of a result noted.
type SectionBuilder struct {
	builder    *Builder
	name       string
	directions map[string]*directionBuilder
	// first is when the first interval begins, and ends are when the last one ends of each job and direction.
	first int64
	ends  []int64
	// stopped is when the jobs ended, 0 if that is not known.
	stopped int64
	// whole is when the first job ended, 0 if that does not count.
	whole int64
	// result is when what the result is of began, 0 if that is all.
	result int64
}

// directionBuilder takes what the jobs of a result noted of a direction. fio notes nothing of an interval in which no I/O ended.
type directionBuilder struct {
	iops, bytes [][]Sample
	latencies   []Latencies
}

// AddRates adds what a job noted of a direction, in the order of time.
func (s *SectionBuilder) AddRates(direction string, iops, bytes []Sample) {
	if len(iops) == 0 {
		return
	}
	d := s.directions[direction]
	if d == nil {
		d = &directionBuilder{}
		s.directions[direction] = d
	}
	d.iops, d.bytes = append(d.iops, iops), append(d.bytes, bytes)
	s.first = min(s.first, iops[0].EndMilliseconds-s.builder.interval)
	s.ends = append(s.ends, iops[len(iops)-1].EndMilliseconds)
}

// EndsWith says that a job ended at an instant because it was through with its files, while others may go on.
func (s *SectionBuilder) EndsWith(milliseconds int64) {
	if s.whole == 0 || milliseconds < s.whole {
		s.whole = milliseconds
	}
}

// ResultFrom says that the result is of what was done from an instant on.
func (s *SectionBuilder) ResultFrom(milliseconds int64) { s.result = milliseconds }

// Lasted says from when to when all jobs were at work, whatever they noted of it: storage that hangs has nothing noted. It has to be said before histograms
// are added. Whole intervals count: fio does not note the last one.
func (s *SectionBuilder) Lasted(begin, end int64) {
	if len(s.ends) == 0 {
		return
	}
	if before := s.first - begin; s.isHang(before) {
		s.first -= before / s.builder.interval * s.builder.interval
	}
	s.stopped = end
}

// isHang says whether nothing was noted for longer than it takes jobs to start, or fio leaves out at the end.
func (s *SectionBuilder) isHang(milliseconds int64) bool { return milliseconds >= 2*s.builder.interval }

// AddHistogram adds the latencies of the I/Os of a job that ended in an interval. They all count to the point that has its middle.
func (s *SectionBuilder) AddHistogram(direction string, endMilliseconds int64, h *histogram.Histogram) {
	d := s.directions[direction]
	if d == nil || h.Count() == 0 {
		return
	}
	length := s.builder.interval * int64(s.builder.latencyPoints)
	point := max(0, (endMilliseconds-length/2-s.first)/length)
	if point >= int64(s.latencyPoints()) {
		return
	}
	if d.latencies == nil {
		d.latencies = make([]Latencies, s.latencyPoints())
	}
	all := &d.latencies[point]
	if all.Histogram == nil {
		all.Histogram = &histogram.Histogram{}
	}
	all.Histogram.Merge(h)
}

// points returns how many points the section has: the last one has to be whole, but for what clocks are off.
func (s *SectionBuilder) points() int {
	const off = 0.1
	last := s.last()
	if last <= s.first {
		return 0
	}
	return int(min(float64(last-s.first)/float64(s.builder.interval)+off, maxGridPoints+1))
}

// last returns when the last interval ended that is of all jobs. fio notes nothing of the interval that a job does not finish, and each job has instants of its
// own: beyond the first of these ends, the sum lacks a job that was at work. Who has noted nothing for longer did nothing, or was through. If nobody notes
// anything until the jobs end, storage hangs.
func (s *SectionBuilder) last() int64 {
	if len(s.ends) == 0 {
		return 0
	}
	last := slices.Max(s.ends)
	recent := last - s.builder.interval*3/2
	for _, end := range s.ends {
		if end > recent {
			last = min(last, end)
		}
	}
	if after := s.stopped - last; s.isHang(after) {
		last += after / s.builder.interval * s.builder.interval
	}
	return last
}

func (s *SectionBuilder) latencyPoints() int {
	return (s.points() + s.builder.latencyPoints - 1) / s.builder.latencyPoints
}

// Recording returns what was added, of one client. It is an error if no point is whole.
func (b *Builder) Recording() (*Recording, error) {
	r := &Recording{StartMilliseconds: math.MaxInt64, IntervalMilliseconds: b.interval, LatencyPoints: b.latencyPoints, Clients: 1}
	for _, s := range b.sections {
		if s.points() > maxGridPoints {
			return nil, errors.New("fio's jobs noted times that are too far apart: the node's clock was set while they ran")
		}
		r.StartMilliseconds = min(r.StartMilliseconds, s.first)
	}
	for _, s := range b.sections {
		section := RecordedSection{Name: s.name}
		if s.points() > 0 {
			section.OffsetMilliseconds = s.first - r.StartMilliseconds
			section.WholePoints = int(min(max(s.whole-s.first, 0)/b.interval, int64(s.points())))
			section.FromPoint = s.resultFrom()
			for name, d := range s.directions {
				*section.place(name) = s.record(d)
			}
		}
		r.Sections = append(r.Sections, section)
	}
	if r.Points() == 0 {
		return nil, errors.New("it ended before fio had noted anything")
	}
	return r, nil
}

// resultFrom returns the first point that is all of what the result is of.
func (s *SectionBuilder) resultFrom() int {
	if s.result <= s.first {
		return 0
	}
	return min(int((s.result-s.first+s.builder.interval-1)/s.builder.interval), s.points()-1)
}

func (s *SectionBuilder) record(d *directionBuilder) *Recorded {
	recorded := &Recorded{IOPS: s.rates(d.iops), Bytes: s.rates(d.bytes)}
	for _, l := range d.latencies {
		recorded.Latencies = append(recorded.Latencies, NewLatencies(l.Histogram))
	}
	return recorded
}

// rates adds up what jobs noted. An interval that begins in one point and ends in the next counts in both, by its parts.
func (s *SectionBuilder) rates(jobs [][]Sample) []Range {
	sums := make([]float64, s.points())
	for _, samples := range jobs {
		before := int64(math.MinInt64)
		for _, sample := range samples {
			s.spread(sums, s.begin(before, sample.EndMilliseconds), sample)
			before = sample.EndMilliseconds
		}
	}
	ranges := make([]Range, len(sums))
	for i, sum := range sums {
		ranges[i] = Steady(sum)
	}
	return ranges
}

// begin returns when the interval began that ended at an instant. It is when the one before ended, unless there was one between of which nothing
// is noted.
func (s *SectionBuilder) begin(before, end int64) int64 {
	if before >= end || before < end-s.builder.interval*3/2 {
		return end - s.builder.interval
	}
	return before
}

// spread adds a rate to the points that its interval is in.
func (s *SectionBuilder) spread(sums []float64, begin int64, sample Sample) {
	length := s.builder.interval
	for point := max(0, (begin-s.first)/length); point < int64(len(sums)); point++ {
		from := s.first + point*length
		part := min(sample.EndMilliseconds, from+length) - max(begin, from)
		if part <= 0 {
			return
		}
		sums[point] += sample.PerSecond * float64(part) / float64(length)
	}
}

package export

import (
	"encoding/csv"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/report/wording"
)

// field is a column of a CSV of T.
type field[T any] struct {
	name string
	// of returns the cell, "" if there is nothing.
	of func(*T) string
}

// CSV prints all measurements (RFC 4180 with a header, lines ended by LF): a row for each direction of each run, one for its syncs, one for its
// metadata, and one for each run without a result. Figures are whole numbers in the unit that the header names. Columns are the same for all
// benchmarks but for those of parameters, which are named param_ and the option.
func CSV(w io.Writer, sb *v1alpha1.StorageBenchmark) error {
	all := measurementsOf(&sb.Status)
	fields := slices.Concat(
		[]field[Measurement]{
			{"namespace", func(*Measurement) string { return sb.Namespace }},
			{"benchmark", func(*Measurement) string { return sb.Name }},
		},
		runFields(),
		parameterFields(all, func(m *Measurement) map[string]string { return m.Parameters }),
		ioFields(), latencyFields(), surroundingFields(), counterFields(), volumeFields(), nodeFields(),
	)
	return writeCSV(w, fields, all)
}

// writeCSV prints a header and a row for each element.
func writeCSV[T any](w io.Writer, fields []field[T], all []T) error {
	sheet, err := newSheet(w, fields)
	if err != nil {
		return err
	}
	return sheet.add(all)
}

// sheet is a CSV of T that is being written.
type sheet[T any] struct {
	writer *csv.Writer
	fields []field[T]
}

// newSheet prints a header.
func newSheet[T any](w io.Writer, fields []field[T]) (*sheet[T], error) {
	s := &sheet[T]{csv.NewWriter(w), fields}
	cells := make([]string, len(fields))
	for i, f := range fields {
		cells[i] = HarmlessCell(f.name)
	}
	return s, s.writer.Write(cells)
}

// add prints a row for each element.
func (s *sheet[T]) add(all []T) error {
	cells := make([]string, len(s.fields))
	for i := range all {
		for j, f := range s.fields {
			cells[j] = HarmlessCell(f.of(&all[i]))
		}
		if err := s.writer.Write(cells); err != nil {
			return err
		}
	}
	s.writer.Flush()
	return s.writer.Error()
}

// HarmlessCell returns a cell that no spreadsheet takes for a formula: one that could be gets an apostrophe before it,
// as people write it there. Numbers stay numbers. https://owasp.org/www-community/attacks/CSV_Injection
func HarmlessCell(cell string) string {
	cell = wording.Harmless(cell)
	if !beginsLikeFormula(cell) {
		return cell
	}
	if _, err := strconv.ParseFloat(cell, 64); err == nil {
		return cell
	}
	return "'" + cell
}

// beginsLikeFormula reports whether a spreadsheet may take a cell for a formula. It may skip white space, and take the
// full-width and small forms of a sign for the sign itself: NFKC maps each of these forms to the sign.
func beginsLikeFormula(cell string) bool {
	if cell != "" && strings.ContainsRune("\t\r\n", rune(cell[0])) {
		return true
	}
	folded := strings.TrimLeftFunc(norm.NFKC.String(cell), unicode.IsSpace)
	return folded != "" && strings.ContainsRune("=+-@", rune(folded[0]))
}

// optional returns a cell of what an element may not have, "" if it has none.
func optional[T, U any](part func(*T) *U, cell func(*U) string) func(*T) string {
	return func(t *T) string {
		if u := part(t); u != nil {
			return cell(u)
		}
		return ""
	}
}

// Parts that a measurement may not have.
var (
	search    = func(m *Measurement) *v1alpha1.RunSearch { return m.Search }
	figures   = func(m *Measurement) *v1alpha1.Figures { return m.Figures }
	cpu       = func(m *Measurement) *v1alpha1.CPUResult { return m.CPU }
	limitedBy = func(m *Measurement) *v1alpha1.LimitedBy { return m.LimitedBy }
	counters  = func(m *Measurement) *v1alpha1.StorageCounters { return m.Counters }
	exceeded  = func(m *Measurement) *v1alpha1.ExceededLimits { return m.Exceeded }
	perClient = func(f *v1alpha1.Figures) *v1alpha1.ClientSpread { return f.PerClient }
	latency   = func(f *v1alpha1.Figures) *v1alpha1.Latency { return f.Latency }
	clat      = func(f *v1alpha1.Figures) *v1alpha1.LatencyDistribution { return f.CompletionLatency }
)

// runFields say which run a row is of.
func runFields() []field[Measurement] {
	return []field[Measurement]{
		{"run", func(m *Measurement) string { return m.Run }},
		{"workload", func(m *Measurement) string { return m.Workload }},
		{"section", func(m *Measurement) string { return m.Section }},
		{"target", func(m *Measurement) string { return m.Target }},
		{"repetition", func(m *Measurement) string { return whole(int64(m.Repetition)) }},
		{"clients", func(m *Measurement) string { return whole(int64(m.Clients)) }},
		{"state", func(m *Measurement) string { return string(m.State) }},
		{"attempts", func(m *Measurement) string { return whole(int64(m.Attempts)) }},
		{"start_time", func(m *Measurement) string { return timestamp(m.StartTime) }},
		{"completion_time", func(m *Measurement) string { return timestamp(m.CompletionTime) }},
		{"search_step", optional(search, func(s *v1alpha1.RunSearch) string { return whole(int64(s.Step)) })},
		{"search_verdict", optional(search, func(s *v1alpha1.RunSearch) string { return string(s.Verdict) })},
	}
}

// parameterFields returns a field for each parameter that some element has.
func parameterFields[T any](all []T, of func(*T) map[string]string) []field[T] {
	names := map[string]bool{}
	for i := range all {
		for name := range of(&all[i]) {
			names[name] = true
		}
	}
	var fields []field[T]
	for _, name := range slices.Sorted(maps.Keys(names)) {
		fields = append(fields, field[T]{"param_" + name, func(t *T) string { return of(t)[name] }})
	}
	return fields
}

// figuresField is one of a figure of the row's operation.
func figuresField(name string, of func(*v1alpha1.Figures) string) field[Measurement] {
	return field[Measurement]{name, optional(figures, of)}
}

// ioField is one of a figure of reads, writes and trims alone.
func ioField(name string, of func(*v1alpha1.Figures) string) field[Measurement] {
	return figuresField(name, func(f *v1alpha1.Figures) string {
		if !v1alpha1.IsData(f.Name) {
			return ""
		}
		return of(f)
	})
}

// rateField is one of a figure of all that has a rate: syncs have none.
func rateField(name string, of func(*v1alpha1.Figures) string) field[Measurement] {
	return figuresField(name, func(f *v1alpha1.Figures) string {
		if f.Name == v1alpha1.OperationSync {
			return ""
		}
		return of(f)
	})
}

// ioFields are rates and amounts.
func ioFields() []field[Measurement] {
	return []field[Measurement]{
		figuresField("direction", func(f *v1alpha1.Figures) string { return f.Name }),
		figuresField("ios", func(f *v1alpha1.Figures) string { return whole(f.Count) }),
		ioField("bytes", func(f *v1alpha1.Figures) string { return whole(f.Bytes) }),
		rateField("iops", func(f *v1alpha1.Figures) string { return whole(f.IOPS()) }),
		ioField("bytes_per_second", func(f *v1alpha1.Figures) string { return whole(f.BytesPerSecond) }),
		rateField("client_min_iops", optional(perClient, func(s *v1alpha1.ClientSpread) string { return whole(v1alpha1.WholeIOPS(s.MinMilliIOPS)) })),
		rateField("client_max_iops", optional(perClient, func(s *v1alpha1.ClientSpread) string { return whole(v1alpha1.WholeIOPS(s.MaxMilliIOPS)) })),
		rateField("client_iops_cv", optional(perClient, func(s *v1alpha1.ClientSpread) string { return s.CoefficientOfVariation })),
	}
}

// latencyFields are fio's lat (from submission) and clat (from the kernel's acceptance), in nanoseconds. Of syncs and of operations on
// files, which fio measures from the call to its end, the mean is among the former and the distribution among the latter. A percentile
// of 17112760320 is beyond fio's histogram.
func latencyFields() []field[Measurement] {
	of := func(name string, of func(*v1alpha1.LatencyDistribution) string) field[Measurement] {
		return figuresField("clat_"+name, optional(clat, of))
	}
	return []field[Measurement]{
		figuresField("lat_mean_ns", optional(latency, func(l *v1alpha1.Latency) string { return whole(l.MeanNanoseconds) })),
		ioField("lat_stddev_ns", optional(latency, func(l *v1alpha1.Latency) string { return whole(l.StddevNanoseconds) })),
		of("min_ns", func(d *v1alpha1.LatencyDistribution) string { return whole(d.MinNanoseconds) }),
		of("p50_ns", func(d *v1alpha1.LatencyDistribution) string { return whole(d.P50Nanoseconds) }),
		of("p90_ns", func(d *v1alpha1.LatencyDistribution) string { return whole(d.P90Nanoseconds) }),
		of("p95_ns", func(d *v1alpha1.LatencyDistribution) string { return whole(d.P95Nanoseconds) }),
		of("p99_ns", func(d *v1alpha1.LatencyDistribution) string { return whole(d.P99Nanoseconds) }),
		of("p99_9_ns", func(d *v1alpha1.LatencyDistribution) string { return whole(d.P999Nanoseconds) }),
		of("p99_99_ns", func(d *v1alpha1.LatencyDistribution) string { return whole(d.P9999Nanoseconds) }),
		of("max_ns", func(d *v1alpha1.LatencyDistribution) string { return whole(d.MaxNanoseconds) }),
		of("bucket_percent", func(d *v1alpha1.LatencyDistribution) string { return wholeIfSet(int64(d.BucketPercent)) }),
	}
}

// surroundingFields are what was beside the I/O, and what it means.
func surroundingFields() []field[Measurement] {
	ofCPU := func(name string, of func(*v1alpha1.CPUResult) *int32) field[Measurement] {
		return field[Measurement]{name, optional(cpu, func(c *v1alpha1.CPUResult) string { return wholeOrNone(of(c)) })}
	}
	bound := func(name string, of func(*v1alpha1.LimitedBy) string) field[Measurement] {
		return field[Measurement]{name, optional(limitedBy, of)}
	}
	return []field[Measurement]{
		{"elapsed_ms", func(m *Measurement) string { return wholeIfSet(m.ElapsedMilliseconds) }},
		{"common_ms", func(m *Measurement) string { return wholeIfSet(m.CommonMilliseconds) }},
		{"start_skew_ms", func(m *Measurement) string { return wholeOrNone(m.StartSkewMilliseconds) }},
		ofCPU("cpu_user_percent", func(c *v1alpha1.CPUResult) *int32 { return &c.UserPercent }),
		ofCPU("cpu_system_percent", func(c *v1alpha1.CPUResult) *int32 { return &c.SystemPercent }),
		ofCPU("cpu_throttled_percent", func(c *v1alpha1.CPUResult) *int32 { return c.ThrottledPercent }),
		bound("limited_by", func(b *v1alpha1.LimitedBy) string { return b.Reason }),
		bound("limit_iops", func(b *v1alpha1.LimitedBy) string { return wholeOrNone(b.LimitIOPS) }),
		bound("limit_bytes_per_second", func(b *v1alpha1.LimitedBy) string { return wholeOrNone(b.LimitBytesPerSecond) }),
		bound("limit_cpu_percent", func(b *v1alpha1.LimitedBy) string { return wholeOrNone(b.LimitCPUPercent) }),
		bound("limit_in_flight", func(b *v1alpha1.LimitedBy) string { return wholeOrNone(b.LimitInFlight) }),
		bound("limit_used_percent", func(b *v1alpha1.LimitedBy) string { return wholeOrNone(b.UsedPercent) }),
		{"warnings", func(m *Measurement) string { return Reasons(m.Warnings) }},
		{"fio_version", func(m *Measurement) string { return m.FioVersion }},
		{"message", func(m *Measurement) string { return m.Message }},
	}
}

// Reasons are the kinds of warnings, with blanks between.
func Reasons(warnings []v1alpha1.Warning) string {
	names := make([]string, len(warnings))
	for i := range warnings {
		names[i] = warnings[i].Reason
	}
	return strings.Join(names, " ")
}

// whole prints a whole number.
func whole(n int64) string { return strconv.FormatInt(n, 10) }

// wholeIfSet prints a number of which 0 means that it is not known.
func wholeIfSet(n int64) string {
	if n == 0 {
		return ""
	}
	return whole(n)
}

// wholeOrNone prints a number that may be missing.
func wholeOrNone[N int32 | int64](n *N) string {
	if n == nil {
		return ""
	}
	return whole(int64(*n))
}

// timestamp prints a time in RFC 3339, in UTC.
func timestamp(t *metav1.Time) string {
	if t == nil {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// counterFields are what the kernel counted of the storage during the run, in the direction of the row, and what EBS itself says of it.
func counterFields() []field[Measurement] {
	counted := func(name string, of func(*v1alpha1.StorageCounters) string) field[Measurement] {
		return field[Measurement]{name, optional(counters, of)}
	}
	inDirection := func(name string, reads, writes func(*v1alpha1.StorageCounters) int64) field[Measurement] {
		return field[Measurement]{name, func(m *Measurement) string {
			switch {
			case m.Counters == nil || m.Figures == nil:
				return ""
			case m.Figures.Name == v1alpha1.OperationRead:
				return whole(reads(m.Counters))
			case m.Figures.Name == v1alpha1.OperationWrite:
				return whole(writes(m.Counters))
			}
			return ""
		}}
	}
	ofEBS := func(name string, of func(*v1alpha1.ExceededLimits) int64) field[Measurement] {
		return field[Measurement]{name, optional(exceeded, func(e *v1alpha1.ExceededLimits) string { return whole(of(e)) })}
	}
	return []field[Measurement]{
		counted("kernel_source", func(c *v1alpha1.StorageCounters) string { return string(c.Source) }),
		inDirection("kernel_ios", func(c *v1alpha1.StorageCounters) int64 { return c.Reads }, func(c *v1alpha1.StorageCounters) int64 { return c.Writes }),
		inDirection("kernel_bytes", func(c *v1alpha1.StorageCounters) int64 { return c.ReadBytes }, func(c *v1alpha1.StorageCounters) int64 { return c.WriteBytes }),
		counted("kernel_others", func(c *v1alpha1.StorageCounters) string { return whole(c.Others) }),
		counted("kernel_merges", func(c *v1alpha1.StorageCounters) string { return whole(c.Merges) }),
		counted("kernel_busy_ms", func(c *v1alpha1.StorageCounters) string { return wholeIfSet(c.BusyMilliseconds) }),
		counted("kernel_retransmissions", func(c *v1alpha1.StorageCounters) string { return wholeIfSet(c.Retransmissions) }),
		counted("kernel_queue_ms", func(c *v1alpha1.StorageCounters) string { return wholeIfSet(c.QueueMilliseconds) }),
		ofEBS("ebs_exceeded_volume_iops_ms", func(e *v1alpha1.ExceededLimits) int64 { return e.VolumeIOPSMilliseconds }),
		ofEBS("ebs_exceeded_volume_throughput_ms", func(e *v1alpha1.ExceededLimits) int64 { return e.VolumeThroughputMilliseconds }),
		ofEBS("ebs_exceeded_instance_iops_ms", func(e *v1alpha1.ExceededLimits) int64 { return e.InstanceIOPSMilliseconds }),
		ofEBS("ebs_exceeded_instance_throughput_ms", func(e *v1alpha1.ExceededLimits) int64 { return e.InstanceThroughputMilliseconds }),
	}
}

package fiooutput

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strconv"
	"strings"

	"github.com/storagebench/storagebench/internal/direction"
)

// This file reads what fio prints for people, as articles show it. Its figures are rounded to three or four digits.

var (
	textVersion  = regexp.MustCompile(`^fio-[0-9][0-9A-Za-z.-]*$`)
	textStarts   = regexp.MustCompile(`^Starting ([0-9]+) (?:process|thread)`)
	textEnded    = regexp.MustCompile(`^Run status group ([0-9]+) \(all jobs\):`)
	textDefines  = regexp.MustCompile(`^(\S.*?): \(g=([0-9]+)\): (rw=.*)$`)
	textJob      = regexp.MustCompile(`^(\S.*?): \(groupid=([0-9]+), jobs=([0-9]+)\): err= ?([0-9]+)`)
	textMoved    = regexp.MustCompile(`^(read|write|trim) ?: IOPS=([0-9.]+[kMG]?), BW=.*\(([0-9.]+)([KMGTP]?i?B)/([0-9]+)msec\)`)
	textMovedOld = regexp.MustCompile(`^(read|write|trim) ?: io=([0-9.]+)([KMGTP]?B), bw=.*, iops=([0-9.]+[kMG]?), runt= *([0-9]+)msec`)
	textLatency  = regexp.MustCompile(`^(slat|clat|lat|sync) \((nsec|usec|msec)\): min= ?([0-9.]+[kMG]?), max= ?([0-9.]+[kMG]?), avg= ?([0-9.]+[kMG]?), stdev= ?([0-9.]+[kMG]?)`)
	textList     = regexp.MustCompile(`^(clat|lat|sync) percentiles \((nsec|usec|msec)\):`)
	textPercent  = regexp.MustCompile(`([0-9.]+)th=\[ *([0-9]+)\]`)
	textIssued   = regexp.MustCompile(`^issued (?:rwts?)? *: total=([0-9]+),([0-9]+),([0-9]+)(?:,([0-9]+))?`)
	textOldTotal = regexp.MustCompile(`^issued *: total=r=([0-9]+)/w=([0-9]+)/d=([0-9]+)()`)
	textCPU      = regexp.MustCompile(`^cpu *: usr=([0-9.]+)%, sys=([0-9.]+)%, ctx=([0-9]+)`)
)

// textReader reads the text into the form of fio's JSON.
type textReader struct {
	report jsonReport
	// options are those that fio prints of jobs before it starts them, by their names.
	options map[string]map[string]string
	// into is the latency whose percentiles follow, and unit theirs in nanoseconds.
	into *jsonLatency
	unit float64
	// direction is the direction that the lines are about.
	direction *jsonDirection
	// versions is how often fio says its version, starts how many jobs it says that it starts, and jobs how many are reported.
	versions, starts, jobs int
	// ended are the groups whose totals were printed, and isRepeated is set when those of one were printed twice.
	ended      map[string]bool
	isRepeated bool
}

// parseText returns the report of what fio printed for people, which has no jobs if the text is another one.
func parseText(text string) (*jsonReport, error) {
	r := &textReader{options: map[string]map[string]string{}, ended: map[string]bool{}}
	for line := range strings.Lines(text) {
		r.line(strings.TrimSpace(line))
	}
	switch {
	case r.versions > 1 || r.isRepeated:
		return nil, errors.New("the text has several reports, of several calls of fio or of --status-interval: give one of them")
	case r.starts > 0 && r.jobs > 0 && r.jobs < r.starts:
		return nil, fmt.Errorf("the text ends early: fio starts %d jobs in it, and %d are reported", r.starts, r.jobs)
	}
	for i := range r.report.Jobs {
		r.report.Jobs[i].completeFromText()
	}
	return &r.report, nil
}

func (r *textReader) line(line string) {
	if textVersion.MatchString(line) {
		r.report.Version = line
		r.versions++
		return
	}
	if m := textStarts.FindStringSubmatch(line); m != nil {
		r.starts += int(decimal(m[1]))
		return
	}
	if m := textEnded.FindStringSubmatch(line); m != nil {
		r.isRepeated = r.isRepeated || r.ended[m[1]]
		r.ended[m[1]] = true
		return
	}
	if m := textDefines.FindStringSubmatch(line); m != nil {
		r.options[m[1]] = optionsOfText(m[3])
		return
	}
	if m := textJob.FindStringSubmatch(line); m != nil {
		r.begin(m)
		return
	}
	if len(r.report.Jobs) > 0 {
		r.figures(&r.report.Jobs[len(r.report.Jobs)-1], line)
	}
}

// begin begins the report of a job.
func (r *textReader) begin(m []string) {
	options := maps.Clone(r.options[m[1]])
	if options == nil {
		options = map[string]string{}
	}
	r.jobs += int(decimal(m[3]))
	if m[3] != "1" {
		options["numjobs"], options["group_reporting"] = m[3], "1"
	}
	r.report.Jobs = append(r.report.Jobs, jsonJob{
		Name: m[1], GroupID: jsonInteger(decimal(m[2])), Error: jsonInteger(decimal(m[4])), Options: options,
	})
	r.direction, r.into = nil, nil
}

// figures reads a line about a job.
func (r *textReader) figures(j *jsonJob, line string) {
	switch {
	case textMoved.MatchString(line):
		m := textMoved.FindStringSubmatch(line)
		r.moved(j, m[1], decimal(m[2]), decimal(m[3])*byteUnits[m[4]], decimal(m[5]))
	case textMovedOld.MatchString(line):
		m := textMovedOld.FindStringSubmatch(line) // whose KB are 1,024 bytes
		r.moved(j, m[1], decimal(m[4]), decimal(m[2])*byteUnits[strings.Replace(m[3], "B", "iB", 1)], decimal(m[5]))
	case textLatency.MatchString(line):
		r.latency(j, textLatency.FindStringSubmatch(line))
	case textList.MatchString(line):
		m := textList.FindStringSubmatch(line)
		r.into, r.unit = r.latencyNamed(j, m[1]), textUnits[m[2]]
	case strings.HasPrefix(line, "|") && r.into != nil:
		r.percentiles(line)
	case textCPU.MatchString(line):
		m := textCPU.FindStringSubmatch(line)
		j.UserCPU, j.SystemCPU, j.Switches = jsonReal(decimal(m[1])), jsonReal(decimal(m[2])), jsonInteger(decimal(m[3]))
	default:
		j.issued(line)
	}
}

// moved takes the figures of a line such as "write: IOPS=3023, BW=47.2MiB/s (49.5MB/s)(2835MiB/60006msec)".
func (r *textReader) moved(j *jsonJob, name string, rate, bytes, milliseconds float64) {
	if milliseconds <= 0 || bytes <= 0 {
		return
	}
	r.direction = &jsonDirection{
		IOPS: jsonReal(rate), Runtime: jsonInteger(milliseconds), Bytes: jsonInteger(bytes), IOs: jsonInteger(max(rate*milliseconds/1000, 1)),
	}
	switch name {
	case "read":
		j.Read = r.direction
	case "write":
		j.Write = r.direction
	default:
		j.Trim = r.direction
	}
}

// latencyNamed returns where a latency of a job is kept, nil if it is about no direction.
func (r *textReader) latencyNamed(j *jsonJob, name string) *jsonLatency {
	switch {
	case name == "sync":
		if j.Sync == nil {
			j.Sync = &jsonSync{Latency: &jsonLatency{}}
		}
		return j.Sync.Latency
	case r.direction == nil:
		return nil
	case name == "slat":
		if r.direction.Submit == nil {
			r.direction.Submit = &jsonLatency{}
		}
		return r.direction.Submit
	case name == "clat":
		if r.direction.Complete == nil {
			r.direction.Complete = &jsonLatency{}
		}
		return r.direction.Complete
	default:
		if r.direction.Latency == nil {
			r.direction.Latency = &jsonLatency{}
		}
		return r.direction.Latency
	}
}

func (r *textReader) latency(j *jsonJob, m []string) {
	l := r.latencyNamed(j, m[1])
	if l == nil {
		return
	}
	unit := textUnits[m[2]]
	l.Min, l.Max = jsonInteger(decimal(m[3])*unit), jsonInteger(decimal(m[4])*unit)
	l.Mean, l.Stddev = jsonReal(decimal(m[5])*unit), jsonReal(decimal(m[6])*unit)
}

func (r *textReader) percentiles(line string) {
	if r.into.Percentiles == nil {
		r.into.Percentiles = map[string]jsonInteger{}
	}
	for _, m := range textPercent.FindAllStringSubmatch(line, -1) {
		r.into.Percentiles[m[1]] = jsonInteger(decimal(m[2]) * r.unit)
	}
}

// issued reads how many I/Os and syncs there were, which rates tell less exactly. Before fio 3, the line has no syncs.
func (j *jsonJob) issued(line string) {
	m := textIssued.FindStringSubmatch(line)
	if m == nil {
		m = textOldTotal.FindStringSubmatch(line)
	}
	if m == nil {
		return
	}
	for i, d := range []*jsonDirection{j.Read, j.Write, j.Trim} {
		if n := decimal(m[i+1]); d != nil && n > 0 {
			d.IOs = jsonInteger(n)
		}
	}
	if syncs := decimal(m[4]); j.Sync != nil && syncs > 0 {
		j.Sync.Latency.Count = jsonInteger(syncs)
	}
}

// completeFromText adds what the text leaves out: the run time of all jobs, and how many writes there are for each sync, as
// option fsync would say.
func (j *jsonJob) completeFromText() {
	for _, d := range direction.Present(j.Read, j.Write, j.Trim) {
		j.JobRuntime = max(j.JobRuntime, d.Runtime)
	}
	if j.Sync == nil || j.Write == nil {
		return
	}
	if j.Sync.Latency.Count == 0 {
		j.Sync.Latency.Count = j.Write.IOs
	}
	j.Options["fsync"] = strconv.FormatInt(max(int64(j.Write.IOs/j.Sync.Latency.Count), 1), 10)
}

// optionsOfText reads the options of a line such as "rw=randwrite, bs=(R) 16.0KiB-16.0KiB, (W) ..., ioengine=psync, iodepth=1".
func optionsOfText(text string) map[string]string {
	options := map[string]string{}
	for part := range strings.SplitSeq(text, ", ") {
		name, value, found := strings.Cut(part, "=")
		switch {
		case !found:
		case name == "bs":
			options["bs"] = blockOfText(value)
		default:
			options[name] = value
		}
	}
	return options
}

// blockOfText returns the block size of a range such as "(R) 16.0KiB-16.0KiB", in bytes.
func blockOfText(text string) string {
	text = strings.TrimPrefix(text, "(R) ")
	text, _, _ = strings.Cut(text, "-")
	digits := strings.TrimRight(text, "KMGTiB")
	unit := text[len(digits):]
	switch { // fio 2 prints 4K, fio 3 4096B and 16.0KiB
	case unit == "":
		return digits
	case !strings.HasSuffix(unit, "B"):
		unit += "iB"
	}
	return strconv.FormatFloat(decimal(digits)*byteUnits[unit], 'f', 0, 64)
}

var (
	textUnits = map[string]float64{"nsec": 1, "usec": 1e3, "msec": 1e6}
	byteUnits = map[string]float64{
		"B": 1, "iB": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "PB": 1e15,
		"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40, "PiB": 1 << 50,
	}
)

// decimal returns a number such as 12.5k, in which fio's k, M and G are powers of 1,000. Other texts are 0.
func decimal(text string) float64 {
	factor := 1.0
	for suffix, f := range map[string]float64{"k": 1e3, "M": 1e6, "G": 1e9} {
		if number, found := strings.CutSuffix(text, suffix); found {
			text, factor = number, f
		}
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0
	}
	return n * factor
}

package runner

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/fiooutput"
	"github.com/storagebench/storagebench/internal/series"
)

const (
	// maxSeriesMemory is the most bytes of memory that fio takes to note what its jobs do over time.
	maxSeriesMemory = 32 << 20
	// seriesShare is the part of a container's memory that it takes at most.
	seriesShare = 16
)

// seriesLogs are what fio notes over the time of a run. nil if it notes nothing.
type seriesLogs struct {
	*fio.Logs

	directory string
	// result is when what the result is of began, 0 if that is all.
	result int64
	// together says that other clients measure with this one, so that what each did is merged.
	together bool
}

// withSeries returns options with a job file that has fio note what its jobs do over time. Where it cannot, the log says why, and the job file
// is as it was.
func (o Options) withSeries() (Options, *seriesLogs) {
	text, logs, err := o.prepareSeries()
	if err != nil {
		fmt.Fprintf(o.Log, "This run keeps no series: %v\n", err)
		return o, nil
	}
	o.JobFile = text
	return o, logs
}

func (o Options) prepareSeries() (string, *seriesLogs, error) {
	file, err := fio.Parse(o.JobFile)
	if err != nil {
		return "", nil, err
	}
	logged, logs, err := file.WithLogs(seriesMemory(thisMachine()), o.loggedSeconds())
	if err != nil {
		return "", nil, err
	}
	s := &seriesLogs{Logs: logs, directory: o.Scratch, together: o.StartFile != ""}
	// Those of an earlier start of this container must not pass for this one's.
	return logged.String(), s, s.remove()
}

// seriesMemory is how much memory fio may take for it.
func seriesMemory(m machine) int64 {
	if all := m.memoryBytes(); all > 0 {
		return min(maxSeriesMemory, all/seriesShare)
	}
	return maxSeriesMemory
}

// print writes the series to the log, of a run that has ended with a report. A run without one is as good.
func (s *seriesLogs) print(log io.Writer, report string) {
	if s == nil {
		return
	}
	data, err := s.encodeSafely(report)
	if err == nil {
		err = series.WriteMessage(log, data)
	}
	if err != nil {
		fmt.Fprintf(log, "This run keeps no series: %v\n", err)
	}
	if err := s.remove(); err != nil {
		fmt.Fprintf(log, "remove fio's logs: %v\n", err)
	}
}

// encodeSafely is encode, of which a panic is an error: what was measured is reported, and must not be lost by what is wrong with the series.
func (s *seriesLogs) encodeSafely(message string) (data []byte, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("read what fio noted over time: %v", cause)
		}
	}()
	return s.encode(message)
}

func (s *seriesLogs) encode(message string) ([]byte, error) {
	report, err := digest.Decode(message)
	if err != nil {
		return nil, err
	}
	recording, err := s.read(report.Groups)
	if err != nil {
		return nil, err
	}
	if s.together {
		return series.EncodePart(recording)
	}
	_, data, err := recording.Fit()
	return data, err
}

// read puts what all jobs noted onto one clock, with what fio says of when they were at work.
func (s *seriesLogs) read(results []digest.Group) (*series.Recording, error) {
	builder := series.NewBuilder(s.IntervalMilliseconds, int(s.HistogramMilliseconds/s.IntervalMilliseconds))
	known := len(results) == len(s.Groups)
	for i, group := range s.Groups {
		section := builder.Section(group.Name)
		if err := s.readRates(section, group); err != nil {
			return nil, err
		}
		section.ResultFrom(s.result)
		if known && i < len(results) {
			addTimes(section, group, results[i])
		}
		if err := s.readHistograms(section, group); err != nil {
			return nil, err
		}
	}
	return builder.Recording()
}

func (s *seriesLogs) readRates(section *series.SectionBuilder, group fio.LogGroup) error {
	paths, err := s.files(group, "iops")
	if err != nil {
		return err
	}
	for _, path := range paths {
		last, err := addRates(section, path, s.IntervalMilliseconds)
		if err != nil {
			return err
		}
		if group.EndApart {
			section.EndsWith(last)
		}
	}
	return nil
}

func (s *seriesLogs) readHistograms(section *series.SectionBuilder, group fio.LogGroup) error {
	paths, err := s.files(group, "clat_hist")
	if err != nil {
		return err
	}
	for _, path := range paths {
		if err := addHistograms(section, path); err != nil {
			return err
		}
	}
	return nil
}

// files returns the logs of a kind that the jobs of a group wrote.
func (s *seriesLogs) files(group fio.LogGroup, kind string) ([]string, error) {
	return filepath.Glob(filepath.Join(s.directory, fmt.Sprintf("%s_%s.*.log", group.Prefix, kind)))
}

// earlierSuffix ends the names of what logs were before fio was started anew.
const earlierSuffix = ".earlier"

// keepEarlier keeps what was noted so far, when fio is started anew. Without it the series lacks what was before.
func (s *seriesLogs) keepEarlier() {
	if s == nil {
		return
	}
	for _, group := range s.Groups {
		paths, _ := s.files(group, "*") // the pattern is a right one
		for _, path := range paths {
			_ = appendFile(path+earlierSuffix, path)
		}
	}
}

func appendFile(to, from string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(to, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Close(), os.Remove(from))
}

// resultFrom says of what the result is that a report has.
func (s *seriesLogs) resultFrom(report *digest.Report) {
	if s != nil && len(report.Groups) > 0 && report.Groups[0].JobStart > 0 {
		s.result = report.Groups[0].JobStart
	}
}

// loggedSeconds is for how long fio runs at most at once, if it runs before it measures; 0 if it does not.
func (o Options) loggedSeconds() int64 {
	if o.Until == nil {
		return 0
	}
	return int64(o.Until.MostSeconds)
}

func (s *seriesLogs) remove() error {
	var errs []error
	for _, group := range s.Groups {
		paths, err := s.files(group, "*")
		errs = append(errs, err)
		for _, path := range paths {
			errs = append(errs, os.Remove(path))
		}
		earlier, err := filepath.Glob(filepath.Join(s.directory, group.Prefix+"_*"+earlierSuffix))
		errs = append(errs, err)
		for _, path := range earlier {
			errs = append(errs, os.Remove(path))
		}
	}
	return errors.Join(errs...)
}

// addTimes says when the jobs of a result began and ended, where all did together and it is known: fio notes nothing while storage hangs.
func addTimes(section *series.SectionBuilder, group fio.LogGroup, result digest.Group) {
	if group.EndApart || group.Delayed || result.JobStart == 0 || result.ElapsedMilliseconds == 0 {
		return
	}
	section.Lasted(result.JobStart, result.JobStart+result.ElapsedMilliseconds)
}

// addRates adds what a job noted of its I/Os and bytes. It returns when the job noted something last.
func addRates(section *series.SectionBuilder, path string, interval int64) (last int64, err error) {
	iops, err := readRates(path, interval, 1)
	if err != nil {
		return 0, err
	}
	const kibibyte = 1024
	bytes, err := readRates(strings.Replace(path, "_iops.", "_bw.", 1), interval, kibibyte)
	if err != nil {
		return 0, err
	}
	for direction, samples := range iops {
		section.AddRates(direction, samples, bytes[direction])
		last = max(last, samples[len(samples)-1].EndMilliseconds)
	}
	return last, nil
}

// readRates reads a log of averages of intervals, in units of so much.
func readRates(path string, interval int64, unit float64) (map[string][]series.Sample, error) {
	rates := map[string][]series.Sample{}
	err := withFile(path, func(log io.Reader) error {
		return fiooutput.ReadLog(log, func(s fiooutput.Sample) {
			rates[s.Direction] = append(rates[s.Direction], series.Sample{EndMilliseconds: s.Milliseconds, PerSecond: float64(s.Value)})
		})
	})
	for _, samples := range rates {
		slices.SortStableFunc(samples, func(a, b series.Sample) int { return int(a.EndMilliseconds - b.EndMilliseconds) })
		before := int64(0)
		for i := range samples {
			s := &samples[i]
			length := s.EndMilliseconds - before
			if length <= 0 || length > interval*3/2 { // it is the first one, or follows one of which nothing is noted
				length = interval
			}
			s.PerSecond, before = withFraction(s.PerSecond, length)*unit, s.EndMilliseconds
		}
	}
	return rates, err
}

// withFraction returns the rate of an interval of which fio leaves out the fraction. What was done in it is a whole number, in intervals of a second just
// that of the rate. Where several whole numbers have the rate it is their mean.
func withFraction(rate float64, milliseconds int64) float64 {
	seconds := float64(milliseconds) / 1000
	least, most := math.Ceil(rate*seconds), math.Ceil((rate+1)*seconds)-1
	if most < least {
		const half = 0.5
		return rate + half
	}
	return (least + most) / 2 / seconds
}

func addHistograms(section *series.SectionBuilder, path string) error {
	return withFile(path, func(log io.Reader) error {
		return fiooutput.ReadHistogramLog(log, func(s fiooutput.HistogramSample) {
			section.AddHistogram(s.Direction, s.Milliseconds, s.Histogram)
		})
	})
}

// withFile has the log of a job read, after what it noted before it was started anew.
func withFile(path string, read func(io.Reader) error) error {
	files, err := openLogs(path+earlierSuffix, path)
	defer func() {
		for _, file := range files {
			_ = file.Close()
		}
	}()
	if err != nil {
		return fmt.Errorf("read fio's log: %w", err)
	}
	var all []io.Reader
	for _, file := range files {
		all = append(all, file)
	}
	if err := read(io.MultiReader(all...)); err != nil {
		return fmt.Errorf("read fio's log %s: %w", filepath.Base(path), err)
	}
	return nil
}

// openLogs opens a log, and the earlier one before it if there is one. What it has opened is also returned with an error.
func openLogs(earlier, path string) ([]*os.File, error) {
	var files []*os.File
	file, err := os.Open(earlier)
	switch {
	case err == nil:
		files = append(files, file)
	case !errors.Is(err, os.ErrNotExist):
		return nil, err
	}
	if file, err = os.Open(path); err != nil {
		return files, err
	}
	return append(files, file), nil
}

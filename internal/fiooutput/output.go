package fiooutput

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"regexp"
	"strings"

	"github.com/storagebench/storagebench/internal/direction"
	"github.com/storagebench/storagebench/internal/histogram"
	"github.com/storagebench/storagebench/internal/humanize"
)

// Output is what fio reported at its end.
type Output struct {
	// Version is fio's own, such as fio-3.33.
	Version string
	// Groups are the results in fio's order; clones of a section are one.
	Groups []Group
	// Notes are fio's own lines beside the JSON: errors and notes, without repetitions.
	Notes []string
	// Rounded is set where the figures are those that fio prints for people, which have three or four digits.
	Rounded bool
}

// Group is a result: jobs that fio reports together, or the clones of one section.
type Group struct {
	// Name is the name of the first section.
	Name string
	// ID is what fio calls groupid, from 0. Sections without group_reporting that run together share it.
	ID int
	// Jobs is the number of entries of fio's report that were merged: 1 with group_reporting.
	Jobs int
	// Steady is what fio's option steadystate found, nil without it.
	Steady *Steady
	// ElapsedMilliseconds is the measured time of the longest job: the longest RuntimeMilliseconds.
	ElapsedMilliseconds int64
	// Error is the errno of the first job that failed, 0 if none did.
	Error int
	// Read, Write and Trim are the directions of I/O, nil if there was none.
	Read, Write, Trim *Direction
	// Sync is the latency of fsync, fdatasync, sync_file_range and syncfs together, from the call to its end. It is nil if fio
	// called none, took no latencies (disable_clat), or is older than 3.4.
	Sync *LatencyStats
	// Metadata is what was done to files or directories themselves, by one of the engines of metadata: IOs are operations, of
	// which CompletionLatency is. Nil of jobs that move data.
	Metadata *Direction
	// LatencyTarget is what fio's own search for a queue depth found, nil of jobs without one.
	LatencyTarget *LatencyTarget
	// UserCPUPercent and SystemCPUPercent are the jobs' CPU time in percent of JobRuntimeMilliseconds, so
	// of one CPU per job.
	UserCPUPercent, SystemCPUPercent float64
	// JobStart is when the first job began to be measured, in milliseconds since 1970: fio sets it anew when a ramp_time is over (reset_all_stats). 0 where fio
	// (before 3.36) does not say.
	JobStart int64
	// JobRuntimeMilliseconds is the sum of the jobs' run times.
	JobRuntimeMilliseconds int64
	// ContextSwitches are those of all jobs.
	ContextSwitches int64
	// Options are the effective options by fio's names; fio before 3.40 leaves out those without a value.
	Options map[string]string
}

// Directions yields what was measured in each direction in which there was I/O, by the names of internal/direction.
func (g *Group) Directions() iter.Seq2[string, *Direction] {
	return direction.Present(g.Read, g.Write, g.Trim)
}

// Direction is what was measured of reads, writes or trims.
type Direction struct {
	// IOs and Bytes were completed; ShortIOs were completed in part; DropIOs were never issued.
	IOs, Bytes, ShortIOs, DropIOs int64
	// IOPS and BytesPerSecond are IOs and Bytes over RuntimeMilliseconds.
	IOPS, BytesPerSecond float64
	// RuntimeMilliseconds is the run time of the longest job.
	RuntimeMilliseconds int64
	// Latency is from the start of the submission to completion, CompletionLatency from its end. Each is
	// nil if fio did not measure it, as with gtod_reduce.
	Latency, CompletionLatency *LatencyStats
	// SubmissionLatency is how long submissions took. Nil also of synchronous engines, which submit and wait in one call.
	SubmissionLatency *LatencyStats
}

// LatencyStats are statistics of a latency.
type LatencyStats struct {
	// Count is the number of I/Os measured, at least 1.
	Count, MinNanoseconds, MaxNanoseconds int64
	MeanNanoseconds, StddevNanoseconds    float64
	// Histogram is nil if fio has none: it keeps one of completion latency and of syncs, and with option
	// lat_percentiles one of latency. Output without bins (json in place of json+) has percentiles only: others between
	// them are those of the next one.
	Histogram *histogram.Histogram
}

// Steady is what fio's option steadystate found: its criterion, such as iops_slope:0.3%, and whether that was attained.
type Steady struct {
	Criterion string
	Attained  bool
}

// Parse reads the output of fio --output-format=json+ or normal,json+. Other text may surround the
// JSON. Of several documents, as --status-interval makes them, the last complete one counts. Without one,
// the error carries fio's own words.
//
// Output of fio before 2.14 is refused.
func Parse(data []byte) (*Output, error) {
	documents, rest := splitDocuments(bytes.TrimPrefix(data, byteOrderMark))
	if len(documents) == 0 {
		if words := ErrorText(data, nil); words != "" {
			return nil, fmt.Errorf("fio gave no result: %s", words)
		}
		return nil, errors.New("fio gave no result")
	}
	var report jsonReport
	if err := json.Unmarshal(documents[len(documents)-1], &report); err != nil {
		return nil, fmt.Errorf("fio's JSON: %w", err)
	}
	if err := report.modernize(); err != nil {
		return nil, err
	}
	groups, err := report.groups()
	if err != nil {
		return nil, err
	}
	return &Output{Version: report.Version, Groups: groups, Notes: notes(rest)}, nil
}

// ParseText reads what fio prints for people, also where only the part about its jobs is left of it. fio 2 and 3 are known.
// Options that fio does not print there, such as direct, are not among those of the output.
func ParseText(data []byte) (*Output, error) {
	report, err := parseText(string(data))
	if err != nil {
		return nil, err
	}
	groups, err := report.groups()
	if err != nil {
		return nil, err
	}
	return &Output{Version: report.Version, Groups: groups, Rounded: true}, nil
}

// ErrNoJobs is the error about output without jobs.
var ErrNoJobs = errors.New("fio's output has no jobs")

// maxGroups bounds the results of an output: each is compared with the others.
const maxGroups = 256

// byteOrderMark is what editors put before text in UTF-8.
var byteOrderMark = []byte("\ufeff")

// groupKey tells groups apart: fio reports clones under the same name and groupid.
type groupKey struct {
	id   jsonInteger
	name string
}

// groups returns the results of a report, clones merged.
func (r *jsonReport) groups() ([]Group, error) {
	var groups []Group
	index := map[groupKey]int{}
	for _, entry := range r.Jobs {
		if !entry.isReal() {
			continue
		}
		group, err := entry.group(r.Options)
		if err != nil {
			return nil, fmt.Errorf("job %s: %w", humanize.Excerpt(entry.Name), err)
		}
		key := groupKey{entry.GroupID, entry.Name}
		if at, ok := index[key]; ok {
			groups[at].merge(group)
			continue
		}
		if len(groups) == maxGroups {
			return nil, fmt.Errorf("fio reports more than %d results", maxGroups)
		}
		index[key] = len(groups)
		groups = append(groups, group)
	}
	if len(groups) == 0 {
		return nil, ErrNoJobs
	}
	return groups, nil
}

// isReal is false for the entries without jobs, of groupid -1, that fio prints where only some of the jobs
// that run together have group_reporting.
func (j *jsonJob) isReal() bool {
	return j.GroupID >= 0 && j.GroupID <= math.MaxInt32
}

func (j *jsonJob) group(global map[string]string) (Group, error) {
	if j.Mixed != nil && j.Read == nil {
		return Group{}, errors.New("reads and writes are mixed in one figure: remove unified_rw_reporting")
	}
	for _, d := range direction.Present(j.Read, j.Write, j.Trim) {
		d.Submit.countAs(d.IOs)
		d.Latency.countAs(d.IOs)
		d.Complete.countAs(d.IOs)
	}
	if err := j.checkFigures(); err != nil {
		return Group{}, err
	}
	options := effective(global, j.Options)
	j.dropUntimed(options)
	if j.Error == 0 && !isOfMetadata(options) {
		if err := j.checkConsistency(); err != nil {
			return Group{}, err
		}
	}
	g := Group{
		Name: j.Name, ID: int(j.GroupID), Jobs: 1, Error: int(j.Error),
		JobStart: int64(j.JobStart), JobRuntimeMilliseconds: int64(j.JobRuntime),
		UserCPUPercent: float64(j.UserCPU), SystemCPUPercent: float64(j.SystemCPU),
		ContextSwitches: int64(j.Switches),
		Options:         options,
		LatencyTarget:   newLatencyTarget(int64(j.LatencyTarget), int64(j.LatencyDepth)),
	}
	var err error
	g.Read, g.Write, g.Trim = direction.Map(j.Read, j.Write, j.Trim, func(d *jsonDirection) *Direction {
		measured, wrong := d.direction()
		err = firstOf(err, wrong)
		return measured
	})
	if err != nil {
		return Group{}, err
	}
	if g.Sync, err = j.Sync.stats(); err != nil {
		return Group{}, err
	}
	if j.Steady != nil {
		g.Steady = &Steady{shortCriterion(j.Steady.Criterion), j.Steady.Attained == 1}
	}
	g.takeMetadata()
	g.setElapsed()
	return g, nil
}

// fractionZeros are the zeros with which fio pads the limit of a criterion: it prints iops:0.3% as iops:0.300000%.
var fractionZeros = regexp.MustCompile(`(\.[0-9]*?)0+(%?)$`)

func shortCriterion(criterion string) string {
	short := fractionZeros.ReplaceAllString(criterion, "$1$2")
	return strings.TrimSuffix(strings.Replace(short, ".%", "%", 1), ".")
}

// effective returns the options of a job over the global ones, as if the job had named them all.
func effective(global, own map[string]string) map[string]string {
	options := make(map[string]string, len(global)+len(own))
	for _, layer := range []map[string]string{global, own} {
		for name, value := range layer {
			options[name] = strings.TrimSpace(value)
		}
	}
	return options
}

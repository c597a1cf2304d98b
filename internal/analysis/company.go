package analysis

import (
	"fmt"
	"time"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/humanize"
)

const (
	// minCompanyPercent is the share of a result's time from which on others count that ran in it: with less they cannot decide whether a limit
	// is reached.
	minCompanyPercent = 5
	// evenPercent is the share of its own time from which on what ran beside a result ran for as long as that did. Averages of what ran on alone
	// do not say how much it did before.
	evenPercent = 90
	// maxName bounds how much of a section's name messages repeat, in bytes.
	maxName = 24
)

// Section is one of the results of a run, and when it was measured.
type Section struct {
	Name   string
	Result *v1alpha1.Result
	Load   Load
	// Stage counts what runs one after the other: sections of one stage begin together. After is how long after that this one measures.
	Stage int
	After time.Duration
}

// Company is what ran at the same time as a result, and shared the storage, the nodes and the CPU with it. Nil is nobody.
type Company struct {
	names             []string
	read, write, trim ioRate
	// cpu is what the others used, in percent of one CPU.
	cpu int64
	// buffered says whether the page cache can answer I/O of the others, and fileBytes how large the largest of their files are; 0 if that of one is
	// unknown.
	buffered  bool
	fileBytes int64
	// sequential says whether I/Os of one of them follow each other, polling whether one of them polls, and uneven whether one ran on for long after the result's time.
	sequential, polling, uneven bool
	// gathered says whether the page cache can make fewer and larger I/Os of writes of one of them, and uncounted whether one did what no limit counts.
	gathered, uncounted bool
}

// ioRate is what others do in a direction, in the time of a result.
type ioRate struct{ iops, bytesPerSecond float64 }

// CompanyOf returns what ran at the same time as one of the sections of a run, nil if nothing did.
func CompanyOf(sections []Section, i int) *Company {
	var company *Company
	for j := range sections {
		if j == i || sections[j].Stage != sections[i].Stage || sections[j].Result == nil || sections[i].Result == nil {
			continue
		}
		share := sections[i].shareWith(&sections[j])
		if share*100 < minCompanyPercent {
			continue
		}
		if company == nil {
			company = &Company{fileBytes: sections[j].Load.FileBytes}
		}
		company.add(&sections[j], share)
		company.uneven = company.uneven || sections[j].shareWith(&sections[i])*100 < evenPercent
	}
	return company
}

// shareWith is the share of a section's time in which another one was measured as well. Of a time that is unknown, all was shared.
func (s *Section) shareWith(other *Section) float64 {
	own, others := elapsed(s.Result), elapsed(other.Result)
	if own <= 0 || others <= 0 {
		return 1
	}
	common := min(s.After+own, other.After+others) - max(s.After, other.After)
	return max(0, min(1, common.Seconds()/own.Seconds()))
}

// add counts another section, of which a share of the result's time has the I/O.
func (c *Company) add(s *Section, share float64) {
	c.names = append(c.names, s.Name)
	c.read.add(s.Result.Of(v1alpha1.OperationRead), share)
	c.write.add(s.Result.Of(v1alpha1.OperationWrite), share)
	c.trim.add(s.Result.Of(v1alpha1.OperationTrim), share)
	c.cpu += whole(float64(cpuOfJob(s.Result)) * float64(s.Load.Jobs) * share)
	c.buffered = c.buffered || s.Load.Buffered
	c.polling = c.polling || s.Load.Polls
	c.sequential = c.sequential || s.Load.Sequential
	c.gathered = c.gathered || s.Load.Gathered
	c.uncounted = c.uncounted || s.Result.Of(v1alpha1.OperationMetadata) != nil || s.Result.Of(v1alpha1.OperationSync) != nil
	if c.fileBytes > 0 && s.Load.FileBytes > 0 {
		c.fileBytes = max(c.fileBytes, s.Load.FileBytes)
	} else {
		c.fileBytes = 0
	}
}

func (r *ioRate) add(io *v1alpha1.Figures, share float64) {
	if io == nil {
		return
	}
	r.iops += float64(io.MilliIOPS) / 1000 * share
	r.bytesPerSecond += float64(io.BytesPerSecond) * share
}

// with returns the rates of a result and of its company together, as one result. It has the result's own time, and no latencies.
func (c *Company) with(r *v1alpha1.Result) *v1alpha1.Result {
	if c == nil {
		return r
	}
	return &v1alpha1.Result{
		ElapsedMilliseconds: r.ElapsedMilliseconds, Clients: r.Clients,
		Figures: v1alpha1.ListOf(
			c.read.with(r.Of(v1alpha1.OperationRead)).As(v1alpha1.OperationRead),
			c.write.with(r.Of(v1alpha1.OperationWrite)).As(v1alpha1.OperationWrite),
			c.trim.with(r.Of(v1alpha1.OperationTrim)).As(v1alpha1.OperationTrim),
		),
	}
}

func (r *ioRate) with(io *v1alpha1.Figures) *v1alpha1.Figures {
	if io == nil && *r == (ioRate{}) {
		return nil
	}
	own := ioOrNone(io)
	return &v1alpha1.Figures{
		MilliIOPS: whole(float64(own.MilliIOPS) + 1000*r.iops), BytesPerSecond: whole(float64(own.BytesPerSecond) + r.bytesPerSecond),
	}
}

// loadWith is a load as far as it matters for its I/Os, or those of its company, that the page cache answers some, or that some are merged.
func (c *Company) loadWith(load Load) Load {
	if c == nil {
		return load
	}
	load.Sequential, load.Gathered = load.Sequential || c.sequential, load.Gathered || c.gathered
	if !c.buffered {
		return load
	}
	if load.FileBytes > 0 && c.fileBytes > 0 {
		load.FileBytes = max(load.FileBytes, c.fileBytes)
	} else {
		load.FileBytes = 0
	}
	load.Buffered = true
	return load
}

// cpuPercent is what the company used, in percent of one CPU.
func (c *Company) cpuPercent() int64 {
	if c == nil {
		return 0
	}
	return c.cpu
}

func (c *Company) polls() bool { return c != nil && c.polling }

// hasUncounted says whether some of the company did syncs or operations on files.
func (c *Company) hasUncounted() bool { return c != nil && c.uncounted }

// ranOn says whether some of the company ran on alone.
func (c *Company) ranOn() bool { return c != nil && c.uneven }

// others is such as "section b", or "3 other sections".
func (c *Company) others() string {
	if len(c.names) == 1 {
		return "section " + humanize.Line(humanize.Cut(c.names[0], maxName, "..."))
	}
	return fmt.Sprintf("%d other sections", len(c.names))
}

// together is such as " together with section b", "" without company.
func (c *Company) together() string {
	if c == nil {
		return ""
	}
	return " together with " + c.others()
}

// ofAll is such as " of 2 sections", "" without company: for messages that have room for no names.
func (c *Company) ofAll() string {
	if c == nil {
		return ""
	}
	return fmt.Sprintf(" of %d sections", len(c.names)+1)
}

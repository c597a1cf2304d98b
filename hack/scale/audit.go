package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"
)

// call is a call to the API server, as its audit log has it.
type call struct {
	Verb string `json:"verb"`
	User struct {
		Username string `json:"username"`
	} `json:"user"`
	ObjectRef struct {
		Resource    string `json:"resource"`
		Subresource string `json:"subresource"`
		Namespace   string `json:"namespace"`
		Name        string `json:"name"`
	} `json:"objectRef"`
	Began time.Time `json:"requestReceivedTimestamp"`
	Ended time.Time `json:"stageTimestamp"`
}

// kind names what the call does, such as "patch pods/status".
func (c *call) kind() string {
	kind := c.Verb + " " + c.ObjectRef.Resource
	if c.ObjectRef.Subresource != "" {
		kind += "/" + c.ObjectRef.Subresource
	}
	return kind
}

func (c *call) writes() bool { return !slices.Contains([]string{"get", "list", "watch"}, c.Verb) }

// tells says whether the call is one that does not help a benchmark on: it tells people what happens.
func (c *call) tells() bool {
	return c.ObjectRef.Resource == "events" || c.ObjectRef.Resource == "leases"
}

// forClient says whether the call is about what there is one of for each client.
func (c *call) forClient() bool {
	return slices.Contains([]string{"jobs", "pods", "persistentvolumeclaims"}, c.ObjectRef.Resource)
}

// auditReader reads an audit log as it grows.
type auditReader struct {
	file   *os.File
	buffer *bufio.Reader
}

func newAuditReader(path string) (*auditReader, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return &auditReader{file: file, buffer: bufio.NewReader(file)}, nil
}

func (r *auditReader) close() error { return r.file.Close() }

// next returns the calls that have ended since it was called before, in the order in which they began. The API server
// writes a line before it answers, so none of a caller that has its answers is missing.
func (r *auditReader) next() ([]call, error) {
	var calls []call
	rest := ""
	for {
		line, err := r.buffer.ReadString('\n')
		rest += line
		if errors.Is(err, io.EOF) {
			if rest == "" {
				break
			}
			continue // the rest of the line is about to be written
		}
		if err != nil {
			return nil, err
		}
		var c call
		if err := json.Unmarshal([]byte(rest), &c); err != nil {
			return nil, fmt.Errorf("audit log: %w", err)
		}
		rest = ""
		calls = append(calls, c)
	}
	slices.SortStableFunc(calls, func(a, b call) int { return a.Began.Compare(b.Began) })
	return calls, nil
}

// tally counts the operator's calls by their kind.
func tally(calls []call) map[string]int {
	counts := map[string]int{}
	for i := range calls {
		if calls[i].User.Username == userOperator {
			counts[calls[i].kind()]++
		}
	}
	return counts
}

// split is where the time of a run goes.
type split struct {
	// create is from the first call for a Job to the answer to the last one.
	create time.Duration
	// start is from there until all pods run.
	start time.Duration
	// agree is from there until the first pod is told of the start.
	agree time.Duration
	// tell is from there until the last one is told.
	tell time.Duration
	// wait is from there until the last pod has ended: the lead of the start, because nothing is measured.
	wait time.Duration
	// record is from there until the first Job of the next run.
	record time.Duration
}

func (s split) whole() time.Duration {
	return s.create + s.start + s.agree + s.tell + s.wait + s.record
}

// firstJob returns when the Job was made.
func firstJob(calls []call, name string) time.Time {
	for i := range calls {
		if c := &calls[i]; c.User.Username == userOperator && c.kind() == "patch jobs" && c.ObjectRef.Name == name {
			return c.Began
		}
	}
	return time.Time{}
}

// lastResult returns when the results of the last run were kept.
func lastResult(calls []call) time.Time {
	last := time.Time{}
	for i := range calls {
		if c := &calls[i]; c.User.Username == userOperator && c.kind() == "patch configmaps" {
			last = c.Ended
		}
	}
	return last
}

// splits returns where the time of runs by several clients goes, but for the last run, which no other follows. Of each
// run it takes the name of its first client's Job.
func splits(calls []call, firstJobs []string) []split {
	began := make([]time.Time, len(firstJobs))
	for i, job := range firstJobs {
		began[i] = firstJob(calls, job)
	}
	var all []split
	for i := range began[:max(len(began)-1, 0)] {
		during := slices.DeleteFunc(slices.Clone(calls), func(c call) bool { return c.Began.Before(began[i]) || !c.Began.Before(began[i+1]) })
		if s, ok := splitOf(during, began[i+1]); ok {
			all = append(all, s)
		}
	}
	return all
}

// splitOf returns where the time of a run goes whose calls these are, until the next run begins.
func splitOf(calls []call, next time.Time) (split, bool) {
	var created, run, ended, told, allTold time.Time
	for i := range calls {
		c := &calls[i]
		switch by := c.User.Username; {
		case by == userOperator && c.kind() == "patch jobs":
			if told.IsZero() { // later ones are the next run's
				created = later(created, c.Ended)
			}
		case by == userOperator && c.kind() == "patch pods":
			if told.IsZero() {
				told, run = c.Began, ended
			}
			allTold = later(allTold, c.Ended)
		case by == userNodes && c.kind() == "patch pods/status":
			ended = later(ended, c.Ended)
		}
	}
	if told.IsZero() || created.IsZero() {
		return split{}, false
	}
	return split{
		create: created.Sub(calls[0].Began), start: run.Sub(created), agree: told.Sub(run), tell: allTold.Sub(told),
		wait: ended.Sub(allTold), record: next.Sub(ended),
	}, true
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

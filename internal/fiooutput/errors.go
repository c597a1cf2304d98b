package fiooutput

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"syscall"

	"github.com/storagebench/storagebench/internal/humanize"
)

const (
	// maxNotes and maxNoteBytes bound what is kept of fio's own lines.
	maxNotes     = 32
	maxNoteBytes = 400
	// maxErrorLines and maxErrorBytes bound ErrorText.
	maxErrorLines = 6
	maxErrorBytes = 1 << 10
)

// Err returns an error if a job failed, in fio's own words where it gave any.
func (o *Output) Err() error {
	for _, group := range o.Groups {
		if group.Error != 0 {
			return fmt.Errorf("job %s: %s", humanize.Excerpt(group.Name), o.words(group.Error))
		}
	}
	return nil
}

// words returns what fio said of an errno: what it did when it failed, or else what it reports of the job.
func (o *Output) words(code int) string {
	meaning := syscall.Errno(code).Error()
	for _, note := range o.Notes {
		if strings.HasPrefix(note, "fio: ") && strings.Contains(strings.ToLower(note), meaning) {
			return note
		}
	}
	for _, note := range o.Notes {
		if status := jobStatus.FindStringSubmatch(note); len(status) == 3 && status[2] == strconv.Itoa(code) {
			return status[1]
		}
	}
	return fmt.Sprintf("err=%d (%s)", code, meaning)
}

// jobStatus finds the error in the first line of a job's report in fio's normal format.
var jobStatus = regexp.MustCompile(`: \(groupid=\d+, jobs=\d+\): (err= *(\d+) \(.*\)): pid=`)

// ErrorText returns fio's own words about a run that gave no result: the lines of its output and of stderr
// that are not part of a report, each once whatever process it is about. It is valid UTF-8 of at most 6
// lines and 1 KiB, "" if fio said nothing.
func ErrorText(output, stderr []byte) string {
	_, rest := splitDocuments(output)
	lines := notes(append(append(rest, '\n'), stderr...))
	text := strings.Join(lines[:min(len(lines), maxErrorLines)], "\n")
	return humanize.Cut(text, maxErrorBytes, "...")
}

// notes returns fio's errors and notes among the lines of a report in fio's normal format.
func notes(text []byte) []string {
	var lines []string
	seen := map[string]bool{}
	for raw := range strings.SplitSeq(string(text), "\n") {
		if isReport(raw) {
			continue
		}
		line := humanize.Line(raw)
		key := varying.ReplaceAllString(line, "$1")
		if line == "" || seen[key] {
			continue
		}
		seen[key] = true
		lines = append(lines, humanize.Cut(line, maxNoteBytes, "..."))
		if len(lines) == maxNotes {
			break
		}
	}
	return lines
}

// varying are the parts of a line that differ between clones of a job.
var varying = regexp.MustCompile(`(pid=|offset=|buflen=|file )[^ ,:]+`)

// report are the lines of fio's normal format that tell progress or results and begin at the margin;
// others are indented.
var report = regexp.MustCompile(`^(?:[\s{}].*|fio-\d.*|Starting \d+ .*|Jobs: .*|Run status group .*|Disk stats .*|\.\.\.|.*: \(g=\d+\): rw=.*|.*: \(groupid=\d+, jobs=\d+\): err= *0:.*|.*: Laying out IO files? .*)$`)

func isReport(line string) bool {
	if line == "" || line[0] == ' ' {
		return true
	}
	return report.MatchString(strings.TrimRight(line, "\r"))
}

package attempt

import (
	"strings"
	"time"

	"github.com/storagebench/storagebench/internal/digest"
)

// A runner ends fio by itself when the storage does not answer. One whose own system calls do not return can neither end
// nor report, and its kubelet goes on to say that it runs. What shows it is its log, which is never silent as long as the
// runner gets on. The log also tells when a container that lays out files first begins to measure.
const (
	// minSilence is how long the log has to stand still until the runner is given up.
	minSilence = 3 * digest.LivenessInterval
	// minLivenessPoll and maxLivenessPoll are how often a log is read to find out whether its runner is alive.
	minLivenessPoll = 10 * time.Second
	maxLivenessPoll = time.Minute
	// minLayoutPoll and maxLayoutPoll are how often it is read to find out whether files are laid out: what takes long may be told of late.
	minLayoutPoll = time.Second
	maxLayoutPoll = 30 * time.Second
)

// Liveness is what was last seen of the log of a running pod. The zero value is of one that was never looked at.
type Liveness struct {
	// Line is the last line, with its time by the node's clock, which need not be the operator's.
	Line string
	// Since is when this line was seen first, Asked when the log was last looked at.
	Since, Asked time.Time
	// Measures says that the log has told that its container measures.
	Measures bool
}

// Saw returns what is known when the log was looked at once more.
func (h Liveness) Saw(line string, now time.Time) Liveness {
	next := Liveness{Line: line, Since: now, Asked: now, Measures: h.Measures || tellsOfMeasuring(line)}
	if h.Line == line && !h.Since.IsZero() {
		next.Since = h.Since
	}
	return next
}

// Fail returns what is known when the log could not be read. Whether its node is lost is for others to find out, and it is
// no sign of death.
func (h Liveness) Fail(now time.Time) Liveness {
	return Liveness{Since: now, Asked: now, Measures: h.Measures}
}

// Words returns the last line without its time.
func (h Liveness) Words() string {
	_, words, _ := strings.Cut(h.Line, " ")
	return words
}

// due returns when the log of a client is to be read next. It is never, the zero time, of one that does not run.
func (h Liveness) due(c State, progressLimit time.Duration, now time.Time) time.Time {
	if !c.Runs() {
		return time.Time{}
	}
	next := c.Began.Add(firstLivenessPoll(progressLimit))
	if again := h.Asked.Add(livenessPoll(progressLimit)); !h.Asked.IsZero() && again.After(next) {
		next = again
	}
	if h.mayLayOut(c) {
		next = earlier(next, h.Asked.Add(layoutPoll(now.Sub(c.Began))))
	}
	return next
}

// mayLayOut says whether only the log can tell what the client is at, and has not.
func (h Liveness) mayLayOut(c State) bool { return c.Phase == Working && !h.Measures }

// isSilent says whether a client gives no sign of life.
func (h Liveness) isSilent(c State, progressLimit time.Duration) bool {
	return c.Runs() && h.Asked.Sub(c.Began) >= firstLivenessPoll(progressLimit) && h.Asked.Sub(h.Since) >= minSilence
}

// firstLivenessPoll returns how long after its start a log is first read to find out whether its runner is alive. One that is well
// ends a hanging fio within that time.
func firstLivenessPoll(progressLimit time.Duration) time.Duration {
	return progressLimit + digest.LivenessInterval
}

// livenessPoll returns how often it is read then.
func livenessPoll(progressLimit time.Duration) time.Duration {
	return min(max(progressLimit/4, minLivenessPoll), maxLivenessPoll)
}

// layoutPoll returns how often a log is read of a client that has laid out files for so long.
func layoutPoll(since time.Duration) time.Duration {
	return min(max(since/4, minLayoutPoll), maxLayoutPoll)
}

// tellsOfMeasuring says whether the last line of a log, with its time, is of a runner that is past laying out files.
func tellsOfMeasuring(line string) bool {
	_, words, _ := strings.Cut(line, " ")
	return words != "" && !strings.HasPrefix(words, digest.LayoutPrefix)
}

package plugin

import (
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/humanize"
)

const (
	// maxStep is the most characters that are printed of a step's message, and maxCleanUp of one that names every object
	// that is left.
	maxStep    = 400
	maxCleanUp = 120
	// newsSettles is how long a message has to stay before it is printed: a wait that is over before is no news.
	newsSettles = 2 * time.Second
)

// steps remembers which steps of a benchmark were printed, and decides which one is news.
type steps struct {
	// reason is the one that was printed last, and told has the messages that were.
	reason string
	told   map[string]bool
	// message is the one that was seen last, since then.
	message string
	since   time.Time
}

// room returns the most characters that are printed of the message of a step.
func room(reason string) int {
	if reason == v1alpha1.ReasonCleaningUp {
		return maxCleanUp
	}
	return maxStep
}

// isNews reports whether a step has to be printed now. Another reason is news at once, and another wait when it has
// stayed for a while. Preparing and Measuring take turns with each run, so only their waits are news: the lines of the
// runs tell the rest.
func (s *steps) isNews(reason, wait string, now time.Time) bool {
	message := withoutDigits(reason + " " + wait)
	if message != s.message {
		s.message, s.since = message, now
	}
	switch {
	case reason == "":
		return false
	case reason != s.reason && (!isOfRuns(reason) || !isOfRuns(s.reason)):
		s.reason, s.told = reason, map[string]bool{}
	case wait == "" || s.told[message] || now.Sub(s.since) < newsSettles:
		return false
	}
	s.told[message] = true
	return true
}

// ofRPC matches the words of gRPC before those of a CSI driver.
var ofRPC = regexp.MustCompile(`rpc error: code = \w+ desc = `)

// messageOf returns the message of a benchmark's step, with the error for which the operator retries it.
func messageOf(status *v1alpha1.StorageBenchmarkStatus) string {
	message := oneLineOf(status.Condition(v1alpha1.ConditionSucceeded).Message)
	if retrying := status.Condition(v1alpha1.ConditionRetrying); retrying.Status != "" {
		message = strings.TrimSpace(message + " (retrying: " + reasonOf(oneLineOf(retrying.Message)) + ")")
	}
	return message
}

// maxReason is the most bytes that are shown of an error that may pass.
const maxReason = 60

// beforeReason matches what comes before the reason in an error of Kubernetes, such as that a Job is forbidden.
var beforeReason = regexp.MustCompile(`^.*" is (forbidden|invalid): `)

// reasonOf returns the reason of an error that may pass, for a line that has little room. Condition Retrying has all of it.
func reasonOf(message string) string {
	return humanize.Cut(beforeReason.ReplaceAllString(message, "$1: "), maxReason, "...")
}

// waitOf returns what a benchmark waits for, "" if all goes as it should. The message of a run's step names the run, and
// after a colon what the run waits for.
func waitOf(status *v1alpha1.StorageBenchmarkStatus) string {
	message := messageOf(status)
	if !isOfRuns(status.Condition(v1alpha1.ConditionSucceeded).Reason) {
		return message
	}
	_, wait, _ := strings.Cut(message, ": ")
	return wait
}

// isWait reports whether a benchmark can neither measure nor lay out files yet.
func isWait(status *v1alpha1.StorageBenchmarkStatus) bool {
	switch status.Condition(v1alpha1.ConditionSucceeded).Reason {
	case v1alpha1.ReasonProvisioning, v1alpha1.ReasonWaitingForNode:
		return true
	case v1alpha1.ReasonPreparing:
		return waitOf(status) != ""
	}
	return false
}

// isOfRuns reports whether a step is one that each run has.
func isOfRuns(reason string) bool {
	return reason == v1alpha1.ReasonPreparing || reason == v1alpha1.ReasonMeasuring
}

// withoutDigits makes messages the same that differ in nothing but how often or for how long.
func withoutDigits(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, text)
}

// pause measures for how long the run that is being made has waited: for its volume, for its node or for its pod.
type pause struct {
	run     string
	attempt int32
	// passed is how long the waits took that are over, and since is when the one began that goes on.
	passed time.Duration
	since  time.Time
}

// note takes down whether the current run waits. There may be no run.
func (p *pause) note(run *v1alpha1.Run, waits bool, now time.Time) {
	switch {
	case run == nil:
		*p = pause{}
		return
	case run.Name != p.run || run.Attempts != p.attempt:
		*p = pause{run: run.Name, attempt: run.Attempts}
		if waits && run.StartTime != nil { // a run waits from its start on
			p.since = run.StartTime.Time
		}
	}
	switch {
	case waits && p.since.IsZero():
		p.since = now
	case !waits:
		p.passed, p.since = p.length(now), time.Time{}
	}
}

// length returns for how long the run has waited.
func (p *pause) length(now time.Time) time.Duration {
	if p.since.IsZero() {
		return p.passed
	}
	return p.passed + now.Sub(p.since)
}

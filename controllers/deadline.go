package controllers

import (
	"fmt"
	"time"

	"k8s.io/utils/ptr"
)

// waitLimit is a deadline of the spec.
type waitLimit struct {
	// field is the one of spec.deadlines that has it, for whoever wants to wait longer.
	field   string
	seconds *int32
}

// The limits of what a benchmark waits for.
func (s *scope) nodeLimit() waitLimit {
	return waitLimit{"nodeSeconds", s.sb.Spec.Deadlines.NodeSeconds}
}

func (s *scope) startLimit() waitLimit {
	return waitLimit{"startSeconds", s.sb.Spec.Deadlines.StartSeconds}
}

func (s *scope) volumeLimit() waitLimit {
	return waitLimit{"provisioningSeconds", s.sb.Spec.Deadlines.ProvisioningSeconds}
}

// waited says that something was waited for as long as it may take, and which field says how long that is, such as
// "waited 600 s for its pod to start (spec.deadlines.startSeconds)".
func (l waitLimit) waited(forWhat string) string {
	return fmt.Sprintf("waited %d s for %s (spec.deadlines.%s)", ptr.Deref(l.seconds, 0), forWhat, l.field)
}

// deadline returns how much time is left of a limit that counts from a time.
func (s *scope) deadline(since time.Time, limit *int32) time.Duration {
	return since.Add(seconds(limit)).Sub(s.now.Time)
}

func seconds(n *int32) time.Duration { return time.Duration(ptr.Deref(n, 0)) * time.Second }

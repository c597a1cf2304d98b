package controllers

import (
	"fmt"
	"strings"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// However often attempts end without a result, the status keeps the last ones, and cuts their messages.
func TestAbandonedAttemptsAreBounded(t *testing.T) {
	s := failingPass()
	run := &v1alpha1.Run{Name: "r", Target: "t"}
	for i := range maxAbandoned + 8 {
		run.Attempts = int32(i + 1)
		s.abandonAttempt(run, v1alpha1.AbandonDisrupted, fmt.Sprint(i+1, strings.Repeat("m", 1000)))
	}
	attempts := s.sb.Status.AbandonedAttempts
	if len(attempts) != maxAbandoned || attempts[0].Attempt != 9 || attempts[maxAbandoned-1].Attempt != maxAbandoned+8 {
		t.Errorf("%d attempts are kept: %+v", len(attempts), attempts)
	}
	for _, attempt := range attempts {
		if len(attempt.Message) > maxAbandonedMessage {
			t.Errorf("a message of %d bytes", len(attempt.Message))
		}
	}
}

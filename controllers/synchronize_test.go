package controllers

import (
	"testing"
	"time"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/measure"
)

// The start that clients share lies ahead of when it is told, however long the pass has taken until then.
func TestStartIsAheadOfTheCall(t *testing.T) {
	p := failingPass()
	run := &v1alpha1.Run{Name: "r", Clients: 2}
	measure.Agree(p, run, noon.Add(time.Minute))
	const least = 2 * time.Second
	if lead := run.AgreedStart.Sub(noon.Add(time.Minute)); lead < least {
		t.Errorf("the start is %s after the call, want at least %s", lead, least)
	}
}

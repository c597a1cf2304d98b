package world

import (
	"github.com/storagebench/storagebench/internal/humanize"
)

// LimitNote returns a note of an event, cut to what the API server takes.
func LimitNote(note string) string { return humanize.Fit(note, humanize.MaxNote) }

// The most bytes of a message that an anchor, and that a condition keeps, and of an error that goes on.
const (
	MaxAnchorMessage    = 256
	MaxConditionMessage = 4096
	MaxErrorMessage     = 1024
)

package world

import (
	"github.com/storagebench/storagebench/internal/legible"
)

// LimitNote returns a note of an event, cut to what the API server takes.
func LimitNote(note string) string { return legible.Fit(note, legible.MaxNote) }

// The most bytes of a message that an anchor, and that a condition keeps, and of an error that goes on.
const (
	MaxAnchorMessage    = 256
	MaxConditionMessage = 4096
	MaxErrorMessage     = 1024
)

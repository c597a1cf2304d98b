package disk

import (
	"time"

	"github.com/container-storage-interface/spec/lib/go/csi"
)

// Kind says which volumes a driver makes.
type Kind struct {
	// Plan decides what volume a request asks for.
	Plan func(*csi.CreateVolumeRequest) (Plan, error)
	// Modify returns a volume with other settings, as the mutable parameters of a
	// VolumeAttributesClass ask. nil when volumes cannot be modified.
	Modify func(volume Plan, mutable map[string]string) (Plan, error)
	// Budget opens the budget of a volume with what was kept of it, if anything.
	Budget func(volume Plan, kept []byte) (Budget, error)
	// Attaching and Detaching are how long it takes until a volume is at a node, and gone from it, where the controller attaches the volumes. Zero
	// where their staging does.
	Attaching, Detaching time.Duration
}

// Plan is a volume to be.
type Plan struct {
	// ID is a file name.
	ID            string `json:"id"`
	CapacityBytes int64  `json:"capacityBytes"`
	Limits        Limits `json:"limits"`
	// Settings are the kind's own. They must be equal for equal requests.
	Settings string `json:"settings,omitempty"`
	// Topology is where the volume is, nil for everywhere.
	Topology map[string]string `json:"topology,omitempty"`
}

// Rate is so much a second, or with Work: so much.
type Rate struct {
	IOs   float64 `json:"ios"`
	Bytes float64 `json:"bytes"`
}

// Work is what was done.
type Work = Rate

// Latency is how long a volume takes for an I/O that its limits do not hold back.
type Latency struct{ Read, Write Delay }

// Delay is a time that differs from one I/O to the next: the least, and what comes to it by chance, exponentially distributed with the mean Tail.
type Delay struct{ Least, Tail time.Duration }

// Budget tells what a volume may do in all: reads and writes of all its users.
type Budget interface {
	// Spend takes note of the work that was done since the last call, and returns
	// what may be done from now on.
	Spend(now time.Time, done Work) Rate
	// Latency returns what an I/O takes.
	Latency() Latency
	// Keep returns what is to be kept of the budget while nobody uses the volume.
	Keep(now time.Time) ([]byte, error)
}

package disk

import (
	"time"

	"github.com/container-storage-interface/spec/lib/go/csi"
)

// Kind says which volumes a driver makes.
type Kind struct {
	// Plan decides what volume a request asks for.
	Plan func(*csi.CreateVolumeRequest) (Plan, error)
	// Attaching and Detaching are how long it takes until a volume is at a node, and gone from it, where the controller attaches the volumes. Zero
	// where their staging does.
	Attaching, Detaching time.Duration
}

// Plan is a volume to be.
type Plan struct {
	// ID is a file name.
	ID            string `json:"id"`
	CapacityBytes int64  `json:"capacityBytes"`
	// Performance is what it does at most. Without, it does what the machine does.
	Performance Performance `json:"performance,omitzero"`
	// Settings are the kind's own. They must be equal for equal requests.
	Settings string `json:"settings,omitempty"`
	// Nodes is how many nodes can have it at once, if more than one.
	Nodes int `json:"nodes,omitempty"`
	// Topology is where the volume is, nil for everywhere.
	Topology map[string]string `json:"topology,omitempty"`
}

package fioimport

import (
	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/storage"
)

// Options are what an import knows beside the text.
type Options struct {
	// Variable returns the value of an environment variable, false if it is not set; nil if there is no environment.
	Variable func(name string) (string, bool)
	// Include returns the text of a file that a job file includes; nil if none can be read.
	Include func(name string) (string, error)
	// Targets are what is to be measured. Sizes that are a share of the volume are of the smallest of them.
	Targets []v1alpha1.Target
	// Group has the jobs that run at the same time give one result.
	Group bool
}

// Files may take eight ninths of a new volume, and less of a small one: a file system takes a part for itself.
const roomParts, allParts = 8, 9

// room returns for how many bytes files have room on each of the targets; false if that is not known of all.
func (o Options) room() (int64, bool) {
	least := int64(0)
	for i := range o.Targets {
		target := &o.Targets[i]
		if !storage.IsProvisioned(target) {
			return 0, false
		}
		capacity := storage.Capacity(target)
		fits := storage.Room(target, storage.KindOf(target, ""))
		if room := min(capacity.Value()/allParts*roomParts, fits); least == 0 || room < least {
			least = room
		}
	}
	return least, least > 0
}

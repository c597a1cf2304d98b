package cleanup

import (
	"fmt"
	"slices"
	"strings"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/internal/humanize"
)

// Kept are volumes that were not made for a benchmark, to which claims of it were bound. They stay, and users are told of them.
type Kept struct {
	// Volumes have file systems, Devices are raw block volumes: their names, with what their storage calls them.
	Volumes, Devices []string
}

// Add adds a volume.
func (k *Kept) Add(volume v1alpha1.VolumeStatus, device bool) {
	name := fmt.Sprintf("%s (%s)", volume.Name, volume.Handle)
	if device {
		k.Devices = append(k.Devices, name)
	} else {
		k.Volumes = append(k.Volumes, name)
	}
}

// Words names all of them, and says that they are as they were, but for what was written there. "": there are none.
func (k *Kept) Words(sb *v1alpha1.StorageBenchmark) string {
	texts := []string{
		describeKept("volume", k.Volumes, "any test files left are in its directory "+childmeta.Directory(sb)),
		describeKept("raw block volume", k.Devices, "it has what workloads wrote to it, and nothing else was changed"),
	}
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), "; ")
}

// describeKept names volumes of a kind, and says what is different there than before.
func describeKept(kind string, volumes []string, but string) string {
	if len(volumes) == 0 {
		return ""
	}
	return fmt.Sprintf("kept, because it was not made for this benchmark: %s %s, to which a claim of it was bound; %s", kind, humanize.Few(volumes, MaxNamed), but)
}

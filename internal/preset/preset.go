// Package preset has workloads that have a name, such as etcd: what fio does for each, what a public document of the application asks
// of the storage, and where both are from. All of it is data, in presets.yaml.
package preset

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

//go:embed presets.yaml
var text []byte

// Preset is a version of a workload that has a name.
type Preset struct {
	// Name is what all versions have, such as etcd, and Version which of them it is, from 1.
	Name    string `json:"name"`
	Version int    `json:"version"`
	// Application is what the workload is of. Presets of one are one answer of "check".
	Application string `json:"application"`
	// About says what it does, in one sentence without the period.
	About string `json:"about"`
	// Quick says whether it is in the shortest check.
	Quick bool `json:"quick,omitempty"`
	// Fio and Matrix are what the workload has in a StorageBenchmark.
	Fio    v1alpha1.FioParameters           `json:"fio"`
	Matrix map[string]v1alpha1.MatrixValues `json:"matrix,omitempty"`
	// Shows are the metrics that tell most, the first of them first.
	Shows []string `json:"shows"`
	// Thresholds are what the application asks for, none where no public document says it.
	Thresholds []Threshold `json:"thresholds,omitempty"`
	// Sources are where the parameters are from.
	Sources []Source `json:"sources"`
}

// Threshold is what a metric has to be, as in v1alpha1.Expectation.
type Threshold struct {
	Metric string              `json:"metric"`
	Max    *string             `json:"max,omitempty"`
	Min    *intstr.IntOrString `json:"min,omitempty"`
	Source Source              `json:"source"`
}

// Source is a public document, and what it says.
type Source struct {
	URL string `json:"url"`
	// Read is the day on which somebody read it there, such as 2026-11-22.
	Read string `json:"read"`
	Says string `json:"says"`
}

// ID is the name with the version, such as etcd.v1.
func (p *Preset) ID() string { return fmt.Sprintf("%s.v%d", p.Name, p.Version) }

// presets are those of presets.yaml. That it can be read is tested, so that failing here is a mistake of the build.
var presets = sync.OnceValue(func() []Preset {
	all, err := parse(text)
	if err != nil {
		panic(err)
	}
	return all
})

func parse(text []byte) ([]Preset, error) {
	var all []Preset
	if err := yaml.UnmarshalStrict(text, &all); err != nil {
		return nil, fmt.Errorf("read presets.yaml: %w", err)
	}
	return all, nil
}

// All returns every version of every preset, in the order of the file.
func All() []Preset { return slices.Clone(presets()) }

// Newest returns the newest version of every preset, in the order of the file.
func Newest() []Preset { return newest(All()) }

func newest(all []Preset) []Preset {
	var some []Preset
	for _, p := range all {
		if last, _ := find(all, p.Name); last.Version == p.Version {
			some = append(some, p)
		}
	}
	return some
}

// Find returns the preset with a name and a version, such as etcd.v1, or the newest with a name.
func Find(name string) (*Preset, bool) { return find(presets(), name) }

func find(all []Preset, name string) (*Preset, bool) {
	var found *Preset
	for i := range all {
		if p := &all[i]; p.ID() == name || (p.Name == name && (found == nil || p.Version > found.Version)) {
			found = p
		}
	}
	return found, found != nil
}

// Names lists the names for people who have written one that is unknown.
func Names() string {
	var names []string
	for _, p := range Newest() {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}

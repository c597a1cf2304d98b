// Package documented holds what the CSI drivers for AWS document: their parameters, volume attributes and mount options,
// with the version and the document each is from.
//
// The tables are YAML files, read here for the local stand-ins and by path for the tests of the operator. A stand-in that
// takes what the real driver does not document would hide a mistake, so that the checks of this package are strict: they
// refuse what the real driver ignores without a word.
package documented

import (
	"embed"
	"fmt"
	"sync"

	"sigs.k8s.io/yaml"
)

//go:embed *.yaml
var files embed.FS

// EBS returns what aws-ebs-csi-driver documents.
var EBS = sync.OnceValues(func() (Driver, error) { return load("ebs.yaml") })

// EFS returns what aws-efs-csi-driver documents.
var EFS = sync.OnceValues(func() (Driver, error) { return load("efs.yaml") })

// Driver is one CSI driver in one version, as far as the checks need it. Tests read all of the tables.
type Driver struct {
	Name    string `json:"driver"`
	Version string `json:"version"`
	// Sources are URLs by the name that entries refer to.
	Sources map[string]string `json:"sources"`

	StorageClassParameters Section `json:"storageClassParameters"`
	VolumeAttributes       Section `json:"volumeAttributes"`
	MutableParameters      Section `json:"mutableParameters"`
	MountOptions           Section `json:"mountOptions"`

	reserved reserved
}

// reserved are the keys that Kubernetes and its sidecars keep for themselves.
type reserved struct {
	ConsumedFromStorageClass []string `json:"consumedFromStorageClass"`
	AddedToCreateVolume      []string `json:"addedToCreateVolume"`
	AddedToVolumeContext     []string `json:"addedToVolumeContext"`
}

// load reads one of the embedded tables.
func load(name string) (d Driver, err error) {
	for name, into := range map[string]any{name: &d, "kubernetes.yaml": &d.reserved} {
		raw, err := files.ReadFile(name)
		if err != nil {
			return d, err
		}
		if err := yaml.Unmarshal(raw, into); err != nil {
			return d, fmt.Errorf("%s: %w", name, err)
		}
	}
	for i := range d.MountOptions.Entries {
		d.MountOptions.Entries[i].option = true
	}
	for _, section := range []Section{d.StorageClassParameters, d.VolumeAttributes, d.MutableParameters, d.MountOptions} {
		if err := compile(section.Entries); err != nil {
			return d, fmt.Errorf("%s: %w", name, err)
		}
	}
	return d, nil
}

// Package documented holds what the three CSI drivers for AWS document: their parameters, volume attributes, mount
// options, volume handles and messages, with the version and the document each is from.
//
// The tables are YAML files, read here for the local stand-ins and by path for the tests of the operator. A stand-in that
// takes what the real driver does not document would hide a mistake, so that the checks of this package are strict: they
// refuse what the real driver ignores without a word.
package documented

import (
	"embed"
	"fmt"
	"regexp"
	"sync"

	storagev1 "k8s.io/api/storage/v1"
	"sigs.k8s.io/yaml"
)

//go:embed *.yaml
var files embed.FS

// EBS returns what aws-ebs-csi-driver documents.
var EBS = sync.OnceValues(func() (Driver, error) { return load("ebs.yaml") })

// EFS returns what aws-efs-csi-driver documents.
var EFS = sync.OnceValues(func() (Driver, error) { return load("efs.yaml") })

// S3 returns what mountpoint-s3-csi-driver documents, and the mount-s3 in its image.
var S3 = sync.OnceValues(func() (Driver, error) { return load("s3.yaml") })

// Driver is one CSI driver in one version.
type Driver struct {
	// Name as in CSIDriver objects and in spec.csi.driver of PersistentVolumes.
	Name       string `json:"driver"`
	Repository string `json:"repository"`
	// Version and Commit of the release whose documents and code were read; Released and Read are dates.
	Version  string `json:"version"`
	Commit   string `json:"commit"`
	Released string `json:"released"`
	Read     string `json:"read"`
	// Engine is the program in the driver's image that takes the mount options, where it has documents of its own.
	Engine string `json:"engine,omitempty"`
	// Sources are URLs by the name that entries refer to.
	Sources map[string]string `json:"sources"`

	StorageClassParameters Section `json:"storageClassParameters"`
	VolumeAttributes       Section `json:"volumeAttributes"`
	MutableParameters      Section `json:"mutableParameters"`
	MountOptions           Section `json:"mountOptions"`

	VolumeHandles []VolumeHandle `json:"volumeHandles"`
	AccessModes   []AccessMode   `json:"accessModes"`
	// CSIDriver is the spec of the CSIDriver object that the chart makes with its default values.
	CSIDriver storagev1.CSIDriverSpec `json:"csiDriver"`
	Messages  []Message               `json:"messages"`

	reserved reserved
}

// VolumeHandle is a form of spec.csi.volumeHandle.
type VolumeHandle struct {
	Form    string `json:"form"`
	Pattern string `json:"pattern"`
	Example string `json:"example"`
	Source  string `json:"source"`
	Notes   string `json:"notes,omitempty"`

	expression *regexp.Regexp
}

// AccessMode is an access mode of claims that the driver takes, with the volume modes it takes it for.
type AccessMode struct {
	Mode        string   `json:"mode"`
	VolumeModes []string `json:"volumeModes"`
	Source      string   `json:"source"`
	Notes       string   `json:"notes,omitempty"`
}

// Message is what the driver says when something frequent goes wrong.
type Message struct {
	When string `json:"when"`
	// Code is the gRPC code, by its Go name. Empty where the text is part of another message.
	Code string `json:"code,omitempty"`
	// Text has %s for what varies.
	Text   string `json:"text"`
	Source string `json:"source"`
}

// reserved are the keys that Kubernetes and its sidecars keep for themselves.
type reserved struct {
	Sources                  map[string]string `json:"sources"`
	Read                     string            `json:"read"`
	ConsumedFromStorageClass []string          `json:"consumedFromStorageClass"`
	AddedToCreateVolume      []string          `json:"addedToCreateVolume"`
	AddedToVolumeContext     []string          `json:"addedToVolumeContext"`
}

// load reads and checks one of the embedded tables.
func load(name string) (Driver, error) {
	var d Driver
	if err := decode(name, &d); err != nil {
		return Driver{}, err
	}
	if err := decode("kubernetes.yaml", &d.reserved); err != nil {
		return Driver{}, err
	}
	for i := range d.VolumeHandles {
		expression, err := regexp.Compile(d.VolumeHandles[i].Pattern)
		if err != nil {
			return Driver{}, fmt.Errorf("%s: volume handle %q: %w", name, d.VolumeHandles[i].Form, err)
		}
		d.VolumeHandles[i].expression = expression
	}
	for _, section := range d.sections() {
		if err := compile(section.Entries); err != nil {
			return Driver{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	return d, nil
}

func decode(name string, into any) error {
	raw, err := files.ReadFile(name)
	if err != nil {
		return err
	}
	if err := yaml.UnmarshalStrict(raw, into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func (d Driver) sections() []Section {
	return []Section{d.StorageClassParameters, d.VolumeAttributes, d.MutableParameters, d.MountOptions}
}

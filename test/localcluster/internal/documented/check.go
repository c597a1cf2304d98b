package documented

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// CheckParameters says what is wrong with the parameters of a StorageClass or of a CreateVolume call, to which the
// external-provisioner adds the names of claim and volume. Of several faults it names the first by sorted key.
func (d Driver) CheckParameters(parameters map[string]string) error {
	reserved := slices.Concat(d.reserved.ConsumedFromStorageClass, d.reserved.AddedToCreateVolume)
	return d.check("parameter", d.StorageClassParameters, parameters, reserved)
}

// CheckMutableParameters says what is wrong with the parameters of a VolumeAttributesClass. Of several faults it names the
// first by sorted key.
func (d Driver) CheckMutableParameters(parameters map[string]string) error {
	return d.check("mutable parameter", d.MutableParameters, parameters, d.reserved.AddedToCreateVolume)
}

// CheckVolumeAttributes says what is wrong with the volumeAttributes of a PersistentVolume or with the volume context of a
// node call, to which the kubelet adds what it knows of the pod. Of several faults it names the first by sorted key.
func (d Driver) CheckVolumeAttributes(attributes map[string]string) error {
	return d.check("volume attribute", d.VolumeAttributes, attributes, d.reserved.AddedToVolumeContext)
}

// CheckMountOptions says what is wrong with the mountOptions of a PersistentVolume or StorageClass: an option that is not
// documented, a value too many or too few, or an option that the driver refuses or drops. Of several faults it names the
// first by sorted name.
func (d Driver) CheckMountOptions(options []string) error {
	given := map[string]string{}
	for _, option := range options {
		name, value, hasValue := strings.Cut(option, "=")
		if _, twice := given[name]; twice || hasValue && value == "" {
			return fmt.Errorf("mount option %q: given twice, or without a value", option)
		}
		given[name] = value
	}
	return d.check("mount option", d.MountOptions, given, nil)
}

// WithUndocumented returns the driver with what its code takes beside what it documents, of any value. A stand-in takes that as well: users have it.
func (d Driver) WithUndocumented() Driver {
	d.StorageClassParameters = d.StorageClassParameters.withUndocumented()
	d.MutableParameters = d.MutableParameters.withUndocumented()
	return d
}

func (s Section) withUndocumented() Section {
	s.Entries = slices.Clone(s.Entries)
	for _, name := range s.Undocumented {
		s.Entries = append(s.Entries, Entry{Name: name, expression: anyValue})
	}
	return s
}

var anyValue = regexp.MustCompile("")

// check a map against a section. Reserved keys are right whatever their value.
func (d Driver) check(what string, section Section, values map[string]string, reserved []string) error {
	given := map[string]string{} // By documented name, as it was written.
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if slices.Contains(reserved, name) {
			continue
		}
		entry, ok := section.find(name)
		if !ok {
			return fmt.Errorf("%s %q: not documented by %s %s; documented are %s", what, name, d.Name, d.Version, section.names())
		}
		if other, twice := given[entry.Name]; twice && !entry.Prefix {
			return fmt.Errorf("%s %q: the same as %q: give one", what, name, other)
		}
		given[entry.Name] = name
		if err := entry.checkValue(values[name]); err != nil {
			return fmt.Errorf("%s %q: %w (%s)", what, name, err, d.Sources[entry.Source])
		}
	}
	return section.checkTogether(what, given)
}

// checkTogether says whether the given names, keyed by documented name, may stand together.
func (s Section) checkTogether(what string, given map[string]string) error {
	for _, entry := range s.Entries {
		_, ok := given[entry.Name]
		if !ok && entry.Required {
			return fmt.Errorf("%s %q: required", what, entry.Name)
		}
		if _, met := given[entry.Requires]; ok && !met && entry.Requires != "" {
			return fmt.Errorf("%s %q: needs %q as well", what, entry.Name, entry.Requires)
		}
	}
	for _, group := range s.ExactlyOneOf {
		if count(group, given) != 1 {
			return fmt.Errorf("%s: give exactly one of %q", what, group)
		}
	}
	for _, group := range s.NotBoth {
		if count(group, given) > 1 {
			return fmt.Errorf("%s: give only one of %q", what, group)
		}
	}
	for _, group := range s.Together {
		if n := count(group, given); n > 0 && n < len(group) {
			return fmt.Errorf("%s: give all of %q or none", what, group)
		}
	}
	return nil
}

func count(group []string, given map[string]string) int {
	n := 0
	for _, name := range group {
		if _, ok := given[name]; ok {
			n++
		}
	}
	return n
}

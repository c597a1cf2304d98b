package documented

import (
	"fmt"
	"strings"
)

// CheckMountOptions says what is wrong with the mountOptions of a PersistentVolume or StorageClass: an option that is not
// documented, a value too many or too few, or an option that the driver refuses, drops or replaces. Of several faults it
// names the first in the list's order.
func (d Driver) CheckMountOptions(options []string) error {
	if d.MountOptions.Open {
		return nil
	}
	given := map[string]string{} // By documented name, as it was written.
	for _, option := range options {
		name, value, hasValue := d.MountOptions.split(option)
		entry, ok := d.MountOptions.findOption(name)
		if !ok {
			return d.undocumented("mount option", option, d.MountOptions)
		}
		if err := d.checkOption(entry, value, hasValue); err != nil {
			return fmt.Errorf("mount option %q: %w", option, err)
		}
		if other, twice := given[entry.Name]; twice && !entry.Repeatable {
			return fmt.Errorf("mount option %q: given twice, as %q too", option, other)
		}
		given[entry.Name] = option
	}
	return d.MountOptions.checkTogether("mount option", given)
}

func (d Driver) checkOption(entry Entry, value string, hasValue bool) error {
	switch {
	case entry.Handling != "":
		return d.notInEffect(entry)
	case entry.TakesValue && !hasValue:
		return fmt.Errorf("needs a value (%s)", d.Sources[entry.Source])
	case !entry.TakesValue && hasValue:
		return fmt.Errorf("takes no value (%s)", d.Sources[entry.Source])
	case !entry.TakesValue:
		return nil
	}
	if err := entry.checkValue(value); err != nil {
		return fmt.Errorf("%w (%s)", err, d.Sources[entry.Source])
	}
	return nil
}

// notInEffect is the error for an option that does not do what it says.
func (d Driver) notInEffect(entry Entry) error {
	reason := entry.Notes
	if entry.Since != "" {
		reason = "it needs " + entry.Since
	}
	if reason != "" {
		reason += " "
	}
	return fmt.Errorf("%s by %s %s: %s(%s)", entry.Handling, d.Name, d.Version, reason, d.Sources[entry.Source])
}

// split an option into name and value. An argument is divided at its first space or equals sign, as the S3 driver does; an
// option of a mount helper at its first equals sign.
func (s Section) split(option string) (name, value string, hasValue bool) {
	separators := "="
	if s.Form == "argument" {
		option, separators = strings.Trim(option, " "), " ="
	}
	i := strings.IndexAny(option, separators)
	if i < 0 {
		return option, "", false
	}
	return option[:i], strings.Trim(option[i+1:], " "), true
}

// findOption returns the entry for an option's name. An argument may begin with two dashes; with one dash it is a short
// name, which is how the S3 driver hands both on.
func (s Section) findOption(name string) (Entry, bool) {
	if s.Form != "argument" {
		return s.find(name)
	}
	if long, ok := strings.CutPrefix(name, "--"); ok {
		return s.find(long)
	}
	short, ok := strings.CutPrefix(name, "-")
	if !ok {
		return s.find(name)
	}
	for _, entry := range s.Entries {
		if entry.Short != "" && entry.Short == short {
			return entry, true
		}
	}
	return Entry{}, false
}

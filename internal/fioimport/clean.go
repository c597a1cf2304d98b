package fioimport

import (
	"path"
	"slices"
	"strings"

	"github.com/storagebench/storagebench/internal/fio"
)

// shapesOutput begins the names of options of jobs that change what fio prints or which logs it writes, and nothing of the I/O.
var shapesOutput = []string{
	"write_bw_log", "write_lat_log", "write_iops_log", "write_hist_log", "log_", "per_job_logs",
	"percentile_list", "clat_percentiles", "block_error_percentiles", "unified_rw_reporting",
}

// aboutNoIO is why options are left out that a job does the same without.
const aboutNoIO = "without it the I/O is the same"

// saysNothing says whether a job does the same I/O without an option that the guard refuses.
func saysNothing(o fio.Option) bool {
	switch o.Name {
	case "verify_dump", "verify_state_save":
		return o.Value == "1" // files for whoever looks into what differs, outside of the volume
	case "comm", "filetype":
		return true
	case "description":
		return !o.IsWellFormed()
	default:
		return false
	}
}

// cleaner takes out of a job file what the operator sets or does not need.
type cleaner struct {
	*report
	Options

	// block says that a job works on a device.
	block bool
	// devices and directories are where the jobs worked.
	devices, directories []string
}

// clean returns the sections of a job file without what the operator sets: places, and what is about fio's output. Where an option is given
// twice in a section it keeps the last, which fio takes.
func (c *cleaner) clean(sections fio.Sections) fio.Sections {
	var cleaned fio.Sections
	for i, section := range sections {
		kept := fio.Section{Name: section.Name}
		base := kiloBase(sections[:i+1])
		for _, o := range c.withoutTwins(section) {
			if o, keep := c.option(o, base); keep {
				kept.Options = append(kept.Options, o)
			}
		}
		cleaned = append(cleaned, kept)
	}
	if len(c.devices) > 1 {
		c.problem("%s: a target is one volume: import each device by itself, or give several targets", strings.Join(c.devices, ", "))
	}
	if len(c.directories) > 1 {
		c.note("%s: a target is one volume, so all files are on the same", strings.Join(c.directories, ", "))
	}
	return cleaned
}

// withoutTwins returns a section's options without those that are given again. Files are an exception: fio uses all, which the
// guard refuses.
func (c *cleaner) withoutTwins(section fio.Section) []fio.Option {
	var kept []fio.Option
	for i, o := range section.Options {
		again := slices.IndexFunc(section.Options[i+1:], func(later fio.Option) bool { return fio.Canonical(later.Name) == fio.Canonical(o.Name) })
		if again < 0 || o.Name == "filename" {
			kept = append(kept, o)
			continue
		}
		if last := section.Options[i+1+again]; last.String() != o.String() {
			c.drop(o.String(), "fio takes the last, "+show(last.String()))
		}
	}
	return kept
}

// option returns an option as it stays; false if it does not.
func (c *cleaner) option(o fio.Option, base int64) (fio.Option, bool) {
	switch {
	case slices.ContainsFunc(shapesOutput, func(prefix string) bool { return strings.HasPrefix(o.Name, prefix) }):
		c.drop(o.String(), aboutOutput)
		return o, false
	case o.Name == "directory":
		c.drop(o.String(), "the volume of the target takes its place")
		for _, directory := range splitPaths(o.Value) {
			c.directories = appendNew(c.directories, show(directory))
		}
		return o, false
	case o.Name == "filename":
		return c.filename(o)
	case saysNothing(o):
		c.drop(o.String(), aboutNoIO)
		return o, false
	case o.Name == "filename_format" && strings.Contains(o.Value, "/"):
		c.note("%s: all files are in one directory, so %s", show(o.String()), show(strings.ReplaceAll(o.Value, "/", ".")))
		o.Value = strings.ReplaceAll(o.Value, "/", ".")
		return o, true
	}
	if digits, changed := o.InDigits(base); changed {
		c.note("%s is written as %s", o, digits)
		return digits, true
	}
	if inBytes, changed := o.InBytes(base); changed {
		c.note("%s: to fio KiB are 1,000 bytes unless kb_base is 1000, so this is %s; write k, m or g for powers of 1,024", o, inBytes)
		return inBytes, true
	}
	return o, true
}

// filename returns the option with names of files without their directories; false if it names a device.
func (c *cleaner) filename(o fio.Option) (fio.Option, bool) {
	var names []string
	for _, name := range splitPaths(o.Value) {
		if isDevice(name) {
			c.block = true
			c.devices = appendNew(c.devices, show(name))
			continue
		}
		if directory := path.Dir(name); strings.Contains(name, "/") {
			c.directories = appendNew(c.directories, show(directory))
			c.note("filename=%s: the volume of the target takes the place of %s", show(name), show(directory))
			name = path.Base(name)
		}
		if strings.Contains(name, ":") {
			c.problem("%s: a colon in the name of a file: rename it", show(o.String()))
		}
		if slices.Contains(names, name) {
			c.problem("%s: without their directories, files have the same name: rename one", show(o.String()))
		}
		names = append(names, name)
	}
	if c.block {
		if len(names) > 0 {
			c.problem("%s: a volume is either a device or has files: import each by itself", show(o.String()))
		}
		c.drop(o.String(), "the volume of the target takes its place, without a file system (volumeMode Block)")
		return o, false
	}
	o.Value = strings.Join(names, ":")
	return o, true
}

// splitPaths parts names at each : that has no \ before it.
func splitPaths(list string) []string {
	const escaped = "\x00"
	var paths []string
	for name := range strings.SplitSeq(strings.ReplaceAll(list, `\:`, escaped), ":") {
		paths = append(paths, strings.ReplaceAll(name, escaped, ":"))
	}
	return paths
}

// isDevice says whether a path is one of a device and not of a file in memory.
func isDevice(name string) bool {
	return strings.HasPrefix(name, "/dev/") && !strings.HasPrefix(name, "/dev/shm/")
}

// kiloBase returns what fio takes for k in the last of the sections: by its own kb_base, or by that of a global section before.
func kiloBase(sections []fio.Section) int64 {
	base := int64(1024)
	for i, section := range sections {
		for _, o := range section.Options {
			if o.Name == "kb_base" && (section.IsGlobal() || i == len(sections)-1) {
				base = 1024
				if o.Value == "1000" {
					base = 1000
				}
			}
		}
	}
	return base
}

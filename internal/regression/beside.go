package regression

import (
	"cmp"
	"slices"
	"strings"

	"github.com/storagebench/storagebench/internal/history"
)

// Difference is something that is different since a change.
type Difference struct {
	// What it is, such as kernel, aws-ebs-csi-driver or "StorageClass iops".
	What string
	// Before and After are its values, "" where it is not known.
	Before, After string
}

// What is compared across a change, but for drivers, which go by the names of their images, and parameters of StorageClasses, which go by their own behind factClass.
const (
	factOperator     = "operator"
	factFio          = "fio"
	factKubelet      = "kubelet"
	factKernel       = "kernel"
	factOSImage      = "OS image"
	factInstanceType = "instance type"
	factZone         = "zone"
	factNode         = "node"
	factClass        = "StorageClass"
)

// unset is the value of a parameter that a StorageClass does not have.
const unset = "unset"

// factOrder is the order in which differences are told: first what most likely made the change, and last what changes often.
var factOrder = []string{factInstanceType, factKernel, factOSImage, factKubelet, factFio, factOperator, factZone, factNode}

// factsOf returns what is known of an environment, of drivers and StorageClasses those of a target.
func factsOf(e *history.Environment, target string) map[string]string {
	facts := map[string]string{
		factOperator: e.Operator, factFio: e.Fio, factKubelet: e.Kubelet, factKernel: e.Kernel, factOSImage: e.OSImage,
		factInstanceType: e.InstanceType, factZone: e.Zone, factNode: e.Node,
	}
	for _, d := range e.Drivers {
		if d.Image != "" && slices.Contains(d.Targets, target) {
			name, version := imageOf(d.Image)
			facts[name] = version
		}
	}
	if s := e.StorageOf(target); s.Class != "" {
		facts[factClass] = s.Class
		for _, parameter := range s.Parameters {
			name, value, _ := strings.Cut(parameter, "=")
			facts[factClass+" "+name] = cmp.Or(value, unset)
		}
	}
	return facts
}

// imageOf parts an image into the name of its repository and its version: the tag, or the beginning of its digest.
func imageOf(image string) (name, version string) {
	image, digest, _ := strings.Cut(image, "@")
	name = image[strings.LastIndex(image, "/")+1:]
	name, version, _ = strings.Cut(name, ":")
	if version == "" {
		_, hash, _ := strings.Cut(digest, ":")
		version = hash[:min(len(hash), 12)]
	}
	return name, version
}

// differences returns what is different on both sides of a change: what each point after it has, and none before. As a change is known to a run
// or so, it may also have come one run earlier or later.
func differences(before, after []*history.Point, target string) []Difference {
	var all []Difference
	for _, name := range factNames(before, after, target) {
		// What an upgrade changes has one value after another. A node may be another one in each run, which tells nothing.
		places := name == factNode || name == factZone
		values := func(points []*history.Point) []string {
			var found []string
			for _, p := range points {
				facts := factsOf(&p.Environment, target)
				if facts[name] == "" && facts[factClass] != "" && strings.HasPrefix(name, factClass+" ") {
					facts[name] = unset
				}
				found = append(found, facts[name])
			}
			return found
		}
		left, right := values(before), values(after)
		if places && (isSeveral(left[:len(left)-1]) || isSeveral(right[1:])) {
			continue
		}
		if d, ok := differ(left, right); ok {
			d.What = name
			all = append(all, d)
		}
	}
	return all
}

// isSeveral says whether more than one value is known.
func isSeveral(values []string) bool {
	known := slices.DeleteFunc(slices.Clone(values), func(v string) bool { return v == "" })
	return slices.ContainsFunc(known, func(v string) bool { return v != known[0] })
}

// factNames returns what is known of points: StorageClasses and drivers first.
func factNames(before, after []*history.Point, target string) []string {
	var names []string
	for _, p := range slices.Concat(before, after) {
		for name := range factsOf(&p.Environment, target) {
			if !slices.Contains(factOrder, name) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return append(names, factOrder...)
}

// differ compares values on both sides of a change, where it is and one run off. What is not known is no difference.
func differ(before, after []string) (Difference, bool) {
	if d, ok := apart(before, after); ok {
		return d, true
	}
	if d, ok := apart(before[:len(before)-1], after); ok {
		return d, true
	}
	return apart(before, after[1:])
}

// apart says whether two lists have no value in common, and returns those next to each other.
func apart(before, after []string) (Difference, bool) {
	known := func(v string) bool { return v != "" }
	if !slices.ContainsFunc(before, known) || !slices.ContainsFunc(after, known) {
		return Difference{}, false
	}
	for _, v := range after {
		if v != "" && slices.Contains(before, v) {
			return Difference{}, false
		}
	}
	lastKnown := len(before) - 1
	for before[lastKnown] == "" {
		lastKnown--
	}
	return Difference{Before: before[lastKnown], After: after[slices.IndexFunc(after, known)]}, true
}

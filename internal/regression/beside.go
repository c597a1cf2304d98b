package regression

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/storagebench/storagebench/internal/history"
	"github.com/storagebench/storagebench/internal/humanize"
)

// Difference is something that is different since a change.
type Difference struct {
	// What it is, such as kernel, aws-ebs-csi-driver or "StorageClass fast: iops 3000 -> 1000".
	What string
	// Before and After are its values, "" where it is not known. Both are where What says all.
	Before, After string
}

// What is compared across a change, but for drivers, which go by the names of their images, and parameters of the StorageClass.
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

// factParameter is before the name of a parameter of the StorageClass, of which no other fact has the like, and unset the value of one that a class does not have.
const (
	factParameter = "\x00"
	unset         = "unset"
)

// maxFacts is how many drivers and parameters are compared. A history that somebody has made up can have others at each point.
const maxFacts = 64

// factOrder is the order in which differences are told, after drivers: first what most likely made the change, and last what changes often.
var factOrder = []string{factInstanceType, factKernel, factOSImage, factKubelet, factFio, factOperator, factZone, factNode}

// facts is what is known of an environment.
type facts map[string]string

// factsOf returns what is known of an environment, of drivers and StorageClasses those of a target.
func factsOf(e *history.Environment, target string) facts {
	known := facts{
		factOperator: e.Operator, factFio: e.Fio, factKubelet: e.Kubelet, factKernel: e.Kernel, factOSImage: e.OSImage,
		factInstanceType: e.InstanceType, factZone: e.Zone, factNode: e.Node,
	}
	for _, d := range e.Drivers {
		if d.Image != "" && slices.Contains(d.Targets, target) {
			name, version := imageOf(d.Image)
			known[name] = version
		}
	}
	if class := e.ClassOf(target); class != nil && class.Name != "" { // somebody can have made up one without
		known[factClass] = class.Name
		for _, parameter := range class.Parameters {
			name, value, _ := strings.Cut(parameter, "=")
			known[factParameter+name] = value
		}
	}
	return known
}

// of returns a fact, "" if it is not known. What a StorageClass does not have is known.
func (f facts) of(name string) string {
	value := f[name]
	if value == "" && f[factClass] != "" && strings.HasPrefix(name, factParameter) {
		return unset
	}
	return value
}

// side is what is known of the points before a change, or of those from it on.
type side []facts

func sideOf(points []*history.Point, target string) side {
	all := make(side, len(points))
	for i, p := range points {
		all[i] = factsOf(&p.Environment, target)
	}
	return all
}

func (s side) of(name string) []string {
	values := make([]string, len(s))
	for i := range s {
		values[i] = s[i].of(name)
	}
	return values
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
// or so, it may also have come one run earlier or later. It also returns what is known on both sides, and so would have been found to be different.
func differences(before, after []*history.Point, target string) (found []Difference, known []string) {
	left, right := sideOf(before, target), sideOf(after, target)
	for _, name := range factNames(left, right) {
		a, b := left.of(name), right.of(name)
		if !isKnown(a) || !isKnown(b) {
			continue
		}
		// What an upgrade changes has one value after another. A node may be another one in each run, which tells nothing.
		if (name == factNode || name == factZone) && (isSeveral(a[:len(a)-1]) || isSeveral(b[1:])) {
			continue
		}
		if !strings.HasPrefix(name, factParameter) {
			known = append(known, name)
		}
		if d, ok := differ(a, b); ok {
			d.What = name
			found = append(found, d)
		}
	}
	return inOne(found, right), known
}

func isKnown(values []string) bool {
	return slices.ContainsFunc(values, func(v string) bool { return v != "" })
}

// inOne has all parameters of the StorageClass be one difference, which comes first: they change together where somebody makes a class anew.
func inOne(all []Difference, after side) []Difference {
	var parameters, others []Difference
	for _, d := range all {
		if name, is := strings.CutPrefix(d.What, factParameter); is {
			parameters = append(parameters, Difference{What: name, Before: d.Before, After: d.After})
		} else {
			others = append(others, d)
		}
	}
	if len(parameters) == 0 {
		return others
	}
	classes := slices.DeleteFunc(after.of(factClass), func(v string) bool { return v == "" })
	what := fmt.Sprintf("%s %s: %s", factClass, humanize.Cut(classes[0], maxVersion, "..."), besideText(parameters, mostBeside))
	return append([]Difference{{What: what}}, others...)
}

// isSeveral says whether more than one value is known.
func isSeveral(values []string) bool {
	known := slices.DeleteFunc(slices.Clone(values), func(v string) bool { return v == "" })
	return slices.ContainsFunc(known, func(v string) bool { return v != known[0] })
}

// factNames returns of what there may be differences: parameters of the StorageClass and drivers first.
func factNames(before, after side) []string {
	others := sets.New[string]()
	for _, known := range slices.Concat(before, after) {
		others.Insert(slices.Collect(maps.Keys(known))...)
	}
	others.Delete(factOrder...)
	names := sets.List(others)
	return append(names[:min(len(names), maxFacts)], factOrder...)
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
	if !isKnown(before) || !isKnown(after) {
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
	return Difference{Before: before[lastKnown], After: after[slices.IndexFunc(after, func(v string) bool { return v != "" })]}, true
}

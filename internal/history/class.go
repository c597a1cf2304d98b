package history

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	storagev1 "k8s.io/api/storage/v1"

	"github.com/storagebench/storagebench/internal/humanize"
)

// StorageClass is one that targets name.
type StorageClass struct {
	Name string `cbor:"1,keyasint,omitempty"`
	// Parameters are what ClassParameters returns of it.
	Parameters []string `cbor:"2,keyasint,omitempty"`
	// Targets are the names of those targets, sorted.
	Targets []string `cbor:"3,keyasint,omitempty"`
}

// Bounds of what is kept of a StorageClass.
const (
	// maxParameters is the most parameters. Where there are more, the last one is a hash of the rest.
	maxParameters = 24
	// maxKey and maxParameterValue are the most bytes of a name and of a value. Of a longer one there is a hash, which tells whether it changed, and nothing else.
	maxKey, maxParameterValue = 96, 64
	// maxClassBytes is the most bytes of the parameters of all classes of a point. Those of classes beyond are a hash.
	maxClassBytes = 8 << 10
)

// isCredential finds parameters that may lead to a Secret, or be one: whoever may read a history may not be allowed to read StorageClasses.
var isCredential = regexp.MustCompile("(?i)secret|passw|token|credential|key")

// ClassParameters returns what of a StorageClass may decide how fast its volumes are, each as name=value: its provisioner first, and its parameters and mount options, sorted.
// What may be, or lead to, a credential is left out, as is all that has "key" in its name.
func ClassParameters(class *storagev1.StorageClass) []string {
	all := []string{parameter("provisioner", class.Provisioner)}
	if len(class.MountOptions) > 0 {
		all = append(all, parameter("mountOptions", strings.Join(slices.Sorted(slices.Values(class.MountOptions)), ",")))
	}
	for _, key := range slices.Sorted(maps.Keys(class.Parameters)) {
		if !isCredential.MatchString(key) {
			all = append(all, parameter(key, class.Parameters[key]))
		}
	}
	if len(all) > maxParameters {
		rest := hashOf(strings.Join(all[maxParameters-1:], "\n"))
		all = append(all[:maxParameters-1], "others="+hashed(rest))
	}
	return all
}

// parameter returns a name and a value, of bounded length, with the first = between them.
func parameter(key, value string) string {
	key = strings.ReplaceAll(humanize.Line(key), "=", "-")
	if len(key) > maxKey {
		key = humanize.Cut(key, maxKey/2, "") + "-" + hashOf(key)
	}
	if len(value) > maxParameterValue {
		value = hashed(hashOf(value))
	}
	return key + "=" + humanize.Line(value)
}

func hashed(hash string) string { return "hash-" + hash }

// withinBudget returns classes whose parameters take no more than they may, all together.
func withinBudget(classes []StorageClass) []StorageClass {
	left := maxClassBytes
	for i := range classes {
		all := strings.Join(classes[i].Parameters, "\n")
		if left -= len(all); left < 0 {
			left += len(all)
			classes[i].Parameters = []string{"all=" + hashed(hashOf(all))}
		}
		classes[i].Name = name(classes[i].Name)
	}
	return classes
}

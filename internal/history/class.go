package history

import (
	"slices"
	"strings"

	storagev1 "k8s.io/api/storage/v1"

	"github.com/storagebench/storagebench/internal/legible"
)

// Bounds of what is kept of a StorageClass.
const (
	// maxParameters is the most parameters, the provisioner among them.
	maxParameters = 32
	// maxParameterValue is the most bytes of a value. A longer one, such as the ARN of a key, is kept as a hash: it tells whether it changed, and nothing else.
	maxParameterValue = 64
)

// parameterProvisioner is the name under which the provisioner of a StorageClass stands among its parameters, of which none has a blank.
const parameterProvisioner = "the provisioner"

// ClassParameters returns what of a StorageClass decides how fast its volumes are: its provisioner and its parameters, each as name=value, sorted. Where Secrets are is
// left out: whoever may read the history need not know.
func ClassParameters(class *storagev1.StorageClass) []string {
	all := []string{parameterProvisioner + "=" + parameterValue(class.Provisioner)}
	for key, value := range class.Parameters {
		if strings.Contains(strings.ToLower(key), "secret") {
			continue
		}
		all = append(all, shortened(strings.ReplaceAll(legible.Line(key), "=", "-")+"="+parameterValue(value)))
	}
	slices.Sort(all)
	return all[:min(len(all), maxParameters)]
}

func parameterValue(value string) string {
	if len(value) > maxParameterValue {
		return "hash " + hashOf(value)
	}
	return legible.Line(value)
}

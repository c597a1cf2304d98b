package wording

import (
	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/preset"
)

// Manifest returns the YAML with which anyone can repeat a benchmark: its name and spec, without the namespace and what a
// cluster adds. Presets have the version that was measured.
func Manifest(sb *v1alpha1.StorageBenchmark) ([]byte, error) {
	return yaml.Marshal(map[string]any{
		"apiVersion": v1alpha1.GroupVersion.String(),
		"kind":       "StorageBenchmark",
		"metadata":   map[string]string{"name": sb.Name},
		"spec":       preset.Pin(&sb.Spec, sb.Status.Presets),
	})
}

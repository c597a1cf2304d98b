package wording

import (
	"strings"
	"unicode"

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

// Harmless is a text from a cluster without what a terminal acts on, and with its lines and columns.
func Harmless(what string) string { return strings.Map(HarmlessRune, what) }

// HarmlessRune returns a character that may be printed: escapes and other control characters could do anything to a
// terminal, those that turn the direction of a text or are not seen mislead its reader. What stands for them shows that there was something.
func HarmlessRune(r rune) rune {
	if r == '\n' || r == '\t' || unicode.IsPrint(r) {
		return r
	}
	return unicode.ReplacementChar
}

package result

import (
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/storagebench/storagebench/internal/analysis"
	"github.com/storagebench/storagebench/internal/plan"
)

// No sample falls into a trap that there is a warning of.
func TestSamplesHaveNoTraps(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "config", "samples", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		if name == "kustomization" {
			continue
		}
		runs, problems := plan.Runs(&sample(t, name).Spec, nil)
		if len(problems) > 0 {
			t.Fatalf("%s: %v", name, problems)
		}
		for i := range runs {
			facts := Facts{Planned: &runs[i], Mode: corev1.PersistentVolumeFilesystem}
			for _, load := range facts.loads() {
				traps := analysis.Load{
					IgnoredDepth: load.IgnoredDepth, BufferedAsync: load.BufferedAsync, AlikeData: load.AlikeData, InlineRate: load.InlineRate,
					OtherFilesSynced: load.OtherFilesSynced,
				}
				if traps != (analysis.Load{}) {
					t.Errorf("%s, run %s: %+v", name, runs[i].Name, traps)
				}
			}
			seen++
		}
	}
	if seen < 20 {
		t.Errorf("only %d runs were looked at", seen)
	}
}

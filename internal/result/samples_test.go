package result

import (
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/analysis"
	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/internal/storage"
)

// checkSpace fails if all files that runs lay out fill a volume so much that there is a warning.
func checkSpace(t *testing.T, name string, runs []plan.Run) {
	t.Helper()
	jobs := map[*v1alpha1.Target][]*fio.JobFile{}
	for i := range runs {
		if target := runs[i].Target; storage.IsNewVolume(target) && storage.VolumeMode(target) == corev1.PersistentVolumeFilesystem {
			jobs[target] = append(jobs[target], runs[i].Job)
		}
	}
	for target, all := range jobs {
		bytes, known := fio.FileBytes(all...)
		if !known {
			t.Errorf("%s on %s: files of unknown size", name, target.Name)
		}
		capacity := storage.Capacity(target)
		client := analysis.Client{UsedPermille: bytes * 1000 / capacity.Value()}
		for _, w := range analysis.Warnings([]v1alpha1.Result{{}}, nil, nil, client) {
			if w.Reason == v1alpha1.WarningNearlyFull {
				t.Errorf("%s on %s: files of %d bytes: %+v", name, target.Name, bytes, w)
			}
		}
	}
}

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
		runs, problems := plan.Runs(sample(t, name).Spec.Default(), nil)
		if len(problems) > 0 {
			t.Fatalf("%s: %v", name, problems)
		}
		for i := range runs {
			facts := Facts{Planned: &runs[i], Mode: corev1.PersistentVolumeFilesystem}
			for _, load := range facts.loads() {
				traps := analysis.Load{
					IgnoredDepth: load.IgnoredDepth, BufferedAsync: load.BufferedAsync, AlikeData: load.AlikeData, InlineRate: load.InlineRate,
					OtherFilesSynced: load.OtherFilesSynced, SyncedAtEnd: load.SyncedAtEnd,
				}
				if traps != (analysis.Load{}) {
					t.Errorf("%s, run %s: %+v", name, runs[i].Name, traps)
				}
			}
			seen++
		}
		checkSpace(t, name, runs)
		judged := []v1alpha1.Comparison{{Targets: []v1alpha1.TargetComparison{{Figures: []v1alpha1.FiguresComparison{{Name: v1alpha1.OperationRead, MilliIOPS: &v1alpha1.Statistic{Verdict: v1alpha1.VerdictSlower}}}}}}}
		analysis.WarnOfOrder(judged, sample(t, name).Spec.Order)
		if warnings := judged[0].Targets[0].Warnings; len(warnings) > 0 {
			t.Errorf("%s: verdicts have %+v", name, warnings)
		}
	}
	if seen < 20 {
		t.Errorf("only %d runs were looked at", seen)
	}
}

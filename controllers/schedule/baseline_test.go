package schedule

import (
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/history"
	"github.com/storagebench/storagebench/test/harness"
)

// plain is a benchmark that leaves all to defaults that can be left to them.
const plain = `
metadata: {name: plain}
spec:
  targets:
  - {name: class, storageClassName: gp3}
  - {name: volume, ebs: {type: gp3}}
  - {name: files, efs: {fileSystemID: fs-0123456789abcdef0}}
  workloads:
  - name: job
    fio: {rw: randrw, bs: 16k, size: 64M}
  - name: preset
    preset: etcd
  placement: {isolation: None}
`

// The baseline of a spec does not change when a later CustomResourceDefinition gives the spec more defaults. If this
// test fails, leave the new default out of the baseline (history.BaselineOf). Otherwise all schedules begin a new
// baseline with the upgrade.
func TestBaselineStaysWithDefaults(t *testing.T) {
	w := newWorld(t)
	sb := &v1alpha1.StorageBenchmark{}
	if err := yaml.Unmarshal([]byte(plain), sb); err != nil {
		t.Fatal(err)
	}
	sb.Namespace = w.Namespace
	sb = harness.Create(w.World, sb)
	env := history.FromBenchmark(sb, history.Environment{Fio: "fio-3.33", InstanceType: "m6i.large"}).Environment
	if want := "9120d8fa40c30012"; env.Baseline != want {
		t.Errorf("the baseline is %s, and was %s", env.Baseline, want)
	}
	for target, want := range map[string]string{"class": "a7ec47062667dab8", "volume": "c453b8b0250fcbc7", "files": "e738917cbf74816f"} {
		if got := env.Of(target); got != want {
			t.Errorf("the baseline of target %s is %s, and was %s", target, got, want)
		}
	}
}

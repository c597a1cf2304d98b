package plan

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/expectation"
	"github.com/storagebench/storagebench/internal/preset"
)

// checked returns a spec that has presets as "kubectl storagebench check" does.
func checked(target v1alpha1.Target, presets ...preset.Preset) *v1alpha1.StorageBenchmarkSpec {
	spec := &v1alpha1.StorageBenchmarkSpec{Targets: []v1alpha1.Target{target}}
	for _, p := range presets {
		spec.Workloads = append(spec.Workloads, v1alpha1.Workload{Name: p.Name, Preset: new(p.ID())})
	}
	return spec
}

func newGP3(capacity string) v1alpha1.Target {
	return v1alpha1.Target{Name: "gp3", Capacity: new(resource.MustParse(capacity)), EBS: &v1alpha1.EBSVolume{Type: "gp3"}}
}

// All presets fit together onto the volume that the thorough check makes, and what they expect and show is measured.
func TestPresetsCanBePlanned(t *testing.T) {
	runs, problems := Runs(checked(newGP3("40Gi"), preset.Newest()...), nil)
	if len(problems) > 0 {
		t.Fatal(problems.ToAggregate())
	}
	measured := measuresOf(runs)
	for _, p := range preset.Newest() {
		for _, threshold := range p.Thresholds {
			if m, _ := expectation.FindMetric(threshold.Metric); !m.IsMeasured(measured[p.Name]) {
				t.Errorf("%s expects something of %s, which it does not measure", p.ID(), threshold.Metric)
			}
		}
		for _, name := range p.Shows {
			if m, _ := expectation.FindMetric(name); !m.IsMeasured(measured[p.Name]) {
				t.Errorf("%s shows %s, which it does not measure", p.ID(), name)
			}
		}
	}
	for id, estimate := range Estimates(runs, nil) {
		if !estimate.IsComplete() {
			t.Errorf("nobody knows how long %s takes", id)
		}
	}
}

// The shortest check of a gp3 volume takes about seven minutes, with the default capacity and three repetitions.
func TestShortestCheck(t *testing.T) {
	var quick []preset.Preset
	for _, p := range preset.Newest() {
		if p.Quick {
			quick = append(quick, p)
		}
	}
	spec := checked(newGP3("10Gi"), quick...)
	spec.Repetitions = new(int32(3))
	runs, problems := Runs(spec, nil)
	if len(problems) > 0 {
		t.Fatal(problems.ToAggregate())
	}
	total := time.Duration(0)
	for _, estimate := range Estimates(runs, nil) {
		total += estimate.Total()
	}
	// The rest is for a volume that is made, a pod that starts on it, and clean-up.
	if most := 6 * time.Minute; total > most {
		t.Errorf("it takes %s, want at most %s", total, most)
	}
}

// A log that its application makes anew is a new file in each run, of which no block was written before: fio has to tell the file system
// where each is. A log that is recycled is written over blocks that are there.
func TestLogsAreNewFiles(t *testing.T) {
	for name, isNew := range map[string]bool{
		"etcd": true, "kafka": true, "kafka-fsync": true, "elasticsearch-translog": true, "mongodb-journal": true, "prometheus-wal": true, "backup": true,
		"postgres-wal": false, "mysql-redo": false,
	} {
		p, _ := preset.Find(name)
		spec := checked(newGP3("10Gi"), *p)
		spec.Repetitions = new(int32(2))
		runs, problems := Runs(spec, nil)
		if len(problems) > 0 || len(runs) != 2 {
			t.Fatal(runs, problems.ToAggregate())
		}
		written := false
		layout := NewLayout(runs, nil)
		for i := range runs {
			for _, share := range layout.Before(&runs[i]) {
				written = written || share.File != nil && strings.Contains(share.File.String(), "overwrite=1\n")
			}
			layout.Measured(&runs[i])
		}
		if written == isNew {
			t.Errorf("blocks of %s are written before it: %t", name, written)
		}
		if removed := strings.Contains(runs[0].Job.String(), "unlink=1\n"); removed != isNew {
			t.Errorf("fio removes the files of %s: %t", name, removed)
		}
		if wraps := strings.Contains(runs[0].Job.String(), "time_based=1\n"); wraps && isNew && name != "mongodb-journal" { // which is slower than its file is long
			t.Errorf("%s begins its files anew when they are full", name)
		}
	}
}

func TestPresetsOnS3(t *testing.T) {
	s3 := v1alpha1.Target{Name: "s3", S3: &v1alpha1.S3Bucket{Bucket: "my-bucket", Region: new("eu-central-1")}}
	for _, p := range preset.Newest() {
		_, problems := Runs(checked(s3, p), nil)
		if want := p.Name == "backup" || p.Name == "analytics"; want && len(problems) > 0 {
			t.Errorf("%s is refused: %v", p.ID(), problems.ToAggregate())
		}
		if p.Name == "etcd" && len(problems) == 0 {
			t.Error("etcd is planned on S3")
		}
	}
}

func TestPresetProblems(t *testing.T) {
	for name, test := range map[string]struct {
		workload v1alpha1.Workload
		want     string
	}{
		"unknown": {v1alpha1.Workload{Preset: new("etdc")}, `spec.workloads[0].preset: Invalid value: "etdc": there is no such preset: use one of etcd, etcd-busy, `},
		"version": {v1alpha1.Workload{Preset: new("etcd.v99")}, `spec.workloads[0].preset: Invalid value: "etcd.v99": there is no such preset`},
		"empty":   {v1alpha1.Workload{Preset: new("")}, `spec.workloads[0].preset: Invalid value: "": there is no such preset`},
		"twice":   {v1alpha1.Workload{Preset: new("etcd"), JobFile: new("[a]\nrw=read\nsize=1M\n")}, "set exactly one of preset (a workload that has a name), fio (parameters) and jobFile (a whole fio job file)"},
		"scale":   {v1alpha1.Workload{Scale: &v1alpha1.PresetScale{}, JobFile: new("[a]\nrw=read\nsize=1M\n")}, "spec.workloads[0].scale: Forbidden: it is for presets: set size and runtimeSeconds in fio, or in jobFile"},
		"matrix": {
			v1alpha1.Workload{Preset: new("etcd"), Matrix: map[string]v1alpha1.MatrixValues{"bs": {intstr.FromString("4k")}}},
			"spec.workloads[0].matrix: Forbidden: a preset sets what is measured, so that its results are comparable: remove matrix, or set fio to vary options; clients can vary",
		},
		"no room": {v1alpha1.Workload{Preset: new("etcd"), Scale: &v1alpha1.PresetScale{Size: new("100G")}}, "the workloads need 100Gi: set capacity to at least 103Gi, or lower size or numjobs"},
	} {
		t.Run(name, func(t *testing.T) {
			test.workload.Name = "w"
			spec := &v1alpha1.StorageBenchmarkSpec{Targets: []v1alpha1.Target{newGP3("10Gi")}, Workloads: []v1alpha1.Workload{test.workload}}
			_, problems := Runs(spec, nil)
			if len(problems) != 1 || !strings.Contains(problems[0].Error(), test.want) {
				t.Errorf("it is refused with %v, want %s", problems, test.want)
			}
		})
	}
}

// A run of a preset is that of the parameters which it stands for.
func TestPresetRun(t *testing.T) {
	spec := &v1alpha1.StorageBenchmarkSpec{Targets: []v1alpha1.Target{newGP3("10Gi")}, Workloads: []v1alpha1.Workload{{Name: "w", Preset: new("etcd"), Scale: &v1alpha1.PresetScale{Size: new("1M")}}}}
	runs, problems := Runs(spec, nil)
	if len(problems) > 0 || len(runs) != 1 {
		t.Fatal(runs, problems)
	}
	text := runs[0].Job.String()
	for _, want := range []string{"rw=write\n", "bs=2300\n", "size=1M\n", "fdatasync=1\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in:\n%s", want, text)
		}
	}
	if spec.Workloads[0].Fio != nil {
		t.Error("the spec itself was changed")
	}
}

func TestExpectationsAreValidated(t *testing.T) {
	spec := checked(newGP3("10Gi"), preset.Newest()[0])
	spec.Expectations = []v1alpha1.Expectation{{Workload: "etcd", Metric: "read.p99", Max: new("1ms")}}
	_, problems := Runs(spec, nil)
	if want := `spec.expectations[0].metric: Invalid value: "read.p99": no job of workload etcd reads`; len(problems) != 1 || !strings.Contains(problems[0].Error(), want) {
		t.Errorf("it is refused with %v, want %s", problems, want)
	}
}

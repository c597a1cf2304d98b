package result

import (
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/plan"
)

// ran returns the runs of a plan as if each had done the same, whatever its parameters, with an unknown verdict.
func ran(t *testing.T, spec string) ([]v1alpha1.Run, []plan.Run) {
	t.Helper()
	sb := &v1alpha1.StorageBenchmark{}
	if err := yaml.UnmarshalStrict([]byte("spec: "+spec), sb); err != nil {
		t.Fatal(err)
	}
	planned, problems := plan.Runs(sb.Spec.Default(), nil)
	if len(problems) > 0 {
		t.Fatal(problems.ToAggregate())
	}
	var runs []v1alpha1.Run
	for i := range planned {
		p := &planned[i]
		runs = append(runs, v1alpha1.Run{
			Name: p.Name, Target: p.Target.Name, Workload: p.Workload.Name, Parameters: p.Parameters, State: v1alpha1.RunSucceeded,
			Result: new(reads(at(1000, 4*kib, 0))), LimitedBy: &v1alpha1.LimitedBy{Reason: unknown, Message: "before"},
		})
	}
	return runs, planned
}

// A matrix over numjobs, iodepth or clients is a probe, where its cases differ in how much is in flight and in nothing else.
func TestJudgeMatrices(t *testing.T) {
	const ebs, efs = "{name: t, ebs: {}}", "{name: t, efs: {fileSystemID: fs-01234567}}"
	workload := func(target, workload string) string {
		return "{targets: [" + target + "], workloads: [" + workload + "]}"
	}
	for _, test := range []struct {
		name, spec string
		// want is how many of the runs have a verdict of the matrix.
		runs, want int
	}{
		{"numjobs", workload(ebs, "{name: w, fio: {rw: randread, size: 1G, numjobs: 1}, matrix: {numjobs: [1, 2, 4]}}"), 3, 3},
		{"iodepth", workload(ebs, "{name: w, fio: {rw: randread, size: 1G}, matrix: {iodepth: [1, 16]}}"), 2, 2},
		{"iodepth of an engine that ignores it", workload(ebs, "{name: w, fio: {rw: randread, size: 1G, ioengine: psync}, matrix: {iodepth: [1, 16]}}"), 2, 0},
		{"clients that share a file system", workload(efs, "{name: w, fio: {rw: randread, size: 1G}, clients: [1, 2]}"), 2, 2},
		{"clients with a volume each", workload(ebs, "{name: w, fio: {rw: randread, size: 1G}, clients: [1, 2]}"), 2, 0},
		{"another parameter", workload(ebs, "{name: w, fio: {rw: randread, size: 1G}, matrix: {bs: [4k, 8k]}}"), 2, 0},
		{"each of other parameters alone", workload(ebs, "{name: w, fio: {rw: randread, size: 1G}, matrix: {numjobs: [1, 2], bs: [4k, 8k]}}"), 4, 4},
		{"less than twice", workload(ebs, "{name: w, fio: {rw: randread, size: 1G}, matrix: {numjobs: [4, 6]}}"), 2, 0},
		{"through the page cache", workload(ebs, "{name: w, fio: {rw: randread, size: 1G, direct: false}, matrix: {numjobs: [1, 2]}}"), 2, 0},
		{"repetitions", strings.Replace(workload(ebs, "{name: w, fio: {rw: randread, size: 1G}, matrix: {numjobs: [1, 2]}}"), "{targets", "{repetitions: 3, targets", 1), 6, 6},
		{"each target by itself", workload(ebs+", {name: u, ebs: {type: gp2}}", "{name: w, fio: {rw: randread, size: 1G}, matrix: {numjobs: [1, 2]}}"), 4, 4},
		{"two workloads", workload(ebs, "{name: w, fio: {rw: randread, size: 1G, numjobs: 1}}, {name: v, fio: {rw: randread, size: 1G, numjobs: 2}}"), 2, 0},
	} {
		runs, planned := ran(t, test.spec)
		JudgeMatrices(runs, planned)
		judged := 0
		for i := range runs {
			if runs[i].LimitedBy.Reason == atStorage && runs[i].LimitedBy.Evidence == v1alpha1.EvidenceProbe {
				judged++
			}
		}
		if len(runs) != test.runs || judged != test.want {
			t.Errorf("%s: %d of %d runs are judged, want %d of %d", test.name, judged, len(runs), test.want, test.runs)
		}
	}
}

// Runs without a result, and those that are not planned any more, are no cases.
func TestJudgeIncompleteMatrices(t *testing.T) {
	const spec = "{targets: [{name: t, ebs: {}}], workloads: [{name: w, fio: {rw: randread, size: 1G}, matrix: {numjobs: [1, 2]}}]}"
	for name, change := range map[string]func([]v1alpha1.Run, []plan.Run) ([]v1alpha1.Run, []plan.Run){
		"failed": func(r []v1alpha1.Run, p []plan.Run) ([]v1alpha1.Run, []plan.Run) {
			r[1].Result = nil
			return r, p
		},
		"without a verdict": func(r []v1alpha1.Run, p []plan.Run) ([]v1alpha1.Run, []plan.Run) {
			r[1].LimitedBy = nil
			return r, p
		},
		"not planned": func(r []v1alpha1.Run, p []plan.Run) ([]v1alpha1.Run, []plan.Run) { return r, p[:1] },
		"none":        func([]v1alpha1.Run, []plan.Run) ([]v1alpha1.Run, []plan.Run) { return nil, nil },
	} {
		runs, planned := change(ran(t, spec))
		JudgeMatrices(runs, planned)
		if len(runs) > 0 && runs[0].LimitedBy.Message != "before" {
			t.Errorf("%s: %+v", name, runs[0].LimitedBy)
		}
	}
}

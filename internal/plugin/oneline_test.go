package plugin

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// TestFSGroup: a claim that only root may write to can be measured with a flag. Without it the operator decides.
func TestFSGroup(t *testing.T) {
	o := &oneLine{targetFlags: targetFlags{claims: []string{"data"}}, rw: []string{"read"}, bs: []string{"4k"}, size: "1M", runtime: "0"}
	sb, err := o.benchmark()
	if err != nil || sb.Spec.Pod != nil {
		t.Fatalf("without the flag pods have %v, %v", sb.Spec.Pod, err)
	}
	o.fsGroup = 65532
	if sb, err = o.benchmark(); err != nil || ptr.Deref(sb.Spec.Pod.SecurityContext.FSGroup, 0) != 65532 {
		t.Errorf("pods have %+v, %v", sb.Spec.Pod, err)
	}
}

// TestTargetFlags: each kind of target has a flag. Targets of the same kind get names that tell them apart.
func TestTargetFlags(t *testing.T) {
	o := targetFlags{
		classes: []string{"fast.class"}, capacities: []string{"20Gi"},
		ebs: []string{"gp3,iops=3000", "gp3,iops=6000,throughput=500,capacity=30Gi", "io2,iops=10000,name=big"},
		efs: []string{"fs-0123456789abcdef0,throughputMode=Elastic"}, s3: []string{"my-bucket,prefix=bench/"},
		claims: []string{"data"},
	}
	targets, err := o.targets()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range targets {
		capacity := "-"
		if targets[i].Capacity != nil {
			capacity = targets[i].Capacity.String()
		}
		got = append(got, targets[i].Name+" "+capacity)
	}
	want := []string{"fast-class 20Gi", "gp3-3000-20gi 20Gi", "gp3-6000-500-30gi 30Gi", "big 20Gi", "efs 20Gi", "s3 20Gi", "data -"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if e := targets[2].EBS; e.Type != "gp3" || *e.IOPS != 6000 || *e.Throughput != 500 || targets[4].EFS.FileSystemID != "fs-0123456789abcdef0" ||
		*targets[5].S3.Prefix != "bench/" {
		t.Errorf("the settings are %+v, %+v, %+v", e, targets[4].EFS, targets[5].S3)
	}
}

// TestSearchFlag: a latency without a direction is the one of each workload.
func TestSearchFlag(t *testing.T) {
	o := &oneLine{
		targetFlags: targetFlags{classes: []string{"gp3"}}, rw: []string{"randread", "randwrite"}, bs: []string{"4k"},
		iodepth: []string{"1", "16"}, ioengine: "libaio", direct: true, size: "1G", runtime: "30s", search: "p99=5ms,max=64",
	}
	sb, err := o.benchmark()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"read.p99", "write.p99"} {
		w := sb.Spec.Workloads[i]
		if w.Search == nil || w.Search.Objective.Metric != want || w.Search.Vary != "iodepth" || w.Search.Max != 64 || len(w.Matrix) > 0 {
			t.Errorf("workload %s searches %+v, matrix %v", w.Name, w.Search, w.Matrix)
		}
	}
	if err := checkPlan(sb); err != nil {
		t.Error(err)
	}
}

// TestAgain: a benchmark that is run again measures the same under a new name, belongs to no schedule, and is not held.
func TestAgain(t *testing.T) {
	before := &v1alpha1.StorageBenchmark{}
	before.Name, before.Labels = "nightly-1", map[string]string{"team": "data", v1alpha1.LabelSchedule: "nightly"}
	before.Spec.Suspend, before.Spec.Cancel, before.Spec.Repetitions = new(true), new(true), new(int32(4))
	got := again(before)
	if diff := cmp.Diff(map[string]string{"team": "data"}, got.Labels); diff != "" || got.Name != "" || got.GenerateName != "nightly-1-" {
		t.Errorf("it is called %q %q: %s", got.Name, got.GenerateName, diff)
	}
	if got.Spec.Suspend != nil || got.Spec.Cancel != nil || *got.Spec.Repetitions != 4 {
		t.Errorf("its spec is %+v", got.Spec)
	}
}

// TestFioAfterDashes: options of fio without a name describe a job that is called as its I/O.
func TestFioAfterDashes(t *testing.T) {
	for want, args := range map[string][]string{
		"randread": {"--rw=randread", "--bs=8k", "--size=1G"}, "mine": {"--name=mine", "--rw=read", "--size=1G"}, "fio": {"--bs=8k", "--size=1G"},
	} {
		o := &oneLine{targetFlags: targetFlags{classes: []string{"gp3"}}, fio: namedJob(args)}
		sb, err := o.benchmark()
		if err != nil || sb.Spec.Workloads[0].Name != want {
			t.Errorf("%q: %+v, %v", args, sb, err)
		}
	}
}

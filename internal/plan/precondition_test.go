package plan

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// A volume is written before it is measured: test files as often as they are to be, a device in full, once.
func TestPreconditionsAreEstimated(t *testing.T) {
	for _, test := range []struct {
		name          string
		mode          corev1.PersistentVolumeMode
		first, second float64
	}{
		{"files", corev1.PersistentVolumeFilesystem, 2 * 1024. / 125, 0}, // 1 GiB at 125 MiB/s
		{"device", corev1.PersistentVolumeBlock, 2 * 10 * 1024. / 125, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			spec := steadySpec()
			spec.Targets[0] = v1alpha1.Target{Name: "a", EBS: &v1alpha1.EBSVolume{Type: "gp3"}, VolumeMode: &test.mode, Precondition: &v1alpha1.Precondition{}}
			spec.Repetitions = new(int32(2))
			spec.Workloads[0].Fio.Size = new("1G")
			runs, problems := Runs(spec, nil)
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			estimates := Estimates(runs, nil)
			for i, want := range []float64{test.first, test.second} {
				if got := estimates[runs[i].Name].Preconditioning.Seconds(); got < want*0.99 || got > want*1.01 {
					t.Errorf("run %d writes before for %v s, want %v", i, got, want)
				}
			}
		})
	}
}

// What each run lays out for itself is new in each run, and not written once more. The files of the others are not written again for that.
func TestFilesOfEachRunAreNotPreconditioned(t *testing.T) {
	spec := steadySpec()
	spec.Targets[0] = v1alpha1.Target{Name: "a", EBS: &v1alpha1.EBSVolume{Type: "gp3"}, Precondition: &v1alpha1.Precondition{}}
	spec.Repetitions, spec.Workloads[0].Until, spec.Workloads[0].Fio.Size = new(int32(2)), nil, new("1G")
	alone := *spec.Workloads[0].DeepCopy()
	alone.Name, alone.Fio.Options = "alone", map[string]v1alpha1.FioOptionValue{"unlink": "1"}
	spec.Workloads = append(spec.Workloads, alone)
	runs, problems := Runs(spec, nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	estimates, layout := Estimates(runs, nil), NewLayout(runs, nil)
	for i := range runs {
		first := runs[i].Workload.Name == "w" && runs[i].Repetition == 1
		shares := layout.Before(&runs[i])
		if got := Preconditions(&runs[i], 0, corev1.PersistentVolumeFilesystem, nil, shares); got != first || (estimates[runs[i].Name].Preconditioning > 0) != first {
			t.Errorf("run %s: written %t, for %s", runs[i].Name, got, estimates[runs[i].Name].Preconditioning)
		}
		layout.Measured(&runs[i])
	}
}

// A run that writes for days before it measures has the time, also where burst credits end meanwhile. A deadline that is shorter is refused.
func TestPreconditionsHaveTheTime(t *testing.T) {
	for _, test := range []struct {
		kind     v1alpha1.EBSVolumeType
		capacity string
		seconds  int32 // for two passes
	}{
		{"gp3", "16Ti", 2 * (16 << 20) / 125},
		{"sc1", "1Ti", 87_381}, // at 80 MiB/s until 1 TiB of credits is used up, then at 12 MiB/s
	} {
		t.Run(string(test.kind), func(t *testing.T) {
			spec := steadySpec()
			spec.Targets[0] = v1alpha1.Target{
				Name: "a", EBS: &v1alpha1.EBSVolume{Type: test.kind}, Capacity: new(resource.MustParse(test.capacity)), VolumeMode: new(corev1.PersistentVolumeBlock),
				Precondition: &v1alpha1.Precondition{},
			}
			spec.Workloads[0].Until = nil
			runs, problems := Runs(spec, nil)
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			if got := RunDeadlineSeconds(runs); got < 2*test.seconds || got > 2*test.seconds+120 {
				t.Errorf("the deadline is %d s, want %d", got, 2*test.seconds)
			}
			spec.Deadlines.RunCompletionSeconds = new(test.seconds - 100)
			const want = "precondition of target a takes about"
			if _, problems := Runs(spec, nil); len(problems) != 1 || !strings.Contains(problems[0].Error(), want) {
				t.Errorf("problems are %v, want %q", problems, want)
			}
		})
	}
}

// What it costs in burst credits is said of volumes that have some.
func TestPreconditionCosts(t *testing.T) {
	spec := steadySpec()
	spec.Targets = []v1alpha1.Target{
		{Name: "gp2", EBS: &v1alpha1.EBSVolume{Type: "gp2"}, VolumeMode: new(corev1.PersistentVolumeBlock), Precondition: &v1alpha1.Precondition{}},
		{Name: "gp3", EBS: &v1alpha1.EBSVolume{Type: "gp3"}, VolumeMode: new(corev1.PersistentVolumeBlock), Precondition: &v1alpha1.Precondition{}},
	}
	runs, problems := Runs(spec, nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	costs := PreconditionCosts(runs)
	const blocks = 2 * 10 * 8192 // of 128 KiB in 10 GiB, twice; EBS may put two of them together
	if len(costs) != 1 || costs[0].Target != "gp2" || costs[0].Of != 5_400_000 || costs[0].Credits < blocks/2 || costs[0].Credits > blocks {
		t.Errorf("costs are %+v", costs)
	}
}

func TestPreconditionIsRefused(t *testing.T) {
	spec := steadySpec()
	spec.Targets[0].Precondition, spec.Workloads[0].Fio.Options = &v1alpha1.Precondition{}, map[string]v1alpha1.FioOptionValue{"buffer_compress_percentage": "80"}
	const data = "spec.targets[a].precondition: Forbidden: it writes random data, and workload w asks for other data with buffer_compress_percentage"
	if _, problems := Runs(spec, nil); len(problems) != 1 || !strings.Contains(problems[0].Error(), data) {
		t.Errorf("problems are %v, want %q", problems, data)
	}
	for want, target := range map[string]v1alpha1.Target{
		"spec.targets[0].precondition: Forbidden: with ReadWriteOncePod the claim of a raw block volume could get another volume": {
			Name: "a", StorageClassName: new("c"), VolumeMode: new(corev1.PersistentVolumeBlock), AccessMode: new(corev1.ReadWriteOncePod), Precondition: &v1alpha1.Precondition{},
		},
		"spec.targets[0].precondition: Forbidden: it writes all of a new volume without data": {Name: "a", ClaimName: new("mine"), Precondition: &v1alpha1.Precondition{}},
		"spec.targets[0].precondition.passes: Invalid value: 11":                              {Name: "a", StorageClassName: new("c"), Precondition: &v1alpha1.Precondition{Passes: new(int32(11))}},
		"spec.targets[0].precondition.bs: Unsupported value: \"100k\"":                        {Name: "a", StorageClassName: new("c"), Precondition: &v1alpha1.Precondition{BS: new("100k")}},
	} {
		spec := steadySpec()
		spec.Targets[0] = target
		_, problems := Runs(spec, nil)
		if len(problems) == 0 || !strings.Contains(problems.ToAggregate().Error(), want) {
			t.Errorf("problems are %v, want %q", problems, want)
		}
	}
}

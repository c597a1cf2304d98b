package result

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/test/builder"
)

// What a run has left in memory comes to the storage during the next one on the same storage, and is among what the kernel counts then.
func TestLeftInMemory(t *testing.T) {
	const buffered = "[w]\nrw=write\nsize=512M\n"
	counted := &v1alpha1.StorageCounters{WriteBytes: 100}
	before := func(change func(*v1alpha1.Run)) v1alpha1.Run {
		run := v1alpha1.Run{Target: "t", Attempts: 1, Counters: counted, Result: &v1alpha1.Result{Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationWrite, Bytes: 1000}}}}
		change(&run)
		return run
	}
	same := func(*v1alpha1.Run) {}
	for name, test := range map[string]struct {
		job  string
		runs []v1alpha1.Run
		want int64
	}{
		"nothing before":                {buffered, nil, 0},
		"writes that were never synced": {buffered, []v1alpha1.Run{before(same)}, 900},
		"writes that were":              {buffered + "end_fsync=1\n", []v1alpha1.Run{before(same)}, 0},
		"direct writes":                 {buffered + "direct=1\n", []v1alpha1.Run{before(same)}, 0},
		"on another target":             {buffered, []v1alpha1.Run{before(func(r *v1alpha1.Run) { r.Target = "other" })}, 0},
		"not counted":                   {buffered, []v1alpha1.Run{before(func(r *v1alpha1.Run) { r.Counters = nil })}, 0},
		"all of it counted":             {buffered, []v1alpha1.Run{before(func(r *v1alpha1.Run) { r.Counters = &v1alpha1.StorageCounters{WriteBytes: 2000} })}, 0},
		"a run that has not begun":      {buffered, []v1alpha1.Run{before(same), before(func(r *v1alpha1.Run) { r.Attempts, r.Result = 0, nil })}, 900},
		"another run in between":        {buffered, []v1alpha1.Run{before(same), before(func(r *v1alpha1.Run) { r.Name = "other"; r.Counters = nil })}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			first, own := planned(t, builder.NewTarget("t"), builder.NewJobFile("before", test.job), 1), planned(t, builder.NewTarget("t"), builder.NewJobFile("own", buffered), 1)
			facts := Facts{Planned: own, Plan: []plan.Run{*first, *own}, Mode: corev1.PersistentVolumeFilesystem}
			for _, run := range test.runs {
				if run.Name == "" {
					run.Name = first.Name
				}
				facts.Runs = append(facts.Runs, run)
			}
			later := before(func(r *v1alpha1.Run) { r.Name = first.Name; r.Result.Of(v1alpha1.OperationWrite).Bytes = 5000 })
			facts.Runs = append(facts.Runs, v1alpha1.Run{Name: own.Name, Target: "t", Attempts: 1}, later)
			if got := facts.counted(counted).LeftBytes; got != test.want {
				t.Errorf("%d bytes may be left, want %d", got, test.want)
			}
		})
	}
}

package result

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/test/builder"
)

// A raw volume is new only as far as nobody has written it: what the warning's own remedy does ends it.
func TestFilledDevices(t *testing.T) {
	const gib = 1 << 30
	wrote := func(bytes int64) *v1alpha1.Result {
		return &v1alpha1.Result{Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationWrite, Bytes: bytes}}}
	}
	const read = "[read]\nrw=randread\nsize=1G\n"
	for name, test := range map[string]struct {
		before         string // the job file of an earlier run, "" for none
		result         *v1alpha1.Result
		clients, after int32
		step           int32 // with how many clients the earlier run was, if it was a step of a search
		text           string
		want           bool
	}{
		"nothing before":           {text: read},
		"all is written":           {before: "[fill]\nrw=write\n", result: wrote(10 * gib), text: read, want: true},
		"as much as is read":       {before: "[fill]\nrw=write\nsize=1G\n", result: wrote(gib), text: read, want: true},
		"less than is read":        {before: "[fill]\nrw=write\nsize=512M\n", result: wrote(gib / 2), text: read},
		"all of it is read":        {before: "[fill]\nrw=write\nsize=1G\n", result: wrote(gib), text: "[read]\nrw=randread\n"},
		"cut off by its runtime":   {before: "[fill]\nrw=write\nsize=1G\nruntime=10\n", result: wrote(gib - 4096), text: read},
		"done within its runtime":  {before: "[fill]\nrw=write\nsize=1G\nruntime=10\n", result: wrote(gib), text: read, want: true},
		"not done yet, or failed":  {before: "[fill]\nrw=write\nsize=1G\n", text: read},
		"discarded":                {before: "[fill]\nrw=trimwrite\nsize=1G\n", result: &v1alpha1.Result{Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationTrim}}}, text: read},
		"of as many clients":       {before: "[fill]\nrw=write\nsize=1G\nruntime=10\n", result: wrote(2 * gib), clients: 2, after: 2, text: read, want: true},
		"of which some were cut":   {before: "[fill]\nrw=write\nsize=1G\nruntime=10\n", result: wrote(gib), clients: 2, after: 2, text: read},
		"of fewer clients":         {before: "[fill]\nrw=write\nsize=1G\n", result: wrote(gib), clients: 1, after: 2, text: read},
		"by a step with fewer":     {before: "[fill]\nrw=write\nsize=1G\n", result: wrote(gib), clients: 2, step: 1, after: 2, text: read},
		"by a step with as many":   {before: "[fill]\nrw=write\nsize=1G\n", result: wrote(2 * gib), clients: 2, step: 2, after: 2, text: read, want: true},
		"by the section before it": {text: "[fill]\nrw=write\nsize=1G\n[read]\nstonewall\nrw=read\nsize=1G\n", want: true},
		"by a section beside it":   {text: "[fill]\nrw=write\nsize=1G\n[read]\nrw=read\nsize=1G\n"},
	} {
		t.Run(name, func(t *testing.T) {
			target := builder.NewBlockTarget("t")
			facts := Facts{Planned: planned(t, target, builder.NewJobFile("measured", test.text), max(test.after, 1)), Mode: corev1.PersistentVolumeBlock, Target: &v1alpha1.TargetStatus{Name: "t"}}
			if test.before != "" {
				filler := planned(t, target, builder.NewJobFile("filler", test.before), max(test.clients, 1))
				facts.Plan = []plan.Run{*filler, *facts.Planned}
				facts.Runs = []v1alpha1.Run{{Name: filler.Name, Target: "t", Result: test.result}, {Name: facts.Planned.Name, Target: "t"}}
				if test.step > 0 {
					facts.Plan[0].Step, facts.Plan[0].Workload.Search = 1, &v1alpha1.LoadSearch{Vary: v1alpha1.VaryClients}
					facts.Runs[0].Search = &v1alpha1.RunSearch{Value: test.step}
				}
			}
			results := make([]v1alpha1.Result, len(facts.Planned.Job.Groups()))
			results[0].Set(v1alpha1.OperationWrite, &v1alpha1.Figures{Bytes: gib})
			filled := facts.filled(results)
			if got := filled[len(filled)-1]; got != test.want {
				t.Errorf("what is read is filled: %t", got)
			}
		})
	}
}

// Nobody is warned of a device that the benchmark has filled itself.
func TestNoWarningOfFilledDevice(t *testing.T) {
	target := builder.NewBlockTarget("t")
	fill := planned(t, target, builder.NewJobFile("fill", "[fill]\nrw=write\ndirect=1\n"), 1)
	read := planned(t, target, builder.NewWorkload("read"), 1)
	facts := Facts{Planned: read, Plan: []plan.Run{*fill, *read}, Mode: corev1.PersistentVolumeBlock, Target: &v1alpha1.TargetStatus{Name: "t"}}
	warned := func() bool {
		return slices.ContainsFunc(measured(t, builder.Report()).Analyse(facts).Warnings, func(w v1alpha1.Warning) bool { return w.Reason == v1alpha1.WarningSparseReads })
	}
	if !warned() {
		t.Error("no warning of a new device")
	}
	facts.Runs = []v1alpha1.Run{{Name: fill.Name, Target: "t", Result: &v1alpha1.Result{Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationWrite, Bytes: 10 << 30}}}}, {Name: read.Name, Target: "t"}}
	if warned() {
		t.Error("a warning of a device that was filled")
	}
}

// A raw volume that was made from a snapshot or a claim is not new: what it has may be loaded when it is first used. Of that each run is warned, but
// those that read what the benchmark has written there itself.
func TestFirstAccess(t *testing.T) {
	restored := builder.NewBlockTarget("t")
	restored.DataSource = &v1alpha1.DataSource{Kind: v1alpha1.DataSourceClaim, Name: "db"}
	const first, later = "no run has used this volume", "earlier runs have used this volume"
	filled := &v1alpha1.Run{Target: "t", Attempts: 1, Result: &v1alpha1.Result{Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationWrite, Bytes: 10 << 30}}}}
	for name, test := range map[string]struct {
		target   v1alpha1.Target
		mode     corev1.PersistentVolumeMode
		before   *v1alpha1.Run // an earlier run, which has written the whole volume if it has a result
		attempts int32
		writes   bool
		want     string
	}{
		"the first run":                 {target: restored, want: first},
		"the first run, which writes":   {target: restored, writes: true, want: first},
		"after another run":             {target: restored, before: &v1alpha1.Run{Target: "t", Attempts: 1}, want: later},
		"after one that has not begun":  {target: restored, before: &v1alpha1.Run{Target: "t"}, want: first},
		"after one on another target":   {target: restored, before: &v1alpha1.Run{Target: "other", Attempts: 1}, want: first},
		"after an attempt of its own":   {target: restored, attempts: 2, want: later},
		"in its first attempt":          {target: restored, attempts: 1, want: first},
		"reads what was written":        {target: restored, before: filled},
		"writes over what was written":  {target: restored, writes: true, before: filled, want: later},
		"a volume that was made empty":  {target: builder.NewBlockTarget("t")},
		"a volume that was there":       {target: builder.NewClaimTarget("t", "mine")},
		"files, which the plan refuses": {target: restored, mode: corev1.PersistentVolumeFilesystem},
	} {
		t.Run(name, func(t *testing.T) {
			workload := builder.NewWorkload("w")
			if test.writes {
				workload.Fio.RW = "randwrite"
			}
			run := planned(t, test.target, workload, 1)
			filler := planned(t, builder.NewBlockTarget("t"), builder.NewJobFile("fill", "[fill]\nrw=write\ndirect=1\n"), 1)
			facts := Facts{Planned: run, Plan: []plan.Run{*filler, *run}, Mode: corev1.PersistentVolumeBlock, Target: &v1alpha1.TargetStatus{Name: "t"}}
			if test.mode != "" {
				facts.Mode = test.mode
			}
			if test.before != nil {
				test.before.Name = filler.Name
				facts.Runs = append(facts.Runs, *test.before)
			}
			facts.Runs = append(facts.Runs, v1alpha1.Run{Name: run.Name, Target: "t", Attempts: test.attempts})
			got := ""
			for _, w := range measured(t, builder.Report()).Analyse(facts).Warnings {
				switch {
				case w.Reason == v1alpha1.WarningFirstAccess:
					got = w.Message
				case w.Reason == v1alpha1.WarningSparseReads && test.target.DataSource != nil:
					t.Errorf("a volume with a source counts as new: %s", w.Message)
				}
			}
			if (got == "") != (test.want == "") || !strings.HasPrefix(got, test.want) {
				t.Errorf("the warning is %q, want %q", got, test.want)
			}
		})
	}
}

//go:build e2e

package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// steadyWrites are random writes that are measured when they are steady over some seconds.
func steadyWrites(window, most int32) v1alpha1.Workload {
	return v1alpha1.Workload{
		Name: "randwrite",
		Fio: &v1alpha1.FioParameters{
			RW: "randwrite", BS: new("16k"), IOEngine: new("libaio"), IODepth: new(int32(16)), Direct: new(true), Size: new("16M"),
		},
		Until: &v1alpha1.Until{SteadyState: v1alpha1.SteadyStateRule{WindowSeconds: &window}, MaxSeconds: &most},
	}
}

// gp2With is a volume that begins with so many burst credits.
func gp2With(credits int) v1alpha1.Target {
	return v1alpha1.Target{
		Name: "gp2", EBS: &v1alpha1.EBSVolume{
			Type: "gp2", FSType: new("xfs"),
			Tags: map[string]v1alpha1.TagValue{"storagebench.dev/stand-in-credits": v1alpha1.TagValue(fmt.Sprint(credits))},
		},
	}
}

// Credits that are used up within a window keep it from being steady: what is measured is the baseline.
func TestSteadyStateAfterBurstCredits(t *testing.T) {
	ownNode(t, load(figures), budget(4*time.Minute))
	const credits, baseline = 18_000, 100 // 6.2 s at 3,000 a second
	sb := benchmark(t, "steady", func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Placement = nil
		sb.Spec.Targets = []v1alpha1.Target{gp2With(credits)}
		sb.Spec.Workloads = []v1alpha1.Workload{steadyWrites(10, 90)}
	})
	sb = measured(t, sb)

	run := sb.Status.Runs[0]
	s := run.Result.SteadyState
	if s == nil || !s.Attained || s.AfterSeconds < 14 {
		t.Errorf("steady state is %+v: the credits last for 6.2 s, and a window of 10 s comes after that", s)
	}
	wantRatio(t, "IOPS of the result and the baseline", float64(run.Result.Of(v1alpha1.OperationWrite).IOPS()), baseline, 0.95, 1.1)
	if elapsed := run.Result.ElapsedMilliseconds; elapsed < 9_500 || elapsed > 11_000 {
		t.Errorf("it measured for %d ms, want a window of 10 s", elapsed)
	}
	if message, _ := warned(sb, v1alpha1.WarningNotSteady); message != "" {
		t.Errorf("it warns: %s", message)
	}
	over := seriesOf(t, &run)
	section := &over.Sections[0]
	if from := section.FromPoint; from < int(s.AfterSeconds)-2 || from > int(s.AfterSeconds)+3 {
		t.Errorf("the series says that the result is of the points from %d on, the status %d s", from, s.AfterSeconds)
	}
	if first := section.Write.IOPS.Mean[2]; first < 2500 {
		t.Errorf("the series begins with %v IOPS: it lacks the burst: %v", first, section.Write.IOPS.Mean)
	}
}

// With rampTimeSeconds: auto how it began is left out, of a volume that has few credits the burst.
func TestRampTimeAuto(t *testing.T) {
	ownNode(t, load(figures))
	const baseline, runtime = 100, 12 // a summary of the series needs 10 points
	sb := benchmark(t, "warm", func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Placement = nil
		sb.Spec.Targets = []v1alpha1.Target{gp2With(9000)} // 3.1 s at 3,000 a second
		w := steadyWrites(0, 0)
		w.Until = nil
		w.Fio.TimeBased, w.Fio.RuntimeSeconds, w.Fio.RampTimeSeconds = new(true), new(int32(runtime)), new(intstr.FromString("auto"))
		sb.Spec.Workloads = []v1alpha1.Workload{w}
	})
	sb = measured(t, sb)

	run := sb.Status.Runs[0]
	if s := run.Result.SteadyState; s == nil || !s.Attained || s.AfterSeconds < 12 || s.AfterSeconds > 33 {
		t.Errorf("it was warm after %+v: the credits last for 3.1 s, and 10 s come after that", s)
	}
	wantRatio(t, "IOPS of the result and the baseline", float64(run.Result.Of(v1alpha1.OperationWrite).IOPS()), baseline, 0.9, 1.15)
	if elapsed := run.Result.ElapsedMilliseconds; elapsed < 1000*runtime-500 || elapsed > 1000*runtime+1500 {
		t.Errorf("it measured for %d ms, want %d s", elapsed, runtime)
	}
	section := &seriesOf(t, &run).Sections[0]
	if from, after := section.FromPoint, int(run.Result.SteadyState.AfterSeconds); from < after-1 || from > after+1 || section.Points()-from < runtime-2 || section.Points()-from > runtime {
		t.Errorf("of %d points the result is of those from %d on, and it was measured after %d s for %d s: %v", section.Points(), from, after, runtime, section.Write.IOPS.Mean)
	}
	if run.Result.OverTime != nil {
		t.Errorf("it was not the same all the time: %+v, %v", run.Result.OverTime, section.Write.IOPS.Mean)
	}
	for _, reason := range []string{v1alpha1.WarningNotSteady, v1alpha1.WarningRateFell, v1alpha1.WarningWarmUp} {
		if message, _ := warned(sb, reason); message != "" {
			t.Errorf("it warns %s: %s", reason, message)
		}
	}
}

// Files and devices are written in full before they are measured, and what is on somebody's claim stays as it is.
func TestPrecondition(t *testing.T) {
	sideBySide(t)
	sb := benchmark(t, "written", func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Targets[0].Precondition = &v1alpha1.Precondition{Passes: new(int32(2))}
		device := *sb.Spec.Targets[0].DeepCopy()
		device.Name, device.VolumeMode = "device", new(corev1.PersistentVolumeBlock)
		sb.Spec.Targets = append(sb.Spec.Targets, device)
		sb.Spec.Workloads[0].Fio.RW, sb.Spec.Workloads[0].Fio.Size = "randread", new("64M")
	})
	sb = measured(t, sb)
	for i := range sb.Status.Runs {
		run := &sb.Status.Runs[i]
		for _, w := range run.Warnings {
			if w.Reason == v1alpha1.WarningSparseReads {
				t.Errorf("run %s: blocks that nobody wrote were read: %s", run.Name, w.Message)
			}
		}
		if log := keptLog(t, run); !strings.Contains(log, " is written 2 times, in blocks of 128k") {
			t.Errorf("run %s was not preconditioned:\n%.2000s", run.Name, log)
		}
	}
	refused := benchmark(t, "refused", func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Targets[0] = v1alpha1.Target{Name: "mine", ClaimName: new("mine"), Precondition: &v1alpha1.Precondition{}}
	})
	if err := k8s.Create(t.Context(), refused); err == nil || !strings.Contains(err.Error(), "precondition writes all of a new volume without data") {
		t.Errorf("a claim that was there before may be written: %v", err)
	}
}

// A rate that goes up and down all the time is measured in its last window, with a warning of what was seen.
func TestNeverSteady(t *testing.T) {
	sideBySide(t)
	sb := benchmark(t, "unsteady", func(sb *v1alpha1.StorageBenchmark) {
		w := steadyWrites(6, 14)
		w.Fio.Options = map[string]v1alpha1.FioOptionValue{"thinktime": "2s", "thinktime_blocks": "200"}
		w.Fio.RateIOPS = new(intstr.FromInt32(200))
		sb.Spec.Workloads = []v1alpha1.Workload{w}
	})
	sb = measured(t, sb)
	s := sb.Status.Runs[0].Result.SteadyState
	if s == nil || s.Attained || s.RangePercent <= 20 {
		t.Errorf("steady state is %+v", s)
	}
	if message, _ := warned(sb, v1alpha1.WarningNotSteady); !strings.Contains(message, "not steady after") {
		t.Errorf("it warns %q", message)
	}
}

// Several clients run for the same time, measure one window together, and are judged by what they did together.
func TestSteadyStateOfClients(t *testing.T) {
	ownNode(t, twoNodes)
	sb := benchmark(t, "steady-clients", func(sb *v1alpha1.StorageBenchmark) {
		w := steadyWrites(6, 14)
		w.Fio.RateIOPS = new(intstr.FromInt32(200))
		sb.Spec.Workloads = []v1alpha1.Workload{w}
		sb.Spec.Clients = new(int32(2))
	})
	sb = measured(t, sb)
	r := sb.Status.Runs[0].Result
	if s := r.SteadyState; s == nil || !s.Attained || s.AfterSeconds < 8 {
		t.Errorf("steady state is %+v", s)
	}
	wantRatio(t, "IOPS of two clients and of their rates", float64(r.Of(v1alpha1.OperationWrite).IOPS()), 400, 0.95, 1.05)
	if r.StartSkewMilliseconds == nil || *r.StartSkewMilliseconds > 1000 {
		t.Errorf("they began to measure %v ms apart", r.StartSkewMilliseconds)
	}
}

//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// The local cluster's classes: unthrottled, and held to 3,000 IOPS and 125 MiB/s.
const (
	unlimited = class
	limited   = "loop-gp3"
)

// sample returns a benchmark of config/samples/local.
func sample(t *testing.T, file string) *v1alpha1.StorageBenchmark {
	t.Helper()
	text, err := os.ReadFile("../../config/samples/local/" + file)
	if err != nil {
		t.Fatal(err)
	}
	sb := &v1alpha1.StorageBenchmark{}
	if err := yaml.UnmarshalStrict(text, sb); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	sb.Namespace = namespace
	return sb
}

// measured applies a sample and returns it with its results. It shows what was measured, also when all is well.
func measured(t *testing.T, file string) *v1alpha1.StorageBenchmark {
	t.Helper()
	sb := sample(t, file)
	create(t, sb)
	done := completes(t, sb)
	t.Logf("%d runs in %s", len(done.Status.Runs), done.Status.CompletionTime.Sub(done.Status.StartTime.Time))
	for _, run := range done.Status.Runs {
		t.Logf("%s: %s, %s", run.Name, run.LimitedBy.Name, run.LimitedBy.Message)
	}
	return done
}

// rows returns the comparison of the two classes by the parameters of the case.
func rows(t *testing.T, sb *v1alpha1.StorageBenchmark) map[string]map[string]v1alpha1.TargetComparison {
	t.Helper()
	all := map[string]map[string]v1alpha1.TargetComparison{}
	for _, c := range sb.Status.Comparisons {
		targets := map[string]v1alpha1.TargetComparison{}
		for _, target := range c.Targets {
			targets[target.Name] = target
		}
		if len(targets) != 2 {
			t.Fatalf("comparison %+v has no two targets", c)
		}
		all[c.Workload+fmt.Sprint(c.Parameters)] = targets
	}
	return all
}

// ratio reads what the status has as a decimal string.
func ratio(t *testing.T, text string) float64 {
	t.Helper()
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatalf("ratio %q: %v", text, err)
	}
	return f
}

// boundBy returns how many of the runs with a parameter on the limited class were held back by each limit.
func boundBy(sb *v1alpha1.StorageBenchmark, parameter, value string) (names map[string]int, runs int) {
	names = map[string]int{}
	for _, run := range sb.Status.Runs {
		if run.Target == limited && run.Parameters[parameter] == value {
			names[run.LimitedBy.Name]++
			runs++
		}
	}
	return names, runs
}

// E2: two classes, two block sizes, two numbers of jobs. Both are bound to differ, and the status says so, with
// the limit that the slower one has.
func TestSampleTwoClasses(t *testing.T) {
	sb := measured(t, "two-classes.yaml")

	if got := len(sb.Status.Comparisons); got != 4 {
		t.Errorf("%d comparisons of a 2 x 2 matrix", got)
	}
	for name, targets := range rows(t, sb) {
		base, slow := targets[unlimited], targets[limited]
		if base.Total == nil || slow.Total == nil || base.Runs != 4 || slow.Runs != 4 {
			t.Fatalf("%s: %+v and %+v", name, base, slow)
		}
		if slow.Total.Verdict != v1alpha1.VerdictSlower || ratio(t, slow.Total.IOPSRatio) >= 0.95 {
			t.Errorf("%s: %s is %s, %s of %s", name, limited, slow.Total.Verdict, slow.Total.IOPSRatio, unlimited)
		}
		// Reads and writes apart: both are fewer. The limits are of one direction each, so that one waits for the other.
		waits := 0
		for _, io := range []*v1alpha1.IOComparison{slow.Read, slow.Write} {
			if io == nil || io.Verdict != v1alpha1.VerdictSlower || io.P50Nanoseconds == nil || io.P90Nanoseconds == nil || io.MeanNanoseconds == nil {
				t.Fatalf("%s: %+v", name, io)
			}
			if io.MeanNanoseconds.Verdict == v1alpha1.VerdictSlower {
				waits++
			}
		}
		if waits == 0 {
			t.Errorf("%s: neither reads nor writes take longer: %+v, %+v", name, slow.Read, slow.Write)
		}
		if base.Total.Verdict != "" || base.Total.IOPSRatio != "" {
			t.Errorf("%s: the baseline has a verdict: %+v", name, base.Total)
		}
	}
	for size, bound := range map[string]string{"16k": v1alpha1.BoundVolumeIOPS, "256k": v1alpha1.BoundVolumeThroughput} {
		if names, runs := boundBy(sb, "bs", size); runs != 8 || names[bound] <= runs/2 {
			t.Errorf("bs=%s: %v of %d runs, want most to be held back by %s", size, names, runs, bound)
		}
	}
	for _, run := range sb.Status.Runs {
		if run.Target == unlimited && run.LimitedBy.Name == v1alpha1.BoundVolumeIOPS {
			t.Errorf("%s has no limit, and was held back by %+v", run.Name, run.LimitedBy)
		}
	}
}

// E3: six patterns. The class without limits is the faster one in each.
func TestSampleSixPatterns(t *testing.T) {
	sb := measured(t, "six-patterns.yaml")

	if got := len(sb.Status.Comparisons); got != 6 {
		t.Errorf("%d comparisons of six patterns", got)
	}
	for name, targets := range rows(t, sb) {
		fast := targets[unlimited]
		for _, io := range []*v1alpha1.IOComparison{fast.Read, fast.Write} {
			if io == nil {
				continue
			}
			if io.Verdict != v1alpha1.VerdictTooFewRuns || ratio(t, io.IOPSRatio) <= 1.05 {
				t.Errorf("%s: %s is %s, %s of %s", name, unlimited, io.Verdict, io.IOPSRatio, limited)
			}
		}
	}
	names, runs := boundBy(sb, "", "")
	if names[v1alpha1.BoundVolumeIOPS] <= runs/2 {
		t.Errorf("%v of %d runs, want most to be held back by %s", names, runs, v1alpha1.BoundVolumeIOPS)
	}
	if err := k8s.Get(t.Context(), client.ObjectKeyFromObject(sb), sb); err != nil || len(sb.Status.Warnings) == 0 {
		t.Errorf("runs of 5 s gave no warning: %v", err)
	}
}

// E3's trap: files that fit into the node's memory, without O_DIRECT. And a limit of CPU that holds fio back.
func TestWarnings(t *testing.T) {
	t.Parallel()
	sb := benchmark("warnings", func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Workloads[0].Fio = &v1alpha1.FioParameters{
			RW: "randread", BS: new("4k"), Size: new("32M"), NumJobs: new(int32(2)), TimeBased: new(true), RuntimeSeconds: new(int32(3)),
			Invalidate: new(false), // what was laid out stays in memory
		}
		sb.Spec.Pod = &v1alpha1.PodSettings{}
		sb.Spec.Pod.Resources.Limits = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("300m")}
	})
	create(t, sb)
	done := completes(t, sb)
	run := done.Status.Runs[0]
	reasons := map[string]string{}
	for _, warning := range run.Warnings {
		reasons[warning.Reason] = warning.Message
	}
	for _, want := range []string{v1alpha1.WarningFilesFitInMemory, v1alpha1.WarningCPUThrottled, v1alpha1.WarningShortRuntime} {
		if reasons[want] == "" {
			t.Errorf("no warning %s, but %v", want, reasons)
		}
	}
	if run.LimitedBy.Name != v1alpha1.BoundClientCPU || run.Result.CPU.ThrottledPercent == nil {
		t.Errorf("limited by %+v with CPU %+v", run.LimitedBy, run.Result.CPU)
	}
	for _, summary := range done.Status.Warnings {
		if summary.Remedy == "" || summary.Results == 0 || summary.Message == "" {
			t.Errorf("warning %+v", summary)
		}
	}
}

package report

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jedib0t/go-pretty/v6/text"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/analysis"
	"github.com/storagebench/storagebench/test/builder"
)

// explained returns what Explain prints of a run, or of all.
func explained(t *testing.T, sb *v1alpha1.StorageBenchmark, run string, style Style) string {
	t.Helper()
	var out bytes.Buffer
	if err := Explain(&out, sb, run, style); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestExplain(t *testing.T) {
	const want = `
randwrite bs=16k on gp3
  Measured  Random writes in blocks of 16k by 16 jobs (psync), past the page cache, on an EBS gp3
            volume of 30Gi, from node-1 (m6i.large, eu-central-1a), for 1m0s, 6 times.
  Result    In the median 3048 writes and 47.6 MiB (49.9 MB) a second; half of them took at most
            5.25ms, 99 of 100 at most 10.5ms.
  Held back VolumeIOPS: 3048 of the volume's 3000 IOPS (102 %).
  How sure  6 runs had from 3041 to 3050 IOPS (±0.1 %). With a confidence of at least 95 % the
            median is from 3041 to 3050.
  Next      Provision more IOPS: iops of a gp3, io1 or io2 volume, another class, or more capacity
            where IOPS follow from the size, as with gp2. Where bytes count and not I/Os, larger
            blocks (bs) move more of them with the same IOPS.

randwrite bs=16k on efs
  Measured  Random writes in blocks of 16k by 16 jobs (psync), past the page cache, on an EFS file
            system fs-0123456789abcdef0, from node-1 (m6i.large), for 1m0s, 6 times.
  Result    In the median 1563 writes and 24.4 MiB (25.6 MB) a second; half of them took at most
            10.2ms, 99 of 100 at most 20.5ms. Slower: 0.51 times the rate of gp3.
  Held back Latency in 5 of 6 runs: 16 of 16 I/Os were in flight all the time.
  How sure  6 runs had from 1549 to 1830 IOPS (±9 %). With a confidence of at least 95 % the median
            is from 1549 to 1830. With a confidence of 95 % the ratio is from 0.491 to 0.563. If
            both were alike, chance alone would make a difference as large in less than 1 of 100
            such comparisons (p = 2.29e-06), so it is hardly chance. The 99th percentile of writes
            is 1.95 times that of gp3, from 1.775 to 2.037 with a confidence of 95 %: Slower (p =
            2.21e-06, corrected for the number of comparisons 2.29e-06).
  But       Spread: IOPS of 6 repetitions go from 1549 to 1830 around a median of 1563: a spread of
            18 %. To do: raise repetitions or runtimeSeconds, and look for other load on the node
            and on the storage, or for burst credits that run out.
  Next      Keep more I/Os in flight: more jobs (numjobs), or a higher iodepth with libaio or
            io_uring. A matrix of values above those of this run (numjobs times iodepth are in
            flight) shows up to which limit IOPS grow. An application that waits for each I/O will
            see this latency.
`
	sb := experiment("e1", gp3Six, efsSix)
	sb.Status.Runs[6].LimitedBy = nil
	if diff := cmp.Diff(want, "\n"+explained(t, sb, "", Style{Width: 100, Unicode: true})); diff != "" {
		t.Errorf("explanation (-want +got):\n%s", diff)
	}
	colored := explained(t, sb, "", Style{Color: true})
	if diff := cmp.Diff(explained(t, sb, "", Style{}), text.StripEscape(colored)); diff != "" {
		t.Errorf("without colours (-want +got):\n%s", diff)
	}
	if !strings.Contains(colored, "\x1b[31mSlower\x1b[0m: 0.51 times") || !strings.Contains(colored, "\x1b[33mSpread\x1b[0m") {
		t.Errorf("no colours:\n%q", colored)
	}
}

// failure is the experiment with a run that failed, one that runs and one that waits.
func failure() *v1alpha1.StorageBenchmark {
	sb := experiment("e1", []int64{3000, 3001, 3002}, []int64{1500})
	runs := sb.Status.Runs
	runs[0].State, runs[0].Result, runs[0].LimitedBy, runs[0].Attempts = v1alpha1.RunFailed, nil, nil, 2
	runs[0].Message, runs[0].LogConfigMap = "fio: No space left on device.", "e1-log-1"
	runs[1].State, runs[1].Result, runs[1].Attempts = v1alpha1.RunRunning, nil, 2
	runs[2].State, runs[2].Result, runs[2].Attempts = v1alpha1.RunPending, nil, 0
	sb.Status.AbandonedAttempts = []v1alpha1.AbandonedAttempt{{Run: runs[0].Name, Attempt: 1, Reason: v1alpha1.AbandonDisrupted, Message: "evicted"}, {Run: "other", Attempt: 1}}
	sb.Status.Comparisons = analysis.Compare(runs, []string{"gp3", "efs"}, "gp3")
	sb.Status.Conditions[0] = metav1.Condition{Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonRunFailed, Message: "1 of 4 runs failed"}
	return sb
}

func TestExplainRun(t *testing.T) {
	sections := experiment("e1", []int64{3000}, nil)
	sections.Spec.Workloads[0].Fio, sections.Spec.Workloads[0].JobFile = nil, new("[a]\n")
	run := &sections.Status.Runs[0]
	trims := v1alpha1.Result{Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationTrim, MilliIOPS: 5_000, BytesPerSecond: 10_000, PerClient: &v1alpha1.ClientSpread{MinMilliIOPS: 2_000, MaxMilliIOPS: 3_000}}}}
	run.Sections = []v1alpha1.SectionResult{{Name: "a", Result: *run.Result, LimitedBy: run.LimitedBy}, {Name: "b", Result: trims, LimitedBy: run.LimitedBy}}
	run.Result, run.LimitedBy, run.Clients = nil, nil, 2
	run.Warnings = []v1alpha1.Warning{{Reason: v1alpha1.WarningNoLatency}}
	underWay := failure()
	underWay.Status.CompletionTime, underWay.Status.Conditions[0].Status = nil, metav1.ConditionUnknown
	const provision = "Provision more IOPS: iops of a gp3, io1 or io2 volume, another class, or more capacity where IOPS follow from the size, as with gp2. " +
		"Where bytes count and not I/Os, larger blocks (bs) move more of them with the same IOPS.\n"
	const onGP3 = "on an EBS gp3 volume of 30Gi, from node-1 (m6i.large, eu-central-1a)"
	for name, test := range map[string]struct {
		sb   *v1alpha1.StorageBenchmark
		run  string
		want string
	}{
		"one of several": {experiment("e1", gp3Six, efsSix), "randwrite.bs-16k.gp3.1", `
randwrite.bs-16k.gp3.1
  Measured  Random writes in blocks of 16k by 16 jobs (psync), past the page cache, ` + onGP3 + `, for 1m0s.
  Result    3041 writes and 47.5 MiB (49.8 MB) a second; half of them took at most 5.26ms, 99 of 100 at most 10.5ms, the slowest 26.3ms.
            Each of fio's jobs took 3 % of a CPU.
  Held back VolumeIOPS: 3048 of the volume's 3000 IOPS (102 %).
  How sure  This is one of 6 runs of the same: kubectl storagebench explain-result e1 judges them together.
  Next      ` + provision},
		"failed": {failure(), "randwrite.bs-16k.gp3.1", `
randwrite.bs-16k.gp3.1
  Failed    No result, in attempt 2: fio: No space left on device.
  Log       kubectl storagebench logs e1 randwrite.bs-16k.gp3.1 -n storage
  Next      Read fio's log, change the workload or the storage, and create the benchmark anew. Results of other runs are good.
  But       Abandoned: attempt 1 of randwrite.bs-16k.gp3.1 (Disrupted): evicted. What it had measured is not part of the result.
`},
		"running": {underWay, "randwrite.bs-16k.gp3.2",
			"\nrandwrite.bs-16k.gp3.2\n  Measured  It is running, in attempt 2.\n"},
		"running at the end": {failure(), "randwrite.bs-16k.gp3.2",
			"\nrandwrite.bs-16k.gp3.2\n  Measured  It was running when the benchmark ended, in attempt 2.\n"},
		"pending": {failure(), "randwrite.bs-16k.gp3.3", "\nrandwrite.bs-16k.gp3.3\n  Measured  It has not begun.\n"},
		"alone": {failure(), "randwrite.bs-16k.efs.1", `
randwrite.bs-16k.efs.1
  Measured  Random writes in blocks of 16k by 16 jobs (psync), past the page cache, on an EFS file system fs-0123456789abcdef0, from node-1 (m6i.large), for 1m0s.
  Result    1500 writes and 23.4 MiB (24.6 MB) a second; half of them took at most 10.7ms, 99 of 100 at most 21.3ms, the slowest 53.3ms.
            Each of fio's jobs took 3 % of a CPU.
  Held back Latency: 16 of 16 I/Os were in flight all the time.
  How sure  One run does not show how much results vary by chance: set repetitions to 4 or more for a verdict, to 6 or more for a confidence interval.
  Next      ` + Advice(v1alpha1.BoundLatency) + "\n"},
		"sections of clients": {sections, "randwrite.bs-16k.gp3.1", `
randwrite.bs-16k.gp3.1
  Measured  Section a of the job file of workload randwrite with bs=16k, on each of 2 clients at the same time, ` + onGP3 + `, for 1m0s.
  Result    3000 writes and 46.9 MiB (49.2 MB) a second; half of them took at most 5.33ms, 99 of 100 at most 10.7ms, the slowest 26.7ms.
            Each of fio's jobs took 3 % of a CPU.
  Held back VolumeIOPS: 3048 of the volume's 3000 IOPS (102 %).
  Measured  Section b of the job file of workload randwrite with bs=16k, on each of 2 clients at the same time, ` + onGP3 + `.
  Result    5 trims and 9.77 KiB (10.0 kB) a second; the slowest client had 2 IOPS and the fastest 3.
  Held back VolumeIOPS: 3048 of the volume's 3000 IOPS (102 %).
  How sure  One run does not show how much results vary by chance: set repetitions to 4 or more for a verdict, to 6 or more for a confidence interval.
  But       NoLatency.
  Next      ` + provision},
		"all, with a failure": {failure(), "", `
randwrite bs=16k on efs
  Measured  Random writes in blocks of 16k by 16 jobs (psync), past the page cache, on an EFS file system fs-0123456789abcdef0, from node-1 (m6i.large), for 1m0s.
  Result    1500 writes and 23.4 MiB (24.6 MB) a second; half of them took at most 10.7ms, 99 of 100 at most 21.3ms.
  Held back Latency: 16 of 16 I/Os were in flight all the time.
  How sure  One run does not show how much results vary by chance: set repetitions to 4 or more for a verdict, to 6 or more for a confidence interval.
  Next      ` + Advice(v1alpha1.BoundLatency) + `

randwrite.bs-16k.gp3.1
  Failed    No result, in attempt 2: fio: No space left on device.
  Log       kubectl storagebench logs e1 randwrite.bs-16k.gp3.1 -n storage
  Next      Read fio's log, change the workload or the storage, and create the benchmark anew. Results of other runs are good.
  But       Abandoned: attempt 1 of randwrite.bs-16k.gp3.1 (Disrupted): evicted. What it had measured is not part of the result.

e1 failed: RunFailed
  Why       1 of 4 runs failed
  Next      Read fio's log, change the workload or the storage, and create the benchmark anew. Results of other runs are good.
`},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, "\n"+explained(t, test.sb, test.run, Style{})); diff != "" {
				t.Errorf("explanation (-want +got):\n%s", diff)
			}
		})
	}
}

// TestExplainUnfinished: before its end, a benchmark says how far it is.
func TestExplainUnfinished(t *testing.T) {
	sb := experiment("e1", nil, nil)
	sb.Status.PlannedRuns, sb.Status.FinishedRuns = 4, 1
	sb.Status.Conditions[0] = metav1.Condition{Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionUnknown, Reason: v1alpha1.ReasonMeasuring, Message: "run 2 of 4"}
	if got, want := explained(t, sb, "", Style{}), "e1 goes on: Measuring, 1 of 4 runs have ended\n  Now       run 2 of 4\n"; got != want {
		t.Errorf("explanation %q, want %q", got, want)
	}
	sb.Status = v1alpha1.StorageBenchmarkStatus{}
	if got, want := explained(t, sb, "", Style{}), "e1 has not begun\n"; got != want {
		t.Errorf("explanation %q, want %q", got, want)
	}
}

func TestExplainUnknownRun(t *testing.T) {
	for want, sb := range map[string]*v1alpha1.StorageBenchmark{
		`run "x": e1 has randwrite.bs-16k.gp3.1, randwrite.bs-16k.efs.1`: experiment("e1", []int64{1}, []int64{1}),
		`run "x": e1 has no runs yet`:                                    experiment("e1", nil, nil),
	} {
		if err := Explain(&bytes.Buffer{}, sb, "x", Style{}); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

func TestCertainty(t *testing.T) {
	statistic := func(low, median, high int64) v1alpha1.Statistic {
		return v1alpha1.Statistic{Min: new(low), Median: median, Max: new(high)}
	}
	withP := func(s v1alpha1.Statistic, p string) v1alpha1.Statistic {
		s.PValue = p
		return s
	}
	judged := v1alpha1.Statistic{Min: new(int64(90)), Median: 100, Max: new(int64(110)), RatioLow: "0.981", RatioHigh: "1.214", PValue: "0.0286", AdjustedPValue: "0.343", DetectablePercent: 14}
	same := v1alpha1.Statistic{Min: new(int64(90)), Median: 100, Max: new(int64(110)), RatioLow: "0.981", RatioHigh: "1.014", PValue: "0.486", AdjustedPValue: "0.5"}
	for name, test := range map[string]struct {
		runs    int32
		iops    v1alpha1.Statistic
		verdict v1alpha1.Verdict
		want    string
	}{
		"one run":      {1, statistic(1, 1, 1), v1alpha1.VerdictTooFewRuns, "One run does not show how much results vary by chance: set repetitions to 4 or more for a verdict, to 6 or more for a confidence interval."},
		"three runs":   {3, statistic(90, 100, 110), v1alpha1.VerdictTooFewRuns, "3 runs had from 90 to 110 IOPS (+-10 %). That is too few for a confidence interval, which needs 6. A verdict needs 4 runs of each target: with fewer, even the clearest difference may be chance. Set repetitions to 4 or more."},
		"no I/O":       {2, statistic(0, 0, 0), "", "2 runs had from 0 to 0 IOPS. That is too few for a confidence interval, which needs 6."},
		"chance":       {4, withP(statistic(90, 100, 110), "0.486"), v1alpha1.VerdictSame, "4 runs had from 90 to 110 IOPS (+-10 %). That is too few for a confidence interval, which needs 6. If both were alike, chance alone would make a difference as large in 49 of 100 such comparisons (p = 0.486), so it may well be chance."},
		"no chance":    {4, withP(statistic(90, 100, 110), "0.0286"), v1alpha1.VerdictFaster, "4 runs had from 90 to 110 IOPS (+-10 %). That is too few for a confidence interval, which needs 6. If both were alike, chance alone would make a difference as large in 3 of 100 such comparisons (p = 0.0286), so it is hardly chance."},
		"too little":   {4, withP(statistic(100, 100, 100), "0.0286"), v1alpha1.VerdictSame, "4 runs had from 100 to 100 IOPS (+-0 %). That is too few for a confidence interval, which needs 6. If both were alike, chance alone would make a difference as large in 3 of 100 such comparisons (p = 0.0286), so it is hardly chance; but it is 1 % at most, too little to matter."},
		"not shown":    {4, judged, v1alpha1.VerdictNotShown, "4 runs had from 90 to 110 IOPS (+-10 %). That is too few for a confidence interval, which needs 6. With a confidence of 95 % the ratio is from 0.981 to 1.214. If both were alike, chance alone would make a difference as large in 3 of 100 such comparisons (p = 0.0286, corrected for the number of comparisons 0.343), so it may well be chance. Such runs show a difference of 14 % in 4 of 5 cases: more repetitions show smaller ones."},
		"the same":     {4, same, v1alpha1.VerdictSame, "4 runs had from 90 to 110 IOPS (+-10 %). That is too few for a confidence interval, which needs 6. With a confidence of 95 % the ratio is from 0.981 to 1.014. All of that is within 5 %, too little to matter."},
		"not a number": {4, withP(statistic(90, 100, 110), "x"), v1alpha1.VerdictSame, "4 runs had from 90 to 110 IOPS (+-10 %). That is too few for a confidence interval, which needs 6."},
	} {
		e := &explanation{sb: &v1alpha1.StorageBenchmark{}}
		got := e.certainty(&v1alpha1.TargetComparison{Runs: test.runs, Figures: []v1alpha1.FiguresComparison{{Name: v1alpha1.OperationWrite, MilliIOPS: builder.Compared(builder.Milli(test.iops), "", test.verdict)}}})
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestSignificance: the words for a p-value agree with the verdict that analysis gives.
func TestSignificance(t *testing.T) {
	for _, other := range [][]int64{{10, 20, 30, 40}, {1, 12, 13, 14}, {5, 6, 7, 18}, {11, 12, 13, 14}, {1, 2, 3, 14}} {
		sb := experiment("e1", []int64{1, 2, 3, 4}, other)
		io := sb.Status.Comparisons[0].Targets[1].Of(v1alpha1.OperationWrite)
		hardly := strings.Contains(chance(io.IOPS(), io.Verdict()), "hardly chance")
		if verdict := io.Verdict() == v1alpha1.VerdictFaster; hardly != verdict {
			t.Errorf("%d: verdict %s and p = %s, in words hardly chance is %t", other, io.Verdict(), io.MilliIOPS.PValue, hardly)
		}
	}
}

// TestAdvice: there is a next step for each bound that the API names.
func TestAdvice(t *testing.T) {
	for name, bound := range constants(t, "../../api/v1alpha1/analysis_types.go", "Bound") {
		if Advice(bound) == "" {
			t.Errorf("%s has no advice", name)
		}
	}
	if got := Advice("Nonsense"); got != "" {
		t.Errorf("advice for nonsense: %s", got)
	}
}

// TestAdviceOnMetadata: what is refused of operations on files is not advised.
func TestAdviceOnMetadata(t *testing.T) {
	for _, run := range []string{"", "files.efs"} {
		var out bytes.Buffer
		if err := Explain(&out, smallFiles(), run, Style{}); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); strings.Contains(got, "probe") || !strings.Contains(got, adviceOnMetadata) {
			t.Errorf("of %q:\n%s", run, got)
		}
	}
}

// TestAdviceOnProbe: a probe is advised where it is not known what held results back, and the spec would be valid with one.
func TestAdviceOnProbe(t *testing.T) {
	for name, test := range map[string]struct {
		bound  string
		change func(*v1alpha1.StorageBenchmarkSpec)
		want   bool
	}{
		"it can be probed": {v1alpha1.BoundUnknown, func(*v1alpha1.StorageBenchmarkSpec) {}, true},
		"it is known":      {v1alpha1.BoundVolumeIOPS, func(*v1alpha1.StorageBenchmarkSpec) {}, false},
		"it was probed":    {v1alpha1.BoundUnknown, func(s *v1alpha1.StorageBenchmarkSpec) { s.Workloads[0].Probe = v1alpha1.ProbeLastRepetition }, false},
		"the page cache":   {v1alpha1.BoundUnknown, func(s *v1alpha1.StorageBenchmarkSpec) { s.Workloads[0].Fio.Direct = nil }, false},
		"it ends by size":  {v1alpha1.BoundUnknown, func(s *v1alpha1.StorageBenchmarkSpec) { s.Workloads[0].Fio.TimeBased = new(false) }, false},
		"several clients":  {v1alpha1.BoundUnknown, func(s *v1alpha1.StorageBenchmarkSpec) { s.Clients = new(int32(2)) }, false},
		"a rate in one of its cases": {v1alpha1.BoundUnknown, func(s *v1alpha1.StorageBenchmarkSpec) {
			s.Workloads[0].Matrix["rate_iops"] = v1alpha1.MatrixValues{intstr.FromInt32(100)}
		}, false},
		"no time for it": {v1alpha1.BoundUnknown, func(s *v1alpha1.StorageBenchmarkSpec) { s.Deadlines.RunCompletionSeconds = new(int32(65)) }, false},
		"a preset": {v1alpha1.BoundUnknown, func(s *v1alpha1.StorageBenchmarkSpec) {
			s.Workloads[0] = v1alpha1.Workload{Name: s.Workloads[0].Name, Preset: new("postgres-oltp")}
		}, false},
	} {
		sb := experiment("e1", []int64{2000}, nil)
		sb.Spec.Targets[1].Capacity = new(resource.MustParse("30Gi")) // its files are 16 GiB
		for i := range sb.Status.Runs {
			sb.Status.Runs[i].LimitedBy = &v1alpha1.LimitedBy{Reason: test.bound}
		}
		test.change(&sb.Spec)
		for _, run := range []string{"", sb.Status.Runs[0].Name} {
			var out bytes.Buffer
			if err := Explain(&out, sb, run, Style{}); err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(strings.Join(strings.Fields(out.String()), " "), adviceOnProbe); got != test.want {
				t.Errorf("%s, of %q: advised %t:\n%s", name, run, got, out.String())
			}
		}
	}
}

// TestAfterFailure: there is a next step for each way in which a benchmark fails.
func TestAfterFailure(t *testing.T) {
	outcomes := constants(t, "../../api/v1alpha1/conditions.go", "Reason")
	var got []string
	for reason := range afterFailure {
		if outcomes["Reason"+reason] != reason {
			t.Errorf("%s is no reason", reason)
		}
		got = append(got, reason)
	}
	if want := 6; len(got) != want {
		t.Errorf("advice after %d outcomes, want %d: %s", len(got), want, got)
	}
}

// constants returns the string constants of a Go file whose names begin so.
func constants(t *testing.T, path, prefix string) map[string]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 || !strings.HasPrefix(spec.Names[0].Name, prefix) {
			return true
		}
		if literal, ok := spec.Values[0].(*ast.BasicLit); ok && literal.Kind == token.STRING {
			if found[spec.Names[0].Name], err = strconv.Unquote(literal.Value); err != nil {
				t.Fatal(err)
			}
		}
		return true
	})
	if len(found) == 0 {
		t.Fatalf("%s has no constant %s...", path, prefix)
	}
	return found
}

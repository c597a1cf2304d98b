package resultmetrics

import (
	"bytes"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/history"
	"github.com/storagebench/storagebench/test/builder"
)

var ended = time.Date(2026, 11, 25, 3, 0, 5, 0, time.UTC)

// text returns what a scrape of a store gives, sorted, without comments.
func text(t *testing.T, s *Store) []string {
	t.Helper()
	var lines []string
	for line := range strings.Lines(exposition(t, s)) {
		if !strings.HasPrefix(line, "#") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	slices.Sort(lines)
	return lines
}

func exposition(t testing.TB, s *Store) string {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(s)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	for _, family := range families {
		if _, err := expfmt.MetricFamilyToText(&out, family); err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}

func statistic(median int64) v1alpha1.Statistic {
	return v1alpha1.Statistic{Median: median}
}

// benchmark returns one that has ended, has measured all that there is, and asks for metrics.
func benchmark(namespace, name string) *v1alpha1.StorageBenchmark {
	sb := &v1alpha1.StorageBenchmark{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID("uid-" + name),
		Annotations: map[string]string{v1alpha1.AnnotationResultMetrics: "true"}}}
	sb.Status.CompletionTime = new(metav1.NewTime(ended))
	sb.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionExpectationsMet, Status: metav1.ConditionFalse}}
	sb.Status.Comparisons = []v1alpha1.Comparison{
		{Workload: "wal", Section: "log", Parameters: map[string]string{"bs": "16k"}, Targets: []v1alpha1.TargetComparison{
			{Name: "gp3", Figures: []v1alpha1.FiguresComparison{{Name: v1alpha1.OperationWrite, MilliIOPS: builder.Milli(statistic(3000)), BytesPerSecond: new(statistic(49152000)), P50Nanoseconds: new(statistic(5_300_000)), P99Nanoseconds: new(statistic(7_290_000))}, {Name: v1alpha1.OperationSync, P99Nanoseconds: new(statistic(9_000_000))}}},
			{Name: "efs", Figures: []v1alpha1.FiguresComparison{{Name: v1alpha1.OperationRead, MilliIOPS: builder.Milli(statistic(1)), BytesPerSecond: new(statistic(4096))}}},
		}},
		{Workload: "files", Targets: []v1alpha1.TargetComparison{{Name: "gp3", Figures: []v1alpha1.FiguresComparison{{Name: v1alpha1.OperationMetadata, MilliIOPS: builder.Milli(statistic(700)), P50Nanoseconds: new(statistic(1000))}}}}},
	}
	return sb
}

// schedule returns one whose results have become worse.
func schedule(namespace, name string) *v1alpha1.StorageBenchmarkSchedule {
	s := &v1alpha1.StorageBenchmarkSchedule{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, CreationTimestamp: metav1.NewTime(ended.Add(-time.Hour))}}
	s.Status.NextScheduleTime = new(metav1.NewTime(ended.Add(time.Minute)))
	s.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionRegressed, Status: metav1.ConditionTrue}}
	return s
}

// A benchmark that asks for it has its results among the metrics, in base units, and until it is gone or asks no more.
func TestBenchmark(t *testing.T) {
	s := &Store{Limit: 100}
	sb := benchmark("team-a", "once")
	s.SetBenchmark(sb)
	want := []string{
		`storagebench_expectation_met{benchmark="once",namespace="team-a",schedule=""} 0`,
		`storagebench_last_result_timestamp_seconds{benchmark="once",namespace="team-a",schedule=""} 1.795575605e+09`,
		`storagebench_result_bytes_per_second{benchmark="once",case="wal/log bs=16k",namespace="team-a",operation="read",schedule="",target="efs"} 4096`,
		`storagebench_result_bytes_per_second{benchmark="once",case="wal/log bs=16k",namespace="team-a",operation="write",schedule="",target="gp3"} 4.9152e+07`,
		`storagebench_result_latency_seconds{benchmark="once",case="files",namespace="team-a",operation="metadata",percentile="50",schedule="",target="gp3"} 1e-06`,
		`storagebench_result_latency_seconds{benchmark="once",case="wal/log bs=16k",namespace="team-a",operation="sync",percentile="99",schedule="",target="gp3"} 0.009`,
		`storagebench_result_latency_seconds{benchmark="once",case="wal/log bs=16k",namespace="team-a",operation="write",percentile="50",schedule="",target="gp3"} 0.0053`,
		`storagebench_result_latency_seconds{benchmark="once",case="wal/log bs=16k",namespace="team-a",operation="write",percentile="99",schedule="",target="gp3"} 0.00729`,
		`storagebench_result_operations_per_second{benchmark="once",case="files",namespace="team-a",operation="metadata",schedule="",target="gp3"} 700`,
		`storagebench_result_operations_per_second{benchmark="once",case="wal/log bs=16k",namespace="team-a",operation="read",schedule="",target="efs"} 1`,
		`storagebench_result_operations_per_second{benchmark="once",case="wal/log bs=16k",namespace="team-a",operation="write",schedule="",target="gp3"} 3000`,
		`storagebench_results_left_out 0`,
	}
	if diff := cmp.Diff(want, text(t, s)); diff != "" {
		t.Errorf("metrics (-want +got):\n%s", diff)
	}
	for name, end := range map[string]func(){
		"it is gone":             func() { s.ForgetBenchmark(types.NamespacedName{Namespace: "team-a", Name: "once"}) },
		"it asks no more":        func() { other := sb.DeepCopy(); other.Annotations = nil; s.SetBenchmark(other) },
		"it is one that goes on": func() { other := sb.DeepCopy(); other.Status.CompletionTime = nil; s.SetBenchmark(other) },
		"it asks in other words": func() {
			other := sb.DeepCopy()
			other.Annotations[v1alpha1.AnnotationResultMetrics] = "yes"
			s.SetBenchmark(other)
		},
	} {
		s.SetBenchmark(sb)
		end()
		if got := text(t, s); len(got) != 1 || s.total != 0 {
			t.Errorf("when %s there are still %q", name, got)
		}
	}
}

// A search that found no load within its budget, in most of its repetitions, has no bandwidth. The figures of what
// stands behind it are its own.
func TestSearchBeyondItsBudget(t *testing.T) {
	sb := benchmark("team-a", "once")
	step := func(repetition int32, verdict v1alpha1.SearchVerdict) v1alpha1.Run {
		return v1alpha1.Run{Workload: "load", Target: "gp3", Repetition: repetition, Search: &v1alpha1.RunSearch{Verdict: verdict},
			Result: &v1alpha1.Result{Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationRead, MilliIOPS: 100_000}}}}
	}
	const beyond = v1alpha1.SearchBeyond
	sb.Status.Runs = []v1alpha1.Run{step(1, beyond), step(1, beyond), step(2, v1alpha1.SearchAnswer), step(3, beyond), step(3, beyond)}
	sb.Status.Searches = []v1alpha1.SearchResult{{Workload: "load", Target: "gp3", Outcome: v1alpha1.SearchMixed, Searches: 1}}
	found := v1alpha1.Comparison{Workload: "load", Targets: []v1alpha1.TargetComparison{
		{Name: "gp3", Figures: []v1alpha1.FiguresComparison{{Name: v1alpha1.OperationRead, MilliIOPS: builder.Milli(statistic(100)), BytesPerSecond: new(statistic(409600))}}},
	}}
	sb.Status.Comparisons = append([]v1alpha1.Comparison{found}, sb.Status.Comparisons...)
	s := &Store{Limit: 100}
	s.SetBenchmark(sb)
	got := slices.DeleteFunc(text(t, s), func(line string) bool { return !strings.HasPrefix(line, "storagebench_result_bytes_per_second") })
	want := []string{
		`storagebench_result_bytes_per_second{benchmark="once",case="load",namespace="team-a",operation="read",schedule="",target="gp3"} 0`,
		`storagebench_result_bytes_per_second{benchmark="once",case="wal/log bs=16k",namespace="team-a",operation="read",schedule="",target="efs"} 4096`,
		`storagebench_result_bytes_per_second{benchmark="once",case="wal/log bs=16k",namespace="team-a",operation="write",schedule="",target="gp3"} 4.9152e+07`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("bandwidth (-want +got):\n%s", diff)
	}
}

// A schedule has its state, and the results of its last point.
func TestSchedule(t *testing.T) {
	s, name := &Store{Limit: 100}, types.NamespacedName{Namespace: "team-a", Name: "nightly"}
	s.SetSchedule(schedule("team-a", "nightly"), time.Minute)
	state := []string{
		`storagebench_regressed{namespace="team-a",schedule="nightly"} 1`,
		`storagebench_results_left_out 0`,
		`storagebench_schedule_invalid{namespace="team-a",schedule="nightly"} 0`,
		`storagebench_schedule_next_start_timestamp_seconds{namespace="team-a",schedule="nightly"} 1.795575665e+09`,
		`storagebench_schedule_period_seconds{namespace="team-a",schedule="nightly"} 60`,
		`storagebench_schedule_waiting_since_timestamp_seconds{namespace="team-a",schedule="nightly"} 1.795572005e+09`,
	}
	if diff := cmp.Diff(state, text(t, s)); diff != "" {
		t.Errorf("metrics before the first result (-want +got):\n%s", diff)
	}
	point := history.FromBenchmark(benchmark("team-a", "nightly-1"), history.Environment{})
	s.SetResult(name, FromPoint(&point))
	of := schedule("team-a", "nightly")
	of.Status.WaitingSince = new(metav1.NewTime(ended))
	s.SetSchedule(of, time.Minute)
	got := strings.Join(text(t, s), "\n")
	for _, line := range []string{
		`storagebench_result_operations_per_second{benchmark="",case="wal/log bs=16k",namespace="team-a",operation="write",schedule="nightly",target="gp3"} 3000`,
		`storagebench_schedule_waiting_since_timestamp_seconds{namespace="team-a",schedule="nightly"} 1.795575605e+09`,
	} {
		if !strings.Contains(got, line) {
			t.Errorf("there is no %s in\n%s", line, got)
		}
	}
	s.ForgetSchedule(name)
	if got := text(t, s); len(got) != 1 || s.total != 0 {
		t.Errorf("of one that is gone there are still %q", got)
	}
}

// A schedule that is suspended is late with nothing. Since when it waits its status says, and not how often something
// was amiss.
func TestSuspended(t *testing.T) {
	of := schedule("a", "b")
	of.Spec.Suspend = new(true)
	if got := stateOf(of, time.Minute); got.period != 0 {
		t.Errorf("suspended: %+v", got)
	}
	of.Spec.Suspend = nil
	of.Status.WaitingSince = new(metav1.NewTime(ended.Add(time.Hour)))
	again := metav1.NewTime(ended.Add(2 * time.Hour))
	of.Status.Conditions = append(of.Status.Conditions, metav1.Condition{Type: v1alpha1.ConditionScheduled, Status: metav1.ConditionTrue, LastTransitionTime: again})
	if got := stateOf(of, time.Minute); got.period != time.Minute || !got.waitingSince.Equal(of.Status.WaitingSince.Time) {
		t.Errorf("resumed: %+v", got)
	}
}

// A schedule whose spec is refused has invalid 1, with and without a period. A suspended one has no such metric.
func TestInvalid(t *testing.T) {
	of := schedule("a", "b")
	of.Status.Conditions = append(of.Status.Conditions, metav1.Condition{Type: v1alpha1.ConditionScheduled, Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonInvalidSpec})
	if got := stateOf(of, 0); got.invalid != metav1.ConditionTrue {
		t.Errorf("refused: %+v", got)
	}
	of.Spec.Suspend = new(true)
	if got := stateOf(of, 0); got.invalid != "" {
		t.Errorf("suspended: %+v", got)
	}
}

// large returns a result with so many figures.
func large(figures int) Result {
	r := Result{Time: ended}
	for i := range figures {
		r.series = append(r.series, series{key{operations, "gp3", fmt.Sprintf("case-%d", i), "read", ""}, 1})
	}
	return r
}

// However much there is, and of whom, no more is served than the limit lets be, and nobody with little loses it to
// somebody with much.
func TestLimit(t *testing.T) {
	s := &Store{Limit: 500}
	for i := range 40 {
		s.SetResult(types.NamespacedName{Namespace: "greedy", Name: fmt.Sprintf("s-%02d", i)}, large(20))
	}
	if s.sizes["greedy"] > 500 || len(s.objects) != 40 || len(s.leftOut) != 40-21 {
		t.Fatalf("%d series of %d schedules, %d left out", s.sizes["greedy"], len(s.objects), len(s.leftOut))
	}
	for i := range 4 {
		namespace := fmt.Sprintf("modest-%d", i)
		s.SetSchedule(schedule(namespace, "nightly"), time.Minute)
		s.SetResult(types.NamespacedName{Namespace: namespace, Name: "nightly"}, large(10))
		if got := s.sizes[namespace]; got != 17 {
			t.Errorf("%s has %d series, want 17", namespace, got)
		}
	}
	s.SetSchedule(schedule("greedy", "state"), time.Minute)
	if !slices.Contains(text(t, s), `storagebench_regressed{namespace="greedy",schedule="state"} 1`) {
		t.Error("figures of others leave no room for the state of a schedule, and so for its alert")
	}
	if got := len(text(t, s)); s.total > 500 || got > 501 {
		t.Errorf("%d series are served, %d counted", got, s.total)
	}
	for o := range maps.Clone(s.objects) {
		s.forget(o)
	}
	if s.total != 0 || len(s.sizes) != 0 {
		t.Errorf("of nothing %d series are counted, %v", s.total, s.sizes)
	}
}

// A state is served also where there is no room for the figures.
func TestStateComesFirst(t *testing.T) {
	s := &Store{Limit: 30}
	s.SetSchedule(schedule("a", "nightly"), time.Minute)
	s.SetResult(types.NamespacedName{Namespace: "a", Name: "nightly"}, large(40))
	want := []string{
		`storagebench_last_result_timestamp_seconds{benchmark="",namespace="a",schedule="nightly"} 1.795575605e+09`,
		`storagebench_regressed{namespace="a",schedule="nightly"} 1`,
		`storagebench_results_left_out 1`,
		`storagebench_schedule_invalid{namespace="a",schedule="nightly"} 0`,
		`storagebench_schedule_next_start_timestamp_seconds{namespace="a",schedule="nightly"} 1.795575665e+09`,
		`storagebench_schedule_period_seconds{namespace="a",schedule="nightly"} 60`,
		`storagebench_schedule_waiting_since_timestamp_seconds{namespace="a",schedule="nightly"} 1.795572005e+09`,
	}
	for range 2 { // a pass tells of the state after the result
		if diff := cmp.Diff(want, text(t, s)); diff != "" {
			t.Errorf("metrics (-want +got):\n%s", diff)
		}
		s.SetSchedule(schedule("a", "nightly"), time.Minute)
	}
}

// Figures of one object are bounded, and each is served once: a scrape with two of the same labels fails as a whole.
func TestHostileResult(t *testing.T) {
	s := &Store{Limit: 5_000}
	r := large(2 * maxFigures)
	r.series = append(slices.Clone(r.series[:1]), r.series...)
	s.SetResult(types.NamespacedName{Namespace: "a", Name: "much"}, r)
	if got := len(text(t, s)); got != maxFigures+2 {
		t.Errorf("%d lines are served", got)
	}
	sb := benchmark("b", "words")
	sb.Status.Comparisons[0].Section = "\xff\x1b[31m\n" + strings.Repeat("x", 4096)
	sb.Status.Comparisons[0].Targets[0].Of(v1alpha1.OperationWrite).IOPS().Median = -1 << 63
	sb.Status.Comparisons = append(sb.Status.Comparisons, sb.Status.Comparisons...)
	s.SetBenchmark(sb)
	for _, line := range text(t, s) {
		if strings.Contains(line, "\x1b") || len(line) > 600 {
			t.Errorf("a line is %q", line)
		}
	}
}

// Cases whose names differ only beyond the length of a label are served each.
func TestLongLabels(t *testing.T) {
	s, long := &Store{Limit: 100}, strings.Repeat("w", 63)
	point := &history.Point{Time: ended}
	for _, choice := range []string{"4k", "8k"} {
		of := history.Case{Workload: long, Section: strings.Repeat("s", 200), Parameters: "bs=" + choice, Target: "gp3"}
		point.Cases = append(point.Cases, history.Measured{Case: of, Figures: []history.Figure{{Metric: history.ReadIOPS, Value: 1}}})
	}
	s.SetResult(types.NamespacedName{Namespace: "a", Name: "b"}, FromPoint(point))
	if got := text(t, s); len(got) != 4 { // with the time, and how many are left out
		t.Errorf("metrics are %q", got)
	}
	for _, series := range s.objects[object{schedules, types.NamespacedName{Namespace: "a", Name: "b"}}].result.series {
		if len(series.name) > maxLabel {
			t.Errorf("a label has %d bytes: %q", len(series.name), series.name)
		}
	}
}

// Who serves no metrics can be told of results all the same.
func TestNoMetrics(*testing.T) {
	for _, s := range []*Store{nil, {}} {
		s.SetBenchmark(benchmark("a", "b"))
		s.SetSchedule(schedule("a", "b"), time.Minute)
		s.ForgetBenchmark(types.NamespacedName{Namespace: "a", Name: "b"})
	}
}

// Names, units and help texts are as Prometheus would have them.
func TestPromtool(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("there is no promtool: make test-packages")
	}
	s := &Store{Limit: 100}
	s.SetBenchmark(benchmark("team-a", "once"))
	s.SetSchedule(schedule("team-a", "nightly"), time.Minute)
	check := exec.CommandContext(t.Context(), promtool, "check", "metrics")
	check.Stdin = strings.NewReader(exposition(t, s))
	if out, err := check.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}

// BenchmarkScrape is what a scrape costs with as many series as the default lets be.
func BenchmarkScrape(b *testing.B) {
	s := &Store{Limit: DefaultLimit}
	for i := range 500 {
		name := types.NamespacedName{Namespace: fmt.Sprintf("team-%d", i%20), Name: fmt.Sprintf("nightly-%d", i)}
		s.SetSchedule(schedule(name.Namespace, name.Name), time.Minute)
		s.SetResult(name, large(13))
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(s)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := registry.Gather(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(s.total), "series")
	b.ReportMetric(float64(len(exposition(b, s))), "bytes")
}

package report

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/joshdk/go-junit"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/expectation"
	"github.com/storagebench/storagebench/internal/report/export"
)

// expecting is what exported is, with an expectation that is met, one that is missed, and one of what was not measured.
func expecting() *v1alpha1.StorageBenchmark {
	sb := exported()
	sb.Spec.Workloads = []v1alpha1.Workload{{Name: "mixed"}, {Name: "file"}, {Name: "bad"}}
	sb.Spec.Expectations = []v1alpha1.Expectation{
		{Workload: "mixed", Metric: "read.iops", Min: new(intstr.FromInt32(700))},
		{Workload: "mixed", Metric: "write.p99", Max: new("98ns")},
		{Workload: "bad", Metric: "sync.p99", Max: new("10ms")},
	}
	outcome, reason, message, _ := expectation.Condition(expectation.Judge(&sb.Spec, &sb.Status))
	meta.SetStatusCondition(&sb.Status.Conditions, metav1.Condition{Type: v1alpha1.ConditionExpectationsMet, Status: outcome, Reason: reason, Message: message})
	end := metav1.NewTime(sb.Status.Runs[0].StartTime.Add(90 * time.Second))
	sb.Status.StartTime, sb.Status.CompletionTime, sb.Status.Runs[0].CompletionTime = sb.Status.Runs[0].StartTime, &end, &end
	return sb
}

// junitOf returns the one suite of a report, as a library for CI systems reads it.
func junitOf(t *testing.T, sb *v1alpha1.StorageBenchmark) junit.Suite {
	t.Helper()
	var out bytes.Buffer
	if err := export.JUnit(&out, sb); err != nil {
		t.Fatal(err)
	}
	suites, err := junit.IngestReader(&out)
	if err != nil {
		t.Fatal(err)
	}
	if len(suites) != 1 {
		t.Fatalf("%d suites", len(suites))
	}
	return suites[0]
}

func TestJUnit(t *testing.T) {
	suite := junitOf(t, expecting())
	if suite.Name != "b" || suite.Package != "ns" {
		t.Errorf("suite %q of package %q", suite.Name, suite.Package)
	}
	type outcome struct {
		Class, Name, Message string
		Status               junit.Status
		Duration             time.Duration
	}
	var got []outcome
	for _, test := range suite.Tests {
		got = append(got, outcome{test.Classname, test.Name, test.Message, test.Status, test.Duration})
	}
	want := []outcome{
		{"b", "benchmark", "", junit.StatusPassed, 0},
		{"b.runs", "mixed.bs-4k.gp3", "", junit.StatusPassed, 90 * time.Second},
		{"b.runs", "file.gp3", "", junit.StatusPassed, 0},
		{"b.runs", "bad.gp3", "fio: a,", junit.StatusError, 0},
		{"b.expectations", "mixed bs=4k on gp3: read.iops at least 700", "", junit.StatusPassed, 0},
		{"b.expectations", "mixed bs=4k on gp3: write.p99 at most 98 ns", "mixed bs=4k on gp3: write p99 99 ns, expected at most 98 ns; 1 of 1 run, too few for an interval, which needs 6", junit.StatusFailed, 0},
		{"b.expectations", "bad numjobs=2 on gp3: sync.p99 at most 10 ms", "bad numjobs=2 on gp3: fsync p99 was not measured, expected at most 10 ms", junit.StatusError, 0},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tests (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(junit.Totals{Tests: 7, Passed: 4, Failed: 1, Error: 2, Duration: 90 * time.Second}, suite.Totals); diff != "" {
		t.Errorf("totals (-want +got):\n%s", diff)
	}
}

// A benchmark that has not ended, or measured nothing, must not look as one that passed.
func TestJUnitIsNotGreenForNothing(t *testing.T) {
	for name, test := range map[string]struct {
		condition metav1.Condition
		message   string
	}{
		"not taken up": {message: "no operator has taken the benchmark up"},
		"goes on": {
			metav1.Condition{Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionUnknown, Reason: v1alpha1.ReasonMeasuring, Message: "1 of 3"},
			"the benchmark goes on: Measuring: 1 of 3",
		},
		"failed without a run that failed": {
			metav1.Condition{Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonRunFailed, Message: "no run has a result"},
			"no run has a result",
		},
		"refused, in hostile words": {
			metav1.Condition{Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonInvalidSpec, Message: "no ]]> \x1b[2J"},
			"no ]]> \ufffd[2J",
		},
	} {
		t.Run(name, func(t *testing.T) {
			sb := exported()
			sb.Status.Runs, sb.Status.Conditions = []v1alpha1.Run{{Name: "r", State: v1alpha1.RunPending}}, nil
			if test.condition.Type != "" {
				sb.Status.Conditions = []metav1.Condition{test.condition}
			}
			suite := junitOf(t, sb)
			if got := suite.Tests[0]; got.Status != junit.StatusError || got.Message != test.message {
				t.Errorf("the benchmark's test is %s with message %q, want %q", got.Status, got.Message, test.message)
			}
			if got := suite.Tests[1]; got.Status != junit.StatusSkipped {
				t.Errorf("the run's test is %s", got.Status)
			}
		})
	}
}

// What the operator says of presets that this program does not know is told in its words.
func TestJUnitOfUnknownPresets(t *testing.T) {
	for outcome, want := range map[metav1.ConditionStatus]junit.Status{metav1.ConditionFalse: junit.StatusFailed, metav1.ConditionUnknown: junit.StatusError} {
		sb := exported()
		sb.Spec.Workloads = []v1alpha1.Workload{{Name: "mixed", Preset: new("future")}}
		sb.Status.Presets = []v1alpha1.PresetVersion{"future.v9"}
		sb.Status.Conditions = []metav1.Condition{
			{Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonCompleted},
			{Type: v1alpha1.ConditionExpectationsMet, Status: outcome, Reason: "R", Message: "in the operator's words"},
		}
		tests := junitOf(t, sb).Tests
		if last := tests[len(tests)-1]; last.Name != "expectations" || last.Status != want || last.Message != "in the operator's words" {
			t.Errorf("%s is test %s, %s: %s", outcome, last.Name, last.Status, last.Message)
		}
	}
}

// CI systems show one test of each name.
func TestJUnitNamesAreUnique(t *testing.T) {
	sb := expecting()
	again := sb.Spec.Expectations[1]
	again.Workload = ""
	sb.Spec.Expectations = append(sb.Spec.Expectations, again, again)
	const name = "mixed bs=4k on gp3: write.p99 at most 98 ns"
	var got []string
	for _, test := range junitOf(t, sb).Tests {
		if strings.HasPrefix(test.Name, name) {
			got = append(got, test.Name)
		}
	}
	if diff := cmp.Diff([]string{name, name + " (2)", name + " (3)"}, got); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

// Whoever reads results sees what is not as expected, in each form.
func TestExpectationsAreShown(t *testing.T) {
	sb := expecting()
	const missed = "mixed bs=4k on gp3: write p99 99 ns, expected at most 98 ns; 1 of 1 run, too few for an interval, which needs 6"
	for name, test := range map[string]struct {
		print func(io.Writer) error
		want  []string
	}{
		"table": {
			func(w io.Writer) error { Table(w, sb, Style{}); return nil },
			[]string{"1 of 3 expectations met\nNot met: " + missed + "\nNot measured: bad numjobs=2 on gp3: fsync p99 was not measured, expected at most 10 ms\n\nWORKLOAD"},
		},
		"markdown": {
			func(w io.Writer) error { return Markdown(w, sb) },
			[]string{"## Expectations\n\n- **Met**: mixed", "- **Not met**: mixed bs=4k on gp3: write p99 99 ns", "expected at most 10 ms\n\n## Results\n"},
		},
		"explanation": {
			func(w io.Writer) error { return Explain(w, sb, "", Style{}) },
			[]string{"1 of 3 expectations met\n  Not met: " + missed + "\n  Not measured: bad numjobs=2"},
		},
	} {
		var out bytes.Buffer
		if err := test.print(&out); err != nil {
			t.Fatal(err)
		}
		for _, want := range test.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: %q is not in:\n%s", name, want, &out)
			}
		}
	}
}

func TestExpectationsForPrograms(t *testing.T) {
	var out bytes.Buffer
	sb := expecting()
	read := sb.Status.Runs[0].Result.Of(v1alpha1.OperationRead)
	read.Count, read.Bytes, read.BytesPerSecond = 7003, 7003<<10, 7003<<10/10 // 700.3 a second
	if err := export.JSON(&out, sb); err != nil {
		t.Fatal(err)
	}
	var document struct{ Expectations []export.Expected }
	if err := json.Unmarshal(out.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	for i := range document.Expectations {
		document.Expectations[i].Message = ""
	}
	want := []export.Expected{
		{Workload: "mixed", Target: "gp3", Parameters: map[string]string{"bs": "4k"}, Metric: "read.iops", Limit: new(float64(700)), Median: new(float64(700)), Verdict: "Met"},
		{Workload: "mixed", Target: "gp3", Parameters: map[string]string{"bs": "4k"}, Metric: "write.p99", Limit: new(float64(98)), Median: new(float64(99)), Verdict: "NotMet"},
		{Workload: "bad", Target: "gp3", Parameters: map[string]string{"numjobs": "2"}, Metric: "sync.p99", Limit: new(float64(10_000_000)), Verdict: "NotMeasured"},
	}
	if diff := cmp.Diff(want, document.Expectations); diff != "" {
		t.Errorf("expectations (-want +got):\n%s", diff)
	}
}

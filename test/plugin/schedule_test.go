package plugin

import (
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/history"
	"github.com/storagebench/storagebench/test/builder"
)

// schedule makes a schedule.
func (u *user) schedule(t *testing.T) *v1alpha1.StorageBenchmarkSchedule {
	t.Helper()
	s := &v1alpha1.StorageBenchmarkSchedule{
		ObjectMeta: metav1.ObjectMeta{Namespace: u.namespace, Name: "nightly"},
		Spec: v1alpha1.StorageBenchmarkScheduleSpec{Schedule: "0 3 * * *", Template: v1alpha1.StorageBenchmarkTemplate{
			Metadata: v1alpha1.TemplateMetadata{Labels: map[string]string{"team": "storage"}}, Spec: builder.OneRun("", "").Build().Spec,
		}},
	}
	if err := u.Create(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	return s
}

// A benchmark that is made from a schedule is the schedule's, so that it gets into its history.
func TestRunFromSchedule(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	s := u.schedule(t)
	if code, out, _ := u.run(t, "run", "--from-schedule", s.Name, "--dry-run"); code != 0 || !strings.Contains(out, "storagebench.dev/schedule: nightly") {
		t.Errorf("--dry-run ends with %d and prints\n%s", code, out)
	}
	if code, _, notes := u.run(t, "run", "--from-schedule", s.Name, "--wait=false"); code != 0 {
		t.Fatalf("exit code %d: %s", code, notes)
	}
	sb := u.only(t)
	if !strings.HasPrefix(sb.Name, "nightly-now-") || !metav1.IsControlledBy(sb, s) || sb.Labels["team"] != "storage" || sb.Labels[v1alpha1.LabelSchedule] != s.Name {
		t.Errorf("the benchmark is %+v", sb.ObjectMeta)
	}
	for name, test := range map[string]struct {
		args  []string
		words string
	}{
		"no such schedule": {[]string{"run", "--from-schedule", "weekly"}, `"weekly" not found`},
		"and a class":      {[]string{"run", "--from-schedule", s.Name, "--class", "gp3"}, "none of the others can be"},
		"its results go":   {[]string{"run", "--from-schedule", s.Name, "--rm"}, "none of the others can be"},
	} {
		if code, _, notes := u.run(t, test.args...); code == 0 || !strings.Contains(notes, test.words) {
			t.Errorf("%s: exit code %d, %s", name, code, notes)
		}
	}
}

// A schedule whose benchmarks all fail has no points, and tells why.
func TestReportOfAFailingSchedule(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	s := u.schedule(t)
	s.Status.LastResult = &v1alpha1.ScheduleResult{Benchmark: "nightly-1", CompletionTime: metav1.Now(), Reason: v1alpha1.ReasonInvalidSpec, Message: "there is no StorageClass gp33"}
	if err := u.Status().Update(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	for _, output := range []string{"table", "csv"} {
		code, _, notes := u.run(t, "report", "schedule/nightly", "-o", output)
		for _, want := range []string{"nightly has no points", "nightly-1 ended with InvalidSpec", "there is no StorageClass gp33."} {
			if code != 0 || !strings.Contains(notes, want) {
				t.Errorf("-o %s ends with %d, and %q is not in:\n%s", output, code, want, notes)
			}
		}
	}
}

// What a schedule has kept can leave it.
func TestReportOfASchedule(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	s := u.schedule(t)
	var h history.History
	h.Add(history.Point{
		Time: time.Date(2026, 11, 24, 3, 5, 0, 0, time.UTC), Benchmark: "nightly-1", UID: "uid", Succeeded: true,
		Cases: []history.Measured{{Case: history.Case{Workload: "randread", Target: "gp3"}, Figures: []history.Figure{{Metric: history.ReadIOPS, Value: 3_048_499}}}},
	}, 1)
	chunks, err := h.Encode()
	if err != nil {
		t.Fatal(err)
	}
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: u.namespace, Name: "points"}, BinaryData: map[string][]byte{v1alpha1.HistoryKey: chunks[0].Data}}
	if err := u.Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	s.Status.History = v1alpha1.ScheduleHistory{ConfigMaps: []string{object.Name, "gone"}, Points: 1}
	if err := u.Status().Update(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"report", "schedule/nightly"}, {"report", "sbs/nightly", "-o", "csv"}, {"report", "schedule/nightly", "-o", "json"}, {"report", "schedule/nightly", "-o", "html"}} {
		code, out, notes := u.run(t, args...)
		if code != 0 || !strings.Contains(out, "3048") || !strings.Contains(out, "nightly") {
			t.Errorf("%q ends with %d and prints\n%s%s", args, code, out, notes)
		}
	}
	if code, out, notes := u.run(t, "explain-result", "schedule/nightly"); code != 0 || !strings.Contains(out, "1 point of at most 90") {
		t.Errorf("the explanation ends with %d and prints\n%s%s", code, out, notes)
	}
	if code, _, notes := u.run(t, "explain-result", "schedule/nightly", "randread.gp3"); code == 0 || !strings.Contains(notes, `RUN is "randread.gp3", and a schedule has no runs`) {
		t.Errorf("with a run it ends with %d: %s", code, notes)
	}
	if _, out, _ := u.run(t, cobra.ShellCompNoDescRequestCmd, "explain-result", "sche"); !strings.Contains(out, "schedule/nightly") {
		t.Errorf("completed is %s", out)
	}
	if code, _, notes := u.run(t, "report", "schedule/nightly", "-o", "junit"); code == 0 || !strings.Contains(notes, `of a schedule: --output "junit" is not known: use table, csv, json, yaml or html`) {
		t.Errorf("another format ends with %d: %s", code, notes)
	}
}

package result

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/test/builder"
)

// A report counts for the pod that it names. Only of a pod that an older release has made, which was not told who it is, one
// counts that names none.
func TestReportsOfOtherPods(t *testing.T) {
	container := corev1.Container{Name: job.MeasureContainer}
	old := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "mine"}, Spec: corev1.PodSpec{Containers: []corev1.Container{container}}}
	container.Env = []corev1.EnvVar{{Name: digest.PodVariable}}
	told := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "mine"}, Spec: corev1.PodSpec{Containers: []corev1.Container{container}}}
	for _, test := range []struct {
		name, named string
		pod         *corev1.Pod
		want        string
	}{
		{"its own", "mine", told, ""},
		{"another's", "theirs", told, "it is that of pod theirs"},
		{"nobody's", "", told, "it does not name its pod"},
		{"an older pod's", "", old, ""},
		{"another's, of an older pod", "theirs", old, "it is that of pod theirs"},
	} {
		part := PartOf(0, test.pod, "", "")
		if got := wrongPod(&part, &digest.Report{Pod: test.named}); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// partsOf returns what clients leave that report this.
func partsOf(t *testing.T, reports ...digest.Report) []Part {
	t.Helper()
	var parts []Part
	for i, report := range reports {
		report.Pod = fmt.Sprintf("uid-%d", i)
		message, err := digest.Encode(report)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, Part{
			Client: int32(i), Pod: fmt.Sprintf("pod-%d", i), UID: report.Pod, Node: fmt.Sprintf("node-%d", i), NamesPod: true, Report: message,
		})
	}
	return parts
}

// measured returns what clients have measured that report this.
func measured(t *testing.T, reports ...digest.Report) *Measured {
	t.Helper()
	m, err := Read(partsOf(t, reports...), nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// planned returns the only run of a target and a workload.
func planned(t *testing.T, target v1alpha1.Target, workload v1alpha1.Workload, clients int32) *plan.Run {
	t.Helper()
	sb := builder.NewBenchmark("ns", "sb").Target(target).Workload(workload).Build()
	sb.Spec.Clients = &clients
	runs, problems := plan.Runs(&sb.Spec, nil)
	if len(problems) > 0 || len(runs) != 1 {
		t.Fatalf("%d runs, %v", len(runs), problems)
	}
	return &runs[0]
}

// What pods leave is refused in words that name the pod, at the first that is wrong: no other is looked at then.
func TestRead(t *testing.T) {
	one := planned(t, builder.NewTarget("t"), builder.NewWorkload("w"), 1)
	two := builder.Report("first", "second")
	newer := builder.Report()
	newer.FioVersion = "fio-3.40"
	garbage := func(parts []Part, i int) []Part {
		parts[i].Report = "fio: no space left on device"
		return parts
	}
	ofAnother := func(parts []Part, i int) []Part {
		parts[i].UID = "mine"
		return parts
	}
	for _, test := range []struct {
		name    string
		parts   []Part
		planned *plan.Run
		want    string
	}{
		{"a report", partsOf(t, builder.Report()), one, ""},
		{"reports of three clients", partsOf(t, builder.Report(), builder.Report(), builder.Report()), one, ""},
		{"no plan is known", partsOf(t, two), nil, ""},
		{"no report", garbage(partsOf(t, builder.Report()), 0), one, "the runner of pod pod-0 left no result: not a storagebench report"},
		{"no report of one client", garbage(partsOf(t, builder.Report(), builder.Report()), 1), one, "the runner of pod pod-1 left no result: not a storagebench report"},
		{"another pod's", ofAnother(partsOf(t, builder.Report()), 0), one, "the report of pod pod-0 is not of this run: it is that of pod uid-0"},
		{"other results than were planned", partsOf(t, two), one, "the report of pod pod-0 is not of this run: it has 2 results, and the run has 1"},
		{"the first of two that are wrong", garbage(ofAnother(partsOf(t, builder.Report(), builder.Report()), 0), 1), one, "the report of pod pod-0 is not of this run: it is that of pod uid-0"},
		{"too many results, and no report", garbage(partsOf(t, two, builder.Report()), 1), one, "the report of pod pod-0 is not of this run: it has 2 results, and the run has 1"},
		{"results with other names", partsOf(t, builder.Report(), builder.Report("another")), one, `the clients do not report the same: client 1 reports "another"`},
		{"another fio", partsOf(t, builder.Report(), newer), one, "the clients do not report the same: client 1 reports fio-3.40, client 0 fio-3.39"},
	} {
		t.Run(test.name, func(t *testing.T) {
			m, err := Read(test.parts, test.planned)
			switch {
			case test.want == "" && (err != nil || m.Result == nil && len(m.Sections) == 0):
				t.Errorf("%+v, error %v", m, err)
			case test.want != "" && (err == nil || m != nil || !strings.HasPrefix(err.Error(), test.want)):
				t.Errorf("error is %v, want %s", err, test.want)
			}
		})
	}
}

// A part has of its pod what reports are checked by and what is kept of a client.
func TestPartOf(t *testing.T) {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "sb-1", UID: "uid"}, Spec: corev1.PodSpec{NodeName: "node"}}
	if got, want := PartOf(3, pod, "text", "why"), (Part{Client: 3, Pod: "sb-1", UID: "uid", Node: "node", Report: "text", Ended: "why"}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

package controllers

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/workers"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/fakecluster"
)

// A report is taken into its run, with what it means; what is none fails it.
func TestRecord(t *testing.T) {
	limits := &v1alpha1.KnownLimits{Limits: v1alpha1.Limits{
		IOPS: new(int64(3000)), Burst: &v1alpha1.Burst{BaselineIOPS: new(int64(300)), IOCredits: new(int64(5_400_000))},
	}}
	for _, test := range []struct {
		name     string
		workload v1alpha1.Workload
		report   digest.Report
		// pod is the UID of the pod that left it.
		pod types.UID
		// sections is how many the run has, message what it says when it has failed.
		sections int
		message  string
	}{
		{name: "a result", workload: builder.NewDirectWorkload("w"), report: builder.Report(), pod: "uid"},
		{
			name: "sections", workload: builder.NewJobFile("w", "[global]\ndirect=1\nrw=read\nsize=1M\n[a]\n[b]\nstonewall\n"), report: builder.Report("a", "b"), pod: "uid",
			sections: 2,
		},
		{
			name: "more results than were planned", workload: builder.NewDirectWorkload("w"), report: builder.Report("a", "b"), pod: "uid",
			message: "the report of pod p is not of this run: it has 2 results, and the run has 1",
		},
		{name: "another pod's", workload: builder.NewDirectWorkload("w"), report: builder.Report(), pod: "another", message: "the report of pod p is not of this run: it is that of pod uid"},
	} {
		t.Run(test.name, func(t *testing.T) {
			sb := builder.NewBenchmark("ns", "sb").Target(builder.NewTarget("t")).Workload(test.workload).Build()
			sb.Status.Targets = []v1alpha1.TargetStatus{{Name: "t", Limits: limits}}
			sb.Status.Runs = []v1alpha1.Run{{Name: "w.t", Target: "t", State: v1alpha1.RunRunning, Attempts: 1, Message: "repeated"}}
			s := passOver(&Reconciler{Clock: fakecluster.NewClock()}, sb)
			test.report.Pod = "uid"
			message, err := digest.Encode(test.report)
			if err != nil {
				t.Fatal(err)
			}
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", UID: test.pod}}
			run, target := &sb.Status.Runs[0], &sb.Status.Targets[0]
			if err := workers.Record(t.Context(), s, run, []workers.Part{{Pod: pod, Seen: attempt.State{Phase: attempt.Succeeded, Report: message}}}, nil); err != nil {
				t.Fatal(err)
			}
			if run.CompletionTime == nil || !strings.HasPrefix(run.Message, test.message) || (run.Message == "") != (test.message == "") {
				t.Errorf("run is %+v", run)
			}
			if test.message != "" {
				if run.State != v1alpha1.RunFailed || run.Result != nil || run.Sections != nil || run.LimitedBy != nil || target.BurstCredits != nil {
					t.Errorf("run is %+v, credits %+v", run, target.BurstCredits)
				}
				return
			}
			if run.State != v1alpha1.RunSucceeded || len(run.Sections) != test.sections || (run.Result == nil) != (test.sections > 0) || target.BurstCredits == nil || len(run.Warnings) == 0 {
				t.Errorf("run is %+v, credits %+v", run, target.BurstCredits)
			}
			verdicts := []*v1alpha1.LimitedBy{run.LimitedBy}
			if test.sections > 0 {
				verdicts = nil
			}
			for i := range run.Sections {
				verdicts = append(verdicts, run.Sections[i].LimitedBy)
			}
			for _, verdict := range verdicts {
				if verdict == nil || verdict.Reason != v1alpha1.BoundVolumeIOPS {
					t.Errorf("limited by %+v", verdict)
				}
			}
		})
	}
}

// The result of a run that the spec no longer plans is kept. What it means is not known.
func TestRecordOfWhatIsNotPlanned(t *testing.T) {
	sb := builder.NewBenchmark("ns", "sb").Target(builder.NewTarget("t")).Workload(builder.NewDirectWorkload("w")).Build()
	sb.Status.Targets = []v1alpha1.TargetStatus{{Name: "t"}}
	sb.Status.Runs = []v1alpha1.Run{{Name: "gone.t", Target: "t", State: v1alpha1.RunRunning, Attempts: 1, Search: &v1alpha1.RunSearch{Value: 4}}}
	report := builder.Report()
	report.Pod = "uid"
	message, err := digest.Encode(report)
	if err != nil {
		t.Fatal(err)
	}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", UID: "uid"}}
	run := &sb.Status.Runs[0]

	err = workers.Record(t.Context(), passOver(&Reconciler{}, sb), run, []workers.Part{{Pod: pod, Seen: attempt.State{Phase: attempt.Succeeded, Report: message}}}, nil)

	if err != nil || run.State != v1alpha1.RunSucceeded || run.Result == nil || run.LimitedBy != nil || run.Search.Verdict != "" {
		t.Errorf("run is %+v: %v", run, err)
	}
}

package plugin

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	testclock "k8s.io/utils/clock/testing"

	"github.com/storagebench/storagebench/api/v1alpha1"

	"github.com/storagebench/storagebench/internal/report"
)

const refusal = `target loop: ProvisioningFailed: rpc error: code = OutOfRange desc = 900Ti is more than 64Ti`

// shown is a view into a pipe, or into a terminal that nobody sees, at a time that the test sets.
type shown struct {
	*view
	clock *testclock.FakePassiveClock
	out   bytes.Buffer
	sb    *v1alpha1.StorageBenchmark
}

func newShown(width int) *shown {
	s := &shown{clock: testclock.NewFakePassiveClock(time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC))}
	cmd := &cobra.Command{}
	cmd.SetErr(&s.out)
	s.view = newView(newScreen(cmd))
	s.view.clock = s.clock
	s.screen.style = func() report.Style { return report.Style{Width: width} }
	s.sb = measured("ns", "first", "loop", 100)
	run := &s.sb.Status.Runs[0]
	s.sb.Status.Progress = "0/1"
	run.State, run.CompletionTime, run.Attempts, run.StartTime = v1alpha1.RunRunning, nil, 1, &metav1.Time{Time: s.clock.Now()}
	s.benchmark, s.planned = s.sb, map[string]time.Duration{run.Name: 40 * time.Second}
	return s
}

// tell is an update with that step, and the seconds that follow it.
func (s *shown) tell(reason, message string, seconds int) {
	sb := s.sb.DeepCopy()
	sb.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionUnknown, Reason: reason, Message: message}}
	s.update(sb)
	for range seconds {
		s.clock.SetTime(s.clock.Now().Add(time.Second))
		s.refresh()
	}
}

// TestWaitsAreTold: a pipe gets each message that tells why a benchmark waits, once, and nothing of waits that are over soon.
func TestWaitsAreTold(t *testing.T) {
	s := newShown(0)
	s.tell(v1alpha1.ReasonProvisioning, "1 run on 1 target", 1)
	s.tell(v1alpha1.ReasonProvisioning, "target loop: claim a is not bound yet", 1)
	s.tell(v1alpha1.ReasonProvisioning, refusal, 3)
	s.tell(v1alpha1.ReasonProvisioning, strings.ReplaceAll(refusal, "900Ti", "901Ti"), 3)
	s.tell(v1alpha1.ReasonPreparing, "run w.loop (1 of 1)", 3)
	s.tell(v1alpha1.ReasonPreparing, "run w.loop (1 of 1): pod x: cannot pull image", 3)
	s.tell(v1alpha1.ReasonMeasuring, "run w.loop (1 of 1)", 3)
	s.tell(v1alpha1.ReasonCleaningUp, "waiting for the removal of claim a", 1)
	want := "Provisioning   1 run on 1 target\nProvisioning   " + refusal + `
Preparing      run w.loop (1 of 1)
Preparing      run w.loop (1 of 1): pod x: cannot pull image
CleaningUp     waiting for the removal of claim a
`
	if diff := cmp.Diff(want, s.out.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestRetriesAreTold: so is the error for which the operator tries again.
func TestRetriesAreTold(t *testing.T) {
	s := newShown(0)
	s.sb.Status.Conditions = []metav1.Condition{
		{Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionUnknown, Reason: v1alpha1.ReasonMeasuring, Message: "run w.loop (1 of 1)"},
	}
	s.update(s.sb.DeepCopy())
	s.sb.Status.Conditions = append(s.sb.Status.Conditions, metav1.Condition{Type: v1alpha1.ConditionRetrying, Status: metav1.ConditionTrue, Message: `create Job: jobs.batch "w" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: , <nil>`})
	s.update(s.sb.DeepCopy())
	s.clock.SetTime(s.clock.Now().Add(newsSettles))
	s.refresh()
	want := "Measuring      run w.loop (1 of 1)\nMeasuring      run w.loop (1 of 1) (retrying: forbidden: cannot set blockOwnerDeletion if an ownerRefer...)\n"
	if diff := cmp.Diff(want, s.out.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestStepsFitTheTerminal: a step that is wider goes on below its text.
func TestStepsFitTheTerminal(t *testing.T) {
	s := newShown(80)
	s.tell(v1alpha1.ReasonProvisioning, refusal+" "+refusal, 3)
	lines := strings.Split(s.out.String(), "\n")
	lines = lines[:len(lines)-1] // the one that changes
	for i, line := range lines {
		if len(line) > 80 || i > 0 && !strings.HasPrefix(line, stepIndent) {
			t.Errorf("line %q", line)
		}
	}
	if len(lines) < 2 || !strings.HasPrefix(lines[0], "Provisioning   target") {
		t.Errorf("printed %q", lines)
	}
}

// TestLineWhileWaiting: the line that changes is about what is waited for. The bar and the remaining time stand still meanwhile, and go on from there.
func TestLineWhileWaiting(t *testing.T) {
	s := newShown(100)
	s.tell(v1alpha1.ReasonProvisioning, refusal, 49)
	const still = `[>         ]  0/1  about 40s left  Provisioning: target loop: ProvisioningFailed: 900Ti is more than 64Ti`
	if s.screen.live != still {
		t.Errorf("got %q, want %q", s.screen.live, still)
	}
	s.tell(v1alpha1.ReasonMeasuring, "run w.loop (1 of 1)", 20)
	const half = "[==========>         ]  0/1  about 20s left  Measuring w.loop"
	if s.screen.live != half {
		t.Errorf("got %q, want %q", s.screen.live, half)
	}
	s.tell(v1alpha1.ReasonMeasuring, "run w.loop (1 of 1)", 30)
	if strings.Contains(s.screen.live, "about 0s left") {
		t.Errorf("a run that takes longer than planned is about to end: %q", s.screen.live)
	}
}

// TestEndedLines: the lines of runs that have a result fit 80 columns, as long as their names leave room. Errors are not cut.
func TestEndedLines(t *testing.T) {
	latency := v1alpha1.LatencyDistribution{P50Nanoseconds: 469_000, P99Nanoseconds: 92_800_000}
	read := v1alpha1.Figures{Name: v1alpha1.OperationRead, MilliIOPS: 2_998_000, BytesPerSecond: 49_119_232, CompletionLatency: &latency}
	write := read
	write.Name = v1alpha1.OperationWrite
	others := []v1alpha1.Figures{read, write, {Name: v1alpha1.OperationSync}, {Name: v1alpha1.OperationMetadata, MilliIOPS: 5000}}
	var got strings.Builder
	v := newShown(0)
	for _, result := range []v1alpha1.Result{{Figures: others[:1]}, {Figures: others[:2]}, {Figures: others}} {
		for _, name := range []string{"w.loop", "randwrite.gp3.bs-16k-1"} {
			run := &v1alpha1.Run{Name: name, State: v1alpha1.RunSucceeded, Result: &result, LimitedBy: &v1alpha1.LimitedBy{Reason: v1alpha1.BoundVolumeIOPS}}
			line := v.endedLine(run, len(name))
			if len(line) > 80 {
				t.Errorf("%d columns: %s", len(line), line)
			}
			fmt.Fprintln(&got, line)
		}
	}
	want := `ok     w.loop  read 2998 IOPS, 46.8 MiB/s, p50 469us, p99 92.8ms; VolumeIOPS
ok     randwrite.gp3.bs-16k-1  read 2998 IOPS, p99 92.8ms; VolumeIOPS
ok     w.loop  read 2998 IOPS + write 2998 IOPS; VolumeIOPS
ok     randwrite.gp3.bs-16k-1  read 2998 IOPS + write 2998 IOPS; VolumeIOPS
ok     w.loop  read 2998 IOPS + write 2998 IOPS + sync mean 0ns + metadata 5 I..
ok     randwrite.gp3.bs-16k-1  read 2998 IOPS + write 2998 IOPS + sync mean 0n..
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	failed := &v1alpha1.Run{Name: "w", State: v1alpha1.RunFailed, Message: strings.Repeat("long, ", 50) + "end"}
	if line := v.endedLine(failed, 1); !strings.HasSuffix(line, "long, end") || len(line) < 250 {
		t.Errorf("an error is cut: %s", line)
	}
}

package measure

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/pvc"
	"github.com/storagebench/storagebench/controllers/workers"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/internal/children"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/internal/storage"
)

// Measure makes the runs, one after the other.
func Measure(ctx context.Context, p *pass.Pass) (pass.Outcome, error) {
	if p.SB.Status.HasMeasured() {
		return pass.GoOn(), nil
	}
	for run := nextRun(p); run != nil; run = nextRun(p) {
		planned, known := p.Planned(run)
		if !known {
			return pass.Outcome{}, fmt.Errorf("run %s is not planned", run.Name) // validate has refused it
		}
		if run.State == v1alpha1.RunRunning {
			out, err := follow(ctx, p, run, planned)
			if err != nil || out.Stop || run.State == v1alpha1.RunRunning || p.SB.Status.HasMeasured() {
				return out, err
			}
		}
		if run.State == v1alpha1.RunPending {
			return begin(ctx, p, run, planned)
		}
	}
	return pass.GoOn(), nil
}

// begin writes down that an attempt begins, before its Jobs are made. So whatever happens in between, and
// however old a version another pass sees, no attempt is made twice. Whatever was under way before must be over.
func begin(ctx context.Context, p *pass.Pass, run *v1alpha1.Run, planned *plan.Run) (pass.Outcome, error) {
	if out, err := clearEarlier(ctx, p, run); err != nil || out.Stop {
		return out, err
	}
	if err := pvc.NoteExistingClaim(ctx, p, planned.Target); err != nil {
		return pass.Outcome{}, err
	}
	if p.SB.Status.HasMeasured() {
		return pass.SaveFirst(), nil
	}
	bindsFirst, err := pvc.BindsFirst(ctx, p, run, planned.Target)
	if err != nil {
		return pass.Outcome{}, err
	}
	BeginRun(p, run, bindsFirst, p.World.Clock.Now())
	return pass.SaveFirst(), nil
}

// clearEarlier sees to it that nothing is left of earlier attempts that would measure beside the next one.
func clearEarlier(ctx context.Context, p *pass.Pass, run *v1alpha1.Run) (pass.Outcome, error) {
	earlier := attempt.Earlier{
		Repeats: run.Attempts > 0, Measures: p.Children.MayMeasure,
		CutShort: attempt.WasCutShort(p.SB.Status.Runs), Saved: !p.Changed(),
	}
	switch attempt.DecideEarlier(earlier) {
	case attempt.SaveFirst:
		return pass.SaveFirst(), nil
	case attempt.EndEarlier:
		left, err := workers.EndAttempts(ctx, p)
		if err == nil && len(left) > 0 {
			return p.AwaitEnd(attempt.DescribeRun(&p.SB.Status, run), left), nil
		}
		return pass.GoOn(), err
	default:
		return pass.GoOn(), nil
	}
}

// BeginRun writes down that the next attempt of a run begins, or, where its claim has to be bound first, the anchor
// that has it bound. It begins now, not when the pass began, which may have been long before.
func BeginRun(s *pass.Pass, run *v1alpha1.Run, bindsFirst bool, now time.Time) {
	if bindsFirst {
		s.SB.Status.Anchors = make([]v1alpha1.Anchor, 1)
		s.BeginAnchors(now)
		return
	}
	attempt.BeginRun(run, now)
	s.Step(v1alpha1.ReasonPreparing, attempt.DescribeRun(&s.SB.Status, run))
	if !s.Memory.Writes.IsShared {
		s.Memory.OwnAttempt = attempt.NewOwnAttempt(run)
	}
}

// bindFirst gives up an attempt whose pod waits for a volume that takes long. An anchor has the claim bound, and goes
// on with the wait. That is no disruption: nothing was measured.
func bindFirst(s *pass.Pass, run *v1alpha1.Run) {
	s.Children.NoteUnseen(run, &s.Memory.OwnAttempt)
	run.State, run.Job = v1alpha1.RunPending, ""
	BeginRun(s, run, true, run.StartTime.Time)
}

// follow makes the Jobs of the run's attempt, one for each client, and sees how they get on.
func follow(ctx context.Context, p *pass.Pass, run *v1alpha1.Run, planned *plan.Run) (pass.Outcome, error) {
	missing := p.Children.MissingJobs(run)
	switch attempt.DecideJobs(len(missing), run.Job != "") {
	case attempt.FindJob: // an attempt may be missing in an old version that has long ended
		return workers.IfFresh(ctx, p, func() (pass.Outcome, error) { return findJob(ctx, p, run, planned, missing[0]) })
	case attempt.MakeJobs:
		return workers.IfFresh(ctx, p, func() (pass.Outcome, error) { return createJobs(ctx, p, run, planned, missing) })
	case attempt.FollowJobs:
	}
	run.Job = childmeta.RunName(p.SB, run.Name, run.Attempts, 0)
	parts, err := workers.PartsOf(ctx, p, run)
	if err != nil {
		return pass.Outcome{}, err
	}
	whole, _ := attempt.Together(workers.StatesOf(parts))
	for _, one := range parts {
		err := pvc.RecordPlace(ctx, p, planned.Target, one.Client, one.Pod)
		if err != nil && (!whole.Ended() || !p.IsResultLate()) {
			return pass.Outcome{}, err
		}
	}
	// The run no longer runs if a user's claim was replaced before the pod had a node.
	if p.SB.Status.HasMeasured() || run.State != v1alpha1.RunRunning {
		return pass.SaveFirst(), nil
	}
	facts, err := facts(ctx, p, run, planned, parts, whole)
	if err != nil {
		return pass.Outcome{}, err
	}
	decision := attempt.Decide(facts)
	if decision.EndsRun() && !p.AsksPods { // the watch of pods may be silent, and the result there
		p.AsksPods = true
		return follow(ctx, p, run, planned)
	}
	return carryOut(ctx, p, run, planned, parts, facts, decision)
}

// facts returns what an attempt is decided by. It reads nodes and logs only for an attempt that runs.
func facts(
	ctx context.Context, p *pass.Pass, run *v1alpha1.Run, planned *plan.Run, parts []workers.Part, whole attempt.State,
) (attempt.Facts, error) {
	progressSeconds := ptr.Deref(p.SB.Spec.Deadlines.IOProgressSeconds, 0)
	facts := attempt.Facts{
		Clients: workers.StatesOf(parts), Told: told(parts), Liveness: workers.LivenessOf(p.Memory, parts), Now: p.Now.Time,
		RunLimit:      attempt.RunLimit(p.SB, p.NeededSeconds()).Duration() + planned.ProbeTime(),
		ProgressLimit: time.Duration(progressSeconds) * time.Second,
		AgreedStart:   ptr.Deref(run.AgreedStart, metav1.MicroTime{}).Time,
	}
	if !whole.Runs() {
		return facts, nil
	}
	var err error
	if facts.Unanswered, err = workers.CutOff(ctx, p, parts); err != nil {
		return facts, err
	}
	facts.Liveness = workers.ReadLogs(ctx, p, parts, facts)
	facts.Now = p.World.Clock.Now() // the logs are as they were a moment ago, and not as at the beginning of the pass
	return facts, nil
}

// carryOut does what is decided about an attempt.
func carryOut(
	ctx context.Context, p *pass.Pass, run *v1alpha1.Run, planned *plan.Run, parts []workers.Part,
	facts attempt.Facts, decision attempt.Decision,
) (pass.Outcome, error) {
	switch decision.Action {
	case attempt.Collect:
		return pass.GoOn(), workers.Collect(ctx, p, run, parts)
	case attempt.AwaitStart:
		if out, err := withdraw(ctx, p, run, planned.Target, parts[decision.Client]); err != nil || out.Stop {
			return out, err
		}
		return workers.AwaitPod(ctx, p, runWait(p, run, planned, parts[decision.Client]))
	case attempt.Agree:
		return Agree(p, run, p.World.Clock.Now()), nil
	case attempt.Repeat:
		return startMissed(ctx, p, run, decision)
	case attempt.Expire:
		ExpireRun(p, run, decision.Why)
		return pass.SaveFirst(), nil
	case attempt.GiveUp:
		workers.GiveUp(p, run, parts[decision.Client], facts.Liveness[decision.Client])
		return pass.SaveFirst(), nil
	case attempt.Watch:
		if len(decision.Tell) > 0 {
			if out, err := tellClients(ctx, p, run, parts, decision.Tell); err != nil || out.Stop {
				return out, err
			}
		}
		TellStep(p, run, decision)
		return pass.AwaitFor(decision.After), nil // the pods are watched
	default:
		return pass.Outcome{}, fmt.Errorf("no way is known to %s", decision.Action)
	}
}

// TellStep tells users what an attempt that goes on is at.
func TellStep(s *pass.Pass, run *v1alpha1.Run, decision attempt.Decision) {
	reason, text := v1alpha1.ReasonPreparing, attempt.DescribeRun(&s.SB.Status, run)
	if decision.Measures {
		reason = v1alpha1.ReasonMeasuring
	}
	if decision.Why != "" {
		text += ": " + decision.Why
	}
	s.Step(reason, text)
}

// ExpireRun ends the benchmark with a run that has run for longer than it may.
func ExpireRun(s *pass.Pass, run *v1alpha1.Run, unanswered string) {
	last := cmp.Or(unanswered, "fio still runs; raise runCompletionSeconds, or lower runtimeSeconds or size")
	message := fmt.Sprintf("run %s %s: %s", run.Name, attempt.RunLimit(s.SB, s.NeededSeconds()).Waited("its end"), last)
	s.FailRun(run, message)
	s.Fail(v1alpha1.ReasonDeadlineExceeded, message)
}

// createJobs makes Jobs of an attempt, after those of finished runs that are in its way were deleted.
func createJobs(
	ctx context.Context, p *pass.Pass, run *v1alpha1.Run, planned *plan.Run, missing []int32,
) (pass.Outcome, error) {
	if out, err := workers.RemoveSpentJobs(ctx, p, run); err != nil || out.Stop {
		return out, err
	}
	existing, err := pvc.ExistingVolumes(ctx, p, planned.Target, missing...)
	if err != nil {
		return pass.Outcome{}, err
	}
	why, err := whyNotWritten(ctx, p, planned, missing)
	if err != nil {
		return pass.Outcome{}, err
	}
	if why != "" {
		p.FailRun(run, why)
		p.Fail(v1alpha1.ReasonProvisioningFailed, why)
		return pass.SaveFirst(), nil
	}
	p.Children.NoteEarlierJobs(run, missing, &p.Memory.OwnAttempt)
	spec := jobSpec(p)
	shares := spec.Shares(planned)
	// Each Job is described when it is made: a description may be large, and there may be many.
	errs := world.InParallel(ctx, missing, func(client int32) error {
		existed := existing.Has(storage.ClaimName(p.SB, planned.Target, client))
		return workers.MakeJob(ctx, p, job.ForRun(p.SB, p.World.Image, spec.ForRun(run, planned, client, shares, existed)))
	})
	p.Memory.NoteJobs(run, missing, errs)
	p.Memory.JobRefused = slices.ContainsFunc(errs, world.IsRefused)
	for i, err := range errs {
		if err != nil {
			return runWait(p, run, planned, workers.Part{Client: missing[i]}).NotMade("Job", err)
		}
	}
	run.Job = childmeta.RunName(p.SB, run.Name, run.Attempts, 0)
	return pass.AwaitFor(p.Remaining(run.StartTime.Time, attempt.StartLimit(p.SB.Spec.Deadlines))), nil
}

// jobSpec returns the description from which the benchmark's Jobs are made.
func jobSpec(p *pass.Pass) job.Spec {
	return job.Spec{
		StorageBenchmark: p.SB, Plan: p.PlannedRuns(), Claims: p.Children.Claims, EBSMetricsURL: p.World.EBSMetricsURL,
	}
}

// runWait is the wait for the pod of a client in a run's attempt.
func runWait(s *pass.Pass, run *v1alpha1.Run, planned *plan.Run, one workers.Part) *workers.PodWait {
	st := &workers.PodWait{
		Pass: s, What: attempt.DescribeRun(&s.SB.Status, run),
		Began: run.StartTime, Made: children.MadeAt(s.Children.JobOf(run, one.Client)),
		Pod: one.Pod, Resources: attempt.RunResources,
	}
	if run.ClientCount() > 1 {
		st.What += ", " + childmeta.Client(one.Client)
	}
	if node := s.SB.Status.NodeOf(one.Client); node != "" && s.SB.Status.Target(planned.Target.Name).IsForOnePod() {
		st.Elsewhere = DescribeElsewhere(planned.Target, node)
	}
	st.Needs = s.Children.VolumesFor(one.Client, planned.Target.Name)
	if one.Job != nil {
		st.Job = one.Job.UID
	}
	if !s.SB.Status.Target(planned.Target.Name).IsForOnePod() {
		st.Release = func() { bindFirst(s, run) }
	}
	st.Invalid = func(err error) { s.FailRun(run, fmt.Sprintf("the Job was refused: %v", err)) }
	st.Expire = func(message string) {
		s.FailRun(run, message)
		s.Fail(v1alpha1.ReasonDeadlineExceeded, message)
	}
	return st
}

// DescribeElsewhere says of a volume that only one pod may have that it cannot be used on the node that the benchmark
// holds, and what to do. The volume of a claim that exists is where it is.
func DescribeElsewhere(target *v1alpha1.Target, node string) string {
	remedy := "in another StorageBenchmark, set spec.placement.nodeSelector to where the volume is"
	if storage.IsProvisioned(target) {
		remedy += ", or accessMode to ReadWriteOnce"
	}
	if target.StorageClassName != nil {
		remedy += ", or storageClassName to a class whose volumeBindingMode is WaitForFirstConsumer"
	}
	return fmt.Sprintf("the volume of target %s cannot be used on node %s, which the benchmark holds; %s: ",
		target.Name, node, remedy)
}

package controllers

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/child"
	"github.com/storagebench/storagebench/internal/children"
	"github.com/storagebench/storagebench/internal/cleanup"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/jobspec"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/internal/storage"
)

// measure makes the runs, one after the other.
func measure(ctx context.Context, p *pass) (outcome, error) {
	if p.sb.Status.HasMeasured() {
		return goOn(), nil
	}
	for run := p.nextRun(); run != nil; run = p.nextRun() {
		planned, known := p.planned(run)
		if !known {
			return outcome{}, fmt.Errorf("run %s is not planned", run.Name) // validate has refused it
		}
		if run.State == v1alpha1.RunRunning {
			out, err := p.follow(ctx, run, planned)
			if err != nil || out.stop || run.State == v1alpha1.RunRunning || p.sb.Status.HasMeasured() {
				return out, err
			}
		}
		if run.State == v1alpha1.RunPending {
			return p.begin(ctx, run, planned)
		}
	}
	return goOn(), nil
}

// planned returns the plan of a run, false if the spec knows of none.
func (s *scope) planned(run *v1alpha1.Run) (*plan.Run, bool) {
	return plan.Of(s.plannedRuns(), run)
}

// plannedRuns returns the plan of the spec.
func (s *scope) plannedRuns() []plan.Run {
	if s.runs == nil {
		// Nothing to report: the plan was found to be valid before the first run began.
		s.runs, _ = s.plan()
	}
	return s.runs
}

// begin writes down that an attempt begins, before its Jobs are made. So whatever happens in between, and
// however old a version another pass sees, no attempt is made twice. Whatever was under way before must be over.
func (p *pass) begin(ctx context.Context, run *v1alpha1.Run, planned *plan.Run) (outcome, error) {
	if out, err := p.clearEarlier(ctx, run); err != nil || out.stop {
		return out, err
	}
	if err := p.noteExistingClaim(ctx, planned.Target); err != nil {
		return outcome{}, err
	}
	if p.sb.Status.HasMeasured() {
		return saveFirst(), nil
	}
	bindsFirst, err := p.bindsFirst(ctx, run, planned.Target)
	if err != nil {
		return outcome{}, err
	}
	p.beginRun(run, bindsFirst, p.Clock.Now())
	return saveFirst(), nil
}

// clearEarlier sees to it that nothing is left of earlier attempts that would measure beside the next one.
func (p *pass) clearEarlier(ctx context.Context, run *v1alpha1.Run) (outcome, error) {
	proof, isSaved := p.allSaved()
	earlier := attempt.Earlier{
		Repeats: run.Attempts > 0, Measures: p.MayMeasure, CutShort: attempt.WasCutShort(p.sb.Status.Runs), Saved: isSaved,
	}
	switch attempt.DecideEarlier(earlier) {
	case attempt.SaveFirst:
		return saveFirst(), nil
	case attempt.EndEarlier:
		left, err := p.endAttempts(ctx, proof)
		if err == nil && len(left) > 0 {
			return p.awaitEnd(attempt.DescribeRun(&p.sb.Status, run), left), nil
		}
		return goOn(), err
	default:
		return goOn(), nil
	}
}

// beginRun writes down that the next attempt of a run begins, or, where its claim has to be bound first, the anchor that has it bound. It begins now, not when
// the pass began, which may have been long before.
func (s *writer) beginRun(run *v1alpha1.Run, bindsFirst bool, now time.Time) {
	if bindsFirst {
		s.sb.Status.Anchors = make([]v1alpha1.Anchor, 1)
		s.beginAnchors(now)
		return
	}
	attempt.BeginRun(run, now)
	s.step(v1alpha1.ReasonPreparing, attempt.DescribeRun(&s.sb.Status, run))
	if !s.memory.writes.isShared {
		s.memory.ownAttempt = attempt.NewOwnAttempt(run)
	}
}

// bindFirst gives up an attempt whose pod waits for a volume that takes long. An anchor has the claim bound, and goes
// on with the wait. That is no disruption: nothing was measured.
func bindFirst(s *writer, run *v1alpha1.Run) {
	s.NoteUnseen(run, &s.memory.ownAttempt)
	run.State, run.Job = v1alpha1.RunPending, ""
	s.beginRun(run, true, run.StartTime.Time)
}

// endAttempts ends whatever still runs of earlier attempts and returns what is left of them. Pods whose
// node does not answer are not waited for.
func (p *pass) endAttempts(ctx context.Context, _ saved) ([]cleanup.Leftover, error) {
	left, err := p.removeJobs(ctx, client.MatchingLabels{v1alpha1.LabelRole: v1alpha1.RoleRun})
	return cleanup.WithoutLost(left), err
}

// follow makes the Jobs of the run's attempt, one for each client, and sees how they get on.
func (p *pass) follow(ctx context.Context, run *v1alpha1.Run, planned *plan.Run) (outcome, error) {
	missing := p.MissingJobs(run)
	switch attempt.DecideJobs(len(missing), run.Job != "") {
	case attempt.FindJob: // an attempt may be missing in an old version that has long ended
		return p.ifFresh(ctx, func() (outcome, error) { return p.findJob(ctx, run, planned, missing[0]) })
	case attempt.MakeJobs:
		return p.ifFresh(ctx, func() (outcome, error) { return p.createJobs(ctx, run, planned, missing) })
	case attempt.FollowJobs:
	}
	run.Job = job.RunName(p.sb, run.Name, run.Attempts, 0)
	parts, err := p.partsOf(ctx, run)
	if err != nil {
		return outcome{}, err
	}
	whole, _ := attempt.Together(statesOf(parts))
	for _, one := range parts {
		if err := p.recordPlace(ctx, planned.Target, one.client, one.pod); err != nil && (!whole.Ended() || !p.isResultLate()) {
			return outcome{}, err
		}
	}
	if p.sb.Status.HasMeasured() || run.State != v1alpha1.RunRunning { // somebody's claim was replaced before the pod had a node
		return saveFirst(), nil
	}
	if whole.Phase != attempt.Starting {
		attempt.EndNodeWait(&p.sb.Status)
	}
	facts, err := p.facts(ctx, run, planned, parts, whole)
	if err != nil {
		return outcome{}, err
	}
	decision := attempt.Decide(facts)
	if decision.EndsRun() && !p.asksPods { // the watch of pods may be silent, and the result there
		p.asksPods = true
		return p.follow(ctx, run, planned)
	}
	return p.carryOut(ctx, run, planned, parts, facts, decision)
}

// facts returns what an attempt is decided by. Nodes and logs are asked only of one that runs.
func (p *pass) facts(ctx context.Context, run *v1alpha1.Run, planned *plan.Run, parts []part, whole attempt.State) (attempt.Facts, error) {
	facts := attempt.Facts{
		Clients: statesOf(parts), Told: told(parts), Liveness: p.memory.livenessOf(parts), Now: p.now.Time,
		RunLimit: attempt.RunLimit(p.sb).Duration() + planned.ProbeTime(), ProgressLimit: time.Duration(ptr.Deref(p.sb.Spec.Deadlines.ProgressSeconds, 0)) * time.Second,
		AgreedStart: ptr.Deref(run.AgreedStart, metav1.MicroTime{}).Time,
	}
	if !whole.Runs() {
		return facts, nil
	}
	var err error
	if facts.Unanswered, err = p.cutOff(ctx, parts); err != nil {
		return facts, err
	}
	facts.Liveness = p.readLogs(ctx, parts, facts)
	facts.Now = p.Clock.Now() // the logs are as they were a moment ago, and not as at the beginning of the pass
	return facts, nil
}

// carryOut does what is decided about an attempt.
func (p *pass) carryOut(ctx context.Context, run *v1alpha1.Run, planned *plan.Run, parts []part, facts attempt.Facts, decision attempt.Decision) (outcome, error) {
	switch decision.Action {
	case attempt.Collect:
		return goOn(), p.collect(ctx, run, parts)
	case attempt.AwaitStart:
		if out, err := p.withdraw(ctx, run, planned.Target, parts[decision.Client]); err != nil || out.stop {
			return out, err
		}
		return p.watch(ctx, p.runWait(run, planned, parts[decision.Client]))
	case attempt.Agree:
		return p.agree(run, p.Clock.Now()), nil
	case attempt.Repeat:
		return p.startMissed(ctx, run, decision)
	case attempt.Expire:
		p.expireRun(run, decision.Why)
		return saveFirst(), nil
	case attempt.GiveUp:
		p.giveUp(run, parts[decision.Client], facts.Liveness[decision.Client])
		return saveFirst(), nil
	case attempt.Watch:
		if len(decision.Tell) > 0 {
			if out, err := p.tellClients(ctx, run, parts, decision.Tell); err != nil || out.stop {
				return out, err
			}
		}
		p.tellStep(run, decision)
		return awaitFor(decision.After), nil // the pods are watched
	default:
		return outcome{}, fmt.Errorf("no way is known to %s", decision.Action)
	}
}

// tellStep tells users what an attempt that goes on is at.
func (s *writer) tellStep(run *v1alpha1.Run, decision attempt.Decision) {
	reason, text := v1alpha1.ReasonPreparing, attempt.DescribeRun(&s.sb.Status, run)
	if decision.Measures {
		reason = v1alpha1.ReasonMeasuring
	}
	if decision.Why != "" {
		text += ": " + decision.Why
	}
	s.step(reason, text)
}

// expireRun ends the benchmark with a run that has run for longer than it may.
func (s *writer) expireRun(run *v1alpha1.Run, unanswered string) {
	last := cmp.Or(unanswered, "fio still runs; raise runSeconds, or lower runtimeSeconds or size")
	message := fmt.Sprintf("run %s %s: %s", run.Name, attempt.RunLimit(s.sb).Waited("its end"), last)
	s.failRun(run, message)
	s.fail(v1alpha1.ReasonDeadlineExceeded, message)
}

// createJobs makes Jobs of an attempt, after those of finished runs that are in its way were deleted.
func (p *pass) createJobs(ctx context.Context, run *v1alpha1.Run, planned *plan.Run, missing []int32) (outcome, error) {
	if out, err := p.removeSpentJobs(ctx, run); err != nil || out.stop {
		return out, err
	}
	existing, err := p.existingVolumes(ctx, planned.Target, missing...)
	if err != nil {
		return outcome{}, err
	}
	why, err := p.whyNotWritten(ctx, planned, missing)
	if err != nil {
		return outcome{}, err
	}
	if why != "" {
		p.failRun(run, why)
		p.fail(v1alpha1.ReasonProvisioningFailed, why)
		return saveFirst(), nil
	}
	p.NoteEarlierJobs(run, missing, &p.memory.ownAttempt)
	spec := p.jobSpec()
	shares := spec.Shares(planned)
	errs := inParallel(ctx, missing, func(client int32) error { // described one at a time: each may be large, and they may be many
		existed := existing.Has(storage.ClaimName(p.sb, planned.Target, client))
		return p.makeJob(ctx, job.ForRun(p.sb, p.Image, spec.ForRun(run, planned, client, shares, existed)))
	})
	p.memory.noteJobs(run, missing, errs)
	p.memory.jobRefused = slices.ContainsFunc(errs, isRefused)
	for i, err := range errs {
		if err != nil {
			return p.runWait(run, planned, part{client: missing[i]}).notMade("Job", err)
		}
	}
	run.Job = job.RunName(p.sb, run.Name, run.Attempts, 0)
	return awaitFor(p.remaining(run.StartTime.Time, attempt.StartLimit(p.sb.Spec.Deadlines))), nil
}

// jobSpec returns by what the benchmark's Jobs are described.
func (p *pass) jobSpec() jobspec.Spec {
	return jobspec.Spec{StorageBenchmark: p.sb, Plan: p.plannedRuns(), Claims: p.Claims, EBSMetricsURL: p.EBSMetricsURL}
}

// runWait is the wait for the pod of a client in a run's attempt.
func (s *writer) runWait(run *v1alpha1.Run, planned *plan.Run, one part) *podWait {
	st := &podWait{writer: s, what: attempt.DescribeRun(&s.sb.Status, run), began: run.StartTime, made: children.MadeAt(s.JobOf(run, one.client)), pod: one.pod, resources: attempt.RunResources}
	if run.ClientCount() > 1 {
		st.what += ", " + child.Client(one.client)
	}
	if node := s.sb.Status.NodeOf(one.client); node != "" && s.sb.Status.Target(planned.Target.Name).IsForOnePod() {
		st.elsewhere = describeElsewhere(planned.Target, node)
	}
	st.needs = s.VolumesFor(one.client, planned.Target.Name)
	if one.job != nil {
		st.job = one.job.UID
	}
	if !s.sb.Status.Target(planned.Target.Name).IsForOnePod() {
		st.release = func() { bindFirst(s, run) }
	}
	st.invalid = func(err error) { s.failRun(run, fmt.Sprintf("the Job was refused: %v", err)) }
	st.expire = func(message string) {
		s.failRun(run, message)
		s.fail(v1alpha1.ReasonDeadlineExceeded, message)
	}
	return st
}

// describeElsewhere says of a volume that only one pod may have that it cannot be used on the node that the benchmark holds, and what to do.
// The volume of a claim that exists is where it is.
func describeElsewhere(target *v1alpha1.Target, node string) string {
	remedy := "in another StorageBenchmark, set spec.placement.nodeSelector to where the volume is"
	if storage.IsProvisioned(target) {
		remedy += ", or accessMode to ReadWriteOnce"
	}
	if target.StorageClassName != nil {
		remedy += ", or storageClassName to a class whose volumeBindingMode is WaitForFirstConsumer"
	}
	return fmt.Sprintf("the volume of target %s cannot be used on node %s, which the benchmark holds; %s: ", target.Name, node, remedy)
}

// podOf returns the pod of an attempt, or nil. The cache of Jobs may be ahead of that of pods, by which an
// attempt's result would be lost, so only the API server can say that the pod of a Job that has ended is gone, or has lost its labels.
func (p *pass) podOf(ctx context.Context, j *batchv1.Job) (*corev1.Pod, error) {
	pod := children.Newest(p.Pods[j.Name])
	isLate := pod != nil && attempt.IsBehind(j, pod, p.now.Time)
	isMissing := pod == nil && (j.Status.Active > 0 || attempt.Observe(j, nil, p.now.Time).Ended())
	if isLate || isMissing || p.asksPods {
		return p.findPod(ctx, j)
	}
	return pod, nil
}

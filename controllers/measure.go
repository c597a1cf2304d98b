package controllers

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/child"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/internal/storage"
)

// measure makes the runs, one after the other.
func measure(ctx context.Context, s *scope) (outcome, error) {
	if s.concluded() {
		return goOn(), nil
	}
	for i := range s.sb.Status.Runs {
		run := &s.sb.Status.Runs[i]
		if run.HasEnded() {
			continue
		}
		planned, known := s.planned(run)
		if !known {
			return outcome{}, fmt.Errorf("run %s is not planned", run.Name) // validate has refused it
		}
		if run.State == v1alpha1.RunRunning {
			out, err := s.follow(ctx, run, planned)
			if err != nil || run.State == v1alpha1.RunRunning || s.concluded() {
				return out, err
			}
		}
		if run.State == v1alpha1.RunPending {
			return s.begin(ctx, run, planned)
		}
	}
	return goOn(), nil
}

// planned returns the plan of a run. They go by name: who edits the spec may reorder targets and workloads,
// because the API server compares these lists without regard to order. Who removes one from the spec removes it from the plan.
func (s *scope) planned(run *v1alpha1.Run) (*plan.Run, bool) {
	if s.runs == nil {
		// Nothing to report: the plan was found to be valid before the first run began.
		s.runs, _ = s.plan()
	}
	i := slices.IndexFunc(s.runs, func(p plan.Run) bool { return p.Name == run.Name })
	if i < 0 {
		return nil, false
	}
	return &s.runs[i], true
}

// begin writes down that an attempt begins, before its Jobs are made. So whatever happens in between, and
// however old a version another pass sees, no attempt is made twice. Whatever was under way before must be over: two
// at once would measure each other.
func (s *scope) begin(ctx context.Context, run *v1alpha1.Run, planned *plan.Run) (outcome, error) {
	if again := run.Attempts > 0; again || s.sb.Spec.MostClients() > 1 {
		proof, ok := s.allSaved()
		if !ok {
			return saveFirst(), nil
		}
		// One client may go on when another has failed.
		left, err := s.clear(ctx, proof, again || s.measuring)
		if err != nil {
			return outcome{}, err
		}
		if len(left) > 0 {
			return s.awaitEnd(s.describeRun(run), left), nil
		}
	}
	if err := s.noteExistingClaim(ctx, planned.Target); err != nil {
		return outcome{}, err
	}
	if s.concluded() {
		return saveFirst(), nil
	}
	run.State = v1alpha1.RunRunning
	run.Attempts++
	run.Job, run.AgreedStart, run.StartMarginMilliseconds = "", nil, 0
	run.StartTime = new(s.now())
	s.step(v1alpha1.ReasonPreparing, s.describeRun(run))
	return saveFirst(), nil
}

// clear ends what is left of runs. What has ended by itself need not be waited for.
func (s *scope) clear(ctx context.Context, proof saved, wait bool) ([]leftover, error) {
	if wait {
		return s.endAttempts(ctx, proof)
	}
	return nil, s.removeEndedJobs(ctx, proof)
}

// endAttempts ends whatever still runs of earlier attempts and returns what is left of them. Pods whose
// node does not answer are not waited for.
func (s *scope) endAttempts(ctx context.Context, _ saved) ([]leftover, error) {
	left, err := s.removeJobs(ctx, client.MatchingLabels{v1alpha1.LabelRole: v1alpha1.RoleRun})
	return withoutLost(left), err
}

// describeRun returns a run's name, its number and that of its attempt.
func (s *scope) describeRun(run *v1alpha1.Run) string {
	text := fmt.Sprintf("run %s (%d of %d)", run.Name, s.ended()+1, s.sb.Status.PlannedRuns)
	if clients := clientsOf(run); clients > 1 {
		text += fmt.Sprintf(" by %d clients", clients)
	}
	if run.Attempts > 1 {
		text += fmt.Sprintf(", attempt %d", run.Attempts)
	}
	return text
}

// ended returns the number of runs that have ended, well or not.
func (s *scope) ended() int {
	n := 0
	for i := range s.sb.Status.Runs {
		if s.sb.Status.Runs[i].HasEnded() {
			n++
		}
	}
	return n
}

// follow makes the Jobs of the run's attempt, one for each client, and sees how they get on.
func (s *scope) follow(ctx context.Context, run *v1alpha1.Run, planned *plan.Run) (outcome, error) {
	if missing := s.missingJobs(run); len(missing) > 0 {
		return s.createJobs(ctx, run, planned, missing)
	}
	run.Job = job.RunName(s.sb, run.Name, run.Attempts, 0)
	parts, err := s.partsOf(ctx, run)
	if err != nil {
		return outcome{}, err
	}
	whole, _ := attempt.Together(statesOf(parts))
	for _, p := range parts {
		if err := s.recordPlace(ctx, planned.Target, p.client, p.pod); err != nil && (!whole.Ended() || !s.isResultLate()) {
			return outcome{}, err
		}
	}
	if whole.Phase != attempt.Starting {
		s.hasNodes()
	}
	facts, err := s.facts(ctx, run, parts, whole)
	if err != nil {
		return outcome{}, err
	}
	return s.carryOut(ctx, run, planned, parts, facts, attempt.Decide(facts))
}

// facts returns what an attempt is decided by. Nodes and logs are asked only of one that runs.
func (s *scope) facts(ctx context.Context, run *v1alpha1.Run, parts []part, whole attempt.State) (attempt.Facts, error) {
	facts := attempt.Facts{
		Clients: statesOf(parts), Told: told(parts), Liveness: s.remembered(parts), Now: s.Clock.Now(),
		RunLimit: seconds(new(s.sb.RunSeconds())), ProgressLimit: seconds(s.sb.Spec.Deadlines.ProgressSeconds),
	}
	if run.AgreedStart != nil {
		facts.AgreedStart = run.AgreedStart.Time
	}
	if !whole.Runs() {
		return facts, nil
	}
	var err error
	if facts.Unanswered, err = s.cutOff(ctx, parts); err != nil {
		return facts, err
	}
	facts.Liveness = s.readLogs(ctx, parts, facts)
	facts.Now = s.Clock.Now()
	return facts, nil
}

// carryOut does what is decided about an attempt.
func (s *scope) carryOut(ctx context.Context, run *v1alpha1.Run, planned *plan.Run, parts []part, facts attempt.Facts, decision attempt.Decision) (outcome, error) {
	switch decision.Action {
	case attempt.Collect:
		return goOn(), s.collect(ctx, run, parts)
	case attempt.AwaitStart:
		return s.runWait(run, planned, parts[decision.Client]).watch(ctx)
	case attempt.Agree:
		return s.agree(run), nil
	case attempt.Repeat:
		return s.startMissed(ctx, run, decision)
	case attempt.Expire:
		s.expireRun(run, decision.Why)
		return saveFirst(), nil
	case attempt.GiveUp:
		s.giveUp(run, parts[decision.Client], facts.Liveness[decision.Client])
		return saveFirst(), nil
	case attempt.Watch:
		if len(decision.Tell) > 0 {
			if out, err := s.tellClients(ctx, run, parts, decision.Tell); err != nil || out.stop {
				return out, err
			}
		}
		s.tellStep(run, decision)
		return awaitFor(decision.After), nil // the pods are watched
	default:
		return outcome{}, fmt.Errorf("no way is known to %s", decision.Action)
	}
}

// tellStep tells users what an attempt that goes on is at.
func (s *scope) tellStep(run *v1alpha1.Run, decision attempt.Decision) {
	reason, text := v1alpha1.ReasonPreparing, s.describeRun(run)
	if decision.Measures {
		reason = v1alpha1.ReasonMeasuring
	}
	if decision.Why != "" {
		text += ": " + decision.Why
	}
	s.step(reason, text)
}

// expireRun ends the benchmark with a run that has run for longer than it may.
func (s *scope) expireRun(run *v1alpha1.Run, unanswered string) {
	last := cmp.Or(unanswered, "fio still runs; raise spec.deadlines.runSeconds, or lower runtimeSeconds or size")
	message := fmt.Sprintf("run %s waited %d s for its end: %s", run.Name, s.sb.RunSeconds(), last)
	s.failRun(run, message)
	s.fail(v1alpha1.ReasonDeadlineExceeded, message)
}

// missingJobs returns the clients whose Jobs of a run's attempt are not there.
func (s *scope) missingJobs(run *v1alpha1.Run) []int32 {
	var missing []int32
	for client := range clientsOf(run) {
		if s.jobs[job.RunName(s.sb, run.Name, run.Attempts, client)] == nil {
			missing = append(missing, client)
		}
	}
	return missing
}

// createJobs makes Jobs of an attempt. If all were seen before, somebody has deleted them.
func (s *scope) createJobs(ctx context.Context, run *v1alpha1.Run, planned *plan.Run, missing []int32) (outcome, error) {
	if fresh, err := s.isFresh(ctx); err != nil || !fresh {
		// An attempt may be missing in an old version that has long ended.
		return awaitFor(retrySoon), err
	}
	if run.Job != "" {
		return s.findJob(ctx, run, planned, missing[0])
	}
	shares := s.layoutBefore(planned)
	errs := inParallel(missing, func(client int32) error {
		described := s.describeJob(run, planned, client)
		described.LayoutFile = s.layoutFile(planned, described, shares)
		return s.Client.Apply(ctx, job.ForRun(s.sb, s.Image, described), applyOptions...)
	})
	for i, err := range errs {
		switch {
		case err == nil:
		case apierrors.IsInvalid(err):
			s.failRun(run, fmt.Sprintf("the Job was refused: %v", err))
			return saveFirst(), nil
		case isRefused(err):
			// Others may change their minds, so this is a wait with a deadline.
			return s.runWait(run, planned, part{client: missing[i]}).refused("Job", err), nil
		default:
			return outcome{}, fmt.Errorf("apply Job: %w", err)
		}
	}
	run.Job = job.RunName(s.sb, run.Name, run.Attempts, 0)
	return awaitFor(s.deadline(run.StartTime.Time, s.sb.Spec.Deadlines.StartSeconds)), nil
}

// runWait is the wait for the pod of a client in a run's attempt.
func (s *scope) runWait(run *v1alpha1.Run, planned *plan.Run, p part) *podWait {
	st := &podWait{scope: s, what: s.describeRun(run), began: run.StartTime, pod: p.pod}
	if clientsOf(run) > 1 {
		st.what += ", " + child.Client(p.client)
	}
	if node := s.node(p.client); node != "" && s.isLeftToRuns(planned.Target) {
		st.elsewhere = describeElsewhere(planned.Target, node)
	}
	st.need(planned.Target, p.client)
	if p.job != nil {
		st.job = p.job.UID
	}
	st.expire = func(message string) {
		s.failRun(run, message)
		s.fail(v1alpha1.ReasonDeadlineExceeded, message)
	}
	return st
}

// describeElsewhere says of a volume that only one pod may have that it cannot be used on the node that the benchmark holds, and what to do.
// The volume of a claim that exists is where it is.
func describeElsewhere(target *v1alpha1.Target, node string) string {
	remedy := "set spec.placement.nodeSelector to where the volume is"
	if storage.IsProvisioned(target) {
		remedy += ", or accessMode to ReadWriteOnce"
	}
	if target.StorageClassName != nil {
		remedy += ", or storageClassName to a class whose volumeBindingMode is WaitForFirstConsumer"
	}
	return fmt.Sprintf("the volume of target %s cannot be used on node %s, which the benchmark holds; %s: ", target.Name, node, remedy)
}

func (s *scope) deadline(since time.Time, limit *int32) time.Duration {
	return since.Add(seconds(limit)).Sub(s.Clock.Now())
}

func seconds(n *int32) time.Duration { return time.Duration(ptr.Deref(n, 0)) * time.Second }

func (s *scope) failRun(run *v1alpha1.Run, message string) {
	run.State = v1alpha1.RunFailed
	run.CompletionTime = new(s.now())
	run.Message = truncate(message, maxRunMessage)
}

// podOf returns the pod of an attempt, or nil. The cache of Jobs may be ahead of that of pods, by which an
// attempt's result would be lost, so only the API server can say that the pod of a Job that has ended is gone, or has lost its labels.
func (s *scope) podOf(ctx context.Context, j *batchv1.Job) (*corev1.Pod, error) {
	if pod := newest(s.pods[j.Name]); pod != nil || (!attempt.Observe(j, nil, s.Clock.Now()).Ended() && j.Status.Active == 0) {
		return pod, nil
	}
	return s.findPod(ctx, j)
}

// newest returns the youngest of the pods, or nil. A Job that replaces its pod has several for a moment.
func newest(pods []*corev1.Pod) *corev1.Pod {
	var latest *corev1.Pod
	for _, pod := range pods {
		if latest == nil || latest.CreationTimestamp.Before(&pod.CreationTimestamp) {
			latest = pod
		}
	}
	return latest
}

package controllers

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/child"
	"github.com/storagebench/storagebench/internal/cleanup"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/ours"
	"github.com/storagebench/storagebench/internal/storage"
)

// While a benchmark measures, it misses Jobs and pods that lose the labels by which they are listed, and gives them back (restore.go). When it ends or is
// suspended nobody would miss them. A Job would go on, and hold its node and its claim. So Jobs and anchors that are the benchmark's by owner and name are
// looked for then. From there on they are asked for by name, as if they had all labels. Before it is said that nothing is left, they are looked for once more.
// What loses its labels after that ends by itself: each pod has an activeDeadlineSeconds.

// strays are what of a benchmark has lost labels.
type strays struct {
	sought bool
	// again says that it was looked for them again since nothing is left.
	again   bool
	jobs    []madeJob
	anchors []string
}

// madeJob is what the operator has written on a Job by which it finds it.
type madeJob struct {
	name                string
	labels, annotations map[string]string
}

// mayStray says whether what has lost its labels would go unnoticed.
func (s *scope) mayStray() bool {
	return s.concluded() || !s.sb.DeletionTimestamp.IsZero() || ptr.Deref(s.sb.Spec.Suspend, false)
}

// untilNothingStrays takes a step that ends what the benchmark has, and returns what is left. Where that is nothing, labels may have been taken away since it was
// looked for what lacks them. So it is looked for again, and what is found is ended. That is done once: passes that are made anew, because some other call has
// failed, would never get through all of their reads.
func (p *pass) untilNothingStrays(ctx context.Context, step func(context.Context) ([]cleanup.Leftover, error)) ([]cleanup.Leftover, error) {
	soughtBefore := p.memory.strays.sought
	left, err := step(ctx)
	if len(left) > 0 {
		p.memory.strays.again = false
	}
	if err != nil || len(left) > 0 || !soughtBefore || p.memory.strays.again {
		return left, err
	}
	p.memory.strays = strays{}
	if err := p.seekStrays(ctx); err != nil {
		return nil, err
	}
	if found := &p.memory.strays; len(found.jobs)+len(found.anchors) == 0 {
		found.again = true
		return nil, nil
	}
	return step(ctx)
}

// seekStrays looks for Jobs and anchors that have lost labels, if it is not known which have.
func (p *pass) seekStrays(ctx context.Context) error {
	if !p.mayStray() {
		p.memory.strays = strays{}
		return nil
	}
	if p.memory.strays.sought {
		return nil
	}
	jobs, jobsErr := p.seekJobs(ctx)
	anchors, anchorsErr := p.seekAnchors(ctx)
	if err := errors.Join(jobsErr, anchorsErr); err != nil {
		return err
	}
	p.memory.strays = strays{sought: true, jobs: jobs, anchors: anchors}
	return nil
}

// seekPatience is how long it is looked for Jobs that have lost labels. A tenant may have made so many that it would take all of the time for clean-up.
const seekPatience = 30 * time.Second

// seekJobs looks for the benchmark's Jobs that have lost labels. It reads no more than metadata.
func (p *pass) seekJobs(ctx context.Context) (found []madeJob, err error) {
	empty := func() client.ObjectList {
		page := &metav1.PartialObjectMetadataList{}
		page.SetGroupVersionKind(batchv1.SchemeGroupVersion.WithKind("JobList"))
		return page
	}
	names := sets.New[string]()
	patient, cancel := context.WithTimeout(ctx, seekPatience)
	defer cancel()
	err = eachLive(patient, p.Live, forever, empty, func(object *metav1.PartialObjectMetadata) {
		if p.isStray(&batchv1.Job{ObjectMeta: object.ObjectMeta}) {
			names.Insert(object.Name)
		}
	}, client.InNamespace(p.sb.Namespace))
	if err != nil && (patient.Err() == nil || ctx.Err() != nil) {
		return nil, fmt.Errorf("list Jobs that have lost labels: %w", err)
	}
	if names.Len() == 0 {
		return nil, nil
	}
	for made := range p.madeJobs() {
		if names.Has(made.name) {
			found = append(found, made)
		}
	}
	return found, nil
}

// isStray says whether a Job has the benchmark for its owner, but not all by which it is found.
func (s *scope) isStray(j *batchv1.Job) bool {
	return ours.Owned(s.sb, j) && (len(lacking(j.Labels, child.Labels(s.sb))) > 0 || !ours.Job(s.sb, j))
}

// madeJobs goes through all Jobs that may have been made for the benchmark.
func (s *scope) madeJobs() iter.Seq[madeJob] {
	return func(yield func(madeJob) bool) {
		for i := range s.sb.Status.Runs {
			for made := range s.madeJobsOf(&s.sb.Status.Runs[i]) {
				if !yield(made) {
					return
				}
			}
		}
		for i := range s.sb.Spec.Targets {
			target := &s.sb.Spec.Targets[i]
			for which := range storage.Claims(s.sb, target) {
				labels := child.Labels(s.sb, v1alpha1.LabelRole, v1alpha1.RoleCleanUp, v1alpha1.LabelTarget, target.Name, v1alpha1.LabelClient, strconv.Itoa(int(which)))
				if !yield(madeJob{name: job.CleanUpName(s.sb, target.Name, which), labels: labels}) {
					return
				}
			}
		}
	}
}

// madeJobsOf goes through those of all attempts of a run.
func (s *scope) madeJobsOf(run *v1alpha1.Run) iter.Seq[madeJob] {
	return func(yield func(madeJob) bool) {
		for attempt := int32(1); attempt <= run.Attempts; attempt++ {
			for which := range run.ClientCount() {
				labels := child.Labels(s.sb, v1alpha1.LabelRole, v1alpha1.RoleRun, v1alpha1.LabelTarget, run.Target,
					v1alpha1.LabelAttempt, strconv.Itoa(int(attempt)), v1alpha1.LabelClient, strconv.Itoa(int(which)))
				made := madeJob{job.RunName(s.sb, run.Name, attempt, which), labels, map[string]string{v1alpha1.AnnotationRun: run.Name}}
				if !yield(made) {
					return
				}
			}
		}
	}
}

// seekAnchors looks for anchors that have lost labels: those that the cache does not have.
func (p *pass) seekAnchors(ctx context.Context) (names []string, err error) {
	missing := slices.DeleteFunc(p.anchorNames(), func(name string) bool { return p.anchors[name] != nil })
	pods, errs := gather(ctx, parallelCalls, missing, func(name string) (*corev1.Pod, error) {
		return p.liveAnchor(ctx, name, "list anchors that have lost labels")
	})
	for _, pod := range pods {
		if pod != nil && ours.Owned(p.sb, pod) && !ours.Anchor(p.sb, pod) {
			names = append(names, pod.Name)
		}
	}
	return names, errors.Join(errs...)
}

// strayJobs returns the Jobs that have lost labels, with these, if they have those that are asked for.
func (p *pass) strayJobs(ctx context.Context, having client.MatchingLabels) (found []batchv1.Job, err error) {
	if err := p.seekStrays(ctx); err != nil {
		return nil, err
	}
	for _, made := range p.memory.strays.jobs {
		if len(lacking(made.labels, having)) > 0 {
			continue
		}
		j, err := p.liveJob(ctx, made.name, "get Job "+made.name+", which has lost labels")
		if err != nil {
			return nil, err
		}
		if p.isStray(j) {
			trim(j)
			j.Labels, j.Annotations = made.labels, made.annotations
			found = append(found, *j)
		}
	}
	return found, nil
}

// strayAnchors is strayJobs for anchors.
func (p *pass) strayAnchors(ctx context.Context) (found []corev1.Pod, err error) {
	if err := p.seekStrays(ctx); err != nil {
		return nil, err
	}
	names := p.anchorNames()
	for _, name := range p.memory.strays.anchors {
		which := slices.Index(names, name)
		pod, err := p.liveAnchor(ctx, name, "list anchors that have lost labels")
		if err != nil {
			return nil, err
		}
		if which >= 0 && ours.Owned(p.sb, pod) && !ours.Anchor(p.sb, pod) {
			trim(pod)
			pod.Labels = child.Labels(p.sb, v1alpha1.LabelRole, v1alpha1.RoleAnchor,
				v1alpha1.LabelAttempt, strconv.Itoa(int(p.sb.Status.Anchors[which].Attempts)), v1alpha1.LabelClient, strconv.Itoa(which))
			found = append(found, *pod)
		}
	}
	return found, nil
}

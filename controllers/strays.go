package controllers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/child"
	"github.com/storagebench/storagebench/internal/cleanup"
	"github.com/storagebench/storagebench/internal/ours"
)

// Others may remove the labels by which Jobs and pods are listed. A benchmark that measures notices that one is missing, and restores its labels (restore.go). A benchmark
// that ends or is suspended expects none, and would not notice: a Job would go on, and hold its node and its claim. So the operator then searches for strays. These are Jobs
// and anchors that are the benchmark's by name and owner, and lack labels. From then on they are read by name. Before the operator says that nothing is left, it searches
// once more. What loses its labels after that ends by itself: each pod has an activeDeadlineSeconds.

// strays are the Jobs and anchors of a benchmark that have lost labels.
type strays struct {
	// sought says that a search for them has come to its end.
	sought  bool
	jobs    []ours.MadeJob
	anchors []string
	// gone are the names of Jobs that an unfinished search did not find in the cluster.
	gone sets.Set[string]
}

// mayStray says whether what has lost its labels would go unnoticed.
func (s *scope) mayStray() bool {
	return s.sb.Status.HasMeasured() || !s.sb.DeletionTimestamp.IsZero() || ptr.Deref(s.sb.Spec.Suspend, false)
}

// untilNothingStrays takes a step that ends what the benchmark has, and returns what is left. The step goes by a search for strays that may be old. Something may have lost
// its labels since, or a Job may have been made by a call whose answer was lost. So when nothing is left, another look searches for all strays, and a later step ends these.
func (p *pass) untilNothingStrays(ctx context.Context, step func(context.Context) ([]cleanup.Leftover, error)) (left []cleanup.Leftover, looking bool, err error) {
	left, looking, err = p.onceLooked(ctx, step)
	if looking || err != nil || len(left) > 0 || p.found.soughtAll {
		return left, looking, err
	}
	p.lookAgain(ctx)
	return nil, true, nil
}

// forgetStrays forgets what was found of a benchmark that goes on: it was suspended, and has been resumed.
func (s *writer) forgetStrays() {
	if !s.mayStray() {
		s.memory.strays = strays{}
	}
}

// seekStrays searches for strays, unless it is known which there are.
func (p *pass) seekStrays(ctx context.Context) error {
	if !p.mayStray() || p.memory.strays.sought {
		return nil
	}
	err := p.trySeekStrays(ctx)
	if err != nil && ctx.Err() == nil { // it makes many calls, of which one may fail now and then
		err = p.trySeekStrays(ctx)
	}
	return err
}

// trySeekStrays is a try of seekStrays.
func (p *pass) trySeekStrays(ctx context.Context) error {
	found := &p.memory.strays
	jobs := ask(ctx, func() ([]ours.MadeJob, error) { return p.seekJobs(ctx) })
	anchors := ask(ctx, func() ([]string, error) { return p.seekAnchors(ctx) })
	var jobsErr, anchorsErr error
	found.jobs, jobsErr = jobs.wait()
	found.anchors, anchorsErr = anchors.wait()
	if err := errors.Join(jobsErr, anchorsErr); err != nil {
		return err
	}
	found.sought, found.gone = true, nil
	return nil
}

// seekPatience is how long a search for Jobs may take: in a namespace with very many it would take all of the time for clean-up. What it has not found by then ends by itself.
const seekPatience = 30 * time.Second

// fewJobs is up to how many Jobs are read by their names, one after the other. For more, all Jobs of the namespace are listed, which may be many times as many.
const fewJobs = 8

// seekJobs searches for stray Jobs. It reads no more than metadata.
func (p *pass) seekJobs(ctx context.Context) ([]ours.MadeJob, error) {
	if unseen, few := p.unseenJobs(); few {
		return p.seekNamedJobs(ctx, unseen)
	}
	return p.seekJobsAmongAll(ctx)
}

// unseenJobs returns the Jobs that may exist, except those that this pass has listed with all their labels. It returns false if there are more than fewJobs.
func (p *pass) unseenJobs() (unseen []ours.MadeJob, few bool) {
	seen := sets.New[string]()
	if listed := p.found.children; listed != nil {
		for _, j := range listed.jobs {
			if ours.Job(p.sb, j) {
				seen.Insert(j.Name)
			}
		}
	}
	for made := range ours.MadeJobs(p.sb) {
		switch {
		case seen.Has(made.Name):
		case len(unseen) == fewJobs:
			return nil, false
		default:
			unseen = append(unseen, made)
		}
	}
	return unseen, true
}

// seekNamedJobs says which of the Jobs are strays. Where a call fails, the next try leaves out those that are gone, and so makes fewer calls.
func (p *pass) seekNamedJobs(ctx context.Context, named []ours.MadeJob) (found []ours.MadeJob, err error) {
	gone := p.memory.strays.gone.Clone()
	patient, cancel := context.WithTimeout(ctx, seekPatience)
	defer cancel()
	for _, made := range named {
		if gone.Has(made.Name) {
			continue
		}
		there := &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: batchv1.SchemeGroupVersion.String(), Kind: "Job"}}
		switch failure := p.Live.Get(patient, types.NamespacedName{Namespace: p.sb.Namespace, Name: made.Name}, there); {
		case failure != nil && patient.Err() != nil && ctx.Err() == nil: // seekPatience is over, which is no error
			p.memory.strays.gone = gone
			return found, err // of calls before this one
		case apierrors.IsNotFound(failure):
			gone.Insert(made.Name)
		case failure != nil:
			err = errors.Join(err, fmt.Errorf("get Job %s, which may have lost labels: %w", made.Name, failure))
		case ours.IsStrayJob(p.sb, &batchv1.Job{ObjectMeta: there.ObjectMeta}):
			found = append(found, made)
		}
	}
	p.memory.strays.gone = gone
	return found, err
}

// seekJobsAmongAll searches for stray Jobs among all Jobs of the namespace. When seekPatience is over it returns what it has found.
func (p *pass) seekJobsAmongAll(ctx context.Context) (found []ours.MadeJob, err error) {
	empty := func() client.ObjectList {
		return &metav1.PartialObjectMetadataList{TypeMeta: metav1.TypeMeta{APIVersion: batchv1.SchemeGroupVersion.String(), Kind: "JobList"}}
	}
	names := sets.New[string]()
	patient, cancel := context.WithTimeout(ctx, seekPatience)
	defer cancel()
	err = eachLive(patient, p.Live, forever, empty, func(object *metav1.PartialObjectMetadata) error {
		if ours.IsStrayJob(p.sb, &batchv1.Job{ObjectMeta: object.ObjectMeta}) {
			names.Insert(object.Name)
		}
		return nil
	}, client.InNamespace(p.sb.Namespace))
	if err != nil && (patient.Err() == nil || ctx.Err() != nil) {
		return nil, fmt.Errorf("list Jobs that have lost labels: %w", err)
	}
	if names.Len() == 0 {
		return nil, nil
	}
	for made := range ours.MadeJobs(p.sb) {
		if names.Has(made.Name) {
			found = append(found, made)
		}
	}
	return found, nil
}

// seekAnchors searches for stray anchors among those that were not listed with all their labels.
func (p *pass) seekAnchors(ctx context.Context) (names []string, err error) {
	there := sets.New[string]()
	if listed := p.found.children; listed != nil {
		for _, pod := range listed.pods {
			if ours.Anchor(p.sb, pod) {
				there.Insert(pod.Name)
			}
		}
	}
	missing := slices.DeleteFunc(ours.AnchorNames(p.sb), there.Has)
	pods, errs := gather(ctx, parallelCalls, missing, func(name string) (*corev1.Pod, error) {
		return p.liveAnchor(ctx, name, "list anchors that have lost labels")
	})
	for _, pod := range pods {
		if pod != nil && ours.IsStrayAnchor(p.sb, pod) {
			names = append(names, pod.Name)
		}
	}
	return names, errors.Join(errs...)
}

// strayJobs returns the stray Jobs that would be listed by some labels, had they lost none. They have their labels again.
func (p *pass) strayJobs(ctx context.Context, having client.MatchingLabels) (found []*batchv1.Job, err error) {
	if p.found.straysErr != nil {
		return nil, p.found.straysErr
	}
	for _, made := range p.memory.strays.jobs {
		if len(ours.Lacking(made.Labels, having)) > 0 {
			continue
		}
		j, err := p.liveJob(ctx, made.Name, "get Job "+made.Name+", which has lost labels")
		if err != nil {
			return nil, err
		}
		if ours.IsStrayJob(p.sb, j) {
			trim(j)
			j.Labels, j.Annotations = made.Labels, made.Annotations
			found = append(found, j)
		}
	}
	return found, nil
}

// strayAnchors is strayJobs for anchors.
func (p *pass) strayAnchors(ctx context.Context) (found []*corev1.Pod, err error) {
	if p.found.straysErr != nil {
		return nil, p.found.straysErr
	}
	names := ours.AnchorNames(p.sb)
	for _, name := range p.memory.strays.anchors {
		which := slices.Index(names, name)
		pod, err := p.liveAnchor(ctx, name, "list anchors that have lost labels")
		if err != nil {
			return nil, err
		}
		if which >= 0 && ours.IsStrayAnchor(p.sb, pod) {
			trim(pod)
			pod.Labels = child.Labels(p.sb, v1alpha1.LabelRole, v1alpha1.RoleAnchor,
				v1alpha1.LabelAttempt, strconv.Itoa(int(p.sb.Status.Anchors[which].Attempts)), v1alpha1.LabelClient, strconv.Itoa(which))
			found = append(found, pod)
		}
	}
	return found, nil
}

package controllers

import (
	"context"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	batchv1ac "k8s.io/client-go/applyconfigurations/batch/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/internal/ours"
)

// A Job or an anchor that is to be made may be there: a pass has made it, and its status was not saved. If what is wanted is another one since, because a
// deadline was edited, the operator was upgraded, or more is known of the volume, the API server refuses the change: what a Job or a pod runs cannot
// be changed. That is no fault of the benchmark's. What is there is of the same attempt, and is taken, if it is ours by its name and its owner.

// makeJob makes a Job, or takes the one that is there.
func (p *pass) makeJob(ctx context.Context, wanted *batchv1ac.JobApplyConfiguration) error {
	err := p.Client.Apply(ctx, wanted, applyOptions...)
	if !mayBeThere(err) {
		return err
	}
	var there batchv1.Job
	getErr := p.Live.Get(ctx, types.NamespacedName{Namespace: p.sb.Namespace, Name: *wanted.Name}, &there)
	switch {
	case apierrors.IsNotFound(getErr):
		return err
	case getErr != nil:
		return fmt.Errorf("get Job %s, which may be there: %w", *wanted.Name, getErr)
	}
	return p.take(ctx, &there, wanted.Labels, wanted.Annotations, err)
}

// makeAnchor makes the pod of an anchor, or takes the one that is there.
func (p *pass) makeAnchor(ctx context.Context, wanted *corev1ac.PodApplyConfiguration) error {
	err := p.Client.Apply(ctx, wanted, applyOptions...)
	if !mayBeThere(err) {
		return err
	}
	var there corev1.PodList
	// It lists, which it has to be allowed anyway.
	listErr := p.Live.List(ctx, &there, client.InNamespace(p.sb.Namespace), client.MatchingFields{metav1.ObjectNameField: *wanted.Name})
	switch {
	case listErr != nil:
		return fmt.Errorf("list pod %s, which may be there: %w", *wanted.Name, listErr)
	case len(there.Items) == 0:
		return err
	}
	return p.take(ctx, &there.Items[0], wanted.Labels, wanted.Annotations, err)
}

// mayBeThere says whether an object may have been refused because there is one of its name, which cannot become as it is wanted.
func mayBeThere(err error) bool { return apierrors.IsInvalid(err) || apierrors.IsAlreadyExists(err) }

// take takes an object that has the name of one that was refused, if it is the benchmark's own. Else it returns why that was refused.
func (p *pass) take(ctx context.Context, there client.Object, labels, annotations map[string]string, refused error) error {
	if !ours.Owned(p.sb, there) {
		return refused
	}
	ctrl.LoggerFrom(ctx).Info("Took an object that was there: it is the benchmark's, and cannot be changed to what would be made now",
		"name", there.GetName(), "uid", there.GetUID(), "why", truncate(refused.Error(), maxErrorMessage))
	return p.restore(ctx, there, labels, annotations)
}

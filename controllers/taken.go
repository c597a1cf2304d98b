package controllers

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	batchv1ac "k8s.io/client-go/applyconfigurations/batch/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/internal/ours"
)

// A Job or an anchor that is to be made may be there: a pass has made it, and its status was not saved. If what is wanted is another one since, because a
// deadline was edited, the operator was upgraded, or more is known of the volume, the API server refuses the change: what a Job or a pod runs cannot
// be changed. That is no fault of the benchmark's. What is there is of the same attempt, and is taken, if it is ours by its name and its owner.

// makeJob makes a Job, or takes the one that is there.
func (p *pass) makeJob(ctx context.Context, wanted *batchv1ac.JobApplyConfiguration) error {
	return p.makeOrTake(ctx, wanted, wanted.ObjectMetaApplyConfiguration, func() (client.Object, error) {
		return p.liveJob(ctx, *wanted.Name, fmt.Sprintf("get Job %s, which may be there", *wanted.Name))
	})
}

// makeAnchor makes the pod of an anchor, or takes the one that is there.
func (p *pass) makeAnchor(ctx context.Context, wanted *corev1ac.PodApplyConfiguration) error {
	return p.makeOrTake(ctx, wanted, wanted.ObjectMetaApplyConfiguration, func() (client.Object, error) {
		return p.liveAnchor(ctx, *wanted.Name, fmt.Sprintf("list pod %s, which may be there", *wanted.Name))
	})
}

// makeOrTake makes an object. Where that is refused, it looks what has its name, and takes that if it is the benchmark's own. Else it returns why it was refused.
func (p *pass) makeOrTake(ctx context.Context, wanted runtime.ApplyConfiguration, meta *metav1ac.ObjectMetaApplyConfiguration, look func() (client.Object, error)) error {
	refused := p.Client.Apply(ctx, wanted, applyOptions...)
	if !mayBeThere(refused) {
		return refused
	}
	there, err := look()
	if err != nil {
		return err
	}
	if !ours.Owned(p.sb, there) {
		return refused
	}
	ctrl.LoggerFrom(ctx).Info("Took an object that was there: it is the benchmark's, and cannot be changed to what would be made now",
		"name", there.GetName(), "uid", there.GetUID(), "why", truncate(refused.Error(), maxErrorMessage))
	return p.restore(ctx, there, meta.Labels, meta.Annotations)
}

// mayBeThere says whether an object may have been refused because there is one of its name, which cannot become as it is wanted.
func mayBeThere(err error) bool { return apierrors.IsInvalid(err) || apierrors.IsAlreadyExists(err) }

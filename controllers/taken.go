package controllers

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	batchv1ac "k8s.io/client-go/applyconfigurations/batch/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	storagev1ac "k8s.io/client-go/applyconfigurations/storage/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/internal/legible"
	"github.com/storagebench/storagebench/internal/ours"
	"github.com/storagebench/storagebench/internal/storage"
)

// A Job or an anchor that is to be made may be there: a pass has made it, and its status was not saved. If what is wanted is another one since, because a
// deadline was edited, the operator was upgraded, or more is known of the volume, the API server refuses the change: what a Job or a pod runs cannot
// be changed. That is no fault of the benchmark's. What is there is of the same attempt, and is taken, if it is ours by its name and its owner.
// A StorageClass or a PersistentVolume is needed again where claims are missing, as of a benchmark that waits for its quota while the operator is upgraded. It is
// taken as well, unless what is measured depends on the difference: then volumes of one target would not be alike, and the message says in what.

// makeJob makes a Job, or takes the one that is there.
func (p *pass) makeJob(ctx context.Context, wanted *batchv1ac.JobApplyConfiguration) error {
	return p.makeOrTake(ctx, wanted, wanted.ObjectMetaApplyConfiguration, func() (client.Object, error) {
		return p.liveJob(ctx, *wanted.Name, fmt.Sprintf("get Job %s, which may be there", *wanted.Name))
	})
}

// makeAnchor makes the pod of an anchor, or takes the one that is there.
func (p *pass) makeAnchor(ctx context.Context, wanted *corev1ac.PodApplyConfiguration) error {
	return p.makeOrTake(ctx, wanted, wanted.ObjectMetaApplyConfiguration, func() (client.Object, error) {
		return p.livePod(ctx, *wanted.Name, fmt.Sprintf("get pod %s, which may be there", *wanted.Name))
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
		"name", there.GetName(), "uid", there.GetUID(), "why", legible.Fit(refused.Error(), maxErrorMessage))
	return p.restore(ctx, there, meta.Labels, meta.Annotations)
}

// makeClass makes a StorageClass, or takes the one that is there.
func (p *pass) makeClass(ctx context.Context, wanted *storagev1ac.StorageClassApplyConfiguration) error {
	refused := p.Client.Apply(ctx, wanted, applyOptions...)
	if !mayBeThere(refused) {
		return refused
	}
	there, err := p.liveClass(ctx, *wanted.Name)
	if err != nil {
		return err
	}
	return p.takeStorage(ctx, there, storage.ClassDiffers(there, wanted), refused)
}

// makeVolume makes the PersistentVolume of storage that is mounted as it is, or takes the one that is there.
func (p *pass) makeVolume(ctx context.Context, wanted *corev1ac.PersistentVolumeApplyConfiguration) error {
	refused := p.Client.Apply(ctx, wanted, applyOptions...)
	if !mayBeThere(refused) {
		return refused
	}
	there, err := p.liveVolume(ctx, *wanted.Name, "get PersistentVolume, which may be there")
	if err != nil {
		return err
	}
	return p.takeStorage(ctx, there, storage.VolumeDiffers(there, wanted), refused)
}

// takeStorage takes an object without a namespace that has the name of one that was refused, if it is the benchmark's own and differs in nothing that is
// measured. Else it returns why that was refused. An empty object, which is not there, is nobody's.
func (p *pass) takeStorage(ctx context.Context, there client.Object, differs []string, refused error) error {
	switch {
	case !ours.ClusterObject(p.sb, there):
		return refused
	case len(differs) > 0:
		return fmt.Errorf("%s exists from before, with other settings that change what is measured: %s; create the benchmark anew: %w",
			there.GetName(), strings.Join(differs, "; "), refused)
	}
	ctrl.LoggerFrom(ctx).Info("Took an object that was there: it is the benchmark's, and what is measured does not depend on how it differs from what would be made now",
		"name", there.GetName(), "uid", there.GetUID(), "why", legible.Fit(refused.Error(), maxErrorMessage))
	return nil
}

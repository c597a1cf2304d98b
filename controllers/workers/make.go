package workers

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	batchv1ac "k8s.io/client-go/applyconfigurations/batch/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/humanize"
	"github.com/storagebench/storagebench/internal/owned"
)

// A Job or an anchor that is to be made may exist already: a pass made it, and its status was not saved. The wanted
// object may differ from it since, because a deadline was edited, the operator was upgraded, or more is known of the
// volume. Then the API server refuses the change, because a Job's or a pod's program cannot be changed. That is not the
// benchmark's fault. The existing object is of the same attempt, and is taken if its name and owner show that it is
// ours. A StorageClass or a PersistentVolume is needed again where claims are missing, for example when a benchmark
// waits for its quota while the operator is upgraded. It is taken as well, unless the difference affects what is
// measured: then the volumes of one target would not be alike, and the message names the difference.

// MakeJob makes a Job, or takes the one that is there.
func MakeJob(ctx context.Context, p *pass.Pass, wanted *batchv1ac.JobApplyConfiguration) error {
	p.Memory.Gone = p.Memory.Gone.Difference(sets.New(*wanted.Name))
	return makeOrTake(ctx, p, wanted, wanted.ObjectMetaApplyConfiguration, func() (client.Object, error) {
		return p.World.LiveJob(ctx, *wanted.Name, fmt.Sprintf("get Job %s, which may be there", *wanted.Name))
	})
}

// MakeAnchor makes the pod of an anchor, or takes the one that is there.
func MakeAnchor(ctx context.Context, p *pass.Pass, wanted *corev1ac.PodApplyConfiguration) error {
	return makeOrTake(ctx, p, wanted, wanted.ObjectMetaApplyConfiguration, func() (client.Object, error) {
		return p.World.LivePod(ctx, *wanted.Name, fmt.Sprintf("get pod %s, which may be there", *wanted.Name))
	})
}

// makeOrTake makes an object. If that is refused, it looks for an object of this name, and takes that one if it is the
// benchmark's own. Else it returns why the object was refused.
func makeOrTake(
	ctx context.Context, p *pass.Pass, wanted runtime.ApplyConfiguration, meta *metav1ac.ObjectMetaApplyConfiguration,
	look func() (client.Object, error),
) error {
	refused := p.World.Client.Apply(ctx, wanted, world.ApplyOptions...)
	if !world.MayBeThere(refused) {
		return refused
	}
	there, err := look()
	if err != nil {
		return err
	}
	if !owned.Owned(p.SB, there) {
		return refused
	}
	ctrl.LoggerFrom(ctx).Info("Took an object that was there: it is the benchmark's, "+
		"and cannot be changed to what would be made now",
		"name", there.GetName(), "uid", there.GetUID(), "why", humanize.Fit(refused.Error(), world.MaxErrorMessage))
	return Restore(ctx, p, there, meta.Labels, meta.Annotations)
}

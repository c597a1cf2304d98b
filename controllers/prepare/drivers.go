package prepare

import (
	"context"
	"fmt"
	"slices"

	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/pager"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/workers"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/storage"
)

// AwaitDrivers waits for CSI drivers that the cluster does not have, before anything is made: a driver may be installed
// in the same moment as the benchmark is created, and until it is there nothing answers for a claim. It does not wait
// for provisioners of other kinds, for which a cluster has no object: the events of their claims name them.
func AwaitDrivers(ctx context.Context, p *pass.Pass) (pass.Outcome, error) {
	if p.SB.Status.HasMeasured() || p.Namespaces.AreSet() || hasBegun(p) {
		return pass.GoOn(), nil
	}
	for i := range p.SB.Spec.Targets {
		target := &p.SB.Spec.Targets[i]
		status := p.SB.Status.Target(target.Name)
		has, err := hasDriver(ctx, p, status.Driver)
		if err != nil {
			return pass.Outcome{}, err
		}
		if !has {
			why := storage.MissingDriver(status.Driver, classFor(target, status))
			return awaitStorage(p, target, why, workers.PollWaiting), nil
		}
	}
	return pass.GoOn(), nil
}

// hasBegun reports whether something was made for a target: the drivers were there then.
func hasBegun(s *pass.Pass) bool {
	return len(s.Children.Claims) > 0 || len(s.SB.Status.Anchors) > 0 ||
		slices.ContainsFunc(s.SB.Status.Runs, func(run v1alpha1.Run) bool { return run.Attempts > 0 })
}

// classFor returns the StorageClass that a target's user knows, "" if the operator makes it.
func classFor(target *v1alpha1.Target, status *v1alpha1.TargetStatus) string {
	if storage.Driver(target) != "" {
		return ""
	}
	return status.StorageClassName
}

// hasDriver reports whether the cluster has a CSI driver: as an object or, as drivers need none, on one of its nodes.
// It reports true of what may be no CSI driver.
func hasDriver(ctx context.Context, p *pass.Pass, driver string) (bool, error) {
	if !storage.IsCSI(driver) {
		return true, nil
	}
	err := p.World.Live.Get(ctx, types.NamespacedName{Name: driver}, &storagev1.CSIDriver{})
	if !apierrors.IsNotFound(err) {
		if err != nil {
			err = fmt.Errorf("get CSIDriver: %w", err)
		}
		return err == nil, err
	}
	return isOnSomeNode(ctx, p, driver)
}

// isOnSomeNode reports whether a CSI driver runs on one of the cluster's nodes.
func isOnSomeNode(ctx context.Context, p *pass.Pass, driver string) (found bool, err error) {
	pages := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		page := &storagev1.CSINodeList{}
		return page, p.World.Live.List(ctx, page, client.Limit(options.Limit), client.Continue(options.Continue))
	})
	pages.PageBufferSize = 0 // one page in memory, and one on its way
	look := func(node *storagev1.CSINode) { found = found || workers.Runs(node, driver) }
	if err := pages.EachListItem(ctx, metav1.ListOptions{}, world.Typed(look)); err != nil {
		return false, fmt.Errorf("list CSINodes: %w", err)
	}
	return found, nil
}

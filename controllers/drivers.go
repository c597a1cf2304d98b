package controllers

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
	"github.com/storagebench/storagebench/internal/storage"
)

// awaitDrivers waits for CSI drivers that the cluster does not have, before anything is made: a driver may be installed
// in the same moment as the benchmark is created, and until it is there nothing answers for a claim. It does not wait for
// provisioners of other kinds, for which a cluster has no object: the events of their claims name them.
func awaitDrivers(ctx context.Context, p *pass) (outcome, error) {
	if p.sb.Status.HasMeasured() || p.namespaces.AreSet() || p.hasBegun() {
		return goOn(), nil
	}
	for i := range p.sb.Spec.Targets {
		target := &p.sb.Spec.Targets[i]
		status := p.sb.Status.Target(target.Name)
		has, err := p.hasDriver(ctx, status.Driver)
		if err != nil {
			return outcome{}, err
		}
		if !has {
			return p.awaitStorage(target, storage.MissingDriver(status.Driver, classFor(target, status)), pollWaiting), nil
		}
	}
	return goOn(), nil
}

// hasBegun reports whether something was made for a target: the drivers were there then.
func (s *scope) hasBegun() bool {
	return len(s.Claims) > 0 || len(s.sb.Status.Anchors) > 0 ||
		slices.ContainsFunc(s.sb.Status.Runs, func(run v1alpha1.Run) bool { return run.Attempts > 0 })
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
func (p *pass) hasDriver(ctx context.Context, driver string) (bool, error) {
	if !storage.IsCSI(driver) {
		return true, nil
	}
	err := p.Live.Get(ctx, types.NamespacedName{Name: driver}, &storagev1.CSIDriver{})
	if !apierrors.IsNotFound(err) {
		if err != nil {
			err = fmt.Errorf("get CSIDriver: %w", err)
		}
		return err == nil, err
	}
	return p.isOnSomeNode(ctx, driver)
}

// isOnSomeNode reports whether a CSI driver runs on one of the cluster's nodes.
func (p *pass) isOnSomeNode(ctx context.Context, driver string) (found bool, err error) {
	pages := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		page := &storagev1.CSINodeList{}
		return page, p.Live.List(ctx, page, client.Limit(options.Limit), client.Continue(options.Continue))
	})
	pages.PageBufferSize = 0 // one page in memory, and one on its way
	look := func(node *storagev1.CSINode) { found = found || runs(node, driver) }
	if err := pages.EachListItem(ctx, metav1.ListOptions{}, typed(look)); err != nil {
		return false, fmt.Errorf("list CSINodes: %w", err)
	}
	return found, nil
}

// whyNotOnNode tells that a node does not run a CSI driver, "" if it does, or if the driver may be none of CSI.
func (p *pass) whyNotOnNode(ctx context.Context, node, driver string) (string, error) {
	if node == "" || !storage.IsCSI(driver) || p.namespaces.AreSet() {
		return "", nil
	}
	var csi storagev1.CSINode
	if err := unlessGone(
		p.Live.Get(ctx, types.NamespacedName{Name: node}, &csi),
		"get CSINode",
	); err != nil ||
		runs(&csi, driver) {
		return "", err
	}
	return fmt.Sprintf(
		"node %s does not run CSI driver %s: look at the driver's pods there, "+
			"or keep the benchmark on other nodes by spec.placement",
		node,
		driver,
	), nil
}

// runs reports whether a node runs a CSI driver.
func runs(node *storagev1.CSINode, driver string) bool {
	return slices.ContainsFunc(node.Spec.Drivers, func(d storagev1.CSINodeDriver) bool { return d.Name == driver })
}

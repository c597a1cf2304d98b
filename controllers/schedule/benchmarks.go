package schedule

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/schedule"
)

// listBenchmarks reads the StorageBenchmarks of the schedule: those that it controls.
func listBenchmarks(ctx context.Context, p *pass) error {
	var list v1alpha1.StorageBenchmarkList
	controlled := client.MatchingFields{bySchedule: string(p.schedule.UID)}
	if err := p.Client.List(ctx, &list, client.InNamespace(p.schedule.Namespace), controlled); err != nil {
		return fmt.Errorf("list StorageBenchmarks: %w", err)
	}
	p.benchmarks = list.Items
	slices.SortFunc(p.benchmarks, func(a, b v1alpha1.StorageBenchmark) int {
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
	})
	there := map[types.UID]bool{}
	for i := range p.benchmarks {
		there[p.benchmarks[i].UID] = true
	}
	for uid := range p.memory.kept {
		if !there[uid] {
			p.memory.kept.Delete(uid)
		}
	}
	return nil
}

// deleteSurplus deletes the StorageBenchmarks that have ended and are more than the limits let be.
func deleteSurplus(ctx context.Context, p *pass) error {
	p.memory.undeleted = nil
	succeeded, failed := p.historyLimits()
	for _, surplus := range schedule.Surplus(p.facts(), succeeded, failed) {
		if err := deleteBenchmark(ctx, p, surplus); err != nil {
			p.memory.undeleted = err
			return err
		}
	}
	return nil
}

// deleteBenchmark deletes a StorageBenchmark, and none that has come in its place. Its finalizer keeps it until all is
// gone that was made for it.
func deleteBenchmark(ctx context.Context, p *pass, b schedule.Benchmark) error {
	object := &v1alpha1.StorageBenchmark{ObjectMeta: metav1.ObjectMeta{Namespace: p.schedule.Namespace, Name: b.Name}}
	sameObject := client.Preconditions{UID: &b.UID}
	err := p.Client.Delete(ctx, object, sameObject, client.PropagationPolicy(metav1.DeletePropagationBackground))
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		return fmt.Errorf("delete StorageBenchmark %s: %w", b.Name, err)
	}
	return nil
}

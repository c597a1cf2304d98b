package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/await"
	"github.com/storagebench/storagebench/test/builder"
)

const (
	// className is the StorageClass of the volumes.
	className = "scale"
	// runPatience is how long a run may take, and overheadPatience what comes before the runs and after them.
	runPatience      = 2 * time.Minute
	overheadPatience = 5 * time.Minute
	// lookInterval is how often it is looked at what is waited for: seldom enough to take nothing from what is measured.
	lookInterval = 100 * time.Millisecond
)

func addClass(ctx context.Context, c client.Client) error {
	return c.Create(ctx, &storagev1.StorageClass{
		ObjectMeta: metav1.ObjectMeta{Name: className}, Provisioner: className + ".storagebench.dev",
		VolumeBindingMode: new(storagev1.VolumeBindingWaitForFirstConsumer),
	})
}

// newBenchmark returns a benchmark of so many runs of one workload by clients that have a volume each.
func newBenchmark(clients, runs int) *v1alpha1.StorageBenchmark {
	workload := v1alpha1.Workload{
		Name:   "randrw",
		Fio:    &v1alpha1.FioParameters{RW: "randrw", Size: new("512M"), RuntimeSeconds: new(int32(60))},
		Matrix: map[string]v1alpha1.MatrixValues{"bs": {}},
	}
	for i := range runs {
		workload.Matrix["bs"] = append(workload.Matrix["bs"], intstr.FromString(fmt.Sprintf("%dk", 4*(i+1))))
	}
	target := builder.NewTarget("volume")
	target.StorageClassName = new(className)
	return builder.NewBenchmark(metav1.NamespaceDefault, fmt.Sprintf("clients-%d", clients)).Target(target).Workload(workload).
		With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Clients = new(int32(clients)) }).Build()
}

// runBenchmark makes the benchmark, and returns it when all that was made for it is gone. It watches the benchmark: to read each of many ten times a second
// takes more of the API server than all that they do.
func runBenchmark(ctx context.Context, c client.WithWatch, sb *v1alpha1.StorageBenchmark, runs int) (*v1alpha1.StorageBenchmark, error) {
	if err := c.Create(ctx, sb); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, overheadPatience+time.Duration(runs)*runPatience)
	defer cancel()
	_, err := watchtools.Until(ctx, sb.ResourceVersion, watcherOf(c, sb), func(event watch.Event) (bool, error) {
		seen, is := event.Object.(*v1alpha1.StorageBenchmark)
		if !is || event.Type == watch.Deleted {
			return false, fmt.Errorf("%s: %w", event.Type, apierrors.FromObject(event.Object))
		}
		sb = seen
		return hasSucceeded(sb)
	})
	if err != nil {
		succeeded := sb.Status.Condition(v1alpha1.ConditionSucceeded)
		return nil, fmt.Errorf("%s is at %s: %s: %w", sb.Name, succeeded.Reason, succeeded.Message, err)
	}
	return sb, nil
}

// watcherOf watches one benchmark.
func watcherOf(c client.WithWatch, sb *v1alpha1.StorageBenchmark) cache.Watcher {
	return &cache.ListWatch{WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
		return c.Watch(ctx, &v1alpha1.StorageBenchmarkList{}, &client.ListOptions{
			Namespace: sb.Namespace, FieldSelector: fields.OneTermEqualSelector(metav1.ObjectNameField, sb.Name), Raw: &options,
		})
	}}
}

// hasSucceeded returns an error if it never will.
func hasSucceeded(sb *v1alpha1.StorageBenchmark) (bool, error) {
	succeeded := sb.Status.Condition(v1alpha1.ConditionSucceeded)
	if succeeded.Status == metav1.ConditionFalse {
		return false, errors.New("it ended")
	}
	return succeeded.Status == metav1.ConditionTrue, nil
}

// removeBenchmark deletes the benchmark, and waits until it is gone.
func removeBenchmark(ctx context.Context, c client.Client, sb *v1alpha1.StorageBenchmark) error {
	if err := c.Delete(ctx, sb); err != nil {
		return err
	}
	wait := await.Wait{For: "the benchmark to be gone", Patience: overheadPatience, Interval: lookInterval}
	return wait.Until(ctx, func(ctx context.Context) error {
		err := c.Get(ctx, client.ObjectKeyFromObject(sb), &v1alpha1.StorageBenchmark{})
		if err == nil {
			return errors.New("it is there")
		}
		return client.IgnoreNotFound(err)
	})
}

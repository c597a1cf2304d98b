package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
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
		Fio:    &v1alpha1.FioParameters{RW: "randrw", Size: new("1G"), RuntimeSeconds: new(int32(60))},
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

// runBenchmark makes the benchmark, and returns it when all that was made for it is gone.
func runBenchmark(ctx context.Context, c client.Client, sb *v1alpha1.StorageBenchmark, runs int) (*v1alpha1.StorageBenchmark, error) {
	if err := c.Create(ctx, sb); err != nil {
		return nil, err
	}
	wait := await.Wait{For: "the benchmark", Patience: overheadPatience + time.Duration(runs)*runPatience, Interval: lookInterval}
	err := wait.Until(ctx, func(ctx context.Context) error {
		if err := c.Get(ctx, client.ObjectKeyFromObject(sb), sb); err != nil {
			return err
		}
		succeeded := ptr.Deref(meta.FindStatusCondition(sb.Status.Conditions, v1alpha1.ConditionSucceeded), metav1.Condition{})
		switch succeeded.Status {
		case metav1.ConditionTrue:
			return nil
		case metav1.ConditionFalse:
			return await.Final(fmt.Errorf("it ended with %s: %s", succeeded.Reason, succeeded.Message))
		default:
			return fmt.Errorf("it is at %s: %s", succeeded.Reason, succeeded.Message)
		}
	})
	return sb, err
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

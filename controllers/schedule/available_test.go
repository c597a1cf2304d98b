package schedule

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/test/envtest"
)

// An operator whose role, or whose CustomResourceDefinition, is of an older version goes on without schedules, and
// begins with them when it can.
func TestBeginsWhenSchedulesCanBeListed(t *testing.T) {
	w := newWorld(t)
	way := envtest.OperatorConfig(t)
	mgr, err := w.Manager(way, world.NewCaches(32<<20).NewInformer)
	if err != nil {
		t.Fatal(err)
	}
	live, err := client.NewWithWatch(way, client.Options{Scheme: mgr.GetScheme()})
	if err != nil {
		t.Fatal(err)
	}
	var listable atomic.Bool
	var asked atomic.Int64
	reconciler := &Reconciler{
		Client: mgr.GetClient(), Events: mgr.GetEventRecorder("storagebench"), Clock: w.Clock, Version: "test",
		Live: interceptor.NewClient(live, interceptor.Funcs{
			List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, options ...client.ListOption) error {
				if _, is := list.(*v1alpha1.StorageBenchmarkScheduleList); is && !listable.Load() {
					asked.Add(1)
					return apierrors.NewForbidden(schema.GroupResource{Resource: "storagebenchmarkschedules"}, "", errors.New("an older role"))
				}
				return c.List(ctx, list, options...)
			},
		}),
	}
	w.Run(mgr, errors.Join(Index(t.Context(), mgr), mgr.Add(&Starter{Manager: mgr, Reconciler: reconciler})))
	w.create()
	w.Clock.Pass(time.Minute)
	w.Eventually(func() error {
		if asked.Load() == 0 {
			return errors.New("it is not asked whether schedules can be listed")
		}
		return nil
	})
	w.untilThere(0)
	listable.Store(true)
	w.Eventually(func() error {
		w.Clock.Step(askedAgain)
		list, err := w.list()
		if err == nil && len(list) == 0 {
			return fmt.Errorf("nothing was made")
		}
		return err
	})
}

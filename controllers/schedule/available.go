package schedule

import (
	"context"
	"fmt"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// askedAgain is how long after it may not be listed it is asked again whether schedules can be listed.
const askedAgain = 30 * time.Second

// Starter has a manager begin with schedules as soon as they can be listed. They cannot where the
// CustomResourceDefinition is missing, or the operator's role is of an older version. A manager that began all the same
// would end after two minutes, and StorageBenchmarks with it.
type Starter struct {
	Reconciler *Reconciler
	Manager    ctrl.Manager
}

// Start implements manager.Runnable. It returns when schedules are taken care of, or the context ends.
func (s *Starter) Start(ctx context.Context) error {
	for told := ""; ; {
		err := s.listable(ctx)
		if err == nil {
			return s.Reconciler.SetupWithManager(s.Manager)
		}
		if why := err.Error(); why != told && ctx.Err() == nil {
			ctrl.Log.Info("StorageBenchmarkSchedules cannot be listed, and nothing is made for them: "+
				"apply the CustomResourceDefinitions and roles of this version, "+
				"which is noticed within "+askedAgain.String(), "error", why)
			told = why
		}
		select {
		case <-ctx.Done():
			return nil
		case <-s.Reconciler.Clock.After(askedAgain):
		}
	}
}

// listable says why schedules cannot be listed where the operator works.
func (s *Starter) listable(ctx context.Context) error {
	namespaces := s.Reconciler.Namespaces
	if len(namespaces) == 0 {
		namespaces = []string{""}
	}
	for _, namespace := range namespaces {
		var list v1alpha1.StorageBenchmarkScheduleList
		if err := s.Reconciler.Live.List(ctx, &list, client.InNamespace(namespace), client.Limit(1)); err != nil {
			return fmt.Errorf("list StorageBenchmarkSchedules: %w", err)
		}
	}
	return nil
}

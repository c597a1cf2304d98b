// Package watches notices watches that stay open and deliver nothing. An operator behind such a watch waits for ever:
// its cache never hears of what it has made. An informer that is started anew heals that, so the liveness check of the
// pod fails, and the kubelet restarts the operator.
//
// An API server tells each watch about once a minute how far it has come (a bookmark), also where nothing has changed.
// So an informer's version follows that of the cluster. The same comparison finds an etcd that was restored to an
// earlier state: an informer is then ahead of the cluster.
package watches

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
)

const (
	// interval is how often the versions are compared. Each comparison costs a list of one object.
	interval = time.Minute
	// Patience is how long an informer may be behind the cluster: five bookmarks of kube-apiserver, which sends them about
	// once a minute (k8s.io/apiserver, defaultBookmarkFrequency).
	Patience = 5 * time.Minute
	// callTimeout limits one list.
	callTimeout = 30 * time.Second
)

// Informer is the part of a SharedIndexInformer that is needed.
type Informer interface {
	HasSynced() bool
	LastSyncResourceVersion() string
}

// Lister lists the objects that an informer watches.
type Lister interface {
	ListWithContext(ctx context.Context, options metav1.ListOptions) (runtime.Object, error)
}

// Check compares informers with the cluster. The zero value with a clock compares none.
type Check struct {
	Clock clock.Clock

	mu      sync.Mutex
	watches []*watched
}

// watched is an informer, and the oldest version of the cluster that it has not reached.
type watched struct {
	kind     string
	informer Informer
	lister   Lister
	// awaits is a version that the cluster had at a time, "" if the informer has reached all that were seen.
	awaits string
	since  time.Time
	// broken is why the informer has to be started anew, nil if it need not be.
	broken error
}

// Add has an informer compared from now on.
func (c *Check) Add(kind string, informer Informer, lister Lister) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watches = append(c.watches, &watched{kind: kind, informer: informer, lister: lister})
}

// Start implements manager.Runnable: it compares once a minute.
func (c *Check) Start(ctx context.Context) error {
	wait.UntilWithContext(ctx, c.Compare, interval)
	return nil
}

// NeedLeaderElection implements manager.LeaderElectionRunnable: the caches of all replicas have to be right.
func (*Check) NeedLeaderElection() bool { return false }

// Live implements healthz.Checker. It returns an error while an informer has to be started anew.
func (c *Check) Live(*http.Request) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var broken []error
	for _, w := range c.watches {
		broken = append(broken, w.broken)
	}
	return errors.Join(broken...)
}

// Compare compares each informer with the cluster once.
func (c *Check) Compare(ctx context.Context) {
	c.mu.Lock()
	watches := append([]*watched(nil), c.watches...)
	c.mu.Unlock()
	for _, w := range watches {
		if !w.informer.HasSynced() {
			continue
		}
		reached := w.informer.LastSyncResourceVersion()
		current, err := w.current(ctx)
		if err != nil {
			ctrl.LoggerFrom(ctx).Info("Cannot compare a watch with the cluster", "kind", w.kind, "reason", err.Error())
			continue
		}
		c.mu.Lock()
		wasBroken := w.broken != nil
		w.note(reached, current, c.Clock.Now())
		if w.broken != nil && !wasBroken {
			ctrl.LoggerFrom(ctx).Error(w.broken, "A watch has to be started anew")
		}
		c.mu.Unlock()
	}
}

// current returns the version of the cluster.
func (w *watched) current(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	list, err := w.lister.ListWithContext(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return "", err
	}
	of, err := meta.ListAccessor(list)
	if err != nil {
		return "", err
	}
	return of.GetResourceVersion(), nil
}

// note notes how far an informer has come, and the version that the cluster has had since.
func (w *watched) note(reached, current string, now time.Time) {
	w.broken = nil
	if isBefore(current, reached) {
		w.broken = fmt.Errorf("the cache of %s is at version %s, and the cluster at %s: "+
			"its etcd was restored to an earlier state", w.kind, reached, current)
		return
	}
	if w.awaits == "" || !isBefore(reached, w.awaits) {
		w.awaits, w.since = current, now
		return
	}
	if behind := now.Sub(w.since); behind >= Patience {
		w.broken = fmt.Errorf("the watch of %s has delivered nothing for %s: "+
			"its cache is at version %s, and the cluster was at %s then",
			w.kind, behind.Round(time.Second), reached, w.awaits)
	}
}

// isBefore reports whether a version is older than another one. Versions that are no numbers are not compared.
func isBefore(a, b string) bool {
	order, err := resourceversion.CompareResourceVersion(a, b)
	return err == nil && order < 0
}

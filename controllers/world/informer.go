package world

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ReconnectInterval is how often an informer tries to reach an API server that is away, up to twice as long with
// jitter. The reflector's own interval grows to a minute, so that an API server that was away for 20 s was seen again
// after another 67 s.
const ReconnectInterval = time.Second

// NewInformer returns an informer for the operator's cache. An API server that streams objects (Kubernetes 1.34 and
// later) sends one after the other. From others the informer reads pages of a few objects, because an operator that
// starts beside many large objects would not survive one list of all. A keeper decides what is kept of each object.
func (c *Caches) NewInformer(
	source cache.ListerWatcher, example runtime.Object, resync time.Duration, indexers cache.Indexers,
) cache.SharedIndexInformer {
	whole, kept := cache.ToListerWatcherWithContext(source), c.NewKeeper()
	return cache.NewSharedIndexInformer(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			kept.Share.BeginList()
			// An API server gives no pages of what it has in a cache of its own.
			options.ResourceVersion, options.ResourceVersionMatch, options.Limit = "", "", 0
			listPage := func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
				page, err := Reach(ctx, func() (runtime.Object, error) { return whole.ListWithContext(ctx, options) })
				if err != nil {
					return nil, err
				}
				return page, kept.filterPage(page)
			}
			all, err := inPages(ctx, Forever, options, listPage)
			if err == nil {
				kept.Share.EndList()
			}
			return all, err
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			if ptr.Deref(options.SendInitialEvents, false) {
				kept.Share.BeginList()
			}
			events, err := Reach(ctx, func() (watch.Interface, error) { return whole.WatchWithContext(ctx, options) })
			if err != nil {
				return nil, err
			}
			return watch.Filter(events, kept.FilterEvent), nil
		},
	}, example, resync, indexers)
}

// filterPage leaves of a page of a list what is kept.
func (k *Keeper) filterPage(page runtime.Object) error {
	var kept []runtime.Object
	err := meta.EachListItemWithAlloc(page, func(object runtime.Object) error {
		if k.Keep(object) {
			kept = append(kept, object)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return meta.SetList(page, kept)
}

// FilterEvent returns an event with what is kept of its object, and reports whether the cache hears of it. An object
// that the cache may hold no longer is deleted there.
func (k *Keeper) FilterEvent(event watch.Event) (watch.Event, bool) {
	object, is := event.Object.(client.Object)
	switch {
	case event.Type == watch.Bookmark:
		if is && object.GetAnnotations()[metav1.InitialEventsAnnotationKey] == "true" {
			k.Share.EndList()
		}
		return event, true
	case !is || event.Type == watch.Error:
		return event, true
	case event.Type == watch.Deleted:
		Trim(object)
		k.Share.Drop(object.GetUID())
		k.caches.tell(object) // the informer tells only of what it holds
		return event, true
	}
	held := k.Share.Holds(object.GetUID())
	if k.Keep(object) {
		return event, true
	}
	k.caches.tell(object)
	event.Type = watch.Deleted
	return event, held
}

// Reach calls an API server until there is one: until it answers, or fails in another way than to refuse connections.
func Reach[T any](ctx context.Context, call func() (T, error)) (answer T, err error) {
	const jitter, tellInterval = 1.0, time.Minute
	var told time.Time
	tries := wait.Backoff{Duration: ReconnectInterval, Jitter: jitter}.DelayFunc()
	_ = tries.Until(ctx, true, true, func(context.Context) (bool, error) {
		answer, err = call()
		refused := utilnet.IsConnectionRefused(err)
		if refused && time.Since(told) > tellInterval {
			ctrl.LoggerFrom(ctx).Info("The API server refuses connections; still trying", "error", err.Error())
			told = time.Now()
		}
		return !refused, nil
	})
	return answer, err
}

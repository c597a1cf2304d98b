package controllers

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
	ctrl "sigs.k8s.io/controller-runtime"
)

// reconnectInterval is how often an informer tries to reach an API server that is away, up to twice as long with jitter. The reflector's own
// interval grows to a minute, so that an API server that was away for 20 s was seen again after another 67 s.
const reconnectInterval = time.Second

// NewInformer returns an informer for the cache. An API server that streams objects (Kubernetes 1.34 and later) gives it one after the other.
// Of others it would list all at once, which an operator that starts beside large ones does not survive: it lists them a few at a
// time, and leaves of each what is kept.
func NewInformer(source cache.ListerWatcher, example runtime.Object, resync time.Duration, indexers cache.Indexers) cache.SharedIndexInformer {
	whole := cache.ToListerWatcherWithContext(source)
	return cache.NewSharedIndexInformer(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			// An API server gives no pages of what it has in a cache of its own.
			options.ResourceVersion, options.ResourceVersionMatch, options.Limit = "", "", 0
			return inPages(ctx, forever, options, func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
				page, err := reach(ctx, func() (runtime.Object, error) { return whole.ListWithContext(ctx, options) })
				if err != nil {
					return nil, err
				}
				return page, meta.EachListItem(page, typed(trim))
			})
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return reach(ctx, func() (watch.Interface, error) { return whole.WatchWithContext(ctx, options) })
		},
	}, example, resync, indexers)
}

// reach calls an API server until there is one: until it answers, or fails in another way than to refuse connections.
func reach[T any](ctx context.Context, call func() (T, error)) (answer T, err error) {
	const jitter, tellInterval = 1.0, time.Minute
	var told time.Time
	tries := wait.Backoff{Duration: reconnectInterval, Jitter: jitter}.DelayFunc()
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

package controllers

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"
)

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
				page, err := whole.ListWithContext(ctx, options)
				if err != nil {
					return nil, err
				}
				return page, meta.EachListItem(page, trimInPlace)
			})
		},
		WatchFuncWithContext: whole.WatchWithContext,
	}, example, resync, indexers)
}

func trimInPlace(object runtime.Object) error {
	_, err := Trim(object)
	return err
}

package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// namespaceList is a flag of namespaces with commas between them.
type namespaceList []string

// String implements flag.Value.
func (n *namespaceList) String() string { return strings.Join(*n, ",") }

// Set implements flag.Value. An empty text is no namespace; one that names none is an error, because an operator must not
// work in the whole cluster by mistake.
func (n *namespaceList) Set(text string) error {
	*n = nil
	if text == "" {
		return nil
	}
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		if problems := validation.IsDNS1123Label(name); len(problems) > 0 {
			return fmt.Errorf("%q is no name of a namespace: %s", name, problems[0])
		}
		if !slices.Contains(*n, name) {
			*n = append(*n, name)
		}
	}
	return nil
}

// checkNamespaces refuses what would have no meaning.
func (o *options) checkNamespaces() error {
	if len(o.watched) > 0 && len(o.excluded) > 0 {
		return errors.New("--exclude-namespaces is for an operator of the whole cluster: remove it, or --watch-namespaces")
	}
	return nil
}

// newInformer returns an informer for the cache, which is compared with the cluster.
func (o *options) newInformer(
	source toolscache.ListerWatcher, example runtime.Object, resync time.Duration, indexers toolscache.Indexers,
) toolscache.SharedIndexInformer {
	informer := o.caches.NewInformer(source, example, resync, indexers)
	o.watches.Add(fmt.Sprintf("%T", example), informer, toolscache.ToListerWatcherWithContext(source))
	return informer
}

// cacheOptions keep only the operator's own objects in memory, and what it reads of them, whatever else the cluster holds, of the namespaces that it
// watches. Of those that are excluded it keeps no StorageBenchmarks, and so does nothing there; pods there may hold nodes.
func (o *options) cacheOptions() cache.Options {
	mine := cache.ByObject{
		Label: labels.SelectorFromSet(labels.Set{v1alpha1.LabelManagedBy: v1alpha1.ManagedBy}), Field: fields.Everything(),
	}
	c := cache.Options{
		ByObject: map[client.Object]cache.ByObject{
			&batchv1.Job{}:                  mine,
			&corev1.Pod{}:                   mine,
			&corev1.PersistentVolumeClaim{}: mine,
		},
		NewInformer: o.newInformer,
	}
	for _, name := range o.watched {
		if c.DefaultNamespaces == nil {
			c.DefaultNamespaces = map[string]cache.Config{}
		}
		c.DefaultNamespaces[name] = cache.Config{}
	}
	var others []fields.Selector
	for _, name := range o.excluded {
		others = append(others, fields.OneTermNotEqualSelector("metadata.namespace", name))
	}
	if len(others) > 0 {
		c.DefaultFieldSelector = fields.AndSelectors(others...)
	}
	return c
}

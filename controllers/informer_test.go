package controllers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"

	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/test/await"
)

// An operator that starts beside many large objects has few of them whole in memory, also where the API server does not
// stream them.
func TestInformerListsInPages(t *testing.T) {
	const pages = 3
	source := &cache.ListWatch{
		ListWithContextFunc: func(_ context.Context, options metav1.ListOptions) (runtime.Object, error) {
			if options.Limit != world.LiveAtOnce || options.ResourceVersion != "" || options.LabelSelector != "" {
				t.Errorf("a list of %+v", options)
			}
			first, _ := strconv.Atoi(options.Continue)
			page := &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "7"}}
			for i := range world.LiveAtOnce {
				page.Items = append(page.Items, corev1.Pod{ObjectMeta: metav1.ObjectMeta{
					Namespace: "default", Name: fmt.Sprintf("pod-%d", first+i), Annotations: map[string]string{"example.com/filler": "x"},
				}})
			}
			if first < (pages-1)*world.LiveAtOnce {
				page.Continue = strconv.Itoa(first + world.LiveAtOnce)
			}
			return page, nil
		},
		WatchFuncWithContext: func(_ context.Context, options metav1.ListOptions) (watch.Interface, error) {
			if options.SendInitialEvents != nil { // as one that does not stream answers
				return nil, apierrors.NewInvalid(schema.GroupKind{Kind: "ListOptions"}, "", nil)
			}
			if options.ResourceVersion != "7" {
				t.Errorf("a watch of %+v", options)
			}
			return watch.NewFake(), nil
		},
	}
	informer := world.NewCaches(32<<20).NewInformer(source, &corev1.Pod{}, 0, cache.Indexers{})
	go informer.RunWithContext(t.Context())
	await.Holds(t, func() error {
		if !informer.HasSynced() {
			return errors.New("it has not listed all")
		}
		return nil
	})
	pods := informer.GetStore().List()
	if len(pods) != pages*world.LiveAtOnce {
		t.Errorf("%d pods are found", len(pods))
	}
	for _, object := range pods {
		if pod, ok := object.(*corev1.Pod); !ok || len(pod.Annotations) > 0 {
			t.Errorf("%+v is kept", object)
		}
	}
}

// An API server that was away for long is reached soon after it is back, and what it answers then is what counts.
func TestInformerReachesAPIServer(t *testing.T) {
	for name, test := range map[string]struct {
		away time.Duration
		ends error
	}{
		"away for long":           {time.Hour, nil},
		"back with another error": {time.Minute, apierrors.NewResourceExpired("too old")},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				back := time.Now().Add(test.away)
				_, err := world.Reach(t.Context(), func() (any, error) {
					if time.Now().Before(back) {
						return nil, &url.Error{Op: "Get", Err: &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}}
					}
					return nil, test.ends
				})
				if late := time.Since(back); !errors.Is(err, test.ends) || late > 2*world.ReconnectInterval {
					t.Errorf("%s after it was back: %v", late, err)
				}
			})
		})
	}
}

func TestInformerEndsWithoutAPIServer(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := world.Reach(ctx, func() (any, error) { return nil, syscall.ECONNREFUSED }); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("error %v", err)
	}
}

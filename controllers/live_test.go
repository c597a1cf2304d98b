package controllers

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/test/envtest"
)

// Of a namespace that somebody has filled, few objects are read at a time, and all are found.
func TestLiveListsTakeLittleMemory(t *testing.T) {
	c := envtest.Client(t)
	namespace := envtest.Namespace(t, c)
	for i := range world.LiveAtOnce + 1 {
		claim := claimOf(namespace, fmt.Sprintf("claim-%d", i), corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")})
		claim.Annotations = map[string]string{"example.com/filler": strings.Repeat("x", 1<<10)}
		if err := c.Create(t.Context(), claim); err != nil {
			t.Fatal(err)
		}
	}
	live := interceptor.NewClient(c, interceptor.Funcs{
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, options ...client.ListOption) error {
			err := c.List(ctx, list, options...)
			if n := meta.LenList(list); n > world.LiveAtOnce {
				t.Errorf("%d objects at once", n)
			}
			return err
		},
	})
	var claims corev1.PersistentVolumeClaimList
	all := func(*corev1.PersistentVolumeClaim) bool { return true }
	if _, err := world.ListLive(t.Context(), live, &claims, all, client.InNamespace(namespace)); err != nil {
		t.Fatal(err)
	}
	names := sets.New[string]()
	for i := range claims.Items {
		names.Insert(claims.Items[i].Name)
		if len(claims.Items[i].Annotations) > 0 {
			t.Errorf("claim %s has annotations %v", claims.Items[i].Name, claims.Items[i].Annotations)
		}
	}
	if len(names) != world.LiveAtOnce+1 {
		t.Errorf("%d claims are found", len(names))
	}
}

// TestLiveListsAreBounded checks that a list keeps only wanted objects, and ends when these take as much memory as it
// may take: somebody may have forged any number.
func TestLiveListsAreBounded(t *testing.T) {
	const large, most = 64 << 10, 1000
	lists := 0
	live := interceptor.NewClient(fake.NewClientBuilder().WithScheme(envtest.Scheme()).Build(), interceptor.Funcs{
		List: func(_ context.Context, _ client.WithWatch, list client.ObjectList, _ ...client.ListOption) error {
			lists++
			pods := list.(*corev1.PodList)
			for i := range world.LiveAtOnce {
				pods.Items = append(pods.Items, *labelled("mallory", i))
				pods.Items[i].Status.Message = strings.Repeat("m", large)
			}
			if pods.Continue = "more"; lists == most {
				pods.Continue = ""
			}
			return nil
		},
	})
	for name, test := range map[string]struct {
		wanted      func(*corev1.Pod) bool
		most, lists int
	}{
		"all are wanted":  {func(*corev1.Pod) bool { return true }, world.MaxLiveList/large + 1, world.MaxLiveList/large/world.LiveAtOnce + 1},
		"none are wanted": {func(*corev1.Pod) bool { return false }, 0, most},
	} {
		lists = 0
		var pods corev1.PodList
		if _, err := world.ListLive(t.Context(), live, &pods, test.wanted); err != nil {
			t.Fatal(err)
		}
		if len(pods.Items) > test.most || lists > test.lists || test.most > 0 && len(pods.Items) == 0 {
			t.Errorf("%s: %d pods are kept after %d lists, want at most %d and %d",
				name, len(pods.Items), lists, test.most, test.lists)
		}
	}
}

// TestListsEndAmongOthersObjects checks that a list ends after a number of objects that are not wanted: a
// pass that reads all of them holds up benchmarks of other namespaces.
func TestListsEndAmongOthersObjects(t *testing.T) {
	lists, most := 0, 1000
	live := interceptor.NewClient(fake.NewClientBuilder().WithScheme(envtest.Scheme()).Build(), interceptor.Funcs{
		List: func(_ context.Context, _ client.WithWatch, list client.ObjectList, _ ...client.ListOption) error {
			lists++
			pods := list.(*corev1.PodList)
			for i := range world.LiveAtOnce {
				pods.Items = append(pods.Items, *labelled("mallory", i))
			}
			if pods.Continue = "more"; lists == most {
				pods.Continue = ""
			}
			return nil
		},
	})
	var pods corev1.PodList
	none := func(*corev1.Pod) bool { return false }
	if isComplete, err := world.ListLive(t.Context(), live, &pods, none); err != nil || isComplete || lists > 101 {
		t.Errorf("%d lists of %d objects for forged ones, %v", lists, world.LiveAtOnce, err)
	}
	lists, most = 0, 200
	all := func(*corev1.Pod) bool { return true }
	if isComplete, err := world.ListLive(t.Context(), live, &pods, all); err != nil || !isComplete || len(pods.Items) != most*world.LiveAtOnce {
		t.Errorf("%d of %d own objects, %v", len(pods.Items), most*world.LiveAtOnce, err)
	}
}

// Who waits for others that have a page of objects in memory waits for as long as it wants to, and no longer than its
// pass.
func TestWaitForThePage(t *testing.T) {
	world.OnePage <- struct{}{}
	defer func() { <-world.OnePage }()
	ended, end := context.WithCancel(t.Context())
	end()
	for name, test := range map[string]struct {
		ctx      context.Context
		patience time.Duration
		want     error
	}{
		"for a moment":            {t.Context(), time.Nanosecond, world.ErrBusy},
		"until the pass is ended": {ended, world.Forever, context.Canceled},
	} {
		asked := false
		live := interceptor.NewClient(fake.NewClientBuilder().WithScheme(envtest.Scheme()).Build(), interceptor.Funcs{
			List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error {
				asked = true
				return nil
			},
		})
		empty := func() client.ObjectList { return &corev1.PodList{} }
		if err := world.EachLive(test.ctx, live, test.patience, empty, func(*corev1.Pod) error { return nil }); !errors.Is(err, test.want) || asked {
			t.Errorf("%s: %v, want %v; the API server was asked: %t", name, err, test.want, asked)
		}
	}
}

package world

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/pager"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// LiveAtOnce is how many objects the API server is asked for in a call: a tenant may have filled the 1.5 MiB that each
	// may have.
	LiveAtOnce = 10
	// pagePatience is how long a call may take, because others wait for it.
	pagePatience = time.Minute
)

// OnePage is held while a page of whole objects is in memory: there is only one, whatever the number of passes at the
// same time.
var OnePage = make(chan struct{}, 1)

// ErrBusy says that others have held onePage for as long as somebody waited for it.
var ErrBusy = errors.New("others read whole objects")

// Forever is longer than any pass waits.
const Forever = math.MaxInt64

// getLive reads an object from the API server. It leaves the object empty if that is gone. An error begins with what
// was being done.
func getLive(
	ctx context.Context, live client.Reader, name types.NamespacedName, object client.Object, doing string,
) error {
	return UnlessGone(tryingTwice{live}.Get(ctx, name, object), doing)
}

// tryingTwice reads again what could not be read, unless it is gone. A pass that cleans up makes many calls and needs
// the answer of each.
type tryingTwice struct{ client.Reader }

func (r tryingTwice) Get(
	ctx context.Context, name types.NamespacedName, object client.Object, options ...client.GetOption,
) error {
	err := r.Reader.Get(ctx, name, object, options...)
	if client.IgnoreNotFound(err) == nil || ctx.Err() != nil {
		return err
	}
	return r.Reader.Get(ctx, name, object, options...)
}

func (r tryingTwice) List(ctx context.Context, list client.ObjectList, options ...client.ListOption) error {
	err := r.Reader.List(ctx, list, options...)
	if err == nil || ctx.Err() != nil {
		return err
	}
	return r.Reader.List(ctx, list, options...)
}

// inPages lists objects a few at a time. The whole operator reads one page at a time: each page waits for its turn, at
// most for as long as patience says. inPages keeps what the list function leaves of each page.
func inPages(
	ctx context.Context, patience time.Duration, options metav1.ListOptions, list pager.ListPageFunc,
) (runtime.Object, error) {
	pages := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		select {
		case OnePage <- struct{}{}:
			defer func() { <-OnePage }()
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(patience):
			return nil, ErrBusy
		}
		ctx, cancel := context.WithTimeout(ctx, pagePatience)
		defer cancel()
		return list(ctx, options)
	})
	pages.PageSize, pages.FullListIfExpired = LiveAtOnce, false
	all, _, err := pages.ListWithAlloc(ctx, options)
	return all, err
}

// EachLive reads objects from the API server, a few at a time, and looks at each. It waits for its turn for as long as
// patience says. An error of the function ends it.
func EachLive[O runtime.Object](
	ctx context.Context, live client.Reader, patience time.Duration, empty func() client.ObjectList, look func(O) error,
	options ...client.ListOption,
) error {
	list := func(ctx context.Context, of metav1.ListOptions) (runtime.Object, error) {
		page := empty()
		these := append(slices.Clone(options), client.Limit(of.Limit), client.Continue(of.Continue))
		if err := live.List(ctx, page, these...); err != nil {
			return nil, err
		}
		err := meta.EachListItemWithAlloc(page, func(object runtime.Object) error {
			if o, is := object.(O); is {
				return look(o)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		return page, meta.SetList(page, nil)
	}
	_, err := inPages(ctx, patience, metav1.ListOptions{}, list)
	return err
}

// Typed has a function look at objects that are of its kind.
func Typed[O runtime.Object](look func(O)) func(runtime.Object) error {
	return func(object runtime.Object) error {
		if o, is := object.(O); is {
			look(o)
		}
		return nil
	}
}

// MaxLiveList is how many bytes of memory a list of objects may take that was read from the API server. A benchmark of
// 128 clients takes less. A longer list was forged.
const MaxLiveList = 4 << 20

// errEnough ends a list that takes as much memory, or has as many objects of others, as it may.
var errEnough = errors.New("a list has as much as it may")

// maxUnwanted is how many objects of others a list reads before it ends. Anybody can set the labels of a benchmark, and
// may make any number of claims. A pass that reads all of them holds up benchmarks of other namespaces.
const maxUnwanted = 1000

// ListLive reads objects from the API server, a few at a time. It keeps the wanted ones, as many as may be in memory,
// and leaves of each what the operator reads of it. It reports whether the list is complete: it ends early where it
// takes too much memory, or has too many objects that are not wanted.
func ListLive[L any, O client.Object, List interface {
	*L
	client.ObjectList
}](
	ctx context.Context, live client.Reader, list List, wanted func(O) bool, options ...client.ListOption,
) (isComplete bool, err error) {
	var all []runtime.Object
	weight, unwanted := 0, 0
	empty := func() client.ObjectList { return List(new(L)) }
	err = EachLive(ctx, tryingTwice{live}, Forever, empty, func(object O) error {
		Trim(object)
		if !wanted(object) {
			if unwanted++; unwanted > maxUnwanted {
				return errEnough
			}
			return nil
		}
		all = append(all, object)
		if weight += WeightOf(object); weight > MaxLiveList {
			return errEnough
		}
		return nil
	}, options...)
	if err != nil && !errors.Is(err, errEnough) {
		return false, err
	}
	return err == nil, meta.SetList(list, all)
}

// UnlessGone wraps an error, and drops one that says that the object is gone: then somebody else was faster.
func UnlessGone(err error, doing string) error {
	if err = client.IgnoreNotFound(err); err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, err)
}

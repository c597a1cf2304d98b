package controllers

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// liveAtOnce is how many objects the API server is asked for in a call: a tenant may have filled the 1.5 MiB that each may have.
const liveAtOnce = 50

// listLive reads objects from the API server, a few at a time, and leaves of each what the operator reads of it.
func listLive[L any, List interface {
	*L
	client.ObjectList
}](ctx context.Context, live client.Reader, list List, options ...client.ListOption) error {
	options = append(slices.Clone(options), client.Limit(liveAtOnce))
	var all []runtime.Object
	for next := ""; ; {
		page := List(new(L))
		if err := live.List(ctx, page, append(slices.Clone(options), client.Continue(next))...); err != nil {
			return err
		}
		err := meta.EachListItem(page, func(object runtime.Object) error {
			_, err := Trim(object)
			all = append(all, object)
			return err
		})
		if err != nil {
			return err
		}
		if next = page.GetContinue(); next == "" {
			return meta.SetList(list, all)
		}
	}
}

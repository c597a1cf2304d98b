package world

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// client.MergeFrom compares all of both versions, decoded: to write one condition of a large status took it 8.7 MiB.
// The patches here write what the operator changes. A status is compared as text, field by field: 5.3 MiB.

// StatusPatch writes those fields of the status that have changed. All of them are values or lists, which a merge patch
// replaces as a whole. It fails onto any other version than the one that was read.
type StatusPatch struct{ Before *v1alpha1.StorageBenchmark }

// Type implements client.Patch.
func (StatusPatch) Type() types.PatchType { return types.MergePatchType }

// Data implements client.Patch.
func (p StatusPatch) Data(after client.Object) ([]byte, error) {
	sb, is := after.(*v1alpha1.StorageBenchmark)
	if !is {
		return nil, fmt.Errorf("a %T has no status of a benchmark", after)
	}
	changed, err := changedFields(p.Before.Status, sb.Status)
	if err != nil {
		return nil, fmt.Errorf("compare statuses: %w", err)
	}
	patch := map[string]any{"metadata": map[string]string{"resourceVersion": p.Before.ResourceVersion}}
	if len(changed) > 0 {
		patch["status"] = changed
	}
	return json.Marshal(patch)
}

// changedFields returns those fields, as text, that differ between two structs, null for those that are gone.
func changedFields(before, after any) (map[string]json.RawMessage, error) {
	had, err := textFields(before)
	if err != nil {
		return nil, err
	}
	changed, err := textFields(after)
	if err != nil {
		return nil, err
	}
	for name, text := range had {
		switch now, has := changed[name]; {
		case !has:
			changed[name] = json.RawMessage("null")
		case bytes.Equal(text, now):
			delete(changed, name)
		}
	}
	return changed, nil
}

// textFields returns the fields of a struct as text.
func textFields(value any) (map[string]json.RawMessage, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	fields := map[string]json.RawMessage{}
	return fields, json.Unmarshal(text, &fields)
}

// PatchFinalizers writes the finalizers of the benchmark, unless it is another version than the one that was read.
func (w *World) PatchFinalizers(ctx context.Context, sb *v1alpha1.StorageBenchmark) error {
	return w.PatchMeta(ctx, sb, map[string]any{"resourceVersion": sb.ResourceVersion, "finalizers": sb.Finalizers})
}

// PatchMeta changes metadata of an object, unless another one has taken its name. The object becomes what the API
// server answers.
func (w *World) PatchMeta(ctx context.Context, object client.Object, changes map[string]any) error {
	changes["uid"] = object.GetUID()
	patch, err := json.Marshal(map[string]any{"metadata": changes})
	if err != nil {
		return err
	}
	return w.Client.Patch(ctx, object, client.RawPatch(types.MergePatchType, patch))
}

// DropFinalizer removes a finalizer of the benchmark.
func (w *World) DropFinalizer(ctx context.Context, sb *v1alpha1.StorageBenchmark, finalizer string) error {
	without := sb.DeepCopy()
	controllerutil.RemoveFinalizer(without, finalizer)
	return w.PatchFinalizers(ctx, without)
}

// ApplyOptions make the operator the owner of the fields that it sets, whoever set them before.
var ApplyOptions = []client.ApplyOption{client.FieldOwner(v1alpha1.ManagedBy), client.ForceOwnership}

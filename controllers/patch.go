package controllers

import (
	"bytes"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// client.MergeFrom compares all of both versions, decoded: to write one condition of a large status took it 8.7 MiB. The patches here write what the
// operator changes, and compare it as text, field by field: 5.3 MiB. Both fail onto any other version than the one that was read.

// versioned is what all patches have: the version that was read, and what is changed.
type versioned struct {
	Metadata patchedMeta                `json:"metadata"`
	Status   map[string]json.RawMessage `json:"status,omitempty"`
}

type patchedMeta struct {
	ResourceVersion string    `json:"resourceVersion"`
	Finalizers      *[]string `json:"finalizers,omitempty"`
}

// statusPatch writes those fields of the status that have changed. All of them are values or lists, which a merge patch replaces as a whole.
type statusPatch struct{ before *v1alpha1.StorageBenchmark }

// Type implements client.Patch.
func (statusPatch) Type() types.PatchType { return types.MergePatchType }

// Data implements client.Patch.
func (p statusPatch) Data(after client.Object) ([]byte, error) {
	sb, is := after.(*v1alpha1.StorageBenchmark)
	if !is {
		return nil, fmt.Errorf("a %T has no status of a benchmark", after)
	}
	changed, err := changedFields(p.before.Status, sb.Status)
	if err != nil {
		return nil, fmt.Errorf("compare statuses: %w", err)
	}
	return json.Marshal(versioned{Metadata: patchedMeta{ResourceVersion: p.before.ResourceVersion}, Status: changed})
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

// finalizersPatch writes the finalizers of a benchmark.
type finalizersPatch struct{ before *v1alpha1.StorageBenchmark }

// Type implements client.Patch.
func (finalizersPatch) Type() types.PatchType { return types.MergePatchType }

// Data implements client.Patch.
func (p finalizersPatch) Data(after client.Object) ([]byte, error) {
	finalizers := after.GetFinalizers()
	return json.Marshal(versioned{Metadata: patchedMeta{ResourceVersion: p.before.ResourceVersion, Finalizers: &finalizers}})
}

// Package gitops says how tools that apply a StorageBenchmark see it: by kstatus's own library, which Flux and Helm use, and by
// the script for Argo CD, in the Lua interpreter that Argo CD has.
package gitops

import (
	"fmt"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	lua "github.com/yuin/gopher-lua"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/config/argocd"
)

// Health is what a tool makes of an object, and what it tells users of it.
type Health struct {
	Status, Message string
}

// Seen is what each tool makes of a benchmark.
type Seen struct {
	Kstatus, ArgoCD Health
}

// See returns what the tools make of a benchmark.
func See(sb *v1alpha1.StorageBenchmark) (Seen, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(sb)
	if err != nil {
		return Seen{}, err
	}
	object := &unstructured.Unstructured{Object: content}
	object.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("StorageBenchmark"))
	result, err := status.Compute(object)
	if err != nil {
		return Seen{}, fmt.Errorf("kstatus: %w", err)
	}
	health, err := argoHealth(object.Object)
	if err != nil {
		return Seen{}, fmt.Errorf("config/argocd/health.lua: %w", err)
	}
	return Seen{Kstatus: Health{string(result.Status), result.Message}, ArgoCD: health}, nil
}

// argoHealth runs the script as Argo CD does: with the object as obj, and no library that reaches out.
func argoHealth(object map[string]any) (Health, error) {
	state := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer state.Close()
	for _, open := range []lua.LGFunction{lua.OpenBase, lua.OpenTable, lua.OpenString} {
		state.Push(state.NewFunction(open))
		state.Call(0, 0)
	}
	state.SetGlobal("obj", luaValue(state, object))
	if err := state.DoString(argocd.Health); err != nil {
		return Health{}, err
	}
	returned, ok := state.Get(-1).(*lua.LTable)
	if !ok {
		return Health{}, fmt.Errorf("it returns %s, want a table", state.Get(-1).Type())
	}
	return Health{lua.LVAsString(returned.RawGetString("status")), lua.LVAsString(returned.RawGetString("message"))}, nil
}

// luaValue returns a JSON value as Lua has it.
func luaValue(state *lua.LState, value any) lua.LValue {
	switch value := value.(type) {
	case map[string]any:
		table := state.NewTable()
		for key, element := range value {
			table.RawSetString(key, luaValue(state, element))
		}
		return table
	case []any:
		table := state.NewTable()
		for _, element := range value {
			table.Append(luaValue(state, element))
		}
		return table
	case string:
		return lua.LString(value)
	case bool:
		return lua.LBool(value)
	case int64:
		return lua.LNumber(value)
	case float64:
		return lua.LNumber(value)
	default:
		return lua.LNil
	}
}

// Expect returns an error unless the tools see a benchmark as its condition Succeeded says.
func Expect(sb *v1alpha1.StorageBenchmark) error {
	succeeded := sb.Status.Condition(v1alpha1.ConditionSucceeded)
	kstatus, argo := status.InProgressStatus, "Progressing"
	switch {
	case succeeded.Status == metav1.ConditionTrue:
		kstatus, argo = status.CurrentStatus, "Healthy"
	case succeeded.Status == metav1.ConditionFalse:
		kstatus, argo = status.FailedStatus, "Degraded"
	case succeeded.Reason == v1alpha1.ReasonSuspended:
		kstatus, argo = status.CurrentStatus, "Suspended"
	}
	if !sb.DeletionTimestamp.IsZero() {
		kstatus = status.TerminatingStatus
	}
	got, err := See(sb)
	if err != nil {
		return err
	}
	if got.Kstatus.Status != string(kstatus) || got.ArgoCD.Status != argo {
		return fmt.Errorf("condition Succeeded is %s (%s), and tools see %+v, want %s and %s", succeeded.Status, succeeded.Reason, got, kstatus, argo)
	}
	if ended := succeeded.Status == metav1.ConditionTrue || succeeded.Status == metav1.ConditionFalse; ended != meta.IsStatusConditionTrue(sb.Status.Conditions, v1alpha1.ConditionFinished) {
		return fmt.Errorf("condition Succeeded is %s, and condition Finished is True: %t", succeeded.Status, !ended)
	}
	return nil
}

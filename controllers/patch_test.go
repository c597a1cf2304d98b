package controllers

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/test/builder"
)

// A patch of the status is the one that client.MergeFrom would make.
func TestStatusPatch(t *testing.T) {
	before := builder.OneRun("default", "sb").Build()
	before.ResourceVersion = "7"
	before.Status = v1alpha1.StorageBenchmarkStatus{
		StartTime: new(metav1.Now()), PlannedRuns: 2, Runs: []v1alpha1.Run{{Name: "a"}, {Name: "b"}}, StepStartTime: new(metav1.Now()),
		Targets: []v1alpha1.TargetStatus{{Name: "fast"}},
	}
	for name, change := range map[string]func(*v1alpha1.StorageBenchmark){
		"nothing":           func(*v1alpha1.StorageBenchmark) {},
		"a value":           func(sb *v1alpha1.StorageBenchmark) { sb.Status.FinishedRuns = 1 },
		"a part of a list":  func(sb *v1alpha1.StorageBenchmark) { sb.Status.Runs[1].State = v1alpha1.RunSucceeded },
		"what is not there": func(sb *v1alpha1.StorageBenchmark) { sb.Status.StepStartTime, sb.Status.PlannedRuns = nil, 0 },
		"nearly all":        func(sb *v1alpha1.StorageBenchmark) { sb.Status = v1alpha1.StorageBenchmarkStatus{PlannedRuns: 2} },
	} {
		t.Run(name, func(t *testing.T) {
			after := before.DeepCopy()
			change(after)
			want := patchOf(t, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}), after)
			if diff := cmp.Diff(want, patchOf(t, world.StatusPatch{Before: before}, after)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A patch of finalizers has the version as well, and the UID of the benchmark.
func TestPatchFinalizers(t *testing.T) {
	before := builder.OneRun("default", "sb").Build()
	before.ResourceVersion, before.UID = "7", "u1"
	for name, finalizers := range map[string][]string{"one": {v1alpha1.Finalizer}, "none": nil} {
		t.Run(name, func(t *testing.T) {
			from, after := before.DeepCopy(), before.DeepCopy()
			from.Finalizers, after.Finalizers = []string{"example.com/other"}, finalizers
			want := patchOf(t, client.MergeFromWithOptions(from, client.MergeFromWithOptimisticLock{}), after)
			if err := unstructured.SetNestedField(want, "u1", "metadata", "uid"); err != nil {
				t.Fatal(err)
			}
			sent := map[string]any{}
			c := fake.NewClientBuilder().WithInterceptorFuncs(interceptor.Funcs{
				Patch: func(_ context.Context, _ client.WithWatch, object client.Object, patch client.Patch, _ ...client.PatchOption) error {
					sent = patchOf(t, patch, object)
					return nil
				},
			}).Build()
			if err := (&world.World{Client: c}).PatchFinalizers(t.Context(), after); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, sent); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func patchOf(t *testing.T, patch client.Patch, after client.Object) (fields map[string]any) {
	t.Helper()
	text, err := patch.Data(after)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &fields); err != nil {
		t.Fatal(err)
	}
	return fields
}

// A merge patch replaces values and lists as a whole. It would leave what is gone of a struct or a map.
func TestStatusHasOnlyValuesAndLists(t *testing.T) {
	for field := range reflect.TypeFor[v1alpha1.StorageBenchmarkStatus]().Fields() {
		kind := field.Type
		if kind.Kind() == reflect.Pointer {
			kind = kind.Elem()
		}
		if kind != reflect.TypeFor[metav1.Time]() && (kind.Kind() == reflect.Struct || kind.Kind() == reflect.Map) {
			t.Errorf("status.%s is a %s: statusPatch has to compare what it has", field.Name, kind)
		}
	}
}

// To write one condition of the largest status takes little more than its text.
func TestStatusPatchTakesLittleMemory(t *testing.T) {
	const most = 8 << 20
	before := builder.OneRun("default", "sb").Build()
	for i := range 200 {
		run := v1alpha1.Run{Name: fmt.Sprint(i), Message: strings.Repeat("m", 1024)}
		for range 4 {
			io := &v1alpha1.Figures{Latency: &v1alpha1.Latency{}, CompletionLatency: &v1alpha1.LatencyDistribution{}}
			run.Sections = append(run.Sections, v1alpha1.SectionResult{Name: "s", Result: v1alpha1.Result{Figures: v1alpha1.ListOf(io.As(v1alpha1.OperationRead), io.As(v1alpha1.OperationWrite))}})
		}
		before.Status.Runs = append(before.Status.Runs, run)
	}
	after := before.DeepCopy()
	after.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionSucceeded}}
	var text []byte
	taken := uint64(math.MaxUint64)
	for range 5 { // others of this process allocate as well
		var was, is runtime.MemStats
		var err error
		runtime.ReadMemStats(&was)
		if text, err = (world.StatusPatch{Before: before}).Data(after); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&is)
		taken = min(taken, is.TotalAlloc-was.TotalAlloc)
	}
	t.Logf("%d KiB for a patch of %d bytes", taken>>10, len(text))
	if taken > most || len(text) > 1024 {
		t.Errorf("%d bytes, want at most %d", taken, most)
	}
}

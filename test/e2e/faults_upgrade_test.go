//go:build e2e

package e2e

import (
	"context"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// A newer version brings a schema with more fields, and finds benchmarks under way whose status lacks what older ones did
// not write. The run goes on, and what it made is removed.
func TestUpgradeUnderARun(t *testing.T) {
	sideBySide(t, shares(theFileSystem))
	f := begin(t, &fault{
		section: faultsOfWorkload, name: "The CRD is upgraded during a run, and the status lacks fields",
		does: "adds a field to the CRD, and removes optional fields from status.targets", ends: v1alpha1.ReasonCompleted, bound: 75 * time.Second,
	})
	t.Cleanup(func() { wantNoFiles(t, fileSystemDirectory) })
	sb := benchmark(t, "upgraded", onFileSystem(t), lasting(10))
	create(t, sb)
	runningPod(t, sb)
	f.strike()
	addField(t, "inALaterVersion")
	forgetOptionalFields(t, sb)
	done := f.end(t, sb)
	if run := done.Status.Runs[0]; run.Attempts != 1 || run.Result == nil {
		t.Errorf("run = %+v", run)
	}
	if got := done.Status.Targets[0]; got.TestFiles != v1alpha1.TestFilesRemoved || len(got.Volumes) != 1 {
		t.Errorf("target = %+v", got)
	}
}

// addField adds an optional field to the status of the CRD until the test ends, and waits until it is served.
func addField(t *testing.T, name string) {
	t.Helper()
	at := []string{"schema", "openAPIV3Schema", "properties", "status", "properties", name}
	change := func(ctx context.Context, change func(version map[string]any)) error {
		return retry.RetryOnConflict(retry.DefaultRetry, func() error {
			crd := &unstructured.Unstructured{}
			crd.SetGroupVersionKind(schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"})
			if err := k8s.Get(ctx, clientKey("storagebenchmarks.storagebench.dev"), crd); err != nil {
				return err
			}
			versions, _, err := unstructured.NestedSlice(crd.Object, "spec", "versions")
			if err != nil {
				return err
			}
			for _, version := range versions {
				change(version.(map[string]any))
			}
			if err := unstructured.SetNestedSlice(crd.Object, versions, "spec", "versions"); err != nil {
				return err
			}
			return k8s.Update(ctx, crd)
		})
	}
	t.Cleanup(func() {
		err := change(context.WithoutCancel(t.Context()), func(version map[string]any) { unstructured.RemoveNestedField(version, at...) })
		if err != nil {
			t.Errorf("restore the CRD: %v", err)
		}
	})
	err := change(t.Context(), func(version map[string]any) {
		field := map[string]any{"type": "string", "description": "A field of a later version."}
		if err := unstructured.SetNestedMap(version, field, at...); err != nil {
			t.Errorf("add a field: %v", err)
		}
	})
	if err != nil {
		t.Fatalf("change the CRD: %v", err)
	}
	eventually(t.Context(), t, "the new schema to be served", func(ctx context.Context) (bool, error) {
		text, err := clientset.Discovery().RESTClient().Get().AbsPath("/openapi/v3/apis/storagebench.dev/v1alpha1").DoRaw(ctx)
		return strings.Contains(string(text), name), err
	})
}

// forgetOptionalFields removes from the status what an older operator may not have written.
func forgetOptionalFields(t *testing.T, sb *v1alpha1.StorageBenchmark) {
	t.Helper()
	err := retry.OnError(retry.DefaultRetry, apierrors.IsConflict, func() error {
		current := &v1alpha1.StorageBenchmark{}
		if err := k8s.Get(t.Context(), client.ObjectKeyFromObject(sb), current); err != nil {
			return err
		}
		patch := client.MergeFromWithOptions(current.DeepCopy(), client.MergeFromWithOptimisticLock{})
		for i := range current.Status.Targets {
			target := &current.Status.Targets[i]
			target.TestFiles, target.ClientLimits, target.Limits, target.ProvisionedMilliseconds, target.Volumes = "", nil, nil, nil, nil
		}
		return k8s.Status().Patch(t.Context(), current, patch)
	})
	if err != nil {
		t.Fatalf("forget fields of the status: %v", err)
	}
}

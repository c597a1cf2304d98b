package controllers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/clean"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/pvc"
	"github.com/storagebench/storagebench/controllers/workers"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/internal/cleanup"
	"github.com/storagebench/storagebench/internal/storage"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
)

// listing returns a pass over a benchmark that is being deleted, in a cluster with these objects, and the kinds of
// lists that the pass requests.
func listing(sb *v1alpha1.StorageBenchmark, objects ...client.Object) (*pass.Pass, *[]string) {
	var asked []string
	cluster := fake.NewClientBuilder().WithScheme(envtest.Scheme()).WithObjects(objects...).Build()
	live := interceptor.NewClient(cluster, interceptor.Funcs{
		List: func(ctx context.Context, way client.WithWatch, list client.ObjectList, options ...client.ListOption) error {
			asked = append(asked, fmt.Sprintf("%T", list))
			return way.List(ctx, list, options...)
		},
	})
	sb.DeletionTimestamp, sb.Finalizers = at(0), []string{v1alpha1.Finalizer}
	p := passOver(&Reconciler{Client: cluster, Live: live}, sb)
	p.Now = *at(0)
	return p, &asked
}

// madeFor returns what the operator writes on a child of a benchmark in a role.
func madeFor(sb *v1alpha1.StorageBenchmark, name, role string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Namespace: sb.Namespace, Name: name, UID: "uid-of-child", OwnerReferences: []metav1.OwnerReference{builder.OwnedBy(sb)},
		Labels:      childmeta.Labels(sb, v1alpha1.LabelRole, role, v1alpha1.LabelAttempt, "1", v1alpha1.LabelClient, "0", v1alpha1.LabelTarget, "fast"),
		Annotations: map[string]string{v1alpha1.AnnotationRun: "reads.fast"},
	}
}

// A step of clean-up asks for the Jobs once, and for the pods once, and removes of each role what is asked for. Who
// asks for anchors alone reads no other pods.
func TestListsOfAPass(t *testing.T) {
	sb := builder.OneRun("default", "sb").Build()
	sb.UID = "u"
	sb.Status.Anchors = []v1alpha1.Anchor{{Attempts: 1}}
	run := &batchv1.Job{ObjectMeta: madeFor(sb, childmeta.RunName(sb, "reads.fast", 1, 0), v1alpha1.RoleRun)}
	cleaner := &batchv1.Job{ObjectMeta: madeFor(sb, childmeta.CleanUpName(sb, "fast", 0), v1alpha1.RoleCleanUp)}
	holds := &corev1.Pod{ObjectMeta: madeFor(sb, childmeta.AnchorName(sb, 0, 1), v1alpha1.RoleAnchor)}
	const jobs, pods = "*v1.JobList", "*v1.PodList"

	p, asked := listing(sb.DeepCopy(), run, cleaner, holds)
	p.SB.DeletionTimestamp = nil // it goes on
	if left, err := workers.RemoveAnchors(t.Context(), p); err != nil || len(left) != 1 || !slices.Equal(*asked, []string{pods}) {
		t.Errorf("anchors alone: left %+v, asked for %q, %v", left, *asked, err)
	}

	p, asked = listing(sb.DeepCopy(), run, cleaner, holds)
	for name, remove := range map[string]func() error{
		"Job " + run.Name: func() error {
			return removed(workers.RemoveJobs(t.Context(), p, client.MatchingLabels{v1alpha1.LabelRole: v1alpha1.RoleRun}))
		},
		"Job " + cleaner.Name: func() error {
			return removed(workers.RemoveJobs(t.Context(), p, client.MatchingLabels{v1alpha1.LabelRole: v1alpha1.RoleCleanUp, v1alpha1.LabelTarget: "fast"}))
		},
	} {
		if err := remove(); err == nil || err.Error() != name {
			t.Errorf("removed are %v, want %s", err, name)
		}
	}
	if err := removed(workers.RemoveAnchors(t.Context(), p)); err == nil || err.Error() != "pod "+holds.Name {
		t.Errorf("removed are %v", err)
	}
	if !slices.Equal(*asked, []string{jobs, pods}) {
		t.Errorf("asked for %q", *asked)
	}
}

// A Job that removes test files may be made in the pass that gives them up. It is removed all the same.
func TestSweepLooksAgain(t *testing.T) {
	sb := builder.NewBenchmark("default", "sb").Target(builder.NewClaimTarget("fast", "mine")).Workload(builder.NewWorkload("reads")).Build()
	sb.UID = "u"
	p, _ := listing(sb)
	if left, err := clean.Remove(t.Context(), p); err != nil || len(left) > 0 {
		t.Fatalf("left %+v, %v", left, err)
	}
	if _, err := clean.MakeCleaner(t.Context(), p, &sb.Spec.Targets[0], 0); err != nil {
		t.Fatal(err)
	}
	if err := removed(clean.RemovePods(t.Context(), p)); err == nil || err.Error() != "Job "+childmeta.CleanUpName(sb, "fast", 0) {
		t.Errorf("removed are %v", err)
	}
}

// A clean-up Job was seen to be gone before it was made. It is found all the same, also if it has lost its labels since.
func TestCleanerThatLostItsLabelsIsRemoved(t *testing.T) {
	target := builder.NewClaimTarget("fast", "mine")
	sb := builder.NewBenchmark("default", "sb").Target(target).Workload(builder.NewWorkload("reads")).Build()
	sb.UID = "u"
	p, _ := listing(sb)
	if left, err := clean.RemovePods(t.Context(), p); err != nil || len(left) > 0 || p.Memory.Gone.Len() == 0 {
		t.Fatalf("left %+v, gone %v, %v", left, p.Memory.Gone, err)
	}
	if _, err := clean.MakeCleaner(t.Context(), p, &sb.Spec.Targets[0], 0); err != nil {
		t.Fatal(err)
	}
	cleaner := &batchv1.Job{}
	name := client.ObjectKey{Namespace: "default", Name: childmeta.CleanUpName(sb, "fast", 0)}
	if err := p.World.Client.Get(t.Context(), name, cleaner); err != nil {
		t.Fatal(err)
	}
	cleaner.Labels = nil
	if err := p.World.Client.Update(t.Context(), cleaner); err != nil {
		t.Fatal(err)
	}
	if err := removed(clean.RemovePods(t.Context(), p)); err == nil || err.Error() != "Job "+name.Name {
		t.Errorf("removed are %v", err)
	}
}

// Few claims are asked for by their names, more with all others of the namespace. Those of others are not among them,
// and all are in the order of their names.
func TestLiveClaims(t *testing.T) {
	for clients, lists := range map[int32]int{1: 0, pvc.FewClaims: 0, pvc.FewClaims + 1: 1} {
		sb := builder.OneRun("default", "sb").With(func(sb *v1alpha1.StorageBenchmark) { sb.UID, sb.Spec.Clients = "u", &clients }).Build()
		names := storage.ClaimNames(sb, &sb.Spec.Targets[0])
		objects := []client.Object{claimOf("default", "theirs", nil)}
		for _, name := range names[1:] { // the first is gone
			objects = append(objects, claimOf("default", name, nil))
		}
		p, asked := listing(sb, objects...)
		claims, err := pvc.LiveClaims(t.Context(), p)
		var found []string
		for i := range claims {
			found = append(found, claims[i].Name)
		}
		want := slices.Sorted(slices.Values(names[1:]))
		if err != nil || !slices.Equal(found, want) || len(*asked) != lists {
			t.Errorf("of %d clients: %q, asked for %q, %v, want %q", clients, found, *asked, err, want)
		}
	}
}

// In a namespace with very many claims those of the benchmark are read by their names.
func TestLiveClaimsAmongVeryMany(t *testing.T) {
	clients := int32(pvc.FewClaims + 1)
	sb := builder.OneRun("default", "sb").With(func(sb *v1alpha1.StorageBenchmark) { sb.UID, sb.Spec.Clients = "u", &clients }).Build()
	var objects []client.Object
	for i := range 1100 {
		objects = append(objects, claimOf("default", fmt.Sprintf("a-%04d", i), nil))
	}
	names := storage.ClaimNames(sb, &sb.Spec.Targets[0])
	for _, name := range names {
		objects = append(objects, claimOf("default", name, nil))
	}
	p, asked := listing(sb, objects...)
	claims, err := pvc.LiveClaims(t.Context(), p)
	if err != nil || len(claims) != len(names) || len(*asked) != 1 {
		t.Errorf("%d claims of %d after %d lists, %v", len(claims), len(names), len(*asked), err)
	}
}

// A claim may name a volume by a text of a MiB, which is more than a request for it may have. There is no such volume.
func TestVolumeOfALongName(t *testing.T) {
	w := newWorldWithoutOperator(t)
	p := passOver(&Reconciler{Client: w.Client, Live: w.Client}, builder.OneRun(w.Namespace, "sb").Build())
	for _, length := range []int{world.MaxName, world.MaxName + 1, 1 << 20} {
		volume, err := p.World.LiveVolume(t.Context(), strings.Repeat("v", length), "get volume")
		if err != nil || volume.Name != "" {
			t.Errorf("of a name of %d bytes: %v, %.300v", length, volume.Name, err)
		}
	}
}

// removed returns an error that names what is left of a step, which it has deleted.
func removed(left []cleanup.Leftover, err error) error {
	if err != nil || len(left) == 0 {
		return err
	}
	return errors.New(cleanup.Names(left))
}

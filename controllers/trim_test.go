package controllers

import (
	"encoding/json"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pvc"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/owned"
	"github.com/storagebench/storagebench/test/builder"
)

// bloated fills all of an object that whoever makes it can fill.
func bloated(meta *metav1.ObjectMeta, spec *corev1.PodSpec) {
	filler := strings.Repeat("x", 1<<10)
	for i := range 100 {
		key := fmt.Sprintf("example.com/%d", i)
		metav1.SetMetaDataLabel(meta, "storagebench.dev/"+fmt.Sprint(i), filler[:63])
		metav1.SetMetaDataAnnotation(meta, key, filler)
		meta.Finalizers = append(meta.Finalizers, key)
		meta.OwnerReferences = append(meta.OwnerReferences, metav1.OwnerReference{Kind: "ConfigMap", Name: filler})
		meta.ManagedFields = append(meta.ManagedFields, metav1.ManagedFieldsEntry{Manager: filler})
		spec.Containers = append(spec.Containers, corev1.Container{Name: key, Image: filler})
		for c := range spec.Containers[:1] {
			spec.Containers[c].Env = append(spec.Containers[c].Env, corev1.EnvVar{Name: key, Value: filler})
			spec.Containers[c].Args = append(spec.Containers[c].Args, filler)
		}
		spec.InitContainers = append(spec.InitContainers, corev1.Container{Name: key, Image: filler})
		spec.Tolerations = append(spec.Tolerations, corev1.Toleration{Key: filler})
	}
}

// What anybody can write on objects with the operator's label takes none of its memory, and what the operator reads is
// still there.
func TestTrim(t *testing.T) {
	sb := builder.OneRun("default", "sb").Build()
	sb.UID = "u1"
	labels := childmeta.Labels(sb, v1alpha1.LabelRole, v1alpha1.RoleRun, v1alpha1.LabelTarget, "fast", v1alpha1.LabelAttempt, "1", v1alpha1.LabelClient, "0")
	metaOf := func(name string, owner *metav1.OwnerReference) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: "default", Name: name, UID: "j1", Labels: maps.Clone(labels), Annotations: map[string]string{v1alpha1.AnnotationRun: "randread.fast"}, OwnerReferences: []metav1.OwnerReference{*owner}}
	}
	byBenchmark := metav1.NewControllerRef(sb, v1alpha1.GroupVersion.WithKind("StorageBenchmark"))
	j := &batchv1.Job{ObjectMeta: metaOf(childmeta.RunName(sb, "randread.fast", 1, 0), byBenchmark)}
	pod := &corev1.Pod{ObjectMeta: metaOf(j.Name+"-abcde", metav1.NewControllerRef(j, batchv1.SchemeGroupVersion.WithKind("Job")))}
	pod.Spec.NodeName, pod.Spec.Containers = "node-a", []corev1.Container{{
		Name: job.MeasureContainer, Args: []string{"measure", "--layout"}, Env: []corev1.EnvVar{{Name: digest.PodVariable}},
		Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("64Mi")}},
	}}
	pod.Spec.SecurityContext = &corev1.PodSecurityContext{FSGroup: new(int64(65532)), SupplementalGroups: make([]int64, 1000)}
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: metaOf(childmeta.Name(sb, "fast"), byBenchmark)}
	metav1.SetMetaDataAnnotation(&claim.ObjectMeta, owned.ProvisionerAnnotation, "csi.fake")
	claim.Spec.VolumeName = "pv"
	bloated(&j.ObjectMeta, &j.Spec.Template.Spec)
	bloated(&j.Spec.Template.ObjectMeta, &j.Spec.Template.Spec)
	bloated(&pod.ObjectMeta, &pod.Spec)
	bloated(&claim.ObjectMeta, &corev1.PodSpec{})
	claim.Spec.Selector = &metav1.LabelSelector{MatchLabels: claim.Labels}

	for _, object := range []client.Object{j, pod, claim} {
		world.Trim(object)
		text, err := json.Marshal(object)
		if err != nil || len(text) > 2<<10 {
			t.Errorf("%T takes %d bytes: %v", object, len(text), err)
		}
	}

	if !owned.Job(sb, j) || !owned.PodOf(j, pod) || !owned.NamedPod(sb, pod) || !owned.Claim(sb, owned.ClaimTargets(sb), claim) {
		t.Errorf("they are not ours any more: %+v, %+v, %+v", j, pod, claim)
	}
	if pod.Spec.NodeName != "node-a" || !pvc.ChangesGroup(pod) || !job.LaysOutFirst(&pod.Spec) || !job.IsNamedInReport(&pod.Spec) || pod.Spec.Containers[0].Resources.Limits.Memory().String() != "64Mi" || claim.Spec.VolumeName != "pv" || claim.Annotations[owned.ProvisionerAnnotation] != "csi.fake" {
		t.Errorf("what is read is lost: %+v, %+v", pod.Spec, claim)
	}
}

// Of references and names the API server has no bounds, so what cannot be ours is not kept.
func TestTrimNamesThatNobodyHas(t *testing.T) {
	huge := strings.Repeat("x", 1<<20)
	meta := func() metav1.ObjectMeta {
		return metav1.ObjectMeta{
			Namespace: "default", Name: "o", SelfLink: huge, //nolint:staticcheck // As in trimMeta.
			Annotations: map[string]string{v1alpha1.AnnotationRun: huge},
			OwnerReferences: []metav1.OwnerReference{
				{Controller: new(true), Name: huge}, {Controller: new(true), Kind: huge}, {Controller: new(true), APIVersion: huge}, {Controller: new(true), UID: types.UID(huge)},
			},
		}
	}
	requests := corev1.ResourceList{}
	for i := range 10_000 {
		requests[corev1.ResourceName(fmt.Sprintf("example.com/%d", i))] = resource.MustParse("1")
	}
	for _, object := range []client.Object{
		&corev1.Pod{ObjectMeta: meta()}, &batchv1.Job{ObjectMeta: meta()},
		&corev1.PersistentVolumeClaim{ObjectMeta: meta(), Spec: corev1.PersistentVolumeClaimSpec{
			VolumeName: huge, DataSource: &corev1.TypedLocalObjectReference{Name: huge}, DataSourceRef: &corev1.TypedObjectReference{Name: huge},
			Resources: corev1.VolumeResourceRequirements{Requests: requests},
		}},
	} {
		world.Trim(object)
		if text, err := json.Marshal(object); err != nil || len(text) > 1<<10 {
			t.Errorf("%T takes %d bytes: %v", object, len(text), err)
		}
	}
}

// A benchmark that goes on and is very large is read anew by who needs it: the cache has its step, and by which pods it
// holds nodes.
func TestTrimLargeBenchmark(t *testing.T) {
	sb := builder.OneRun("default", "sb").With(func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Placement = &v1alpha1.Placement{NodeSelector: map[string]string{"example.com/filler": strings.Repeat("x", world.MaxCached)}}
		sb.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionUnknown, Reason: v1alpha1.ReasonMeasuring}}
		sb.Status.Anchors = []v1alpha1.Anchor{{Pod: "anchor"}}
	}).Build()
	whole := sb.DeepCopy()
	world.Trim(sb)
	if text, err := json.Marshal(sb); err != nil || len(text) > 2<<10 || !world.IsTrimmed(sb) {
		t.Errorf("it takes %d bytes: %v", len(text), err)
	}
	if diff := cmp.Diff([]any{whole.Status.Conditions, whole.Status.Anchors}, []any{sb.Status.Conditions, sb.Status.Anchors}); diff != "" {
		t.Errorf("it has lost (-want +got):\n%s", diff)
	}
	if world.IsTrimmed(whole) {
		t.Error("one that is whole passes for one that is not")
	}
}

// Of a benchmark that goes on the cache has all that decides; of one that has ended, how it did.
func TestTrimBenchmark(t *testing.T) {
	filler := strings.Repeat("x", 100<<10)
	sb := builder.OneRun("default", "sb").Build()
	sb.Spec.TTLSecondsAfterFinished = new(int32(60))
	sb.Annotations = map[string]string{"kubectl.kubernetes.io/last-applied-configuration": filler, v1alpha1.AnnotationHistoryKept: "true"}
	sb.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: filler}}
	sb.Labels = map[string]string{"example.com/filler": filler}
	sb.OwnerReferences = []metav1.OwnerReference{{Name: filler}}
	sb.Finalizers = []string{v1alpha1.Finalizer}
	now := new(metav1.Now())
	sb.Status = v1alpha1.StorageBenchmarkStatus{
		ObservedGeneration: 1, StartTime: now, Runs: []v1alpha1.Run{{Name: "randread.fast", Message: filler}},
		Conditions: []metav1.Condition{{Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionUnknown}},
	}
	goesOn := sb.DeepCopy()
	world.Trim(goesOn)
	if len(goesOn.Annotations) != 1 || len(goesOn.ManagedFields)+len(goesOn.Labels)+len(goesOn.OwnerReferences) > 0 {
		t.Errorf("of one that goes on there is %+v", goesOn.ObjectMeta)
	}
	if diff := cmp.Diff([]any{sb.Spec, sb.Status, sb.Finalizers}, []any{goesOn.Spec, goesOn.Status, goesOn.Finalizers}); diff != "" {
		t.Errorf("one that goes on has lost (-want +got):\n%s", diff)
	}
	ended := sb.DeepCopy()
	ended.Status.CompletionTime = now
	ended.Status.Conditions[0].Status = metav1.ConditionFalse
	for _, kind := range []string{v1alpha1.ConditionMeasured, v1alpha1.ConditionCleanedUp, v1alpha1.ConditionStalled} {
		ended.Status.Conditions = append(ended.Status.Conditions, metav1.Condition{
			Type: kind, Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonRunFailed, Message: filler[:world.MaxConditionMessage],
		})
	}
	before := ended.DeepCopy()
	world.Trim(ended)
	if text, err := json.Marshal(ended); err != nil || len(text) > 2<<10 {
		t.Errorf("one that has ended takes %d bytes: %v", len(text), err)
	}
	left, whole := timeLeft(ended), timeLeft(before)
	if c := ended.Status.Condition(v1alpha1.ConditionMeasured); c.Reason != v1alpha1.ReasonRunFailed || c.Message != "" {
		t.Errorf("one that has ended has condition %+v", c)
	}
	if before.Status.Condition(v1alpha1.ConditionMeasured).Message == "" {
		t.Error("the message was cut out of an object that is not the cache's")
	}
	if ended.Annotations[v1alpha1.AnnotationHistoryKept] != "true" {
		t.Error("one that has ended does not say that its point is kept")
	}
	if !ended.Status.HasEnded() || left != whole {
		t.Errorf("one that has ended has %v left, want %v", left, whole)
	}
}

func timeLeft(sb *v1alpha1.StorageBenchmark) time.Duration {
	left, _ := timeToLive(sb, sb.Status.CompletionTime.Time)
	return left
}

// What is dropped of an object leaves no memory behind: maps and slices of which things are deleted keep all of theirs.
func TestTrimFreesMemory(t *testing.T) {
	const objects, most = 8, 16 << 10
	labels := map[string]string{v1alpha1.LabelManagedBy: v1alpha1.ManagedBy}
	for i := range 40_000 {
		labels["a"+strconv.Itoa(i)] = ""
	}
	owner := metav1.OwnerReference{APIVersion: "v1", Kind: "K", Name: "n", UID: "u"}
	text, err := (&corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Labels: labels, OwnerReferences: slices.Repeat([]metav1.OwnerReference{owner}, 40_000)}}).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	before := heapInUse()
	var kept []*corev1.PersistentVolumeClaim
	for range objects {
		claim := &corev1.PersistentVolumeClaim{}
		if err := claim.Unmarshal(text); err != nil {
			t.Fatal(err)
		}
		world.Trim(claim)
		kept = append(kept, claim)
	}
	if each := (heapInUse() - before) / objects; each > most {
		t.Errorf("an object of %d bytes leaves %d in memory, want at most %d", len(text), each, most)
	}
	if len(kept[0].Labels) != 1 || len(kept[0].OwnerReferences) > 0 {
		t.Errorf("left are %v and %v", kept[0].Labels, kept[0].OwnerReferences)
	}
	runtime.KeepAlive(kept)
}

// heapInUse returns how many bytes are in use after garbage has been collected.
func heapInUse() int64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// What is left of a claim fits into the status, and what is longer than any name is not there.
func TestTrimLeavesWhatTheStatusTakes(t *testing.T) {
	longest := strings.Repeat("n", world.MaxName)
	for name, test := range map[string]struct{ has, want string }{
		"as long as can be": {longest, longest},
		"too long":          {longest + "n", ""},
	} {
		claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{owned.ProvisionerAnnotation: test.has}}}
		claim.Spec.VolumeName = test.has
		world.Trim(claim)
		if got := claim.Annotations[owned.ProvisionerAnnotation]; got != test.want {
			t.Errorf("%s: the driver has %d characters, want %d", name, len(got), len(test.want))
		}
		if got := claim.Spec.VolumeName; got != test.want {
			t.Errorf("%s: the volume has %d characters, want %d", name, len(got), len(test.want))
		}
	}
}

// What anybody can write beside the spec of a benchmark or a schedule takes little of the cache, whether it goes on or
// has ended.
func TestTrimMetadataOfBenchmarks(t *testing.T) {
	const most = 4 << 10
	bloat := func(meta *metav1.ObjectMeta) {
		meta.SelfLink = strings.Repeat("x", 1<<20) //nolint:staticcheck // As in trimMeta.
		meta.Finalizers = append(slices.Repeat([]string{"a/b"}, 200_000), v1alpha1.Finalizer)
	}
	for name, status := range map[string]metav1.ConditionStatus{"goes on": metav1.ConditionUnknown, "has ended": metav1.ConditionTrue} {
		sb := builder.OneRun("default", "sb").Build()
		sb.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionSucceeded, Status: status}}
		bloat(&sb.ObjectMeta)
		world.Trim(sb)
		if weight := world.WeightOf(sb); weight > most || !slices.Contains(sb.Finalizers, v1alpha1.Finalizer) {
			t.Errorf("one that %s weighs %d, with finalizers %.200v", name, weight, sb.Finalizers)
		}
	}
	schedule := &v1alpha1.StorageBenchmarkSchedule{}
	schedule.Spec.Template.Spec = builder.OneRun("", "").Build().Spec
	bloat(&schedule.ObjectMeta)
	world.Trim(schedule)
	if weight := world.WeightOf(schedule); weight > most || len(schedule.Spec.Template.Spec.Targets) == 0 {
		t.Errorf("a schedule weighs %d", weight)
	}
}

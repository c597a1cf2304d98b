package controllers

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/runtime/serializer/streaming"
	"k8s.io/apimachinery/pkg/types"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/rest/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
)

// sentKinds are all kinds that an API server sends.
func sentKinds(t *testing.T) *runtime.Scheme {
	t.Helper()
	scheme := envtest.NewScheme()
	if err := metav1.AddMetaToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	return scheme
}

// asSent is an object as an API server sends it.
func asSent(t *testing.T, object runtime.Object) []byte {
	t.Helper()
	scheme := sentKinds(t)
	kinds, _, err := scheme.ObjectKinds(object)
	if err != nil {
		t.Fatal(err)
	}
	object.GetObjectKind().SetGroupVersionKind(kinds[0])
	var text bytes.Buffer
	if err := protobuf.NewSerializer(scheme, scheme).Encode(object, &text); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

// slimmed is what is left of an object.
func slimmed(t *testing.T, object runtime.Object) runtime.Object {
	t.Helper()
	text, err := world.Slim(asSent(t, object))
	if err != nil {
		t.Fatal(err)
	}
	return received(t, text)
}

// received is what a client decodes.
func received(t *testing.T, text []byte) runtime.Object {
	t.Helper()
	scheme := sentKinds(t)
	object, _, err := protobuf.NewSerializer(scheme, scheme).Decode(text, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return object
}

func manyFields() metav1.ObjectMeta {
	at := metav1.NewTime(time.Unix(1_700_000_000, 0))
	return metav1.ObjectMeta{
		Name: "name", GenerateName: "generate-", Namespace: "namespace", UID: "uid", ResourceVersion: "7", Generation: 3,
		CreationTimestamp: at, DeletionTimestamp: &at, DeletionGracePeriodSeconds: new(int64(30)),
		Labels: map[string]string{v1alpha1.LabelRole: v1alpha1.RoleRun, "other": "a"}, Annotations: map[string]string{v1alpha1.AnnotationRun: "run", "other": "b"},
		OwnerReferences: []metav1.OwnerReference{
			{APIVersion: "v1", Kind: "Node", Name: "other", UID: "other"},
			{APIVersion: "v1", Kind: "Job", Name: "job", UID: "owner", Controller: new(true), BlockOwnerDeletion: new(true)},
		},
		Finalizers: []string{"a/b"}, ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "kubelet", FieldsV1: metav1.NewFieldsV1("{}")}},
	}
}

// slimMany is manyFields as it is left.
func slimMany() metav1.ObjectMeta {
	left := manyFields()
	left.Finalizers, left.ManagedFields, left.OwnerReferences = nil, nil, left.OwnerReferences[1:]
	delete(left.Labels, "other")
	delete(left.Annotations, "other")
	return left
}

func manyStatuses(state corev1.ContainerState) []corev1.ContainerStatus {
	return []corev1.ContainerStatus{
		{Name: "a", State: state, LastTerminationState: state, Ready: true, RestartCount: 2, Started: new(true)},
		{Name: "b", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "r", Message: "m"}}},
	}
}

// What the operator reads of an object is left of it, and no more.
func TestSlim(t *testing.T) {
	now := metav1.NewTime(time.Unix(1_700_000_001, 0))
	ended := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 3, Reason: "Error", Message: "digest", StartedAt: now, FinishedAt: now}}
	affinity := &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: make([]corev1.NodeSelectorTerm, 3)}}}
	status := corev1.PodStatus{
		Phase: corev1.PodRunning, Reason: "Evicted", Message: "message", StartTime: &now,
		Conditions:        []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse, Reason: "r", Message: "m", LastTransitionTime: now}},
		ContainerStatuses: manyStatuses(ended), InitContainerStatuses: manyStatuses(corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: now}}),
	}
	fullStatus := *status.DeepCopy()
	fullStatus.PodIPs, fullStatus.ContainerStatuses[0].ImageID = []corev1.PodIP{{IP: "10.0.0.1"}}, "image"
	limits := corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1Gi")}
	pod := &corev1.Pod{ObjectMeta: manyFields(), Status: fullStatus, Spec: corev1.PodSpec{
		NodeName: "node", Affinity: affinity, Volumes: []corev1.Volume{{Name: "v"}}, InitContainers: []corev1.Container{{Name: "init"}},
		SecurityContext: &corev1.PodSecurityContext{FSGroup: new(int64(65532)), RunAsUser: new(int64(1)), SupplementalGroups: []int64{2}},
		Containers: []corev1.Container{{
			Name: job.MeasureContainer, Image: "image", Args: []string{"--a", "b"}, Env: []corev1.EnvVar{{Name: "A", Value: "secret"}},
			Resources: corev1.ResourceRequirements{Limits: limits, Requests: limits},
		}},
	}}
	slimPod := &corev1.Pod{ObjectMeta: slimMany(), Status: status, Spec: corev1.PodSpec{
		NodeName: "node", SecurityContext: &corev1.PodSecurityContext{FSGroup: new(int64(65532))},
		Containers: []corev1.Container{{
			Name: job.MeasureContainer, Args: []string{"--a", "b"}, Env: []corev1.EnvVar{{Name: "A"}}, Resources: corev1.ResourceRequirements{Limits: limits},
		}},
	}}
	jobStatus := batchv1.JobStatus{
		Conditions: []batchv1.JobCondition{{Type: batchv1.JobComplete, Status: corev1.ConditionTrue, LastTransitionTime: now, LastProbeTime: now}},
		StartTime:  &now, CompletionTime: &now, Active: 1, Succeeded: 2, Failed: 3, Ready: new(int32(1)), Terminating: new(int32(1)),
	}
	fullJob := &batchv1.Job{ObjectMeta: manyFields(), Status: jobStatus, Spec: batchv1.JobSpec{
		Template: corev1.PodTemplateSpec{ObjectMeta: manyFields(), Spec: corev1.PodSpec{Affinity: affinity}}, Selector: &metav1.LabelSelector{},
	}}
	fullJob.Status.UncountedTerminatedPods = &batchv1.UncountedTerminatedPods{Succeeded: make([]types.UID, 3)}
	claimSpec := corev1.PersistentVolumeClaimSpec{
		AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteMany}, VolumeName: "pv", StorageClassName: new("class"),
		VolumeMode: new(corev1.PersistentVolumeBlock), VolumeAttributesClassName: new("fast"),
	}
	fullClaim := &corev1.PersistentVolumeClaim{ObjectMeta: manyFields(), Spec: *claimSpec.DeepCopy(), Status: corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimBound, Capacity: limits}}
	fullClaim.Spec.Selector = &metav1.LabelSelector{MatchExpressions: make([]metav1.LabelSelectorRequirement, 3)}
	event := &corev1.Event{ObjectMeta: slimMany(), Reason: "r", Message: "m", Type: "Warning", FirstTimestamp: now, LastTimestamp: now, EventTime: metav1.NewMicroTime(now.Time), Series: &corev1.EventSeries{Count: 3}}
	fullEvent := event.DeepCopy()
	fullEvent.ObjectMeta, fullEvent.Source.Component, fullEvent.InvolvedObject.Name = manyFields(), "kubelet", "pod"
	node := &corev1.Node{ObjectMeta: manyFields(), Spec: corev1.NodeSpec{PodCIDRs: []string{"10.0.0.0/8"}}}
	for name, test := range map[string]struct{ sent, want runtime.Object }{
		"pod":           {pod, slimPod},
		"pods":          {&corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "9", Continue: "next"}, Items: []corev1.Pod{*pod, {}}}, &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "9", Continue: "next"}, Items: []corev1.Pod{*slimPod, {}}}},
		"Job":           {fullJob, &batchv1.Job{ObjectMeta: slimMany(), Status: jobStatus, Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{ObjectMeta: slimMany()}}}},
		"claim":         {fullClaim, &corev1.PersistentVolumeClaim{ObjectMeta: slimMany(), Spec: claimSpec, Status: corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimBound}}},
		"event":         {fullEvent, event},
		"metadata":      {&metav1.PartialObjectMetadata{ObjectMeta: manyFields()}, &metav1.PartialObjectMetadata{ObjectMeta: slimMany()}},
		"another kind":  {node, node},
		"no containers": {&corev1.Pod{}, &corev1.Pod{}},
	} {
		t.Run(name, func(t *testing.T) {
			got := slimmed(t, test.sent)
			test.want.GetObjectKind().SetGroupVersionKind(test.sent.GetObjectKind().GroupVersionKind())
			got.GetObjectKind().SetGroupVersionKind(test.sent.GetObjectKind().GroupVersionKind())
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Whatever a tenant puts into a pod of a megabyte and more, little of it is decoded.
func TestSlimBoundsWhatInflates(t *testing.T) {
	const most = 64 << 10
	for name, fill := range map[string]func(*corev1.Pod){
		"terms": func(pod *corev1.Pod) {
			pod.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: make([]corev1.NodeSelectorTerm, 650_000)}}}
		},
		"owners": func(pod *corev1.Pod) {
			for range 85_000 {
				pod.OwnerReferences = append(pod.OwnerReferences, metav1.OwnerReference{APIVersion: "v1", Kind: "P", Name: "p", UID: "u", Controller: new(true)})
			}
		},
		"labels": func(pod *corev1.Pod) {
			pod.Labels = map[string]string{}
			for i := range 150_000 {
				pod.Labels[strconv.Itoa(i)] = ""
			}
		},
		"annotations": func(pod *corev1.Pod) {
			pod.Annotations = map[string]string{v1alpha1.AnnotationRun: "run"}
			for i := range 150_000 {
				pod.Annotations[strconv.Itoa(i)] = ""
			}
		},
		"containers": func(pod *corev1.Pod) {
			for i := range 22_000 {
				pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{Name: fmt.Sprint(i), Image: "i", TerminationMessagePath: "/dev/termination-log"})
			}
		},
		"arguments": func(pod *corev1.Pod) {
			pod.Spec.Containers = []corev1.Container{{Name: "a", Args: make([]string, 650_000)}}
		},
		"statuses": func(pod *corev1.Pod) {
			for i := range 50_000 {
				pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, corev1.ContainerStatus{Name: fmt.Sprint(i)})
			}
		},
		"conditions": func(pod *corev1.Pod) { pod.Status.Conditions = make([]corev1.PodCondition, 50_000) },
	} {
		t.Run(name, func(t *testing.T) {
			pod := &corev1.Pod{}
			fill(pod)
			sent := asSent(t, pod)
			if len(sent) < 500<<10 {
				t.Fatalf("%d bytes: this shows nothing", len(sent))
			}
			if left, err := world.Slim(sent); err != nil || len(left) > most {
				t.Errorf("of %d bytes %d are left: %v", len(sent), len(left), err)
			}
		})
	}
}

// The events of a watch come one after the other, each with less in it, however little is read at once.
func TestSlimFrames(t *testing.T) {
	var sent bytes.Buffer
	kinds := sentKinds(t)
	raw, whole := protobuf.NewRawSerializer(kinds, kinds), protobuf.NewSerializer(kinds, kinds)
	encoder := watch.NewEncoder(streaming.NewEncoder(protobuf.LengthDelimitedFramer.NewFrameWriter(&sent), raw), whole)
	for _, name := range []string{"a", "b"} {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.PodSpec{Hostname: "cut", NodeName: "kept"}}
		pod.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod"))
		if err := encoder.Encode(&apiwatch.Event{Type: apiwatch.Added, Object: pod}); err != nil {
			t.Fatal(err)
		}
	}
	half := iotest.HalfReader(&sent)
	body := &world.Framed{Next: func() ([]byte, error) { return world.SlimFrame(half) }}
	frames := protobuf.LengthDelimitedFramer.NewFrameReader(io.NopCloser(iotest.OneByteReader(body)))
	decoder := watch.NewDecoder(streaming.NewDecoder(frames, raw), whole)
	var names []string
	for range 2 {
		event, object, err := decoder.Decode()
		if err != nil {
			t.Fatal(err)
		}
		pod, ok := object.(*corev1.Pod)
		if !ok {
			t.Fatalf("%T is no pod", object)
		}
		names = append(names, string(event)+" "+pod.Name+" "+pod.Spec.NodeName+pod.Spec.Hostname)
	}
	if diff := cmp.Diff([]string{"ADDED a kept", "ADDED b kept"}, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, _, err := decoder.Decode(); !errors.Is(err, io.EOF) {
		t.Errorf("after the last event: %v", err)
	}
	if _, err := world.SlimFrame(bytes.NewReader([]byte{0xff, 0, 0, 0})); err == nil {
		t.Error("an event of 4 GB is read")
	}
}

// What a real API server answers to gets, lists and watches has less in it.
func TestSlimAnswersOfAnAPIServer(t *testing.T) {
	w := newWorldWithoutOperator(t)
	config := rest.CopyConfig(envtest.Config(t))
	world.SlimAnswers(config)
	c, err := client.NewWithWatch(config, client.Options{Scheme: envtest.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	events, err := c.Watch(t.Context(), &corev1.PodList{}, client.InNamespace(w.Namespace))
	if err != nil {
		t.Fatal(err)
	}
	defer events.Stop()
	pod := podWithAYear(builder.OneRun(w.Namespace, "sb").Build())
	pod.Spec.Hostname = "cut"
	create(w, pod)
	var got corev1.Pod
	var list corev1.PodList
	if err := errors.Join(c.Get(t.Context(), client.ObjectKeyFromObject(pod), &got), c.List(t.Context(), &list, client.InNamespace(w.Namespace))); err != nil {
		t.Fatal(err)
	}
	watched, ok := (<-events.ResultChan()).Object.(*corev1.Pod)
	if !ok || len(list.Items) != 1 {
		t.Fatalf("the watch has %v, the list %d pods", watched, len(list.Items))
	}
	for what, answer := range map[string]*corev1.Pod{"get": &got, "list": &list.Items[0], "watch": watched} {
		if answer.Name != pod.Name || answer.Spec.NodeName != pod.Spec.NodeName || answer.Spec.Hostname != "" || answer.ManagedFields != nil {
			t.Errorf("%s: the answer is %+v", what, answer)
		}
	}
}

// TestLiveClientCutsEachKind checks that the manager's client, which reads from a real API server, gets each kind of
// slimKinds as protobuf: what comes as JSON is not cut, and 1 MiB of it may take 10 MiB of memory.
func TestLiveClientCutsEachKind(t *testing.T) {
	w := newWorldWithoutOperator(t)
	config := rest.CopyConfig(envtest.Config(t))
	world.SlimAnswers(config)
	mgr, err := w.Manager(config, world.NewCaches(0).NewInformer)
	if err != nil {
		t.Fatal(err)
	}
	metadata := metav1.ObjectMeta{Namespace: w.Namespace, Name: "a", Labels: map[string]string{"example.com/other": "a"}}
	pod := podWithAYear(builder.OneRun(w.Namespace, "sb").Build())
	pod.ObjectMeta = metadata
	claim := claimOf(w.Namespace, "a", corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")})
	claim.ObjectMeta = metadata
	template := corev1.PodTemplateSpec{Spec: *pod.Spec.DeepCopy()}
	template.Spec.RestartPolicy = corev1.RestartPolicyNever
	objects := map[string]client.Object{
		"Pod": pod, "PersistentVolumeClaim": claim, "ConfigMap": &corev1.ConfigMap{ObjectMeta: metadata},
		"Job":   &batchv1.Job{ObjectMeta: metadata, Spec: batchv1.JobSpec{Suspend: new(true), Template: template}},
		"Event": &corev1.Event{ObjectMeta: metadata, InvolvedObject: corev1.ObjectReference{Namespace: w.Namespace}},
	}
	for _, object := range objects {
		create(w, object)
	}
	objects["PartialObjectMetadata"] = &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}}
	for kind := range world.SlimKinds {
		object := objects[kind]
		list := listOf(t, object)
		for what, err := range map[string]error{
			"get":  mgr.GetAPIReader().Get(t.Context(), client.ObjectKeyFromObject(pod), object),
			"list": mgr.GetAPIReader().List(t.Context(), list, client.InNamespace(w.Namespace)),
		} {
			if err != nil {
				t.Errorf("%s %s: %v", what, kind, err)
			}
		}
		listed, err := meta.ExtractList(list)
		if err != nil || len(listed) == 0 {
			t.Fatalf("the list of %s has %d: %v", kind, len(listed), err)
		}
		for _, got := range append(listed, object) {
			if o, is := got.(client.Object); !is || len(o.GetLabels()) > 0 || o.GetManagedFields() != nil {
				t.Errorf("%s is not cut, and so no protobuf: %+v", kind, got)
			}
		}
	}
}

// listOf returns an empty list of the kind of an object.
func listOf(t *testing.T, object client.Object) client.ObjectList {
	t.Helper()
	if metadata, is := object.(*metav1.PartialObjectMetadata); is {
		list := &metav1.PartialObjectMetadataList{TypeMeta: metadata.TypeMeta}
		list.Kind += "List"
		return list
	}
	kinds, _, err := envtest.Scheme().ObjectKinds(object)
	if err != nil {
		t.Fatal(err)
	}
	list, err := envtest.Scheme().New(kinds[0].GroupVersion().WithKind(kinds[0].Kind + "List"))
	if err != nil {
		t.Fatal(err)
	}
	return list.(client.ObjectList)
}

// What is no protobuf is an error, and not an object that lacks something.
func TestSlimRefusesWhatItCannotRead(t *testing.T) {
	sent := asSent(t, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a"}})
	if _, err := world.Slim(sent[:len(sent)-5]); err == nil {
		t.Error("half an object is one")
	}
	if got, err := world.Slim([]byte("{}")); err != nil || string(got) != "{}" {
		t.Errorf("another encoding: %s, %v", got, err)
	}
}

// Of the answer to an apply is left which object it is.
func TestSlimApplied(t *testing.T) {
	got, err := world.SlimApplied([]byte(`{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"a","namespace":"b","uid":"u","resourceVersion":"7","labels":{"a":"b"}},"spec":{"suspend":true}}`))
	want := `{"kind":"Job","apiVersion":"batch/v1","metadata":{"name":"a","namespace":"b","uid":"u","resourceVersion":"7"}}`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
}

// Of an event with much to say only what a condition can take is decoded, whatever its characters.
func TestSlimEvent(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"short":                        {"disk full", "disk full"},
		"as much as a condition takes": {strings.Repeat("e", world.MaxConditionMessage), strings.Repeat("e", world.MaxConditionMessage)},
		"long":                         {strings.Repeat("e", 1<<20), strings.Repeat("e", world.MaxConditionMessage)},
		"long, of long characters":     {"e" + strings.Repeat("é", 1<<19), "e" + strings.Repeat("é", world.MaxConditionMessage/2-4)},
	} {
		t.Run(name, func(t *testing.T) {
			event, is := slimmed(t, &corev1.Event{Reason: "Hostile", Message: test.text, Type: corev1.EventTypeWarning}).(*corev1.Event)
			if !is || event.Reason != "Hostile" || event.Type != corev1.EventTypeWarning {
				t.Fatalf("left is %v", event)
			}
			if !strings.HasPrefix(event.Message, test.want) || len(event.Message) > world.MaxConditionMessage {
				t.Errorf("left is a message of %d bytes, want %d", len(event.Message), len(test.want))
			}
		})
	}
}

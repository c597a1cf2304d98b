package hostile

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/fakecluster"
	"github.com/storagebench/storagebench/test/harness"
)

// kind is a kind of hostile objects.
type kind struct {
	name string
	// make makes the object of a number.
	make func(n *harness.World, i int)
	// pods decides what becomes of pods that measure. Without it they measure for ever.
	pods func(*corev1.Pod) fakecluster.Outcome
	// met says why the operator has not yet met what is hostile of a benchmark.
	met func(*v1alpha1.StorageBenchmark) error
	// disturb is what is done again and again with the objects.
	disturb func(ctx context.Context, n *harness.World)
}

// kinds are all kinds of hostile objects.
func kinds() []kind {
	return []kind{
		{name: "plans as large as can be", make: largePlan, met: isAt(v1alpha1.ReasonMeasuring, v1alpha1.ReasonInvalidSpec), disturb: touch},
		{name: "specs as large as can be", make: largeSpec, met: measures(), disturb: touch},
		{name: "affinities as large as can be", make: largeAffinity, met: hasBegun, disturb: touch},
		{name: "messages that inflate", make: manyRuns("messages"), pods: hostileMessage(), met: hasRun},
		{name: "logs of 8 MiB", make: manyRuns("logs"), met: hasRun, pods: func(*corev1.Pod) fakecluster.Outcome {
			return fakecluster.Succeed(builder.Report())
		}},
		{name: "Jobs and anchors that lose labels", make: manyRuns("labels"), met: isAt(v1alpha1.ReasonMeasuring), disturb: takeLabels},
		{name: "forged objects", make: forge, met: measures(), disturb: touch},
		{name: "pods and Jobs that inflate", make: inflate, met: isGone},
		{name: "events as large as can be", make: largeEvent, met: tellsOfEvents, disturb: touch},
		{name: "crowds of small objects", make: crowd, met: hasBegun, disturb: touch},
		{name: "statuses as large as can be", make: largeStatus, met: isAt(v1alpha1.ReasonCompleted), disturb: touch},
	}
}

// measures says why a benchmark does not measure. Of more benchmarks than the stand-in for a cluster acts out in a minute or two, it says why one has not begun.
func measures() func(*v1alpha1.StorageBenchmark) error {
	if objects() > 20 {
		return hasBegun
	}
	return isAt(v1alpha1.ReasonMeasuring)
}

// padding is what a tenant can add to any object: Kubernetes takes annotations of 256 KiB.
func padding(i int) map[string]string {
	return map[string]string{"tenant.example/padding": strings.Repeat(string(rune('a'+i%26)), 250<<10)}
}

func sharing(sb *v1alpha1.StorageBenchmark) {
	sb.Spec.Placement = &v1alpha1.Placement{Isolation: v1alpha1.IsolationNone}
}

// largePlan makes a benchmark with as many sections and cases as a plan may have, or of each third, with more.
func largePlan(n *harness.World, i int) {
	n.Helper()
	extent := []struct{ sections, sizes, depths int }{{250, 26, 1}, {32, 50, 4}, {250, 50, 4}}[i%3]
	var file strings.Builder
	file.WriteString("[global]\nrw=read\nsize=1M\ngroup_reporting\n")
	for section := range extent.sections {
		fmt.Fprintf(&file, "[%d]\n", section)
	}
	w := builder.NewJobFile("hostile", file.String())
	w.Matrix = map[string]v1alpha1.MatrixValues{}
	for choice := range extent.sizes {
		w.Matrix["bs"] = append(w.Matrix["bs"], intstr.FromInt(4096*(choice+1)))
	}
	for choice := range extent.depths {
		w.Matrix["iodepth"] = append(w.Matrix["iodepth"], intstr.FromInt(choice+1))
	}
	create(n, builder.NewBenchmark(n.Namespace, fmt.Sprintf("plan-%d", i)).Target(builder.NewTarget("a")).Workload(w).With(sharing).Build())
}

// largeSpec makes a benchmark of eight job files of 16 KiB each, which is all that the API admits, and with annotations. Each second one has many finalizers, of which each takes more memory than text.
func largeSpec(n *harness.World, i int) {
	n.Helper()
	b := builder.NewBenchmark(n.Namespace, fmt.Sprintf("spec-%d", i)).Target(builder.NewTarget("a")).With(sharing)
	for w := range 8 {
		file := "[global]\nrw=read\nsize=1M\n[a]\n"
		b.Workload(builder.NewJobFile(fmt.Sprintf("w%d", w), file+strings.Repeat("#\n", (16<<10-len(file))/2)))
	}
	create(n, b.With(func(sb *v1alpha1.StorageBenchmark) {
		sb.Annotations = padding(i)
		if i%2 == 1 {
			sb.Finalizers = slices.Repeat([]string{"a/b"}, 20_000)
		}
	}).Build())
}

// largeAffinity makes a benchmark with as much of an affinity as an object can have, which is refused, or of each second one, with what takes most
// memory of one that is not: many empty texts.
func largeAffinity(n *harness.World, i int) {
	n.Helper()
	extent := []struct{ terms, expressions, length int }{{1, 1, 4096}, {2, 32, 0}}[i%2]
	values := slices.Repeat([]string{strings.Repeat(string(rune('a'+i%26)), extent.length)}, 256)
	expression := corev1.NodeSelectorRequirement{Key: "kubernetes.io/hostname", Operator: corev1.NodeSelectorOpNotIn, Values: values}
	term := corev1.NodeSelectorTerm{MatchExpressions: slices.Repeat([]corev1.NodeSelectorRequirement{expression}, extent.expressions)}
	create(n, builder.OneRun(n.Namespace, fmt.Sprintf("affinity-%d", i)).With(func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Placement = &v1alpha1.Placement{Isolation: v1alpha1.IsolationNone, Affinity: &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: slices.Repeat([]corev1.NodeSelectorTerm{term}, extent.terms)},
		}}}
	}).Build())
}

// largeEvent makes an event about the claim of a benchmark, which waits for its volume and so asks for events.
func largeEvent(n *harness.World, i int) {
	n.Helper()
	if i == 0 {
		n.Cluster.OnClaim(func(*corev1.PersistentVolumeClaim) fakecluster.Provisioning { return fakecluster.Wait() })
		create(n, builder.OneRun(n.Namespace, "events").Deadlines(v1alpha1.Deadlines{ProvisioningSeconds: new(int32(86_400))}).Build())
	}
	var claims corev1.PersistentVolumeClaimList
	n.Eventually(func() error {
		if err := n.Client.List(n.Context(), &claims, client.InNamespace(n.Namespace)); err != nil || len(claims.Items) > 0 {
			return err
		}
		return errors.New("no claim is made")
	})
	claim := &claims.Items[0]
	create(n, &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Namespace: n.Namespace, Name: fmt.Sprintf("event-%d", i)},
		InvolvedObject: corev1.ObjectReference{APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: n.Namespace, Name: claim.Name, UID: claim.UID},
		Type:           corev1.EventTypeWarning, Reason: "Hostile", Message: strings.Repeat("e", 1<<20), LastTimestamp: metav1.Now(),
	})
}

// manyRuns returns a function that makes benchmarks of several runs.
func manyRuns(name string) func(n *harness.World, i int) {
	return func(n *harness.World, i int) {
		n.Helper()
		sb := builder.OneRun(n.Namespace, fmt.Sprintf("%s-%d", name, i)).With(sharing)
		create(n, sb.With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Repetitions = new(int32(4)) }).Build())
	}
}

// hostileMessage has pods leave messages that inflate.
func hostileMessage() func(*corev1.Pod) fakecluster.Outcome {
	bodies := hostileBodies()
	return func(pod *corev1.Pod) fakecluster.Outcome {
		return fakecluster.Say(messageOf(pod, bodies[int(pod.UID[0])%len(bodies)]))
	}
}

// messageOf returns a message that names its pod.
func messageOf(pod *corev1.Pod, body string) string {
	return "storagebench/v5:" + string(pod.UID) + ":" + body
}

// hostileBodies are of at most 4 KiB and inflate to 1 MiB each, of what a decoder may take for figures.
func hostileBodies() []string {
	long := func(element []byte) []byte { // an array that says how long it is, of the same element
		count := 900 << 10 / len(element)
		return append([]byte{0x9a, byte(count >> 24), byte(count >> 16), byte(count >> 8), byte(count)}, bytes.Repeat(element, count)...)
	}
	read := slices.Concat([]byte{0xa2, 1, 0x64}, []byte("read"), []byte{7, 0x83, 0, 0, 0x86, 0, 0, 0, 0, 0, 0})
	group := slices.Concat([]byte{0xa1, 6, 0x81}, read)
	var bodies []string
	for _, payload := range [][]byte{
		slices.Concat([]byte{0x82, 0xa1, 2}, long(group), []byte{0x80}),
		slices.Concat([]byte{0x82, 0xa1, 2, 0x81, 0xa1, 6}, long(read), []byte{0x80}),
		slices.Concat([]byte{0x82, 0xa0}, long([]byte{0x43, 0xc0, 0x0e, 0})),
		make([]byte, 2<<20),
	} {
		var out bytes.Buffer
		w, _ := flate.NewWriter(&out, flate.BestCompression)
		_, _ = w.Write(payload)
		_ = w.Close()
		bodies = append(bodies, base64.RawStdEncoding.EncodeToString(out.Bytes()))
	}
	return bodies
}

// takeLabels takes labels away by which the operator finds its Jobs, pods and anchors.
func takeLabels(ctx context.Context, n *harness.World) {
	none := map[string]any{"metadata": map[string]any{"labels": map[string]any{v1alpha1.LabelBenchmark: nil, v1alpha1.LabelRole: nil}}}
	var jobs batchv1.JobList
	var pods corev1.PodList
	mine := []client.ListOption{client.InNamespace(n.Namespace), client.HasLabels{v1alpha1.LabelBenchmark}}
	if n.Client.List(ctx, &jobs, mine...) != nil || n.Client.List(ctx, &pods, mine...) != nil {
		return
	}
	for i := range jobs.Items {
		disturb(ctx, n, &jobs.Items[i], none)
	}
	for i := range pods.Items {
		disturb(ctx, n, &pods.Items[i], none)
	}
}

// touch changes all benchmarks of the namespace, so that the operator makes a pass over each.
func touch(ctx context.Context, n *harness.World) {
	var list metav1.PartialObjectMetadataList
	list.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("StorageBenchmarkList"))
	if n.Client.List(ctx, &list, client.InNamespace(n.Namespace)) != nil {
		return
	}
	for i := range list.Items {
		sb := &v1alpha1.StorageBenchmark{ObjectMeta: metav1.ObjectMeta{Namespace: n.Namespace, Name: list.Items[i].Name}}
		disturb(ctx, n, sb, map[string]any{"metadata": map[string]any{"annotations": map[string]any{"touched": list.Items[i].ResourceVersion}}})
	}
}

// forge makes a benchmark, and a pod that says to hold a node, a claim and a Job that pass for its own, each as large as a tenant
// can make it.
func forge(n *harness.World, i int) {
	n.Helper()
	sb := create(n, builder.OneRun(n.Namespace, fmt.Sprintf("forged-%d", i)).With(sharing).Build())
	metadata := func(what string) metav1.ObjectMeta {
		return metav1.ObjectMeta{
			Namespace: n.Namespace, Name: fmt.Sprintf("forged-%s-%d", what, i), Annotations: padding(i),
			Labels: map[string]string{
				v1alpha1.LabelManagedBy: v1alpha1.ManagedBy, v1alpha1.LabelBenchmark: sb.Name, v1alpha1.LabelUID: string(sb.UID),
				v1alpha1.LabelHoldsNode: "true", v1alpha1.LabelRole: v1alpha1.RoleAnchor, v1alpha1.LabelAttempt: "1",
			},
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: v1alpha1.GroupVersion.String(), Kind: "StorageBenchmark", Name: sb.Name, UID: sb.UID, Controller: new(true),
			}},
		}
	}
	create(n, &corev1.Pod{ObjectMeta: metadata("pod"), Spec: restricted()})
	create(n, &batchv1.Job{ObjectMeta: metadata("job"), Spec: batchv1.JobSpec{
		Suspend: new(true), Template: corev1.PodTemplateSpec{Spec: restricted()},
	}})
	create(n, &corev1.PersistentVolumeClaim{ObjectMeta: metadata("claim"), Spec: corev1.PersistentVolumeClaimSpec{
		StorageClassName: new("none"), AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
		Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
	}})
}

// inflate makes a pod and a Job that pass for those of a benchmark, and take twenty times as much memory as they have bytes when they are
// decoded. Then it deletes the benchmark, whose clean-up lists them. There are few of them, at most a page and a little more: the operator
// reads them page by page, while the tests' API server keeps each in its memory, and takes seconds to make one.
func inflate(n *harness.World, i int) {
	n.Helper()
	sb := create(n, builder.OneRun(n.Namespace, fmt.Sprintf("inflated-%d", i)).With(sharing).Build())
	n.Until(sb, hasBegun)
	if i < 1+objects()/20 {
		spec := restricted()
		spec.Containers[0].Args = nil
		spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: make([]corev1.NodeSelectorTerm, 300_000)},
		}}
		metadata := metav1.ObjectMeta{
			Namespace: n.Namespace, Name: fmt.Sprintf("inflated-%d-forged", i),
			Labels: map[string]string{
				v1alpha1.LabelManagedBy: v1alpha1.ManagedBy, v1alpha1.LabelBenchmark: sb.Name, v1alpha1.LabelUID: string(sb.UID),
				v1alpha1.LabelRole: v1alpha1.RoleAnchor, v1alpha1.LabelAttempt: "1",
			},
		}
		create(n, &corev1.Pod{ObjectMeta: metadata, Spec: spec})
		create(n, &batchv1.Job{ObjectMeta: metadata, Spec: batchv1.JobSpec{Suspend: new(true), Template: corev1.PodTemplateSpec{Spec: spec}}})
	}
	n.Eventually(func() error { return unlessTransient(client.IgnoreNotFound(n.Client.Delete(n.Context(), sb))) })
}

// restricted is a pod that the Pod Security Standard "restricted" admits, with a megabyte of arguments.
func restricted() corev1.PodSpec {
	return corev1.PodSpec{
		RestartPolicy: corev1.RestartPolicyNever,
		NodeSelector:  map[string]string{"tenant.example/no-such-node": ""},
		SecurityContext: &corev1.PodSecurityContext{
			RunAsNonRoot: new(true), SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
		},
		Containers: []corev1.Container{{
			Name: job.AnchorContainer, Image: "tenant", Args: []string{strings.Repeat("x", 1<<20)},
			SecurityContext: &corev1.SecurityContext{
				AllowPrivilegeEscalation: new(false), Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
			},
		}},
	}
}

// largeStatus makes a benchmark that has ended, with a status of nearly 1 MiB: one of many runs and clients has that much.
func largeStatus(n *harness.World, i int) {
	n.Helper()
	sb := create(n, builder.OneRun(n.Namespace, fmt.Sprintf("status-%d", i)).Suspended().Build())
	now := new(metav1.Now())
	status := v1alpha1.StorageBenchmarkStatus{
		StartTime: now, CompletionTime: now, PlannedRuns: 200, FinishedRuns: 200,
		Conditions: []metav1.Condition{{Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonCompleted, LastTransitionTime: *now}},
	}
	for run := range 200 {
		status.Runs = append(status.Runs, v1alpha1.Run{
			Name: fmt.Sprintf("w.t.%d", run), Target: "fast", Workload: "randread", State: v1alpha1.RunSucceeded, Message: strings.Repeat("m", 1024),
			Sections: []v1alpha1.SectionResult{largeSection("a"), largeSection("b"), largeSection("c"), largeSection("d")},
		})
	}
	n.Eventually(func() error { return setStatus(n, sb, status) })
}

// setStatus replaces a benchmark's status. Of a patch the API server would decode and encode all of it once more.
func setStatus(n *harness.World, sb *v1alpha1.StorageBenchmark, status v1alpha1.StorageBenchmarkStatus) error {
	n.Helper()
	if err := n.Client.Get(n.Context(), client.ObjectKeyFromObject(sb), sb); err != nil {
		return unlessTransient(err)
	}
	sb.Status = status
	return unlessTransient(n.Client.Status().Update(n.Context(), sb))
}

func largeSection(name string) v1alpha1.SectionResult {
	const most = 99_999_999_999
	io := &v1alpha1.Figures{Count: most, Bytes: math.MaxInt64, MilliIOPS: 99_999_999_000, BytesPerSecond: 999_999_999_999, Latency: &v1alpha1.Latency{MeanNanoseconds: most, StddevNanoseconds: most}, CompletionLatency: &v1alpha1.LatencyDistribution{
		MinNanoseconds: most, P50Nanoseconds: most, P90Nanoseconds: most, P95Nanoseconds: most,
		P99Nanoseconds: most, P999Nanoseconds: most, P9999Nanoseconds: most, MaxNanoseconds: most,
	}}
	return v1alpha1.SectionResult{Name: name, Result: v1alpha1.Result{FioVersion: "fio-3.39", ElapsedMilliseconds: 86_400_000, Figures: v1alpha1.ListOf(io.As(v1alpha1.OperationRead), io.As(v1alpha1.OperationWrite))}}
}

// What is hostile of messages needs that the kubelet keeps them whole.
func TestHostileMessagesFit(t *testing.T) {
	for i, body := range hostileBodies() {
		if n := len(messageOf(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "01234567-89ab-cdef-0123-456789abcdef"}}, body)); n > digest.MaxBytes {
			t.Errorf("message %d has %d bytes", i, n)
		}
	}
}

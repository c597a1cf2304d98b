package controllers

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/result"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/fakecluster"
)

// threeClients is a benchmark of one workload by three clients on storage that is not shared and on storage that is.
func threeClients(w *testWorld) *builder.Benchmark {
	shared := builder.NewTarget("shared")
	shared.AccessMode = new(corev1.ReadWriteMany)
	return builder.NewBenchmark(w.Namespace, "sb").Target(builder.NewTarget("own")).Target(shared).Workload(builder.NewWorkload("reads")).
		With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Clients = new(int32(3)) })
}

// clientReport is the report of a client that is so many times as fast as the first, began so many milliseconds later
// and had heard of it so many milliseconds before.
func clientReport(times, later, margin int64) digest.Report {
	report := builder.Report()
	group := &report.Groups[0]
	group.JobStart = 1_700_000_000_000 + later
	group.Of(v1alpha1.OperationRead).MilliIOPS *= times
	report.Environment.StartMarginMilliseconds = margin
	return report
}

func clientOf(pod *corev1.Pod) string { return pod.Labels[v1alpha1.LabelClient] }

// All clients measure together, each from a node and, where storage is not shared, with a volume of its own; one result
// comes of it.
func TestClients(t *testing.T) {
	w := newWorld(t)
	type place struct{ Client, Node, Directory string }
	seen, starts := map[string][]place{}, map[string]map[string]bool{}
	w.Cluster.OnPod(func(pod *corev1.Pod) fakecluster.Outcome {
		run, start := pod.Annotations[v1alpha1.AnnotationRun], pod.Annotations[v1alpha1.AnnotationStartTime]
		if start != "" && pod.Status.Phase == corev1.PodRunning {
			if starts[run] == nil {
				starts[run] = map[string]bool{}
			}
			starts[run][start] = true
			args := pod.Spec.Containers[0].Args
			at := slices.IndexFunc(args, func(a string) bool { return strings.HasPrefix(a, "--directory=") })
			p := place{clientOf(pod), pod.Spec.NodeName, strings.TrimPrefix(args[at], "--directory="+job.MountPath+"/")}
			if !slices.Contains(seen[run], p) {
				seen[run] = append(seen[run], p)
			}
		}
		return fakecluster.Succeed(map[string]digest.Report{"0": clientReport(1, 20, 900), "1": clientReport(2, 0, 700), "2": clientReport(3, 130, 1900)}[clientOf(pod)])
	})
	sb := create(w, threeClients(w).With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.CleanupPolicy = v1alpha1.CleanupRetain }).Build())
	sb = w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted, "2 runs on 2 targets")

	directory := "storagebench-" + string(sb.UID)
	want := map[string][]place{
		"reads.own":    {{"0", "fake-node", directory}, {"1", "fake-node-1", directory}, {"2", "fake-node-2", directory}},
		"reads.shared": {{"0", "fake-node", directory + "/client-0"}, {"1", "fake-node-1", directory + "/client-1"}, {"2", "fake-node-2", directory + "/client-2"}},
	}
	if diff := cmp.Diff(want, seen, cmpopts.SortSlices(func(a, b place) bool { return a.Client < b.Client })); diff != "" {
		t.Errorf("who measured, from where and in which directory (-want +got):\n%s", diff)
	}
	for run, told := range starts {
		if len(told) != 1 {
			t.Errorf("the clients of run %s were told to start at %v", run, told)
		}
	}
	if own, shared := sb.Status.Targets[0], sb.Status.Targets[1]; len(own.Claims) != 3 || len(own.Volumes) != 3 || len(shared.Claims) != 1 || len(shared.Volumes) != 1 || len(w.claims()) != 4 {
		t.Errorf("targets are %+v, and there are %d claims", sb.Status.Targets, len(w.claims()))
	}
	for i, volume := range sb.Status.Targets[0].Volumes {
		if volume.Node != fakecluster.NodeOf(i) {
			t.Errorf("volume %d is measured from %s", i, volume.Node)
		}
	}
	for i := range sb.Status.Runs {
		checkMerged(w, sb, &sb.Status.Runs[i])
	}
	w.delete(sb)
	w.untilGone(sb)
}

// checkMerged checks what three clients make together that are one, two and three times as fast.
func checkMerged(w *testWorld, sb *v1alpha1.StorageBenchmark, run *v1alpha1.Run) {
	w.Helper()
	want := builder.Result()
	want.Clients, want.StartSkewMilliseconds, want.CommonMilliseconds = 3, new(int64(130)), 60005-130
	want.Of(v1alpha1.OperationRead).Count, want.Of(v1alpha1.OperationRead).Bytes, want.Of(v1alpha1.OperationRead).MilliIOPS, want.Of(v1alpha1.OperationRead).BytesPerSecond = 3000, 3*4096000, 18_290_994, 3*12484608
	want.Of(v1alpha1.OperationRead).PerClient = &v1alpha1.ClientSpread{MinMilliIOPS: 3_048_499, MaxMilliIOPS: 9_145_497, CoefficientOfVariation: "0.500"}
	// The deviation within the clients is all there is: their means are the same.
	ignoreDeviation := cmpopts.IgnoreFields(v1alpha1.Latency{}, "StddevNanoseconds")
	if diff := cmp.Diff(want, run.Result, ignoreDeviation); diff != "" {
		w.Errorf("result of run %s (-want +got):\n%s", run.Name, diff)
	}
	if run.Clients != 3 || run.AgreedStart == nil {
		w.Errorf("run is %+v", run)
	}
	reasons := map[string]string{}
	for _, warning := range run.Warnings {
		reasons[warning.Reason] = warning.Message
	}
	if message := reasons[v1alpha1.WarningStartSkew]; !strings.Contains(message, "3 clients began within 130 ms") {
		w.Errorf("warnings are %v", reasons)
	}
	if records := w.clientRecords(run.ClientsConfigMap); len(records) != 3 || records[2].Client != "client-2" || records[2].Node != fakecluster.NodeOf(2) ||
		records[2].Sections[0].Result.Of(v1alpha1.OperationRead).IOPS() != 9145 || len(records[2].Sections[0].Bins[v1alpha1.OperationRead]) != 2 {
		w.Errorf("records of the clients are %+v", records)
	}
	if logs := w.configMap(run.LogConfigMap).BinaryData; len(logs) != 3 || len(logs["fio.log.gz"]) == 0 || len(logs["fio.client-2.log.gz"]) == 0 {
		w.Errorf("logs of run %s are %d", run.Name, len(logs))
	}
	if strings.Contains(run.LimitedBy.Message, "volumes'") || sb.Status.Summary == "" {
		w.Errorf("limited by %+v, summary %q", run.LimitedBy, sb.Status.Summary)
	}
}

func (w *testWorld) configMap(name string) *corev1.ConfigMap {
	w.Helper()
	found := &corev1.ConfigMap{}
	if err := w.Client.Get(w.Context(), client.ObjectKey{Namespace: w.Namespace, Name: name}, found); err != nil {
		w.Fatal(err)
	}
	return found
}

// clientRecords returns what a ConfigMap says of each client.
func (w *testWorld) clientRecords(name string) []result.ClientRecord {
	w.Helper()
	r, err := gzip.NewReader(bytes.NewReader(w.configMap(name).BinaryData[childmeta.ClientsKey]))
	if err != nil {
		w.Fatal(err)
	}
	var records []result.ClientRecord
	if err := json.NewDecoder(r).Decode(&records); err != nil {
		w.Fatal(err)
	}
	return records
}

// Nobody is told to start before all clients wait for it.
func TestClientsWaitForEachOther(t *testing.T) {
	w := newWorld(t)
	w.Cluster.OnPod(func(pod *corev1.Pod) fakecluster.Outcome {
		if clientOf(pod) == "2" {
			return fakecluster.Hang(job.LayoutContainer)
		}
		return fakecluster.Succeed(builder.Report())
	})
	sb := create(w, threeClients(w).Build())
	w.untilStep(sb, v1alpha1.ReasonPreparing, "run reads.own (1 of 2) by 3 clients")
	w.Eventually(func() error { return wantRunning(w.runPods(), job.MeasureContainer, 2) })
	for _, pod := range w.runPods() {
		if pod.Annotations[v1alpha1.AnnotationStartTime] != "" {
			t.Errorf("client %s is told to start before client 2 waits", clientOf(&pod))
		}
	}
	if run := w.Get(sb).Status.Runs[0]; run.AgreedStart != nil {
		t.Errorf("a start is agreed: %v", run.AgreedStart)
	}
	w.Cluster.AllPods(fakecluster.Succeed(builder.Report()))
	w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
}

// wantRunning returns an error as long as the container does not run in so many of the pods.
func wantRunning(pods []corev1.Pod, container string, n int) error {
	running := 0
	for _, pod := range pods {
		if status := attempt.ContainerStatus(pod.Status.ContainerStatuses, container); status != nil && status.State.Running != nil {
			running++
		}
	}
	if running != n {
		return fmt.Errorf("container %s runs in %d pods, want %d", container, running, n)
	}
	return nil
}

// What goes wrong with one client ends the attempt for all: there is no result of survivors.
func TestOneClientGoesWrong(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		outcome fakecluster.Outcome
		// message is what the run says of its first attempt.
		message string
	}{
		{"late", fakecluster.Fail(digest.ExitLate, "the start had passed by 12 ms"), "attempt 1 was disrupted and is repeated: client-1 on node fake-node-1: the start had passed by 12 ms"},
		{"evicted", fakecluster.Evict(), "client-1 on node fake-node-1: TerminationByKubelet"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			w.Cluster.OnPod(func(pod *corev1.Pod) fakecluster.Outcome {
				switch {
				case pod.Labels[v1alpha1.LabelAttempt] == "2":
					return fakecluster.Hang(job.MeasureContainer)
				case clientOf(pod) == "1":
					return test.outcome
				default:
					return fakecluster.Succeed(builder.Report())
				}
			})
			sb := create(w, threeClients(w).Build())
			sb = w.untilStep(sb, v1alpha1.ReasonMeasuring, "run reads.own (1 of 2) by 3 clients, attempt 2")
			w.Eventually(func() error { return wantRunning(w.runPods(), job.MeasureContainer, 3) })
			run := sb.Status.Runs[0]
			if !strings.Contains(run.Message, test.message) || run.Result != nil || run.Disruptions != 1 {
				t.Errorf("run is %+v", run)
			}
			for _, pod := range w.runPods() {
				if pod.Labels[v1alpha1.LabelAttempt] != "2" {
					t.Errorf("pod %s of the first attempt is left", pod.Name)
				}
			}
			w.Cluster.AllPods(fakecluster.Succeed(builder.Report()))
			sb = w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
			if sb.Status.Runs[0].Result == nil || sb.Status.Runs[0].Result.Clients != 3 {
				t.Errorf("result is %+v", sb.Status.Runs[0].Result)
			}
			if left := w.children(); len(left) > 0 {
				t.Errorf("left: %q", left)
			}
		})
	}
}

// An error of one client fails the run at once, in its own words; the others are ended before the next run begins.
func TestOneClientFails(t *testing.T) {
	w := newWorld(t)
	alone := true
	w.Cluster.OnPod(func(pod *corev1.Pod) fakecluster.Outcome {
		switch {
		case pod.Annotations[v1alpha1.AnnotationRun] != "reads.own":
			alone = alone && !slices.ContainsFunc(w.runPods(), func(p corev1.Pod) bool {
				return p.Annotations[v1alpha1.AnnotationRun] == "reads.own" && !attempt.HasEnded(&p)
			})
			return fakecluster.Succeed(builder.Report())
		case clientOf(pod) == "2":
			return fakecluster.Fail(digest.ExitFailed, "fio: no space left on device")
		default:
			return fakecluster.Hang(job.MeasureContainer)
		}
	})
	sb := create(w, threeClients(w).Build())
	sb = w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonRunFailed, "client-2 on node fake-node-2: fio: no space left on device")
	if run := sb.Status.Runs[0]; run.Attempts != 1 || run.Result != nil {
		t.Errorf("run is %+v", run)
	}
	if sb.Status.Runs[1].Result == nil || !alone {
		t.Errorf("the second run is %+v, and was alone: %t", sb.Status.Runs[1], alone)
	}
}

// Clients that do not report the same measured something else than each other.
func TestClientsReportDifferently(t *testing.T) {
	w := newWorld(t)
	w.Cluster.OnPod(func(pod *corev1.Pod) fakecluster.Outcome {
		if clientOf(pod) == "1" {
			return fakecluster.Succeed(builder.Report("another"))
		}
		return fakecluster.Succeed(builder.Report())
	})
	sb := create(w, threeClients(w).Build())
	w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonRunFailed, "the clients do not report the same: client 1")
}

// The number of clients can be a part of the matrix. Nodes are held for the most.
func TestClientsInMatrix(t *testing.T) {
	w := newWorld(t)
	waits := map[string]bool{}
	w.Cluster.OnPod(func(pod *corev1.Pod) fakecluster.Outcome {
		waits[pod.Annotations[v1alpha1.AnnotationRun]+" "+clientOf(pod)] = strings.Contains(strings.Join(pod.Spec.Containers[0].Args, " "), "--start-file=")
		return fakecluster.Succeed(builder.Report())
	})
	workload := builder.NewWorkload("reads")
	workload.Clients = []int32{1, 2}
	sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(builder.NewTarget("own")).Workload(workload).Build())
	sb = w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
	if diff := cmp.Diff(map[string]bool{"reads.clients-1.own 0": false, "reads.clients-2.own 0": true, "reads.clients-2.own 1": true}, waits); diff != "" {
		t.Errorf("pods, and whether they wait for a start (-want +got):\n%s", diff)
	}
	if len(sb.Status.Anchors) != 2 || sb.Status.Runs[0].Result.Clients != 0 || sb.Status.Runs[1].Result.Clients != 2 || len(sb.Status.Comparisons) != 2 {
		t.Errorf("status is %+v", sb.Status)
	}
	if left := w.children(); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// A client that loses its node gets another anchor; those of the others stay.
func TestOneClientLosesItsNode(t *testing.T) {
	w := newWorld(t)
	w.Cluster.AllPods(fakecluster.Hang(job.MeasureContainer))
	sb := create(w, threeClients(w).Build())
	w.untilStep(sb, v1alpha1.ReasonMeasuring)
	for _, pod := range w.anchors() {
		if clientOf(&pod) == "1" {
			w.delete(&pod)
		}
	}
	sb = w.untilStep(sb, v1alpha1.ReasonMeasuring, "by 3 clients, attempt 2")
	var attempts []int32
	for _, a := range sb.Status.Anchors {
		attempts = append(attempts, a.Attempts)
	}
	if diff := cmp.Diff([]int32{1, 2, 1}, attempts); diff != "" {
		t.Errorf("attempts to hold nodes (-want +got):\n%s", diff)
	}
	w.Cluster.AllPods(fakecluster.Succeed(builder.Report()))
	w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
}

// What keeps a client's anchor from starting is said with the client, and ends the benchmark at the deadline.
func TestOneClientHasNoNode(t *testing.T) {
	w := newWorld(t)
	w.Cluster.OnAnchor(func(pod *corev1.Pod) fakecluster.Outcome {
		if clientOf(pod) == "2" {
			return fakecluster.Unschedulable("0/2 nodes are available: 2 node(s) didn't match pod anti-affinity rules.")
		}
		return fakecluster.Hang(job.AnchorContainer)
	})
	sb := create(w, threeClients(w).Build())
	w.passUntil(3*time.Second, func() error {
		return matches(w.Get(sb), v1alpha1.ConditionSucceeded, metav1.ConditionUnknown, v1alpha1.ReasonPreparing, "the anchor of client-2", "2 of 3 clients have a node", "didn't match pod anti-affinity rules")
	}, sb)
	w.pass(sb, 10*time.Minute)
	w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonDeadlineExceeded, "the anchor of client-2", "waited 600 s", "add nodes, or, in another StorageBenchmark, lower clients or set spec.placement.spread to None")
	if left := w.children(); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// Of two benchmarks that hold what the other one waits for, the younger lets go, and comes after the older one.
func TestYoungerGivesWay(t *testing.T) {
	const refusal = "0/2 nodes are available: 2 node(s) didn't satisfy existing pods anti-affinity rules."
	w := newWorld(t)
	both := func() bool {
		names := map[string]bool{}
		for _, pod := range w.anchors() {
			names[pod.Labels[v1alpha1.LabelBenchmark]] = true
		}
		return len(names) == 2
	}
	// The second node of each is held by the first pod of the other. So it stays until the younger one has been seen to
	// give way.
	w.Cluster.OnAnchor(func(pod *corev1.Pod) fakecluster.Outcome {
		if clientOf(pod) == "1" && pod.Spec.NodeName == "" {
			return fakecluster.Unschedulable(refusal)
		}
		return fakecluster.Hang(job.AnchorContainer)
	})
	w.Cluster.AllPods(fakecluster.Hang(job.MeasureContainer))
	twoClients := func(name string) *v1alpha1.StorageBenchmark {
		return builder.OneRun(w.Namespace, name).With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Clients = new(int32(2)) }).Build()
	}
	older, younger := create(w, twoClients("a")), create(w, twoClients("b"))
	if attempt.IsOlder(younger, older) {
		older, younger = younger, older
	}
	w.untilStep(younger, v1alpha1.ReasonWaitingForNode, "an older benchmark that needs nodes goes first: "+older.Name+" in namespace "+w.Namespace)
	w.Cluster.OnAnchor(func(pod *corev1.Pod) fakecluster.Outcome {
		if pod.Labels[v1alpha1.LabelBenchmark] == younger.Name && pod.Spec.NodeName == "" && both() {
			return fakecluster.Unschedulable(refusal)
		}
		return fakecluster.Hang(job.AnchorContainer)
	})
	w.passUntil(time.Second, func() error {
		return matches(w.Get(older), v1alpha1.ConditionSucceeded, metav1.ConditionUnknown, v1alpha1.ReasonMeasuring)
	}, older, younger)
	w.Cluster.AllPods(fakecluster.Succeed(builder.Report()))
	w.untilEnd(older, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
	w.delete(older)
	w.Cluster.OnAnchor(func(*corev1.Pod) fakecluster.Outcome { return fakecluster.Hang(job.AnchorContainer) })
	w.passUntil(time.Second, func() error {
		return matches(w.Get(younger), v1alpha1.ConditionSucceeded, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
	}, younger)
}

// A claim that only one node can mount is not for several clients.
func TestClientsOnClaimOfOneNode(t *testing.T) {
	w := newWorld(t)
	claim := create(w, &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "mine"},
		Spec: corev1.PersistentVolumeClaimSpec{
			StorageClassName: new(builder.StorageClass), AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: *builder.NewTarget("t").Capacity}},
		},
	})
	sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(builder.NewClaimTarget("mine", claim.Name)).Workload(builder.NewWorkload("reads")).
		With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Clients = new(int32(2)) }).Build())
	w.pass(sb, time.Minute)
	w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonInvalidSpec, "spec.targets[0].claimName", "ReadWriteOnce", "ReadWriteMany")
}

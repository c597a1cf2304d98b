//go:build e2e

package e2e

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/job"
)

// clients has so many pods make the runs of a benchmark together.
func clients(n int32) func(*v1alpha1.StorageBenchmark) {
	return func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Clients = &n }
}

// Clients of storage that is not shared have a volume each, and together do what both volumes can.
func TestClientsWithVolumesOfTheirOwn(t *testing.T) {
	ownNode(t, twoNodes, load(2*figures))
	sb := benchmark(t, "own-volumes", exclusive, clients(2), func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Targets = []v1alpha1.Target{{Name: "gp3", EBS: &v1alpha1.EBSVolume{Type: "gp3", FSType: new("xfs")}}}
		sb.Spec.Workloads[0].Fio = &v1alpha1.FioParameters{
			RW: "randwrite", BS: new("8k"), IOEngine: new("libaio"), IODepth: new(int32(16)), Direct: new(true),
			Size: new("16M"), TimeBased: new(true), RuntimeSeconds: new(int32(5)),
		}
	})
	done := holds(t, sb, func(t checker, done *v1alpha1.StorageBenchmark) {
		run := &done.Status.Runs[0]
		checkTogether(t, done, run)
		wantRatio(t, "IOPS of two gp3 volumes and of one", float64(run.Result.Of(v1alpha1.OperationWrite).IOPS()), 3000, 1.85, 2.2)
		if run.LimitedBy.Reason != v1alpha1.BoundVolumeIOPS || *run.LimitedBy.LimitIOPS != 6000 || !strings.Contains(run.LimitedBy.Message, "2 volumes'") {
			t.Errorf("limited by %+v", run.LimitedBy)
		}
	})
	volumes := done.Status.Targets[0].Volumes
	if len(volumes) != 2 || volumes[0].Handle == volumes[1].Handle || volumes[0].Node == volumes[1].Node {
		t.Errorf("volumes are %+v", volumes)
	}
	checkClientRecords(t, &done.Status.Runs[0])
	s := seriesOf(t, &done.Status.Runs[0])
	write := s.Sections[0].Write
	if s.Clients != 2 || write == nil || write.Latency == nil {
		t.Fatalf("a series of %d clients: %+v", s.Clients, s.Sections)
	}
	wantRatio(t, "IOPS of the series and of the result", write.IOPS.Mean[2], float64(done.Status.Runs[0].Result.Of(v1alpha1.OperationWrite).IOPS()), 0.8, 1.2)
}

// checkClientRecords checks that what each client has measured is kept.
func checkClientRecords(t *testing.T, run *v1alpha1.Run) {
	t.Helper()
	kept := &corev1.ConfigMap{}
	if err := k8s.Get(t.Context(), client.ObjectKey{Namespace: namespaceOf(t), Name: run.ClientsConfigMap}, kept); err != nil {
		t.Fatalf("results of the clients: %v", err)
	}
	r, err := gzip.NewReader(bytes.NewReader(kept.BinaryData["clients.json.gz"]))
	if err != nil {
		t.Fatal(err)
	}
	var records []struct {
		Client, Node string
		Sections     []struct {
			Result v1alpha1.Result
			Bins   map[string]map[string]int64
		}
	}
	if err := json.NewDecoder(r).Decode(&records); err != nil {
		t.Fatal(err)
	}
	ios := int64(0)
	for i, record := range records {
		counted := int64(0)
		for _, n := range record.Sections[0].Bins[v1alpha1.OperationWrite] {
			counted += n
		}
		if record.Client != fmt.Sprintf("client-%d", i) || record.Node == "" || counted != record.Sections[0].Result.Of(v1alpha1.OperationWrite).Count {
			t.Errorf("record %+v counts %d latencies", record, counted)
		}
		ios += record.Sections[0].Result.Of(v1alpha1.OperationWrite).Count
	}
	if len(records) != int(run.Clients) || ios != run.Result.Of(v1alpha1.OperationWrite).Count {
		t.Errorf("%d clients have %d I/Os together, the result has %d", len(records), ios, run.Result.Of(v1alpha1.OperationWrite).Count)
	}
}

// A client that is lost ends the attempt for all. All repeat it, and the result is of all.
func TestEvictedClient(t *testing.T) {
	sideBySide(t, load(2))
	sb := benchmark(t, "evicted-client", clients(2), lasting(5))
	create(t, sb)
	until(t, sb, "both clients to run", func(sb *v1alpha1.StorageBenchmark) bool {
		return len(sb.Status.Runs) > 0 && sb.Status.Runs[0].AgreedStart != nil && succeeded(sb).Reason == v1alpha1.ReasonMeasuring
	})
	for _, pod := range pods(t, sb, v1alpha1.RoleRun) {
		if pod.Labels[v1alpha1.LabelClient] != "1" {
			continue
		}
		eviction := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name}}
		if err := k8s.SubResource("eviction").Create(t.Context(), &pod, eviction); err != nil {
			t.Fatalf("evict: %v", err)
		}
	}
	done := completes(t, sb)
	run, abandoned := done.Status.Runs[0], done.Status.AbandonedAttempts
	if run.Attempts < 2 || run.Disruptions != run.Attempts-1 || run.Result.Clients != 2 || run.Result.ElapsedMilliseconds < 5000 {
		t.Errorf("run = %+v, result %+v", run, run.Result)
	}
	if len(abandoned) == 0 || !strings.Contains(abandoned[0].Message, "EvictionByEvictionAPI") {
		t.Fatalf("abandoned attempts = %+v, want the first one to be an eviction", abandoned)
	}
	// A kubelet may be late to bring the start to a pod, and then both are started anew.
	for _, other := range abandoned[1:] {
		if !strings.Contains(other.Message, "the start at") {
			t.Errorf("attempt %d was abandoned: %s", other.Attempt, other.Message)
		}
	}
}

// Where there are fewer nodes than clients, the benchmark says so, and does not wait for ever. An operator that sees others which hold
// nodes would wait for these to end. Its own sees none.
func TestMoreClientsThanNodes(t *testing.T) {
	ownNode(t, twoNodes, ownOperator())
	many := int32(len(nodesOf(t)) + 1)
	sb := benchmark(t, "crowd", clients(many), func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Deadlines.PodStartSeconds = new(int32(30)) })
	create(t, sb)
	fails(t, sb, v1alpha1.ReasonDeadlineExceeded, fmt.Sprintf("%d of %d clients have a node", len(nodesOf(t)), many), "set spec.placement.spread to None", "waited 30 s")
}

// Clients that may share nodes need not wait.
func TestClientsThatShareNodes(t *testing.T) {
	sideBySide(t, load(figures)) // clients that are late are started anew
	many := int32(len(nodesOf(t)) + 1)
	sb := benchmark(t, "together", clients(many), func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Placement.Spread = v1alpha1.SpreadNone })
	create(t, sb)
	run := completes(t, sb).Status.Runs[0]
	t.Logf("%d attempts", run.Attempts)
	if run.Result.Clients != many || run.Result.StartSkewMilliseconds == nil {
		t.Errorf("result %+v", run.Result)
	}
}

// Clients of a bucket have objects of their own, which are all removed.
func TestClientsOfABucket(t *testing.T) {
	sideBySide(t, load(2))
	needsBucket(t)
	sb := onS3(t, "bucket-clients",
		v1alpha1.Workload{Name: "reads", Fio: &v1alpha1.FioParameters{RW: "read", BS: new("1M"), Size: new("32M"), NumJobs: new(int32(2))}},
		v1alpha1.Workload{Name: "writes", Fio: &v1alpha1.FioParameters{RW: "write", BS: new("1M"), Size: new("16M"), NumJobs: new(int32(2))}})
	sb.Spec.Clients = new(int32(2))
	done := measured(t, sb)
	for i, bytes := range []int64{2 * 2 * 32 << 20, 2 * 2 * 16 << 20} {
		if got := sumOf(&done.Status.Runs[i], func(io *v1alpha1.Figures) int64 { return io.Bytes }); got != bytes {
			t.Errorf("%s moved %d bytes, want %d", done.Status.Runs[i].Name, got, bytes)
		}
	}
}

// The start is told as late as all are ready, and not by a port or a token: the pods have neither.
func TestClientPods(t *testing.T) {
	sideBySide(t, load(2))
	sb := benchmark(t, "client-pods", clients(2), lasting(5))
	create(t, sb)
	until(t, sb, "both clients to run", atStep(v1alpha1.ReasonMeasuring))
	starts := map[string]bool{}
	for _, pod := range pods(t, sb, v1alpha1.RoleRun) {
		c := pod.Spec.Containers[0]
		if c.Name != job.MeasureContainer || len(c.Ports) > 0 || *pod.Spec.AutomountServiceAccountToken {
			t.Errorf("pod %s has container %+v", pod.Name, c)
		}
		starts[pod.Annotations[v1alpha1.AnnotationStartTime]] = true
	}
	if len(starts) != 1 || starts[""] {
		t.Errorf("the clients were told to start at %v", starts)
	}
	if run := completes(t, sb).Status.Runs[0]; run.Result.Clients != 2 {
		t.Errorf("run = %+v, result %+v", run, run.Result)
	}
}

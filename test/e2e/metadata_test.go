//go:build e2e

package e2e

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"math"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/fiooutput"
	"github.com/storagebench/storagebench/internal/histogram"
)

// operationsEach is how many files or directories each job has, of which there are two.
const operationsEach = 100

// operations is a workload that does something to each file or directory, once.
func operations(name string, engines ...string) v1alpha1.Workload {
	w := v1alpha1.Workload{
		Name: name, Fio: &v1alpha1.FioParameters{RW: "read", IOEngine: new(engines[0]), NrFiles: new(int32(operationsEach)), Size: new("400k"), NumJobs: new(int32(2))},
	}
	if len(engines) > 1 {
		w.Matrix = map[string]v1alpha1.MatrixValues{"ioengine": nil}
		for _, engine := range engines {
			w.Matrix["ioengine"] = append(w.Matrix["ioengine"], intstr.FromString(engine))
		}
	}
	return w
}

// Each engine does what it is for, once to each file, in each repetition; the status has of it what fio says.
func TestMetadata(t *testing.T) {
	sideBySide(t, load(2), budget(4*time.Minute))
	sb := benchmark(t, "metadata", func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Targets[0].StorageClassName = new("loop")
		lookups := operations("again", "filestat")
		lookups.Fio.TimeBased, lookups.Fio.RuntimeSeconds = new(true), new(int32(2))
		sb.Spec.Workloads = []v1alpha1.Workload{operations("files", "filecreate", "filestat", "filedelete"), operations("directories", "dircreate", "dirstat", "dirdelete"), lookups}
		sb.Spec.Repetitions = new(int32(2))
		sb.Spec.Expectations = []v1alpha1.Expectation{{Workload: "files", Metric: "metadata.iops", Min: new(intstr.FromInt32(1))}}
	})
	done := measured(t, sb)
	if len(done.Status.Runs) != 14 {
		t.Fatalf("%d runs", len(done.Status.Runs))
	}
	for i := range done.Status.Runs {
		run := &done.Status.Runs[i]
		count := checkOperations(t, run)
		if isOnce := run.Workload != "again"; isOnce && count != 2*operationsEach || !isOnce && count <= 4*operationsEach {
			t.Errorf("%s has %d operations", run.Name, count)
		}
		if !slices.ContainsFunc([]string{v1alpha1.BoundUnknown, v1alpha1.BoundClientCPU}, func(reason string) bool { return run.LimitedBy.Reason == reason }) {
			t.Errorf("%s is limited by %+v", run.Name, run.LimitedBy)
		}
		for _, w := range run.Warnings {
			if !slices.Contains([]string{v1alpha1.WarningFewSamples, v1alpha1.WarningMetadataFromMemory, v1alpha1.WarningCPUThrottled, v1alpha1.WarningCPUSteal, v1alpha1.WarningNodeBusy, v1alpha1.WarningShortRuntime}, w.Reason) && run.Workload != "again" {
				t.Errorf("%s has warning %+v", run.Name, w)
			}
		}
	}
	for _, c := range done.Status.Comparisons {
		if m := c.Targets[0].Of(v1alpha1.OperationMetadata); m == nil || m.IOPS().Median <= 0 || c.Targets[0].Of(v1alpha1.OperationTotal) != nil {
			t.Errorf("comparison %+v", c)
		}
	}
	if c := done.Status.Condition(v1alpha1.ConditionExpectationsMet); c.Status != metav1.ConditionTrue {
		t.Errorf("expectations: %+v", c)
	}
}

// checkOperations holds what a run of one client says of operations to what its fio has printed, and returns how many there were.
func checkOperations(t *testing.T, run *v1alpha1.Run) int64 {
	t.Helper()
	output, err := fiooutput.Parse([]byte(keptLog(t, run)))
	if err != nil {
		t.Fatalf("%s: %v", run.Name, err)
	}
	want, got := output.Groups[0].Metadata, run.Result.Of(v1alpha1.OperationMetadata)
	if want == nil || got == nil || got.CompletionLatency == nil || run.Result.Of(v1alpha1.OperationRead) != nil || run.Result.Of(v1alpha1.OperationWrite) != nil {
		t.Fatalf("%s: %+v, fio says %+v", run.Name, run.Result, want)
	}
	if got.Count != want.CompletionLatency.Count || got.Mean() != int64(math.Round(want.CompletionLatency.MeanNanoseconds)) ||
		got.CompletionLatency.MinNanoseconds != want.CompletionLatency.MinNanoseconds || got.CompletionLatency.MaxNanoseconds != want.CompletionLatency.MaxNanoseconds ||
		math.Abs(float64(got.IOPS())-want.IOPS) > 1 {
		t.Errorf("%s: %+v, fio says %+v, latency %+v", run.Name, got, want, want.CompletionLatency)
	}
	checkPercentiles(t, got.CompletionLatency, want.CompletionLatency.Histogram)
	t.Logf("%s: %d operations, %d a second, p50 %s, p99 %s", run.Name, got.Count, got.IOPS(), time.Duration(got.CompletionLatency.P50Nanoseconds), time.Duration(got.CompletionLatency.P99Nanoseconds))
	return got.Count
}

// What two clients did to files of their own is merged of the histograms of both.
func TestMetadataOfTwoClients(t *testing.T) {
	ownNode(t, twoNodes, load(figures))
	sb := benchmark(t, "metadata-of-two", exclusive, clients(2), func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Workloads = []v1alpha1.Workload{operations("files", "filecreate", "filedelete")}
	})
	for _, run := range measured(t, sb).Status.Runs {
		got := run.Result.Of(v1alpha1.OperationMetadata)
		if got == nil || got.Count != 4*operationsEach || got.PerClient == nil || got.PerClient.MinMilliIOPS <= 0 || got.MilliIOPS < got.PerClient.MaxMilliIOPS {
			t.Fatalf("%s: %+v", run.Name, got)
		}
		all := metadataOfClients(t, &run)
		if all.Count() != uint64(got.Count) {
			t.Errorf("%s: the clients' records have %d operations, the result %d", run.Name, all.Count(), got.Count)
		}
		checkPercentiles(t, got.CompletionLatency, all)
	}
}

// metadataOfClients returns the latencies of all clients together, as their records have them.
func metadataOfClients(t *testing.T, run *v1alpha1.Run) *histogram.Histogram {
	t.Helper()
	kept := &corev1.ConfigMap{}
	if err := k8s.Get(t.Context(), client.ObjectKey{Namespace: namespaceOf(t), Name: run.ClientsConfigMap}, kept); err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(kept.BinaryData["clients.json.gz"]))
	if err != nil {
		t.Fatal(err)
	}
	var records []struct {
		Sections []struct{ Bins map[string]map[uint64]uint64 }
	}
	if err := json.NewDecoder(r).Decode(&records); err != nil {
		t.Fatal(err)
	}
	all := &histogram.Histogram{}
	for _, record := range records {
		own, err := histogram.FromBins(record.Sections[0].Bins[v1alpha1.OperationMetadata])
		if err != nil {
			t.Fatal(err)
		}
		all.Merge(own)
	}
	return all
}

// Mountpoint creates, looks up and deletes objects; they are there for each repetition, and none stays.
func TestMetadataOnS3(t *testing.T) {
	sideBySide(t, budget(4*time.Minute))
	needsBucket(t)
	w := operations("objects", "filecreate", "filestat", "filedelete")
	w.Fio.NrFiles, w.Fio.Size = new(int32(20)), new("80k")
	sb := onS3(t, "s3-metadata", w)
	sb.Spec.Repetitions = new(int32(2))
	done := measured(t, sb)
	if len(done.Status.Runs) != 6 {
		t.Fatalf("%d runs", len(done.Status.Runs))
	}
	for i := range done.Status.Runs {
		if count := checkOperations(t, &done.Status.Runs[i]); count != 40 {
			t.Errorf("%s has %d operations", done.Status.Runs[i].Name, count)
		}
	}
}

// What would be measured of a mount without the bucket, and what has no files, is refused before anything is provisioned.
func TestMetadataRefusals(t *testing.T) {
	sideBySide(t, early, waits)
	for name, test := range map[string]struct {
		on      func(*testing.T, *v1alpha1.StorageBenchmark)
		change  func(*v1alpha1.FioParameters)
		engine  string
		message string
	}{
		"s3-directories": {func(t *testing.T, sb *v1alpha1.StorageBenchmark) { sb.Spec.Targets = []v1alpha1.Target{bucket(t)} }, nil, "dircreate", "not in the bucket"},
		"raw-files": {func(_ *testing.T, sb *v1alpha1.StorageBenchmark) {
			sb.Spec.Targets[0].VolumeMode = new(corev1.PersistentVolumeBlock)
		}, nil, "filestat", "set volumeMode Filesystem"},
		"files-for-a-time": {nil, func(p *v1alpha1.FioParameters) { p.TimeBased, p.RuntimeSeconds = new(true), new(int32(5)) }, "filedelete", "raise nrfiles"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sb := benchmark(t, name, func(sb *v1alpha1.StorageBenchmark) {
				sb.Spec.Targets[0].Capacity = new(resource.MustParse("64Mi"))
				sb.Spec.Workloads = []v1alpha1.Workload{operations("w", test.engine)}
				if test.on != nil {
					test.on(t, sb)
				}
				if test.change != nil {
					test.change(sb.Spec.Workloads[0].Fio)
				}
			})
			create(t, sb)
			if done := fails(t, sb, v1alpha1.ReasonInvalidSpec, "spec.workloads[0].fio.", test.message); done.Status.StartTime != nil {
				t.Errorf("the benchmark began to provision at %s", done.Status.StartTime)
			}
		})
	}
}

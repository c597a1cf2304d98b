// Package sample makes benchmarks that have ended, or not, for tests of reports: their figures are made up after published
// ones (docs/experiments.md), and what the operator says of figures is said here by the same code.
package sample

import (
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/analysis"
	"github.com/storagebench/storagebench/internal/expectation"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/internal/storage"
)

// begin is when all samples began.
var begin = time.Date(2026, time.November, 20, 9, 30, 0, 0, time.UTC)

// io is what a target does in one direction.
type io struct {
	iops, blockBytes int64
	// p50 is the median latency; tail is by what it is multiplied at the 99th percentile.
	p50  time.Duration
	tail float64
}

// measured is what a run measures.
type measured struct {
	read, write *io
	inFlight    int64
}

// model says what a target measures with a choice of parameters in a workload.
type model func(target, workload string, choice map[string]string) measured

// node is where samples were measured from.
const node, zone = "ip-10-0-12-34.eu-central-1.compute.internal", "eu-central-1a"

// complete makes all runs of a benchmark with what the model says, each repetition a little different by the part spread,
// and concludes as the operator does.
func complete(sb *v1alpha1.StorageBenchmark, instanceType string, spread float64, m model) *v1alpha1.StorageBenchmark {
	runs, names := runsOf(&sb.Spec)
	status := &sb.Status
	for i := range sb.Spec.Targets {
		status.Targets = append(status.Targets, provision(sb, &sb.Spec.Targets[i], instanceType))
	}
	now := begin.Add(40 * time.Second)
	for i := range runs {
		run := &runs[i]
		figures := m(run.Target, run.Workload, run.Parameters)
		run.Result = result(run, figures, spread)
		run.State, run.Attempts = v1alpha1.RunSucceeded, 1
		run.StartTime, run.CompletionTime = new(metav1.NewTime(now)), new(metav1.NewTime(now.Add(66*time.Second)))
		now = now.Add(70 * time.Second)
		status.Runs = append(status.Runs, *run)
		judge(sb, &status.Runs[i], figures)
	}
	status.Comparisons = analysis.Compare(status.Runs, names, plan.Baseline(&sb.Spec))
	analysis.WarnOfOrder(status.Comparisons, sb.Spec.Order)
	status.Warnings = analysis.Summarize(status.Targets, status.Runs, status.Comparisons)
	conclude(sb, now)
	return sb
}

// runsOf returns the runs of a spec in their order, by as simple a rule as samples need, and the names of its targets.
func runsOf(spec *v1alpha1.StorageBenchmarkSpec) ([]v1alpha1.Run, []string) {
	var runs []v1alpha1.Run
	var names []string
	for _, t := range spec.Targets {
		names = append(names, t.Name)
	}
	for repetition := range ptr.Deref(spec.Repetitions, 1) {
		for _, w := range spec.Workloads {
			for _, choice := range choices(w.Choices()) {
				for _, t := range names {
					run := v1alpha1.Run{Target: t, Workload: w.Name, Parameters: choice, Repetition: repetition + 1, Clients: spec.RunClients(choice)}
					run.Name = strings.Join(slices.DeleteFunc([]string{w.Name, nameOf(choice), t, strconv.Itoa(int(run.Repetition))}, func(s string) bool { return s == "" }), ".")
					runs = append(runs, run)
				}
			}
		}
	}
	return runs, names
}

// choices returns every combination of a matrix's values, nil alone if there is none.
func choices(matrix map[string]v1alpha1.MatrixValues) []map[string]string {
	all := []map[string]string{nil}
	for _, name := range slices.Sorted(maps.Keys(matrix)) {
		var next []map[string]string
		for _, choice := range all {
			for _, value := range matrix[name] {
				with := map[string]string{name: value.String()}
				maps.Copy(with, choice)
				next = append(next, with)
			}
		}
		all = next
	}
	return all
}

// nameOf returns a choice as a part of a run's name.
func nameOf(choice map[string]string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(choice)) {
		parts = append(parts, name, choice[name])
	}
	return strings.Join(parts, "-")
}

// provision returns what was made for a target.
func provision(sb *v1alpha1.StorageBenchmark, t *v1alpha1.Target, instanceType string) v1alpha1.TargetStatus {
	status := v1alpha1.TargetStatus{
		Name: t.Name, Driver: storage.Driver(t), StorageClassName: sb.Name + "-" + t.Name + "-9bd59852", VolumeMode: corev1.PersistentVolumeFilesystem,
		AccessModes: []corev1.PersistentVolumeAccessMode{storage.AccessMode(t)}, ProvisionedMilliseconds: new(int64(4000)),
		Limits: storage.Limits(t, storage.Class{Driver: storage.Driver(t)}), ClientLimits: storage.ClientLimits(t, storage.Driver(t), instanceType),
	}
	handle := "vol-0929aa3c1af1ccab" + strconv.Itoa(len(sb.Status.Targets))
	if t.EFS != nil {
		handle = t.EFS.FileSystemID + "::fsap-0b3c1f0a9d1e2f3a4"
	}
	volumes := int32(1)
	if !storage.IsShared(t) {
		volumes = sb.Spec.MostClients()
	}
	for i := range volumes {
		status.Volumes = append(status.Volumes, v1alpha1.VolumeStatus{
			Name: fmt.Sprintf("pvc-450f9944-7c1e-4f0e-9a53-6f2b8a1de%03d", 10*len(sb.Status.Targets)+int(i)), Handle: handle, Node: node, Zone: zone, InstanceType: instanceType,
		})
	}
	return status
}

// judge says what held a run back and what may mislead about it, by what is known up to its end.
func judge(sb *v1alpha1.StorageBenchmark, run *v1alpha1.Run, m measured) {
	for i := range sb.Status.Targets {
		t := &sb.Status.Targets[i]
		if t.Name != run.Target {
			continue
		}
		volumes := analysis.Volumes{New: storage.IsNewVolume(&sb.Spec.Targets[i]), PerClient: !storage.IsShared(&sb.Spec.Targets[i])}
		known := analysis.Known{Storage: t.Limits, Client: t.ClientLimits, Nodes: int64(run.Clients)}
		if volumes.PerClient {
			known.Volumes = int64(run.Clients)
		}
		history := analysis.FollowCredits(t.Name, t.Limits, sb.Status.Runs, volumes, nil)
		t.BurstCredits = history.Left()
		load := analysis.Load{InFlight: m.inFlight, Jobs: m.inFlight, Reads: m.read != nil, FileBytes: 16 << 30}
		client := analysis.Client{CPUMillis: 2000 * int64(run.Clients), MemoryBytes: 8 << 30}
		known.Credits = history.Of(run.Name, 0)
		run.LimitedBy = new(analysis.Bound(run.Result, known, load, client))
		run.Warnings = analysis.Warnings([]v1alpha1.Result{*run.Result}, []analysis.Known{known}, []analysis.Load{load}, client)
	}
}

// conclude ends a benchmark well.
func conclude(sb *v1alpha1.StorageBenchmark, end time.Time) {
	status := &sb.Status
	status.StartTime, status.CompletionTime = new(metav1.NewTime(begin)), new(metav1.NewTime(end))
	status.PlannedRuns, status.FinishedRuns = int32(len(status.Runs)), int32(len(status.Runs))
	status.Conditions = []metav1.Condition{{
		Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonCompleted,
		Message: fmt.Sprintf("%d runs on %d targets in %s", len(status.Runs), len(sb.Spec.Targets), end.Sub(begin)),
	}}
	if outcome, reason, message, expected := expectation.Condition(expectation.Judge(&sb.Spec, status)); expected {
		status.Conditions = append(status.Conditions, metav1.Condition{Type: v1alpha1.ConditionExpectationsMet, Status: outcome, Reason: reason, Message: message})
	}
}

// seconds is how long each sample's runs measured.
const seconds = 60

// result returns what a run measured: the model's figures, changed by what follows from the run's name.
func result(run *v1alpha1.Run, m measured, spread float64) *v1alpha1.Result {
	r := &v1alpha1.Result{FioVersion: "fio-3.39", ElapsedMilliseconds: seconds*1000 + 7, CPU: m.cpu()}
	if run.Clients > 1 {
		r.Clients, r.CommonMilliseconds = run.Clients, seconds*1000
		r.StartSkewMilliseconds = new(int64(3))
	}
	r.Set(v1alpha1.OperationRead, m.read.result(run, "read", spread))
	r.Set(v1alpha1.OperationWrite, m.write.result(run, "write", spread))
	return r
}

// microsPerIO is the CPU time that an I/O takes.
const microsPerIO = 12

// cpu returns the CPU time of each of the jobs, which have one I/O in flight.
func (m measured) cpu() *v1alpha1.CPUResult {
	var iops int64
	for _, d := range []*io{m.read, m.write} {
		if d != nil {
			iops += d.iops
		}
	}
	return &v1alpha1.CPUResult{SystemPercent: int32(iops * microsPerIO / m.inFlight / 10_000)}
}

// result returns what a run measured in one direction, nil without any.
func (i *io) result(run *v1alpha1.Run, direction string, spread float64) *v1alpha1.Figures {
	if i == nil {
		return nil
	}
	chance := chanceOf(run.Name + direction)
	iops := int64(float64(i.iops) * (1 + spread*chance))
	p50 := float64(i.p50) * (1 - spread*chance)
	at := func(part float64) int64 {
		return int64(p50 * math.Pow(i.tail, part) * (1 + spread*chanceOf(run.Name+strconv.FormatFloat(part, 'g', -1, 64))))
	}
	out := &v1alpha1.Figures{Count: iops * seconds, Bytes: iops * seconds * i.blockBytes, MilliIOPS: 1000 * iops, BytesPerSecond: iops * i.blockBytes, Latency: &v1alpha1.Latency{MeanNanoseconds: at(0.15), StddevNanoseconds: at(0)}, CompletionLatency: &v1alpha1.LatencyDistribution{
		MinNanoseconds: at(-0.3), P50Nanoseconds: at(0), P90Nanoseconds: at(0.35), P95Nanoseconds: at(0.6), P99Nanoseconds: at(1),
		P999Nanoseconds: at(1.06), P9999Nanoseconds: at(1.15), MaxNanoseconds: at(1.3),
	}}
	if run.Clients > 1 {
		each := iops / int64(run.Clients)
		out.PerClient = &v1alpha1.ClientSpread{MinMilliIOPS: 1000 * (each * 97 / 100), MaxMilliIOPS: 1000 * (each * 103 / 100), CoefficientOfVariation: "0.021"}
	}
	return out
}

// chanceOf returns a number from -1 to 1 that follows from a name, as evenly as a hash does.
func chanceOf(name string) float64 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name)) // never fails
	return float64(h.Sum32()%2001)/1000 - 1
}

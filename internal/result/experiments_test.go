package result

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/analysis"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/internal/storage"
)

// row is a row of a published table, with what its author says of it and what is said here.
type row struct {
	// target, workload and parameters name the run of the sample that measures the same.
	target, workload string
	parameters       map[string]string
	// published is what the author has measured.
	published v1alpha1.Result
	// author is what the author says held it back, in a few words. "": nothing.
	author string
	// want is what is said here.
	want string
	// note says why both differ. "": they agree, or the author says nothing.
	note string
	// faster says that there is a warning FasterThanDocumented.
	faster bool
}

// experiment is one of the five that docs/experiments.md is about, on the instance of its author.
type experiment struct {
	name, sample, instance string
	rows                   []row
}

// at is I/O of one direction as it was published: a mean latency of 0 was not.
func at(iops, block int64, mean time.Duration) *v1alpha1.Figures {
	io := &v1alpha1.Figures{Count: 60 * iops, Bytes: 60 * iops * block, MilliIOPS: 1000 * iops, BytesPerSecond: iops * block}
	if mean > 0 {
		io.Latency = &v1alpha1.Latency{MeanNanoseconds: mean.Nanoseconds()}
	}
	return io
}

func reads(io *v1alpha1.Figures) v1alpha1.Result {
	return v1alpha1.Result{Figures: v1alpha1.ListOf(io.As(v1alpha1.OperationRead)), ElapsedMilliseconds: 60_000}
}

func writes(io *v1alpha1.Figures) v1alpha1.Result {
	return v1alpha1.Result{Figures: v1alpha1.ListOf(io.As(v1alpha1.OperationWrite)), ElapsedMilliseconds: 60_000}
}

// mixed divides I/Os into reads, so many percent, and writes.
func mixed(iops, percent, block int64) v1alpha1.Result {
	read := iops * percent / 100
	return v1alpha1.Result{Figures: v1alpha1.ListOf(at(read, block, 0).As(v1alpha1.OperationRead), at(iops-read, block, 0).As(v1alpha1.OperationWrite)), ElapsedMilliseconds: 60_000}
}

// within gives I/O its published percentiles, in microseconds: of those that were not published 0.
func within(io *v1alpha1.Figures, p50, p90, p99 int64) *v1alpha1.Figures {
	const microsecond = 1000
	io.CompletionLatency = &v1alpha1.LatencyDistribution{P50Nanoseconds: p50 * microsecond, P90Nanoseconds: p90 * microsecond, P99Nanoseconds: p99 * microsecond}
	return io
}

// halves is what E2 publishes: I/Os of which half are reads and half writes, with percentiles of each.
func halves(iops, block, readP50, readP90, writeP50, writeP90 int64) v1alpha1.Result {
	r := mixed(iops, 50, block)
	within(r.Of(v1alpha1.OperationRead), readP50, readP90, 0)
	within(r.Of(v1alpha1.OperationWrite), writeP50, writeP90, 0)
	return r
}

// threads is what synchronous threads did: each waits for its one operation all the time, so that the mean latency follows from their number.
func threads(n, iops, block int64) *v1alpha1.Figures {
	return at(iops, block, time.Duration(n)*time.Second/time.Duration(iops))
}

const (
	kib = 1 << 10
	mib = 1 << 20
)

// mountpoint is what E5 publishes: MiB/s of reads of 8 MiB, and by their latencies how many I/Os were in flight. By fio's slat the
// readers spend 85 to 96 % of their time in submission, here 90. Of rows of 1g as many are in flight as they submit: what waits for
// a reader to look for it is not transcribed.
func mountpoint(mibps, readers int64, inFlight float64) v1alpha1.Result {
	rate := float64(mibps) / 8
	io := at(mibps/8, 8*mib, time.Duration(1e9*inFlight/rate))
	io.Latency.SubmissionNanoseconds = int64(1e9 * 0.9 * float64(readers) / rate)
	io.MilliIOPS, io.BytesPerSecond = int64(1000*rate), mibps*mib
	return reads(io)
}

// Reasons, and what the authors say in several rows.
const (
	volumeIOPS, volumeBytes = v1alpha1.BoundVolumeIOPS, v1alpha1.BoundVolumeThroughput
	fileSystemBytes         = v1alpha1.BoundFileSystemThroughput
	instanceBytes           = v1alpha1.BoundInstanceThroughput
	latency, unknown        = v1alpha1.BoundLatency, v1alpha1.BoundUnknown
	queue, atStorage        = v1alpha1.BoundQueue, v1alpha1.BoundStorage

	nearBoth = "2 jobs wait for 2 I/Os, which at the published medians makes just these IOPS; but they are 90 and 96 % of the volume's 3,000 as well, as much as AWS " +
		"promises, and 16 jobs get 3,068: there was hardly more to get, and the limit is what is named"
	oneSecond = "256 MiB/s are twice what either volume may do: 2 jobs are over with their 256 MiB after a second, before AWS holds them back. That is told, and no limit is named"
	flattered = "a cache below the disk, which files of 1 GiB fit into"
	noLimits  = "AWS documents a range only (40 to 200 IOPS, 40 to 90 MiB/s), which no result is judged by"

	noFigures = "the author has published no latencies, so that it is not known what the reader waited for"
)

// experiments are all published rows.
var experiments = []experiment{{
	name: "E1", sample: "gp3-vs-efs", instance: "m6i.large", rows: []row{
		{target: "gp3", workload: "randwrite", parameters: map[string]string{"bs": "16k"}, published: writes(within(at(3048, 16*kib, 5_247_200), 5342, 0, 9896)), author: "IOPS of the volume", want: volumeIOPS},
		{target: "gp3", workload: "randwrite", parameters: map[string]string{"bs": "64k"}, published: writes(within(at(1987, 64*kib, 8_050_720), 7963, 0, 15664)), author: "throughput of the volume", want: volumeBytes},
		{target: "efs", workload: "randwrite", parameters: map[string]string{"bs": "16k"}, published: writes(within(at(1560, 16*kib, 10_251_870), 9896, 0, 16581)), author: "latency", want: latency},
		{target: "efs", workload: "randwrite", parameters: map[string]string{"bs": "64k"}, published: writes(within(at(1614, 64*kib, 9_905_890), 10028, 0, 13960)), author: "burst throughput of the file system", want: fileSystemBytes},
	},
}, {
	// The author compares gp2 and gp3, which both have 3,000 IOPS and 128 MiB/s.
	name: "E2", sample: "gp2-vs-gp3", instance: "r5.large", rows: []row{
		{target: "gp2", workload: "mixed", parameters: map[string]string{"numjobs": "2", "bs": "16k"}, published: halves(2706, 16*kib, 418, 494, 1032, 1208), author: "latency, below the limits", want: volumeIOPS, note: nearBoth},
		{target: "gp3", workload: "mixed", parameters: map[string]string{"numjobs": "2", "bs": "16k"}, published: halves(2878, 16*kib, 470, 740, 860, 1096), author: "latency, below the limits", want: volumeIOPS, note: nearBoth},
		{target: "gp2", workload: "mixed", parameters: map[string]string{"numjobs": "2", "bs": "256k"}, published: halves(1024, 256*kib, 932, 2896, 2416, 3184), want: unknown, note: oneSecond, faster: true},
		{target: "gp3", workload: "mixed", parameters: map[string]string{"numjobs": "2", "bs": "256k"}, published: halves(1024, 256*kib, 748, 3824, 1800, 4640), want: unknown, note: oneSecond, faster: true},
		{target: "gp2", workload: "mixed", parameters: map[string]string{"numjobs": "16", "bs": "16k"}, published: halves(3068, 16*kib, 5024, 5344, 5600, 5984), author: "IOPS of the volume", want: volumeIOPS},
		{target: "gp3", workload: "mixed", parameters: map[string]string{"numjobs": "16", "bs": "16k"}, published: halves(3068, 16*kib, 5088, 5472, 5536, 5920), author: "IOPS of the volume", want: volumeIOPS},
		{target: "gp2", workload: "mixed", parameters: map[string]string{"numjobs": "16", "bs": "256k"}, published: halves(545, 256*kib, 30336, 31360, 31872, 33024), author: "throughput of the volume", want: volumeBytes},
		{target: "gp3", workload: "mixed", parameters: map[string]string{"numjobs": "16", "bs": "256k"}, published: halves(546, 256*kib, 30592, 31360, 31616, 32384), author: "throughput of the volume", want: volumeBytes},
	},
}, {
	// The author: the magnetic disk does some thousand sequential I/Os a second, and about 200 random ones; gp2 bursts to 3,000.
	name: "E3", sample: "magnetic-vs-ssd", instance: "m3.xlarge", rows: []row{
		{
			target: "standard", workload: "pattern", parameters: map[string]string{"rw": "read"}, published: reads(at(3694, 16*kib, 0)), author: "bursts of sequential I/O", want: instanceBytes,
			note: "57.7 MiB/s are 97 % of what an EBS-optimized m3.xlarge has; whether it was one is not published",
		},
		{target: "standard", workload: "pattern", parameters: map[string]string{"rw": "write"}, published: writes(at(1969, 16*kib, 0)), author: "bursts of sequential I/O", want: unknown, note: noLimits},
		{target: "standard", workload: "pattern", parameters: map[string]string{"rw": "randread"}, published: reads(at(2849, 16*kib, 0)), author: flattered, want: unknown, faster: true},
		{target: "standard", workload: "pattern", parameters: map[string]string{"rw": "randwrite"}, published: writes(at(1907, 16*kib, 0)), author: flattered, want: unknown, faster: true},
		{target: "standard", workload: "pattern", parameters: map[string]string{"rw": "randrw"}, published: mixed(2198, 70, 16*kib), author: flattered, want: unknown, faster: true},
		{target: "standard", workload: "beyond-the-cache", published: mixed(416, 50, 16*kib), author: "the disk", want: unknown, faster: true, note: noLimits + "; 416 are still twice as many"},
		{target: "gp2", workload: "pattern", parameters: map[string]string{"rw": "read"}, published: reads(at(3064, 16*kib, 0)), author: "IOPS of the burst", want: volumeIOPS},
		{target: "gp2", workload: "pattern", parameters: map[string]string{"rw": "write"}, published: writes(at(2894, 16*kib, 0)), author: "IOPS of the burst", want: volumeIOPS},
		{target: "gp2", workload: "pattern", parameters: map[string]string{"rw": "randread"}, published: reads(at(3064, 16*kib, 0)), author: "IOPS of the burst", want: volumeIOPS},
		{
			target: "gp2", workload: "pattern", parameters: map[string]string{"rw": "randwrite"}, published: writes(at(2681, 16*kib, 0)), author: "IOPS of the burst", want: unknown,
			note: "2,681 are 89 % of 3,000, a little less than AWS promises; " + noFigures,
		},
		{target: "gp2", workload: "pattern", parameters: map[string]string{"rw": "randrw"}, published: mixed(3064, 70, 16*kib), author: "IOPS of the burst", want: volumeIOPS},
		{target: "gp2", workload: "beyond-the-cache", published: mixed(3064, 50, 16*kib), author: "IOPS of the burst", want: volumeIOPS},
	},
}, {
	name: "E4", sample: "efs-operations", instance: "m4.xlarge", rows: []row{
		{target: "efs", workload: "writes", parameters: map[string]string{"clients": "1", "numjobs": "1", "bs": "1k"}, published: writes(threads(1, 130, kib)), author: "threads wait for latency", want: latency},
		{target: "efs", workload: "writes", parameters: map[string]string{"clients": "1", "numjobs": "20", "bs": "1k"}, published: writes(threads(20, 1500, kib)), author: "threads wait for latency", want: latency},
		{target: "efs", workload: "writes", parameters: map[string]string{"clients": "1", "numjobs": "40", "bs": "1"}, published: writes(threads(40, 2000, 1)), author: "operations of one client", want: queue},
		{target: "efs", workload: "writes", parameters: map[string]string{"clients": "1", "numjobs": "40", "bs": "1k"}, published: writes(threads(40, 2000, kib)), author: "operations of one client", want: queue},
		{target: "efs", workload: "writes", parameters: map[string]string{"clients": "1", "numjobs": "40", "bs": "10k"}, published: writes(threads(40, 2000, 10*kib)), author: "operations of one client", want: queue},
		{target: "efs", workload: "writes", parameters: map[string]string{"clients": "2", "numjobs": "40", "bs": "1"}, published: writes(threads(80, 3000, 1)), author: "operations of the file system", want: queue},
		{target: "efs", workload: "writes", parameters: map[string]string{"clients": "2", "numjobs": "40", "bs": "1k"}, published: writes(threads(80, 3000, kib)), author: "operations of the file system", want: queue},
		{target: "efs", workload: "writes", parameters: map[string]string{"clients": "2", "numjobs": "40", "bs": "10k"}, published: writes(threads(80, 3000, 10*kib)), author: "operations of the file system", want: queue},
		{target: "efs", workload: "reads", parameters: map[string]string{"clients": "1", "numjobs": "40", "bs": "10k"}, published: reads(threads(40, 3500, 10*kib)), author: "operations of the file system", want: atStorage},
		{target: "efs", workload: "reads", parameters: map[string]string{"clients": "2", "numjobs": "40", "bs": "10k"}, published: reads(threads(80, 3500, 10*kib)), author: "operations of the file system", want: atStorage},
		{
			// 105 MB/s, with blocks as large as a stream has them.
			target: "efs", workload: "writes", parameters: map[string]string{"clients": "1", "numjobs": "10", "bs": "10k"}, published: writes(at(100, mib, 0)), author: "throughput of the file system", want: fileSystemBytes,
			note: "m4.xlarge is documented with less network, 89 MiB/s always and 334 for a time",
		},
	},
}, {
	// The author: more readers read more, up to the network of the instance, 12.5 Gbit/s.
	name: "E5", sample: "s3-sequential-reads", instance: "m6i.8xlarge", rows: []row{
		{target: "s3", workload: "sequential-read", parameters: map[string]string{"size": "500M", "numjobs": "1"}, published: mountpoint(375, 1, 11.9), author: "one reader", want: latency},
		{target: "s3", workload: "sequential-read", parameters: map[string]string{"size": "500M", "numjobs": "8"}, published: mountpoint(1267, 8, 141), author: "nearly the network", want: atStorage},
		{target: "s3", workload: "sequential-read", parameters: map[string]string{"size": "500M", "numjobs": "16"}, published: mountpoint(1351, 16, 381), author: "the network", want: instanceBytes},
		{target: "s3", workload: "sequential-read", parameters: map[string]string{"size": "1g", "numjobs": "1"}, published: mountpoint(605, 1, 0.9), author: "one reader", want: latency},
		{target: "s3", workload: "sequential-read", parameters: map[string]string{"size": "1g", "numjobs": "8"}, published: mountpoint(1341, 8, 7.2), author: "the network", want: instanceBytes},
		{target: "s3", workload: "sequential-read", parameters: map[string]string{"size": "1g", "numjobs": "16"}, published: mountpoint(1395, 16, 14.4), author: "the network", want: instanceBytes},
		{target: "s3", workload: "sequential-read", parameters: map[string]string{"size": "3g", "numjobs": "1"}, published: mountpoint(992, 1, 70), author: "one reader", want: latency},
		{target: "s3", workload: "sequential-read", parameters: map[string]string{"size": "3g", "numjobs": "8"}, published: mountpoint(1412, 8, 714), author: "the network", want: instanceBytes},
		{target: "s3", workload: "sequential-read", parameters: map[string]string{"size": "3g", "numjobs": "16"}, published: mountpoint(1423, 16, 1399), author: "the network", want: instanceBytes},
	},
}}

// published is how many figures each author has published: E2 of 2 volumes, E3 of 2 disks and 6 patterns, E4 of threads, of writes of 3 sizes and of reads from 1
// and from 2 clients, and of a stream, E5 of 3 sizes and 3 numbers of readers.
var published = map[string]int{"E1": 4, "E2": 2 * 4, "E3": 2 * 6, "E4": 2 + 2*3 + 2 + 1, "E5": 3 * 3}

// agreed are the reasons that mean what an author says.
var agreed = map[string][]string{
	"IOPS of the volume": {volumeIOPS}, "IOPS of the burst": {volumeIOPS}, "throughput of the volume": {volumeBytes}, "latency": {latency}, "threads wait for latency": {latency},
	"operations of one client": {queue}, "operations of the file system": {atStorage, queue}, "one reader": {latency}, "nearly the network": {atStorage},
	"burst throughput of the file system": {fileSystemBytes}, "throughput of the file system": {fileSystemBytes}, "the network": {instanceBytes},
	flattered: {unknown}, "": {volumeIOPS, volumeBytes, unknown},
}

// Every published row, as the samples plan it and with the limits that the operator finds for it, gets the verdict of its author; or a note says why not.
func TestPublishedRows(t *testing.T) {
	for _, e := range experiments {
		sb := sample(t, e.sample)
		runs, problems := plan.Runs(sb.Spec.Default(), nil)
		if len(problems) > 0 {
			t.Fatal(problems.ToAggregate())
		}
		all := make([]Findings, len(e.rows))
		measured := make([]v1alpha1.Run, len(e.rows))
		for i := range e.rows {
			r := &e.rows[i]
			planned := runOf(t, runs, r)
			all[i] = judge(planned, r.published, e.instance)
			measured[i] = v1alpha1.Run{
				Name: planned.Name, Target: r.target, Workload: r.workload, Parameters: r.parameters,
				Result: &r.published, LimitedBy: &all[i].LimitedBy[0],
			}
		}
		JudgeMatrices(measured, runs)
		for i, findings := range all {
			r, name := &e.rows[i], e.name+" "+measured[i].Name
			got := findings.LimitedBy[0]
			t.Logf("%s: %s; the author: %q; here: %s by %s: %s", name, figures(&r.published), r.author, got.Reason, got.Evidence, got.Message)
			if got.Reason != r.want || len(got.Message) > 512 {
				t.Errorf("%s is limited by %s: %s; want %s, the author says %q", name, got.Reason, got.Message, r.want, r.author)
			}
			if agrees := slices.Contains(agreed[r.author], r.want); !agrees && r.note == "" {
				t.Errorf("%s: the author says %q, and nothing tells why %s is said here", name, r.author, r.want)
			}
			if got := slices.ContainsFunc(findings.Warnings, func(w v1alpha1.Warning) bool { return w.Reason == v1alpha1.WarningFasterThanDocumented }); got != r.faster {
				t.Errorf("%s: warned that it is faster than documented: %t; %+v", name, got, findings.Warnings)
			}
		}
	}
}

// figures are what was published, for the log.
func figures(r *v1alpha1.Result) string {
	var all []string
	for direction, io := range r.Directions() {
		all = append(all, fmt.Sprintf("%d %ss/s, %d MiB/s", io.IOPS(), direction, io.BytesPerSecond/mib))
	}
	return strings.Join(all, ", ")
}

// All that the authors have published is there.
func TestAllRowsArePublished(t *testing.T) {
	for _, e := range experiments {
		if want := published[e.name]; len(e.rows) != want {
			t.Errorf("%s has %d rows, want %d", e.name, len(e.rows), want)
		}
	}
}

// E2's author names the better volume of each row. A single run of each shows by how much they differ, and not whether they do: there is no verdict.
func TestPublishedComparisons(t *testing.T) {
	var runs []v1alpha1.Run
	for _, r := range experiments[1].rows {
		runs = append(runs, v1alpha1.Run{Target: r.target, Workload: r.workload, Parameters: r.parameters, State: v1alpha1.RunSucceeded, Result: &r.published})
	}
	var got []string
	for _, c := range analysis.Compare(runs, []string{"gp2", "gp3"}, "gp2") {
		gp3 := c.Targets[1]
		got = append(got, strings.Join([]string{c.Parameters["numjobs"], c.Parameters["bs"], gp3.Of(v1alpha1.OperationTotal).MilliIOPS.Ratio, gp3.Of(v1alpha1.OperationRead).P50Nanoseconds.Ratio, gp3.Of(v1alpha1.OperationRead).P90Nanoseconds.Ratio, gp3.Of(v1alpha1.OperationWrite).P50Nanoseconds.Ratio, gp3.Of(v1alpha1.OperationWrite).P90Nanoseconds.Ratio, string(gp3.Of(v1alpha1.OperationTotal).Verdict())}, " "))
	}
	if diff := cmp.Diff([]string{
		"2 16k 1.06 1.12 1.50 0.83 0.91 TooFewRuns",
		"2 256k 1.00 0.80 1.32 0.75 1.46 TooFewRuns",
		"16 16k 1.00 1.01 1.02 0.99 0.99 TooFewRuns",
		"16 256k 1.00 1.01 1.00 0.99 0.98 TooFewRuns",
	}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func sample(t *testing.T, name string) *v1alpha1.StorageBenchmark {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "config", "samples", name+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	sb, schedule := &v1alpha1.StorageBenchmark{}, &v1alpha1.StorageBenchmarkSchedule{}
	if yaml.UnmarshalStrict(text, schedule) == nil {
		sb.Spec = schedule.Spec.Template.Spec
		return sb
	}
	if err := yaml.UnmarshalStrict(text, sb); err != nil {
		t.Fatal(err)
	}
	return sb
}

func runOf(t *testing.T, runs []plan.Run, r *row) *plan.Run {
	t.Helper()
	i := slices.IndexFunc(runs, func(run plan.Run) bool {
		return run.Target.Name == r.target && run.Workload.Name == r.workload && maps.Equal(run.Parameters, r.parameters)
	})
	if i < 0 {
		t.Fatalf("no run of %s on %s with %v", r.workload, r.target, r.parameters)
	}
	return &runs[i]
}

// judge says what the operator says of a published result.
func judge(planned *plan.Run, published v1alpha1.Result, instance string) Findings {
	target := planned.Target
	end := metav1.NewTime(time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC))
	published.Clients = planned.Clients
	facts := Facts{
		Planned: planned, Mode: corev1.PersistentVolumeFilesystem,
		Target: &v1alpha1.TargetStatus{
			Name: target.Name, Limits: storage.Limits(target, storage.Class{Region: "ap-northeast-1"}), ClientLimits: storage.ClientLimits(target, storage.Driver(target), instance),
		},
		Runs: []v1alpha1.Run{{Name: planned.Name, Target: target.Name, CompletionTime: &end, Result: &published}},
	}
	for range planned.Clients {
		facts.Anchors = append(facts.Anchors, v1alpha1.Anchor{Node: string(rune('a' + len(facts.Anchors))), InstanceType: instance})
	}
	known, _ := facts.known(planned.Clients, 1)
	loads := facts.loads()
	return Findings{
		LimitedBy: []v1alpha1.LimitedBy{analysis.Judge(&published, known[0], loads[0], analysis.Client{}, 0)},
		Warnings:  analysis.Warnings([]v1alpha1.Result{published}, known, loads, analysis.Client{}),
	}
}

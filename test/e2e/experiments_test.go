//go:build e2e

package e2e

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/series"
)

// samples are the published measurements, as they are on the local cluster.
var samples = sync.OnceValues(func() ([]byte, error) {
	return exec.Command("kubectl", "kustomize", "../../config/samples-local").Output()
})

// experiment returns the sample of a published measurement.
func experiment(t *testing.T, label string) *v1alpha1.StorageBenchmark {
	t.Helper()
	out, err := samples()
	if err != nil {
		t.Fatalf("kubectl kustomize: %v", err)
	}
	documents := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(out), 4096)
	for {
		sb := &v1alpha1.StorageBenchmark{}
		if err := documents.Decode(sb); errors.Is(err, io.EOF) {
			t.Fatalf("no sample has the label experiment=%s", label)
		} else if err != nil {
			t.Fatal(err)
		}
		if sb.Labels["experiment"] == label {
			sb.Namespace = namespaceOf(t)
			return sb
		}
	}
}

// measured applies a benchmark and returns it with its results. It shows what was measured, also when all is well.
func measured(t *testing.T, sb *v1alpha1.StorageBenchmark) *v1alpha1.StorageBenchmark {
	t.Helper()
	create(t, sb)
	done := completes(t, sb)
	t.Logf("%d runs in %s", len(done.Status.Runs), done.Status.CompletionTime.Sub(done.Status.StartTime.Time))
	for _, run := range done.Status.Runs {
		t.Logf("%s: %s, %s", run.Name, run.LimitedBy.Reason, run.LimitedBy.Message)
		wantCounters(t, done, &run)
	}
	for _, warning := range done.Status.Warnings {
		t.Logf("warning %s (%d): %s", warning.Reason, warning.Results, warning.Message)
	}
	return done
}

// runsOf returns the runs on a target that have the parameters.
func runsOf(sb *v1alpha1.StorageBenchmark, target string, parameters map[string]string) []v1alpha1.Run {
	return slices.DeleteFunc(slices.Clone(sb.Status.Runs), func(run v1alpha1.Run) bool {
		for name, value := range parameters {
			if run.Parameters[name] != value {
				return true
			}
		}
		return run.Target != target
	})
}

// wantBound checks what held back most of the runs on a target with the parameters.
func wantBound(t checker, sb *v1alpha1.StorageBenchmark, target string, parameters map[string]string, bound string) {
	t.Helper()
	runs := runsOf(sb, target, parameters)
	names := map[string]int{}
	for _, run := range runs {
		names[figuresBound(&run)]++
	}
	if names[bound] <= len(runs)/2 {
		t.Errorf("%d runs on %s with %v were held back by %v, want most by %s", len(runs), target, parameters, names, bound)
	}
}

// rate returns the mean IOPS of the runs on a target with the parameters, reads and writes together.
func rate(t checker, sb *v1alpha1.StorageBenchmark, target string, parameters map[string]string) float64 {
	t.Helper()
	runs := runsOf(sb, target, parameters)
	if len(runs) == 0 {
		t.Fatalf("no runs on %s with %v", target, parameters)
	}
	total := 0.0
	for _, run := range runs {
		for _, io := range run.Result.Directions() {
			total += float64(io.IOPS())
		}
	}
	return total / float64(len(runs))
}

// wantRatio checks that a is between so many times b.
func wantRatio(t checker, what string, a, b, least, most float64) {
	t.Helper()
	if got := a / b; got < least || got > most {
		t.Errorf("%s: %.0f is %.2f times %.0f, want %.2f to %.2f", what, a, got, b, least, most)
	}
}

// warned returns the message of a kind of warning, and how many results have it.
func warned(sb *v1alpha1.StorageBenchmark, reason string) (string, int32) {
	for _, warning := range sb.Status.Warnings {
		if warning.Reason == reason {
			return warning.Message, warning.Results
		}
	}
	return "", 0
}

// runOf returns the only run of a workload with the parameters.
func runOf(t checker, sb *v1alpha1.StorageBenchmark, workload string, parameters map[string]string) *v1alpha1.Run {
	t.Helper()
	for i := range sb.Status.Runs {
		run := &sb.Status.Runs[i]
		if run.Workload == workload && maps.Equal(run.Parameters, parameters) {
			return run
		}
	}
	t.Fatalf("no run of %s with %v", workload, parameters)
	return nil
}

// sumOf adds a figure up over the directions of a run.
func sumOf(run *v1alpha1.Run, of func(*v1alpha1.Figures) int64) int64 {
	total := int64(0)
	for _, io := range run.Result.Directions() {
		total += of(io)
	}
	return total
}

func targetOf(t checker, sb *v1alpha1.StorageBenchmark, name string) v1alpha1.TargetStatus {
	t.Helper()
	for _, target := range sb.Status.Targets {
		if target.Name == name {
			return target
		}
	}
	t.Fatalf("no target %s", name)
	return v1alpha1.TargetStatus{}
}

// E1: what bound each of the four rows of the published table.
func TestGP3AgainstEFS(t *testing.T) {
	ownNode(t, shares(theFileSystem), takes(itsLimits), quiet, budget(6*time.Minute))
	holds(t, experiment(t, "e1"), checkGP3AgainstEFS)
}

func checkGP3AgainstEFS(t checker, sb *v1alpha1.StorageBenchmark) {
	t.Helper()
	for _, row := range []struct{ target, bs, bound string }{
		{"gp3", "16k", v1alpha1.BoundVolumeIOPS},
		{"gp3", "64k", v1alpha1.BoundVolumeThroughput},
		{"efs", "16k", v1alpha1.BoundLatency},
		{"efs", "64k", v1alpha1.BoundFileSystemThroughput},
	} {
		wantBound(t, sb, row.target, map[string]string{"bs": row.bs}, row.bound)
	}
	if got := targetOf(t, sb, "efs").TestFiles; got != v1alpha1.TestFilesRemoved {
		t.Errorf("test files on EFS are %q", got)
	}
	for _, c := range sb.Status.Comparisons {
		efs := c.Targets[slices.IndexFunc(c.Targets, func(t v1alpha1.TargetComparison) bool { return t.Name == "efs" })]
		published := map[string]float64{"16k": 0.51, "64k": 0.81}[c.Parameters["bs"]]
		got, err := strconv.ParseFloat(efs.Of(v1alpha1.OperationWrite).MilliIOPS.Ratio, 64)
		if err != nil || got < published*0.8 || got > published*1.2 {
			t.Errorf("bs=%s: EFS has %s of gp3's IOPS, published were %.2f", c.Parameters["bs"], efs.Of(v1alpha1.OperationWrite).MilliIOPS.Ratio, published)
		}
	}
	if got := targetOf(t, sb, "gp3"); got.Limits == nil || *got.Limits.IOPS != 3000 || got.Volumes[0].InstanceType == "" || len(got.ClientLimits) == 0 {
		t.Errorf("target gp3 is %+v", got)
	}
}

// E2: gp2 and gp3 do the same as long as gp2 has credits, of which a warning tells.
func TestGP2AgainstGP3(t *testing.T) {
	ownNode(t, load(figures), budget(16*time.Minute)) // a try takes five
	holds(t, experiment(t, "e2"), checkGP2AgainstGP3)
}

func checkGP2AgainstGP3(t checker, sb *v1alpha1.StorageBenchmark) {
	t.Helper()
	if got := len(sb.Status.Comparisons); got != 4 {
		t.Errorf("%d comparisons of a 2 x 2 matrix", got)
	}
	checkLatenciesOfE2(t, sb)
	for _, target := range []string{"gp2", "gp3", "gp3-encrypted"} {
		wantBound(t, sb, target, map[string]string{"bs": "16k", "numjobs": "16"}, v1alpha1.BoundVolumeIOPS)
		wantBound(t, sb, target, map[string]string{"bs": "256k"}, v1alpha1.BoundVolumeThroughput)
		for _, bs := range []string{"16k", "256k"} {
			parameters := map[string]string{"bs": bs}
			wantRatio(t, target+" and gp2 at "+bs, rate(t, sb, target, parameters), rate(t, sb, "gp2", parameters), 0.9, 1.1)
		}
	}
	for _, c := range sb.Status.Comparisons {
		for _, target := range c.Targets[1:] {
			if target.Runs != 4 || target.Of(v1alpha1.OperationTotal) == nil || target.Of(v1alpha1.OperationTotal).Verdict() == "" || target.Of(v1alpha1.OperationTotal).Verdict() == v1alpha1.VerdictTooFewRuns {
				t.Errorf("%v: %+v has no verdict", c.Parameters, target)
			}
		}
	}
	if message, results := warned(sb, v1alpha1.WarningBurstCredits); results < 16 {
		t.Errorf("%d results are warned of: %q", results, message)
	}
}

// checkLatenciesOfE2 holds the latencies of the stand-in to the published ones. Those of two jobs with 256 KiB are left out: they moved 256 MiB/s, twice of what
// the volumes have, because in the published measurement they ended after a second. Below the limit the 90th percentile is the machine's as much as the stand-in's, and only told.
func checkLatenciesOfE2(t checker, sb *v1alpha1.StorageBenchmark) {
	t.Helper()
	for _, row := range []struct {
		target, numjobs, bs                  string
		readP50, readP90, writeP50, writeP90 int64 // us
	}{
		{"gp2", "2", "16k", 418, 494, 1032, 1208},
		{"gp3", "2", "16k", 470, 740, 860, 1096},
		{"gp2", "16", "16k", 5024, 5344, 5600, 5984},
		{"gp3", "16", "16k", 5088, 5472, 5536, 5920},
		{"gp2", "16", "256k", 30336, 31360, 31872, 33024},
		{"gp3", "16", "256k", 30592, 31360, 31616, 32384},
	} {
		r := leastDisturbed(runsOf(sb, row.target, map[string]string{"numjobs": row.numjobs, "bs": row.bs})).Result
		read, write := r.Of(v1alpha1.OperationRead).CompletionLatency, r.Of(v1alpha1.OperationWrite).CompletionLatency
		for _, figure := range []struct {
			what           string
			published, got int64
			held           bool
		}{
			{"p50 of reads", row.readP50, read.P50Nanoseconds, true},
			{"p90 of reads", row.readP90, read.P90Nanoseconds, row.numjobs == "16"},
			{"p50 of writes", row.writeP50, write.P50Nanoseconds, true},
			{"p90 of writes", row.writeP90, write.P90Nanoseconds, row.numjobs == "16"},
		} {
			got := figure.got / 1000
			t.Logf("%s numjobs=%s bs=%s: %s %d us, published %d", row.target, row.numjobs, row.bs, figure.what, got, figure.published)
			if figure.held {
				wantRatio(t, fmt.Sprintf("%s of numjobs=%s bs=%s on %s and what was published", figure.what, row.numjobs, row.bs, row.target), float64(got), float64(figure.published), 0.8, 1.2)
			}
		}
	}
}

// leastDisturbed returns the repetition with the lowest 90th percentiles: what the machine's neighbours take of its processors only adds to latencies.
func leastDisturbed(repetitions []v1alpha1.Run) v1alpha1.Run {
	p90 := func(r *v1alpha1.Run) int64 {
		return r.Result.Of(v1alpha1.OperationRead).CompletionLatency.P90Nanoseconds + r.Result.Of(v1alpha1.OperationWrite).CompletionLatency.P90Nanoseconds
	}
	return slices.MinFunc(repetitions, func(a, b v1alpha1.Run) int { return cmp.Compare(p90(&a), p90(&b)) })
}

// E3: an SSD is faster than a magnetic disk, and the credits it used are counted.
func TestMagneticAgainstSSD(t *testing.T) {
	ownNode(t, quiet, budget(8*time.Minute))
	holds(t, experiment(t, "e3"), checkMagneticAgainstSSD)
}

func checkMagneticAgainstSSD(t checker, sb *v1alpha1.StorageBenchmark) {
	t.Helper()
	if got := len(sb.Status.Comparisons); got != 6 {
		t.Errorf("%d comparisons of six patterns", got)
	}
	for _, rw := range []string{"randread", "randwrite", "randrw"} {
		parameters := map[string]string{"rw": rw}
		wantBound(t, sb, "gp2", parameters, v1alpha1.BoundVolumeIOPS)
		if ssd, disk := rate(t, sb, "gp2", parameters), rate(t, sb, "standard", parameters); ssd < 1.5*disk {
			t.Errorf("%s: the SSD has %.0f IOPS, the magnetic disk %.0f", rw, ssd, disk)
		}
	}
	credits := targetOf(t, sb, "gp2").BurstCredits
	if credits == nil || credits.IOs == nil || *credits.IOs >= 5_400_000 || *credits.IOs < 5_000_000 || credits.SecondsToBaseline != 2000 {
		t.Errorf("burst credits are %+v", credits)
	}
	if message, results := warned(sb, v1alpha1.WarningBurstCredits); results == 0 {
		t.Errorf("no warning of burst credits: %q", message)
	}
}

// E3's wish: a run that sees the fall when credits run out.
func TestBurstCreditsRunOut(t *testing.T) {
	ownNode(t, load(figures), budget(5*time.Minute))
	const credits = 9000
	sb := benchmark(t, "credits", func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Placement = nil // its own node, so that nobody else slows it down
		sb.Spec.Targets = []v1alpha1.Target{{
			Name: "gp2", EBS: &v1alpha1.EBSVolume{
				Type: "gp2", FSType: new("xfs"),
				// The local driver begins with so few of them.
				Tags: map[string]v1alpha1.TagValue{"storagebench.dev/stand-in-credits": v1alpha1.TagValue(fmt.Sprint(credits))},
			},
			Limits: &v1alpha1.Limits{
				IOPS: new(int64(3000)), BytesPerSecond: new(int64(128 << 20)),
				Burst: &v1alpha1.Burst{BaselineIOPS: new(int64(100)), IOCredits: new(int64(credits))},
			},
		}}
		sb.Spec.Workloads = []v1alpha1.Workload{{Name: "randwrite", Fio: &v1alpha1.FioParameters{
			RW: "randwrite", BS: new("16k"), IOEngine: new("libaio"), IODepth: new(int32(16)), Direct: new(true),
			Size: new("16M"), TimeBased: new(true), RuntimeSeconds: new(int32(20)),
		}}}
		sb.Spec.Repetitions = new(int32(2))
	})
	holds(t, sb, func(c checker, done *v1alpha1.StorageBenchmark) {
		checkCreditsRunOut(c, done, seriesOf(t, &done.Status.Runs[0]), credits)
	})
}

// checkCreditsRunOut checks that the first run, which has this series, used up so many credits, and that the second one had none.
func checkCreditsRunOut(t checker, sb *v1alpha1.StorageBenchmark, of *series.Series, credits float64) {
	t.Helper()
	first, second := sb.Status.Runs[0], sb.Status.Runs[1]
	wantRatio(t, "IOPS before and after the credits ran out", float64(first.Result.Of(v1alpha1.OperationWrite).IOPS()), float64(second.Result.Of(v1alpha1.OperationWrite).IOPS()), 3, 10)
	if message, _ := warned(sb, v1alpha1.WarningBurstCredits); message == "" {
		t.Errorf("no warning of burst credits")
	}
	// While they are used at 3,000 a second, 100 come back.
	wantCliff(t, &first, of, credits/(3000-100), 3000, 100)
	if over := second.Result.OverTime; over != nil && over.Fall != nil {
		t.Errorf("the second run, all of it at the baseline, fell as well: %+v", over.Fall)
	}
	if second.LimitedBy.Reason != v1alpha1.BoundVolumeIOPS || second.LimitedBy.LimitIOPS == nil || *second.LimitedBy.LimitIOPS > 150 {
		t.Errorf("the second run was held back by %+v", second.LimitedBy)
	}
	// Between the runs, and as the last one begins, the bookkeeping gives the volume 100 credits a second.
	if left := targetOf(t, sb, "gp2").BurstCredits; left == nil || left.IOs == nil || *left.IOs > 8*100 {
		t.Errorf("burst credits are %+v", left)
	}
}

// E4: threads wait for latency, the bytes of an operation do not matter, and two clients do twice as much as one, until
// both together reach what the file system can do.
func TestEFSOperations(t *testing.T) {
	ownNode(t, twoNodes, shares(theFileSystem), takes(itsLimits), quiet, budget(9*time.Minute))
	holds(t, experiment(t, "e4"), checkEFSOperations)
}

func checkEFSOperations(t checker, sb *v1alpha1.StorageBenchmark) {
	t.Helper()
	writes := func(clients, numjobs, bs string) *v1alpha1.Run {
		return runOf(t, sb, "writes", map[string]string{"clients": clients, "numjobs": numjobs, "bs": bs})
	}
	iops := func(run *v1alpha1.Run) float64 {
		return float64(sumOf(run, func(io *v1alpha1.Figures) int64 { return io.IOPS() }))
	}
	reads := runOf(t, sb, "reads", map[string]string{"numjobs": "1", "bs": "1"})
	wantRatio(t, "writes of 10k and of 1 byte", iops(writes("1", "1", "10k")), iops(writes("1", "1", "1")), 0.7, 1.3)
	wantRatio(t, "20 writers and 1", iops(writes("1", "20", "1")), iops(writes("1", "1", "1")), 3, 20)
	wantRatio(t, "reads and writes of one thread", iops(reads), iops(writes("1", "1", "1")), 2, 20)

	for _, row := range []struct {
		clients, numjobs, bs, bound string
		least, most                 float64
	}{
		{"1", "1", "10k", v1alpha1.BoundLatency, 1, 1},
		{"1", "20", "10k", v1alpha1.BoundLatency, 1, 1},
		{"1", "20", "40k", v1alpha1.BoundLatency, 1, 1},
		{"2", "1", "10k", v1alpha1.BoundLatency, 1.8, 2.2},
		{"2", "20", "10k", v1alpha1.BoundLatency, 1.8, 2.2},
		{"2", "20", "40k", v1alpha1.BoundFileSystemThroughput, 1.4, 1.75},
	} {
		run := writes(row.clients, row.numjobs, row.bs)
		if figuresBound(run) != row.bound {
			t.Errorf("%s was held back by %+v, want %s", run.Name, run.LimitedBy, row.bound)
		}
		wantRatio(t, run.Name+" and one client", iops(run), iops(writes("1", row.numjobs, row.bs)), row.least, row.most)
	}
	if one := writes("1", "1", "10k").LimitedBy; one.Evidence != v1alpha1.EvidenceProbe || !strings.Contains(one.Message, "numjobs=20") {
		t.Errorf("20 threads are no probe of one: %+v", one)
	}
	for i := range sb.Status.Runs {
		if run := &sb.Status.Runs[i]; run.Clients > 1 {
			checkTogether(t, sb, run)
		}
	}
}

// checkTogether checks that the clients of a run measured together, from different nodes, and alike.
func checkTogether(t checker, sb *v1alpha1.StorageBenchmark, run *v1alpha1.Run) {
	t.Helper()
	r := run.Result
	if r.Clients != run.Clients || r.StartSkewMilliseconds == nil || r.CommonMilliseconds < r.ElapsedMilliseconds*8/10 {
		t.Errorf("%s: %d clients, start skew %v, %d ms together of %d", run.Name, r.Clients, r.StartSkewMilliseconds, r.CommonMilliseconds, r.ElapsedMilliseconds)
	}
	t.Logf("%s: %d attempts, start skew %d ms, %+v", run.Name, run.Attempts, ptr.Deref(r.StartSkewMilliseconds, -1), r.Of(v1alpha1.OperationWrite).PerClient)
	if spread := r.Of(v1alpha1.OperationWrite).PerClient; spread == nil || float64(spread.MaxMilliIOPS) > 1.5*float64(spread.MinMilliIOPS) {
		t.Errorf("%s: the clients differ by %+v", run.Name, spread)
	}
	nodes := map[string]bool{}
	for _, anchor := range sb.Status.Anchors {
		nodes[anchor.Node] = true
	}
	if len(nodes) < int(run.Clients) {
		t.Errorf("%s: %d clients measured from %v", run.Name, run.Clients, nodes)
	}
}

// E5: more readers read more, up to what the machine can do.
func TestS3SequentialReads(t *testing.T) {
	ownNode(t, quietest, budget(5*time.Minute))
	needsBucket(t)
	holds(t, experiment(t, "e5"), checkS3SequentialReads)
}

func checkS3SequentialReads(t checker, sb *v1alpha1.StorageBenchmark) {
	t.Helper()
	for _, size := range []string{"64M", "128M"} {
		of := func(numjobs string) float64 {
			return rate(t, sb, "s3", map[string]string{"size": size, "numjobs": numjobs})
		}
		wantRatio(t, "8 readers and 1 of "+size, of("8"), of("1"), 1.3, 20)
	}
	if got := targetOf(t, sb, "s3").TestFiles; got != v1alpha1.TestFilesRemoved {
		t.Errorf("test files in the bucket are %q", got)
	}
}

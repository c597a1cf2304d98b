package analysis

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// waiting is a run of 60 s of one job that waits for each I/O, at so many a second.
func waiting(iops int64) *v1alpha1.Result {
	io := blocks(iops, 2300, 1_000_000_000/iops)
	io.Count = 60 * iops
	return &v1alpha1.Result{ElapsedMilliseconds: 60_000, Figures: v1alpha1.ListOf(io.As(v1alpha1.OperationWrite))}
}

// What is called latency on a quiet node is the node's CPUs on a busy one, and nothing else becomes that.
func TestBusyNode(t *testing.T) {
	const none = int32(-1)
	of := func(busy, others, waited int64) NodeLoad {
		return NodeLoad{BusyPermille: busy, OthersPermille: others, WaitedPermille: waited}
	}
	served := func(n NodeLoad) NodeLoad {
		n.Served = true
		return n
	}
	for _, test := range []struct {
		name           string
		node           NodeLoad
		throttled      int32
		iops           int64
		bound, warning string
	}{
		{"unknown", NodeLoad{}, none, 500, v1alpha1.BoundLatency, ""},
		{"quiet", of(284, 91, 21), none, 500, v1alpha1.BoundLatency, ""},
		{"busy", of(930, 880, 679), none, 500, v1alpha1.BoundNodeCPU, "fio's jobs waited for a CPU in 67.9 % of their time: others used 88 % of the node's CPU time"},
		{"busy, but fio has its share of it", of(1000, 950, 60), none, 500, v1alpha1.BoundLatency, ""},
		{"busy with fio's own jobs", of(900, 90, 800), none, 500, v1alpha1.BoundLatency, ""},
		{"at a limit all the same", of(930, 880, 679), none, 3000, v1alpha1.BoundVolumeIOPS, "fio's jobs waited"},
		{"held back by a limit of the container", of(400, 380, 600), 30, 500, v1alpha1.BoundLatency, ""},
		{"hardly held back", of(930, 880, 679), 0, 500, v1alpha1.BoundNodeCPU, "fio's jobs waited"},
		{"what serves the storage has no CPU", served(of(950, 800, 40)), none, 500, v1alpha1.BoundNodeCPU,
			"the node's CPUs were 95 % busy, and what serves this storage needs them as well: others than fio used 80 %"},
		{"it has", served(of(890, 800, 40)), none, 500, v1alpha1.BoundLatency, ""},
		{"fio itself keeps it busy", served(of(950, 300, 40)), none, 500, v1alpha1.BoundLatency, ""},
		{"nothing serves it", of(950, 800, 40), none, 500, v1alpha1.BoundLatency, ""},
	} {
		client := Client{Node: test.node}
		if test.throttled != none {
			client.ThrottledPercent = &test.throttled
		}
		r, load, known := waiting(test.iops), Load{InFlight: 1, Jobs: 1}, Known{Storage: gp3}
		got := Judge(r, known, load, client, 0)
		if got.Reason != test.bound {
			t.Errorf("%s: limited by %s: %s", test.name, got.Reason, got.Message)
		}
		if got.Reason == v1alpha1.BoundNodeCPU && (!strings.HasPrefix(got.Message, test.warning) || !strings.Contains(got.Message, "by figures alone it would be Latency: ") || strings.Contains(got.Message, "try more")) {
			t.Errorf("%s: %s", test.name, got.Message)
		}
		all := Warnings([]v1alpha1.Result{*r}, []Known{known}, []Load{load}, client)
		at := slices.IndexFunc(all, func(w v1alpha1.Warning) bool { return w.Reason == v1alpha1.WarningNodeBusy })
		if (at >= 0) != (test.warning != "") || at >= 0 && !strings.HasPrefix(all[at].Message, test.warning) {
			t.Errorf("%s: warnings are %+v, want %q", test.name, all, test.warning)
		}
	}
}

// A probe that shows a limit shows that of the node where what serves the storage has no CPU.
func TestProbeOnBusyNode(t *testing.T) {
	r := waiting(500)
	probe := &v1alpha1.ProbeResult{InFlight: 2, Figures: v1alpha1.Figures{
		Name: v1alpha1.OperationTotal, MilliIOPS: 500_000, BytesPerSecond: 500 * 2300, Latency: &v1alpha1.Latency{MeanNanoseconds: 4_000_000},
	}}
	for served, want := range map[bool]string{false: v1alpha1.BoundStorage, true: v1alpha1.BoundNodeCPU} {
		client := Client{Node: NodeLoad{BusyPermille: 950, OthersPermille: 900, Served: served}}
		if got := Judge(r, Known{Probe: probe}, Load{InFlight: 1, Jobs: 1, ProbeJobs: 1}, client, 0); got.Reason != want {
			t.Errorf("served by a process: %t: limited by %s: %s", served, got.Reason, got.Message)
		}
	}
}

// Runs of etcd's preset (fio 3.33, one job, fdatasync after each write of 2,300 bytes, ext4) on a node with two CPUs
// beside the compilers of other people, from quiet to busy, in their order of how busy the node was.
func TestBusyNodeRuns(t *testing.T) {
	for _, run := range []struct {
		busy, others, waited int64 // thousandths
		iops                 int64
		p99                  float64 // of fdatasync, in milliseconds
		want                 bool
	}{
		{284, 91, 21, 4991, 0.34, false},
		{727, 622, 326, 3536, 2.67, true},
		{744, 616, 204, 4392, 1.35, true},
		{804, 704, 329, 3661, 2.18, true},
		{890, 804, 459, 2890, 3.78, true},
		{930, 880, 679, 1707, 4.05, true},
		{976, 939, 779, 1158, 6.19, true},
		{996, 972, 864, 485, 7.96, true},
		{1000, 989, 942, 181, 15.79, true},
	} {
		node := NodeLoad{BusyPermille: run.busy, OthersPermille: run.others, WaitedPermille: run.waited}
		if got := node.isBusy(); got != run.want {
			t.Errorf("%d IOPS, p99 %.2f ms: busy is %t for %+v", run.iops, run.p99, got, node)
		}
	}
}

// nodeModel is a node with some CPUs on which other work comes in bursts, and fio waits for one I/O after another.
// Where no CPU is idle when an I/O has ended, fio waits for the end of a burst or of a time slice.
type nodeModel struct {
	cpus        int
	utilization float64 // of all CPUs, by others
}

const (
	modelBurst   = 0.005   // seconds of a burst of other work, on average
	modelSlice   = 0.003   // seconds that a task runs on when others wait (base_slice_ns of Linux 6.12)
	modelIO      = 0.001   // seconds of an I/O, on average
	modelOfFio   = 0.00003 // seconds of CPU time of an I/O
	modelRuntime = 10.0    // seconds
)

// run returns how busy the node was during a run.
func (m nodeModel) run(random *rand.Rand) NodeLoad {
	ends := make([]float64, m.cpus) // when each CPU is idle
	arrives, worked, waited, used := 0.0, 0.0, 0.0, 0.0
	for now := 0.0; now < modelRuntime; {
		now += modelIO * random.ExpFloat64()
		for ; arrives < now; arrives += random.ExpFloat64() * modelBurst / (m.utilization * float64(m.cpus)) {
			first := slices.Index(ends, slices.Min(ends))
			burst := modelBurst * random.ExpFloat64()
			ends[first] = max(ends[first], arrives) + burst
			worked += burst
		}
		if wait := min(slices.Min(ends)-now, modelSlice); wait > 0 {
			waited += wait
			now += wait
		}
		now += modelOfFio
		used += modelOfFio
	}
	permille := func(seconds, of float64) int64 { return int64(1000 * min(seconds/of, 1)) }
	all := modelRuntime * float64(m.cpus)
	return NodeLoad{BusyPermille: permille(worked+used, all), OthersPermille: permille(worked, all), WaitedPermille: permille(waited, modelRuntime)}
}

// On nodes as quiet as a measurement asks for there is hardly ever a warning, and on busy ones there always is. An EKS
// node with nothing but its own daemons has some percent of other work.
func TestNodeBusyInSimulation(t *testing.T) {
	const times = 400
	random := rand.New(rand.NewPCG(20, 26))
	for _, test := range []struct {
		node            nodeModel
		atLeast, atMost float64 // share of runs with the warning
	}{
		{nodeModel{2, 0.05}, 0, 0.01},
		{nodeModel{2, 0.10}, 0, 0.01},
		{nodeModel{2, 0.20}, 0, 0.01},
		{nodeModel{4, 0.25}, 0, 0.01},
		{nodeModel{8, 0.45}, 0, 0.01},
		{nodeModel{2, 0.80}, 0.99, 1},
		{nodeModel{4, 0.90}, 0.99, 1},
		{nodeModel{8, 0.95}, 0.99, 1},
	} {
		warned, lost := 0, 0.0
		for range times {
			load := test.node.run(random)
			lost += float64(load.waitedForOthers()) / times / 1000
			if load.isBusy() {
				warned++
			}
		}
		share := float64(warned) / times
		t.Logf("%d CPUs, %.0f %% other work: fio waited for it in %.1f %% of its time, and %.1f %% of the runs have a warning", test.node.cpus, 100*test.node.utilization, 100*lost, 100*share)
		if share < test.atLeast || share > test.atMost {
			t.Errorf("%+v: %.3f of the runs have a warning, want %v to %v", test.node, share, test.atLeast, test.atMost)
		}
	}
}

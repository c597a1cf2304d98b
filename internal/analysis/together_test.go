package analysis

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// TestLimitsTogether: volumes and nodes that are used side by side can do together what each of them can. What clients
// share does not become more by that.
func TestLimitsTogether(t *testing.T) {
	limits := func(scope v1alpha1.LimitScope, iops int64) v1alpha1.KnownLimits {
		return v1alpha1.KnownLimits{Limits: v1alpha1.Limits{Scope: scope, IOPS: &iops, BytesPerSecond: new(int64(1 << 40))}}
	}
	perDirection := v1alpha1.KnownLimits{Limits: v1alpha1.Limits{ReadIOPS: new(int64(500)), WriteIOPS: new(int64(1)), ReadBytesPerSecond: new(int64(1 << 40))}}
	large := limits(v1alpha1.ScopeVolume, 1_000_000)
	fileSystem := limits(v1alpha1.ScopeFileSystem, 1000)
	for _, test := range []struct {
		name  string
		known Known
		iops  int64
		want  v1alpha1.LimitedBy
	}{
		{"two volumes", Known{Storage: gp3, Volumes: 2}, 6000, limitedBy(v1alpha1.BoundVolumeIOPS, 6000, 100, "6000 of the 2 volumes' 6000 IOPS (100 %)")},
		{"just not two volumes", Known{Storage: gp3, Volumes: 2}, 5369, limitedBy(v1alpha1.BoundLatency, 16, 100,
			"16 of 16 I/Os were in flight all the time, each for 2.98ms on average, and the nearest limit of the storage has room (5369 of the 2 volumes' 6000 IOPS, 89 %; those of the node are unknown): try more jobs or a higher iodepth")},
		{"one volume", Known{Storage: gp3, Volumes: 1}, 3000, limitedBy(v1alpha1.BoundVolumeIOPS, 3000, 100, "3000 of the volume's 3000 IOPS (100 %)")},
		{"each direction of three volumes", Known{Storage: &perDirection, Volumes: 3}, 1500, limitedBy(v1alpha1.BoundVolumeIOPS, 1500, 100, "1500 of the 3 volumes' 1500 IOPS of reads (100 %)")},
		{"a file system that clients share", Known{Storage: &fileSystem, Nodes: 2}, 1000, limitedBy(v1alpha1.BoundFileSystemIOPS, 1000, 100, "1000 of the file system's 1000 IOPS (100 %)")},
		{"two volumes on one file system", Known{Storage: &fileSystem, Volumes: 2}, 1000, limitedBy(v1alpha1.BoundFileSystemIOPS, 1000, 100, "1000 of the file system's 1000 IOPS (100 %)")},
		{"a volume that clients share", Known{Storage: new(limits("", 1000)), Nodes: 4}, 1000, limitedBy(v1alpha1.BoundVolumeIOPS, 1000, 100, "1000 of the volume's 1000 IOPS (100 %)")},
		{"two instances", Known{Storage: &large, Client: clients(limits(v1alpha1.ScopeInstance, 1000)), Volumes: 2, Nodes: 2}, 2000,
			limitedBy(v1alpha1.BoundInstanceIOPS, 2000, 100, "2000 of the 2 instances' 2000 IOPS (100 %)")},
		{"four volumes on two instances", Known{Storage: gp3, Client: clients(limits(v1alpha1.ScopeInstance, 5000)), Volumes: 4, Nodes: 2}, 10_000,
			limitedBy(v1alpha1.BoundInstanceIOPS, 10_000, 100, "10000 of the 2 instances' 10000 IOPS (100 %)")},
		{"three clients of a file system", Known{Storage: new(limits(v1alpha1.ScopeFileSystem, 9000)), Client: clients(limits(v1alpha1.ScopeClient, 1000)), Nodes: 3}, 3000,
			limitedBy(v1alpha1.BoundClientIOPS, 3000, 100, "3000 of the 3 clients' 3000 IOPS (100 %)")},
		{"two volumes without credits", Known{Storage: gp2Of100GiB, Volumes: 2, Credits: spent}, 600,
			limitedBy(v1alpha1.BoundVolumeIOPS, 600, 100, "600 of the 2 volumes' 600 IOPS that remain without burst credits (100 %)")},
		{"two volumes at a baseline, of which credits are unknown", Known{Storage: gp2Of100GiB, Volumes: 2}, 600,
			limitedBy(v1alpha1.BoundVolumeIOPS, 600, 100, "600 of the 2 volumes' 600 IOPS that remain without burst credits (100 %)")},
		{"two volumes that ran out", Known{Storage: gp2Of100GiB, Volumes: 2, Credits: &Credits{Before: 1, RanOut: true, BurstShare: 0.5, SecondsToEmpty: 2000}}, 3300,
			limitedBy(v1alpha1.BoundVolumeIOPS, 3300, 100, "3300 of the 2 volumes' 3300 IOPS on average (100 %): burst credits ran out during the run, so it shows neither the burst nor the baseline")},
		{"two instances at their baseline", Known{Storage: &large, Client: clients(network(1<<40, 4_096_000)), Nodes: 2}, 2000, v1alpha1.LimitedBy{
			Reason: v1alpha1.BoundUnknown, Message: "7.81 of the 2 instances' 7.81 MiB/s of reads that remain without burst credits (100 %): " +
				"this held the result back if no burst credits were left, something else if some were; it is unknown which",
		}},
		{"more than a number holds", Known{Storage: taking(16_000, 16_000, v1alpha1.KnownLimits{Limits: v1alpha1.Limits{IOPS: new(int64(math.MaxInt64)), BytesPerSecond: new(int64(math.MaxInt64 / 2))}}), Volumes: 128}, 1000, limitedBy(v1alpha1.BoundLatency, 16, 100,
			"16 of 16 I/Os were in flight all the time, each for 16ms on average, and the nearest limit of the storage has room (3.91 of the 128 volumes' 8796093022208 MiB/s, 0 %; those of the node are unknown): try more jobs or a higher iodepth")},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := test.known.Storage.DeepCopy()
			r := &v1alpha1.Result{Clients: 2, Figures: v1alpha1.ListOf(blocks(test.iops, 4096, 16_000_000_000/test.iops).As(v1alpha1.OperationRead))}
			if diff := cmp.Diff(test.want, Bound(r, test.known, psync16, Client{})); diff != "" {
				t.Errorf("bound (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, test.known.Storage); diff != "" {
				t.Errorf("what is known was changed:\n%s", diff)
			}
		})
	}
}

// TestLoadTimes: each client asks for all of it, and what is unknown of one is unknown of all.
func TestLoadTimes(t *testing.T) {
	one := Load{InFlight: 16, Jobs: 4, RateIOPS: 100, FileBytes: 1 << 30, Buffered: true, Reads: true, LatencyOff: true, NewDevice: true}
	want := Load{InFlight: 48, Jobs: 12, RateIOPS: 300, FileBytes: 3 << 30, Buffered: true, Reads: true, LatencyOff: true, NewDevice: true}
	before := one
	if diff := cmp.Diff(want, one.Times(3)); diff != "" {
		t.Errorf("three clients (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, one.Times(1)); diff != "" || one != before {
		t.Errorf("one client:\n%s", diff)
	}
	if got := (Load{RateBytesPerSecond: math.MaxInt64 / 2}).Times(3); got.RateBytesPerSecond != math.MaxInt64 {
		t.Errorf("more than a number holds: %+v", got)
	}
}

// TestLoadOfClients: rate, jobs and I/Os in flight are those of all clients, and so are the results.
func TestLoadOfClients(t *testing.T) {
	cpu := func(user, system int32) *v1alpha1.CPUResult {
		return &v1alpha1.CPUResult{UserPercent: user, SystemPercent: system}
	}
	// 3000 IOPS, of which at 8 ms each 24 are in flight, 8 of each of three clients.
	io := blocks(3000, 4096, 8_000_000)
	eight := Load{InFlight: 8, Jobs: 8}
	const noLimits = "no limits of the storage are known: set spec.targets[].limits"
	for _, test := range []struct {
		name   string
		cpu    *v1alpha1.CPUResult
		known  Known
		load   Load
		client Client
		want   v1alpha1.LimitedBy
	}{{
		name: "in flight", known: Known{Storage: gp3, Volumes: 3}, load: eight,
		want: limitedBy(v1alpha1.BoundLatency, 24, 100,
			"24 of 24 I/Os were in flight all the time, each for 8ms on average, and the nearest limit of the storage has room (3000 of the 3 volumes' 9000 IOPS, 33 %; those of the node are unknown): try more jobs or a higher iodepth"),
	}, {
		name: "fewer in flight", known: Known{Storage: gp3, Volumes: 3}, load: Load{InFlight: 16},
		want: v1alpha1.LimitedBy{Reason: v1alpha1.BoundUnknown, Message: "no known limit is reached, but only 24 of the 48 I/Os that the workload asks for were in flight, each for 8ms on average"},
	}, {
		name: "rate", load: Load{RateIOPS: 1000},
		want: limitedBy(v1alpha1.BoundWorkloadRate, 3000, 100, "3000 of the workload's 3000 IOPS (100 %)"),
	}, {
		name: "CPU of each job", cpu: cpu(30, 60), load: Load{Jobs: 4},
		want: limitedBy(v1alpha1.BoundClientCPU, 1200, 90, "each of fio's jobs used 90 % of a CPU, and a job can use no more than one"),
	}, {
		name: "CPU of the containers", cpu: cpu(10, 35), load: Load{Jobs: 4}, client: Client{CPUMillis: 6000},
		want: limitedBy(v1alpha1.BoundClientCPU, 600, 90, "fio used 540 % of CPU, and its 3 containers may use 600 % (100 for each CPU)"),
	}, {
		name: "not quite the containers'", cpu: cpu(10, 35), load: Load{Jobs: 4}, client: Client{CPUMillis: 6001},
		want: v1alpha1.LimitedBy{Reason: v1alpha1.BoundUnknown, Message: noLimits},
	}, {
		name: "throttled", cpu: cpu(10, 30), load: Load{Jobs: 1}, client: Client{CPUMillis: 1500, ThrottledPercent: new(int32(50))},
		want: limitedBy(v1alpha1.BoundClientCPU, 150, 80, "the 3 containers' CPU limit held fio back in 50 % of scheduling periods"),
	}} {
		t.Run(test.name, func(t *testing.T) {
			r := &v1alpha1.Result{Clients: 3, Figures: v1alpha1.ListOf(io.As(v1alpha1.OperationRead)), CPU: test.cpu}
			if diff := cmp.Diff(test.want, Bound(r, test.known, test.load.Times(3), test.client)); diff != "" {
				t.Errorf("bound (-want +got):\n%s", diff)
			}
		})
	}
}

// TestCreditsOfClients: of clients with a volume each, a volume has paid for its part of the run, and for none of a run in
// which it had no part; the first had a part in all.
func TestCreditsOfClients(t *testing.T) {
	// Of one volume it is a minute of 3000 I/Os a second, of which 300 are earned.
	const minute, all = 2700 * 60, 5_400_000
	run := func(name string, end int64, clients int32, iops int64) v1alpha1.Run {
		r := ran(name, end, 60, measured(iops, 16<<10, 60), nil)
		r.Clients = clients
		return r
	}
	fileSystem := gp2Of100GiB.DeepCopy()
	fileSystem.Scope = v1alpha1.ScopeFileSystem
	for _, test := range []struct {
		name    string
		limits  *v1alpha1.KnownLimits
		volumes Volumes
		runs    []v1alpha1.Run
		left    int64
		assumed bool
	}{
		{"one client", gp2Of100GiB, Volumes{New: true, PerClient: true}, []v1alpha1.Run{run("a", 100, 0, 3000)}, all - minute, false},
		{"four clients", gp2Of100GiB, Volumes{New: true, PerClient: true}, []v1alpha1.Run{run("a", 100, 4, 12_000)}, all - minute, false},
		{"more and more clients", gp2Of100GiB, Volumes{New: true, PerClient: true}, []v1alpha1.Run{run("a", 100, 0, 3000), run("b", 160, 2, 6000), run("c", 220, 4, 12_000)}, all - 3*minute, false},
		{"four clients of one volume", gp2Of100GiB, Volumes{New: true}, []v1alpha1.Run{run("a", 100, 4, 3000)}, all - minute, false},
		{"four volumes on one file system", fileSystem, Volumes{New: true, PerClient: true}, []v1alpha1.Run{run("a", 100, 4, 3000)}, all - minute, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			history := FollowCredits("t", test.limits, test.runs, test.volumes, nil)
			if left := history.Left(); *left.IOs != test.left {
				t.Errorf("%d I/Os are left, want %d", *left.IOs, test.left)
			}
			for i := range test.runs {
				if credits := history.Of(test.runs[i].Name, 0); credits.Assumed != test.assumed || credits.RanOut {
					t.Errorf("credits of run %d: %+v", i, credits)
				}
			}
		})
	}
}

// TestBurstsTogether: what is told of a baseline is that of all volumes or nodes.
func TestBurstsTogether(t *testing.T) {
	full := &Credits{Before: 1, After: 0.97, BurstShare: 1, SecondsToEmpty: 2000}
	ranOut := &Credits{Before: 1, RanOut: true, BurstShare: 0.5, SecondsToEmpty: 2000}
	for _, test := range []struct {
		name  string
		iops  int64
		known Known
		want  string
	}{
		{"credits", 6000, Known{Storage: gp2Of100GiB, Volumes: 2, Credits: full},
			"ran on burst credits at 6000 IOPS, where the 2 volumes' baseline is 600 IOPS; 97 % of the first's are left; a full bucket lasts for 2000 s at this rate"},
		{"credits, held by latency", 2000, Known{Storage: gp2Of100GiB, Volumes: 2, Credits: full},
			"ran on burst credits at 2000 IOPS, where the 2 volumes' baseline is 600 IOPS; 97 % of the first's are left; a full bucket lasts for 7714 s at this rate"},
		{"credits, in company", 500, Known{Storage: gp2Of100GiB, Volumes: 2, Credits: full, Company: &Company{names: []string{"b"}, read: ioRate{1500, 1500 * 4096}}},
			"ran on burst credits at 2000 IOPS of 2 sections, where the 2 volumes' baseline is 600 IOPS; 97 % of the first's are left; a full bucket lasts for 7714 s at this rate"},
		{"credits that ran out", 3300, Known{Storage: gp2Of100GiB, Volumes: 2, Credits: ranOut},
			"burst credits ran out during the run, after 2000 s at the earliest: its average of 3300 IOPS shows neither the burst nor the 2 volumes' baseline of 600"},
		{"unknown credits", 6000, Known{Storage: gp2Of100GiB, Volumes: 2}, "ran at 6000 IOPS, where the 2 volumes' baseline is 600 IOPS: it can keep this up only as long as it has burst credits"},
		{"within the baseline of both", 600, Known{Storage: gp2Of100GiB, Volumes: 2, Credits: full}, ""},
		{"instances", 8000, Known{Storage: gp3, Volumes: 4, Client: clients(m6iLargeEBS), Nodes: 2}, "did 8000 IOPS, where the 2 instances' baseline is 7200 IOPS: it can keep this up for 30 minutes, at least once in 24 hours"},
		{"within the baseline of both instances", 7200, Known{Storage: gp3, Volumes: 4, Client: clients(m6iLargeEBS), Nodes: 2}, ""},
	} {
		result := &v1alpha1.Result{ElapsedMilliseconds: 60_000, Clients: 2, Figures: v1alpha1.ListOf(blocks(test.iops, 4096, 0).As(v1alpha1.OperationRead))}
		got := worstMessage("", []func(seen) string{storageBursts, clientBursts}, []seen{{result: result, known: test.known}})
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestWarningsOfClients(t *testing.T) {
	result := func(skew *int64, common, elapsed int64) v1alpha1.Result {
		return v1alpha1.Result{Clients: 3, StartSkewMilliseconds: skew, CommonMilliseconds: common, ElapsedMilliseconds: elapsed, Figures: v1alpha1.ListOf(sampled(100_000).As(v1alpha1.OperationRead))}
	}
	good := result(new(int64(100)), 60_000, 60_000)
	for _, test := range []struct {
		name    string
		results []v1alpha1.Result
		client  Client
		want    []v1alpha1.Warning
	}{{
		name: "as far apart as is good", results: []v1alpha1.Result{good}, client: Client{ClockSpread: time.Second},
	}, {
		name: "a start that fio does not tell", results: []v1alpha1.Result{result(nil, 60_000, 60_000)},
	}, {
		name: "one client", results: []v1alpha1.Result{{ElapsedMilliseconds: 60_000, Figures: v1alpha1.ListOf(sampled(100_000).As(v1alpha1.OperationRead))}},
	}, {
		name: "skew", results: []v1alpha1.Result{good, result(new(int64(101)), 60_000, 60_000), result(new(int64(5000)), 60_000, 60_000)},
		want: []v1alpha1.Warning{{Reason: v1alpha1.WarningStartSkew, Message: "3 clients began within 101 ms of each other, more than 100 ms"}},
	}, {
		name: "clocks", results: []v1alpha1.Result{good}, client: Client{ClockSpread: 1500*time.Millisecond + 400*time.Microsecond},
		want: []v1alpha1.Warning{{
			Reason:  v1alpha1.WarningStartSkew,
			Message: "by their nodes' clocks the clients read their start up to 1.5s apart; the clocks may differ, and the clients may not have begun together",
		}},
	}, {
		name: "just too far apart", results: []v1alpha1.Result{good}, client: Client{ClockSpread: time.Second + time.Millisecond},
		want: []v1alpha1.Warning{{
			Reason:  v1alpha1.WarningStartSkew,
			Message: "by their nodes' clocks the clients read their start up to 1.001s apart; the clocks may differ, and the clients may not have begun together",
		}},
	}, {
		name: "what is measured before what may be", results: []v1alpha1.Result{result(new(int64(200)), 60_000, 60_000)}, client: Client{ClockSpread: time.Minute},
		want: []v1alpha1.Warning{{Reason: v1alpha1.WarningStartSkew, Message: "3 clients began within 200 ms of each other, more than 100 ms"}},
	}, {
		name: "enough in common", results: []v1alpha1.Result{result(nil, 89_500, 100_000)},
	}, {
		name: "too little in common", results: []v1alpha1.Result{result(nil, 89_400, 100_000)},
		want: []v1alpha1.Warning{{
			Reason:  v1alpha1.WarningShortOverlap,
			Message: "all 3 clients measured together for 89400 ms, 89 % of the longest one's 100000 ms: the sum of their rates is only right if each was steady",
		}},
	}, {
		name: "nothing in common", results: []v1alpha1.Result{result(new(int64(70_000)), 0, 60_000)},
		want: []v1alpha1.Warning{
			{Reason: v1alpha1.WarningStartSkew, Message: "3 clients began within 70000 ms of each other, more than 100 ms"},
			{Reason: v1alpha1.WarningShortOverlap, Message: "all 3 clients measured together for 0 ms, 0 % of the longest one's 60000 ms: the sum of their rates is only right if each was steady"},
		},
	}, {
		name: "no time at all", results: []v1alpha1.Result{result(nil, 0, 0)},
		want: []v1alpha1.Warning{{Reason: v1alpha1.WarningShortRuntime, Message: "measured for 0 ms, and in less than 10000 ms the start of a run weighs too much"}},
	}, {
		name: "throttled", results: []v1alpha1.Result{good}, client: Client{ThrottledPercent: new(int32(5))},
		want: []v1alpha1.Warning{{Reason: v1alpha1.WarningCPUThrottled, Message: "the 3 containers' CPU limit held fio back in 5 % of scheduling periods"}},
	}} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, Warnings(test.results, nil, nil, test.client)); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
		})
	}
}

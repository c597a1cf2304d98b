package analysis

import (
	"strings"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// Latency holds a result back only where it has the size that the storage is known for. What takes six times as long waits
// for others, and more load is never advised.
func TestBoundBySize(t *testing.T) {
	io2 := taking(500, 500, v1alpha1.KnownLimits{Limits: v1alpha1.Limits{IOPS: new(int64(64_000)), BytesPerSecond: new(int64(4000 << 20))}})
	unnamed := &v1alpha1.KnownLimits{Limits: v1alpha1.Limits{IOPS: new(int64(64_000)), BytesPerSecond: new(int64(4000 << 20))}}
	// reads and writes have so many in flight, each of so many bytes for so long.
	figures := func(inFlight, bytes, mean int64) *v1alpha1.Figures {
		return blocks(inFlight*1_000_000_000/mean, bytes, mean)
	}
	reads := func(inFlight, bytes, mean int64) *v1alpha1.Result {
		return &v1alpha1.Result{Figures: v1alpha1.ListOf(figures(inFlight, bytes, mean).As(v1alpha1.OperationRead))}
	}
	writes := func(inFlight, bytes, mean int64) *v1alpha1.Result {
		return &v1alpha1.Result{Figures: v1alpha1.ListOf(figures(inFlight, bytes, mean).As(v1alpha1.OperationWrite))}
	}
	const ms = 1_000_000
	for _, test := range []struct {
		name     string
		result   *v1alpha1.Result
		known    Known
		inFlight int64
		reason   string
		says     string
	}{
		{"gp3 as it is known", reads(2, 4096, ms), Known{Storage: gp3}, 2, v1alpha1.BoundLatency, "try more jobs"},
		{"at the end of single-digit milliseconds", reads(16, 4096, 10*ms-ms/10), Known{Storage: gp3}, 16, v1alpha1.BoundLatency, "try more jobs"},
		{"a fifth beyond them", reads(16, 4096, 12*ms), Known{Storage: gp3}, 16, v1alpha1.BoundQueue, "for each one that is served some 5 wait"},
		{"a volume below its class's settings", reads(64, 1<<20, 512*ms), Known{Storage: taking(2000, 2000, v1alpha1.KnownLimits{
			Limits: v1alpha1.Limits{IOPS: new(int64(4000)), BytesPerSecond: new(int64(1000 << 20))},
		})}, 64, v1alpha1.BoundQueue, "for each one that is served some 63 wait"},
		{"large I/Os may take as long as their parts", reads(4, 1<<20, 39*ms), Known{Storage: io2}, 4, v1alpha1.BoundQueue, "typically takes 2ms"},
		{"but no longer", reads(4, 1<<20, 9*ms), Known{Storage: io2}, 4, v1alpha1.BoundLatency, "try more jobs"},
		{"a restored volume, one I/O after the other", reads(1, 16<<10, 53*ms), Known{Storage: gp3}, 1, v1alpha1.BoundUnknown, "blocks that are used for the first time"},
		{"one write after the other on EFS (E4)", writes(1, 1<<10, 7_690_000), Known{Storage: emptyEFS}, 1, v1alpha1.BoundLatency, "try more jobs"},
		{"reads of EFS are faster", reads(20, 1<<10, 7_690_000), Known{Storage: emptyEFS}, 20, v1alpha1.BoundQueue, "typically takes 1ms"},
		{"more than an NFS mount sends", writes(1024, 4096, 182*ms), Known{Storage: emptyEFS, Slots: 64}, 1024, v1alpha1.BoundQueue,
			"Linux sends 64 requests of an NFS mount at a time by default, so that 960 of them wait in the client: more clients send more"},
		{"no more than two mounts send", writes(128, 4096, 182*ms), Known{Storage: emptyEFS, Slots: 128}, 128, v1alpha1.BoundQueue, "some 66 wait"},
		{"storage of a kind that is not known", reads(16, 4096, ms), Known{Storage: unnamed}, 16, v1alpha1.BoundUnknown, "how long this storage takes by itself is unknown"},
		{"one I/O at a time on it", reads(1, 4096, 53*ms), Known{Storage: unnamed}, 1, v1alpha1.BoundLatency, "of 1 I/Os were in flight"},
	} {
		got := Bound(test.result, test.known, Load{InFlight: test.inFlight}, Client{})
		if got.Reason != test.reason || !strings.Contains(got.Message, test.says) {
			t.Errorf("%s: %s: %s, want %s: ...%s", test.name, got.Reason, got.Message, test.reason, test.says)
		}
		if advises := strings.Contains(got.Message, moreInFlight); advises != (got.Reason == v1alpha1.BoundLatency) {
			t.Errorf("%s: more load is advised: %t: %s: %s", test.name, advises, got.Reason, got.Message)
		}
	}
}

// A mix of reads, writes and syncs typically takes what each of them takes.
func TestTypical(t *testing.T) {
	r := &v1alpha1.Result{
		ElapsedMilliseconds: 1000,
		Figures: []v1alpha1.Figures{
			{Name: v1alpha1.OperationRead, MilliIOPS: 3_000_000, BytesPerSecond: 3000 * 4096},
			{Name: v1alpha1.OperationWrite, MilliIOPS: 1_000_000, BytesPerSecond: 1000 * 512 << 10, Count: 1000},
			{Name: v1alpha1.OperationSync, Count: 1000},
		},
	}
	known := Known{Storage: taking(1000, 2000, v1alpha1.KnownLimits{})}
	if got, want := known.typical(r), (3*1.+1*4+1*2)/5*1e6; got != want {
		t.Errorf("typically %v ns, want %v", got, want)
	}
	for name, k := range map[string]Known{"no storage": {}, "unknown": {Storage: &v1alpha1.KnownLimits{}}} {
		if got := k.typical(r); got != 0 {
			t.Errorf("%s: %v", name, got)
		}
	}
	if got := known.typical(&v1alpha1.Result{}); got != 0 {
		t.Errorf("of no I/O: %v", got)
	}
}

// One exceeded limit disproves what is known of the storage, and not what is known of the node.
func TestDisproved(t *testing.T) {
	storage := taking(2000, 2000, v1alpha1.KnownLimits{Limits: v1alpha1.Limits{IOPS: new(int64(1000)), BytesPerSecond: new(int64(40_960_000))}})
	node := clients(v1alpha1.KnownLimits{Limits: v1alpha1.Limits{Scope: v1alpha1.ScopeInstance, BytesPerSecond: new(int64(40_960_000))}})
	r := &v1alpha1.Result{Figures: v1alpha1.ListOf(blocks(10_000, 4096, 0).As(v1alpha1.OperationWrite))}
	for _, test := range []struct {
		name  string
		known Known
		load  Load
		want  string
	}{
		{"another limit of the storage", Known{Storage: storage}, Load{}, v1alpha1.BoundUnknown},
		{"a limit of the node", Known{Storage: storage, Client: node}, Load{}, v1alpha1.BoundInstanceThroughput},
		{"memory made fewer I/Os of them", Known{Storage: storage}, Load{Gathered: true}, v1alpha1.BoundVolumeThroughput},
	} {
		if got := Bound(r, test.known, test.load, Client{}); got.Reason != test.want {
			t.Errorf("%s: %s: %s, want %s", test.name, got.Reason, got.Message, test.want)
		}
	}
}

package analysis

import (
	"strings"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// What no limit counts is told, where it can be what held a result back.
func TestUncounted(t *testing.T) {
	writes := func(iops, bytes, mean int64) *v1alpha1.Figures {
		io := blocks(iops, bytes, mean)
		io.Count, io.Bytes = iops*60, iops*60*bytes
		return io
	}
	synced := func(iops int64, syncs int64) *v1alpha1.Result {
		const seconds = 60
		return &v1alpha1.Result{
			ElapsedMilliseconds: seconds * 1000, Figures: v1alpha1.ListOf(writes(iops, 8192, 27_000).As(v1alpha1.OperationWrite), (&v1alpha1.Figures{Count: syncs * seconds, Latency: &v1alpha1.Latency{MeanNanoseconds: (4_000_000_000 - 27_000*iops) / syncs}}).As(v1alpha1.OperationSync)),
		}
	}
	four := Load{InFlight: 4, Jobs: 4, Sequential: true}
	for name, test := range map[string]struct {
		result         *v1alpha1.Result
		load           Load
		reason, phrase string
	}{
		"as many syncs as writes, half of the limit each": {synced(1500, 1500), four, v1alpha1.BoundUnknown, "3000 of the volume's 3000 IOPS (100 %), if a file system makes one I/O of each sync"},
		"syncs far from the limit":                        {synced(700, 700), four, v1alpha1.BoundLatency, "has room (700 of the volume's 3000 IOPS, 23 %"},
		"a sync now and then":                             {synced(1500, 20), four, v1alpha1.BoundLatency, "has room"},
		"writes that the cache can gather": {
			&v1alpha1.Result{ElapsedMilliseconds: 60_000, Figures: v1alpha1.ListOf(writes(2900, 4096, 300_000).As(v1alpha1.OperationWrite))}, Load{InFlight: 1, Jobs: 1, Sequential: true, Gathered: true},
			v1alpha1.BoundUnknown, "the page cache turns it into fewer and larger I/Os",
		},
	} {
		t.Run(name, func(t *testing.T) {
			bound := Bound(test.result, Known{Storage: gp3}, test.load, Client{})
			if bound.Reason != test.reason || !strings.Contains(bound.Message, test.phrase) {
				t.Errorf("%s: %s", bound.Reason, bound.Message)
			}
		})
	}
	end := v1alpha1.Result{ElapsedMilliseconds: 20_000, Figures: v1alpha1.ListOf(writes(3900, 32<<10, 15_000).As(v1alpha1.OperationWrite))}
	for gathered, want := range map[bool]int{true: 0, false: 1} {
		warnings := 0
		for _, w := range Warnings([]v1alpha1.Result{end}, []Known{{Storage: gp3}}, []Load{{InFlight: 1, Jobs: 1, Gathered: gathered}}, Client{}) {
			if w.Reason == v1alpha1.WarningFasterThanDocumented {
				warnings++
			}
		}
		if warnings != want {
			t.Errorf("gathered by the page cache: %v: %d warnings of storage that is faster than documented, want %d", gathered, warnings, want)
		}
	}
}

// Nobody knows how many I/Os operations on files and syncs beside a result are.
func TestUncountedCompany(t *testing.T) {
	files := Section{Name: "files", Load: Load{Jobs: 8}, Result: operated(9000, 800_000)}
	files.Result.ElapsedMilliseconds = 60_000
	files.Result.CPU = &v1alpha1.CPUResult{UserPercent: 1, SystemPercent: 2}
	syncs := section("syncs", 60, blocks(700, 8192, 27_000))
	syncs.Result.Set(v1alpha1.OperationSync, &v1alpha1.Figures{Count: 42_000, Latency: &v1alpha1.Latency{MeanNanoseconds: 5_600_000}})
	for name, beside := range map[string]Section{"files": files, "syncs": syncs} {
		bound := judged([]Section{section("a", 60, blocks(1500, 4096, 5_333_333)), beside}, 0, Known{Storage: gp3}, Client{})
		if want := "together with section " + name + " syncs or operations on files were measured"; bound.Reason != v1alpha1.BoundUnknown || !strings.Contains(bound.Message, want) {
			t.Errorf("%s: %s: %s", name, bound.Reason, bound.Message)
		}
	}
}

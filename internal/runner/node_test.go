package runner

import (
	"os/exec"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/internal/digest"
)

// How busy a node is follows from what its kernel has counted between two moments.
func TestNodeTimes(t *testing.T) {
	pressure := func(us string) string { return "some avg10=0.00 avg60=0.00 avg300=0.00 total=" + us + "\n" }
	kernel := func(stat, cpu, io string) map[string]string {
		return map[string]string{"proc/stat": stat, "proc/pressure/cpu": pressure(cpu), "proc/pressure/io": pressure(io)}
	}
	// user nice system idle iowait irq softirq steal, in hundredths of a second
	const before = "cpu 1000 0 1000 8000 0 0 0 0 0 0\n"
	for _, test := range []struct {
		name          string
		before, after map[string]string
		used          time.Duration
		want          *digest.Node
	}{
		{"busy", kernel(before, "1000000", "5000000"), kernel("cpu 1700 100 1050 8050 50 25 25 0 0 0\n", "9000000", "6500000"), time.Second,
			&digest.Node{BusyPermille: 900, OthersPermille: 800, WaitedPermille: 620, CPUPressurePermille: 800, IOPressurePermille: 150}},
		{"idle", kernel(before, "1", "1"), kernel("cpu 1000 0 1000 9000 0 0 0 0 0 0\n", "1", "1"), 0, &digest.Node{WaitedPermille: 620}},
		{"only fio", kernel(before, "1", "1"), kernel("cpu 1500 0 1000 8500 0 0 0 0 0 0\n", "1", "1"), 6 * time.Second, &digest.Node{BusyPermille: 500, WaitedPermille: 620}},
		{"stolen time is no work", kernel(before, "1", "1"), kernel("cpu 1000 0 1000 8500 0 0 0 500 0 0\n", "1", "1"), 0, &digest.Node{WaitedPermille: 620}},
		{"a kernel that counts no pressure", map[string]string{"proc/stat": before}, map[string]string{"proc/stat": "cpu 1500 0 1000 8500 0 0 0 0 0 0\n"}, 0,
			&digest.Node{BusyPermille: 500, OthersPermille: 500, WaitedPermille: 620}},
		{"not known", nil, kernel(before, "1", "1"), 0, nil},
		{"no time", kernel(before, "1", "1"), kernel(before, "1", "1"), 0, nil},
	} {
		first, last := newMachine(t, test.before).nodeTimes(), newMachine(t, test.after).nodeTimes()
		last.at = first.at.Add(10 * time.Second)
		if diff := cmp.Diff(test.want, last.since(first, test.used, 620)); diff != "" {
			t.Errorf("%s: (-want +got):\n%s", test.name, diff)
		}
	}
}

// Jobs wait for a part of the time between the first and the last look at each.
func TestJobWaits(t *testing.T) {
	start := time.Unix(1_800_000_000, 0)
	type look map[int]time.Duration
	for _, test := range []struct {
		name  string
		looks []look // a second apart
		want  int64
	}{
		{"nobody looked", nil, 0},
		{"one look", []look{{7: time.Second}}, 0},
		{"half of the time", []look{{7: time.Hour}, {7: time.Hour + 500*time.Millisecond}}, 500},
		{"of two jobs", []look{{7: 0, 8: 0}, {7: 300 * time.Millisecond, 8: 100 * time.Millisecond}}, 200},
		{"a job that ends early", []look{{7: 0, 8: 0}, {7: time.Second, 8: 0}, {8: 0}}, 333},
		{"one that begins late", []look{{7: 0}, {7: 0, 8: time.Minute}, {7: 0, 8: time.Minute + time.Second}}, 333},
		{"more than all of it, by two clocks", []look{{7: 0}, {7: 2 * time.Second}}, 1000},
	} {
		var w jobWaits
		for i, each := range test.looks {
			jobs := map[int]jobTime{}
			for id, waited := range each {
				jobs[id] = jobTime{WaitingNanoseconds: uint64(waited)}
			}
			w.note(start.Add(time.Duration(i)*time.Second), jobs)
		}
		if got := w.permille(); got != test.want {
			t.Errorf("%s: %d thousandths, want %d", test.name, got, test.want)
		}
	}
}

// Jobs of a real fio are seen as processes and as threads, beside work that keeps all CPUs busy.
func TestNodeIsBusy(t *testing.T) {
	for range 2 * runtime.NumCPU() {
		burner := exec.CommandContext(t.Context(), "sh", "-c", "while :; do :; done")
		if err := burner.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = burner.Process.Kill()
			_ = burner.Wait()
		})
	}
	for name, options := range map[string]string{"processes": "", "threads": "thread\n"} {
		f := newFixture(t, "[log]\nrw=write\nbs=4k\nsize=1M\nfdatasync=1\ntime_based\nruntime=3\n"+options)
		f.ProgressDeadline = time.Minute
		f.wants(Measure(t.Context(), f.Options), 0)
		n := f.report().Environment.Node
		if n == nil || n.BusyPermille < 900 || n.OthersPermille < 500 || n.OthersPermille > n.BusyPermille || n.WaitedPermille < 50 {
			t.Errorf("%s: beside busy CPUs the node was %+v", name, n)
		}
	}
}

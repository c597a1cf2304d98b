package runner

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/storagebench/storagebench/internal/series"
)

// keptSeries returns the series of a run that has ended.
func (f *fixture) keptSeries() *series.Series {
	f.Helper()
	data, err := series.ReadMessage(strings.NewReader(f.log.String()))
	if err != nil {
		f.Fatalf("%v; the log:\n%s", err, f.log.String())
	}
	s, err := series.Decode(data)
	if err != nil {
		f.Fatal(err)
	}
	return s
}

// What fio noted adds up to what it measured: two sections, of which one has two jobs, reads and writes.
func TestSeries(t *testing.T) {
	f := newFixture(t, `
size=1M
bs=4k
rw=randrw
runtime=4
time_based
group_reporting
[slow]
rate_iops=101,53
numjobs=2
[fast]
new_group
rate_iops=400,300`)
	f.wants(Measure(t.Context(), f.Options), 0)
	s := f.keptSeries()
	if s.IntervalMilliseconds != 1000 || s.Clients != 1 || len(s.Sections) != 2 || s.Sections[0].Name != "slow" {
		t.Fatalf("every %d ms, %d clients, sections %+v", s.IntervalMilliseconds, s.Clients, s.Sections)
	}
	for i, want := range []map[string]float64{{"read": 202, "write": 106}, {"read": 400, "write": 300}} {
		section := &s.Sections[i]
		if points := section.Points(); points < 3 || points > 4 {
			t.Errorf("section %s has %d points of 4 s", section.Name, points)
		}
		for name, d := range section.Directions() {
			for point, got := range d.IOPS.Mean[1:] {
				if off := got/want[name] - 1; off > 0.1 || off < -0.1 {
					t.Errorf("section %s, %s, point %d: %v IOPS of %v", section.Name, name, point+1, got, want[name])
				}
				if off := d.BytesPerSecond.Mean[point+1]/got/4096 - 1; off > 0.02 || off < -0.02 {
					t.Errorf("section %s, %s, point %d: %v bytes and %v I/Os", section.Name, name, point+1, d.BytesPerSecond.Mean[point+1], got)
				}
			}
			if d.Latency == nil || d.Latency.P50[1] <= 0 || d.Latency.P50[1] > d.Latency.P99[1] || d.Latency.P99[1] > d.Latency.Max[1] {
				t.Errorf("section %s, %s: latencies %+v", section.Name, name, d.Latency)
			}
		}
	}
	if left, err := filepath.Glob(filepath.Join(f.Scratch, "series-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// One of several clients sends histograms as well.
func TestSeriesOfOneOfSeveralClients(t *testing.T) {
	f := newFixture(t, "[job]\nsize=1M\nrw=randwrite\nrate_iops=100\nruntime=3\ntime_based")
	o, over := f.withSeries()
	over.together = true
	f.wants(o.finish(o.measure(t.Context())), 0)
	over.print(o.Log)
	data, err := series.ReadMessage(strings.NewReader(f.log.String()))
	if err != nil {
		t.Fatal(err)
	}
	r, err := series.DecodePart(data)
	if err != nil {
		t.Fatal(err)
	}
	if h := r.Sections[0].Write.Latencies[1].Histogram; h == nil || h.Count() < 80 || h.Count() > 120 {
		t.Errorf("latencies of the second point: %+v", r.Sections[0].Write.Latencies[1])
	}
}

// What cannot have a series measures as if there were none.
func TestNoSeries(t *testing.T) {
	for name, tt := range map[string]struct{ job, why string }{
		"metadata":  {"[job]\nioengine=filecreate\nfilesize=4k\nnrfiles=20\nopenfiles=1", "operations on files"},
		"too short": {"[job]\nsize=64k\nrw=write\nruntime=100", "before fio had noted anything"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, tt.job)
			f.wants(Measure(t.Context(), f.Options), 0)
			f.report()
			if !strings.Contains(f.log.String(), "This run keeps no series: ") || !strings.Contains(f.log.String(), tt.why) {
				t.Errorf("the log does not say why there is no series:\n%s", f.log.String())
			}
		})
	}
}

// Without latencies there are rates.
func TestSeriesWithoutLatencies(t *testing.T) {
	f := newFixture(t, "[job]\nsize=1M\nrw=randwrite\nrate_iops=200\nruntime=3\ntime_based\ngtod_reduce=1")
	f.wants(Measure(t.Context(), f.Options), 0)
	if write := f.keptSeries().Sections[0].Write; write == nil || write.Latency != nil || write.IOPS.Mean[1] < 150 {
		t.Errorf("writes %+v", write)
	}
}

// A container that has little memory has a series of fewer points, and not more memory.
func TestSeriesMemory(t *testing.T) {
	root := t.TempDir()
	cgroup := filepath.Join(root, "sys/fs/cgroup")
	if err := os.MkdirAll(cgroup, 0o700); err != nil {
		t.Fatal(err)
	}
	for limit, want := range map[string]int64{"max\n": maxSeriesMemory, "67108864\n": 4 << 20} {
		if err := os.WriteFile(filepath.Join(cgroup, "memory.max"), []byte(limit), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := seriesMemory(machine{root: root, cpus: 1}); got != want {
			t.Errorf("of %q: %d bytes", limit, got)
		}
	}
}

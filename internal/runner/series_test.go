package runner

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/fio"
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
			mean := 0.0
			for _, got := range d.IOPS.Mean {
				mean += got / float64(len(d.IOPS.Mean))
			}
			if off := mean/want[name] - 1; off > 0.2 || off < -0.2 { // of the others it is 1.33 and more
				t.Errorf("section %s, %s: %v IOPS of %v", section.Name, name, d.IOPS.Mean, want[name])
			}
			for point, got := range d.IOPS.Mean[1:] { // on a busy machine fio makes up for what it could not do before
				if got > 2*want[name] || got < want[name]/2 {
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
	message, err := o.measure(t.Context(), over)
	f.wants(o.finish(message, err), 0)
	over.print(o.Log, message)
	data, err := series.ReadMessage(strings.NewReader(f.log.String()))
	if err != nil {
		t.Fatal(err)
	}
	r, err := series.DecodePart(data)
	if err != nil {
		t.Fatal(err)
	}
	if h := r.Sections[0].Write.Latencies[1].Histogram; h == nil || h.Count() < 50 || h.Count() > 200 {
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
	if write := f.keptSeries().Sections[0].Write; write == nil || write.Latency != nil || write.IOPS.Mean[1] < 50 {
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

// fio's rates are whole numbers. What was done in a second is what they say, and in what is a little longer it is the whole number that has the rate.
func TestSeriesOfWholeNumbers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "series-0_iops.1.log")
	// As fio 3.33 wrote it of a job with rate_iops=3: it did 16 I/Os.
	log := "1795564058352, 3, 0, 0, 0\n1795564059352, 3, 0, 0, 0\n1795564060353, 2, 0, 0, 0\n1795564061353, 3, 0, 0, 0\n1795564062358, 3, 0, 0, 0\n"
	if err := os.WriteFile(path, []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	rates, err := readRates(path, 1000, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{3, 3, 3 / 1.001, 3, 4 / 1.005} {
		if got := rates["read"][i].PerSecond; math.Abs(got-want) > 1e-9 {
			t.Errorf("second %d: %v IOPS, want %v", i, got, want)
		}
	}
	for _, tt := range []struct {
		rate         float64
		milliseconds int64
		want         float64
	}{{0, 1000, 0}, {1, 1000, 1}, {2, 999, 2 / 0.999}, {100, 2000, 100.25}, {100, 48_000, 4823.5 / 48}} {
		if got := withFraction(tt.rate, tt.milliseconds); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("%v IOPS for %d ms are %v, want %v", tt.rate, tt.milliseconds, got, tt.want)
		}
	}
}

// Storage that hangs until a run ends has a series as long as the run. Where jobs end apart, it ends with what was noted.
func TestSeriesOfStorageThatHangs(t *testing.T) {
	for name, tt := range map[string]struct {
		group fio.LogGroup
		want  int
	}{
		"all for the same time": {fio.LogGroup{Name: "job", Prefix: "series-0"}, 600},
		"apart":                 {fio.LogGroup{Name: "job", Prefix: "series-0", EndApart: true}, 212},
	} {
		directory := t.TempDir()
		const start = 1_700_000_000_000
		for _, kind := range []string{"iops", "bw"} {
			var log strings.Builder
			for i := range int64(212) {
				fmt.Fprintf(&log, "%d, 300, 1, 0, 0\n", 1_700_000_001_000+i*1000)
			}
			if err := os.WriteFile(filepath.Join(directory, "series-0_"+kind+".1.log"), []byte(log.String()), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s := &seriesLogs{Logs: &fio.Logs{IntervalMilliseconds: 1000, HistogramMilliseconds: 1000, Groups: []fio.LogGroup{tt.group}}, directory: directory}
		r, err := s.read([]digest.Group{{JobStart: start, ElapsedMilliseconds: 600_004}})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Points(); got != tt.want {
			t.Errorf("%s: %d points, want %d", name, got, tt.want)
		}
	}
}

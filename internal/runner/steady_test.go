package runner

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/series"
	"github.com/storagebench/storagebench/internal/steady"
)

// window is a job that measures a window of 5 s, as a plan has it.
const window = "[job]\nrw=randwrite\nsize=1M\nbs=4k\nruntime=5\ntime_based=1\nramp_time=2\n"

func untilSteady(seconds int32) *steady.Until {
	return &steady.Until{Metric: steady.IOPS, WindowSeconds: 5, SlopePercent: 10, RangePercent: 20, MostSeconds: seconds, Judged: true}
}

// A rate that is the same all the time is found to be steady as soon as a window is over, and the result is that of the next one.
func TestMeasureWhenSteady(t *testing.T) {
	t.Parallel()
	f := newFixture(t, window+"rate_iops=400")
	f.Until = untilSteady(60)
	began := time.Now()
	f.wants(Measure(t.Context(), f.Options), 0)
	report := f.report()
	group := report.Groups[0]
	if group.ElapsedMilliseconds < 4900 || group.ElapsedMilliseconds > 6900 || group.Of(v1alpha1.OperationWrite).Count < 1500 || group.Of(v1alpha1.OperationWrite).Count > 2700 { // with a warm-up it would be 4,800 at least
		t.Errorf("%d I/Os in %d ms: the result is not that of the window", group.Of(v1alpha1.OperationWrite).Count, group.ElapsedMilliseconds)
	}
	s := report.Steady
	if s == nil || len(s.Rounds) != steady.Rounds || !steady.JudgeRounds(s.Rounds).Within(f.Until) {
		t.Fatalf("it saw %+v, log\n%s", s, f.log)
	}
	if s.AfterMilliseconds < 7000 || s.AfterMilliseconds > 55_000 {
		t.Errorf("it measured after %d ms, want a window and a pause", s.AfterMilliseconds)
	}
	if took := time.Since(began); took > time.Minute {
		t.Errorf("it took %s, and was steady from the start", took)
	}
	f.noProcess()
	f.wantSeries(s)
}

// wantSeries checks that the series has all of the time, and says of which points the result is.
func (f *fixture) wantSeries(seen *digest.Steady) {
	f.Helper()
	data, err := series.ReadMessage(strings.NewReader(f.log.String()))
	if err != nil {
		f.Fatal(err)
	}
	s, err := series.Decode(data)
	if err != nil {
		f.Fatal(err)
	}
	section := &s.Sections[0]
	// Of five seconds the series has not those that fio did not finish: the first and the last.
	from := int(seen.AfterMilliseconds / 1000)
	if section.FromPoint < from-1 || section.FromPoint > from+2 || section.Points() < section.FromPoint+3 || section.Points() > section.FromPoint+6 {
		f.Errorf("%d points, the result is of those from %d on, and was measured after %d ms", section.Points(), section.FromPoint, seen.AfterMilliseconds)
	}
	for _, point := range []int{1, 3, section.FromPoint + 1} {
		if rate := section.Write.IOPS.Mean[point]; rate < 200 || rate > 800 {
			f.Errorf("point %d has %v IOPS: %v", point, rate, section.Write.IOPS.Mean)
		}
	}
}

// What never becomes steady is measured when its time is over, and says so.
func TestNeverSteady(t *testing.T) {
	t.Parallel()
	f := newFixture(t, window+"rate_iops=400\nthinktime=2s\nthinktime_blocks=400\nthinktime_blocks_type=issue")
	f.Until = untilSteady(8)
	f.wants(Measure(t.Context(), f.Options), 0)
	report := f.report()
	s := report.Steady
	if s == nil || len(s.Rounds) == 0 || steady.JudgeRounds(s.Rounds).Within(f.Until) {
		t.Fatalf("it saw %+v, log\n%s", s, f.log)
	}
	if s.AfterMilliseconds < 9500 || s.AfterMilliseconds > 30_000 {
		t.Errorf("it measured after %d ms, want 8 s and a pause", s.AfterMilliseconds)
	}
	if elapsed := report.Groups[0].ElapsedMilliseconds; elapsed < 4900 || elapsed > 15_000 {
		t.Errorf("it measured for %d ms", elapsed)
	}
}

// What is to begin warm is measured once, for as long as its job says, and tells how steady what ran before it was.
func TestMeasureWhenWarm(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		options string
		most    int32
		steady  bool
	}{
		"the same all the time": {"rate_iops=400", 60, true},
		"never steady":          {"rate_iops=400\nthinktime=2s\nthinktime_blocks=400\nthinktime_blocks_type=issue", 12, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, strings.Replace(window, "runtime=5", "runtime=3", 1)+test.options)
			f.Until = untilSteady(test.most)
			f.Until.Judged = false
			f.wants(Measure(t.Context(), f.Options), 0)
			report := f.report()
			if elapsed := report.Groups[0].ElapsedMilliseconds; elapsed < 2900 || elapsed > 4900 {
				t.Errorf("it measured for %d ms, want 3 s", elapsed)
			}
			s := report.Steady
			if s == nil || len(s.Rounds) != steady.Rounds || steady.JudgeRounds(s.Rounds).Within(f.Until) != test.steady {
				t.Fatalf("it saw %+v, log\n%s", s, f.log)
			}
			if s.AfterMilliseconds < 7000 || s.AfterMilliseconds > 55_000 {
				t.Errorf("it measured after %d ms", s.AfterMilliseconds)
			}
			if begun := strings.Count(f.log.String(), "fio runs until its rate is steady"); begun != 1 {
				t.Errorf("it began to warm up %d times", begun)
			}
		})
	}
}

// What takes fio a while to end, as many I/Os in flight do on slow storage, is waited for, and is no part of what was steady.
func TestEndsSlowlyWhenSteady(t *testing.T) {
	t.Parallel()
	f := newFixture(t, strings.Replace(window, "runtime=5", "runtime=3", 1)+"rate_iops=400")
	const longerThanGrace = 5
	slow := filepath.Join(t.TempDir(), "fio")
	script := fmt.Sprintf("#!/bin/bash\ntrap 'kill -STOP $fio; sleep %d; kill -CONT $fio; kill -TERM $fio' TERM\n%s \"$@\" &\nfio=$!\nuntil wait $fio; [ ! -d /proc/$fio ]; do :; done\n", longerThanGrace, f.Fio)
	if err := os.WriteFile(slow, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	f.Fio, f.Until = slow, untilSteady(60)
	f.Until.Judged = false
	f.wants(Measure(t.Context(), f.Options), 0)
	if s := f.report().Steady; s == nil || !steady.JudgeRounds(s.Rounds).Within(f.Until) || s.AfterMilliseconds < 1000*(5+longerThanGrace) {
		t.Errorf("it saw %+v, log\n%s", s, f.log)
	}
}

// Clients that measure together run for the same time before, and begin to measure at an instant that follows from their start.
func TestClientsMeasureTogetherWhenSteady(t *testing.T) {
	t.Parallel()
	f := newFixture(t, window+"rate_iops=400")
	f.Until = untilSteady(7)
	f.StartFile = filepath.Join(f.Scratch, "start")
	start := time.Now().Add(5 * time.Second) // a machine with other work has it hear of that in time
	if err := os.WriteFile(f.StartFile, []byte(start.UTC().Format(time.RFC3339Nano)), 0o600); err != nil {
		t.Fatal(err)
	}
	f.wants(Measure(t.Context(), f.Options), 0)
	report := f.report()
	want := start.Add(7*time.Second + steady.TogetherPauseSeconds*time.Second).UnixMilli()
	const busy = 5000 // how late a machine with other work may be
	if late := report.Groups[0].JobStart - want; late < 0 || late > busy {
		t.Errorf("it began to measure %d ms after the instant that all clients share", late)
	}
	if s := report.Steady; s == nil || len(s.Rounds) != steady.Rounds { // which are as steady as the machine is
		t.Errorf("it saw %+v", s)
	}
}

// Who is ended before it measures has no result.
func TestInterruptedBeforeSteady(t *testing.T) {
	t.Parallel()
	f := newFixture(t, window+"rate_iops=400")
	f.Until = untilSteady(600)
	f.Until.WindowSeconds = 300
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		f.untilProcess()
		cancel()
	}()
	f.wants(Measure(ctx, f.Options), digest.ExitInterrupted)
	f.noReport()
	f.noProcess()
}

// What fio does when its time is over, as to sync its files, is in no round: it has no rate then.
func TestRatesOfASyncAtTheEnd(t *testing.T) {
	until := untilSteady(60)
	w := &rateWatch{until: until, most: 7 * time.Second}
	began := time.Unix(1_700_000_000, 0)
	for second := range 20 {
		line := "Jobs: 1 (f=1): [w(1)][10.0%][w=1600KiB/s][w=400 IOPS][eta 00m:05s]"
		if second >= 7 {
			line = "Jobs: 1 (f=1): [F(1)][100.0%][eta 00m:00s]"
		}
		w.note(began.Add(time.Duration(second)*time.Second), line)
	}
	if rounds := w.rounds(); len(rounds) != steady.Rounds || !steady.JudgeRounds(rounds).Within(until) {
		t.Errorf("rounds are %v", rounds)
	}
}

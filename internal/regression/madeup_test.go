package regression

import (
	"fmt"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/storagebench/storagebench/internal/history"
)

// madeUp is a history that somebody has made up to take long: as many figures as can be, and all of them rise every fifteen runs.
func madeUp(cases int) *history.History {
	h := &history.History{}
	for run := range mostRuns {
		p := history.Point{Time: firstDay.AddDate(0, 0, run), UID: strconv.Itoa(run)}
		for c := range cases {
			m := history.Measured{Case: history.Case{Workload: strconv.Itoa(c)}}
			for metric := history.ReadIOPS; metric <= history.MetadataP99; metric++ {
				level := 1_000_000*(1+run/15) + 100*((run*7+c)%11)
				m.Figures = append(m.Figures, history.Figure{Metric: metric, Value: int64(level)})
			}
			p.Cases = append(p.Cases, m)
		}
		h.Points = append(h.Points, p)
	}
	return h
}

// processorTime is what this process has taken. Unlike the time of day it does not depend on what else the machine does.
func processorTime(t testing.TB) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// A history that somebody has made up takes about as long as one that was measured.
func TestMadeUpHistoryTakesLittle(t *testing.T) {
	h := madeUp(history.MaxCases)
	before := processorTime(t)
	report := Find(h, Options{})
	took := processorTime(t) - before
	t.Logf("%d findings took %s", len(report.Findings), took)
	if figures := history.MaxCases * int(history.MetadataP99+1); len(report.Findings) > leastChanges*figures {
		t.Errorf("%d findings of %d figures", len(report.Findings), figures)
	}
	if took > 4*time.Second || len(report.Findings) == 0 {
		t.Errorf("%d findings took %s", len(report.Findings), took)
	}
}

// What changed beside a finding is found out of each, though each point of a history that somebody has made up has drivers and parameters of its own.
func TestMadeUpEnvironmentsTakeLittle(t *testing.T) {
	h := &history.History{}
	for run := range mostRuns {
		p := history.Point{Time: firstDay.AddDate(0, 0, run), UID: strconv.Itoa(run)}
		class := history.StorageClass{Name: "c", Targets: []string{""}}
		for n := range 64 {
			class.Parameters = append(class.Parameters, fmt.Sprintf("%d-%d=1", run, n))
			p.Environment.Drivers = append(p.Environment.Drivers, history.Driver{Image: fmt.Sprintf("%d-%d:1", run, n), Targets: []string{""}})
		}
		p.Environment.Classes = []history.StorageClass{class}
		for c := range 8 {
			m := history.Measured{Case: history.Case{Workload: strconv.Itoa(c)}}
			for metric := history.ReadIOPS; metric <= history.MetadataP99; metric++ {
				m.Figures = append(m.Figures, history.Figure{Metric: metric, Value: int64(1_000_000*(1+run/45) + 100*(run%7))})
			}
			p.Cases = append(p.Cases, m)
		}
		h.Points = append(h.Points, p)
	}
	before := processorTime(t)
	report := Find(h, Options{})
	took := processorTime(t) - before
	t.Logf("%d findings took %s", len(report.Findings), took)
	if len(report.Findings) < maxBeside || took > 2*time.Second {
		t.Errorf("%d findings took %s", len(report.Findings), took)
	}
}

// A history that somebody has made up of other cases in each run takes no memory for them: nothing can be found in these.
func TestCasesOfFewRuns(t *testing.T) {
	var points []*history.Point
	for run := range mostRuns {
		p := &history.Point{}
		for c := range 1 + run%2*5 {
			of := history.Case{Workload: strconv.Itoa(c)}
			if c > 0 {
				of.Section = strconv.Itoa(run)
			}
			p.Cases = append(p.Cases, history.Measured{Case: of, Figures: []history.Figure{{Metric: history.ReadIOPS, Value: 1}}})
		}
		points = append(points, p)
	}
	if all := seriesOf(points, nil, runsOf(points, nil)); len(all) != 1 || len(all[0].raw) != mostRuns {
		t.Errorf("%d series", len(all))
	}
}

// Of few figures all changes are looked for, of many some.
func TestChangesOf(t *testing.T) {
	for figures, want := range map[int]int{0: mostChanges, 1: mostChanges, 2048: mostChanges, 3072: 5, 13_312: leastChanges} {
		if got := changesOf(figures); got != want {
			t.Errorf("%d changes of each of %d figures, want %d", got, figures, want)
		}
	}
}

// BenchmarkFindMadeUp is a pass over a history that somebody has made up.
func BenchmarkFindMadeUp(b *testing.B) {
	h := madeUp(history.MaxCases)
	for b.Loop() {
		Find(h, Options{})
	}
}

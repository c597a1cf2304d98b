package sample

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/series"
)

// OverTime are samples with what their runs did over time, by the names of both.
func OverTime() map[string]map[string]*series.Series {
	all := map[string]map[string]*series.Series{}
	for name, sb := range All() {
		if slices.Contains([]string{"credits", "gp2-vs-gp3", "many", "hostile"}, name) {
			all[name] = SeriesOf(sb)
		}
	}
	return all
}

// cliffSeconds is for how long a gp2 volume of the sample has credits.
const cliffSeconds = 212

// Credits are two volumes, of which one runs out of credits in its first run; a third one is a file system of steady latency.
func Credits() *v1alpha1.StorageBenchmark {
	sb := named("credits", v1alpha1.StorageBenchmarkSpec{
		Targets:     []v1alpha1.Target{ebs("gp2", "100Gi", v1alpha1.EBSVolume{Type: "gp2"}), gp3("gp3"), efs("efs-bursting", "Bursting")},
		Repetitions: new(int32(2)), Baseline: new("gp3"),
		Workloads: []v1alpha1.Workload{{
			Name: "randwrite",
			Fio: &v1alpha1.FioParameters{
				RW: "randwrite", BS: new("16k"), IOEngine: new("libaio"), IODepth: new(int32(16)), Direct: new(true), Size: new("4G"),
				TimeBased: new(true), RuntimeSeconds: new(int32(600)),
			},
		}},
	})
	return complete(sb, "m6i.large", 0.02, func(target, _ string, _ map[string]string) measured {
		return measured{write: new(map[string]io{
			"gp2": {1260, 16 * kib, 5200 * time.Microsecond, 10}, "gp3": {3000, 16 * kib, 5100 * time.Microsecond, 1.6}, "efs-bursting": {1560, 16 * kib, 9900 * time.Microsecond, 1.6},
		}[target]), inFlight: 16}
	})
}

// SeriesOf returns what the runs of a sample did over time: what their results say, with some noise, and on gp2 in the first run with a cliff.
func SeriesOf(sb *v1alpha1.StorageBenchmark) map[string]*series.Series {
	all := map[string]*series.Series{}
	for i := range sb.Status.Runs {
		run := &sb.Status.Runs[i]
		if run.Result == nil {
			continue
		}
		s := &series.Series{
			Version: series.Version, StartMilliseconds: run.StartTime.UnixMilli(), IntervalMilliseconds: 1000, LatencyPoints: 1, Clients: max(1, int(run.Clients)),
			Sections: []series.Section{{Name: run.Workload}},
		}
		points := seconds
		if sb.Name == "credits" {
			points = 600
		}
		if sb.Name == "many" { // as of a run of three hours
			points, s.IntervalMilliseconds, s.LatencyPoints = 1000, 11_000, 2
		}
		for name, io := range run.Result.Directions() {
			d := over(run, name, io, points, s.LatencyPoints)
			switch name {
			case v1alpha1.OperationRead:
				s.Sections[0].Read = d
			case v1alpha1.OperationWrite:
				s.Sections[0].Write = d
			}
		}
		all[run.Name] = s
	}
	return all
}

// over returns what a direction of a run did over time.
func over(run *v1alpha1.Run, name string, io *v1alpha1.Figures, points, latencyPoints int) *series.Direction {
	d, l := &series.Direction{}, &series.Latency{}
	d.Latency = l
	block := float64(io.BytesPerSecond) / max(1, float64(io.IOPS()))
	for i := range points {
		share, slower := 1+0.03*chanceOf(fmt.Sprint(run.Name, name, i)), 1.0
		rate := float64(io.IOPS())
		if run.Target == "gp2" && points == 600 {
			rate = 300
			if run.Repetition == 1 && i < cliffSeconds {
				rate = 3000
			}
			slower = 1260 / rate
		}
		d.IOPS.Mean = append(d.IOPS.Mean, math.Round(rate*share))
		d.BytesPerSecond.Mean = append(d.BytesPerSecond.Mean, math.Round(rate*share*block))
		if points == 1000 {
			d.IOPS.Min, d.IOPS.Max = append(d.IOPS.Min, math.Round(rate*0.9)), append(d.IOPS.Max, math.Round(rate*1.08))
			d.BytesPerSecond.Min, d.BytesPerSecond.Max = append(d.BytesPerSecond.Min, math.Round(rate*0.9*block)), append(d.BytesPerSecond.Max, math.Round(rate*1.08*block))
		}
		if i%latencyPoints == 0 && io.CompletionLatency != nil {
			at := func(ns int64) int64 { return int64(float64(ns) * slower / share) }
			tail := at(io.CompletionLatency.P99Nanoseconds)
			if i%30 == 17 {
				tail *= 3
			}
			l.Mean, l.P50 = append(l.Mean, at(io.CompletionLatency.P50Nanoseconds*11/10)), append(l.P50, at(io.CompletionLatency.P50Nanoseconds))
			l.P99, l.Max = append(l.P99, tail), append(l.Max, 2*tail)
		}
	}
	return d
}

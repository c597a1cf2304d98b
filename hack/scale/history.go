package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/history"
	"github.com/storagebench/storagebench/internal/schedule"
)

const (
	// pointsKept is how many points each schedule of a fleet has: as many as it keeps by default.
	pointsKept = 90
	// blockSizes is for how many block sizes each point has what the benchmark has measured.
	blockSizes = 4
	// deviation is by how much figures vary from point to point, as a share.
	deviation = 0.02
)

// historyMaker makes the history of a schedule, whose number it is given.
type historyMaker func(i int) ([]history.Chunk, error)

// newHistoryMaker returns what makes histories of figures like those of the given benchmark, or the largest ones that there
// can be. The largest takes long to make, so all schedules have the same.
func newHistoryMaker(like *v1alpha1.StorageBenchmark, full bool) historyMaker {
	encoded := func(sizes, i int) ([]history.Chunk, error) {
		return newHistory(like, sizes, rand.New(rand.NewPCG(1, uint64(i)))).Encode()
	}
	if full {
		once := sync.OnceValues(func() ([]history.Chunk, error) { return encoded(history.MaxCases/fleetRuns, 0) })
		return func(int) ([]history.Chunk, error) { return once() }
	}
	return func(i int) ([]history.Chunk, error) { return encoded(blockSizes, i) }
}

// addHistory gives a schedule the history of months. The operator looks for changes in it when it begins.
func addHistory(
	ctx context.Context, c client.Client, s *v1alpha1.StorageBenchmarkSchedule, chunks []history.Chunk,
) error {
	s.Status.History = v1alpha1.ScheduleHistory{Points: pointsKept}
	for i, chunk := range chunks {
		object := schedule.HistoryConfigMap(s, schedule.HistoryName(s, i))
		object.BinaryData = map[string][]byte{v1alpha1.HistoryKey: chunk.Data}
		if err := c.Create(ctx, object); err != nil {
			return err
		}
		s.Status.History.ConfigMaps = append(s.Status.History.ConfigMaps, object.Name)
	}
	return c.Status().Update(ctx, s)
}

// newHistory returns points of one baseline, one a day until now.
func newHistory(like *v1alpha1.StorageBenchmark, sizes int, random *rand.Rand) *history.History {
	point := history.FromBenchmark(like, history.Environment{Operator: "1.0.0", Kubelet: "v1.37.0", Kernel: "6.12.1", OSImage: "Amazon Linux 2023"})
	measured := point.Cases
	h := &history.History{}
	for n := range pointsKept {
		point.UID, point.Benchmark = strconv.Itoa(n), fmt.Sprintf("point-%d", n)
		point.Time = time.Now().UTC().Truncate(time.Second).AddDate(0, 0, n-pointsKept)
		point.Cases = nil
		for i := range sizes {
			for _, m := range measured {
				m.Parameters, m.Figures = fmt.Sprintf("%s bs=%dk", m.Parameters, i+1), slices.Clone(m.Figures)
				for j := range m.Figures {
					m.Figures[j].Value = int64(float64(m.Figures[j].Value) * (1 + deviation*random.NormFloat64()))
				}
				point.Cases = append(point.Cases, m)
			}
		}
		h.Add(point, pointsKept)
	}
	return h
}

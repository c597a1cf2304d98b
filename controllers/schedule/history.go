package schedule

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/history"
	"github.com/storagebench/storagebench/internal/humanize"
	"github.com/storagebench/storagebench/internal/schedule"
)

// historyAgain is how long after a point could not be kept it is tried again.
const historyAgain = time.Minute

// keepHistory adds the points of StorageBenchmarks that have ended, and returns when to try again what went wrong or
// has to wait; 0: nothing did.
func keepHistory(ctx context.Context, p *pass) time.Duration {
	ended := unkept(p)
	if len(ended) == 0 && !asksAnew(p) {
		noteHistory(p, nil)
		return 0
	}
	// Turns and rests go by the machine's time, whatever the clock says: they limit the load on the machine.
	giveBack, wait := p.reading.take(ctx, p.schedule.Namespace, time.Now)
	if wait > 0 {
		return wait
	}
	defer giveBack()
	began := time.Now()
	err := explained(ctx, addPoints(ctx, p, ended))
	if apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) {
		return retrySoon // another operator was faster
	}
	noteHistory(p, err)
	if err != nil {
		return max(historyAgain, restAfter(time.Since(began)))
	}
	return 0
}

// asksAnew reports whether the history has to be read though nothing is added: an operator that has just begun knows
// nothing of it, another one may have added to it, and users may have lowered its limit, or acknowledged a regression.
func asksAnew(p *pass) bool {
	known, noted := p.memory.history, &p.schedule.Status.History
	if known == nil {
		return noted.Points > 0
	}
	return int(known.where.Points) > p.historyLimit() || known.asked != asked(p) ||
		!equality.Semantic.DeepEqual(known.where, *noted) || !known.regressed.isNoted(p.schedule)
}

// noteHistory says what is known of the history, also where a pass before could not write that down, and what keeps
// points out.
func noteHistory(p *pass, err error) {
	known := p.memory.history
	switch {
	case err != nil:
		p.setCondition(v1alpha1.ConditionHistoryKept, metav1.ConditionFalse, v1alpha1.ReasonNotKept, err.Error())
	case known != nil:
		points := humanize.Plural(int(known.where.Points), "point")
		p.setCondition(v1alpha1.ConditionHistoryKept, metav1.ConditionTrue, v1alpha1.ReasonKept, points)
	}
	if known == nil {
		return
	}
	p.schedule.Status.History = *known.where.DeepCopy()
	p.setCondition(v1alpha1.ConditionRegressed, known.regressed.status, known.regressed.reason, known.regressed.message)
}

// unkept returns the StorageBenchmarks that have ended and may need a point, in the order in which they ended. One that
// is marked has left it, and the status may not tell of that yet, as when the operator was killed that has marked it.
func unkept(p *pass) []schedule.Benchmark {
	ended := slices.DeleteFunc(p.facts(), func(b schedule.Benchmark) bool { return b.State == schedule.Active || b.Kept })
	slices.SortFunc(ended, func(a, b schedule.Benchmark) int {
		return cmp.Or(a.Ended.Compare(b.Ended), cmp.Compare(a.Name, b.Name))
	})
	return ended
}

// addPoints adds the points of StorageBenchmarks that have none yet, and writes the history.
func addPoints(ctx context.Context, p *pass, ended []schedule.Benchmark) error {
	s, err := readStore(ctx, p)
	if err != nil {
		return err
	}
	last := s.history.Last()
	dropped, err := collect(ctx, p, s.history, ended)
	if err != nil {
		return err
	}
	// This comes before the write: once the history is written, nothing shows that a point was dropped. Where no benchmark
	// is marked, unmarkedSince shows it.
	if anyIsMarked(p) {
		if err := markAll(ctx, p, dropped, func(schedule.Benchmark) {}); err != nil {
			return err
		}
	}
	if err := s.write(ctx, p); err != nil {
		return err
	}
	noteRead(ctx, p, s, s.history.Last() != last)
	return markAll(ctx, p, ended, func(b schedule.Benchmark) { p.memory.kept.Insert(b.UID) })
}

// collect adds the points of StorageBenchmarks to a history, of those that have not left theirs. It returns those whose
// point the history keeps no longer.
func collect(
	ctx context.Context, p *pass, h *history.History, ended []schedule.Benchmark,
) (dropped []schedule.Benchmark, err error) {
	since := unmarkedSince(p, h)
	left := slices.DeleteFunc(p.facts(), func(b schedule.Benchmark) bool { return b.Marked || !h.Has(string(b.UID)) })
	for _, b := range ended {
		if b.Marked || h.Has(string(b.UID)) {
			continue
		}
		point, err := point(ctx, p, b)
		if err != nil {
			return nil, err
		}
		if point != nil && !point.Time.Before(since) {
			h.Add(*point, p.historyLimit())
			left = append(left, b)
		}
	}
	h.Trim(p.historyLimit())
	return slices.DeleteFunc(left, func(b schedule.Benchmark) bool { return h.Has(string(b.UID)) }), nil
}

// noteRead remembers what a history has, and tells of its last result.
func noteRead(ctx context.Context, p *pass, s *store, isNew bool) {
	p.memory.history = &known{
		where:     v1alpha1.ScheduleHistory{ConfigMaps: s.names(), Points: int32(len(s.history.Points))},
		regressed: judgeHistory(p, s.history), asked: asked(p),
	}
	noteLast(p, s.history, isNew)
	serveResult(ctx, p, s.history)
}

// noteLast notes when the last result came. One of a clock that was ahead counts when its benchmark is seen to have
// ended, and not each time that the history is read.
func noteLast(p *pass, h *history.History, isNew bool) {
	if len(h.Points) == 0 {
		return
	}
	last := &h.Points[len(h.Points)-1]
	switch isAhead := schedule.IsAhead(last.Time, p.now); {
	case !isAhead:
		noteResult(p, last.Time)
	case isNew:
		noteResult(p, p.now)
	}
}

// point returns what a StorageBenchmark has measured, nothing if it is gone or has no result. The cache has no results.
func point(ctx context.Context, p *pass, b schedule.Benchmark) (*history.Point, error) {
	sb := &v1alpha1.StorageBenchmark{}
	err := p.Live.Get(ctx, client.ObjectKey{Namespace: p.schedule.Namespace, Name: b.Name}, sb)
	if apierrors.IsNotFound(err) || err == nil && sb.UID != b.UID {
		return nil, nil //nolint:nilnil // There is nothing to keep.
	}
	if err != nil {
		return nil, fmt.Errorf("get StorageBenchmark %s: %w", b.Name, err)
	}
	point := history.FromBenchmark(sb, environment(ctx, p, sb))
	if schedule.IsAhead(point.Time, p.now) {
		point.Time = p.now.UTC().Truncate(time.Second) // it has ended by now, whatever the clock said then
	}
	if !slices.ContainsFunc(point.Cases, func(m history.Measured) bool { return len(m.Figures) > 0 }) {
		return nil, nil //nolint:nilnil // as above
	}
	return &point, nil
}

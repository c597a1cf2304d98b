// Package resultmetrics serves what schedules and benchmarks have measured last as Prometheus metrics. Controllers tell
// it what there is and what is gone, so that a scrape reads nothing.
package resultmetrics

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

const (
	// DefaultLimit is how many series are served at most where nobody says otherwise.
	DefaultLimit = 10_000
	// maxFigures is how many figures are served of a result.
	maxFigures = 1_000
)

// Store has what is served. The zero value serves nothing, and nil can be told all the same.
type Store struct {
	// Limit is how many series are served at most.
	Limit int

	mu      sync.Mutex
	objects map[object]*entry
	// sizes are how many series each namespace has.
	sizes map[string]int
	total int
	// leftOut are the objects that not all is served of.
	leftOut sets.Set[object]
	// taken are the UIDs of the benchmarks whose results were taken. They have ended, so there will be no others.
	taken map[object]types.UID
}

// kind is which kind of object has metrics.
type kind uint8

const (
	schedules kind = iota
	benchmarks
)

// object is a schedule or a benchmark.
type object struct {
	kind kind
	types.NamespacedName
}

// entry is what is served of an object.
type entry struct {
	result *Result
	state  *state
	// isCut says that the result has more figures than these.
	isCut bool
}

// bare returns the entry without figures: its state, and when the result came and whether it is as expected.
func (e *entry) bare() *entry {
	bare := &entry{state: e.state, isCut: true}
	if e.result != nil {
		bare.result = &Result{Time: e.result.Time, Expectations: e.result.Expectations}
	}
	return bare
}

func (e *entry) hasFigures() bool { return e.result != nil && len(e.result.series) > 0 }

// setResult has the entry serve a new result, as far as one may have figures.
func (e *entry) setResult(result *Result) {
	cut, isWhole := result.cut(maxFigures)
	e.result, e.isCut = cut, !isWhole
}

// size is how many series the entry has at most.
func (e *entry) size() int {
	const ofState, ofResult = 5, 2 // with its time and whether it is as expected
	n := 0
	if e.state != nil {
		n += ofState
	}
	if e.result != nil {
		n += ofResult + len(e.result.series)
	}
	return n
}

// SetBenchmark serves what a benchmark has measured that has ended and asks for it, and nothing of another one.
func (s *Store) SetBenchmark(sb *v1alpha1.StorageBenchmark) {
	if s == nil {
		return
	}
	o := object{benchmarks, client.ObjectKeyFromObject(sb)}
	if !asks(sb) {
		s.forget(o)
		return
	}
	result := FromBenchmark(sb)
	s.change(o, func(e *entry) { e.setResult(&result) })
	s.take(o, sb.UID)
}

// HasBenchmark reports whether a benchmark needs no more work: its results were taken, or it does not ask for metrics
// any more.
func (s *Store) HasBenchmark(sb *v1alpha1.StorageBenchmark) bool {
	if s == nil || s.Limit <= 0 {
		return true
	}
	o := object{benchmarks, client.ObjectKeyFromObject(sb)}
	if !asks(sb) {
		s.forget(o)
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.taken[o] == sb.UID
}

// asks reports whether a benchmark has results that are to be served.
func asks(sb *v1alpha1.StorageBenchmark) bool {
	return sb.Annotations[v1alpha1.AnnotationResultMetrics] == "true" && sb.Status.CompletionTime != nil
}

func (s *Store) take(o object, uid types.UID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken == nil {
		s.taken = map[object]types.UID{}
	}
	s.taken[o] = uid
}

// SetResult serves what the last benchmark of a schedule has measured.
func (s *Store) SetResult(schedule types.NamespacedName, result Result) {
	s.change(object{schedules, schedule}, func(e *entry) { e.setResult(&result) })
}

// SetSchedule serves what the status of a schedule says. The period is the longest time between two of its starts, 0 if
// that is not known.
func (s *Store) SetSchedule(schedule *v1alpha1.StorageBenchmarkSchedule, period time.Duration) {
	o := object{schedules, client.ObjectKeyFromObject(schedule)}
	s.change(o, func(e *entry) { e.state = stateOf(schedule, period) })
}

// ForgetSchedule serves nothing of a schedule that is gone.
func (s *Store) ForgetSchedule(name types.NamespacedName) { s.forget(object{schedules, name}) }

// ForgetBenchmark serves nothing of a benchmark that is gone.
func (s *Store) ForgetBenchmark(name types.NamespacedName) { s.forget(object{benchmarks, name}) }

func (s *Store) forget(o object) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remove(o)
	s.leftOut.Delete(o)
	delete(s.taken, o)
}

// change changes what is served of an object, as far as there is room for it. Where there is none for its figures, all
// else is served.
func (s *Store) change(o object, change func(*entry)) {
	if s == nil || s.Limit <= 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	e := &entry{isCut: s.leftOut.Has(o)}
	if before := s.objects[o]; before != nil {
		*e = *before
	}
	change(e)
	s.remove(o)
	s.insert(o, e)
}

// insert adds an entry, or what is bare of it, and notes whether that is all.
func (s *Store) insert(o object, e *entry) {
	if s.objects == nil {
		s.objects, s.sizes, s.leftOut = map[object]*entry{}, map[string]int{}, sets.New[object]()
	}
	s.leftOut.Insert(o)
	for _, part := range []*entry{e, e.bare()} {
		if !s.makeRoom(o.Namespace, part) {
			continue
		}
		s.objects[o] = part
		s.count(o.Namespace, part.size())
		if !part.isCut {
			s.leftOut.Delete(o)
		}
		return
	}
}

// makeRoom removes entries until one of a namespace can be added, and reports whether it can. For a namespace that has
// few series, those of the namespace that has most make room, so that nobody's metrics are lost because somebody else
// has very many. An entry without figures takes the room of figures of its own namespace: alerts are on its state.
func (s *Store) makeRoom(namespace string, e *entry) bool {
	n := e.size()
	for s.total+n > s.Limit {
		greediest, most := "", s.sizes[namespace]+n
		for other, size := range s.sizes {
			if size > most {
				greediest, most = other, size
			}
		}
		if greediest == "" && !e.hasFigures() && s.haveFigures(namespace) {
			greediest = namespace
		}
		if greediest == "" {
			return false
		}
		s.evict(greediest)
	}
	return true
}

// haveFigures reports whether figures of an object of a namespace are served.
func (s *Store) haveFigures(namespace string) bool {
	for o, e := range s.objects {
		if o.Namespace == namespace && e.hasFigures() {
			return true
		}
	}
	return false
}

// evict removes the figures of an object of a namespace, or all of it if it has none.
func (s *Store) evict(namespace string) {
	var victim object
	for o, e := range s.objects {
		if o.Namespace != namespace {
			continue
		}
		before := s.objects[victim]
		if before == nil || e.size() > before.size() || e.size() == before.size() && o.Name > victim.Name {
			victim = o
		}
	}
	evicted := s.objects[victim]
	s.remove(victim)
	s.leftOut.Insert(victim)
	if evicted.hasFigures() {
		s.objects[victim] = evicted.bare()
		s.count(namespace, s.objects[victim].size())
	}
}

func (s *Store) remove(o object) {
	if e := s.objects[o]; e != nil {
		s.count(o.Namespace, -e.size())
		delete(s.objects, o)
	}
}

func (s *Store) count(namespace string, n int) {
	s.total += n
	if s.sizes[namespace] += n; s.sizes[namespace] <= 0 {
		delete(s.sizes, namespace)
	}
}

package schedule

import (
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// memory is what is remembered of a schedule from pass to pass. All of it can be found out anew, but that a start has
// failed.
type memory struct {
	uid types.UID
	// judged is the generation whose template was looked at, and problems are what is wrong with it.
	judged   int64
	problems field.ErrorList
	// period is the longest time between two starts, of the generation that was timed.
	timed  int64
	period time.Duration
	// served is the UID of the benchmark that metrics are of, "" if there are none.
	served string
	// kept are the StorageBenchmarks that need no point any more.
	kept sets.Set[types.UID]
	// history is what is known of the history, nil if it was not read yet.
	history *known
	// told is the sequence of the point since which what users were told of is worse, 0 if that is not known.
	told int64
	// staleVersion is the version of the schedule whose status was written last: who still reads it reads the past.
	staleVersion string
	// failed is the start that could not be made last, until another pass could and has written that down.
	failed failedStart
	// undeleted is why the last pass could not delete a StorageBenchmark.
	undeleted error
	// rest is how long to wait at least after the last pass, where that failed and took long.
	rest time.Duration
	// made is the StorageBenchmark that was made last, until the cache has it.
	made   string
	madeAt time.Time
}

// known is what the last reading of a history has shown.
type known struct {
	where v1alpha1.ScheduleHistory
	// regressed is what it says of regressions, and asked what users had asked to be left out of them.
	regressed judged
	asked     string
}

// memories are those of all schedules. The zero value has none.
type memories struct {
	mu  sync.Mutex
	all map[types.NamespacedName]*memory
}

// of returns the memory of a schedule. Only one pass at a time is made over it.
func (m *memories) of(schedule *v1alpha1.StorageBenchmarkSchedule) *memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	name := client.ObjectKeyFromObject(schedule)
	found := m.all[name]
	if found == nil || found.uid != schedule.UID {
		if m.all == nil {
			m.all = map[types.NamespacedName]*memory{}
		}
		found = &memory{uid: schedule.UID, kept: sets.New[types.UID]()}
		m.all[name] = found
	}
	return found
}

// restOf returns how long to wait at least after the last pass over a schedule.
func (m *memories) restOf(name types.NamespacedName) time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	if found := m.all[name]; found != nil {
		return found.rest
	}
	return 0
}

func (m *memories) forget(name types.NamespacedName) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.all, name)
}

// failedStart is a start that could not be made for an error that is no refusal.
type failedStart struct {
	err error
	// since is since when starts have failed, and due when this one was.
	since, due time.Time
	generation int64
}

// judged is whether results have become worse for good, as condition Regressed says it.
type judged struct {
	status          metav1.ConditionStatus
	reason, message string
	// worst is the sequence of the first point after the worst change, 0 if nothing is worse.
	worst int64
}

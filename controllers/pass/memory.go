package pass

import (
	"math"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/owned"
)

// Memory is what is remembered of a benchmark from one pass to the next. All of it may be lost at any time, as when the
// operator is started anew: then something is asked, or waited for, once more.
type Memory struct {
	// StaleVersion is the version that the last write of the status has replaced, and staleSince when that was.
	StaleVersion string
	StaleSince   time.Time
	// UnheardSince is since when passes wait for the cache to hear of an object that the API server has, zero if none
	// does.
	UnheardSince time.Time
	// LastSeen is when the last pass over it was made, if it was active then.
	LastSeen time.Time
	// ToldVersion is the version at whose deletion users were told what is left or kept.
	ToldVersion string
	// Warning is what events about one of its objects said last.
	Warning Warning
	// Released is what the volumes of the cluster have told last of a static StorageClass.
	Released Released
	// Liveness is what was last seen of the logs of its running pods.
	Liveness map[types.UID]attempt.Liveness
	// Began is when its running pods were seen to begin.
	Began Beginnings
	// FailingSince is since when each pass has met an error, zero if the last one did not.
	FailingSince time.Time
	// EndingSince is since when the end of pods is waited for, zero if it is not.
	EndingSince time.Time
	// CleaningSince is since when this operator cleans up, zero if it does not, and cleaningFor how long it may try at
	// least.
	CleaningSince time.Time
	CleaningFor   time.Duration
	// NodeFreeSince is since when nobody is seen to hold the nodes that it waits for, zero while others do.
	NodeFreeSince time.Time
	// BoundSince is since when its claims are seen to have their volumes, by the UIDs of those that have.
	BoundSince map[types.UID]time.Time
	// AskedSince is since when drivers are asked for the volumes of its claims, by their UIDs: from the last pass in which
	// a driver was not asked yet. madeAt is when this operator made claims that no pass has seen yet, by their names.
	AskedSince map[types.UID]time.Time
	madeAt     map[string]time.Time
	// OwnAttempt is the last attempt that this operator has begun itself.
	OwnAttempt attempt.OwnAttempt
	// JobRefused reports whether the API server refused the last Job of a run, perhaps because there are too many.
	JobRefused bool
	// told is what the words of conditions were about that may differ in each pass, by the type of the condition.
	told map[string]toldWords
	// Tied are the claims whose volumes were looked at, so that they go with them. tieAgain is when others are tried again
	// that could not be.
	Tied     sets.Set[types.UID]
	TieAgain metav1.Time
	// LookFreedAgain is when it is looked again for volumes that came free while a pod waits for its node.
	LookFreedAgain metav1.Time
	// Sourced are the claims with a dataSource whose volumes were made for them, and so have what it has.
	Sourced sets.Set[types.UID]
	// Unmade are the names of claims that this operator has not made, as it knows. A second operator may have.
	Unmade sets.Set[string]
	// UnnotedSince is since when there is such a claim that no operator has noted, zero if there is none.
	UnnotedSince time.Time
	// Gone are the names of its Jobs and anchors that the API server does not have any more.
	Gone sets.Set[string]
	// ReadsAll reports whether all of Gone were read since something was left for the last time.
	ReadsAll bool
	// Placed are the pods by which the claims of somebody's were compared last with those that were noted, by their
	// targets.
	Placed map[string]types.UID
	// Writes notices another operator by its writes of the status.
	Writes statusWrites
	// conflicts has how long to wait after the next pass over an old version.
	conflicts wait.Backoff
}

// AfterConflict returns when to make another pass after one over an old version: each time later, as the newer one may
// never come.
func (m *Memory) AfterConflict() time.Duration {
	if m.conflicts.Duration == 0 {
		m.conflicts = wait.Backoff{Duration: RetrySoon, Factor: 2, Steps: math.MaxInt32, Cap: MaxRetry}
	}
	return m.conflicts.Step()
}

// NoteBound notes which claims have their volumes now.
func (m *Memory) NoteBound(claims map[string]*corev1.PersistentVolumeClaim, now time.Time) {
	bound := map[types.UID]time.Time{}
	for _, claim := range claims {
		if claim.Status.Phase != corev1.ClaimBound {
			continue
		}
		bound[claim.UID] = now
		if before, seen := m.BoundSince[claim.UID]; seen {
			bound[claim.UID] = before
		}
	}
	m.BoundSince = bound
}

// NoteAsked notes for which claims a driver is asked now. It keeps what is known of claims that are bound.
func (m *Memory) NoteAsked(claims map[string]*corev1.PersistentVolumeClaim, now time.Time) {
	asked := map[types.UID]time.Time{}
	for name, claim := range claims {
		since, known := m.AskedSince[claim.UID]
		if made, unseen := m.madeAt[name]; !known && unseen {
			since, known = made, true
		}
		delete(m.madeAt, name)
		isBound := claim.Status.Phase == corev1.ClaimBound
		switch {
		case known && (isBound || owned.IsDriverAsked(claim)):
			asked[claim.UID] = since
		case !isBound:
			asked[claim.UID] = now
		}
	}
	m.AskedSince = asked
}

// NoteClaimMade notes when this operator made a claim. The driver of a class that binds at once is asked from then on.
func (m *Memory) NoteClaimMade(name string, at time.Time) {
	if m.madeAt == nil {
		m.madeAt = map[string]time.Time{}
	}
	m.madeAt[name] = at
}

// Provisioned returns how long a driver was asked for the volume of a claim before that was bound, now at the latest;
// nil where that is not known, as after a start of the operator.
func (m *Memory) Provisioned(claim types.UID, now time.Time) *time.Duration {
	since, known := m.AskedSince[claim]
	if !known {
		return nil
	}
	if bound, isBound := m.BoundSince[claim]; isBound {
		now = bound
	}
	return new(now.Sub(since))
}

// NoteUnmade notes that there are no claims of these names, which are to be made.
func (m *Memory) NoteUnmade(names ...string) { m.Unmade = m.Unmade.Union(sets.New(names...)) }

// NoteJobs notes what became of the calls that were to make the Jobs of clients in an attempt of a run.
func (m *Memory) NoteJobs(run *v1alpha1.Run, clients []int32, errs []error) {
	for i, err := range errs {
		if !world.IsNotMade(err) {
			m.OwnAttempt.Made(run, clients[i])
		}
	}
}

// IsUnmade reports whether this operator knows that it has not made a claim.
func (m *Memory) IsUnmade(name string) bool { return m.Unmade.Has(name) }

// NoteMade notes what became of the call that was to make a claim.
func (m *Memory) NoteMade(name string, err error) {
	if !world.IsNotMade(err) {
		m.Unmade = m.Unmade.Difference(sets.New(name))
	}
}

// Succeeded notes that a pass has met no error, that what it found out is saved, whether it waits for pods to end, and
// when it ended. The wait begins then: the first such pass deletes the pods, which may take long.
func (m *Memory) Succeeded(awaitsEnd bool, ended time.Time) {
	m.FailingSince, m.conflicts = time.Time{}, wait.Backoff{}
	switch {
	case !awaitsEnd:
		m.EndingSince = time.Time{}
	case m.EndingSince.IsZero():
		m.EndingSince = ended
	}
}

// Memories has what is remembered of each benchmark, by its name. The zero value is empty. Only one pass at a time is
// over a benchmark, so that what of returns needs no lock.
type Memories struct {
	mu  sync.Mutex
	all map[types.NamespacedName]*Memory
}

// Of returns what is remembered of a benchmark, to be changed.
func (m *Memories) Of(name types.NamespacedName) *Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.all == nil {
		m.all = map[types.NamespacedName]*Memory{}
	}
	if m.all[name] == nil {
		m.all[name] = &Memory{}
	}
	return m.all[name]
}

// Forget drops what is remembered of a benchmark.
func (m *Memories) Forget(name types.NamespacedName) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.all, name)
}

// Places notes by which pod a claim of somebody's was compared with the one that was noted.
func (m *Memory) Places(target string, pod *corev1.Pod) {
	if m.Placed == nil {
		m.Placed = map[string]types.UID{}
	}
	m.Placed[target] = pod.UID
}

// Warning is what the events about an object said, and until when they are not asked again.
type Warning struct {
	About types.UID
	Said  Latest
	Until time.Time
}

// toldWords is what the message of a condition was about, and when it was written.
type toldWords struct {
	about string
	at    time.Time
}

// Released is what a look at the cluster's volumes has found, and until when there is no other.
type Released struct {
	Target, Text string
	Until        time.Time
}

// Latest is what the latest of some events said, with its reason before it, and when.
type Latest struct {
	Reason, Text string
	At           time.Time
}

package controllers

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
	"github.com/storagebench/storagebench/internal/attempt"
)

// memory is what is remembered of a benchmark from one pass to the next. All of it may be lost at any time, as when the
// operator is started anew: then something is asked, or waited for, once more.
type memory struct {
	// staleVersion is the version that the last write of the status has replaced, and staleSince when that was.
	staleVersion string
	staleSince   time.Time
	// unheardSince is since when passes wait for the cache to hear of an object that the API server has, zero if none does.
	unheardSince time.Time
	// lastSeen is when the last pass over it was made, if it was active then.
	lastSeen time.Time
	// toldVersion is the version at whose deletion users were told what is left or kept.
	toldVersion string
	// warning is what events about one of its objects said last.
	warning warning
	// released is what the volumes of the cluster have told last of a static StorageClass.
	released released
	// liveness is what was last seen of the logs of its running pods.
	liveness map[types.UID]attempt.Liveness
	// began is when its running pods were seen to begin.
	began beginnings
	// failingSince is since when each pass has met an error, zero if the last one did not.
	failingSince time.Time
	// endingSince is since when the end of pods is waited for, zero if it is not.
	endingSince time.Time
	// cleaningSince is since when this operator cleans up, zero if it does not, and cleaningFor how long it may try at least.
	cleaningSince time.Time
	cleaningFor   time.Duration
	// boundSince is since when its claims are seen to have their volumes, by the UIDs of those that have.
	boundSince map[types.UID]time.Time
	// ownAttempt is the last attempt that this operator has begun itself.
	ownAttempt attempt.OwnAttempt
	// jobRefused reports whether the API server refused the last Job of a run, perhaps because there are too many.
	jobRefused bool
	// told is what the words of conditions were about that may differ in each pass, by the type of the condition.
	told map[string]toldWords
	// tied are the claims whose volumes were looked at, so that they go with them. tieAgain is when others are tried again that could not be.
	tied     sets.Set[types.UID]
	tieAgain metav1.Time
	// lookFreedAgain is when it is looked again for volumes that came free while a pod waits for its node.
	lookFreedAgain metav1.Time
	// sourced are the claims with a dataSource whose volumes were made for them, and so have what it has.
	sourced sets.Set[types.UID]
	// unmade are the names of claims that this operator has not made, as it knows. A second operator may have.
	unmade sets.Set[string]
	// unnotedSince is since when there is such a claim that no operator has noted, zero if there is none.
	unnotedSince time.Time
	// gone are the names of its Jobs and anchors that the API server does not have any more.
	gone sets.Set[string]
	// placed are the pods by which the claims of somebody's were compared last with those that were noted, by their targets.
	placed map[string]types.UID
	// writes notices another operator by its writes of the status.
	writes statusWrites
	// conflicts has how long to wait after the next pass over an old version.
	conflicts wait.Backoff
}

// afterConflict returns when to make another pass after one over an old version: each time later, as the newer one may never come.
func (m *memory) afterConflict() time.Duration {
	if m.conflicts.Duration == 0 {
		m.conflicts = wait.Backoff{Duration: retrySoon, Factor: 2, Steps: math.MaxInt32, Cap: maxRetry}
	}
	return m.conflicts.Step()
}

// noteBound notes which claims have their volumes now.
func (m *memory) noteBound(claims map[string]*corev1.PersistentVolumeClaim, now time.Time) {
	bound := map[types.UID]time.Time{}
	for _, claim := range claims {
		if claim.Status.Phase != corev1.ClaimBound {
			continue
		}
		bound[claim.UID] = now
		if before, seen := m.boundSince[claim.UID]; seen {
			bound[claim.UID] = before
		}
	}
	m.boundSince = bound
}

// noteUnmade notes that there are no claims of these names, which are to be made.
func (m *memory) noteUnmade(names ...string) { m.unmade = m.unmade.Union(sets.New(names...)) }

// noteJobs notes what became of the calls that were to make the Jobs of clients in an attempt of a run.
func (m *memory) noteJobs(run *v1alpha1.Run, clients []int32, errs []error) {
	for i, err := range errs {
		if !isNotMade(err) {
			m.ownAttempt.Made(run, clients[i])
		}
	}
}

// isUnmade reports whether this operator knows that it has not made a claim.
func (m *memory) isUnmade(name string) bool { return m.unmade.Has(name) }

// noteMade notes what became of the call that was to make a claim.
func (m *memory) noteMade(name string, err error) {
	if !isNotMade(err) {
		m.unmade = m.unmade.Difference(sets.New(name))
	}
}

// succeeded notes that a pass has met no error, that what it found out is saved, whether it waits for pods to end, and when it ended. The wait
// begins then: the first such pass deletes the pods, which may take long.
func (m *memory) succeeded(awaitsEnd bool, ended time.Time) {
	m.failingSince, m.conflicts = time.Time{}, wait.Backoff{}
	switch {
	case !awaitsEnd:
		m.endingSince = time.Time{}
	case m.endingSince.IsZero():
		m.endingSince = ended
	}
}

// memories has what is remembered of each benchmark, by its name. The zero value is empty. Only one pass at a time is over a
// benchmark, so that what of returns needs no lock.
type memories struct {
	mu  sync.Mutex
	all map[types.NamespacedName]*memory
}

// of returns what is remembered of a benchmark, to be changed.
func (m *memories) of(name types.NamespacedName) *memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.all == nil {
		m.all = map[types.NamespacedName]*memory{}
	}
	if m.all[name] == nil {
		m.all[name] = &memory{}
	}
	return m.all[name]
}

// forget drops what is remembered of a benchmark.
func (m *memories) forget(name types.NamespacedName) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.all, name)
}

// places notes by which pod a claim of somebody's was compared with the one that was noted.
func (m *memory) places(target string, pod *corev1.Pod) {
	if m.placed == nil {
		m.placed = map[string]types.UID{}
	}
	m.placed[target] = pod.UID
}

// livenessOf returns what was known of the logs of the clients' pods.
func (m *memory) livenessOf(parts []part) []attempt.Liveness {
	liveness := make([]attempt.Liveness, len(parts))
	for i, p := range parts {
		if p.pod != nil {
			liveness[i] = m.liveness[p.pod.UID]
		}
	}
	return liveness
}

// keepLiveness keeps what is known of the logs of the clients' pods, and forgets other pods'.
func (m *memory) keepLiveness(parts []part, liveness []attempt.Liveness) {
	logs := map[types.UID]attempt.Liveness{}
	for i, p := range parts {
		if p.pod != nil && !liveness[i].Asked.IsZero() {
			logs[p.pod.UID] = liveness[i]
		}
	}
	m.liveness = logs
}

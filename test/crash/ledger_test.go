package crash

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/job"
)

// ledger is the kubelets' record of what they have run. Each pod that runs fio does so once.
type ledger struct {
	mu       sync.Mutex
	pods     map[string]sets.Set[types.UID]
	live     map[types.UID]string
	overlaps []string
}

func newLedger() *ledger {
	return &ledger{pods: map[string]sets.Set[types.UID]{}, live: map[types.UID]string{}}
}

// note looks at a pod at each step of its life.
func (l *ledger) note(pod *corev1.Pod) {
	container := map[string]string{
		v1alpha1.RoleRun: job.MeasureContainer, v1alpha1.RoleAnchor: job.AnchorContainer, v1alpha1.RoleCleanUp: job.CleanContainer,
	}[pod.Labels[v1alpha1.LabelRole]]
	at := slices.IndexFunc(pod.Status.ContainerStatuses, func(s corev1.ContainerStatus) bool { return s.Name == container })
	if at < 0 || pod.Status.ContainerStatuses[at].State.Waiting != nil {
		return
	}
	what := describe(pod)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pods[what] == nil {
		l.pods[what] = sets.New[types.UID]()
	}
	l.pods[what].Insert(pod.UID)
	if container == job.MeasureContainer {
		l.noteLive(pod, pod.Status.ContainerStatuses[at].State.Running != nil)
	}
}

// noteLive notes pods of different attempts that measure at the same time, and so each other.
func (l *ledger) noteLive(pod *corev1.Pod, runs bool) {
	if !runs {
		delete(l.live, pod.UID)
		return
	}
	attempt, _, _ := strings.Cut(describe(pod), " by ")
	l.live[pod.UID] = attempt
	for _, other := range l.live {
		if other != attempt {
			l.overlaps = append(l.overlaps, fmt.Sprintf("%s and %s", attempt, other))
		}
	}
}

// describe says what a pod does, in words that are the same in each playing of a benchmark.
func describe(pod *corev1.Pod) string {
	get := func(label string) string { return pod.Labels[label] }
	switch get(v1alpha1.LabelRole) {
	case v1alpha1.RoleAnchor:
		return fmt.Sprintf("anchor, attempt %s, of client %s", get(v1alpha1.LabelAttempt), get(v1alpha1.LabelClient))
	case v1alpha1.RoleCleanUp:
		return fmt.Sprintf("clean-up of target %s, client %s", get(v1alpha1.LabelTarget), get(v1alpha1.LabelClient))
	default:
		return fmt.Sprintf("run %s, attempt %s by client %s", pod.Annotations[v1alpha1.AnnotationRun], get(v1alpha1.LabelAttempt), get(v1alpha1.LabelClient))
	}
}

// executions returns how often each thing was done, and what was done at the same time that must not be.
func (l *ledger) executions() (times map[string]int, overlaps []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	times = map[string]int{}
	for what := range maps.Keys(l.pods) {
		times[what] = l.pods[what].Len()
	}
	return times, slices.Clone(l.overlaps)
}

// hasBegun returns an error as long as something has not been begun.
func (l *ledger) hasBegun(what string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pods[what].Len() == 0 {
		return fmt.Errorf("%s has not begun, only %v", what, slices.Sorted(maps.Keys(l.pods)))
	}
	return nil
}

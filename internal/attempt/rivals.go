package attempt

import (
	"cmp"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/internal/owned"
)

// Rivals are the pods by which others than a benchmark hold nodes, or wait for one. Their labels keep the benchmark off these nodes, whoever has set them.
type Rivals struct {
	Pods []corev1.Pod
	// Benchmarks are those that the pods say they are of, as far as they are there. Those of one that is gone go as well, or it is another operator's.
	Benchmarks map[types.NamespacedName]*v1alpha1.StorageBenchmark
}

// RivalsOf returns the rivals of a benchmark among pods that hold nodes, and nothing yet of their benchmarks.
func RivalsOf(sb *v1alpha1.StorageBenchmark, pods []corev1.Pod) Rivals {
	others := slices.DeleteFunc(pods, func(pod corev1.Pod) bool {
		return HasEnded(&pod) || (pod.Namespace == sb.Namespace && holdsFor(sb, &pod))
	})
	return Rivals{Pods: others, Benchmarks: map[types.NamespacedName]*v1alpha1.StorageBenchmark{}}
}

// holdsFor says whether a pod holds a node for a benchmark of its namespace.
func holdsFor(sb *v1alpha1.StorageBenchmark, pod *corev1.Pod) bool {
	return owned.Anchor(sb, pod) || owned.NamedPod(sb, pod)
}

// NameOf returns the name of the benchmark that a pod says it is of.
func NameOf(pod *corev1.Pod) types.NamespacedName {
	return types.NamespacedName{Namespace: pod.Namespace, Name: pod.Labels[v1alpha1.LabelBenchmark]}
}

// of returns the benchmark by which a pod holds a node, nil for a pod that is none's.
func (r Rivals) of(pod *corev1.Pod) *v1alpha1.StorageBenchmark {
	if sb := r.Benchmarks[NameOf(pod)]; sb != nil && holdsFor(sb, pod) {
		return sb
	}
	return nil
}

// older returns a benchmark that is older than another one, holds some nodes and waits for more, nil if there is none. Benchmarks of
// several clients can hold what each other waits for: of any two the younger one gives way.
func (r Rivals) older(sb *v1alpha1.StorageBenchmark) *v1alpha1.StorageBenchmark {
	asked := sets.New[types.UID]()
	for i := range r.Pods {
		if !IsCrowdedOut(&r.Pods[i]) {
			continue
		}
		other := r.of(&r.Pods[i])
		if other == nil || asked.Has(other.UID) {
			continue
		}
		asked.Insert(other.UID)
		if IsOlder(other, sb) && isInNeed(other, r.Pods) {
			return other
		}
	}
	return nil
}

// isInNeed says whether a benchmark holds some nodes and waits for more. Only those of the pods count that its status knows of, which
// nobody but the operator writes: who may create pods can make others that look the same.
func isInNeed(sb *v1alpha1.StorageBenchmark, pods []corev1.Pod) bool {
	if !sb.DeletionTimestamp.IsZero() || sb.Status.HasMeasured() {
		return false
	}
	known := sets.New[string]()
	for i, a := range sb.Status.Anchors {
		if a.StartTime != nil { // else it was suspended
			known.Insert(childmeta.AnchorName(sb, int32(i), a.Attempts))
		}
	}
	holds, waits := false, false
	for i := range pods {
		pod := &pods[i]
		if pod.Namespace == sb.Namespace && known.Has(pod.Name) && owned.Anchor(sb, pod) {
			holds, waits = holds || pod.Spec.NodeName != "", waits || IsCrowdedOut(pod)
		}
	}
	return holds && waits
}

// IsOlder says whether a benchmark was made before another one, or, in the same second, which of both counts as that.
func IsOlder(a, b *v1alpha1.StorageBenchmark) bool {
	if !a.CreationTimestamp.Equal(&b.CreationTimestamp) {
		return a.CreationTimestamp.Before(&b.CreationTimestamp)
	}
	return a.UID < b.UID
}

// NameOfOlder returns what users of a benchmark are told of an older one that needs nodes and goes first, "" if there is none.
func (r Rivals) NameOfOlder(sb *v1alpha1.StorageBenchmark) string {
	if older := r.older(sb); older != nil {
		return nameFor(sb, types.NamespacedName{Namespace: older.Namespace, Name: older.Name})
	}
	return ""
}

// Holders returns the nodes that others hold, for users of a benchmark, with what holds them: a benchmark, if it is known,
// or a pod. A pod keeps others off a node before it has that, while its volume is being made there.
func (r Rivals) Holders(sb *v1alpha1.StorageBenchmark) []string {
	var holders []string
	for i := range r.Pods {
		pod := &r.Pods[i]
		node := "a node"
		if name := cmp.Or(pod.Spec.NodeName, pod.Status.NominatedNodeName); name != "" {
			node = "node " + name
		} else if IsUnschedulable(pod) { // Kubernetes before 1.35 does not tell for which node a volume is made
			continue
		}
		holders = append(holders, fmt.Sprintf("%s (%s)", node, describeHolder(sb, pod, r.of(pod))))
	}
	slices.Sort(holders)
	return slices.Compact(holders)
}

// On returns a benchmark that holds a node as well, for users of another one, "" if none does.
func (r Rivals) On(sb *v1alpha1.StorageBenchmark, node string) string {
	for i := range r.Pods {
		if other := r.of(&r.Pods[i]); other != nil && r.Pods[i].Spec.NodeName == node {
			return describeHolder(sb, &r.Pods[i], other)
		}
	}
	return ""
}

// describeHolder says what holds a node: a pod, of a benchmark if it is known.
func describeHolder(sb *v1alpha1.StorageBenchmark, pod *corev1.Pod, of *v1alpha1.StorageBenchmark) string {
	switch {
	case of != nil:
		return nameFor(sb, types.NamespacedName{Namespace: of.Namespace, Name: of.Name})
	case pod.Namespace != sb.Namespace:
		return fmt.Sprintf("a pod of no known benchmark, with label %s, in another namespace", v1alpha1.LabelHoldsNode)
	default:
		return fmt.Sprintf("pod %s in namespace %s, with label %s, of no known benchmark", pod.Name, pod.Namespace, v1alpha1.LabelHoldsNode)
	}
}

// nameFor returns what users of a benchmark are told of another one: nothing of one of another namespace, which they may not know of.
func nameFor(sb *v1alpha1.StorageBenchmark, other types.NamespacedName) string {
	if other.Namespace != sb.Namespace {
		return "a benchmark of another namespace"
	}
	return fmt.Sprintf("%s in namespace %s", other.Name, other.Namespace)
}

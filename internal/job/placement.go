package job

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/childmeta"
)

// keepNode are the annotations by which the cluster autoscaler and Karpenter leave a pod, and with it its node,
// where it is: a node that is taken away ends the measurement there.
var keepNode = map[string]string{
	"cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
	"karpenter.sh/do-not-disrupt":                    "true",
}

// onLinux selects the nodes that the runner's image is for.
var onLinux = map[string]string{corev1.LabelOSStable: "linux"}

// place has the pod go where spec.placement lets it.
func place(pod *corev1ac.PodSpecApplyConfiguration, sb *v1alpha1.StorageBenchmark) {
	placement := ptr.Deref(sb.Spec.Placement, v1alpha1.Placement{})
	pod.WithNodeSelector(placement.NodeSelector).WithNodeSelector(onLinux)
	tolerate(pod, placement.Tolerations)
	if placement.Affinity != nil {
		pod.WithAffinity(convert[corev1ac.AffinityApplyConfiguration](placement.Affinity))
	}
}

// holderLabels are the labels of a pod that holds a node: that it does, and for which benchmark.
func holderLabels(sb *v1alpha1.StorageBenchmark) map[string]string {
	return map[string]string{v1alpha1.LabelHoldsNode: "true", v1alpha1.LabelUID: string(sb.UID)}
}

// hold places the pod, and keeps it off nodes that others hold: other benchmarks, in whatever namespace, and other
// clients of its own. Kubernetes keeps others off the pod's node in turn, also such as would share theirs.
func hold(pod *corev1ac.PodSpecApplyConfiguration, sb *v1alpha1.StorageBenchmark) {
	place(pod, sb)
	placement := ptr.Deref(sb.Spec.Placement, v1alpha1.Placement{})
	if placement.Isolation != v1alpha1.IsolationNone {
		keepApart(pod, holders(sb, metav1.LabelSelectorOpNotIn))
	}
	if spreads(sb) {
		keepApart(pod, holders(sb, metav1.LabelSelectorOpIn))
	}
}

// spreads reports whether each client of the benchmark has a node of its own.
func spreads(sb *v1alpha1.StorageBenchmark) bool {
	placement := ptr.Deref(sb.Spec.Placement, v1alpha1.Placement{})
	return placement.Spread != v1alpha1.SpreadNone && sb.Spec.MostClients() > 1
}

// binders selects the pods of a benchmark that have claims bound, and its anchors.
func binders(sb *v1alpha1.StorageBenchmark) *metav1ac.LabelSelectorApplyConfiguration {
	return metav1ac.LabelSelector().WithMatchLabels(childmeta.Labels(sb, v1alpha1.LabelRole, v1alpha1.RoleAnchor))
}

// holders selects pods that hold nodes: for the benchmark itself (In), or for any other (NotIn).
func holders(sb *v1alpha1.StorageBenchmark, operator metav1.LabelSelectorOperator) *metav1ac.LabelSelectorApplyConfiguration {
	return metav1ac.LabelSelector().
		WithMatchLabels(map[string]string{v1alpha1.LabelHoldsNode: "true"}).
		WithMatchExpressions(metav1ac.LabelSelectorRequirement().
			WithKey(v1alpha1.LabelUID).
			WithOperator(operator).
			WithValues(string(sb.UID)))
}

// keepApart keeps the pod off nodes with pods, of any namespace, that a selector selects.
func keepApart(pod *corev1ac.PodSpecApplyConfiguration, selector *metav1ac.LabelSelectorApplyConfiguration) {
	if pod.Affinity == nil {
		pod.WithAffinity(corev1ac.Affinity())
	}
	if pod.Affinity.PodAntiAffinity == nil {
		pod.Affinity.WithPodAntiAffinity(corev1ac.PodAntiAffinity())
	}
	pod.Affinity.PodAntiAffinity.WithRequiredDuringSchedulingIgnoredDuringExecution(corev1ac.PodAffinityTerm().
		WithTopologyKey(corev1.LabelHostname).
		WithNamespaceSelector(metav1ac.LabelSelector()).
		WithLabelSelector(selector))
}

// pin has the scheduler put the pod onto the node of the benchmark's anchor, which has met all else that the
// placement asks for. The node may have been cordoned since: whoever wants it empty evicts the anchor.
func pin(pod *corev1ac.PodSpecApplyConfiguration, sb *v1alpha1.StorageBenchmark, node string) {
	tolerate(pod, ptr.Deref(sb.Spec.Placement, v1alpha1.Placement{}).Tolerations)
	pod.WithTolerations(corev1ac.Toleration().
		WithKey(corev1.TaintNodeUnschedulable).
		WithOperator(corev1.TolerationOpExists).
		WithEffect(corev1.TaintEffectNoSchedule))
	pod.WithAffinity(corev1ac.Affinity().WithNodeAffinity(corev1ac.NodeAffinity().
		WithRequiredDuringSchedulingIgnoredDuringExecution(corev1ac.NodeSelector().
			WithNodeSelectorTerms(corev1ac.NodeSelectorTerm().
				WithMatchFields(corev1ac.NodeSelectorRequirement().
					WithKey("metadata.name").
					WithOperator(corev1.NodeSelectorOpIn).
					WithValues(node))))))
}

func tolerate(pod *corev1ac.PodSpecApplyConfiguration, tolerations []corev1.Toleration) {
	for i := range tolerations {
		pod.WithTolerations(convert[corev1ac.TolerationApplyConfiguration](&tolerations[i]))
	}
}

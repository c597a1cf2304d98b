//go:build e2e

package e2e

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// A tenant who may not create pods cannot keep pods of other namespaces pending by the affinity of a benchmark. The
// real scheduler does keep them pending where a user who may create pods has the same benchmark.
func TestAffinityAgainstNeighbours(t *testing.T) {
	sideBySide(t)
	mine, theirs := newNamespace(t), newNamespace(t)
	tenant := newPerson(t, mine, "tenant", editorRole)
	pods := newPerson(t, mine, "pods", editorRole,
		rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"create"}})
	neighbours := map[string]string{"app": theirs.Name}
	sb := benchmark(t, "hostile", in(mine), lasting(5), againstPods(neighbours))

	err := tenant.Create(t.Context(), sb.DeepCopy())
	want := fmt.Sprintf("spec.placement.affinity.podAntiAffinity: is for users who may create pods, "+
		"which user %q may not in namespace %s", "system:serviceaccount:"+mine.Name+":tenant", mine.Name)
	if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), want) {
		t.Fatalf("the tenant's benchmark: error %v, want one that says %q", err, want)
	}
	first := neighbour(t, theirs, "first", neighbours)
	isScheduled(t, first)
	if err := k8s.Delete(t.Context(), first, client.GracePeriodSeconds(0)); err != nil {
		t.Fatal(err)
	}

	createAs(t, pods, sb)
	runningPod(t, sb)
	second := neighbour(t, theirs, "second", neighbours)
	eventually(t.Context(), t, "the scheduler to hold the neighbour", func(ctx context.Context) (bool, error) {
		err := k8s.Get(ctx, client.ObjectKeyFromObject(second), second)
		if second.Spec.NodeName != "" {
			return false, errors.New("the scheduler does not hold it: this test cannot fail")
		}
		return saysScheduler(second, "didn't satisfy existing pods anti-affinity rules"), err
	})
	completes(t, sb)
	isScheduled(t, second)
}

// againstPods keeps pods with certain labels, of all namespaces, off all nodes while the benchmark has a pod.
func againstPods(labels map[string]string) func(*v1alpha1.StorageBenchmark) {
	return func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Placement.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
				LabelSelector: &metav1.LabelSelector{MatchLabels: labels}, NamespaceSelector: &metav1.LabelSelector{},
				TopologyKey: corev1.LabelOSStable,
			}},
		}}
	}
}

// neighbour makes a pod that does nothing.
func neighbour(t *testing.T, ns *corev1.Namespace, name string, labels map[string]string) *corev1.Pod {
	t.Helper()
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns.Name, Name: name, Labels: labels},
		Spec: corev1.PodSpec{
			SecurityContext: securityOf(func(*corev1.PodSecurityContext) {}),
			Containers: []corev1.Container{{
				Name: "hold", Image: runnerImage(t), ImagePullPolicy: corev1.PullIfNotPresent, Args: []string{"hold"},
				SecurityContext: &corev1.SecurityContext{
					AllowPrivilegeEscalation: new(false),
					Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
				},
			}},
		},
	}
	if err := k8s.Create(t.Context(), pod); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		err := k8s.Delete(context.WithoutCancel(t.Context()), pod, client.GracePeriodSeconds(0))
		if client.IgnoreNotFound(err) != nil {
			t.Error(err)
		}
	})
	return pod
}

// isScheduled waits until a pod has a node.
func isScheduled(t *testing.T, pod *corev1.Pod) {
	t.Helper()
	eventually(t.Context(), t, "the neighbour to be scheduled", func(ctx context.Context) (bool, error) {
		err := k8s.Get(ctx, client.ObjectKeyFromObject(pod), pod)
		return pod.Spec.NodeName != "", err
	})
}

// saysScheduler reports whether the scheduler gives a reason for a pod that has no node.
func saysScheduler(pod *corev1.Pod, reason string) bool {
	for i := range pod.Status.Conditions {
		c := &pod.Status.Conditions[i]
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
			return strings.Contains(c.Message, reason)
		}
	}
	return false
}

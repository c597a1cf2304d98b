//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// TestMesh runs a benchmark where a mutating policy injects a sidecar into each pod, as a service mesh does, before the
// container of the operator. The sidecar never exits. Quotas hold only if the pods of finished runs are gone by the time
// that later runs begin, and test files are removed by a pod whose sidecar runs on.
func TestMesh(t *testing.T) {
	sideBySide(t, load(2))
	ns := newNamespace(t)
	injectSidecar(t, ns)
	hard := corev1.ResourceList{
		"count/jobs.batch":         resource.MustParse("2"),
		corev1.ResourceRequestsCPU: resource.MustParse("400m"), // an anchor has 150m, a run 110m
	}
	quota := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: ns.Name, Name: "small"}, Spec: corev1.ResourceQuotaSpec{Hard: hard}}
	if err := k8s.Create(t.Context(), quota); err != nil {
		t.Fatal(err)
	}
	claim := createClaimOfClass(t, ns.Name, "data", class, corev1.PersistentVolumeFilesystem)
	sb := benchmark(t, "mesh", in(ns), func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Targets[0] = v1alpha1.Target{Name: "data", ClaimName: &claim.Name, FreeSpaceReserve: new(resource.MustParse("0"))}
		sb.Spec.Workloads[0].Fio.Size = new("1M")
		sb.Spec.Repetitions = new(int32(4))
		sb.Spec.Pod = &v1alpha1.PodSettings{
			Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("10m")}},
			SecurityContext: &corev1.PodSecurityContext{ // a new file system is root's
				RunAsNonRoot: new(true), RunAsUser: new(int64(65532)), RunAsGroup: new(int64(65532)), FSGroup: new(int64(65532)),
				SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
			},
		}
	})
	create(t, sb)
	if containers := runningPod(t, sb).Spec.Containers; len(containers) != 2 || containers[0].Name != "proxy" {
		t.Fatalf("no sidecar was injected: %+v", containers)
	}
	done := completes(t, sb)
	if len(done.Status.Runs) != 4 {
		t.Errorf("%d runs", len(done.Status.Runs))
	}
	cleaned := done.Status.Condition(v1alpha1.ConditionCleanedUp)
	if files := done.Status.Target("data").TestFiles; cleaned.Status != metav1.ConditionTrue || files != v1alpha1.TestFilesRemoved {
		t.Errorf("test files are %s: %s %s", files, cleaned.Reason, cleaned.Message)
	}
}

// injectSidecar adds a container that never exits to each pod that is created in a namespace, until the test ends.
func injectSidecar(t *testing.T, ns *corev1.Namespace) {
	t.Helper()
	expression := fmt.Sprintf(`[JSONPatch{op: "add", path: "/spec/containers/0", value: dyn({
		"name": dyn("proxy"), "image": dyn(%q), "args": dyn(["hold"]), "resources": dyn({"requests": {"cpu": "100m"}}),
		"securityContext": dyn({"allowPrivilegeEscalation": dyn(false), "capabilities": dyn({"drop": ["ALL"]})})
	})}]`, runnerImage(t))
	name := metav1.ObjectMeta{Name: ns.Name}
	policy := &admissionv1.MutatingAdmissionPolicy{ObjectMeta: name, Spec: admissionv1.MutatingAdmissionPolicySpec{
		ReinvocationPolicy: admissionv1.NeverReinvocationPolicy,
		FailurePolicy:      new(admissionv1.Fail),
		MatchConstraints: &admissionv1.MatchResources{
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: ns.Name}},
			ResourceRules: []admissionv1.NamedRuleWithOperations{{RuleWithOperations: admissionv1.RuleWithOperations{
				Operations: []admissionv1.OperationType{admissionv1.Create},
				Rule:       admissionv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"pods"}},
			}}},
		},
		Mutations: []admissionv1.Mutation{{
			PatchType: admissionv1.PatchTypeJSONPatch, JSONPatch: &admissionv1.JSONPatch{Expression: expression},
		}},
	}}
	binding := &admissionv1.MutatingAdmissionPolicyBinding{
		ObjectMeta: name, Spec: admissionv1.MutatingAdmissionPolicyBindingSpec{PolicyName: policy.Name},
	}
	for _, object := range []client.Object{policy, binding} {
		if err := k8s.Create(t.Context(), object); err != nil {
			t.Fatalf("create %T: %v", object, err)
		}
		t.Cleanup(func() {
			if err := k8s.Delete(context.WithoutCancel(t.Context()), object); err != nil {
				t.Error(err)
			}
		})
	}
	image := runnerImage(t)
	eventually(t.Context(), t, "the sidecar to be injected", func(ctx context.Context) (bool, error) {
		pod := holdingPod(ns, image)
		err := k8s.Create(ctx, pod, client.DryRunAll)
		return err == nil && len(pod.Spec.Containers) == 2, err
	})
}

// holdingPod is a pod that the Pod Security Standard "restricted" admits and that does nothing.
func holdingPod(ns *corev1.Namespace, image string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns.Name, Name: "trial"},
		Spec: corev1.PodSpec{
			SecurityContext: &corev1.PodSecurityContext{
				RunAsNonRoot: new(true), RunAsUser: new(int64(65532)), SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
			},
			Containers: []corev1.Container{{
				Name: "fio", Image: image, Args: []string{"hold"},
				Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("10m")}},
				SecurityContext: &corev1.SecurityContext{
					AllowPrivilegeEscalation: new(false), Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
				},
			}},
		},
	}
}

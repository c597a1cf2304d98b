//go:build e2e

package e2e

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// in has the benchmark live in a namespace.
func in(ns *corev1.Namespace) func(*v1alpha1.StorageBenchmark) {
	return func(sb *v1alpha1.StorageBenchmark) { sb.Namespace = ns.Name }
}

// impatient has the benchmark wait for the start of a pod for a few seconds only.
func impatient(sb *v1alpha1.StorageBenchmark) { sb.Spec.Deadlines.PodStartSeconds = new(int32(8)) }

// limit makes a quota in a namespace, and waits until it is in force.
func limit(t *testing.T, ns *corev1.Namespace, what corev1.ResourceName, amount string) *corev1.ResourceQuota {
	t.Helper()
	quota := &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns.Name, Name: "limit"},
		Spec:       corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{what: resource.MustParse(amount)}},
	}
	if err := k8s.Create(t.Context(), quota); err != nil {
		t.Fatalf("create a quota: %v", err)
	}
	eventually(t.Context(), t, "the quota to be in force", func(ctx context.Context) (bool, error) {
		err := k8s.Get(ctx, client.ObjectKeyFromObject(quota), quota)
		_, counted := quota.Status.Used[what]
		return counted, err
	})
	return quota
}

func TestQuota(t *testing.T) {
	sideBySide(t, load(2))
	t.Run("storage", func(t *testing.T) {
		t.Parallel()
		f := begin(t, &fault{
			section: faultsOfWorkload, name: "A quota leaves no room for the volume", does: "a ResourceQuota of requests.storage in the namespace; deadline provisioningSeconds 5",
			sees: v1alpha1.ReasonProvisioning, ends: v1alpha1.ReasonProvisioningFailed, bound: 25 * time.Second,
		})
		ns := newNamespace(t)
		limit(t, ns, corev1.ResourceRequestsStorage, "1Mi")
		sb := benchmark(t, "quota-storage", in(ns), func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Deadlines.ProvisioningSeconds = new(int32(5)) })
		f.strike()
		create(t, sb)
		f.see(t, sb, "exceeded quota: limit")
		f.end(t, sb, "target volume", "exceeded quota: limit", "requests.storage=256Mi")
	})
	t.Run("pods", func(t *testing.T) {
		t.Parallel()
		f := begin(t, &fault{
			section: faultsOfWorkload, name: "A quota leaves no room for the pods", does: "a ResourceQuota of 0 pods in the namespace, raised to 1 when the benchmark says so",
			sees: v1alpha1.ReasonPreparing, ends: v1alpha1.ReasonCompleted, bound: 75 * time.Second,
		})
		ns := newNamespace(t)
		quota := limit(t, ns, corev1.ResourcePods, "0")
		sb := benchmark(t, "quota-pods", in(ns))
		f.strike()
		create(t, sb)
		f.see(t, sb, "exceeded quota: limit", "limited: pods=0")
		quota.Spec.Hard[corev1.ResourcePods] = resource.MustParse("1")
		if err := k8s.Update(t.Context(), quota); err != nil {
			t.Fatalf("raise the quota: %v", err)
		}
		f.end(t, sb)
	})
	t.Run("cpu", func(t *testing.T) {
		t.Parallel()
		f := begin(t, &fault{
			section: faultsOfWorkload, name: "A quota on CPUs, and a benchmark that does not say how many it needs", does: "a ResourceQuota of requests.cpu in the namespace",
			sees: v1alpha1.ReasonPreparing, ends: v1alpha1.ReasonDeadlineExceeded, bound: 40 * time.Second,
		})
		ns := newNamespace(t)
		limit(t, ns, corev1.ResourceRequestsCPU, "1")
		sb := benchmark(t, "quota-cpu", in(ns), impatient)
		f.strike()
		create(t, sb)
		f.see(t, sb, "must specify requests.cpu")
		f.end(t, sb, "failed quota: limit", "must specify requests.cpu")
	})
}

func TestLimitRange(t *testing.T) {
	sideBySide(t, load(2))
	bounded := func(t *testing.T, item corev1.LimitRangeItem) *corev1.Namespace {
		t.Helper()
		ns := newNamespace(t)
		item.Type = corev1.LimitTypeContainer
		err := k8s.Create(t.Context(), &corev1.LimitRange{
			ObjectMeta: metav1.ObjectMeta{Namespace: ns.Name, Name: "bounds"},
			Spec:       corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{item}},
		})
		if err != nil {
			t.Fatalf("create a LimitRange: %v", err)
		}
		return ns
	}
	cpu := func(amount string) corev1.ResourceList {
		return corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(amount)}
	}
	t.Run("maximum", func(t *testing.T) {
		t.Parallel()
		f := begin(t, &fault{
			section: faultsOfWorkload, name: "A LimitRange allows less than the benchmark asks for", does: "a LimitRange of at most 500m CPU in the namespace, and spec.pod.resources of 1",
			sees: v1alpha1.ReasonPreparing, ends: v1alpha1.ReasonDeadlineExceeded, bound: 40 * time.Second,
		})
		sb := benchmark(t, "limits-maximum", in(bounded(t, corev1.LimitRangeItem{Max: cpu("500m")})), impatient, func(sb *v1alpha1.StorageBenchmark) {
			sb.Spec.Pod = &v1alpha1.PodSettings{Resources: corev1.ResourceRequirements{Limits: cpu("1")}}
		})
		f.strike()
		create(t, sb)
		f.see(t, sb, "maximum cpu usage per Container is 500m")
		f.end(t, sb, "maximum cpu usage per Container is 500m, but limit is 1")
	})
	t.Run("minimum and ratio", func(t *testing.T) {
		t.Parallel()
		of := func(cpu, memory string) corev1.ResourceList {
			return corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory)}
		}
		ns := bounded(t, corev1.LimitRangeItem{
			Min: of("50m", "64Mi"), MaxLimitRequestRatio: cpu("10"), DefaultRequest: of("100m", "64Mi"), Default: of("800m", "256Mi"),
		})
		limit(t, ns, corev1.ResourceLimitsMemory, "1Gi")
		sb := benchmark(t, "limits-minimum", in(ns), func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Repetitions = new(int32(2)) })
		create(t, sb)
		completes(t, sb)
		refused := benchmark(t, "limits-refused", in(ns), impatient, func(sb *v1alpha1.StorageBenchmark) {
			sb.Spec.Repetitions = new(int32(2))
			sb.Spec.Pod = &v1alpha1.PodSettings{AnchorResources: &corev1.ResourceRequirements{Requests: of("10m", "64Mi"), Limits: of("200m", "64Mi")}}
		})
		create(t, refused)
		fails(t, refused, v1alpha1.ReasonDeadlineExceeded, "minimum cpu usage per Container is 50m", "set spec.pod.anchorResources")
	})
	t.Run("default", func(t *testing.T) {
		t.Parallel()
		f := begin(t, &fault{
			section: faultsOfWorkload, name: "A LimitRange gives the pods limits", does: "a LimitRange of 800m CPU by default in the namespace",
			ends: v1alpha1.ReasonCompleted, bound: 75 * time.Second,
		})
		sb := benchmark(t, "limits-default", lasting(8), in(bounded(t, corev1.LimitRangeItem{Default: cpu("800m"), DefaultRequest: cpu("100m")})))
		f.strike()
		create(t, sb)
		if got := runningPod(t, sb).Spec.Containers[0].Resources.Limits.Cpu().String(); got != "800m" {
			t.Errorf("the pod has a limit of %s CPU", got)
		}
		f.end(t, sb)
	})
}

// All tests run in namespaces that enforce the Pod Security Standard "restricted"; so the operator's pods satisfy it, and
// only what a user asks for can violate it.
func TestPodSecurity(t *testing.T) {
	sideBySide(t, waits)
	f := begin(t, &fault{
		section: faultsOfWorkload, name: "The namespace does not admit pods with the security context that is asked for", does: "Pod Security \"restricted\", and spec.pod.securityContext of user 0",
		sees: v1alpha1.ReasonPreparing, ends: v1alpha1.ReasonDeadlineExceeded, bound: 40 * time.Second,
	})
	sb := benchmark(t, "restricted", impatient, func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Pod = &v1alpha1.PodSettings{SecurityContext: &corev1.PodSecurityContext{RunAsUser: new(int64(0))}}
	})
	f.strike()
	create(t, sb)
	f.see(t, sb, `violates PodSecurity "restricted:latest"`)
	f.end(t, sb, "runAsNonRoot", "seccompProfile")
}

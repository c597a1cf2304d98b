//go:build e2e

package e2e

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// An operator of one namespace, which somebody installs who is admin there and nowhere else, runs benchmarks with its Role
// alone, beside an operator of the whole cluster that leaves the namespace to it.
func TestNamespacedOperator(t *testing.T) {
	sideBySide(t, ownOperator(), load(2))
	ns := namespaceOf(t)
	sb := benchmark(t, "namespaced", sweep("4k", "16k"))
	createAs(t, clientOf(t, tenant), sb)
	done := until(t, sb, "the benchmark's end", ended)
	if c := succeeded(done); c.Reason != v1alpha1.ReasonCompleted {
		t.Fatalf("Succeeded = %s %s: %s", c.Status, c.Reason, c.Message)
	}
	checkMadeOnce(t, done)
	target := done.Status.Targets[0]
	if len(target.Volumes) != 1 || target.Volumes[0].Node == "" || target.Volumes[0].Handle != "" || target.Volumes[0].InstanceType != "" || target.Driver == "" {
		t.Errorf("target = %+v: an operator without a ClusterRole knows the node's name and the claim's driver, and no more", target)
	}
	cleaned := meta.FindStatusCondition(done.Status.Conditions, v1alpha1.ConditionCleanedUp)
	if cleaned == nil || cleaned.Reason != v1alpha1.ReasonClaimsGone || !strings.Contains(cleaned.Message, target.Volumes[0].Name) {
		t.Errorf("CleanedUp = %+v", cleaned)
	}
	checkVolumeGone(t.Context(), t, target.Volumes[0].Name)

	inline := benchmark(t, "inline", func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Targets[0].StorageClassName, sb.Spec.Targets[0].EBS = nil, &v1alpha1.EBSVolume{Type: "gp3"}
	})
	create(t, inline)
	fails(t, inline, v1alpha1.ReasonInvalidSpec, "spec.targets[0].ebs: Forbidden: this operator is confined to namespace "+ns, "name an existing StorageClass in storageClassName")

	if log := podLog(t.Context(), t, podIn(t, ns), "manager"); strings.Contains(log, "forbidden") {
		t.Errorf("the operator tried what it may not:\n%s", log)
	}
}

// clientOf returns a client with the rights of a user.
func clientOf(t *testing.T, user string) client.Client {
	t.Helper()
	config, err := ctrl.GetConfig()
	if err != nil {
		t.Fatal(err)
	}
	config.Impersonate.UserName = user
	c, err := client.New(config, client.Options{Scheme: k8s.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

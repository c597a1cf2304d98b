package storage

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/child"
	"github.com/storagebench/storagebench/test/builder"
)

func TestClaim(t *testing.T) {
	sb := builder.NewBenchmark("ns", "sb").With(func(sb *v1alpha1.StorageBenchmark) { sb.UID = "1" }).Build()
	small := builder.NewTarget("fast")
	small.Capacity = new(resource.MustParse("500Mi"))
	shared := builder.NewBlockTarget("raw")
	shared.Capacity, shared.AccessMode = nil, new(corev1.ReadWriteMany)
	for _, test := range []struct {
		target   v1alpha1.Target
		capacity string
		access   corev1.PersistentVolumeAccessMode
		mode     corev1.PersistentVolumeMode
	}{
		{small, "500Mi", corev1.ReadWriteOnce, corev1.PersistentVolumeFilesystem},
		{shared, "10Gi", corev1.ReadWriteMany, corev1.PersistentVolumeBlock},
	} {
		t.Run(test.target.Name, func(t *testing.T) {
			want := corev1ac.PersistentVolumeClaim(child.Name(sb, test.target.Name), "ns").
				WithLabels(map[string]string{
					"app.kubernetes.io/managed-by": "storagebench", "storagebench.dev/benchmark": "sb", "storagebench.dev/target": test.target.Name,
				}).
				WithOwnerReferences(metav1ac.OwnerReference().WithAPIVersion("storagebench.dev/v1alpha1").WithKind("StorageBenchmark").
					WithName("sb").WithUID("1").WithController(true).WithBlockOwnerDeletion(true)).
				WithSpec(corev1ac.PersistentVolumeClaimSpec().
					WithStorageClassName(builder.StorageClass).WithAccessModes(test.access).WithVolumeMode(test.mode).
					WithResources(corev1ac.VolumeResourceRequirements().WithRequests(corev1.ResourceList{corev1.ResourceStorage: resource.MustParse(test.capacity)})))
			if diff := cmp.Diff(want, Claim(sb, &test.target)); diff != "" {
				t.Errorf("claim (-want +got):\n%s", diff)
			}
		})
	}
}

func TestClaimName(t *testing.T) {
	sb := builder.NewBenchmark("ns", "sb").Build()
	theirs, ours := builder.NewClaimTarget("t", "mine"), builder.NewTarget("t")
	if got := ClaimName(sb, &theirs); got != "mine" || IsProvisioned(&theirs) {
		t.Errorf("claim %s, provisioned %v", got, IsProvisioned(&theirs))
	}
	if got := ClaimName(sb, &ours); got != child.Name(sb, "t") || !IsProvisioned(&ours) {
		t.Errorf("claim %s, provisioned %v", got, IsProvisioned(&ours))
	}
}

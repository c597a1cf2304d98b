package children

import (
	"fmt"
	"strings"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/cleanup"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/owned"
	"github.com/storagebench/storagebench/internal/storage"
)

// LeftClusterObjects returns the cluster-scoped objects that a benchmark may have left and that an operator confined to
// namespaces can neither see nor remove. An operator that was not confined has begun such a benchmark.
func LeftClusterObjects(n owned.Namespaces, sb *v1alpha1.StorageBenchmark) []cleanup.Leftover {
	var left []cleanup.Leftover
	for i := range sb.Spec.Targets {
		target := &sb.Spec.Targets[i]
		objects := storage.For(sb, target, job.UserOf(sb))
		add := func(kind, resource string, name *string) {
			left = append(left, cleanup.Leftover{
				What:      fmt.Sprintf("%s %s (%s and may not look or remove it)", kind, *name, n.Words()),
				Command:   fmt.Sprintf("kubectl delete %s %s --ignore-not-found", resource, *name),
				Abandoned: true,
			})
		}
		if objects.Volume != nil {
			add("PersistentVolume", "pv", objects.Volume.Name)
		}
		if objects.Class != nil {
			add("StorageClass", "storageclass", objects.Class.Name)
		}
	}
	return left
}

// VolumesUnknown returns what an operator confined to namespaces cannot prove when the claims that it made are gone, ""
// if there is nothing. The volume of a claim that was deleted before it was bound, or that another claim has replaced, is
// not known: it may come late.
func VolumesUnknown(n owned.Namespaces, sb *v1alpha1.StorageBenchmark) string {
	if !n.AreSet() {
		return ""
	}
	var names []string
	for _, volume := range owned.Provisioned(sb) {
		names = append(names, volume.Name)
	}
	var commands []string
	if len(names) > 0 {
		commands = append(commands, "kubectl get pv "+strings.Join(names[:min(len(names), cleanup.MaxNamed)], " "))
	}
	if owned.AreMissing(sb) {
		commands = append(commands, fmt.Sprintf("kubectl get pv | grep %s/%s- (for volumes that the operator has not seen)", sb.Namespace, strings.ReplaceAll(sb.Name, ".", "-")))
	}
	if len(commands) == 0 {
		return ""
	}
	return fmt.Sprintf("the claims are gone; %s and may not see whether their volumes went with them, which they do unless the StorageClass retains them: %s",
		n.Words(), strings.Join(commands, "; "))
}

package analysis

import (
	"fmt"

	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// movedOn warns of a target whose results are from different nodes, and counts them. It is told once for each target: the
// runs of all its workloads moved at the same time.
func movedOn(target *v1alpha1.TargetStatus, runs []v1alpha1.Run) (*v1alpha1.Warning, int) {
	before, all := 0, 0
	for i := range runs {
		if runs[i].State != v1alpha1.RunSucceeded || runs[i].Target != target.Name {
			continue
		}
		all++
		if i < int(ptr.Deref(target.RunsBeforeNodeChange, 0)) {
			before++
		}
	}
	if before == 0 || before == all {
		return nil, 0
	}
	return &v1alpha1.Warning{
		Reason:  v1alpha1.WarningNodeChanged,
		Message: fmt.Sprintf("%d of %d runs were made from another node than the later ones: how the nodes differ is part of medians and verdicts", before, all),
	}, all
}

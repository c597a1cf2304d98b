package plugin

import (
	"testing"

	"k8s.io/utils/ptr"
)

// TestFSGroup: a claim that only root may write to can be measured with a flag. Without it the operator decides.
func TestFSGroup(t *testing.T) {
	o := &oneLine{claims: []string{"data"}, rw: []string{"read"}, bs: []string{"4k"}, size: "1M", runtime: "0"}
	sb, err := o.benchmark()
	if err != nil || sb.Spec.Pod != nil {
		t.Fatalf("without the flag pods have %v, %v", sb.Spec.Pod, err)
	}
	o.fsGroup = 65532
	if sb, err = o.benchmark(); err != nil || ptr.Deref(sb.Spec.Pod.SecurityContext.FSGroup, 0) != 65532 {
		t.Errorf("pods have %+v, %v", sb.Spec.Pod, err)
	}
}

package clean

import (
	"context"

	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
)

// Cancel ends measuring for good when the spec asks for that. The results that exist are kept.
func Cancel(_ context.Context, p *pass.Pass) (pass.Outcome, error) {
	if ptr.Deref(p.SB.Spec.Cancel, false) && !p.SB.Status.HasMeasured() {
		p.Fail(v1alpha1.ReasonCancelled, "spec.cancel is true; results of the runs that had ended are kept")
	}
	return pass.GoOn(), nil
}

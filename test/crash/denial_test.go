package crash

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/harness"
)

// What a policy denies for good ends the benchmark: users read the policy's words at once, they are the reason of the end,
// at the deadline at the latest, and nothing is left.
func TestDeniedForGood(t *testing.T) {
	t.Parallel()
	chosen, s := draw(t, t.Name()), scenarios[2]
	for name, status := range inOrder(denials) {
		for _, resource := range []string{"storageclasses", "persistentvolumes", "persistentvolumeclaims", "pods", "jobs"} {
			chosen.Run(seeded(t, fmt.Sprintf("%s of %s", name, resource)), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, s, disturbance{decide: func(c call) fate {
					if c.resource == resource && c.verb == http.MethodPatch {
						return fate{status: status}
					}
					return fate{}
				}})
				w.operate()
				sb := harness.Create(w.World, s.benchmark(w.Namespace))
				w.Eventually(func() error { return tells(w.Get(sb)) })
				w.Clock.Pass(601 * time.Second)
				sb = w.UntilEnded(sb)
				if err := tells(sb); err != nil {
					t.Error(err)
				}
				if !meta.IsStatusConditionFalse(sb.Status.Conditions, v1alpha1.ConditionSucceeded) || !meta.IsStatusConditionTrue(sb.Status.Conditions, v1alpha1.ConditionCleanedUp) {
					t.Errorf("conditions are %s", harness.Conditions(sb))
				}
				if left := w.left(false); len(left) > 0 {
					t.Errorf("left are %v", left)
				}
				w.checkOwn(s)
			})
		}
	}
}

// tells says why the benchmark's condition does not tell of the denial.
func tells(sb *v1alpha1.StorageBenchmark) error {
	c := meta.FindStatusCondition(sb.Status.Conditions, v1alpha1.ConditionSucceeded)
	if c == nil || !strings.Contains(c.Message, denial) || c.Status == metav1.ConditionTrue {
		return fmt.Errorf("the denial is not told of in conditions %s", harness.Conditions(sb))
	}
	return nil
}

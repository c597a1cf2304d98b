package schedule

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// What is wrong with a template is named by where it stands in the schedule.
func TestBelow(t *testing.T) {
	problems := below(field.ErrorList{field.Required(field.NewPath("spec", "targets"), "name one")})
	if got := problems[0].Field; got != "spec.template.spec.targets" {
		t.Errorf("it is in %s", got)
	}
}

// An operator that is confined to namespaces refuses storage that it would have to make in the cluster, and says what
// to name instead.
func TestBeyondReach(t *testing.T) {
	spec := &v1alpha1.StorageBenchmarkSpec{Targets: []v1alpha1.Target{{Name: "class", StorageClassName: new("gp3")}, {Name: "ebs", EBS: &v1alpha1.EBSVolume{}}}}
	for name, row := range map[string]struct {
		namespaces []string
		want       string
	}{
		"of the whole cluster": {nil, ""},
		"of two namespaces":    {[]string{"a", "b"}, "spec.template.spec.targets[1]: Forbidden: this operator is confined to a, b, and has no right"},
	} {
		p := &pass{Reconciler: &Reconciler{Namespaces: row.namespaces}}
		problems := beyondReach(p, spec)
		switch {
		case row.want == "" && len(problems) > 0:
			t.Errorf("%s: %v", name, problems)
		case row.want != "" && (len(problems) != 1 || !strings.HasPrefix(problems[0].Error(), row.want) || !strings.Contains(problems[0].Error(), "storageClassName")):
			t.Errorf("%s: %v, want %s", name, problems, row.want)
		}
	}
}

package plugin

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// TestCheckStorage: names of classes and claims that do not exist are told before anything is created, as far as the user may know.
func TestCheckStorage(t *testing.T) {
	class, claim := &storagev1.StorageClass{}, &corev1.PersistentVolumeClaim{}
	class.Name, claim.Name, claim.Namespace = "gp3", "data", "ns"
	static := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "pv"}, Spec: corev1.PersistentVolumeSpec{StorageClassName: "by-hand"}}
	of := func(class, claim string) *v1alpha1.StorageBenchmark {
		sb := &v1alpha1.StorageBenchmark{ObjectMeta: metav1.ObjectMeta{Namespace: "ns"}, Spec: v1alpha1.StorageBenchmarkSpec{Targets: []v1alpha1.Target{{}}}}
		if class != "" {
			sb.Spec.Targets[0].StorageClassName = &class
		}
		if claim != "" {
			sb.Spec.Targets[0].ClaimName = &claim
		}
		return sb
	}
	for name, test := range map[string]struct {
		sb          *v1alpha1.StorageBenchmark
		hidden      string
		brought     []string
		notes, want string
	}{
		"both are there":          {sb: of("gp3", "")},
		"a misspelt class":        {sb: of("gp33", ""), want: `spec.targets[0].storageClassName: Invalid value: "gp33": there is no such StorageClass: did you mean gp3?`},
		"another class":           {sb: of("premium", ""), want: `Invalid value: "premium": there is no such StorageClass: known are gp3`},
		"a class that comes with": {sb: of("gp33", ""), brought: []string{"gp33"}},
		"a class of a volume":     {sb: of("by-hand", ""), notes: "only a volume that names it can be measured"},
		"volumes are hidden":      {sb: of("gp33", ""), hidden: "*v1.PersistentVolumeList", notes: "did you mean gp3?; only a volume"},
		"classes are hidden":      {sb: of("gp33", ""), hidden: "*v1.StorageClassList"},
		"a claim":                 {sb: of("", "data")},
		"a misspelt claim":        {sb: of("", "dta"), want: `spec.targets[0].claimName: Invalid value: "dta": there is no such claim in namespace ns: did you mean data?`},
	} {
		t.Run(name, func(t *testing.T) {
			c := fake.NewClientBuilder().WithScheme(newScheme()).WithObjects(class, claim, static).WithInterceptorFuncs(interceptor.Funcs{
				List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, options ...client.ListOption) error {
					if fmt.Sprintf("%T", list) == test.hidden {
						return errors.New("forbidden")
					}
					return c.List(ctx, list, options...)
				},
			}).Build()
			var notes strings.Builder
			err := (&cluster{WithWatch: c}).checkStorage(t.Context(), &notes, test.sb, test.brought...)
			if got := messageOfError(err); !strings.HasSuffix(got, test.want) || (test.want == "") != (err == nil) {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if !strings.Contains(notes.String(), test.notes) || (test.notes == "") != (notes.Len() == 0) {
				t.Errorf("notes are %q, want %q", notes.String(), test.notes)
			}
		})
	}
}

func messageOfError(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

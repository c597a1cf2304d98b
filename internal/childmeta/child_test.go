package childmeta

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

func benchmark(name, uid string) *v1alpha1.StorageBenchmark {
	return &v1alpha1.StorageBenchmark{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID(uid)}}
}

func TestName(t *testing.T) {
	sb := benchmark("gp3-vs-efs", "1")
	if got := Name(sb, "write.gp3"); !strings.HasPrefix(got, "gp3-vs-efs-write-gp3-") || got != Name(sb, "write.gp3") {
		t.Errorf("name is %s and %s", got, Name(sb, "write.gp3"))
	}
	names := map[string]bool{}
	longest := strings.Repeat("x", 63)
	for _, name := range []string{
		Name(sb), Name(sb, "a"), Name(sb, "a", "b"), Name(sb, "a-b"), Name(sb, "a.b"), Name(sb, "b", "a"),
		Name(sb, "a", Client(0)), Name(sb, "a", Client(1)), Name(sb, "a", Client(127)),
		Name(benchmark("gp3-vs-efs", "2"), "a"),
		Name(benchmark(longest, "1"), "a"), Name(benchmark(longest, "1"), "b"), Name(benchmark(longest, "1"), "a", Client(1)),
		Name(benchmark(strings.Repeat("x", 47)+"-"+"y", "1"), "b"),
		Name(benchmark("with.dots.1", "1"), "a"),
	} {
		if names[name] {
			t.Errorf("two children are named %s", name)
		}
		names[name] = true
		// A Job's pods are named after it, with five more characters and a dash, and their names become labels.
		if problems := validation.IsDNS1123Label(name + "-abcde"); len(problems) > 0 {
			t.Errorf("a pod %s-abcde: %v", name, problems)
		}
	}
}

func TestLabels(t *testing.T) {
	want := map[string]string{
		"app.kubernetes.io/managed-by": "storagebench", "storagebench.dev/benchmark": "sb", "storagebench.dev/target": "gp3",
	}
	if diff := cmp.Diff(want, Labels(benchmark("sb", "1"), v1alpha1.LabelTarget, "gp3")); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
}

func TestDirectory(t *testing.T) {
	if got := Directory(benchmark("sb", "0b1e")); got != "storagebench-0b1e" {
		t.Errorf("directory is %s", got)
	}
}

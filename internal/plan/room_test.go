package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/builder"
)

// What results say of syncs takes room in the status: five of them count as one more, also where a matrix chooses which do.
func TestRoomOfSyncs(t *testing.T) {
	const writes = "[a]\nrw=write\nsize=4k\n"
	for _, test := range []struct {
		name     string
		jobFile  string
		matrix   matrix
		targets  int
		clients  int32
		problems string
	}{
		{"none", writes, matrix{"iodepth": many(100)}, 2, 1, ""},
		{"as many as fit", writes + "fdatasync=1\n", matrix{"iodepth": many(83)}, 2, 1, ""},
		{"one too many", writes + "fdatasync=1\n", matrix{"iodepth": many(84)}, 2, 1, "168 of 168 results have latencies of fsync, fdatasync or sync_file_range; every 5 of these count as one more result, and at most 200 results are possible: split the benchmark"},
		{"by the matrix, half of them", writes, matrix{"iodepth": many(45), "fsync": of("0", "1")}, 2, 1, ""},
		{"by the matrix, too many", writes, matrix{"iodepth": many(46), "fsync": of("0", "1")}, 2, 1, "92 of 184 results"},
		{"clients", writes + "fsync=1\n", matrix{"iodepth": many(135)}, 1, 2, ""},
		{"too many of clients", writes + "fsync=1\n", matrix{"iodepth": many(136)}, 1, 2, "136 of 136 results"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := builder.NewJobFile("w", test.jobFile)
			w.Matrix = test.matrix
			b := builder.NewBenchmark("ns", "sb").Workload(w).With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Clients = new(test.clients) })
			for i := range test.targets {
				b.Target(builder.NewTarget(fmt.Sprintf("t%d", i)))
			}
			runs, problems := Runs(spec(b), nil)
			got := strings.Join(messages(problems), "; ")
			if !strings.Contains(got, test.problems) || (got == "") != (test.problems == "") || (len(runs) == 0) != (got != "") {
				t.Errorf("%d runs, problems %s", len(runs), got)
			}
		})
	}
}

// Pods that each have much are refused before any is made: an affinity within all bounds of the API can have 1 MiB.
func TestSizeOfPods(t *testing.T) {
	placement := func(values, length int) *v1alpha1.Placement {
		expression := corev1.NodeSelectorRequirement{Key: "kubernetes.io/hostname", Operator: corev1.NodeSelectorOpIn, Values: slices.Repeat([]string{strings.Repeat("n", length)}, values)}
		return &v1alpha1.Placement{Affinity: &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{expression}}},
		}}}}
	}
	const refused = "placement and pod together may have 64 KiB as text, because each pod has all of it: select nodes by labels that they share"
	for name, test := range map[string]struct {
		placement *v1alpha1.Placement
		pod       *v1alpha1.PodSettings
		problem   string
	}{
		"none":                     {},
		"the names of many nodes":  {placement: placement(256, 63)},
		"an affinity of 1 MiB":     {placement: placement(256, 4096), problem: `spec.placement: Invalid value: "1024 KiB": ` + refused},
		"annotations of 128 KiB":   {pod: &v1alpha1.PodSettings{Annotations: annotations(32, 4096)}, problem: `spec.placement: Invalid value: "128 KiB": ` + refused},
		"too much of both, of two": {placement: placement(40, 1000), pod: &v1alpha1.PodSettings{Annotations: annotations(8, 4096)}, problem: refused},
	} {
		t.Run(name, func(t *testing.T) {
			b := builder.NewBenchmark("ns", "sb").Workload(builder.NewWorkload("w")).Target(builder.NewTarget("a")).With(func(sb *v1alpha1.StorageBenchmark) {
				sb.Spec.Placement, sb.Spec.Pod = test.placement, test.pod
			})
			_, problems := Runs(spec(b), nil)
			if got := strings.Join(messages(problems), "; "); !strings.Contains(got, test.problem) || (got == "") != (test.problem == "") {
				t.Errorf("got %s", got)
			}
		})
	}
}

func annotations(count, length int) map[string]string {
	all := map[string]string{}
	for i := range count {
		all[fmt.Sprint(i)] = strings.Repeat("a", length)
	}
	return all
}

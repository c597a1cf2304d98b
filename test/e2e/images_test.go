//go:build e2e

package e2e

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// All that runs is of the images that "make list-images" prints, and nothing is pulled where they are on the nodes. Two
// runs by two clients have anchors, and containers that lay out and measure.
func TestImages(t *testing.T) {
	sideBySide(t)
	own := operator(t.Context(), t).Spec.Template.Spec.Containers
	args := []string{}
	for component, image := range map[string]string{"operator": own[0].Image, "runner": runnerImage(t)} {
		repository, tag, _ := strings.Cut(image, ":")
		args = append(args, "--set", component+".image.repository="+repository, "--set", component+".image.tag="+tag)
	}
	out, err := exec.CommandContext(t.Context(), "../../hack/images/list.sh", args...).Output()
	if err != nil {
		t.Fatalf("list-images: %v", err)
	}
	listed := strings.Fields(string(out))
	if want := []string{own[0].Image, runnerImage(t)}; len(own) != 1 || !slices.Equal(listed, want) {
		t.Errorf("listed are %q, and the operator was installed with %d containers and %q", listed, len(own), want)
	}

	sb := benchmark(t, "images", func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Workloads = append(sb.Spec.Workloads, v1alpha1.Workload{Name: "again", Fio: randwrite(1)})
		sb.Spec.Clients, sb.Spec.Placement.Spread = new(int32(2)), v1alpha1.SpreadNone
	})
	create(t, sb)
	completes(t, sb)
	var events corev1.EventList
	if err := k8s.List(t.Context(), &events, client.InNamespace(namespaceOf(t))); err != nil {
		t.Fatal(err)
	}
	containers := map[string]bool{}
	for _, event := range events.Items {
		if event.InvolvedObject.Kind != "Pod" || !strings.HasPrefix(event.InvolvedObject.Name, sb.Name+"-") {
			continue
		}
		switch event.Reason {
		case "Pulling":
			t.Errorf("pod %s: %s", event.InvolvedObject.Name, event.Message)
		case "Pulled":
			containers[event.InvolvedObject.FieldPath] = true
			if !slices.ContainsFunc(listed, func(image string) bool { return strings.Contains(event.Message, `"`+image+`"`) }) {
				t.Errorf("pod %s: %q names none of %q", event.InvolvedObject.Name, event.Message, listed)
			}
		}
	}
	if len(containers) < 3 {
		t.Errorf("containers %v, want those of an anchor, a layout and a run at least", containers)
	}
}

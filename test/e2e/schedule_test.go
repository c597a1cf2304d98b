//go:build e2e

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// TestSchedule: a schedule measures by itself and when somebody asks for it, keeps what was measured, deletes the benchmarks that are more than
// it keeps, and leaves nothing when it is deleted.
func TestSchedule(t *testing.T) {
	sideBySide(t)
	kubectl := newPlugin(t)
	s := &v1alpha1.StorageBenchmarkSchedule{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespaceOf(t), Name: "often"},
		Spec: v1alpha1.StorageBenchmarkScheduleSpec{
			Schedule: "* * * * *", ConcurrencyPolicy: v1alpha1.ConcurrencyForbid, SuccessfulBenchmarksHistoryLimit: new(int32(1)),
			Template: v1alpha1.StorageBenchmarkTemplate{Spec: benchmark(t, "").Spec},
		},
	}
	if err := k8s.Create(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	removeSchedule(t, s)

	_, notes, err := kubectl("run", "--from-schedule", s.Name)
	if err != nil {
		t.Fatalf("%v: %s", err, notes)
	}
	// The minute after that another one is made by itself. Of both the history has what they measured, and one is deleted.
	within(t.Context(), t, 3*time.Minute, "two points and one benchmark", func(ctx context.Context) (bool, error) {
		if err := k8s.Get(ctx, client.ObjectKeyFromObject(s), s); err != nil {
			return false, err
		}
		var list v1alpha1.StorageBenchmarkList
		if err := k8s.List(ctx, &list, client.InNamespace(s.Namespace)); err != nil {
			return false, err
		}
		ended := 0
		for i := range list.Items {
			if list.Items[i].Status.CompletionTime != nil {
				ended++
			}
		}
		return s.Status.History.Points >= 2 && s.Status.LastScheduleTime != nil && ended == 1, nil
	})
	checkHistory(t, kubectl, s)
}

// removeSchedule deletes a schedule when the test ends: then its benchmarks and its history go with it.
func removeSchedule(t *testing.T, s *v1alpha1.StorageBenchmarkSchedule) {
	t.Helper()
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		if err := client.IgnoreNotFound(k8s.Delete(ctx, s, client.PropagationPolicy(metav1.DeletePropagationBackground))); err != nil {
			t.Fatal(err)
		}
		eventually(ctx, t, "benchmarks and history of the schedule to be gone", func(ctx context.Context) (bool, error) {
			var benchmarks v1alpha1.StorageBenchmarkList
			var histories corev1.ConfigMapList
			if err := k8s.List(ctx, &benchmarks, client.InNamespace(s.Namespace)); err != nil {
				return false, err
			}
			err := k8s.List(ctx, &histories, client.InNamespace(s.Namespace), client.MatchingLabels{v1alpha1.LabelSchedule: s.Name})
			return len(benchmarks.Items) == 0 && len(histories.Items) == 0, err
		})
	})
}

// checkHistory checks that the history has figures of each point, and where they were measured.
func checkHistory(t *testing.T, kubectl func(...string) (string, string, error), s *v1alpha1.StorageBenchmarkSchedule) {
	t.Helper()
	out, notes, err := kubectl("report", "schedule/"+s.Name, "-o", "json")
	if err != nil {
		t.Fatalf("%v: %s", err, notes)
	}
	var all struct {
		Points []struct {
			Benchmark   string
			Environment struct {
				Node, Kubelet, Kernel, Operator string
				StorageClasses                  []struct {
					Name       string
					Parameters []string
				}
			}
			Results []struct{ Metrics map[string]float64 }
		}
	}
	if err := json.Unmarshal([]byte(out), &all); err != nil {
		t.Fatal(err)
	}
	if len(all.Points) < 2 || !strings.HasPrefix(all.Points[0].Benchmark, s.Name+"-") {
		t.Fatalf("points are %+v", all.Points)
	}
	for _, p := range all.Points {
		if len(p.Results) != 1 || p.Results[0].Metrics["write.iops"] <= 0 || p.Environment.Node == "" || p.Environment.Kubelet == "" || p.Environment.Kernel == "" {
			t.Errorf("a point is %s", fmt.Sprintf("%+v", p))
		}
		classes := p.Environment.StorageClasses
		if len(classes) != 1 || classes[0].Name != *s.Spec.Template.Spec.Targets[0].StorageClassName || !slices.Contains(classes[0].Parameters, "provisioner=loop.csi.storagebench.dev") {
			t.Errorf("StorageClasses of a point are %+v", classes)
		}
	}
	out, notes, err = kubectl("explain-result", "schedule/"+s.Name)
	if err != nil || !strings.Contains(out, " points of at most 90") || !strings.Contains(out, "It cannot be told yet whether a figure is worse") {
		t.Errorf("it is explained as\n%s%s%v", out, notes, err)
	}
}

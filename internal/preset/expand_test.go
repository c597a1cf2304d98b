package preset

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

func TestExpand(t *testing.T) {
	etcd, _ := Find("etcd")
	first, _ := Find("etcd.v1")
	scaled := etcd.Fio.DeepCopy()
	scaled.Size, scaled.RuntimeSeconds = new("1M"), new(int32(3))
	random, _ := Find("random-4k")
	clients := []int32{2}
	for name, test := range map[string]struct{ workload, want v1alpha1.Workload }{
		"none":    {v1alpha1.Workload{Name: "w", JobFile: new("[a]")}, v1alpha1.Workload{Name: "w", JobFile: new("[a]")}},
		"newest":  {v1alpha1.Workload{Name: "w", Preset: new("etcd")}, v1alpha1.Workload{Name: "w", Fio: &etcd.Fio}},
		"version": {v1alpha1.Workload{Name: "w", Preset: new("etcd.v1")}, v1alpha1.Workload{Name: "w", Fio: &first.Fio}},
		"scaled": {
			v1alpha1.Workload{Name: "w", Preset: new("etcd"), Scale: &v1alpha1.PresetScale{Size: new("1M"), RuntimeSeconds: new(int32(3))}},
			v1alpha1.Workload{Name: "w", Fio: scaled},
		},
		"matrix of the preset": {v1alpha1.Workload{Name: "w", Preset: new("random-4k")}, v1alpha1.Workload{Name: "w", Fio: &random.Fio, Matrix: random.Matrix}},
		"clients":              {v1alpha1.Workload{Name: "w", Preset: new("etcd"), Clients: clients}, v1alpha1.Workload{Name: "w", Fio: &etcd.Fio, Clients: clients}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Expand(&test.workload)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(&test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
	if _, err := Expand(&v1alpha1.Workload{Preset: new("etdc")}); err == nil {
		t.Error("a preset that is unknown was expanded")
	}
	if etcd, _ := Find("etcd"); *etcd.Fio.Size != "1g" {
		t.Error("a scale has changed the preset itself")
	}
}

func TestPin(t *testing.T) {
	spec := &v1alpha1.StorageBenchmarkSpec{Workloads: []v1alpha1.Workload{{Preset: new("etcd")}, {Preset: new("etcd.v1")}, {Preset: new("kafka")}, {}}}
	used := Used(spec)
	if diff := cmp.Diff([]v1alpha1.PresetVersion{"etcd.v2", "etcd.v1", "kafka.v2"}, used); diff != "" {
		t.Errorf("used (-want +got):\n%s", diff)
	}
	pinned := Pin(spec, []v1alpha1.PresetVersion{"etcd.v2"})
	for i, want := range []string{"etcd.v2", "etcd.v1", "kafka", ""} {
		if got := ptr.Deref(pinned.Workloads[i].Preset, ""); got != want {
			t.Errorf("workload %d has preset %q, want %q", i, got, want)
		}
	}
	if *spec.Workloads[0].Preset != "etcd" || Pin(spec, nil) != spec {
		t.Error("the spec itself was changed, or copied without need")
	}
}

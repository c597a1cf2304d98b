package schedule

import (
	"context"
	"slices"
	"testing"
	"time"

	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/harness"
)

// A point has the version of the driver that the labels of its CSIDriver tell, and none where nobody has labelled that.
func TestDriverVersions(t *testing.T) {
	w := newWorld(t)
	w.startOperator()
	driver := harness.Create(w.World, &storagev1.CSIDriver{ObjectMeta: metav1.ObjectMeta{
		Name: "driver-of." + w.Namespace, Labels: map[string]string{labelName: "aws-ebs-csi-driver", labelVersion: "1.63.0"},
	}})
	t.Cleanup(func() { _ = w.Client.Delete(context.Background(), driver) })
	s := w.create()
	for i, version := range []string{"1.63.0", "1.64.0", ""} {
		before := driver.DeepCopy()
		driver.Labels[labelVersion] = version
		if err := w.Client.Patch(t.Context(), driver, client.MergeFrom(before)); err != nil {
			t.Fatal(err)
		}
		w.measureOn(s, driver.Name)
		points := w.untilPoints(s, i+1)
		drivers := points[i].Environment.Drivers
		want := "aws-ebs-csi-driver:" + version
		if version == "" {
			want = ""
		}
		if len(drivers) != 1 || drivers[0].Name != driver.Name || drivers[0].Image != want || !slices.Equal(drivers[0].Targets, []string{"fast"}) {
			t.Errorf("with version %q the drivers are %+v", version, drivers)
		}
	}
}

// A point has the StorageClass that a target names, and nothing of one that is gone, or was made after the benchmark.
func TestStorageClasses(t *testing.T) {
	w := newWorld(t)
	w.startOperator()
	name := "class-of." + w.Namespace
	s := w.create(func(s *v1alpha1.StorageBenchmarkSchedule) {
		s.Spec.Template.Spec.Targets[0].StorageClassName, s.Spec.Template.Spec.Targets[0].ClaimName = &name, nil
	})
	class := func(iops string) *storagev1.StorageClass {
		return &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Provisioner: "ebs.csi.aws.com", Parameters: map[string]string{"iops": iops}}
	}
	t.Cleanup(func() { _ = w.Client.Delete(context.Background(), class("")) })
	for i, iops := range []string{"3000", "1000", ""} {
		if iops != "" {
			harness.Create(w.World, class(iops))
		}
		w.end(w.begin(s), metav1.ConditionTrue, 100)
		got := w.untilPoints(s, i+1)[i].Environment.ClassOf(s.Spec.Template.Spec.Targets[0].Name)
		switch {
		case iops == "" && got != nil:
			t.Errorf("of a class that is gone there is %+v", got)
		case iops != "" && (got == nil || got.Name != name || !slices.Contains(got.Parameters, "iops="+iops)):
			t.Errorf("of a class with iops %s there is %+v", iops, got)
		}
		if err := w.Client.Delete(t.Context(), class("")); client.IgnoreNotFound(err) != nil {
			t.Fatal(err)
		}
	}
}

// A class that was made after a benchmark is another one than that which made its volumes.
func TestYoungerStorageClass(t *testing.T) {
	at := metav1.Now()
	class := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "fast", CreationTimestamp: at}}
	p := &pass{Reconciler: &Reconciler{Live: fake.NewClientBuilder().WithScheme(clientscheme.Scheme).WithObjects(class).Build()}}
	for _, row := range []struct {
		made  time.Duration
		known int
	}{{0, 1}, {time.Minute, 1}, {-time.Minute, 0}} {
		sb := &v1alpha1.StorageBenchmark{Spec: v1alpha1.StorageBenchmarkSpec{Targets: []v1alpha1.Target{{Name: "a", StorageClassName: new("fast")}, {Name: "b"}}}}
		sb.CreationTimestamp = metav1.NewTime(at.Add(row.made))
		if got := classes(t.Context(), p, sb); len(got) != row.known {
			t.Errorf("of a benchmark that was made %s after its class there is %+v", row.made, got)
		}
	}
}

// measureOn has a benchmark made and ended whose volume a driver has made.
func (w *testWorld) measureOn(s *v1alpha1.StorageBenchmarkSchedule, driver string) {
	w.Helper()
	sb := w.begin(s)
	before := sb.DeepCopy()
	sb.Status.Targets = []v1alpha1.TargetStatus{{Name: sb.Spec.Targets[0].Name, Driver: driver}}
	if err := w.Client.Status().Patch(w.Context(), sb, client.MergeFrom(before)); err != nil {
		w.Fatal(err)
	}
	w.end(sb, metav1.ConditionTrue, 100)
}

// The node is the first one that a volume was measured from.
func TestNodeOf(t *testing.T) {
	on := func(nodes ...string) v1alpha1.TargetStatus {
		var target v1alpha1.TargetStatus
		for _, node := range nodes {
			target.Volumes = append(target.Volumes, v1alpha1.VolumeStatus{Node: node})
		}
		return target
	}
	for name, row := range map[string]struct {
		targets []v1alpha1.TargetStatus
		want    string
	}{
		"no target":              {nil, ""},
		"no volume":              {[]v1alpha1.TargetStatus{on()}, ""},
		"a node":                 {[]v1alpha1.TargetStatus{on("a", "b")}, "a"},
		"the first has none":     {[]v1alpha1.TargetStatus{on("", "b")}, "b"},
		"the first target waits": {[]v1alpha1.TargetStatus{on(""), on("c")}, "c"},
	} {
		sb := &v1alpha1.StorageBenchmark{Status: v1alpha1.StorageBenchmarkStatus{Targets: row.targets}}
		if got := nodeOf(sb); got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}

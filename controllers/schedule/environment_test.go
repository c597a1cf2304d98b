package schedule

import (
	"context"
	"slices"
	"testing"

	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

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

// A point has the StorageClass of a target, with its parameters, and nothing of one that nobody may see any more.
func TestStorageClasses(t *testing.T) {
	w := newWorld(t)
	w.startOperator()
	s := w.create(func(s *v1alpha1.StorageBenchmarkSchedule) {
		s.Spec.Template.Spec.Targets[0].StorageClassName, s.Spec.Template.Spec.Targets[0].ClaimName = new("fast"), nil
	})
	of := func(iops string) *storagev1.StorageClass {
		return &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "class-of." + w.Namespace}, Provisioner: "ebs.csi.aws.com", Parameters: map[string]string{"iops": iops}}
	}
	for i, iops := range []string{"3000", "1000", ""} {
		var want []string
		if iops != "" {
			want = []string{"iops=" + iops, "the provisioner=ebs.csi.aws.com"}
			class := harness.Create(w.World, of(iops))
			t.Cleanup(func() { _ = w.Client.Delete(context.Background(), class) })
		}
		w.measureIn(s, v1alpha1.TargetStatus{StorageClassName: of("").Name})
		points := w.untilPoints(s, i+1)
		target := points[i].Environment.StorageOf(s.Spec.Template.Spec.Targets[0].Name)
		if !slices.Equal(target.Parameters, want) || (target.Class == "") != (iops == "") {
			t.Errorf("with iops %q the storage is %+v", iops, target)
		}
		if err := w.Client.Delete(t.Context(), of("")); client.IgnoreNotFound(err) != nil {
			t.Fatal(err)
		}
	}
}

// measureOn has a benchmark made and ended whose volume a driver has made.
func (w *world) measureOn(s *v1alpha1.StorageBenchmarkSchedule, driver string) {
	w.Helper()
	w.measureIn(s, v1alpha1.TargetStatus{Driver: driver})
}

// measureIn has a benchmark made and ended whose first target is as given.
func (w *world) measureIn(s *v1alpha1.StorageBenchmarkSchedule, target v1alpha1.TargetStatus) {
	w.Helper()
	sb := w.begin(s)
	before := sb.DeepCopy()
	target.Name = sb.Spec.Targets[0].Name
	sb.Status.Targets = []v1alpha1.TargetStatus{target}
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

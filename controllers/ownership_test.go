package controllers

import (
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pvc"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/fakecluster"
)

// Of all pods of a benchmark on a new volume and on somebody's claim, only those that work on the new volume have an
// fsGroup: the kubelet changes group and mode of all files on each volume of a pod that has one.
func TestNoFSGroupOnAClaim(t *testing.T) {
	w := newWorld(t)
	w.claim("mine", corev1.PersistentVolumeFilesystem)
	var mu sync.Mutex
	seen := map[string]bool{}
	look := func(pod *corev1.Pod, outcome fakecluster.Outcome) fakecluster.Outcome {
		mu.Lock()
		defer mu.Unlock()
		role, target := pod.Labels[v1alpha1.LabelRole], pod.Labels[v1alpha1.LabelTarget]
		seen[role+" "+target] = true
		if has, want := pod.Spec.SecurityContext.FSGroup != nil, role == v1alpha1.RoleRun && target == "fast"; has != want {
			t.Errorf("%s has an fsGroup: %t, want %t", pod.Name, has, want)
		}
		return outcome
	}
	w.Cluster.OnPod(func(pod *corev1.Pod) fakecluster.Outcome { return look(pod, fakecluster.Succeed(builder.Report())) })
	w.Cluster.OnAnchor(func(pod *corev1.Pod) fakecluster.Outcome { return look(pod, fakecluster.Hang("anchor")) })
	sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(builder.NewTarget("fast")).Target(builder.NewClaimTarget("theirs", "mine")).
		Workload(builder.NewWorkload("reads")).Build())

	w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)

	mu.Lock()
	defer mu.Unlock()
	for _, pod := range []string{"anchor ", "run fast", "run theirs", "cleanup theirs"} {
		if !seen[pod] {
			t.Errorf("there was no pod %q: %v", pod, seen)
		}
	}
}

// What is there is taken over only if it is the benchmark's own. A PersistentVolume of its own is in the way where the
// claim that it is bound to is gone.
func TestInPlace(t *testing.T) {
	sb := builder.NewBenchmark("default", "sb").Target(v1alpha1.Target{Name: "t", S3: &v1alpha1.S3Bucket{Bucket: "b"}}).Workload(builder.NewWorkload("w")).Build()
	sb.UID, sb.Status.StartTime = "uid", at(0)
	name := childmeta.Name(sb, "t")
	own := metav1.ObjectMeta{Name: name, Labels: childmeta.ClusterLabels(sb)}
	gone := &corev1.PersistentVolumeClaim{}
	claim := func(changes ...func(*corev1.PersistentVolumeClaim)) *corev1.PersistentVolumeClaim {
		c := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: name, UID: "claim", OwnerReferences: []metav1.OwnerReference{builder.OwnedBy(sb)}}}
		c.Spec.VolumeName = name
		for _, change := range changes {
			change(c)
		}
		return c
	}
	volume := func(meta metav1.ObjectMeta, bound types.UID) *corev1.PersistentVolume {
		v := &corev1.PersistentVolume{ObjectMeta: meta}
		if bound != "" {
			v.Spec.ClaimRef = &corev1.ObjectReference{Name: name, UID: bound}
		}
		return v
	}
	for what, test := range map[string]struct {
		there pvc.InPlace
		taken string
		frees bool
	}{
		"nothing":                       {pvc.InPlace{Volume: volume(metav1.ObjectMeta{}, ""), Claims: []*corev1.PersistentVolumeClaim{gone}}, "", false},
		"all of it":                     {pvc.InPlace{Volume: volume(own, "claim"), Claims: []*corev1.PersistentVolumeClaim{claim()}}, "", false},
		"a class of its own":            {pvc.InPlace{Class: &storagev1.StorageClass{ObjectMeta: own}}, "", false},
		"somebody's class":              {pvc.InPlace{Class: &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: name}}}, "StorageClass " + name, false},
		"somebody's volume":             {pvc.InPlace{Volume: volume(metav1.ObjectMeta{Name: name}, ""), Claims: []*corev1.PersistentVolumeClaim{gone}}, "PersistentVolume " + name, false},
		"somebody's claim":              {pvc.InPlace{Claims: []*corev1.PersistentVolumeClaim{claim(func(c *corev1.PersistentVolumeClaim) { c.OwnerReferences = nil })}}, "PersistentVolumeClaim " + name, false},
		"a claim of another volume":     {pvc.InPlace{Claims: []*corev1.PersistentVolumeClaim{claim(func(c *corev1.PersistentVolumeClaim) { c.Spec.VolumeName = "theirs" })}}, "PersistentVolumeClaim " + name, false},
		"a volume whose claim is gone":  {pvc.InPlace{Volume: volume(own, "before"), Claims: []*corev1.PersistentVolumeClaim{gone}}, "", true},
		"a volume of a claim before":    {pvc.InPlace{Volume: volume(own, "before"), Claims: []*corev1.PersistentVolumeClaim{claim()}}, "", true},
		"a volume that nobody had":      {pvc.InPlace{Volume: volume(own, ""), Claims: []*corev1.PersistentVolumeClaim{gone}}, "", false},
		"somebody's, bound to somebody": {pvc.InPlace{Volume: volume(metav1.ObjectMeta{Name: name}, "theirs"), Claims: []*corev1.PersistentVolumeClaim{gone}}, "PersistentVolume " + name, false},
	} {
		s := writerOf(sb)
		if taken := test.there.TakenFrom(&s.Children); taken != test.taken {
			t.Errorf("%s: taken is %q, want %q", what, taken, test.taken)
		}
		if frees := test.there.VolumeInTheWay(sb); (frees != nil) != test.frees {
			t.Errorf("%s: in the way is %v, want one: %t", what, frees, test.frees)
		}
	}
}

package owned_test

import (
	"encoding/json"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/owned"
	"github.com/storagebench/storagebench/internal/storage"
	"github.com/storagebench/storagebench/test/builder"
)

func benchmark() *v1alpha1.StorageBenchmark {
	return builder.NewBenchmark("ns", "sb").Target(builder.NewTarget("fast")).Target(builder.NewClaimTarget("theirs", "theirs")).
		Target(v1alpha1.Target{Name: "s3", S3: &v1alpha1.S3Bucket{Bucket: "b"}}).Target(v1alpha1.Target{Name: "gp3", EBS: &v1alpha1.EBSVolume{Type: "gp3"}}).
		Workload(builder.NewWorkload("reads")).With(func(sb *v1alpha1.StorageBenchmark) {
		sb.UID, sb.Spec.Clients = "u1", new(int32(2))
	}).Build()
}

// another is a benchmark of the same name, that was deleted before.
func another() *v1alpha1.StorageBenchmark {
	sb := benchmark()
	sb.UID = "u0"
	return sb
}

// read returns the object of an apply configuration.
func read[T any](t *testing.T, configuration any) *T {
	t.Helper()
	object := new(T)
	text, err := json.Marshal(configuration)
	if err == nil {
		err = json.Unmarshal(text, object)
	}
	if err != nil {
		t.Fatal(err)
	}
	return object
}

// isOurs is what is asked of objects of all kinds.
func isOurs(sb *v1alpha1.StorageBenchmark, object metav1.Object) bool {
	switch o := object.(type) {
	case *batchv1.Job:
		return owned.Job(sb, o)
	case *corev1.Pod:
		return owned.Anchor(sb, o)
	case *corev1.PersistentVolumeClaim:
		return owned.Claim(sb, owned.ClaimTargets(sb), o)
	default:
		return owned.ClusterObject(sb, o)
	}
}

// made are objects of all kinds as they are made for a benchmark.
func made(t *testing.T, sb *v1alpha1.StorageBenchmark) map[string]metav1.Object {
	t.Helper()
	volume := job.Volume{Target: "fast", Claim: "claim", Mode: corev1.PersistentVolumeFilesystem}
	image := job.Image{Name: "runner"}
	objects := map[string]metav1.Object{}
	for name, run := range map[string]job.Run{
		"run":           {Name: "reads.fast", Attempt: 1, Clients: 2, Volume: volume},
		"second client": {Name: "reads.fast", Attempt: 3, Clients: 2, Client: 1, Volume: volume},
	} {
		objects[name] = read[batchv1.Job](t, job.ForRun(sb, image, run))
	}
	objects["clean-up"] = read[batchv1.Job](t, job.ForCleanUp(sb, image, volume, 0))
	objects["clean-up of the second client"] = read[batchv1.Job](t, job.ForCleanUp(sb, image, volume, 1))
	objects["anchor"] = read[corev1.Pod](t, job.ForAnchor(sb, image, job.Anchor{Attempt: 1}))
	objects["anchor of the second client"] = read[corev1.Pod](t, job.ForAnchor(sb, image, job.Anchor{Client: 1, Attempt: 2}))
	of := func(target int) storage.Objects { return storage.For(sb, &sb.Spec.Targets[target], storage.User{}) }
	objects["claim"] = read[corev1.PersistentVolumeClaim](t, of(0).Claims[0])
	objects["claim of the second client"] = read[corev1.PersistentVolumeClaim](t, of(0).Claims[1])
	objects["claim of a bucket"] = read[corev1.PersistentVolumeClaim](t, of(2).Claims[0])
	objects["volume"] = read[corev1.PersistentVolume](t, of(2).Volume)
	objects["class"] = read[storagev1.StorageClass](t, of(3).Class)
	return objects
}

// What was made for a benchmark is its own. What is like it in all but one thing is not.
func TestWhatIsOurs(t *testing.T) {
	sb := benchmark()
	for name, object := range made(t, sb) {
		t.Run(name, func(t *testing.T) {
			if !isOurs(sb, object) {
				t.Errorf("it is not ours: %+v", object)
			}
			if isOurs(another(), object) {
				t.Error("it is also that of another benchmark of the same name")
			}
			if of := owned.Benchmark(object); of == nil || of.Namespace != "ns" || of.Name != "sb" || of.UID != "u1" {
				t.Errorf("it was made for %+v", of)
			}
		})
	}
	for name, change := range map[string]func(metav1.Object){
		"another name": func(o metav1.Object) { o.SetName("db-data") },
		"a name of no part of the benchmark": func(o metav1.Object) {
			o.SetName(childmeta.Name(sb, "forged"))
		},
		"another UID": func(o metav1.Object) {
			o.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(another(), v1alpha1.GroupVersion.WithKind("StorageBenchmark"))})
			labels := o.GetLabels()
			labels[v1alpha1.LabelUID] = "u0"
			o.SetLabels(labels)
		},
		"no owner": func(o metav1.Object) {
			o.SetOwnerReferences(nil)
			labels := o.GetLabels()
			delete(labels, v1alpha1.LabelUID)
			o.SetLabels(labels)
		},
	} {
		for kind, object := range made(t, sb) {
			change(object)
			if isOurs(sb, object) {
				t.Errorf("%s with %s is ours", kind, name)
			}
			if of := owned.Benchmark(object); of != nil {
				t.Errorf("%s with %s was made for %+v", kind, name, of)
			}
		}
	}
}

// The claim that the benchmark was pointed to is never its own, whatever is written on it.
func TestClaimOfSomebodyElse(t *testing.T) {
	sb := benchmark()
	if got := owned.ClaimTargets(sb); got["theirs"] != "" || len(got) != 2+1+2 {
		t.Errorf("claims are %v", got)
	}
}

// A claim that takes the place of the one that was noted is not the benchmark's, whatever is written on it.
func TestIsNoted(t *testing.T) {
	many := func(*v1alpha1.StorageBenchmark) {} // the benchmark has two clients
	one := func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Clients = nil }
	for name, test := range map[string]struct {
		noted   types.UID
		clients func(*v1alpha1.StorageBenchmark)
		want    bool
	}{
		"none is noted yet":            {"", one, true},
		"it is noted":                  {"c1", one, true},
		"another one is":               {"c0", one, false},
		"it is noted, of several":      {"c1", many, true},
		"another one is, of several":   {"c0", many, false},
		"none is noted yet of several": {"", many, true},
	} {
		t.Run(name, func(t *testing.T) {
			sb := benchmark()
			test.clients(sb)
			claim := made(t, benchmark())["claim"].(*corev1.PersistentVolumeClaim)
			claim.UID = "c1"
			sb.Status.Targets = []v1alpha1.TargetStatus{{Name: "theirs"}, {Name: "fast"}}
			sb.Status.Targets[0].SetClaimUID(claim.Name, "c9")
			sb.Status.Targets[1].SetClaimUID(claim.Name, test.noted)
			if got := isOurs(sb, claim); got != test.want {
				t.Errorf("it is ours: %t, want %t", got, test.want)
			}
		})
	}
}

// Another claim of storage that is mounted as it is has the same files, so that it may replace the recorded one.
func TestIsNotedOfABucket(t *testing.T) {
	for _, noted := range []types.UID{"", "c0"} {
		sb := benchmark()
		claim := made(t, benchmark())["claim of a bucket"]
		sb.Status.Targets = []v1alpha1.TargetStatus{{Name: "s3"}}
		sb.Status.Targets[0].SetClaimUID(claim.GetName(), noted)
		if !isOurs(sb, claim) {
			t.Errorf("with %q noted it is not ours", noted)
		}
	}
}

// The claim of a bucket is bound to the volume that was made with it, and to no other.
func TestClaimOfAnotherVolume(t *testing.T) {
	sb := benchmark()
	for what, ours := range map[string]bool{"claim": true, "claim of a bucket": false} {
		claim := made(t, sb)[what].(*corev1.PersistentVolumeClaim)
		claim.Spec.VolumeName = "db-data"
		if got := isOurs(sb, claim); got != ours {
			t.Errorf("the %s that names another volume is ours: %t", what, got)
		}
	}
}

// Pods are their Job's. Where the Job is gone, the name tells.
func TestPods(t *testing.T) {
	sb := benchmark()
	j := read[batchv1.Job](t, job.ForRun(sb, job.Image{}, job.Run{Name: "reads.fast", Attempt: 1, Clients: 1, Volume: job.Volume{Target: "fast"}}))
	j.UID = "j1"
	owner := func(name string, uid types.UID) []metav1.OwnerReference {
		return []metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "Job", Name: name, UID: uid, Controller: new(true)}}
	}
	for _, test := range []struct {
		what       string
		name       string
		owners     []metav1.OwnerReference
		of, lone   bool
		withLabels map[string]string
	}{
		{"of the Job", j.Name + "-abcde", owner(j.Name, "j1"), true, true, j.Labels},
		{"of a Job of that name before", j.Name + "-abcde", owner(j.Name, "j0"), false, true, j.Labels},
		{"its Job was deleted without it", j.Name + "-abcde", nil, false, true, j.Labels},
		{"somebody's, with the labels", "db-0", nil, false, false, j.Labels},
		{"somebody's Job, with the labels", "etl-abcde", owner("etl", "j2"), false, false, j.Labels},
		{"of a StatefulSet", j.Name + "-abcde", []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "StatefulSet", Name: j.Name, UID: "s1", Controller: new(true)}}, false, false, j.Labels},
		{"the name alone", j.Name + "-abcde", nil, false, false, nil},
	} {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: test.name, Labels: test.withLabels, Annotations: j.Annotations, OwnerReferences: test.owners}}
		if of, lone := owned.PodOf(j, pod), owned.NamedPod(sb, pod); of != test.of || lone != test.lone {
			t.Errorf("%s: of the Job %t, alone %t", test.what, of, lone)
		}
	}
}

// A pod is waited for whose Job is the benchmark's, or is gone. Which Job has the name of its owner is asked only where that decides.
func TestLeftPods(t *testing.T) {
	sb := benchmark()
	mine := read[batchv1.Job](t, job.ForRun(sb, job.Image{}, job.Run{Name: "reads.fast", Attempt: 1, Clients: 1, Volume: job.Volume{Target: "fast"}}))
	mine.UID = "j1"
	theirs := mine.DeepCopy()
	theirs.OwnerReferences = nil
	known := sets.New(mine.UID)
	owner := func(uid types.UID) []metav1.OwnerReference {
		return []metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "Job", Name: mine.Name, UID: uid, Controller: new(true)}}
	}
	for _, test := range []struct {
		name    string
		pod     string
		owners  []metav1.OwnerReference
		deleted bool
		jobs    sets.Set[types.UID]
		left    bool
		there   *batchv1.Job // by the name of the owner, if that decides
	}{
		{name: "of a Job that is known", pod: mine.Name + "-x", owners: owner("j1"), jobs: known, left: true},
		{name: "of a Job that is known, by another name", pod: "x", owners: owner("j1"), jobs: known, left: true},
		{name: "somebody's", pod: "db-0", jobs: known},
		{name: "somebody's, of a Job of the name", pod: "db-0", owners: owner("j2"), jobs: known},
		{name: "without a Job", pod: mine.Name + "-x", left: true},
		{name: "that is being deleted", pod: mine.Name + "-x", owners: owner("j1"), deleted: true, left: true},
		{name: "of the Job that is there", pod: mine.Name + "-x", owners: owner("j1"), there: mine, left: true},
		{name: "of a Job before the one that is there", pod: mine.Name + "-x", owners: owner("j0"), there: mine, left: true},
		{name: "of a Job before somebody's that is there", pod: mine.Name + "-x", owners: owner("j0"), there: theirs, left: true},
		{name: "of a Job that is gone", pod: mine.Name + "-x", owners: owner("j1"), there: &batchv1.Job{}, left: true},
		{name: "of somebody's Job that is there", pod: mine.Name + "-x", owners: owner("j1"), there: theirs},
	} {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: test.pod, Labels: mine.Labels, Annotations: mine.Annotations, OwnerReferences: test.owners}}
		if test.deleted {
			pod.DeletionTimestamp = new(metav1.Now())
		}
		left, decides := owned.IsLeft(sb, pod, test.jobs)
		if (decides != nil) != (test.there != nil) {
			t.Errorf("%s: the Job of owner %v decides, want %v", test.name, decides, test.there)
			continue
		}
		if decides != nil {
			left = owned.IsLeftOf(sb, decides, test.there)
		}
		if left != test.left {
			t.Errorf("%s: it is left: %t", test.name, left)
		}
	}
}

// What was made and is not found may have lost its labels, and is the benchmark's all the same.
func TestWhyLost(t *testing.T) {
	sb := benchmark()
	mine := read[batchv1.Job](t, job.ForRun(sb, job.Image{}, job.Run{Name: "reads.fast", Attempt: 1, Clients: 1, Volume: job.Volume{Target: "fast"}}))
	mine.Labels = nil
	theirs := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "etl"}}
	for name, test := range map[string]struct {
		object metav1.Object
		want   string
	}{
		"it is there":            {mine, ""},
		"it is gone":             {&batchv1.Job{}, "its Job was deleted"},
		"it is of somebody else": {theirs, "Job etl is not owned by this benchmark any more"},
	} {
		if got := owned.WhyLost(sb, "Job", test.object); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// Labels can hold anything.
func TestForgedLabels(t *testing.T) {
	sb := benchmark()
	for _, labels := range []map[string]string{nil, {v1alpha1.LabelClient: "x"}, {v1alpha1.LabelClient: "-1"}, {v1alpha1.LabelClient: "99999999999"}, {v1alpha1.LabelAttempt: ""}} {
		for kind, object := range made(t, sb) {
			if _, cluster := object.(*storagev1.StorageClass); cluster {
				continue
			}
			if _, cluster := object.(*corev1.PersistentVolume); cluster {
				continue
			}
			if _, claim := object.(*corev1.PersistentVolumeClaim); claim {
				continue // known by their names
			}
			object.SetLabels(labels)
			if isOurs(sb, object) {
				t.Errorf("%s with labels %v is ours", kind, labels)
			}
		}
	}
}

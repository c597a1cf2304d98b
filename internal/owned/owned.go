// Package owned decides which objects were made for a benchmark, what has to happen before its storage can be made, and
// what its volumes are. It is pure.
//
// Labels and owner references do not prove that an object is the benchmark's: anyone who may write objects in the
// namespace can set them. An object is the benchmark's only if it has the exact name that the benchmark gives, which
// contains a hash of the benchmark's UID, and, in a namespace, if the benchmark owns it by UID. Everything that the
// operator changes, deletes or believes is checked here first.
package owned

import (
	"slices"
	"strconv"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/internal/storage"
)

// Job says whether a Job was made for the benchmark.
func Job(sb *v1alpha1.StorageBenchmark, j *batchv1.Job) bool {
	return metav1.IsControlledBy(j, sb) && j.Name == jobName(sb, j)
}

// jobName returns the name of the Job that an object says it is, or is of: pods have the labels and annotations of their Job.
// It is "" for one that says nothing that a benchmark makes.
func jobName(sb *v1alpha1.StorageBenchmark, object metav1.Object) string {
	labels, run := object.GetLabels(), object.GetAnnotations()[v1alpha1.AnnotationRun]
	switch client, known := number(labels, v1alpha1.LabelClient); {
	case !known:
	case labels[v1alpha1.LabelRole] == v1alpha1.RoleCleanUp:
		return childmeta.CleanUpName(sb, labels[v1alpha1.LabelTarget], client)
	case labels[v1alpha1.LabelRole] == v1alpha1.RoleRun && run != "":
		if attempt, known := number(labels, v1alpha1.LabelAttempt); known {
			return childmeta.RunName(sb, run, attempt, client)
		}
	}
	return ""
}

// number returns the number that a label has, 0 of one that is missing: not all Jobs have all.
func number(labels map[string]string, label string) (int32, bool) {
	text, there := labels[label]
	if !there {
		return 0, true
	}
	n, err := strconv.ParseInt(text, 10, 32)
	return int32(n), err == nil && n >= 0
}

// Anchor says whether a pod was made to hold a node for the benchmark.
func Anchor(sb *v1alpha1.StorageBenchmark, pod *corev1.Pod) bool {
	if pod.Labels[v1alpha1.LabelRole] != v1alpha1.RoleAnchor || !metav1.IsControlledBy(pod, sb) {
		return false
	}
	client, known := number(pod.Labels, v1alpha1.LabelClient)
	attempt, numbered := number(pod.Labels, v1alpha1.LabelAttempt)
	return known && numbered && pod.Name == childmeta.AnchorName(sb, client, attempt)
}

// PodOf says whether a pod was made for a Job, which is the benchmark's.
func PodOf(j *batchv1.Job, pod *corev1.Pod) bool { return metav1.IsControlledBy(pod, j) }

// NamedPod says whether a pod has the name and the owner of one that was made for a Job of the benchmark: Kubernetes names pods
// after their Jobs. It is for pods whose Job need not be there. One whose Job was deleted without it has no owner any more,
// and nobody else removes it.
func NamedPod(sb *v1alpha1.StorageBenchmark, pod *corev1.Pod) bool {
	name := jobName(sb, pod)
	if name == "" || !strings.HasPrefix(pod.Name, name+"-") {
		return false
	}
	owner := metav1.GetControllerOf(pod)
	return owner == nil || (owner.Kind == "Job" && owner.Name == name)
}

// IsLeft says whether a pod is left of one of the benchmark's Jobs, which are known by their UIDs, or of one that is gone. Where that depends on
// what there is by the name of its owner, it returns the owner, for IsLeftOf.
func IsLeft(sb *v1alpha1.StorageBenchmark, pod *corev1.Pod, jobs sets.Set[types.UID]) (left bool, depends *metav1.OwnerReference) {
	owner := metav1.GetControllerOf(pod)
	switch {
	case owner != nil && jobs.Has(owner.UID):
		return true, nil
	case !NamedPod(sb, pod):
		return false, nil
	case owner == nil || !pod.DeletionTimestamp.IsZero():
		return true, nil
	default:
		return false, owner
	}
}

// IsLeftOf says whether a pod is left whose owner has the name of a Job, which is empty if it is gone. One of a Job that is somebody else's would be waited for
// without end.
func IsLeftOf(sb *v1alpha1.StorageBenchmark, owner *metav1.OwnerReference, j *batchv1.Job) bool {
	return j.UID != owner.UID || Job(sb, j)
}

// ClaimTargets returns the names of all claims that are made for the benchmark, with those of their targets.
func ClaimTargets(sb *v1alpha1.StorageBenchmark) map[string]string {
	targets := map[string]string{}
	for i := range sb.Spec.Targets {
		target := &sb.Spec.Targets[i]
		if !storage.IsProvisioned(target) {
			continue
		}
		for _, name := range storage.ClaimNames(sb, target) {
			targets[name] = target.Name
		}
	}
	return targets
}

// Claim reports whether a claim was made for the benchmark, whose ClaimTargets are given. The claim of storage that is
// mounted as it is names the PersistentVolume that was made with it, of the same name: anybody who may make claims can
// make one that is owned by the benchmark and names the volume of somebody else, where clean-up would remove all files.
// Any other claim must be the recorded one, if one is: the operator forgets a deleted claim before it makes another.
func Claim(sb *v1alpha1.StorageBenchmark, targets map[string]string, claim *corev1.PersistentVolumeClaim) bool {
	i := slices.IndexFunc(sb.Spec.Targets, func(t v1alpha1.Target) bool { return t.Name == targets[claim.Name] })
	switch {
	case i < 0, !Owned(sb, claim):
		return false
	case storage.MakesVolume(&sb.Spec.Targets[i]):
		return claim.Spec.VolumeName == claim.Name
	default:
		return !IsReplaced(sb.Status.Target(sb.Spec.Targets[i].Name), claim)
	}
}

// Owned says whether an object in a namespace, of a name that the benchmark gives, is its own, whatever labels it has.
func Owned(sb *v1alpha1.StorageBenchmark, object metav1.Object) bool {
	return metav1.IsControlledBy(object, sb)
}

// WhyLost says why an object of a kind that was made for the benchmark is its own no longer, "" if it is. An empty object is one that is gone.
func WhyLost(sb *v1alpha1.StorageBenchmark, kind string, object metav1.Object) string {
	switch {
	case object.GetName() == "":
		return "its " + kind + " was deleted"
	case !Owned(sb, object):
		return kind + " " + object.GetName() + " is not owned by this benchmark any more"
	default:
		return ""
	}
}

// ClusterObject says whether an object without a namespace, which has no owner, was made for the benchmark: a StorageClass, or a PersistentVolume.
func ClusterObject(sb *v1alpha1.StorageBenchmark, object metav1.Object) bool {
	named := func(t v1alpha1.Target) bool { return object.GetName() == childmeta.Name(sb, t.Name) }
	return object.GetLabels()[v1alpha1.LabelUID] == string(sb.UID) && slices.ContainsFunc(sb.Spec.Targets, named)
}

// Benchmark returns the benchmark that an object was made for, as far as the object tells of it: namespace, name and UID. It is for
// benchmarks that may be gone, and nil for an object of somebody else.
func Benchmark(object metav1.Object) *v1alpha1.StorageBenchmark {
	sb := &v1alpha1.StorageBenchmark{}
	labels := object.GetLabels()
	if object.GetNamespace() == "" {
		sb.Namespace, sb.Name, sb.UID = labels[v1alpha1.LabelNamespace], labels[v1alpha1.LabelBenchmark], types.UID(labels[v1alpha1.LabelUID])
	} else if owner := metav1.GetControllerOf(object); owner != nil && owner.Kind == "StorageBenchmark" && owner.APIVersion == v1alpha1.GroupVersion.String() {
		sb.Namespace, sb.Name, sb.UID = object.GetNamespace(), owner.Name, owner.UID
	}
	if sb.Namespace == "" || sb.Name == "" || sb.UID == "" || !isNamedBy(sb, object) {
		return nil
	}
	return sb
}

// isNamedBy says whether an object has the name that a benchmark, whose spec is not known, gives to what the object says it is.
func isNamedBy(sb *v1alpha1.StorageBenchmark, object metav1.Object) bool {
	switch o := object.(type) {
	case *batchv1.Job:
		return Job(sb, o)
	case *corev1.Pod:
		return Anchor(sb, o)
	}
	target := object.GetLabels()[v1alpha1.LabelTarget]
	if target == "" {
		return false
	}
	client, known := number(object.GetLabels(), v1alpha1.LabelClient)
	if client == 0 {
		return known && object.GetName() == childmeta.Name(sb, target)
	}
	return known && object.GetName() == childmeta.Name(sb, target, childmeta.Client(client))
}

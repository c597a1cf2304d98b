//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/childmeta"
)

// person is somebody with rights of their own.
type person struct {
	client.Client
	clientset kubernetes.Interface
}

// newPerson makes a service account with the chart's role in a namespace, and further rights in the cluster, and returns
// what can be done with its token.
func newPerson(t *testing.T, ns *corev1.Namespace, name, role string, rules ...rbacv1.PolicyRule) *person {
	t.Helper()
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: ns.Name, Name: name}}
	subjects := []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: ns.Name, Name: name}}
	further := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: ns.Name + "-" + name}, Rules: rules}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: further.Name}, Subjects: subjects,
		RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: further.Name},
	}
	for _, object := range []client.Object{account, further, binding, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns.Name, Name: name}, Subjects: subjects,
		RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
	}} {
		if err := k8s.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		for _, object := range []client.Object{binding, further} {
			if err := k8s.Delete(context.WithoutCancel(t.Context()), object); err != nil {
				t.Error(err)
			}
		}
	})
	token, err := clientset.CoreV1().ServiceAccounts(ns.Name).CreateToken(t.Context(), name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	config, err := ctrl.GetConfig()
	if err != nil {
		t.Fatal(err)
	}
	config = rest.AnonymousClientConfig(config)
	config.BearerToken = token.Status.Token
	p := &person{}
	if p.Client, err = client.New(config, client.Options{Scheme: k8s.Scheme()}); err != nil {
		t.Fatal(err)
	}
	if p.clientset, err = kubernetes.NewForConfig(config); err != nil {
		t.Fatal(err)
	}
	return p
}

// The roles that the chart has for users.
const (
	editorRole = "storagebench-editor"
	viewerRole = "storagebench-viewer"
)

var (
	createClasses = rbacv1.PolicyRule{APIGroups: []string{"storage.k8s.io"}, Resources: []string{"storageclasses"}, Verbs: []string{"create"}}
	createVolumes = rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"persistentvolumes"}, Verbs: []string{"create"}}
)

// inline returns benchmarks on storage for which the operator makes what has no namespace, by their kind.
func inline(t *testing.T, ns *corev1.Namespace) map[string]*v1alpha1.StorageBenchmark {
	t.Helper()
	read := v1alpha1.Workload{Name: "read", Fio: &v1alpha1.FioParameters{RW: "read", Size: new("1M"), BS: new("64k"), Direct: new(true)}}
	of := func(target v1alpha1.Target) *v1alpha1.StorageBenchmark {
		return benchmark(t, "inline-"+target.Name, in(ns), func(sb *v1alpha1.StorageBenchmark) {
			sb.Spec.Targets, sb.Spec.Workloads = []v1alpha1.Target{target}, []v1alpha1.Workload{read}
		})
	}
	efs := experiment(t, "e4").Spec.Targets[0].EFS.DeepCopy()
	s3 := bucket(t)
	s3.Name = "s3"
	return map[string]*v1alpha1.StorageBenchmark{
		"ebs": of(v1alpha1.Target{Name: "ebs", EBS: &v1alpha1.EBSVolume{Type: "gp3"}}),
		"efs": of(v1alpha1.Target{Name: "efs", EFS: efs}),
		"s3":  of(s3),
	}
}

// Only who may make StorageClasses and PersistentVolumes may have the operator make them, and what those apply runs to its end.
func TestInlineStorageOfTenants(t *testing.T) {
	sideBySide(t, shares(theFileSystem))
	needsBucket(t)
	ns := newNamespace(t)
	tenant := newPerson(t, ns, "tenant", editorRole)
	owner := newPerson(t, ns, "owner", editorRole, createClasses, createVolumes)
	made := map[string]string{"ebs": "StorageClass", "efs": "StorageClass", "s3": "PersistentVolume"}
	for kind, sb := range inline(t, ns) {
		t.Run(kind, func(t *testing.T) {
			err := tenant.Create(t.Context(), sb.DeepCopy())
			for _, want := range []string{"spec.targets[0]." + kind + ": has a " + made[kind] + " made", `user "system:serviceaccount:` + ns.Name + `:tenant" may not create`} {
				if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), want) {
					t.Errorf("the tenant's: error %v, want one that says %q", err, want)
				}
			}
			createAs(t, owner, sb)
			if err := tenant.Patch(t.Context(), sb.DeepCopy(), client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"labels":{"team":"storage"}}}`))); err != nil {
				t.Errorf("a label by the tenant: %v", err)
			}
			completes(t, sb)
		})
	}
	t.Run("a StorageClass that exists", func(t *testing.T) {
		sb := benchmark(t, "class", in(ns))
		createAs(t, tenant, sb)
		completes(t, sb)
	})
	checkPolicyTypes(t)
}

// checkPolicyTypes checks that Kubernetes finds nothing to warn of in the policy's expressions.
func checkPolicyTypes(t *testing.T) {
	t.Helper()
	policy := &admissionv1.ValidatingAdmissionPolicy{}
	eventually(t.Context(), t, "the types in the policy to be checked", func(ctx context.Context) (bool, error) {
		err := k8s.Get(ctx, client.ObjectKey{Name: "storagebench-user-permissions"}, policy)
		return policy.Status.ObservedGeneration == policy.Generation && policy.Status.TypeChecking != nil, err
	})
	for _, warning := range policy.Status.TypeChecking.ExpressionWarnings {
		t.Errorf("%s: %s", warning.FieldRef, warning.Warning)
	}
}

// A tenant sees what is in its own namespace: neither benchmarks of others, nor their logs, nor their volumes. A viewer sees
// results, and changes nothing.
func TestResultsOfTenants(t *testing.T) {
	sideBySide(t)
	mine, theirs := newNamespace(t), newNamespace(t)
	tenant, viewer := newPerson(t, mine, "tenant", editorRole), newPerson(t, mine, "viewer", viewerRole)
	sb, secret := benchmark(t, "mine", in(mine)), benchmark(t, "secret", in(theirs))
	createAs(t, tenant, sb)
	create(t, secret)
	sb, secret = completes(t, sb), completes(t, secret)

	for name, p := range map[string]*person{"tenant": tenant, "viewer": viewer} {
		seen := &v1alpha1.StorageBenchmark{}
		if err := p.Get(t.Context(), client.ObjectKeyFromObject(sb), seen); err != nil || seen.Status.Runs[0].Result == nil {
			t.Errorf("%s: own results: %v", name, err)
		}
		list := &v1alpha1.StorageBenchmarkList{}
		if err := p.List(t.Context(), list, client.InNamespace(mine.Name)); err != nil || len(list.Items) != 1 {
			t.Errorf("%s: own benchmarks: %d, %v", name, len(list.Items), err)
		}
		for what, err := range map[string]error{
			"a benchmark":    p.Get(t.Context(), client.ObjectKeyFromObject(secret), seen),
			"all benchmarks": p.List(t.Context(), &v1alpha1.StorageBenchmarkList{}),
			"a log":          p.Get(t.Context(), client.ObjectKey{Namespace: theirs.Name, Name: secret.Status.Runs[0].LogConfigMap}, &corev1.ConfigMap{}),
			"pods":           p.List(t.Context(), &corev1.PodList{}, client.InNamespace(theirs.Name)),
			"claims":         p.List(t.Context(), &corev1.PersistentVolumeClaimList{}, client.InNamespace(theirs.Name)),
			"deletion":       p.Delete(t.Context(), secret),
			"another status": p.Status().Patch(t.Context(), sb.DeepCopy(), client.RawPatch("application/merge-patch+json", []byte(`{"status":{"summary":"forged"}}`))),
		} {
			if !apierrors.IsForbidden(err) {
				t.Errorf("%s: %s: %v, want Forbidden", name, what, err)
			}
		}
	}
	if err := viewer.Delete(t.Context(), sb); !apierrors.IsForbidden(err) {
		t.Errorf("a viewer deletes: %v", err)
	}
}

// Pods that others have made, with the labels of a benchmark in another namespace, are not that benchmark's: nothing of them
// gets into its results, and nothing happens to them.
func TestForgedPodInAnotherNamespace(t *testing.T) {
	sideBySide(t)
	mine, theirs := newNamespace(t), newNamespace(t)
	sb := benchmark(t, "mine", in(mine), lasting(5))
	create(t, sb)
	pod := runningPod(t, sb)
	forged := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: theirs.Name, Name: pod.Name, Labels: pod.Labels, Annotations: pod.Annotations},
		Spec:       *pod.Spec.DeepCopy(),
	}
	forged.Spec.NodeName, forged.Spec.ServiceAccountName, forged.Spec.DeprecatedServiceAccount = "", "", ""
	forged.Spec.Volumes = slices.DeleteFunc(forged.Spec.Volumes, func(v corev1.Volume) bool { return v.PersistentVolumeClaim != nil })
	for i := range forged.Spec.Containers {
		forged.Spec.Containers[i].Args = []string{"hold"}
		forged.Spec.Containers[i].VolumeMounts = slices.DeleteFunc(forged.Spec.Containers[i].VolumeMounts, func(m corev1.VolumeMount) bool { return m.MountPath == "/volume" })
	}
	forged.Spec.InitContainers = nil
	if err := k8s.Create(t.Context(), forged); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := k8s.Delete(context.WithoutCancel(t.Context()), forged, client.GracePeriodSeconds(0)); err != nil {
			t.Error(err)
		}
	})
	done := completes(t, sb)
	if len(done.Status.Runs) != 1 || done.Status.Runs[0].Result == nil {
		t.Errorf("runs are %+v", done.Status.Runs)
	}
	if err := k8s.Get(t.Context(), client.ObjectKeyFromObject(forged), forged); err != nil || !forged.DeletionTimestamp.IsZero() {
		t.Errorf("the other pod: %v, deleted %v", err, forged.DeletionTimestamp)
	}
}

// A link where a benchmark's test files would go, as another pod that mounts the volume can plant it, leads no further than
// the pod: not to the node's file system, and not to what the driver has there. Clean-up removes the link, not what it names.
func TestPlantedLinks(t *testing.T) {
	sideBySide(t, shares(theFileSystem))
	efs := experiment(t, "e4").Spec.Targets[0].EFS.DeepCopy()
	efs.Provisioning, efs.AccessPointID = new(v1alpha1.EFSStatic), new(accessPoint(t, efs.FileSystemID))
	onEFS := func(name string) *v1alpha1.StorageBenchmark {
		return benchmark(t, name, func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Targets[0] = v1alpha1.Target{Name: "efs", EFS: efs} })
	}
	measured(t, onEFS("links-none")) // whoever mounts an access point first has its directory made
	var made struct{ Path string }
	readJSON(t, &made, "efs", efs.FileSystemID, "access-points", *efs.AccessPointID+".json")
	directory := filepath.Join(os.Getenv(fileSystemDirectory), made.Path)
	if _, err := os.Stat(directory); err != nil || made.Path == "" {
		t.Fatalf("the access point has directory %q: %v", made.Path, err)
	}
	for name, link := range map[string]func(onNode string) string{
		"to the node":       func(onNode string) string { return onNode },
		"up to the node":    func(onNode string) string { return strings.Repeat("../", 16) + strings.TrimPrefix(onNode, "/") },
		"to the pod's root": func(string) string { return "/etc" },
	} {
		t.Run(name, func(t *testing.T) {
			onNode := t.TempDir()
			if err := os.Chmod(onNode, 0o777); err != nil {
				t.Fatal(err)
			}
			precious := filepath.Join(onNode, "precious")
			if err := os.WriteFile(precious, []byte("keep"), 0o666); err != nil {
				t.Fatal(err)
			}
			sb := onEFS("links")
			sb.Spec.Suspend = new(true)
			create(t, sb)
			planted := filepath.Join(directory, childmeta.Directory(sb))
			if err := os.Symlink(link(onNode), planted); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.Remove(planted) })
			if err := update(t, sb, func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Suspend = new(false) }); err != nil {
				t.Fatal(err)
			}
			fails(t, sb, v1alpha1.ReasonRunFailed)
			if _, err := os.Lstat(planted); !os.IsNotExist(err) {
				t.Errorf("the link: %v", err)
			}
			content, err := os.ReadFile(precious)
			if entries := directoryEntries(t, onNode); err != nil || string(content) != "keep" || len(entries) != 1 {
				t.Errorf("on the node there are %v, %q, %v", entries, content, err)
			}
		})
	}
}

func directoryEntries(t *testing.T, path string) []string {
	t.Helper()
	entries, err := os.ReadDir(path)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

// A service account that a benchmark names gives its pods no way to the API, whatever it may do there.
func TestServiceAccountOfABenchmark(t *testing.T) {
	sideBySide(t)
	ns := newNamespace(t)
	admin := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: ns.Name, Name: "powerful"}}
	if err := k8s.Create(t.Context(), admin); err != nil {
		t.Fatal(err)
	}
	named := benchmark(t, "identity", in(ns), lasting(5), func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Pod = &v1alpha1.PodSettings{ServiceAccountName: &admin.Name}
	})
	tenant := newPerson(t, ns, "tenant", editorRole)
	want := fmt.Sprintf("spec.pod.serviceAccountName: is for users who may create pods, which user %q may not in namespace %s", "system:serviceaccount:"+ns.Name+":tenant", ns.Name)
	if err := tenant.Create(t.Context(), named.DeepCopy()); !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), want) {
		t.Errorf("a tenant who may create no pods: error %v, want one that says %q", err, want)
	}
	pods := newPerson(t, ns, "pods", editorRole, rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"create"}})
	createAs(t, pods, named)
	pod := runningPod(t, named)
	if pod.Spec.ServiceAccountName != admin.Name {
		t.Errorf("the pod is of service account %s", pod.Spec.ServiceAccountName)
	}
	for _, volume := range pod.Spec.Volumes {
		if volume.Projected != nil || volume.Secret != nil {
			t.Errorf("the pod has volume %+v", volume)
		}
	}
	completes(t, named)
}

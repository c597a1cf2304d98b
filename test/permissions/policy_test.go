package permissions_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/await"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
)

func TestMain(m *testing.M) { envtest.Main(m) }

const config = "../../config"

func fromFile[T any](t *testing.T, path string) *T {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(config, path))
	if err != nil {
		t.Fatal(err)
	}
	object := new(T)
	if err := yaml.UnmarshalStrict(text, object); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return object
}

// grants are the rights of users in the namespace of a test, beside those of the editor role.
var grants = map[string][]rbacv1.PolicyRule{
	// The editor role is all that a tenant has.
	"tenant": nil,
	"pods":   {{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"create"}}},
	"claims": {{APIGroups: []string{""}, Resources: []string{"persistentvolumeclaims"}, Verbs: []string{"create"}}},
	// Who may read and delete snapshots and claims may not have copies made of them.
	"keeper": {
		{APIGroups: []string{v1alpha1.SnapshotGroup}, Resources: []string{"volumesnapshots"}, Verbs: []string{"*"}},
		{APIGroups: []string{""}, Resources: []string{"persistentvolumeclaims"}, Verbs: []string{"get", "list", "watch", "update", "patch", "delete"}},
	},
}

// clusterGrants are rights of users in the whole cluster.
var clusterGrants = map[string][]rbacv1.PolicyRule{
	"classes": {{APIGroups: []string{"storage.k8s.io"}, Resources: []string{"storageclasses"}, Verbs: []string{"create"}}},
	"volumes": {{APIGroups: []string{""}, Resources: []string{"persistentvolumes"}, Verbs: []string{"create"}}},
	// Who may do something else with them than make them may not have them made.
	"reader": {
		{APIGroups: []string{"storage.k8s.io"}, Resources: []string{"storageclasses"}, Verbs: []string{"get", "list", "watch", "update", "patch", "delete"}},
		{APIGroups: []string{""}, Resources: []string{"persistentvolumes"}, Verbs: []string{"get", "list", "watch", "update", "patch", "delete"}},
	},
}

// policed is an API server with the policy, and the users that are tried.
type policed struct {
	client.Client // may do everything
	namespace     string
}

func newPoliced(t *testing.T) *policed {
	t.Helper()
	c := envtest.Client(t)
	p := &policed{Client: c, namespace: envtest.Namespace(t, c)}
	for user := range grants {
		p.grant(t, user, grants[user], nil)
	}
	for user := range clusterGrants {
		p.grant(t, user, nil, clusterGrants[user])
	}
	p.create(t, fromFile[admissionv1.ValidatingAdmissionPolicy](t, "admission/policy.yaml"))
	p.create(t, fromFile[admissionv1.ValidatingAdmissionPolicyBinding](t, "admission/policy_binding.yaml"))
	p.awaitPolicy(t)
	return p
}

func (p *policed) create(t *testing.T, object client.Object) {
	t.Helper()
	if err := p.Create(t.Context(), object); err != nil {
		t.Fatalf("create %T: %v", object, err)
	}
	t.Cleanup(func() {
		if err := p.Delete(context.WithoutCancel(t.Context()), object); client.IgnoreNotFound(err) != nil {
			t.Error(err)
		}
	})
}

// grant gives a user the editor role in the namespace, and further rights there and in the cluster.
func (p *policed) grant(t *testing.T, user string, local, everywhere []rbacv1.PolicyRule) {
	t.Helper()
	subjects := []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}}
	name := "test-" + user
	editor := fromFile[rbacv1.ClusterRole](t, "rbac/storagebenchmark_editor_role.yaml")
	p.create(t, &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: p.namespace, Name: name}, Rules: append(editor.Rules, local...)})
	p.create(t, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: p.namespace, Name: name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name}, Subjects: subjects,
	})
	p.create(t, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: everywhere})
	p.create(t, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name}, Subjects: subjects,
	})
}

// as returns a client that has a user's rights.
func (p *policed) as(t *testing.T, user string) client.Client {
	t.Helper()
	config := envtest.Config(t)
	config.Impersonate.UserName = user
	c, err := client.New(config, client.Options{Scheme: envtest.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var errAdmitted = errors.New("its benchmark is admitted")

// awaitPolicy waits until the API server has heard of the policy and of the users' rights.
func (p *policed) awaitPolicy(t *testing.T) {
	t.Helper()
	tenant, classes := p.as(t, "tenant"), p.as(t, "classes")
	await.Wait{For: "the policy"}.Holds(t, func() error {
		refused := tenant.Create(t.Context(), p.benchmark(ebs()), client.DryRunAll)
		allowed := classes.Create(t.Context(), p.benchmark(ebs()), client.DryRunAll)
		if refused == nil || !strings.Contains(refused.Error(), "StorageClass") {
			return fmt.Errorf("a tenant is not refused as it should be: %w", cmp.Or(refused, errAdmitted))
		}
		return allowed
	})
}

type change = func(*v1alpha1.StorageBenchmark)

// benchmark returns a benchmark on storage that exists, with changes.
func (p *policed) benchmark(changes ...change) *v1alpha1.StorageBenchmark {
	sb := builder.OneRun(p.namespace, "").Build()
	sb.GenerateName = "sb-"
	for _, change := range changes {
		change(sb)
	}
	return sb
}

// on has the benchmark measure on a further target.
func on(target v1alpha1.Target) change {
	return func(sb *v1alpha1.StorageBenchmark) {
		target.Name = fmt.Sprintf("t%d", len(sb.Spec.Targets))
		sb.Spec.Targets = append(sb.Spec.Targets, target)
	}
}

func ebs() change { return on(v1alpha1.Target{EBS: &v1alpha1.EBSVolume{Type: "gp3"}}) }

func efs(provisioning *v1alpha1.EFSProvisioning, accessPoint *string) change {
	return on(v1alpha1.Target{EFS: &v1alpha1.EFSFileSystem{FileSystemID: "fs-0123456789abcdef0", Provisioning: provisioning, AccessPointID: accessPoint}})
}

func s3() change { return on(v1alpha1.Target{S3: &v1alpha1.S3Bucket{Bucket: "my-bucket"}}) }

// from is a target whose volume is made from a snapshot.
func from(snapshot string) v1alpha1.Target {
	target := builder.NewBlockTarget("")
	target.DataSource = &v1alpha1.DataSource{APIGroup: new(v1alpha1.SnapshotGroup), Kind: v1alpha1.DataSourceSnapshot, Name: snapshot}
	return target
}

// reserving is a target on a claim, with a reserve.
func reserving(claim, reserve string) v1alpha1.Target {
	target := builder.NewClaimTarget("", claim)
	target.FreeSpaceReserve = new(resource.MustParse(reserve))
	return target
}

// firstFrom has the volume of the first target, which is of a StorageClass that exists, made from a snapshot.
func firstFrom(snapshot string) change {
	return func(sb *v1alpha1.StorageBenchmark) {
		name := sb.Spec.Targets[0].Name
		sb.Spec.Targets[0] = from(snapshot)
		sb.Spec.Targets[0].Name = name
	}
}

func pod(settings v1alpha1.PodSettings) change {
	return func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Pod = &settings }
}

// What a user may have the operator make is what the user may make.
func TestUsersHaveMadeWhatTheyMayMake(t *testing.T) {
	p := newPoliced(t)
	const (
		noClass  = "has a StorageClass made, which user %q may not create; name a StorageClass that exists (storageClassName), or have an administrator apply this, or grant create on storageclasses.storage.k8s.io"
		noVolume = "has a PersistentVolume made, which user %q may not create; name a claim that exists (claimName), or have an administrator apply this, or grant create on persistentvolumes"
		noPods   = "is for users who may create pods, which user %q may not in namespace "
		noClaim  = "has a claim made from a snapshot or a claim of the namespace, which user %q may not create in namespace "
	)
	static, dynamic := new(v1alpha1.EFSStatic), new(v1alpha1.EFSDynamic)
	everybody := []string{"tenant", "pods", "classes", "volumes", "reader"}
	for _, test := range []struct {
		name    string
		changes []change
		allowed []string
		refused []string
		fields  string
		want    string
	}{
		{name: "a StorageClass that exists", allowed: everybody},
		{name: "a claim that exists", changes: []change{on(builder.NewClaimTarget("", "data"))}, allowed: everybody},
		{name: "ebs", changes: []change{ebs()}, allowed: []string{"classes"}, refused: []string{"tenant", "pods", "volumes", "reader"}, fields: "spec.targets[1].ebs", want: noClass},
		{name: "two of ebs", changes: []change{ebs(), ebs()}, allowed: []string{"classes"}, refused: []string{"tenant"}, fields: "spec.targets[1].ebs, spec.targets[2].ebs", want: noClass},
		{name: "efs", changes: []change{efs(nil, nil)}, allowed: []string{"classes"}, refused: []string{"tenant", "pods", "volumes", "reader"}, fields: "spec.targets[1].efs", want: noClass},
		{name: "efs with a new access point", changes: []change{efs(dynamic, nil)}, allowed: []string{"classes"}, refused: []string{"tenant", "volumes"}, fields: "spec.targets[1].efs", want: noClass},
		{name: "efs with its root", changes: []change{efs(static, nil)}, allowed: []string{"volumes"}, refused: []string{"tenant", "pods", "classes", "reader"}, fields: "spec.targets[1].efs", want: noVolume},
		{name: "efs with an access point", changes: []change{efs(static, new("fsap-0123456789abcdef0"))}, allowed: []string{"volumes"}, refused: []string{"tenant", "classes"}, fields: "spec.targets[1].efs", want: noVolume},
		{name: "s3", changes: []change{s3()}, allowed: []string{"volumes"}, refused: []string{"tenant", "pods", "classes", "reader"}, fields: "spec.targets[1].s3", want: noVolume},
		{name: "ebs and s3", changes: []change{ebs(), s3()}, refused: []string{"classes"}, fields: "spec.targets[2].s3", want: noVolume},
		{name: "a service account", changes: []change{pod(v1alpha1.PodSettings{ServiceAccountName: new("admin")})}, allowed: []string{"pods"}, refused: []string{"tenant", "classes"}, fields: "spec.pod.serviceAccountName", want: noPods},
		{name: "a priority", changes: []change{pod(v1alpha1.PodSettings{PriorityClassName: new("system-node-critical")})}, allowed: []string{"pods"}, refused: []string{"tenant", "volumes"}, fields: "spec.pod.priorityClassName", want: noPods},
		{name: "a security context", changes: []change{pod(v1alpha1.PodSettings{SecurityContext: &corev1.PodSecurityContext{RunAsUser: new(int64(0))}})}, allowed: []string{"pods"}, refused: []string{"tenant", "reader"}, fields: "spec.pod.securityContext", want: noPods},
		{name: "a service account and a priority", changes: []change{pod(v1alpha1.PodSettings{ServiceAccountName: new("admin"), PriorityClassName: new("high")})}, refused: []string{"tenant"}, fields: "spec.pod.serviceAccountName, spec.pod.priorityClassName", want: noPods},
		{name: "labels", changes: []change{pod(v1alpha1.PodSettings{Labels: map[string]string{"app": "payments"}})}, allowed: []string{"pods"}, refused: []string{"tenant"}, fields: "spec.pod.labels", want: noPods},
		{name: "annotations", changes: []change{pod(v1alpha1.PodSettings{Annotations: map[string]string{"iam.amazonaws.com/role": "admin"}})}, allowed: []string{"pods"}, refused: []string{"tenant"}, fields: "spec.pod.annotations", want: noPods},
		{name: "tolerations", changes: []change{func(sb *v1alpha1.StorageBenchmark) {
			sb.Spec.Placement = &v1alpha1.Placement{Tolerations: []corev1.Toleration{{Operator: corev1.TolerationOpExists}}}
		}}, allowed: []string{"pods"}, refused: []string{"tenant"}, fields: "spec.placement.tolerations", want: noPods},
		{
			name:    "a reserve of free space",
			changes: []change{on(reserving("data", "0")), on(builder.NewTarget("")), on(reserving("other", "1Ti"))},
			allowed: []string{"pods"}, refused: []string{"tenant", "claims", "classes", "reader"},
			fields: "spec.targets[1].freeSpaceReserve, spec.targets[3].freeSpaceReserve", want: noPods,
		},
		{name: "a volume of a snapshot", changes: []change{on(from("db"))}, allowed: []string{"claims"}, refused: []string{"tenant", "keeper", "pods", "classes", "volumes", "reader"}, fields: "spec.targets[1].dataSource", want: noClaim},
		{name: "volumes of snapshots", changes: []change{on(from("db")), on(builder.NewTarget("")), on(from("web"))}, allowed: []string{"claims"}, refused: []string{"tenant"},
			fields: "spec.targets[1].dataSource, spec.targets[3].dataSource", want: noClaim},
		{name: "affinity to pods", changes: []change{func(sb *v1alpha1.StorageBenchmark) {
			sb.Spec.Placement = &v1alpha1.Placement{Affinity: &corev1.Affinity{
				NodeAffinity: &corev1.NodeAffinity{},
				PodAffinity:  &corev1.PodAffinity{}, PodAntiAffinity: &corev1.PodAntiAffinity{},
			}}
		}}, allowed: []string{"pods"}, refused: []string{"tenant", "classes", "reader"},
			fields: "spec.placement.affinity.podAffinity, spec.placement.affinity.podAntiAffinity", want: noPods},
		{name: "nodes", changes: []change{func(sb *v1alpha1.StorageBenchmark) {
			sb.Spec.Placement = &v1alpha1.Placement{NodeSelector: map[string]string{"kubernetes.io/arch": "arm64"}}
		}}, allowed: everybody},
		{name: "other settings of pods", changes: []change{pod(v1alpha1.PodSettings{
			Resources:        corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")}},
			ImagePullSecrets: []corev1.LocalObjectReference{{Name: "registry"}},
		})}, allowed: everybody},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, user := range test.allowed {
				p.admits(t, user, test.changes)
			}
			for _, user := range test.refused {
				want := test.fields + ": " + strings.ReplaceAll(test.want, "%q", `"`+user+`"`)
				p.refuses(t, user, test.changes, want)
			}
		})
	}
}

// bySchedule is the way to have benchmarks made by a schedule.
const bySchedule = "schedule"

// ways are how a user can make a benchmark, or have it made: each must come to the same.
func (p *policed) ways(t *testing.T, user string, changes []change) map[string]error {
	t.Helper()
	c := p.as(t, user)
	named := p.benchmark(append(changes, func(sb *v1alpha1.StorageBenchmark) {
		sb.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("StorageBenchmark"))
		sb.GenerateName, sb.Name = "", "applied"
	})...)
	applied, err := runtime.DefaultUnstructuredConverter.ToUnstructured(named)
	if err != nil {
		t.Fatal(err)
	}
	generated := p.benchmark(changes...)
	errs := map[string]error{
		"dry run": c.Create(t.Context(), p.benchmark(changes...), client.DryRunAll),
		"server-side apply": c.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(&unstructured.Unstructured{Object: applied}),
			client.FieldOwner("test"), client.ForceOwnership, client.DryRunAll),
		"generated name": c.Create(t.Context(), generated),
		bySchedule:       c.Create(t.Context(), p.schedule(changes...), client.DryRunAll),
	}
	if errs["generated name"] == nil {
		if err := p.Delete(t.Context(), generated); err != nil {
			t.Fatal(err)
		}
	}
	return errs
}

func (p *policed) admits(t *testing.T, user string, changes []change) {
	t.Helper()
	for way, err := range p.ways(t, user, changes) {
		if err != nil {
			t.Errorf("%s, %s: %v", user, way, err)
		}
	}
}

func (p *policed) refuses(t *testing.T, user string, changes []change, want string) {
	t.Helper()
	for way, err := range p.ways(t, user, changes) {
		want := want
		if way == bySchedule {
			want = strings.ReplaceAll(want, "spec.", "spec.template.spec.")
		}
		if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s, %s: error %v, want one that says %q", user, way, err, want)
		}
	}
}

// The policy looks at what an update adds: a benchmark that an administrator has made can be labelled and suspended by the
// tenant, and the operator, who may make no StorageClass here, can set its finalizer.
func TestUpdates(t *testing.T) {
	p := newPoliced(t)
	for _, test := range []struct {
		name    string
		before  []change
		change  change
		refused string
	}{
		{name: "a label", change: func(sb *v1alpha1.StorageBenchmark) { sb.Labels = map[string]string{"team": "storage"} }},
		{name: "an annotation", change: func(sb *v1alpha1.StorageBenchmark) { sb.Annotations = map[string]string{"why": "storage"} }},
		{name: "a finalizer", change: func(sb *v1alpha1.StorageBenchmark) { sb.Finalizers = []string{v1alpha1.Finalizer} }},
		{name: "suspend", change: func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Suspend = new(true) }},
		{name: "a further workload", change: func(sb *v1alpha1.StorageBenchmark) {
			sb.Spec.Workloads = append(sb.Spec.Workloads, builder.NewWorkload("again"))
		}},
		{name: "inline storage goes", change: func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Targets = sb.Spec.Targets[:1] }},
		{name: "the order of targets", change: func(sb *v1alpha1.StorageBenchmark) {
			targets := sb.Spec.Targets
			targets[0], targets[1] = targets[1], targets[0]
		}},
		{name: "other inline storage", change: func(sb *v1alpha1.StorageBenchmark) {
			sb.Spec.Targets[1].EBS.Type = "io2"
			sb.Spec.Targets[1].EBS.IOPS = new(int32(1000))
		}, refused: "spec.targets[1].ebs: has a StorageClass made"},
		{name: "more inline storage", change: ebs(), refused: "spec.targets[4].ebs: has a StorageClass made"},
		{name: "larger inline storage", change: func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Targets[1].Capacity = builder.NewTarget("").Capacity }, refused: "spec.targets[1].ebs: has a StorageClass made"},
		{name: "more clients", change: func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Clients = new(int32(128)) }, refused: "spec.clients: 128 in place of 2 clients have more volumes made of spec.targets[1].ebs"},
		{name: "more clients in a matrix", change: clientsInMatrix("4", "2"), refused: "spec.clients: 4 in place of 2 clients have more volumes made of spec.targets[1].ebs"},
		{name: "as many clients in a matrix", change: clientsInMatrix("1", "2")},
		{name: "the matrix no longer bounds clients", before: []change{clientsInMatrix("1")}, change: func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Workloads[0].Matrix = nil },
			refused: "spec.clients: 2 in place of 1 clients have more volumes made of spec.targets[1].ebs"},
		{name: "a search of more clients", change: searchOfClients(128), refused: "spec.clients: 128 in place of 2 clients have more volumes made of spec.targets[1].ebs"},
		{name: "a search of as many clients", change: searchOfClients(2)},
		{name: "a search of clients goes further", before: []change{searchOfClients(4)}, change: searchOfClients(5), refused: "spec.clients: 5 in place of 4 clients have more volumes made of spec.targets[1].ebs"},
		{name: "a search of clients goes less far", before: []change{searchOfClients(4)}, change: searchOfClients(3)},
		{name: "a volume of a snapshot", change: on(from("db")), refused: "spec.targets[4].dataSource: has a claim made from a snapshot"},
		{name: "a volume of another snapshot", before: []change{firstFrom("db")}, change: firstFrom("web"), refused: "spec.targets[0].dataSource: has a claim made from a snapshot"},
		{name: "no snapshot", before: []change{firstFrom("db")}, change: func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Targets = sb.Spec.Targets[1:] }},
		{name: "more clients of a snapshot", before: []change{func(sb *v1alpha1.StorageBenchmark) {
			sb.Spec.Targets = append(sb.Spec.Targets[:1], sb.Spec.Targets[2:]...) // without ebs
		}, firstFrom("db")},
			change: func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Clients = new(int32(3)) }, refused: "spec.targets[0].dataSource: has a claim made from a snapshot"},
		{name: "fewer clients of a snapshot", before: []change{firstFrom("db")}, change: func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Clients = nil }},
		{name: "fewer clients", change: func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Clients = nil }},
		{name: "more clients of other storage", before: []change{func(sb *v1alpha1.StorageBenchmark) {
			sb.Spec.Targets = append(sb.Spec.Targets[:1], sb.Spec.Targets[2:]...)
		}},
			change: func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Clients = new(int32(3)) }},
		{name: "another bucket", change: func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Targets[2].S3.Bucket = "somebodys" }, refused: "spec.targets[2].s3: has a PersistentVolume made"},
		{name: "another file system", change: func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Targets[3].EFS.FileSystemID = "fs-0123456789abcdef1" }, refused: "spec.targets[3].efs: has a PersistentVolume made"},
		{name: "the first inline storage", before: []change{func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Targets = sb.Spec.Targets[:1] }}, change: s3(), refused: "spec.targets[1].s3: has a PersistentVolume made"},
		{name: "another service account", change: func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Pod.ServiceAccountName = new("admin") }, refused: "spec.pod.serviceAccountName: is for users who may create pods"},
		{name: "a first priority", change: func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Pod.PriorityClassName = new("high") }, refused: "spec.pod.priorityClassName: is for users who may create pods"},
		{name: "another user", change: func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Pod.SecurityContext.RunAsUser = new(int64(0)) }, refused: "spec.pod.securityContext: is for users who may create pods"},
		{name: "affinity to nodes", before: []change{antiAffinity("web")}, change: func(sb *v1alpha1.StorageBenchmark) {
			sb.Spec.Placement.NodeSelector = map[string]string{"kubernetes.io/arch": "arm64"}
			sb.Spec.Placement.Affinity.NodeAffinity = &corev1.NodeAffinity{}
		}},
		{name: "affinity to other pods", before: []change{antiAffinity("web")}, change: antiAffinity("db"),
			refused: "spec.placement.affinity.podAntiAffinity: is for users who may create pods"},
		{name: "no settings of pods", change: func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Pod = nil }},
	} {
		t.Run(test.name, func(t *testing.T) {
			changes := []change{
				ebs(), s3(), efs(new(v1alpha1.EFSStatic), nil), func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Clients = new(int32(2)) },
				pod(v1alpha1.PodSettings{ServiceAccountName: new("bench"), SecurityContext: &corev1.PodSecurityContext{RunAsUser: new(int64(1000))}}),
			}
			sb := p.benchmark(append(changes, test.before...)...)
			p.create(t, sb)
			t.Cleanup(func() { p.release(t, sb) })
			before := sb.DeepCopy()
			test.change(sb)
			err := p.as(t, "tenant").Patch(t.Context(), sb, client.MergeFrom(before))
			switch {
			case test.refused == "" && err != nil:
				t.Error(err)
			case test.refused != "" && (!apierrors.IsForbidden(err) || !strings.Contains(err.Error(), test.refused)):
				t.Errorf("error %v, want one that says %q", err, test.refused)
			}
		})
	}
}

func searchOfClients(most int32) change {
	return func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Workloads[0].Search = &v1alpha1.LoadSearch{Vary: v1alpha1.VaryClients, Max: most, Objective: v1alpha1.SearchObjective{Metric: "read.p99", Max: "10ms"}}
	}
}

// clientsInMatrix has a workload measured by different numbers of clients.
func clientsInMatrix(numbers ...string) change {
	return func(sb *v1alpha1.StorageBenchmark) {
		var values v1alpha1.MatrixValues
		for _, n := range numbers {
			values = append(values, intstr.Parse(n))
		}
		sb.Spec.Workloads[0].Matrix = map[string]v1alpha1.MatrixValues{v1alpha1.MatrixClients: values}
	}
}

// A number of clients that is not written plainly counts as the most that there can be: the operator may read it
// otherwise than the policy.
func TestUpdatesOfClientsThatAreNoPlainNumbers(t *testing.T) {
	p := newPoliced(t)
	want := fmt.Sprintf("spec.clients: %d in place of 1 clients have more volumes made of spec.targets[1].ebs",
		v1alpha1.MaxClients)
	sb := p.benchmark(ebs())
	p.create(t, sb)
	t.Cleanup(func() { p.release(t, sb) })
	for _, value := range []intstr.IntOrString{
		intstr.FromString("+64"), intstr.FromString("0064"), intstr.FromString("064"), intstr.FromString(" 64"),
		intstr.FromString("64 "), intstr.FromString("64\n"), intstr.FromString("6e1"), intstr.FromString("64.0"),
		intstr.FromString("0x40"), intstr.FromString("6_4"), intstr.FromString("٦٤"), intstr.FromString("1000"),
		intstr.FromString(""), intstr.FromInt32(-64), intstr.FromInt32(0), intstr.FromInt32(1000),
	} {
		after := sb.DeepCopy()
		after.Spec.Workloads[0].Matrix = map[string]v1alpha1.MatrixValues{v1alpha1.MatrixClients: {value}}
		err := p.as(t, "tenant").Patch(t.Context(), after, client.MergeFrom(sb), client.DryRunAll)
		if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("clients %q: error %v, want one that says %q", value.String(), err, want)
		}
	}
}

// antiAffinity keeps pods of an app away from the benchmark's.
func antiAffinity(app string) change {
	return func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Placement = &v1alpha1.Placement{Affinity: &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
				LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}},
				TopologyKey:   corev1.LabelHostname,
			}},
		}}}
	}
}

// release takes the finalizers off a benchmark, so that it can go.
func (p *policed) release(t *testing.T, sb *v1alpha1.StorageBenchmark) {
	t.Helper()
	sb = sb.DeepCopy()
	before := sb.DeepCopy()
	before.Finalizers = []string{v1alpha1.Finalizer}
	sb.Finalizers = nil
	if err := p.Patch(context.WithoutCancel(t.Context()), sb, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
		t.Error(err)
	}
}

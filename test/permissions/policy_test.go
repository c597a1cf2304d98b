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
	"storage": {
		{APIGroups: []string{"storage.k8s.io"}, Resources: []string{"storageclasses"}, Verbs: []string{"create"}},
		{APIGroups: []string{""}, Resources: []string{"persistentvolumes"}, Verbs: []string{"create"}},
	},
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

// plain takes all that needs a right of its own out of a benchmark.
func plain(sb *v1alpha1.StorageBenchmark) {
	sb.Spec.Targets, sb.Spec.Pod, sb.Spec.Placement = sb.Spec.Targets[:1], nil, nil
}

// moreWork adds a workload.
func moreWork(sb *v1alpha1.StorageBenchmark) {
	sb.Spec.Workloads = append(sb.Spec.Workloads, builder.NewWorkload("again"))
}

// A tenant who changes what an administrator's benchmark does has the operator act with all that the spec has already,
// so the tenant needs the rights to that. What only ends or keeps a benchmark can be changed without them, and so can
// metadata: the operator, who may make no StorageClass here, can set its finalizer.
func TestUpdates(t *testing.T) {
	p := newPoliced(t)
	const (
		noClass   = "spec.targets[1].ebs: has a StorageClass made"
		noVolumes = "spec.targets[2].s3, spec.targets[3].efs: has a PersistentVolume made"
		noPods    = "spec.pod.serviceAccountName, spec.pod.securityContext: is for users who may create pods"
	)
	for _, test := range []struct {
		name    string
		before  []change
		user    string
		change  change
		refused string
	}{
		{name: "a label", change: func(sb *v1alpha1.StorageBenchmark) { sb.Labels = map[string]string{"team": "storage"} }},
		{name: "an annotation",
			change: func(sb *v1alpha1.StorageBenchmark) { sb.Annotations = map[string]string{"why": "storage"} }},
		{name: "a finalizer", change: func(sb *v1alpha1.StorageBenchmark) { sb.Finalizers = []string{v1alpha1.Finalizer} }},
		{name: "suspend", change: func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Suspend = new(true) }},
		{name: "a deadline", change: func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Deadlines.RunCompletionSeconds = new(int32(4000)) }},
		{name: "what is kept", change: func(sb *v1alpha1.StorageBenchmark) {
			sb.Spec.CleanupPolicy, sb.Spec.TTLSecondsAfterFinished = v1alpha1.CleanupRetain, new(int32(60))
		}},
		{name: "a further workload", change: moreWork, refused: noClass},
		{name: "a further workload, by a user of classes", user: "classes", change: moreWork, refused: noVolumes},
		{name: "a further workload, by a user of both", user: "storage", change: moreWork, refused: noPods},
		{name: "a further workload, by a user of volumes", user: "volumes", change: moreWork, refused: noClass},
		{name: "other fio options", change: func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Workloads[0].Fio.BS = new("1M") },
			refused: noClass},
		{name: "more repetitions", change: func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Repetitions = new(int32(50)) },
			refused: noClass},
		{name: "more clients", change: func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Clients = new(int32(128)) },
			refused: noClass},
		{name: "more clients in a matrix", change: clientsOfWorkload(64), refused: noClass},
		{name: "the order of targets", change: func(sb *v1alpha1.StorageBenchmark) {
			targets := sb.Spec.Targets
			targets[2], targets[3] = targets[3], targets[2]
		}, refused: noClass},
		{name: "another bucket", change: func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Targets[2].S3.Bucket = "somebodys" },
			refused: noClass},
		{name: "more inline storage", change: ebs(),
			refused: "spec.targets[1].ebs, spec.targets[4].ebs: has a StorageClass made"},
		{name: "inline storage goes", change: func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Targets = sb.Spec.Targets[:1] },
			refused: noPods},
		{name: "settings of pods go", change: func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Pod = nil }, refused: noClass},
		{name: "another service account", user: "storage",
			change:  func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Pod.ServiceAccountName = new("admin") },
			refused: noPods},
		{name: "another user", user: "storage",
			change:  func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Pod.SecurityContext.RunAsUser = new(int64(0)) },
			refused: noPods},
		{name: "all that needs a right goes", change: plain},

		{name: "work where none is needed", before: []change{plain}, change: moreWork},
		{name: "clients where none is needed", before: []change{plain}, change: clientsOfWorkload(64)},
		{name: "the first inline storage", before: []change{plain}, change: s3(),
			refused: "spec.targets[1].s3: has a PersistentVolume made"},
		{name: "a first priority", before: []change{plain}, change: pod(v1alpha1.PodSettings{PriorityClassName: new("high")}),
			refused: "spec.pod.priorityClassName: is for users who may create pods"},
		{name: "affinity to nodes", before: []change{plain}, change: func(sb *v1alpha1.StorageBenchmark) {
			sb.Spec.Placement = &v1alpha1.Placement{Affinity: &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{}}}
		}},
		{name: "work beside affinity to pods", before: []change{plain, antiAffinity("web")}, change: moreWork,
			refused: "spec.placement.affinity.podAntiAffinity: is for users who may create pods"},
		{name: "work beside affinity to pods, by a user of pods", before: []change{plain, antiAffinity("web")}, user: "pods",
			change: moreWork},
		{name: "affinity to other pods", before: []change{plain, antiAffinity("web")}, change: antiAffinity("db"),
			refused: "spec.placement.affinity.podAntiAffinity: is for users who may create pods"},
		{name: "work beside tolerations", before: []change{plain, func(sb *v1alpha1.StorageBenchmark) {
			sb.Spec.Placement = &v1alpha1.Placement{Tolerations: []corev1.Toleration{{Operator: corev1.TolerationOpExists}}}
		}}, change: moreWork, refused: "spec.placement.tolerations: is for users who may create pods"},
		{name: "work beside a reserve", before: []change{plain, on(reserving("data", "0"))}, change: moreWork,
			refused: "spec.targets[1].freeSpaceReserve: is for users who may create pods"},
		{name: "work on a snapshot", before: []change{plain, firstFrom("db")}, change: moreWork,
			refused: "spec.targets[0].dataSource: has a claim made from a snapshot"},
		{name: "another snapshot", before: []change{plain, firstFrom("db")}, change: firstFrom("web"),
			refused: "spec.targets[0].dataSource: has a claim made from a snapshot"},
	} {
		t.Run(test.name, func(t *testing.T) {
			changes := []change{
				ebs(), s3(), efs(new(v1alpha1.EFSStatic), nil),
				pod(v1alpha1.PodSettings{ServiceAccountName: new("bench"), SecurityContext: &corev1.PodSecurityContext{RunAsUser: new(int64(1000))}}),
			}
			sb := p.benchmark(append(changes, test.before...)...)
			p.create(t, sb)
			t.Cleanup(func() { p.release(t, sb) })
			before := sb.DeepCopy()
			test.change(sb)
			err := p.as(t, cmp.Or(test.user, "tenant")).Patch(t.Context(), sb, client.MergeFrom(before))
			switch {
			case test.refused == "" && err != nil:
				t.Error(err)
			case test.refused != "" && (!apierrors.IsForbidden(err) || !strings.Contains(err.Error(), test.refused)):
				t.Errorf("error %v, want one that says %q", err, test.refused)
			}
		})
	}
}

// clientsOfWorkload has a workload measured by different numbers of clients.
func clientsOfWorkload(numbers ...int32) change {
	return func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Workloads[0].Clients = numbers }
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

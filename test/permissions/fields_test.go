package permissions_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/envtest"
)

// attempt has specs in which a tenant sets a field, without the fields that they do not change. The policy admits them
// because of free. Otherwise it refuses them, in the words of needs, and admits them for user.
type attempt struct {
	specs       []string
	free        string
	needs, user string
	// notOfSchedules reports that the API server refuses the field in the template of a schedule.
	notOfSchedules bool
}

func free(because, spec string) attempt { return attempt{free: because, specs: []string{spec}} }

func needsPods(specs ...string) attempt {
	return attempt{needs: "is for users who may create pods", user: "pods", specs: specs}
}

// podTerms are an affinity of each kind, with a selector of the pods of all namespaces.
func podTerms(field string) []string {
	const term = `{"labelSelector":{},"namespaceSelector":{},"topologyKey":"kubernetes.io/os"}`
	required := `{"requiredDuringSchedulingIgnoredDuringExecution":[` + term + `]}`
	preferred := `{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":100,"podAffinityTerm":` + term + `}]}`
	inPlacement := func(value string) string { return `{"placement":{"affinity":{"` + field + `":` + value + `}}}` }
	return []string{inPlacement(required), inPlacement(preferred)}
}

const ownPods = "it places the benchmark's own pods only"

// attempts has what a tenant gets who sets a field, by the path of the field in the spec.
var attempts = map[string]attempt{
	"targets.name":             free("a name", `{"targets":[{"name":"a","storageClassName":"standard"}]}`),
	"targets.storageClassName": free("quotas limit claims", `{"targets":[{"name":"a","storageClassName":"standard"}]}`),
	"targets.ebs": {needs: "has a StorageClass made", user: "classes",
		specs: []string{`{"targets":[{"name":"a","ebs":{"type":"gp3"}}]}`}},
	"targets.efs": {needs: "has a StorageClass made", user: "classes",
		specs: []string{`{"targets":[{"name":"a","efs":{"fileSystemID":"fs-0123456789abcdef0"}}]}`}},
	"targets.s3": {needs: "has a PersistentVolume made", user: "volumes",
		specs: []string{`{"targets":[{"name":"a","s3":{"bucket":"my-bucket"}}]}`}},
	"targets.freeSpaceReserve": needsPods(
		`{"targets":[{"name":"a","claimName":"data","freeSpaceReserve":"0"}]}`),
	"targets.claimName": free("test files get a directory of their own on a claim of the namespace",
		`{"targets":[{"name":"a","claimName":"data"}]}`),
	"targets.capacity": free("quotas limit capacity",
		`{"targets":[{"name":"a","storageClassName":"standard","capacity":"1Ti"}]}`),
	"targets.volumeAttributesClassName": free("quotas limit claims of a VolumeAttributesClass",
		`{"targets":[{"name":"a","storageClassName":"standard","volumeAttributesClassName":"fast"}]}`),
	"targets.accessMode": free("it is of the benchmark's own claim",
		`{"targets":[{"name":"a","storageClassName":"standard","accessMode":"ReadWriteMany"}]}`),
	"targets.volumeMode": free("it is of the benchmark's own claim",
		`{"targets":[{"name":"a","storageClassName":"standard","volumeMode":"Block"}]}`),
	"targets.dataSource": {needs: "has a claim made from a snapshot or a claim", user: "claims", specs: []string{
		`{"targets":[{"name":"a","storageClassName":"standard","volumeMode":"Block",
		"dataSource":{"kind":"PersistentVolumeClaim","name":"db"}}]}`}},
	"targets.precondition": free("it writes new volumes only",
		`{"targets":[{"name":"a","storageClassName":"standard","precondition":{"passes":1}}]}`),
	"targets.limits": free("what results are compared with",
		`{"targets":[{"name":"a","storageClassName":"standard","limits":{"iops":3000}}]}`),
	"targets.clientLimits": free("what results are compared with",
		`{"targets":[{"name":"a","storageClassName":"standard","clientLimits":{"iops":3000}}]}`),

	"fio": free("fio's options pass the operator's guard", `{"fio":{"rw":"randwrite","size":"1M"}}`),
	"workloads": free("fio's options pass the operator's guard",
		`{"workloads":[{"name":"w","fio":{"rw":"randwrite","size":"1M"}}]}`),
	"baseline": free("what results are compared with",
		`{"baseline":"a","targets":[{"name":"a","storageClassName":"standard"}]}`),
	"expectations": free("what results are compared with", `{"expectations":[{"metric":"read.iops","min":"1"}]}`),
	"repetitions":  free("deadlines and quotas limit runs", `{"repetitions":7}`),
	"clients":      free("quotas limit pods and claims", `{"clients":128}`),
	"order":        free("the order of the benchmark's own runs", `{"order":"ByTarget"}`),
	"deadlines":    free("they have maximums", `{"deadlines":{"runCompletionSeconds":86400}}`),
	"cancel":       free("it ends the benchmark's own pods", `{"cancel":true}`),
	"suspend":      free("it ends the benchmark's own pods", `{"suspend":true}`),
	"cleanupPolicy": free("quotas limit what is kept",
		`{"cleanupPolicy":"Retain"}`),
	"ttlSecondsAfterFinished": {free: "it deletes the benchmark only", notOfSchedules: true,
		specs: []string{`{"ttlSecondsAfterFinished":60}`}},

	"placement.nodeSelector": free(ownPods, `{"placement":{"nodeSelector":{"kubernetes.io/arch":"arm64"}}}`),
	"placement.tolerations":  needsPods(`{"placement":{"tolerations":[{"operator":"Exists"}]}}`),
	"placement.affinity.nodeAffinity": free(ownPods, `{"placement":{"affinity":{"nodeAffinity":{
		"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[
		{"key":"kubernetes.io/arch","operator":"In","values":["arm64"]}]}]}}}}}`),
	"placement.affinity.podAffinity":     needsPods(podTerms("podAffinity")...),
	"placement.affinity.podAntiAffinity": needsPods(podTerms("podAntiAffinity")...),
	"placement.isolation":                free("it lets other benchmarks in", `{"placement":{"isolation":"None"}}`),
	"placement.spread":                   free(ownPods, `{"placement":{"spread":"None"}}`),

	"pod.labels":             needsPods(`{"pod":{"labels":{"app":"payments"}}}`),
	"pod.annotations":        needsPods(`{"pod":{"annotations":{"iam.amazonaws.com/role":"admin"}}}`),
	"pod.anchorResources":    free("quotas limit resources", `{"pod":{"anchorResources":{"limits":{"cpu":"8"}}}}`),
	"pod.resources":          free("quotas limit resources", `{"pod":{"resources":{"limits":{"nvidia.com/gpu":"8"}}}}`),
	"pod.securityContext":    needsPods(`{"pod":{"securityContext":{"runAsUser":0}}}`),
	"pod.serviceAccountName": needsPods(`{"pod":{"serviceAccountName":"admin"}}`),
	"pod.imagePullSecrets": free("the kubelet sends them to the registry of the operator's own image only",
		`{"pod":{"imagePullSecrets":[{"name":"registry"}]}}`),
	"pod.priorityClassName": needsPods(`{"pod":{"priorityClassName":"system-node-critical"}}`),
}

// looksInto are the types whose fields are looked at one by one.
var looksInto = []reflect.Type{
	reflect.TypeFor[v1alpha1.StorageBenchmarkSpec](), reflect.TypeFor[v1alpha1.Target](),
	reflect.TypeFor[v1alpha1.Placement](), reflect.TypeFor[corev1.Affinity](), reflect.TypeFor[v1alpha1.PodSettings](),
}

// pathsOf returns the paths of all fields of a type.
func pathsOf(t reflect.Type) []string {
	var paths []string
	for field := range t.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		inner := field.Type
		for inner.Kind() == reflect.Pointer || inner.Kind() == reflect.Slice {
			inner = inner.Elem()
		}
		if !slices.Contains(looksInto, inner) {
			paths = append(paths, name)
			continue
		}
		for _, path := range pathsOf(inner) {
			paths = append(paths, name+"."+path)
		}
	}
	return paths
}

// A tenant sets each field of a spec: it is free for a reason, or the policy refuses it. A new field needs an entry in
// attempts.
func TestEveryFieldOfTenants(t *testing.T) {
	p := newPoliced(t)
	left := maps.Clone(attempts)
	for _, path := range pathsOf(reflect.TypeFor[v1alpha1.StorageBenchmarkSpec]()) {
		a, known := left[path]
		delete(left, path)
		t.Run(path, func(t *testing.T) {
			if !known {
				t.Fatal("add it to attempts: is it free for tenants, and why, or does the policy refuse it?")
			}
			for _, spec := range a.specs {
				p.try(t, path, spec, a)
			}
		})
	}
	for path := range left {
		t.Errorf("%s is no field of a spec: remove it from attempts", path)
	}
}

// try sends a benchmark and a schedule with a field to the API server, as the tenant and as the user who may set it.
func (p *policed) try(t *testing.T, path, fields string, a attempt) {
	t.Helper()
	objects := map[string]client.Object{"spec": p.benchmark(), "spec.template.spec": p.schedule()}
	if a.notOfSchedules {
		delete(objects, "spec.template.spec")
	}
	for where, object := range objects {
		sent := with(t, object, where, fields)
		path := where + "." + path
		if a.needs == "" {
			p.stores(t, "tenant", sent, path)
			continue
		}
		err := p.as(t, "tenant").Create(t.Context(), sent.DeepCopy(), client.DryRunAll)
		if want := path + ": " + a.needs; !apierrors.IsForbidden(err) || !strings.Contains(withoutIndex(err), want) {
			t.Errorf("%s: error %v, want one that says %q", fields, err, want)
		}
		p.stores(t, a.user, sent, path)
	}
}

// stores checks that the API server admits a user's object, and knows the field.
func (p *policed) stores(t *testing.T, user string, sent *unstructured.Unstructured, path string) {
	t.Helper()
	stored := sent.DeepCopy()
	if err := p.as(t, user).Create(t.Context(), stored, client.DryRunAll); err != nil {
		t.Errorf("user %s: %v", user, err)
	} else if !isSet(stored.Object, strings.Split(path, ".")) {
		t.Errorf("%s is not in what the API server stores of user %s: %v", path, user, stored.Object)
	}
}

// withoutIndex returns the text of an error, in which the path of a field in the first target is as in attempts.
func withoutIndex(err error) string {
	return strings.ReplaceAll(err.Error(), "targets[0].", "targets.")
}

// isSet reports whether a field has a value, in a list that of its first element.
func isSet(value any, path []string) bool {
	if list, ok := value.([]any); ok && len(list) > 0 && len(path) > 0 {
		return isSet(list[0], path)
	}
	if len(path) == 0 {
		return value != nil
	}
	object, ok := value.(map[string]any)
	return ok && isSet(object[path[0]], path[1:])
}

// with returns an object in which fields take the place of those of the map at a path.
func with(t *testing.T, object client.Object, path, fields string) *unstructured.Unstructured {
	t.Helper()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		t.Fatal(err)
	}
	u := &unstructured.Unstructured{Object: content}
	gvk, err := apiutil.GVKForObject(object, envtest.Scheme())
	if err != nil {
		t.Fatal(err)
	}
	u.SetGroupVersionKind(gvk)
	for name := range strings.SplitSeq(path, ".") {
		content = content[name].(map[string]any)
	}
	if err := json.Unmarshal([]byte(fields), &content); err != nil {
		t.Fatalf("%s: %v", fields, err)
	}
	return u
}

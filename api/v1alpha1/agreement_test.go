package v1alpha1_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/internal/storage"
	"github.com/storagebench/storagebench/test/envtest"
)

// specsVariable is the environment variable with the number of specs that both judge, agreementSpecs how many those are
// without it.
const (
	specsVariable  = "STORAGEBENCH_SPECS"
	agreementSpecs = 1000
)

// TestAgreement has the API server, by schema and CEL, and the operator, by its plan, judge the same specs: what the
// schema says of every field, tried at its bounds and beyond. What must hold:
//
//   - What the API server refuses, the operator refuses as well if it comes to it, by way of an older CRD, or it does no
//     harm: serverOnly lists those fields, and why.
//   - What the API server admits, the operator plans, or refuses in words that name the field and say why.
//   - Neither spec brings the operator down.
func TestAgreement(t *testing.T) {
	count := agreementSpecs
	if text := os.Getenv(specsVariable); text != "" {
		var err error
		if count, err = strconv.Atoi(text); err != nil {
			t.Fatalf("%s: %v", specsVariable, err)
		}
	}
	c := envtest.Client(t)
	schema := specSchema(t)
	tally := &verdicts{fields: map[string]int{}}
	const workers = 8
	var wait sync.WaitGroup
	for worker := range workers {
		wait.Go(func() {
			for i := worker; i < count; i += workers {
				g := &generator{Rand: rand.New(rand.NewPCG(2026, uint64(i)))}
				spec := g.change(schema, "spec", g.base(), 0).(map[string]any)
				for range g.IntN(3) {
					spec = g.change(schema, "spec", spec, 0).(map[string]any)
				}
				judge(t, c, i, spec, tally)
			}
		})
	}
	wait.Wait()
	t.Logf("%d specs: both admit %d, both refuse %d, only the API server refuses %d, only the operator refuses %d",
		count, tally.bothAdmit, tally.bothRefuse, tally.onlyServer, tally.onlyOperator)
	for _, name := range slices.Sorted(maps.Keys(tally.fields)) {
		t.Logf("only the API server refuses %s: %d", name, tally.fields[name])
	}
	if count >= agreementSpecs && min(tally.bothAdmit, tally.bothRefuse, tally.onlyServer, tally.onlyOperator) < count/100 {
		t.Errorf("the generator misses one of the four kinds of specs")
	}
}

// verdicts counts who refuses what.
type verdicts struct {
	sync.Mutex
	bothAdmit, bothRefuse, onlyServer, onlyOperator int
	// fields are those of which only the API server says that they are wrong.
	fields map[string]int
}

// serverOnly are the fields that the API server may refuse and the operator does not, each with what becomes of it.
var serverOnly = []struct{ field, harmless string }{
	{`spec\.(order|cleanupPolicy)`, "what is neither of the two is taken for the default"},
	{`spec\.ttlSecondsAfterFinished`, "less than 0 is at once, and more is later"},
	{`spec\.deadlines(\..*)?`, "a deadline that is less than 1 is over at once, and says so"},
	{`spec\.(placement|pod)(\..*)?`, "the API server refuses the pod or the Job in words that name the field, with which the benchmark ends"},
	{`spec\.repetitions`, "less than 1 is 1, and more than 64 are as good as fewer, as long as there is room for their results"},
	{`spec\.(targets|workloads)`, "more than 16 or 64 are as good as fewer, as long as there is room for their results"},
	{`spec\.targets\.(storageClassName|claimName|volumeAttributesClassName)`, "there is no object of such a name, which is said before anything is made; a VolumeAttributesClass is missed by the provisioner"},
	{`spec\.targets\.freeSpaceReserve`, "less than 0 is 0, and a device has no free space"},
	{`spec\.targets\.(limits|clientLimits)(\..*)?`, "results are compared with a limit that is none"},
	{`spec\.targets\.ebs\.(type|fsType|encrypted)`, "the driver refuses the volume, with whose words the benchmark ends; no type is the driver's default, gp3"},
	{`spec\.targets\.efs\.(fileSystemID|accessPointID|provisioning|directoryPerms|uid|gid|gidRangeStart|gidRangeEnd|basePath|encryptInTransit|meteredSize|mountOptions)`, "the driver refuses the access point or the mount, with whose words the benchmark ends"},
	{`spec\.targets\.s3\.(bucket|prefix|region|stsRegion|endpointURL|authenticationSource|mountOptions|cache)(\..*)?`, "the driver refuses the mount, with whose words the benchmark ends; a prefix without / at its end is the beginning of names"},
	{`spec\.workloads\.fio\.(runtimeSeconds|rampTimeSeconds|iodepth|nrfiles|numjobs|loops|fsync|fdatasync|rateIOPS)`, "fio takes it, or refuses it in words with which the run fails"},
	{`spec\.workloads\.fio\.(bs|size|rate)`, "fio takes kB for k as well"},
	{`spec\.workloads\.fio\.rwmixread`, "fio passes over it where I/O is not mixed"},
	{`spec\.fio\..*`, "it is judged where a workload inherits it"},
	{`spec\.workloads\.probe`, "what is neither of the two is taken for the default"},
	{`spec\.workloads\.clients`, "no numbers at all are that of the spec"},
	{`spec\.targets\.volumeMode`, "a device has no free space, and its driver makes no file system"},
}

var index = regexp.MustCompile(`\[[^]]*\]`)

func judge(t *testing.T, c client.Client, number int, spec map[string]any, tally *verdicts) {
	t.Helper()
	sb := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	sb.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("StorageBenchmark"))
	sb.SetNamespace("default")
	sb.SetName("agreement-" + strconv.Itoa(number))
	text, err := json.Marshal(sb.Object)
	if err != nil {
		t.Error(err)
		return
	}
	refusal := c.Create(t.Context(), sb, client.DryRunAll)
	if refusal != nil && !apierrors.IsInvalid(refusal) && !apierrors.IsBadRequest(refusal) {
		t.Errorf("spec %d: the API server does not judge: %v\n%s", number, refusal, text)
		return
	}
	if refusal == nil {
		if text, err = json.Marshal(sb.Object); err != nil { // with defaults
			t.Error(err)
			return
		}
	}
	typed := &v1alpha1.StorageBenchmark{}
	if err := json.Unmarshal(text, typed); err != nil {
		if refusal == nil {
			t.Errorf("spec %d: the API server admits what the operator cannot read: %v\n%s", number, err, text)
		}
		return // no CRD lets it pass
	}
	problems := operatorsJudgement(typed)
	for _, problem := range problems {
		if !strings.HasPrefix(problem.Field, "spec.") || len(problem.Error()) > 4096 {
			t.Errorf("spec %d: %q", number, problem.Error())
		}
	}
	tally.add(t, number, refusal, problems, text)
}

// operatorsJudgement plans a benchmark, and if it can be, makes the objects of its storage.
func operatorsJudgement(sb *v1alpha1.StorageBenchmark) field.ErrorList {
	_, problems := plan.Runs(&sb.Spec, nil)
	if len(problems) == 0 {
		for i := range sb.Spec.Targets {
			storage.For(sb, &sb.Spec.Targets[i], storage.User{UID: 65532, GID: 65532})
		}
	}
	return problems
}

func (v *verdicts) add(t *testing.T, number int, refusal error, problems field.ErrorList, text []byte) {
	t.Helper()
	v.Lock()
	defer v.Unlock()
	switch {
	case refusal == nil && len(problems) == 0:
		v.bothAdmit++
	case refusal == nil:
		v.onlyOperator++
	case len(problems) > 0:
		v.bothRefuse++
	default:
		v.onlyServer++
		for _, cause := range causes(refusal) {
			name := index.ReplaceAllString(cause.Field, "")
			if name == "<nil>" {
				continue // rules that were not tried because of the other causes
			}
			v.fields[name]++
			if !isHarmless(name) {
				t.Errorf("spec %d: only the API server refuses %s: %s\n%s", number, name, cause.Message, text)
			}
		}
	}
}

func isHarmless(name string) bool {
	return slices.ContainsFunc(serverOnly, func(s struct{ field, harmless string }) bool {
		return regexp.MustCompile(`\A(?:` + s.field + `)\z`).MatchString(name)
	})
}

// specSchema returns what the CRD says of the spec.
func specSchema(t *testing.T) *apiextensionsv1.JSONSchemaProps {
	t.Helper()
	schema, ok := definition(t).Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
	if !ok {
		t.Fatal("the CRD has no spec")
	}
	return &schema
}

// generator changes specs at random.
type generator struct{ *rand.Rand }

func pick[T any](g *generator, values ...T) T { return values[g.IntN(len(values))] }

// base returns a spec that is valid, with a target of each kind and a workload of each.
func (g *generator) base() map[string]any {
	targets := []string{
		"{name: class, storageClassName: fast, capacity: 30Gi, volumeMode: Filesystem}", "{name: gp3, ebs: {type: gp3, iops: 4000, throughput: 500, fsType: xfs}, capacity: 100Gi}",
		"{name: io2, ebs: {type: io2, iops: 5000}, capacity: 100Gi}", "{name: st1, ebs: {type: st1}, capacity: 125Gi}", "{name: claim, claimName: data}",
		"{name: efs, efs: {fileSystemID: fs-0123456789abcdef0, throughputMode: Provisioned, provisionedThroughput: 100, meteredSize: 1Ti}}",
		"{name: static, efs: {fileSystemID: fs-0123456789abcdef0, provisioning: Static, accessPointID: fsap-0123456789abcdef0}}",
		"{name: s3, s3: {bucket: my-bucket, prefix: bench/, region: eu-central-1, cache: {emptyDir: {sizeLimit: 1Gi}}}}",
		"{name: restored, ebs: {type: gp3}, volumeMode: Block, dataSource: {apiGroup: snapshot.storage.k8s.io, kind: VolumeSnapshot, name: db}}",
		"{name: cloned, storageClassName: fast, volumeMode: Block, dataSource: {kind: PersistentVolumeClaim, name: db}}",
		"{name: limited, storageClassName: fast, limits: {iops: 3000, burst: {ioCredits: 1}}, clientLimits: {bytesPerSecond: 5, scope: Client}}",
	}
	workloads := []string{
		"{name: typed, fio: {rw: read, size: 16M, runtimeSeconds: 5, bs: 4k, numjobs: 2, iodepth: 4, ioengine: libaio, direct: true, options: {thinktime: \"100\"}}}",
		"{name: file, jobFile: \"[a]\\nrw=read\\nsize=1M\\n\"}", "{name: matrix, fio: {rw: randread, size: 1M}, clients: [1, 2], matrix: {bs: [4k, 16k]}}",
	}
	g.Shuffle(len(targets), func(i, j int) { targets[i], targets[j] = targets[j], targets[i] })
	spec := map[string]any{}
	text := fmt.Sprintf("targets: [%s]\nworkloads: [%s]\nrepetitions: 2\nclients: 2\norder: ByTarget\ndeadlines: {runCompletionSeconds: 60}\n",
		strings.Join(targets[:1+g.IntN(3)], ", "), pick(g, workloads...))
	if err := yaml.Unmarshal([]byte(text), &spec); err != nil {
		panic(err)
	}
	return spec
}

// change returns a value of a schema, other than the present one, which may be nil: one part of it is changed.
func (g *generator) change(schema *apiextensionsv1.JSONSchemaProps, name string, now any, depth int) any {
	switch {
	case schema.XIntOrString:
		return pick[any](g, int64(g.IntN(3)), "4k", "16k", "x", "", "1", int64(-1))
	case schema.Type == "object" && len(schema.Properties) > 0:
		return g.changeObject(schema, now, depth)
	case schema.Type == "object":
		return g.changeMap(schema, name, now, depth)
	case schema.Type == "array":
		return g.changeList(schema, name, now, depth)
	case schema.Type == "integer":
		return g.integer(schema)
	case schema.Type == "boolean":
		return g.IntN(2) == 0
	default:
		return g.text(schema, name)
	}
}

func (g *generator) changeObject(schema *apiextensionsv1.JSONSchemaProps, now any, depth int) any {
	object, _ := now.(map[string]any)
	object = maps.Clone(object)
	if object == nil {
		object = map[string]any{}
		for _, name := range schema.Required {
			property := schema.Properties[name]
			object[name] = g.change(&property, name, nil, depth+1)
		}
	}
	names := slices.Sorted(maps.Keys(schema.Properties))
	if present := slices.Sorted(maps.Keys(object)); len(present) > 0 && g.IntN(2) == 0 {
		names = present
	}
	name := pick(g, names...)
	if depth == 0 && g.IntN(3) > 0 {
		name = pick(g, "targets", "workloads") // where most of the rules are
	}
	property := schema.Properties[name]
	if g.IntN(8) == 0 {
		delete(object, name)
	} else {
		object[name] = g.change(&property, name, object[name], depth+1)
	}
	return object
}

func (g *generator) changeMap(schema *apiextensionsv1.JSONSchemaProps, name string, now any, depth int) any {
	object, _ := now.(map[string]any)
	object = maps.Clone(object)
	if object == nil {
		object = map[string]any{}
	}
	if schema.AdditionalProperties == nil || schema.AdditionalProperties.Schema == nil {
		return object
	}
	values := schema.AdditionalProperties.Schema
	keys := append(slices.Sorted(maps.Keys(object)), "bs", "iodepth", "numjobs", "clients", "rw", "offset", "exec_prerun", "Key", "storagebench.dev/x", "aws:x", "")
	if most := schema.MaxProperties; most != nil && g.IntN(6) == 0 {
		for i := range *most + int64(g.IntN(2)) {
			object[fmt.Sprintf("key-%d", i)] = g.change(values, name, nil, depth+1)
		}
		return object
	}
	key := pick(g, keys...)
	object[key] = g.change(values, name, object[key], depth+1)
	return object
}

func (g *generator) changeList(schema *apiextensionsv1.JSONSchemaProps, name string, now any, depth int) any {
	list, _ := now.([]any)
	list = slices.Clone(list)
	items := schema.Items.Schema
	switch {
	case g.IntN(12) == 0:
		return []any{}
	case schema.MaxItems != nil && *schema.MaxItems <= 64 && g.IntN(12) == 0:
		for i := int64(len(list)); i < *schema.MaxItems+int64(g.IntN(2)); i++ {
			list = append(list, g.another(items, name, list, i, depth))
		}
		return list
	case len(list) == 0 || g.IntN(6) == 0:
		return append(list, g.another(items, name, list, int64(len(list)), depth))
	default:
		i := g.IntN(len(list))
		list[i] = g.change(items, name, list[i], depth+1)
		return list
	}
}

// another returns an element like the first, but for its name, or one of its own.
func (g *generator) another(items *apiextensionsv1.JSONSchemaProps, name string, list []any, i int64, depth int) any {
	if len(list) > 0 && g.IntN(4) > 0 {
		if first, ok := list[0].(map[string]any); ok {
			copied := maps.Clone(first)
			copied["name"] = fmt.Sprintf("n%d", i)
			return copied
		}
		return list[0]
	}
	return g.change(items, name, nil, depth+1)
}

// integer returns a number at a bound of the schema, or of a rule that CEL has.
func (g *generator) integer(schema *apiextensionsv1.JSONSchemaProps) any {
	values := []int64{0, 1, 2, 64, 100, 125, 2000, 2001, 3000, 80000, 80001, 256000, 256001, -1, 1<<31 - 1}
	if schema.Minimum != nil {
		values = append(values, int64(*schema.Minimum), int64(*schema.Minimum)-1, int64(*schema.Minimum)+1)
	}
	if schema.Maximum != nil {
		values = append(values, int64(*schema.Maximum), int64(*schema.Maximum)-1, int64(*schema.Maximum)+1)
	}
	return pick(g, values...)
}

// texts are values of fields that have a form, good ones and bad.
var texts = map[string][]string{
	"capacity": {"1Gi", "10Gi", "125Gi", "124Gi", "16Ti", "16385Gi", "64Ti", "65537Gi", "1", "0", "-1Gi", "1.5Gi", "1e3", "10GiB", "9Ei", "1m"},
	"bs":       {"4k", "512", "4k,8k", "4k,,8k", "0", "4kB", "x", "4k-8k", "9999999999999999g"}, "size": {"1M", "10G", "100%", "1%", "0%", "101%", "0", "1e3", "16384p", "99999999p", "x"},
	"rate": {"10m", "10m,5m", "0", "x"}, "fileSystemID": {"fs-01234567", "fs-0123456", "FS-01234567"}, "accessPointID": {"fsap-01234567", "fs-01234567"},
	"apiGroup":       {v1alpha1.SnapshotGroup, "", "v1"},
	"directoryPerms": {"700", "0777", "77", "800"}, "basePath": {"/a", "/a/b/c/d", "/a/b/c/d/e", "a", "/..", "/a/"}, "bucket": {"my-bucket", "My-bucket", "s3://my-bucket", "ab", "arn:aws:s3:eu-central-1:1:accesspoint/x"},
	"prefix": {"a/", "a", "/a/", "a//", "../"}, "region": {"eu-central-1", "EU"}, "endpointURL": {"https://x", "ftp://x", "https://a b"}, "meteredSize": {"0", "1Ti", "x", "-1"}, "freeSpaceReserve": {"0", "1Gi", "x", "-1"},
	"sizeLimit": {"1Gi", "0", "x"}, "storageRequest": {"1Gi", "0", "x"}, "kmsKeyID": {"arn:aws:kms:eu-west-1:111122223333:key/2", "x"}, "mountOptions": {"iam", "tls", "ro", "a,b", "accesspoint=x", "cache /x", "--region x", "-f", "max-threads 32"},
	"jobFile": {"[a]\nrw=read\nsize=1M\n", "[a]\nrw=write\nsize=1M\nnumjobs=3\n", "", "x", "[a]\nexec_prerun=id\n", "[global]\n", "[a]\nfilename=/etc/passwd\nsize=1M\n"},
	"options": {"1", "100", "4k", "x y", ""}, "baseline": {"gp3", "class", "x", ""}, "name": {"a", "class", "gp3", "typed", "A", "a.b", "-a", ""},
}

// text returns a value of an enumeration, or of those that a field has, or one at the bounds of its length.
func (g *generator) text(schema *apiextensionsv1.JSONSchemaProps, name string) any {
	if len(schema.Enum) > 0 && g.IntN(4) > 0 {
		var value any
		if err := json.Unmarshal(pick(g, schema.Enum...).Raw, &value); err != nil {
			panic(err)
		}
		return value
	}
	if values := texts[name]; len(values) > 0 && g.IntN(5) > 0 {
		return pick(g, values...)
	}
	if most := schema.MaxLength; most != nil && g.IntN(2) == 0 {
		return strings.Repeat("x", int(*most)+g.IntN(2))
	}
	return pick(g, "", "a", "A b", "ä", "x\ny", "a/b", "..", "10")
}

package v1alpha1_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
)

// schedule returns a schedule of benchmarks with the base spec, of which the parts are replaced by the YAML.
func schedule(t *testing.T, parts string) *unstructured.Unstructured {
	t.Helper()
	spec := map[string]any{"schedule": "0 3 * * *", "template": map[string]any{"spec": benchmark(t, "").Object["spec"]}}
	replaced := map[string]any{}
	if err := yaml.Unmarshal([]byte(parts), &replaced); err != nil {
		t.Fatal(err)
	}
	maps.Copy(spec, replaced)
	s := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	s.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("StorageBenchmarkSchedule"))
	s.SetNamespace("default")
	s.SetGenerateName("sbs-")
	return s
}

func TestScheduleValidation(t *testing.T) {
	const template = "template: {spec: {targets: [{name: a, storageClassName: fast}], workloads: [{name: w, fio: {rw: randread, size: 1M}}]"
	for name, test := range map[string]struct {
		valid []string
		// refused has the words of the refusal by what is refused at the path.
		refused map[string]string
		path    string
	}{
		"schedule": {
			valid: []string{`schedule: "*/15 0-6,22 1 JAN mon"`, `schedule: "@daily"`, `schedule: "@every 1h30m"`, `schedule: "0  3  * * ?"`},
			refused: map[string]string{
				`schedule: ""`: "at least 1 chars", `schedule: "0 3 * *"`: "five fields", `schedule: "0 0 3 * * *"`: "five fields", `schedule: "@sometimes"`: "five fields",
				`schedule: "TZ=UTC 0 3 * * *"`: "set timeZone", `schedule: "CRON_TZ=Asia/Tokyo 0 3 * * *"`: "set timeZone", `schedule: "0 3 * * $(date)"`: "five fields",
				"schedule: \"0 3 * * *\\n0 4 * * *\"": "five fields",
			},
			path: "spec.schedule",
		},
		"timeZone": {
			valid:   []string{"timeZone: Asia/Tokyo", "timeZone: Etc/GMT+9", "timeZone: America/Argentina/Buenos_Aires"},
			refused: map[string]string{"timeZone: Local": "such as Asia/Tokyo", "timeZone: ../etc/passwd": "such as Asia/Tokyo", "timeZone: Asia/": "such as Asia/Tokyo", `timeZone: ""`: "at least 1 chars"},
			path:    "spec.timeZone",
		},
		"concurrencyPolicy": {
			valid:   []string{"concurrencyPolicy: Allow", "concurrencyPolicy: Forbid", "concurrencyPolicy: Replace"},
			refused: map[string]string{"concurrencyPolicy: Queue": "Unsupported value"}, path: "spec.concurrencyPolicy",
		},
		"startingDeadlineSeconds": {
			valid:   []string{"startingDeadlineSeconds: 10", "startingDeadlineSeconds: 31536000"},
			refused: map[string]string{"startingDeadlineSeconds: 9": "greater than or equal to 10", "startingDeadlineSeconds: 31536001": "less than or equal"}, path: "spec.startingDeadlineSeconds",
		},
		"historyLimit": {
			valid:   []string{"historyLimit: 1", "historyLimit: 1000"},
			refused: map[string]string{"historyLimit: 0": "greater than or equal to 1", "historyLimit: 1001": "less than or equal"}, path: "spec.historyLimit",
		},
		"benchmarks that are kept": {
			valid:   []string{"successfulBenchmarksHistoryLimit: 0", "successfulBenchmarksHistoryLimit: 32"},
			refused: map[string]string{"successfulBenchmarksHistoryLimit: 33": "less than or equal"}, path: "spec.successfulBenchmarksHistoryLimit",
		},
		"the template's labels": {
			valid:   []string{template + "}, metadata: {labels: {team: storage}}}"},
			refused: map[string]string{template + "}, metadata: {labels: {storagebench.dev/schedule: other}}}": "set by the operator"}, path: "spec.template.metadata.labels",
		},
		"the template's annotations": {
			valid:   []string{template + "}, metadata: {annotations: {team: storage}}}"},
			refused: map[string]string{template + "}, metadata: {annotations: {storagebench.dev/scheduled-time: now}}}": "set by the operator"}, path: "spec.template.metadata.annotations",
		},
		"the template's life": {
			valid:   []string{template + "}}"},
			refused: map[string]string{template + ", ttlSecondsAfterFinished: 60}}": "remove ttlSecondsAfterFinished"}, path: "spec.template.spec.ttlSecondsAfterFinished",
		},
		// What holds for the spec of a benchmark holds for that of a template.
		"the template's baseline": {refused: map[string]string{template + ", baseline: z}}": "must be the name of one of the targets"}, path: "spec.template.spec.baseline"},
		"the template's target": {
			refused: map[string]string{"template: {spec: {targets: [{name: a, claimName: c, capacity: 1Gi}], workloads: [{name: w, fio: {rw: randread, size: 1M}}]}}": "capacity, accessMode and volumeMode belong to new volumes"},
			path:    "spec.template.spec.targets[0].claimName",
		},
		"a number of runs": {
			refused: map[string]string{
				"template: {spec: {repetitions: 64, targets: [{name: a, storageClassName: c}, {name: b, storageClassName: c}], workloads: [{name: v, fio: {rw: read, size: 1M}}, {name: w, fio: {rw: read, size: 1M}}]}}": "at most 200 such runs",
			},
			path: "spec.template.spec",
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := envtest.Client(t)
			for _, parts := range test.valid {
				if err := c.Create(t.Context(), schedule(t, parts), client.DryRunAll); err != nil {
					t.Errorf("%s: %v", parts, err)
				}
			}
			for parts, words := range test.refused {
				wantRefusal(t, c.Create(t.Context(), schedule(t, parts), client.DryRunAll), parts, test.path, words)
			}
		})
	}
}

func TestScheduleName(t *testing.T) {
	c := envtest.Client(t)
	for length, want := range map[int]string{48: "", 49: "the name may have at most 48 characters"} {
		s := schedule(t, "")
		s.SetName(strings.Repeat("x", length))
		err := c.Create(t.Context(), s, client.DryRunAll)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("a name of %d characters: %v", length, err)
		}
	}
}

func TestScheduleDefaults(t *testing.T) {
	c := envtest.Client(t)
	s := &v1alpha1.StorageBenchmarkSchedule{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "defaults"},
		Spec: v1alpha1.StorageBenchmarkScheduleSpec{
			Schedule: "@daily", Template: v1alpha1.StorageBenchmarkTemplate{Spec: builder.OneRun("default", "defaults").Build().Spec},
		},
	}
	if err := c.Create(t.Context(), s, client.DryRunAll); err != nil {
		t.Fatal(err)
	}
	want := v1alpha1.StorageBenchmarkScheduleSpec{
		Schedule: "@daily", ConcurrencyPolicy: v1alpha1.ConcurrencyAllow, Suspend: new(false), HistoryLimit: new(int32(90)),
		SuccessfulBenchmarksHistoryLimit: new(int32(3)), FailedBenchmarksHistoryLimit: new(int32(1)), Template: s.Spec.Template,
	}
	if diff := cmp.Diff(want, s.Spec); diff != "" {
		t.Errorf("spec (-want +got):\n%s", diff)
	}
	if s.Spec.Template.Spec.Repetitions == nil {
		t.Error("the template has no defaults")
	}
	if s.Status.ObservedGeneration != -1 {
		t.Errorf("status.observedGeneration of a new schedule is %d, want -1: who follows kstatus takes it for ready", s.Status.ObservedGeneration)
	}
}

package plugin

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/internal/preset"
	"github.com/storagebench/storagebench/internal/report"
	"github.com/storagebench/storagebench/internal/report/wording"
)

func newPlanCommand() *cobra.Command {
	var path string
	var output *string
	cmd := &cobra.Command{
		Use:   "plan -f FILE",
		Short: "Print the runs that the StorageBenchmarks of a file ask for, without a cluster",
		Long: `Print the runs that the StorageBenchmarks of a file ask for, without a cluster. Of a StorageBenchmarkSchedule these
are the runs of each benchmark that it makes.

What exists in the cluster is not looked at: a claim is taken for a file system, and the limits of storage are known if they
follow from the spec: of ebs, of efs with its throughputMode, and where limits are given. RUNTIME is for how long fio runs by its
own options. The estimate adds how long test files are written, which the limits tell; how long runs that end by
size take at these limits; and what pods take to start and report: 2 s a run, 4.5 s and more with several clients.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			format, err := formatNamed(planFormats, *output)
			if err != nil {
				return err
			}
			if path == "-" {
				return printPlans(cmd, cmd.InOrStdin(), "standard input", format)
			}
			file, err := os.Open(path)
			if err != nil {
				return err
			}
			defer file.Close()
			return printPlans(cmd, file, path, format)
		},
	}
	cmd.Flags().StringVarP(&path, "filename", "f", "", "the file, or - for standard input")
	cobra.CheckErr(cmd.MarkFlagRequired("filename"))
	output = addOutputFlag(cmd, planFormats)
	return cmd
}

// plannedBenchmark is a benchmark with its runs.
type plannedBenchmark struct {
	benchmark *v1alpha1.StorageBenchmark
	runs      []plan.Run
	// isOneOfSeveral reports whether the file has other benchmarks.
	isOneOfSeveral bool
}

// planFormats are the ways to print plans.
var planFormats = append([]format[[]*plannedBenchmark]{
	{"table", "a row for each run", unstyled(printPlanTables)},
}, documents(planDocument)...)

// printPlanTables prints a table for each benchmark, below its name if there are several.
func printPlanTables(out io.Writer, all []*plannedBenchmark) error {
	for i, one := range all {
		if i > 0 {
			fmt.Fprintln(out)
		}
		if one.isOneOfSeveral {
			fmt.Fprintf(out, "%s\n\n", one.benchmark.Name)
		}
		report.Plan(out, planned(one.runs))
		printSourcesOf(out, &one.benchmark.Spec)
		printPresetsOf(out, &one.benchmark.Spec)
		printEstimate(out, one.runs)
	}
	return nil
}

// planDocument returns the runs of each benchmark, for programs.
func planDocument(all []*plannedBenchmark) (any, error) {
	type run struct {
		Name       string            `json:"name"`
		Workload   string            `json:"workload"`
		Parameters map[string]string `json:"parameters,omitempty"`
		Target     string            `json:"target"`
		Clients    int32             `json:"clients"`
		Repetition int32             `json:"repetition"`
		// RuntimeSeconds is how long fio measures, absent if the size of what it does decides.
		RuntimeSeconds int64 `json:"runtimeSeconds,omitempty"`
		// AtMost is true of steps of a search, which may have its answer before.
		AtMost bool `json:"atMost,omitempty"`
	}
	type benchmark struct {
		Benchmark string `json:"benchmark"`
		Runs      []run  `json:"runs"`
	}
	documents := make([]benchmark, len(all))
	for i, one := range all {
		documents[i] = benchmark{Benchmark: one.benchmark.Name, Runs: []run{}}
		for _, r := range planned(one.runs) {
			documents[i].Runs = append(documents[i].Runs, run{
				r.Name, r.Workload, r.Parameters, r.Target, max(r.Clients, 1), r.Repetition, r.RuntimeSeconds, r.AtMost,
			})
		}
	}
	return documents, nil
}

// printPlans prints the plan of each benchmark, and on standard error what is wrong with those that have none.
func printPlans(cmd *cobra.Command, in io.Reader, name string, chosen format[[]*plannedBenchmark]) error {
	benchmarks, bad, err := readBenchmarks(in, cmd.ErrOrStderr())
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	count := len(benchmarks) + bad
	var all []*plannedBenchmark
	for _, benchmark := range benchmarks {
		runs, problems := plan.Runs(benchmark.Spec.Default(), nil)
		for _, problem := range problems {
			cmd.PrintErrf("%s: %v\n", benchmark.Name, problem)
		}
		if len(problems) > 0 {
			bad++
			continue
		}
		all = append(all, &plannedBenchmark{benchmark, runs, len(benchmarks) > 1})
	}
	if err := chosen.print(cmd.OutOrStdout(), all, report.Style{}); err != nil {
		return err
	}
	switch {
	case bad > 0:
		return fmt.Errorf("%s: %d of %d StorageBenchmarks cannot be carried out", name, bad, count)
	case len(benchmarks) == 0:
		return fmt.Errorf("%s has no StorageBenchmark or StorageBenchmarkSchedule of %s", name, v1alpha1.GroupVersion)
	}
	return nil
}

// printSourcesOf prints what the volumes of targets are made from, where they are not made empty.
func printSourcesOf(w io.Writer, spec *v1alpha1.StorageBenchmarkSpec) {
	for i := range spec.Targets {
		if t := &spec.Targets[i]; t.DataSource != nil {
			fmt.Fprintf(w, "Volumes of target %s are made from %s, and nothing is laid out on them.\n", t.Name, t.DataSource)
		}
	}
}

// printPresetsOf prints what fio does for the presets of a spec.
func printPresetsOf(w io.Writer, spec *v1alpha1.StorageBenchmarkSpec) {
	for i := range spec.Workloads {
		workload := &spec.Workloads[i]
		if p, known := preset.Of(workload); known {
			fmt.Fprintf(w, "\nWorkload %s is preset %s:\n%s", workload.Name, p.ID(), wording.JobFile(workload))
		}
	}
}

// readBenchmarks reads the StorageBenchmarks among YAML documents, and those that StorageBenchmarkSchedules make. It tells
// of documents that are something else, and of what is wrong with those that are bad, which it counts.
func readBenchmarks(in io.Reader, notes io.Writer) (benchmarks []*v1alpha1.StorageBenchmark, bad int, err error) {
	documents := utilyaml.NewYAMLReader(bufio.NewReader(in))
	decoder := serializer.NewCodecFactory(newScheme(), serializer.EnableStrict).UniversalDeserializer()
	for number := 1; ; number++ {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return benchmarks, bad, nil
		}
		if err != nil {
			return nil, 0, err
		}
		if kind := kindOf(document); kind != nil {
			fmt.Fprintf(notes, "document %d: skipped, it is a %s of %s\n", number, kind.Kind, kind.APIVersion)
			continue
		}
		if isEmpty(document) {
			continue
		}
		object, _, err := decoder.Decode(document, nil, nil)
		if benchmark := benchmarkOf(object); benchmark != nil && err == nil {
			benchmarks = append(benchmarks, benchmark)
			continue
		}
		bad++
		for _, problem := range problemsOf(document, err) {
			fmt.Fprintf(notes, "document %d: %v\n", number, problem)
		}
	}
}

// benchmarkOf returns a StorageBenchmark, or the one that a StorageBenchmarkSchedule makes; nil for any other object.
func benchmarkOf(object runtime.Object) *v1alpha1.StorageBenchmark {
	switch o := object.(type) {
	case *v1alpha1.StorageBenchmark:
		return o
	case *v1alpha1.StorageBenchmarkSchedule:
		return &v1alpha1.StorageBenchmark{
			TypeMeta: benchmarkType, ObjectMeta: metav1.ObjectMeta{Namespace: o.Namespace, Name: o.Name}, Spec: o.Spec.Template.Spec,
		}
	}
	return nil
}

// benchmarkType and scheduleType are what documents are read of.
var (
	benchmarkType = metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "StorageBenchmark"}
	scheduleType  = metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "StorageBenchmarkSchedule"}
)

// kindOf returns what a document is if benchmarks are not read of it.
func kindOf(document []byte) *metav1.TypeMeta {
	var kind metav1.TypeMeta
	err := yaml.Unmarshal(document, &kind)
	if err != nil || kind == benchmarkType || kind == scheduleType || kind == (metav1.TypeMeta{}) {
		return nil
	}
	return &kind
}

// problemsOf parts an error about several fields of a document. What was misread is told in words of our own.
func problemsOf(document []byte, err error) []error {
	if wrong := misreadIn(document); len(wrong) > 0 {
		return wrong.ToAggregate().Errors()
	}
	if strict, ok := runtime.AsStrictDecodingError(err); ok {
		return strict.Errors()
	}
	return []error{err}
}

// isEmpty says whether a document has nothing but comments.
func isEmpty(document []byte) bool {
	var content any
	return yaml.Unmarshal(document, &content) == nil && content == nil
}

func planned(runs []plan.Run) []report.PlannedRun {
	all := make([]report.PlannedRun, len(runs))
	for i, run := range runs {
		// 0 where it is not known.
		seconds, _ := run.Job.RuntimeSeconds()
		seconds += run.Until.ExtraSeconds()
		all[i] = report.PlannedRun{
			Run: v1alpha1.Run{
				Name: run.Name, Target: run.Target.Name, Workload: run.Workload.Name, Parameters: run.Searched(), Repetition: run.Repetition,
				Clients: run.Clients,
			},
			AtMost: run.IsAtMost(), RuntimeSeconds: seconds, EndsByFiles: run.Job.EndsByFiles() || run.Until != nil,
		}
	}
	return all
}

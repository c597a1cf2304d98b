package plugin

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/expectation"
	"github.com/storagebench/storagebench/internal/humanize"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/internal/preset"

	"github.com/storagebench/storagebench/internal/report"
)

// defaultChecks is how often a check measures all: one run may be a lucky one.
const defaultChecks = 3

// thoroughCapacity is the size of new volumes on which the files of all presets have room.
const thoroughCapacity = "40Gi"

// checkOptions are the flags of "check".
type checkOptions struct {
	flags *genericclioptions.ConfigFlags

	// storage has the flags that name it.
	storage  targetFlags
	path     string
	presets  []string
	thorough bool

	repetitions    int32
	name           string
	remove, dryRun bool
	output         *string

	// expectations are what results are held to beside what presets expect.
	expectations []string
	// measured is the storage that the output of fio does not name.
	measured storageOptions
	// content is what the file holds.
	content []byte

	local localOptions

	// leftOut are the presets that do not work on the storage.
	leftOut []preset.Preset
}

func newCheckCommand(flags *genericclioptions.ConfigFlags) *cobra.Command {
	o := &checkOptions{flags: flags}
	cmd := &cobra.Command{
		Use:   "check {--class CLASS | --claim CLAIM | --local --target NAME=DIRECTORY | FILE | -f FILE [NAME]}",
		Short: "Say whether storage is good enough for etcd, PostgreSQL and others",
		Long: `Say whether storage is good enough for etcd, PostgreSQL and others, by their presets.

It makes a StorageBenchmark, follows it, and prints one table. All is measured three times, and the answer is about the
medians. The shortest check takes about seven minutes for one StorageClass whose volumes are made at once, with
--repetitions 1 less than three; --thorough has all presets. How long it will take is told first. Presets
that do not work on the storage, such as random writes on S3, are left out, which is told as well. One that --preset
names is an error then, before anything is made.

What an application asks for in public is held to what was measured. Where it asks for nothing, there are figures and no
answer, unless --expect says what is good enough.
The exit code is 0 if the storage is good enough for all that ask for something, 2 if not, and 1 if that is not known: if
runs failed, or if a preset that asks for something was left out. It is 130 after Ctrl-C, which leaves the benchmark running.

Nothing is measured if FILE has results: a StorageBenchmark that was saved, what report -o json printed, or the output of
fio. They are held to --preset and --expect. Without these flags they are held to what the StorageBenchmark expects, or
to the presets that their jobs fit. A preset fits a job that does the same I/O; size and time may differ. No cluster is
needed. If the file has a StorageBenchmark without results, its storage is measured.

` + aboutLocal,
		Example: `  kubectl storagebench check --class gp3
  kubectl storagebench check --class gp3 --repetitions 1
  kubectl storagebench check --class gp3 --preset postgres-wal --expect sync.p99=5ms
  kubectl storagebench check --class gp3,gp2 --preset etcd --repetitions 6
  kubectl storagebench check --claim data --thorough

  # without a cluster: a directory of this machine
  kubectl storagebench check --local --target data=/var/lib/postgresql

  # storage that a file names: the targets of a StorageBenchmark
  kubectl storagebench check -f benchmark.yaml

  # results of a file, without a cluster
  kubectl storagebench check fio.json --preset etcd
  kubectl storagebench check saved.yaml --expect read.p99=10ms --expect write.iops=2700`,
		Args: o.namesFile,
		RunE: o.run,
	}
	o.addFlags(cmd)
	return cmd
}

// addFlags adds the flags that name storage, what is asked of it, and results that a file has.
func (o *checkOptions) addFlags(cmd *cobra.Command) {
	own := cmd.Flags()
	o.storage.addFlags(own)
	o.storage.addPodFlags(own)
	own.Lookup("capacity").Usage += "; with --thorough " + thoroughCapacity
	own.Lookup("efs").Usage += "; for output of fio: Elastic, or Bursting,meteredSize=2Ti"
	own.Lookup("s3").Usage += "; for output of fio: a bucket of any name"
	own.StringVarP(&o.path, "filename", "f", "",
		"a file with results to check, or with one StorageBenchmark whose storage is checked, or - for standard input")
	own.StringSliceVar(&o.presets, "preset", nil, "presets to check (kubectl storagebench presets); the default is those of the shortest check")
	own.StringArrayVar(&o.expectations, "expect", nil,
		"what is good enough, such as sync.p99=5ms or write.iops=2700, also of applications that publish no figure")
	own.BoolVar(&o.thorough, "thorough", false, "check all presets")
	own.Int32Var(&o.repetitions, "repetitions", defaultChecks, "how often all is measured: 1 for a quick look; from 6 on there are confidence intervals")
	own.StringVar(&o.name, "name", "", "name of the StorageBenchmark (default: check- and random characters)")
	own.BoolVar(&o.remove, "rm", false, "delete the StorageBenchmark after its end, its results included")
	own.BoolVar(&o.dryRun, "dry-run", false, "print the StorageBenchmark, and make nothing")
	o.output = addOutputFlag(cmd, checkFormats)
	o.measured.addFlags(cmd)
	o.local.addFlags(cmd)
	cmd.MarkFlagsMutuallyExclusive("preset", "thorough")
	for _, flag := range []string{"class", "claim", "ebs", "capacity", "node-selector", "fs-group"} {
		cmd.MarkFlagsMutuallyExclusive("filename", flag)
	}
	completeTargets(cmd, o.flags)
}

func (o *checkOptions) run(cmd *cobra.Command, args []string) error {
	if _, err := formatNamed(checkFormats, *o.output); err != nil {
		return err
	}
	o.measured.used = o.local.isUsed() // --instance is about this machine then
	if o.path != "" || len(args) > 0 {
		o.measured.efs, o.measured.s3 = strings.Join(o.storage.efs, ","), len(o.storage.s3) > 0
		sb, err := o.resultsOfFile(cmd, args)
		if err != nil {
			return err
		}
		if err := o.measured.checkUsed(); err != nil {
			return err
		}
		if o.storage.areSet() && !o.measured.used {
			return fmt.Errorf("--efs and --s3: %s names its storage itself: leave the flags out", cmp.Or(o.path, strings.Join(args, "")))
		}
		if sb != nil {
			return o.checkFile(cmd, sb)
		}
	}
	return o.measure(cmd)
}

// measure makes the benchmark that checks, and follows it.
func (o *checkOptions) measure(cmd *cobra.Command) error {
	if err := o.local.begin(cmd, &o.storage.claims); err != nil {
		return err
	}
	benchmark, err := o.benchmark(cmd)
	if err != nil {
		return err
	}
	o.local.describe(&benchmark.Spec)
	if o.dryRun {
		return printManifest(cmd.OutOrStdout(), benchmark)
	}
	if o.local.isUsed() {
		return o.checkLocal(cmd, benchmark)
	}
	c, err := connect(o.flags)
	if err != nil {
		return err
	}
	benchmark.Namespace = c.namespace
	if err := c.checkStorage(cmd.Context(), cmd.ErrOrStderr(), benchmark); err != nil {
		return err
	}
	runs, _ := plan.Runs(&benchmark.Spec, nil)
	printEstimate(cmd.ErrOrStderr(), runs)
	if err := c.Create(cmd.Context(), benchmark); err != nil {
		return explainMissing(err)
	}
	cmd.PrintErrf("\nstoragebenchmark.storagebench.dev/%s created\n", benchmark.Name)
	return o.follow(cmd, c, found{ObjectKey: client.ObjectKeyFromObject(benchmark), uid: benchmark.UID, isNew: true})
}

// follow follows the benchmark to its end, and prints the answers.
func (o *checkOptions) follow(cmd *cobra.Command, c *cluster, one found) error {
	ended, err := untilEnded(cmd, c, one.ObjectKey)
	if err == nil {
		err = errors.Join(o.print(cmd, ended), o.goodEnough(ended))
	}
	if o.remove && !errors.Is(err, errLeft) {
		err = errors.Join(err, remove(cmd.Context(), c, one, cmd.ErrOrStderr()))
	}
	return err
}

// checkFormats are the ways to print answers.
var checkFormats = append([]format[*v1alpha1.StorageBenchmark]{
	{"table", "the verdict, and a row for each preset and target", infallible(func(w io.Writer, sb *v1alpha1.StorageBenchmark, _ report.Style) { report.Check(w, sb) })},
}, documents(func(sb *v1alpha1.StorageBenchmark) (any, error) { return report.Answers(sb), nil })...)

// print prints the answers.
func (o *checkOptions) print(cmd *cobra.Command, sb *v1alpha1.StorageBenchmark) error {
	chosen, err := formatNamed(checkFormats, *o.output)
	if err != nil {
		return err
	}
	return chosen.print(cmd.OutOrStdout(), sb, styleOf(cmd))
}

// goodEnough returns an error if the storage is not good enough for something, or if that was not measured, or not asked. What misses is told also where
// other runs failed: it is known. Whether storage is good enough for a preset that was left out is not.
func (o *checkOptions) goodEnough(benchmark *v1alpha1.StorageBenchmark) error {
	missed := asExpected(benchmark)
	if errors.Is(missed, errMissed) {
		return missed
	}
	if failed := judge(benchmark); failed != nil {
		return failed
	}
	var unanswered []string
	for i := range o.leftOut {
		if len(o.leftOut[i].Thresholds) > 0 {
			unanswered = append(unanswered, o.leftOut[i].Name)
		}
	}
	if len(unanswered) > 0 {
		return fmt.Errorf("%s: not checked, because it does not work on this storage: %s; --preset checks those that you name",
			benchmark.Name, strings.Join(unanswered, ", "))
	}
	return missed
}

// benchmark makes the benchmark that checks. On standard error it tells what is left out. What was asked for by its name is not left out: a
// pipeline would pass that asks for one preset.
func (o *checkOptions) benchmark(cmd *cobra.Command) (*v1alpha1.StorageBenchmark, error) {
	benchmark, err := o.emptyBenchmark(cmd)
	if err != nil {
		return nil, err
	}
	presets, err := o.chosen()
	if err != nil {
		return nil, err
	}
	for i := range presets {
		workload := v1alpha1.Workload{Name: presets[i].Name, Preset: new(presets[i].ID())}
		if problems := problemsWith(benchmark, workload); len(problems) > 0 {
			cmd.PrintErrf("left out: %s: %s\n", workload.Name, strings.Join(problems, "; "))
			o.leftOut = append(o.leftOut, presets[i])
			continue
		}
		benchmark.Spec.Workloads = append(benchmark.Spec.Workloads, workload)
	}
	switch {
	case len(o.presets) > 0 && len(o.leftOut) > 0:
		return nil, fmt.Errorf("%d of %s that --preset names cannot be checked, for the reasons above: leave them out, or check other storage",
			len(o.leftOut), humanize.Plural(len(presets), "preset"))
	case len(benchmark.Spec.Workloads) == 0:
		return nil, errors.New("no preset works on this storage, for the reasons above")
	}
	return benchmark, checkPlan(benchmark)
}

// problemsWith returns why a workload alone does not work on the storage of a benchmark.
func problemsWith(benchmark *v1alpha1.StorageBenchmark, w v1alpha1.Workload) []string {
	alone := benchmark.Spec.DeepCopy()
	alone.Workloads, alone.Expectations = []v1alpha1.Workload{w}, nil // another workload may have what is expected
	_, wrong := plan.Runs(alone, nil)
	var problems []string
	for _, problem := range wrong {
		problems = append(problems, problem.Error())
	}
	return problems
}

// chosen returns the presets that are checked.
func (o *checkOptions) chosen() ([]preset.Preset, error) {
	if len(o.presets) > 0 || o.thorough {
		return presetsNamed(o.presets)
	}
	return slices.DeleteFunc(preset.Newest(), func(p preset.Preset) bool { return !p.Quick }), nil
}

// emptyBenchmark returns a benchmark with the storage that is checked, and without workloads.
func (o *checkOptions) emptyBenchmark(cmd *cobra.Command) (*v1alpha1.StorageBenchmark, error) {
	spec, err := o.spec(cmd)
	if err != nil {
		return nil, err
	}
	spec.Repetitions = &o.repetitions
	if spec.Expectations, err = o.expected(); err != nil {
		return nil, err
	}
	benchmark := &v1alpha1.StorageBenchmark{TypeMeta: benchmarkType, ObjectMeta: metav1.ObjectMeta{GenerateName: "check-"}, Spec: *spec}
	if o.name != "" {
		benchmark.Name, benchmark.GenerateName = o.name, ""
	}
	return benchmark, nil
}

// expected returns what --expect says.
func (o *checkOptions) expected() ([]v1alpha1.Expectation, error) {
	var all []v1alpha1.Expectation
	for _, text := range o.expectations {
		one, err := expectation.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("--expect %w", err)
		}
		all = append(all, one)
	}
	return all, nil
}

// spec returns the storage that the flags name.
func (o *checkOptions) spec(cmd *cobra.Command) (*v1alpha1.StorageBenchmarkSpec, error) {
	if o.path != "" {
		return o.specOfFile(cmd)
	}
	if o.thorough && len(o.storage.capacities) == 0 && len(o.storage.classes)+len(o.storage.ebs) > 0 {
		o.storage.capacities = []string{thoroughCapacity}
	}
	var spec v1alpha1.StorageBenchmarkSpec
	err := o.storage.apply(&spec)
	if errors.Is(err, errNothingNamed) {
		err = fmt.Errorf("%w, or a file with -f", err)
	}
	return &spec, err
}

// specOfFile returns the spec of the StorageBenchmark of a file, without what it measures.
func (o *checkOptions) specOfFile(cmd *cobra.Command) (*v1alpha1.StorageBenchmarkSpec, error) {
	benchmarks, bad, err := readBenchmarks(bytes.NewReader(o.content), cmd.ErrOrStderr())
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", o.path, err)
	}
	if len(benchmarks) != 1 || bad > 0 {
		return nil, fmt.Errorf("%s has %d StorageBenchmarks: give a file with one; its storage is checked", o.path, len(benchmarks)+bad)
	}
	spec := benchmarks[0].Spec
	spec.Workloads, spec.Expectations, spec.Suspend = nil, nil, nil
	return &spec, nil
}

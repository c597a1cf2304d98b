package plugin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/fioimport"
	"github.com/storagebench/storagebench/internal/plan"
)

// fieldManager is the plugin's name in server-side apply.
const fieldManager = "kubectl-storagebench"

// runOptions are the flags of "run".
type runOptions struct {
	flags *genericclioptions.ConfigFlags

	files                resource.FilenameOptions
	oneLine              oneLine
	name                 string
	schedule             string
	output               *string
	remove, wait, dryRun bool
	noFail, replace      bool
	local                localOptions
}

func newRunCommand(flags *genericclioptions.ConfigFlags) *cobra.Command {
	o := &runOptions{flags: flags}
	cmd := &cobra.Command{
		Use:   "run (-f FILE | --class CLASS | --ebs TYPE | --efs ID | --s3 BUCKET | --claim CLAIM | --from-schedule NAME | --local --target NAME=DIRECTORY) [-- FIO-OPTION...]",
		Short: "Make a StorageBenchmark, follow it, and print its results",
		Long: `Make a StorageBenchmark, follow it, and print its results.

It is read from a file, made from the template of a StorageBenchmarkSchedule, whose history it gets into, or made of flags.
Flags that have fio's names describe the I/O; several values of one are measured each. Presets, or options of fio after --,
can take their place. Flags for storage have the fields of the API and can be repeated. Ctrl-C leaves the benchmark running.

A benchmark of the file that has ended before is not measured again: --replace deletes it with its results and measures
anew, and rerun measures the same under another name.

The exit code is 0 only if each run has a result, and all that spec.expectations and presets ask for is met. It is 2 if
something is missed, and 1 if that is not known. With --no-fail only the runs count. After Ctrl-C it is 130.

` + aboutLocal,
		Example: `  # two StorageClasses beside each other
  kubectl storagebench run --class gp3 --class efs-sc --rw randwrite --bs 4k,64k --runtime 30s

  # 3,000 against 6,000 IOPS, four times each
  kubectl storagebench run --ebs gp3,iops=3000 --ebs gp3,iops=6000 --rw randwrite --repetitions 4

  # the I/O of etcd, and of a command line of fio
  kubectl storagebench run --class gp3 --preset etcd
  kubectl storagebench run --class gp3 -- --rw=randrw --rwmixread=70 --bs=8k --iodepth=32 --size=2G --runtime=60

  # the highest load at which 99 % of reads take at most 5 ms
  kubectl storagebench run --ebs gp3 --rw randread --search p99=5ms

  # what a file says, and delete the benchmark when its results are printed
  kubectl storagebench run -f benchmark.yaml --rm

  # what a schedule measures, now
  kubectl storagebench run --from-schedule nightly

  # without a cluster: directories of this machine
  kubectl storagebench run --local --target gp3=/mnt/gp3 --target efs=/mnt/efs -f benchmark.yaml

  # what the flags mean, as a file to start from
  kubectl storagebench run --class gp3 --rw read --bs 1m --dry-run`,
		Args: o.args,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	o.addFlags(cmd)
	return cmd
}

// addFlags adds the flags that name or describe a benchmark, and those about what happens to it.
func (o *runOptions) addFlags(cmd *cobra.Command) {
	(&genericclioptions.FileNameFlags{
		Usage: "files, directories or URLs with StorageBenchmarks and what else they need", Filenames: &o.files.Filenames, Kustomize: &o.files.Kustomize, Recursive: &o.files.Recursive,
	}).AddFlags(cmd.Flags())
	o.oneLine.addFlags(cmd.Flags())
	cmd.Flags().StringVar(&o.name, "name", "", "name of the StorageBenchmark that is made of flags (default: fio- and random characters)")
	cmd.Flags().StringVar(&o.schedule, "from-schedule", "", "name of the StorageBenchmarkSchedule whose template the StorageBenchmark is made from")
	cmd.Flags().BoolVar(&o.replace, "replace", false, "delete the StorageBenchmark of the same name first, its results included")
	o.addFollowFlags(cmd)
	o.local.addFlags(cmd)
	for _, flag := range []string{"filename", "kustomize"} {
		for _, other := range slices.Concat([]string{"fs-group", "node-selector", "preset", "expect", "search", "name", "dry-run", "clients", "repetitions"}, fioFlags, targetFlagNames) {
			cmd.MarkFlagsMutuallyExclusive(flag, other)
		}
	}
	for _, other := range append([]string{"filename", "kustomize", "rm", "preset", "expect", "search"}, targetFlagNames...) {
		cmd.MarkFlagsMutuallyExclusive("from-schedule", other)
	}
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("from-schedule", completeSchedules(o.flags)))
	completeTargets(cmd, o.flags)
}

// addFollowFlags adds the flags about what happens once a benchmark is made.
func (o *runOptions) addFollowFlags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.remove, "rm", false,
		"delete the StorageBenchmark after its end, its results included, if this command has created it")
	cmd.Flags().BoolVar(&o.wait, "wait", true, "follow the StorageBenchmark to its end")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "print the StorageBenchmark that the flags mean, and make nothing")
	addNoFailFlag(cmd, &o.noFail)
	o.output = addOutputFlag(cmd, reportFormats)
}

// args takes options of fio after --, and no other arguments.
func (o *runOptions) args(cmd *cobra.Command, args []string) error {
	if len(args) > 0 && cmd.ArgsLenAtDash() != 0 {
		return fmt.Errorf("%q is no flag: put a file behind -f, and options of fio behind --", args[0])
	}
	if len(args) > 0 && (len(o.files.Filenames) > 0 || o.schedule != "") {
		return errors.New("options of fio after -- describe a benchmark without a file: leave them out, or -f and --from-schedule")
	}
	o.oneLine.fio = namedJob(args)
	return nil
}

// namedJob returns options of fio with the name of the job that they describe, which is the type of its I/O if they
// name none.
func namedJob(args []string) []string {
	if len(args) == 0 || slices.ContainsFunc(args, isName) {
		return args
	}
	name := "fio"
	for _, arg := range args {
		for _, option := range []string{"--rw=", "--readwrite=", "-rw="} {
			if value, is := strings.CutPrefix(arg, option); is {
				name = value
			}
		}
	}
	return append([]string{"--name=" + name}, args...)
}

func (o *runOptions) run(cmd *cobra.Command) error {
	if _, err := formatNamed(reportFormats, *o.output); err != nil {
		return err
	}
	if err := o.local.begin(cmd, &o.oneLine.claims); err != nil {
		return err
	}
	if o.local.isUsed() {
		return o.runLocal(cmd)
	}
	if o.files.Kustomize != "" || len(o.files.Filenames) > 0 {
		return o.runFiles(cmd)
	}
	if o.schedule != "" {
		return o.runSchedule(cmd)
	}
	if err := o.oneLine.checkFlags(cmd.Flags()); err != nil {
		return err
	}
	benchmark, err := o.oneLine.benchmark()
	if err != nil {
		return err
	}
	if o.name != "" {
		benchmark.Name, benchmark.GenerateName = o.name, ""
	}
	if err := checkPlan(benchmark); err != nil {
		return err
	}
	if o.dryRun {
		return printManifest(cmd.OutOrStdout(), benchmark)
	}
	c, err := connect(o.flags)
	if err != nil {
		return err
	}
	return o.make(cmd, c, benchmark)
}

// make makes a benchmark, and follows it.
func (o *runOptions) make(cmd *cobra.Command, c *cluster, benchmark *v1alpha1.StorageBenchmark) error {
	benchmark.Namespace = c.namespace
	if err := c.checkStorage(cmd.Context(), cmd.ErrOrStderr(), benchmark); err != nil {
		return err
	}
	if o.replace {
		if err := removeEarlier(cmd, c, client.ObjectKeyFromObject(benchmark)); err != nil {
			return err
		}
	}
	if err := c.Create(cmd.Context(), benchmark); err != nil {
		return explainMissing(err)
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "storagebenchmark.storagebench.dev/%s created\n", benchmark.Name)
	return o.follow(cmd, c, []found{{ObjectKey: client.ObjectKeyFromObject(benchmark), uid: benchmark.UID, isNew: true}})
}

// checkPlan finds what is wrong with a benchmark before anything is made.
func checkPlan(benchmark *v1alpha1.StorageBenchmark) error {
	_, problems := plan.Runs(benchmark.Spec.DeepCopy().Default(), nil)
	return problems.ToAggregate()
}

// printManifest prints a benchmark as a file that can be applied. A file needs a name.
func printManifest(out io.Writer, benchmark *v1alpha1.StorageBenchmark) error {
	if benchmark.Name == "" {
		benchmark.Name = benchmark.GenerateName + "benchmark"
	}
	return fioimport.Write(out, benchmark)
}

// runFiles applies all that the files hold, and follows the benchmarks among it one after the other.
func (o *runOptions) runFiles(cmd *cobra.Command) error {
	c, err := connect(o.flags)
	if err != nil {
		return err
	}
	infos, err := o.read(cmd, c)
	if err != nil {
		return err
	}
	if err := o.checkNumber(len(slices.DeleteFunc(slices.Clone(infos), isNoBenchmark))); err != nil {
		return err
	}
	var benchmarks []found
	for _, info := range infos {
		if !isNoBenchmark(info) && o.replace {
			if err := removeEarlier(cmd, c, client.ObjectKey{Namespace: info.Namespace, Name: info.Name}); err != nil {
				return err
			}
		}
		isNew, err := apply(cmd.Context(), info)
		if err != nil {
			return explainMissing(err)
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "%s applied\n", nameOf(info))
		if err := refuseEnded(info.Object, info.Name); err != nil {
			return err
		}
		if !isNoBenchmark(info) {
			benchmarks = append(benchmarks, foundBy(info, isNew))
		}
	}
	return o.follow(cmd, c, benchmarks)
}

// removeEarlier deletes the benchmark of a name, if there is one, and waits until it is gone.
func removeEarlier(cmd *cobra.Command, c *cluster, key client.ObjectKey) error {
	var earlier v1alpha1.StorageBenchmark
	err := c.Get(cmd.Context(), key, &earlier)
	if key.Name == "" || apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return explainMissing(err)
	}
	return remove(cmd.Context(), c, found{ObjectKey: key, uid: earlier.UID, isNew: true}, cmd.ErrOrStderr())
}

// refuseEnded returns an error if an object is a benchmark that has ended before, and does not begin anew. Its results
// are no answer to this call: a pipeline that uses a name again would pass by its first results for ever.
func refuseEnded(object runtime.Object, name string) error {
	if !hadEnded(object) {
		return nil
	}
	return fmt.Errorf("%s has ended before, and nothing was measured now: run it with --replace to delete it with its results and measure anew, "+
		"or with \"kubectl storagebench rerun %s\" to measure the same under another name", name, name)
}

// hadEnded reports whether an object that was applied is a benchmark which had ended before that, and does not begin anew.
func hadEnded(applied runtime.Object) bool {
	object, ok := applied.(*unstructured.Unstructured)
	if !ok || object.GroupVersionKind() != benchmarkType.GroupVersionKind() {
		return false
	}
	var benchmark v1alpha1.StorageBenchmark
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &benchmark); err != nil {
		return false
	}
	return benchmark.Status.HasEnded() && !benchmark.IsCorrected()
}

// checkNumber refuses to print several documents of which a file can hold one.
func (o *runOptions) checkNumber(benchmarks int) error {
	switch {
	case benchmarks == 0:
		return errors.New("there is no StorageBenchmark among these objects")
	case benchmarks > 1 && o.wait && slices.Contains([]string{"junit", "html", "openmetrics"}, *o.output):
		return fmt.Errorf("-o %s is a document about one StorageBenchmark, and there are %d: run each by itself, or print each with report", *o.output, benchmarks)
	}
	return nil
}

// isNoBenchmark reports whether an object is no StorageBenchmark.
func isNoBenchmark(info *resource.Info) bool {
	return info.Mapping.GroupVersionKind.GroupKind() != benchmarkType.GroupVersionKind().GroupKind()
}

// found is a benchmark in the cluster.
type found struct {
	client.ObjectKey
	uid types.UID
	// isNew reports whether this call has created it.
	isNew bool
}

// foundBy returns the benchmark that was applied.
func foundBy(info *resource.Info, isNew bool) found {
	f := found{ObjectKey: client.ObjectKey{Namespace: info.Namespace, Name: info.Name}, isNew: isNew}
	if object, err := meta.Accessor(info.Object); err == nil {
		f.uid = object.GetUID()
	}
	return f
}

// read reads the files. Nothing is applied if one of them is wrong.
func (o *runOptions) read(cmd *cobra.Command, c *cluster) ([]*resource.Info, error) {
	infos, err := resource.NewBuilder(o.flags).Unstructured().ContinueOnError().
		NamespaceParam(c.namespace).DefaultNamespace().FilenameParam(false, &o.files).Flatten().Do().Infos()
	if err != nil {
		return nil, explainMissing(err)
	}
	var problems []error
	for _, info := range infos {
		if err := o.check(cmd, c, info, infos); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", info.Name, err))
		}
	}
	return infos, errors.Join(problems...)
}

// bringsNamespace reports whether a namespace is among objects, so that the API server may not know it yet.
func bringsNamespace(infos []*resource.Info) bool {
	return slices.ContainsFunc(infos, func(info *resource.Info) bool { return info.Mapping.GroupVersionKind.Kind == "Namespace" })
}

// check finds what is wrong with a benchmark among objects: by its fields, by its plan, by the storage that it names, and
// then by what the API server says of it, if that can be asked.
func (o *runOptions) check(cmd *cobra.Command, c *cluster, info *resource.Info, among []*resource.Info) error {
	object, ok := info.Object.(*unstructured.Unstructured)
	if !ok || object.GroupVersionKind() != benchmarkType.GroupVersionKind() {
		return nil
	}
	if wrong := misread(object.Object); len(wrong) > 0 {
		return wrong.ToAggregate()
	}
	var benchmark v1alpha1.StorageBenchmark
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &benchmark); err != nil {
		return err
	}
	if err := checkPlan(&benchmark); err != nil || bringsNamespace(among) {
		return err
	}
	benchmark.Namespace = info.Namespace
	var brought []string
	for _, other := range among {
		brought = append(brought, other.Name)
	}
	if err := c.checkStorage(cmd.Context(), cmd.ErrOrStderr(), &benchmark, brought...); err != nil {
		return err
	}
	if o.replace {
		fresh := object.DeepCopy()
		fresh.SetName("")
		fresh.SetGenerateName(info.Name + "-")
		fresh.SetNamespace(info.Namespace)
		return c.Create(cmd.Context(), fresh, client.DryRunAll, client.FieldValidation(metav1.FieldValidationStrict))
	}
	applied, _, err := patch(cmd.Context(), info, metav1.DryRunAll)
	if err != nil {
		return err
	}
	return refuseEnded(applied, info.Name)
}

// apply is "kubectl apply --server-side" of one object. It reports whether that has created the object.
func apply(ctx context.Context, info *resource.Info) (isNew bool, err error) {
	object, isNew, err := patch(ctx, info)
	if err != nil {
		return false, err
	}
	return isNew, info.Refresh(object, true)
}

// patch applies an object. Only the status code of the answer tells whether the object was there before: a look at the
// cluster could be outdated by the time of the patch.
func patch(ctx context.Context, info *resource.Info, dryRun ...string) (object runtime.Object, isNew bool, err error) {
	text, err := runtime.Encode(unstructured.UnstructuredJSONScheme, info.Object)
	if err != nil {
		return nil, false, err
	}
	options := &metav1.PatchOptions{
		FieldManager: fieldManager, FieldValidation: metav1.FieldValidationStrict, DryRun: dryRun,
	}
	var code int
	object, err = info.Client.Patch(types.ApplyPatchType).
		NamespaceIfScoped(info.Namespace, info.Namespaced()).Resource(info.Mapping.Resource.Resource).Name(info.Name).
		VersionedParams(options, metav1.ParameterCodec).Body(text).Do(ctx).StatusCode(&code).Get()
	return object, code == http.StatusCreated, err
}

// nameOf names an object as kubectl does, such as storagebenchmark.storagebench.dev/gp3-vs-efs.
func nameOf(info *resource.Info) string {
	kind := info.Mapping.GroupVersionKind
	return strings.TrimSuffix(strings.ToLower(kind.Kind)+"."+kind.Group, ".") + "/" + info.Name
}

// follow follows the benchmarks to their ends, unless --wait=false, and deletes them if --rm says so. The first error
// does not keep it from the others.
func (o *runOptions) follow(cmd *cobra.Command, c *cluster, benchmarks []found) error {
	if !o.wait {
		return nil
	}
	var errs []error
	for _, one := range benchmarks {
		benchmark, err := follow(cmd, c, one.ObjectKey, *o.output)
		if benchmark != nil && !o.noFail { // a miss is known also where other runs failed
			err = errors.Join(err, heldTo(benchmark))
		}
		errs = append(errs, err)
		if errors.Is(err, errLeft) {
			break
		}
		if o.remove {
			errs = append(errs, remove(cmd.Context(), c, one, cmd.ErrOrStderr()))
		}
	}
	return errors.Join(errs...)
}

// remove deletes a benchmark that this call has created, and waits until the operator has removed all that was made for
// it. It deletes no other one, not even one of the same name.
func remove(ctx context.Context, c *cluster, one found, notes io.Writer) error {
	if !one.isNew {
		fmt.Fprintf(notes, "%s was there before, so --rm does not delete it\n", one.Name)
		return nil
	}
	benchmark := &v1alpha1.StorageBenchmark{ObjectMeta: metav1.ObjectMeta{Namespace: one.Namespace, Name: one.Name}}
	err := c.Delete(ctx, benchmark, client.Preconditions{UID: &one.uid})
	switch {
	case apierrors.IsConflict(err):
		fmt.Fprintf(notes, "%s is another StorageBenchmark by now, so --rm does not delete it\n", one.Name)
		return nil
	case client.IgnoreNotFound(err) != nil:
		return fmt.Errorf("delete %s: %w", one.Name, err)
	}
	if err := untilGone(ctx, c, one); err != nil {
		return fmt.Errorf("wait until %s is gone: %w", one.Name, err)
	}
	fmt.Fprintf(notes, "storagebenchmark.storagebench.dev/%s deleted\n", one.Name)
	return nil
}

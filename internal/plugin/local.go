package plugin

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/aws"
	"github.com/storagebench/storagebench/internal/fioimport"
)

// aboutLocal is what commands that measure say of machines without a cluster.
const aboutLocal = `With --local, the fio of this machine measures in directories, without a cluster and without root. Each --target names
one: NAME=DIRECTORY. What is mounted there may follow: volume=, efs=, s3 or limits=, with the values of the flags of
explain-result. EC2 instances tell part of it themselves. Results go into a file. After Ctrl-C it has those of the runs
that had ended.`

// needCluster are flags of run and check that mean nothing without a cluster.
var needCluster = []string{
	"class", "claim", "capacity", "ebs", "efs", "s3", "fs-group", "node-selector", "from-schedule", "kustomize",
	"recursive", "rm", "wait", "replace",
}

// localOptions are the flags of commands that measure on this machine.
type localOptions struct {
	on       bool
	texts    []string
	instance string
	output   string

	// directories are those of the targets by their names, names has these in the order of the flags, and described the
	// targets of which the flags say what is mounted.
	directories map[string]string
	names       []string
	described   map[string]v1alpha1.Target
}

func (o *localOptions) addFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&o.on, "local", false, "measure in directories of this machine, without a cluster")
	flags.StringArrayVar(&o.texts, "target", nil, "with --local: a target and its directory, and what is mounted there: "+
		"gp3=/mnt/gp3, or gp3=/mnt/gp3,volume=gp3,iops=3000,throughput=125")
	flags.StringVar(&o.output, "output-file", "", "with --local: the file for the StorageBenchmark with its results, "+
		"which must not exist (default: NAME and the time)")
	if flags.Lookup("instance") == nil { // else it describes results of files, too
		flags.String("instance", "",
			"with --local: the type of the EC2 instance, such as m6i.large, if the system does not tell")
	}
}

// isUsed reports whether this machine is measured.
func (o *localOptions) isUsed() bool { return o.on }

// begin reads the flags. It hands over the names of the targets, as claims: directories are storage that exists.
func (o *localOptions) begin(cmd *cobra.Command, claims *[]string) error {
	if !o.on {
		if len(o.texts) > 0 || o.output != "" {
			return errors.New("--target and --output-file are about directories of this machine: add --local")
		}
		return nil
	}
	for _, name := range needCluster {
		if isSet(cmd, name) {
			return fmt.Errorf("--%s needs a cluster: leave it out, or leave out --local; "+
				"with --local, --target names directories", name)
		}
	}
	if o.output == "-" {
		return errors.New("--output-file -: results go into a file: name one; -o yaml prints them")
	}
	o.instance, _ = cmd.Flags().GetString("instance") // which addFlags has seen to
	if _, known := aws.LookupInstance(o.instance); o.instance != "" && !known {
		return fmt.Errorf("--instance %q: there is no such type of EC2 instance in this version's table; leave the flag out",
			o.instance)
	}
	if len(o.texts) == 0 {
		return errors.New("--local measures in directories: " +
			"name them with --target NAME=DIRECTORY, such as --target gp3=/mnt/gp3")
	}
	if err := o.parse(); err != nil {
		return err
	}
	*claims = o.names
	return nil
}

// isSet reports whether a flag was given.
func isSet(cmd *cobra.Command, name string) bool {
	return cmd.Flags().Lookup(name) != nil && cmd.Flags().Changed(name)
}

// parse reads the targets.
func (o *localOptions) parse() error {
	o.directories, o.described = map[string]string{}, map[string]v1alpha1.Target{}
	for _, text := range o.texts {
		name, rest, _ := strings.Cut(text, "=")
		directory, about, isDescribed := strings.Cut(rest, ",")
		switch _, twice := o.directories[name]; {
		case name == "" || directory == "":
			return fmt.Errorf("--target %s: write a name and a directory, such as gp3=/mnt/gp3", text)
		case fioimport.Label(name) != name:
			return fmt.Errorf("--target %s: a name has small letters, digits and hyphens: %s", text, fioimport.Label(name))
		case twice:
			return fmt.Errorf("--target %s: there are two targets of this name: give each its own", text)
		}
		o.directories[name], o.names = directory, append(o.names, name)
		if !isDescribed {
			continue
		}
		target, err := o.describedBy(about)
		if err != nil {
			return fmt.Errorf("--target %s: %w", text, err)
		}
		o.described[name] = target
	}
	return nil
}

// describedBy returns the storage that a text describes as the flags about output of fio do.
func (o *localOptions) describedBy(text string) (v1alpha1.Target, error) {
	flags := storageOptions{instance: o.instance}
	kind, value, _ := strings.Cut(text, "=")
	switch kind {
	case "volume":
		flags.volume = value
	case "efs":
		flags.efs = value
	case "limits":
		flags.limits = value
	case "s3":
		flags.s3 = true
	default:
		return v1alpha1.Target{}, fmt.Errorf("%q describes no storage: "+
			"after the directory write volume=, efs=, s3 or limits=", text)
	}
	on, err := flags.described()
	return on.Target, err
}

// describe puts what the flags tell of the storage into the targets of a spec that flags made, or a file.
func (o *localOptions) describe(spec *v1alpha1.StorageBenchmarkSpec) {
	for i := range spec.Targets {
		target := &spec.Targets[i]
		if target.ClaimName != nil && slices.Contains(o.names, *target.ClaimName) {
			target.ClaimName = nil // it stood for the directory
		}
		about, isDescribed := o.described[target.Name]
		if !isDescribed {
			continue
		}
		if about.EBS != nil || about.EFS != nil || about.S3 != nil {
			target.StorageClassName, target.ClaimName = nil, nil
			target.EBS, target.EFS, target.S3, target.Capacity = about.EBS, about.EFS, about.S3, about.Capacity
		}
		if about.Limits != nil {
			target.Limits = about.Limits
		}
	}
}

// outputFile returns the path of the file for the results of a benchmark.
func (o *localOptions) outputFile(name string, now time.Time) string {
	if o.output != "" {
		return o.output
	}
	return name + "-" + now.Format("20060102-150405") + ".yaml"
}

// runLocal measures on this machine what a file or flags describe, and prints the results.
func (o *runOptions) runLocal(cmd *cobra.Command) error {
	benchmark, err := o.localBenchmark(cmd)
	if err != nil {
		return err
	}
	if benchmark.Name != "" {
		if err := named("name", benchmark.Name, validation.IsDNS1123Subdomain(benchmark.Name)); err != nil {
			return err
		}
	}
	o.local.describe(&benchmark.Spec)
	if o.dryRun {
		return printManifest(cmd.OutOrStdout(), benchmark)
	}
	chosen, err := formatNamed(reportFormats, *o.output)
	if err != nil {
		return err
	}
	source, ended, err := o.local.measure(cmd, benchmark)
	if ended == nil {
		return err
	}
	err = errors.Join(chosen.print(cmd.OutOrStdout(), source.reported(cmd, ended), styleOf(cmd)), err)
	if !o.noFail {
		err = errors.Join(err, heldTo(ended))
	}
	return err
}

// localBenchmark returns the benchmark that a file or the flags describe.
func (o *runOptions) localBenchmark(cmd *cobra.Command) (*v1alpha1.StorageBenchmark, error) {
	switch len(o.files.Filenames) {
	case 0:
		if err := o.oneLine.checkFlags(cmd.Flags()); err != nil {
			return nil, err
		}
		benchmark, err := o.oneLine.benchmark()
		if err == nil && o.name != "" {
			benchmark.Name, benchmark.GenerateName = o.name, ""
		}
		return benchmark, err
	case 1:
	default:
		return nil, errors.New("--filename: --local measures the StorageBenchmark of one file: name one")
	}
	path := o.files.Filenames[0]
	content, err := readFile(cmd, path)
	if err != nil {
		return nil, err
	}
	benchmarks, bad, err := readBenchmarks(strings.NewReader(string(content)), cmd.ErrOrStderr())
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if len(benchmarks) != 1 || bad > 0 {
		return nil, fmt.Errorf("%s has %d StorageBenchmarks, and --local measures one: give a file with one",
			path, len(benchmarks)+bad)
	}
	return benchmarks[0], nil
}

// checkLocal measures on this machine, and prints whether its storage is good enough.
func (o *checkOptions) checkLocal(cmd *cobra.Command, benchmark *v1alpha1.StorageBenchmark) error {
	_, ended, err := o.local.measure(cmd, benchmark)
	if ended == nil {
		return err
	}
	err = errors.Join(err, o.print(cmd, ended))
	if errors.Is(err, errLeft) {
		return err
	}
	return errors.Join(err, o.goodEnough(ended))
}

// saved reads the results that were written into a file, as every command reads them.
func (o *localOptions) saved(cmd *cobra.Command, path string) (*source, *v1alpha1.StorageBenchmark, error) {
	content, err := readFile(cmd, path)
	if err != nil {
		return nil, nil, err
	}
	file, err := readResources(path, content)
	if err != nil {
		return nil, nil, err
	}
	name, err := file.only()
	if err != nil {
		return nil, nil, err
	}
	from := file.source(name)
	benchmark, err := from.benchmark(cmd.Context(), name)
	return from, benchmark, err
}

package plugin

import (
	"context"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// source is where benchmarks, schedules and what was kept of them are read from: a namespace of a cluster, or files.
type source struct {
	from      client.Reader
	namespace string
	// inflatable is how many bytes may still be unzipped.
	inflatable int64
}

// benchmark reads a StorageBenchmark.
func (s *source) benchmark(ctx context.Context, name string) (*v1alpha1.StorageBenchmark, error) {
	benchmark := &v1alpha1.StorageBenchmark{}
	return benchmark, explainMissing(s.from.Get(ctx, client.ObjectKey{Namespace: s.namespace, Name: name}, benchmark))
}

// sourceOptions are the flags of commands that read results, from a cluster or from files.
type sourceOptions struct {
	flags *genericclioptions.ConfigFlags
	// path is a file with what the arguments name, - for standard input, "" if they name what is in the cluster, or are paths
	// themselves.
	path    string
	storage storageOptions
}

// addSourceFlags adds the flags to a command.
func addSourceFlags(cmd *cobra.Command, flags *genericclioptions.ConfigFlags) *sourceOptions {
	o := &sourceOptions{flags: flags}
	cmd.Flags().StringVarP(&o.path, "filename", "f", "", "a file with the results, in place of a cluster, or - for standard input")
	o.storage.addFlags(cmd)
	return o
}

// open returns where to read from, and the name of what the first argument names. Flags about storage are refused where they
// describe nothing.
func (o *sourceOptions) open(cmd *cobra.Command, args []string) (from *source, name string, err error) {
	if from, name, err = o.find(cmd, args); err == nil {
		err = o.storage.checkUsed()
	}
	return from, name, err
}

// find is open without a look at the flags. Without an argument, the name is that of the only one of the file.
func (o *sourceOptions) find(cmd *cobra.Command, args []string) (from *source, name string, err error) {
	switch {
	case o.path != "":
		saved, err := o.storage.read(cmd, o.path)
		if err != nil {
			return nil, "", err
		}
		if len(args) > 0 {
			return saved.source(args[0]), args[0], nil
		}
		name, err := saved.only()
		return saved.source(name), name, err
	case isPath(args[0]):
		saved, err := o.storage.read(cmd, args[0])
		if err != nil {
			return nil, "", err
		}
		name, err := saved.only()
		return saved.source(name), name, err
	}
	c, err := connect(o.flags)
	if err != nil {
		return nil, "", err
	}
	return &c.source, args[0], nil
}

// aboutFiles is what commands that read results say of files.
const aboutFiles = `In place of a name, FILE is the path of a file: StorageBenchmarks and schedules as kubectl get -o yaml or -o json saved them,
what report -o json printed, or what fio printed anywhere, as JSON or as text. A path ends with .yaml, .json, .txt or
the like, or begins with ./, ../ or /; - is standard input. With --filename, the arguments name what is in that file. The output of fio does not say what it
measured: --volume, --efs, --s3, --limits and --instance do. No cluster is needed.`

// nameOrFile checks the arguments of a command: names, or a flag --filename in the place of the first.
func (o *sourceOptions) nameOrFile(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if o.path != "" {
			return cobra.MaximumNArgs(most)(cmd, args)
		}
		return cobra.RangeArgs(least, most)(cmd, args)
	}
}

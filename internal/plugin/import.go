package plugin

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/fioimport"
)

// importOptions are the flags of import.
type importOptions struct {
	path, name string
	group      bool
	// storage has the flags that name it.
	storage targetFlags
}

func newImportCommand(flags *genericclioptions.ConfigFlags) *cobra.Command {
	o := &importOptions{}
	cmd := &cobra.Command{
		Use:   "import {--class CLASS | --claim CLAIM} {-f FILE [-- OPTION...] | -- fio OPTION...}",
		Short: "Print the StorageBenchmark of a fio command line or job file",
		Long: `Print the StorageBenchmark that does the I/O of a fio command line or job file, without a cluster.

One job becomes parameters; several stay together as a job file, because fio runs them together. Directories and devices are
left out, because the volume of each target takes their place, and so is what is about fio's own output. What is changed or
left out is told on standard error. What the operator would refuse, such as options that run commands, is an error.

Included files and environment variables (${NAME}) are put in, as fio does. A percentage for the size of files is of what files have
room for on the new volumes: eight ninths of --capacity.`,
		Example: `  kubectl storagebench import --class gp3 -- fio --name=randwrite --rw=randwrite --bs=16k --size=1G --runtime=60 --time_based
  kubectl storagebench import --class gp3,gp2 --capacity 30Gi -f job.fio | kubectl apply -f -
  kubectl storagebench import --claim data -f - <job.fio
  kubectl storagebench import --class gp3 --group -f job.fio -- --size=10G --runtime=60   # as of: fio --size=10G --runtime=60 job.fio`,
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args) },
	}
	own := cmd.Flags()
	own.StringVarP(&o.path, "filename", "f", "", "the job file, or - for standard input")
	own.BoolVar(&o.group, "group", false, "have the jobs that run at the same time give one result (group_reporting)")
	own.StringVar(&o.name, "name", "", "name of the StorageBenchmark; by default that of the first job")
	o.storage.addFlags(own)
	completeTargets(cmd, flags)
	return cmd
}

// run prints the benchmark if nothing is wrong with it, and on standard error what is to be known of it.
func (o *importOptions) run(cmd *cobra.Command, args []string) error {
	targets, err := o.storage.targets()
	if err != nil {
		return err
	}
	if err := o.validate(cmd, args); err != nil {
		return err
	}
	text, err := o.text(cmd.InOrStdin())
	if err != nil {
		return err
	}
	imported, err := o.read(args, text, targets)
	if err != nil {
		return told(cmd, err, "cannot be imported")
	}
	benchmark, err := imported.Benchmark(o.name, targets)
	for _, note := range imported.Notes {
		cmd.PrintErrln("note:", note)
	}
	if err != nil {
		return told(cmd, err, "cannot be measured like this")
	}
	return fioimport.Write(cmd.OutOrStdout(), benchmark)
}

// told prints problems, each in a line, and returns an error that counts them.
func told(cmd *cobra.Command, problems error, what string) error {
	lines := strings.Split(problems.Error(), "\n")
	for _, line := range lines {
		cmd.PrintErrln(line)
	}
	if len(lines) == 1 {
		return fmt.Errorf("the job %s, for the reason above", what)
	}
	return fmt.Errorf("the job %s, for the %d reasons above", what, len(lines))
}

// validate refuses flags and arguments that do not go together.
func (o *importOptions) validate(cmd *cobra.Command, args []string) error {
	switch {
	case o.path == "" && len(args) == 0:
		return errors.New("give a job file with -f, or a fio command line behind --, such as: -- fio --name=a --rw=read --size=1G")
	case o.path != "" && slices.ContainsFunc(args, isName):
		return errors.New("give either a job file with -f or a fio command line behind --")
	case len(args) > 0 && cmd.ArgsLenAtDash() != 0:
		return fmt.Errorf("%q stands before --: put the whole fio command line behind it, such as: -- fio --name=a --rw=read --size=1G", args[0])
	case o.name == "":
		return nil
	}
	return named("name", o.name, validation.IsDNS1123Label(o.name))
}

// isName says whether an argument of fio begins a job.
func isName(arg string) bool {
	name, _, _ := strings.Cut(arg, "=")
	return name == "-name" || name == "--name"
}

// text reads the job file; "" if there is none.
func (o *importOptions) text(in io.Reader) (string, error) {
	var text []byte
	var err error
	switch o.path {
	case "":
	case "-":
		text, err = io.ReadAll(in)
	default:
		text, err = os.ReadFile(o.path)
	}
	return string(text), err
}

// read imports the text of a job file with the arguments that hold for all of it, or if there is none the arguments by themselves.
func (o *importOptions) read(args []string, text string, targets []v1alpha1.Target) (*fioimport.Import, error) {
	known := fioimport.Options{Variable: os.LookupEnv, Include: o.include, Targets: targets, Group: o.group}
	if o.path == "" {
		return known.CommandLine(args)
	}
	return known.JobFile(text, args...)
}

// include reads a file that the job file includes. Like fio it looks in the working directory first, then beside the job file.
func (o *importOptions) include(name string) (string, error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) && !filepath.IsAbs(name) {
		text, err = os.ReadFile(filepath.Join(filepath.Dir(o.path), name))
	}
	return string(text), err
}

// checkObjects refuses what cannot be names of StorageClasses or claims.
func checkObjects(flag string, names []string) error {
	var errs []error
	for _, name := range names {
		errs = append(errs, named(flag, name, validation.IsDNS1123Subdomain(name)))
	}
	return errors.Join(errs...)
}

// named returns an error about a flag whose value is no name, for the first of the reasons.
func named(flag, value string, reasons []string) error {
	if len(reasons) == 0 {
		return nil
	}
	return fmt.Errorf("--%s %q: %s", flag, value, reasons[0])
}

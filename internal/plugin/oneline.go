package plugin

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/expectation"
	"github.com/storagebench/storagebench/internal/fioimport"
)

// oneLine is a benchmark that flags describe. The flags have fio's names; several values of one flag are measured each.
type oneLine struct {
	targetFlags

	rw, bs, iodepth, numjobs, clients []string

	ioengine, size, runtime string
	direct                  bool
	repetitions             int32
	options                 map[string]string

	presets, expectations []string
	search                string
	// fio is a command line of fio, in the place of the flags with its names.
	fio []string
}

// fioFlags are the flags with fio's names, in whose place a preset or a command line of fio can be given.
var fioFlags = []string{"rw", "bs", "iodepth", "numjobs", "ioengine", "size", "runtime", "direct", "option"}

// addFlags adds the flags that describe a benchmark.
func (o *oneLine) addFlags(flags *pflag.FlagSet) {
	o.targetFlags.addFlags(flags)
	o.addPodFlags(flags)
	flags.StringSliceVar(&o.rw, "rw", []string{"randread", "randwrite"}, "types of I/O: read, write, randread, randwrite, rw, randrw, ...")
	flags.StringSliceVar(&o.bs, "bs", []string{"4k"}, "block sizes")
	flags.StringSliceVar(&o.iodepth, "iodepth", []string{"16"}, "I/Os that each job keeps in flight")
	flags.StringSliceVar(&o.numjobs, "numjobs", []string{"1"}, "jobs that run at the same time in a pod, each with files of its own")
	flags.StringSliceVar(&o.clients, "clients", []string{"1"}, "pods that measure together, each on a node of its own")
	flags.StringVar(&o.ioengine, "ioengine", "libaio", "how fio issues I/O")
	flags.StringVar(&o.size, "size", "1G", "bytes of each job's files")
	flags.StringVar(&o.runtime, "runtime", "30s", "how long each run measures, as fio has it: 30s, 2m; 0: until size is done")
	flags.BoolVar(&o.direct, "direct", true, "bypass the page cache")
	flags.StringToStringVar(&o.options, "option", nil, "other options of fio, under its own names, such as rwmixread=70,fsync=1")
	flags.StringSliceVar(&o.presets, "preset", nil, "presets to measure in place of --rw and the like, such as etcd (kubectl storagebench presets)")
	flags.StringArrayVar(&o.expectations, "expect", nil, "a result that is good enough, such as sync.p99=10ms or write.iops=2700; a miss is exit code 2")
	flags.StringVar(&o.search, "search", "", "find the highest load within a latency, such as p99=5ms or p99=5ms,vary=iodepth,max=256")
	flags.Int32Var(&o.repetitions, "repetitions", 1, "how often all is measured; from 4 on there are verdicts, from 6 on confidence intervals")
}

// checkFlags returns an error if flags describe the I/O in two ways.
func (o *oneLine) checkFlags(flags *pflag.FlagSet) error {
	var other string
	switch {
	case len(o.fio) > 0 && len(o.presets) > 0:
		return errors.New("--preset and a command line of fio after -- both describe the I/O: leave one of them out")
	case len(o.fio) > 0:
		other = "the command line of fio after --"
	case len(o.presets) > 0:
		other = "--preset"
	default:
		return nil
	}
	for _, name := range fioFlags {
		if flags.Changed(name) {
			return fmt.Errorf("--%s and %s both describe the I/O: leave one of them out", name, other)
		}
	}
	return nil
}

// benchmark makes the benchmark. Errors name the flag, its value and the remedy. What the plan finds is not checked here.
func (o *oneLine) benchmark() (*v1alpha1.StorageBenchmark, error) {
	var spec v1alpha1.StorageBenchmarkSpec
	if err := o.apply(&spec); errors.Is(err, errNothingNamed) {
		return nil, fmt.Errorf("%w, or a file with -f", err)
	} else if clientsErr := o.setClients(&spec); err != nil || clientsErr != nil {
		return nil, errors.Join(err, clientsErr)
	}
	if err := errors.Join(o.setWorkloads(&spec), o.setExpectations(&spec)); err != nil {
		return nil, err
	}
	if err := o.setSearch(&spec); err != nil {
		return nil, err
	}
	if o.repetitions != 1 {
		spec.Repetitions = &o.repetitions
	}
	return &v1alpha1.StorageBenchmark{TypeMeta: benchmarkType, ObjectMeta: metav1.ObjectMeta{GenerateName: "fio-"}, Spec: spec}, nil
}

// setWorkloads sets the workloads by a command line of fio, presets, or the flags with fio's names.
func (o *oneLine) setWorkloads(spec *v1alpha1.StorageBenchmarkSpec) error {
	switch {
	case len(o.fio) > 0:
		imported, err := fioimport.Options{Targets: spec.Targets}.CommandLine(o.fio)
		if err != nil {
			return err
		}
		spec.Workloads = []v1alpha1.Workload{imported.Workload}
	case len(o.presets) > 0:
		presets, err := presetsNamed(o.presets)
		if err != nil {
			return err
		}
		for i := range presets {
			spec.Workloads = append(spec.Workloads, v1alpha1.Workload{Name: presets[i].Name, Preset: new(presets[i].ID())})
		}
	default:
		workloads, err := o.workloads(spec.Targets)
		if err != nil {
			return err
		}
		spec.Workloads = workloads
	}
	return o.setWorkloadClients(spec)
}

// setExpectations sets what the results are held to.
func (o *oneLine) setExpectations(spec *v1alpha1.StorageBenchmarkSpec) error {
	for _, text := range o.expectations {
		one, err := expectation.Parse(text)
		if err != nil {
			return fmt.Errorf("--expect %w", err)
		}
		spec.Expectations = append(spec.Expectations, one)
	}
	return nil
}

// workloads returns a workload for each type of I/O, with a matrix of what else has several values. The targets have the
// volumes that a size in percent is a share of.
func (o *oneLine) workloads(targets []v1alpha1.Target) ([]v1alpha1.Workload, error) {
	matrix := map[string]v1alpha1.MatrixValues{}
	for option, values := range map[string][]string{"bs": o.bs, "iodepth": o.iodepth, "numjobs": o.numjobs} {
		for _, value := range values {
			if len(values) > 1 {
				matrix[option] = append(matrix[option], intstr.Parse(value))
			}
		}
	}
	var workloads []v1alpha1.Workload
	for _, rw := range o.rw {
		imported, err := fioimport.Options{Targets: targets}.CommandLine(o.commandLine(rw))
		if err != nil {
			return nil, err // the others have the same options
		}
		imported.Workload.Matrix = matrix
		workloads = append(workloads, imported.Workload)
	}
	return workloads, nil
}

// commandLine returns the arguments with which fio would do the same, with the first of several values.
func (o *oneLine) commandLine(rw string) []string {
	args := []string{"--name=" + rw, "--rw=" + rw}
	add := func(option, value string) {
		if value != "" {
			args = append(args, "--"+option+"="+value)
		}
	}
	for option, values := range map[string][]string{"bs": o.bs, "iodepth": o.iodepth, "numjobs": o.numjobs} {
		add(option, strings.Join(values[:min(len(values), 1)], ""))
	}
	add("ioengine", o.ioengine)
	add("size", o.size)
	if o.direct {
		add("direct", "1")
	}
	if o.runtime != "0" {
		add("runtime", o.runtime)
		add("time_based", "1")
	}
	for option, value := range o.options {
		add(option, value)
	}
	return args
}

// setClients sets how many clients measure together, where it is one number.
func (o *oneLine) setClients(spec *v1alpha1.StorageBenchmarkSpec) error {
	clients, err := o.numbersOfClients()
	if err == nil && len(clients) == 1 && clients[0] > 1 {
		spec.Clients = &clients[0]
	}
	return err
}

// setWorkloadClients has each workload measured with several numbers of clients.
func (o *oneLine) setWorkloadClients(spec *v1alpha1.StorageBenchmarkSpec) error {
	clients, err := o.numbersOfClients()
	if err != nil || len(clients) < 2 {
		return err
	}
	for i := range spec.Workloads {
		spec.Workloads[i].Clients = clients
	}
	return nil
}

// numbersOfClients reads the numbers of clients, each of which is measured.
func (o *oneLine) numbersOfClients() ([]int32, error) {
	var clients []int32
	for _, value := range o.clients {
		number, err := strconv.ParseInt(value, 10, 32)
		if err != nil || number < 1 {
			return nil, fmt.Errorf("--clients %s: give whole numbers from 1 on, such as 1,4", value)
		}
		clients = append(clients, int32(number))
	}
	return clients, nil
}

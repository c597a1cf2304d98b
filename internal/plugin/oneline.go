package plugin

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/fioimport"
)

// oneLine is a benchmark as flags say it. Flags have fio's names; several values of one are measured each.
type oneLine struct {
	classes, claims, capacities []string

	rw, bs, iodepth, numjobs, clients []string

	ioengine, size, runtime string
	direct                  bool
	repetitions             int32
	options                 map[string]string
	// fsGroup is the group that may write to the volumes, 0 for the one that the operator chooses.
	fsGroup int64
}

// addFlags adds the flags that say a benchmark.
func (o *oneLine) addFlags(flags *pflag.FlagSet) {
	flags.StringSliceVar(&o.classes, "class", nil, "StorageClasses to measure, on a new volume each; the first is what the others are compared with")
	flags.StringSliceVar(&o.claims, "claim", nil, "PersistentVolumeClaims of the namespace to measure")
	flags.StringSliceVar(&o.capacities, "capacity", nil, "size of the new volumes: one for all, or one for each --class (default 10Gi)")
	o.addGroupFlag(flags)
	flags.StringSliceVar(&o.rw, "rw", []string{"randread", "randwrite"}, "types of I/O: read, write, randread, randwrite, rw, randrw, ...")
	flags.StringSliceVar(&o.bs, "bs", []string{"4k"}, "block sizes")
	flags.StringSliceVar(&o.iodepth, "iodepth", []string{"16"}, "I/Os that each job keeps in flight")
	flags.StringSliceVar(&o.numjobs, "numjobs", []string{"1"}, "jobs that run at the same time in a pod, each with files of its own")
	flags.StringSliceVar(&o.clients, "clients", []string{"1"}, "pods that measure together, each on a node of its own")
	flags.StringVar(&o.ioengine, "ioengine", "libaio", "how fio issues I/O")
	flags.StringVar(&o.size, "size", "1G", "bytes of each job's files")
	flags.StringVar(&o.runtime, "runtime", "30s", "how long each run measures, as fio has it: 30s, 2m; 0: until size is done")
	flags.BoolVar(&o.direct, "direct", true, "bypass the page cache")
	flags.Int32Var(&o.repetitions, "repetitions", 1, "how often all is measured; from 4 on there are verdicts, from 6 on confidence intervals")
	flags.StringToStringVar(&o.options, "option", nil, "other options of fio, under its own names, such as rwmixread=70,fsync=1")
}

// addGroupFlag adds the flag by which pods may write to a claim whose volume only root may write to.
func (o *oneLine) addGroupFlag(flags *pflag.FlagSet) {
	flags.Int64Var(&o.fsGroup, "fs-group", 0, "group that is let write to the volumes, for a claim that nobody has written to, such as 65532; "+
		"many drivers give every file on the volume to it for good")
}

// pod returns the settings of pods, nil for the operator's own.
func (o *oneLine) pod() *v1alpha1.PodSettings {
	if o.fsGroup == 0 {
		return nil
	}
	return &v1alpha1.PodSettings{SecurityContext: &corev1.PodSecurityContext{FSGroup: &o.fsGroup}}
}

// benchmark makes the benchmark. Errors name the flag, its value and the remedy; what the plan finds is not looked at.
func (o *oneLine) benchmark() (*v1alpha1.StorageBenchmark, error) {
	if len(o.classes)+len(o.claims) == 0 {
		return nil, errors.New("there is nothing to measure: name StorageClasses with --class (kubectl get storageclasses), claims with --claim, or a file with -f")
	}
	targets, targetsErr := o.targets()
	clients, clientsErr := o.numbersOfClients()
	spec := v1alpha1.StorageBenchmarkSpec{Targets: targets}
	if len(clients) == 1 {
		if clients[0] > 1 {
			spec.Clients = &clients[0]
		}
		clients = nil
	}
	workloads, workloadsErr := o.workloads(targets, clients)
	if err := errors.Join(targetsErr, workloadsErr, clientsErr); err != nil {
		return nil, err
	}
	spec.Workloads, spec.Pod = workloads, o.pod()
	if o.repetitions != 1 {
		spec.Repetitions = &o.repetitions
	}
	return &v1alpha1.StorageBenchmark{TypeMeta: benchmarkType, ObjectMeta: metav1.ObjectMeta{GenerateName: "fio-"}, Spec: spec}, nil
}

// targets returns a target for each StorageClass and each claim, named as it as far as the name of a target can be.
func (o *oneLine) targets() ([]v1alpha1.Target, error) {
	if len(o.capacities) > 0 && len(o.classes) == 0 {
		return nil, errors.New("--capacity is of new volumes: add --class, or remove it; a claim has its own")
	}
	if err := errors.Join(checkObjects("class", o.classes), checkObjects("claim", o.claims)); err != nil {
		return nil, err
	}
	if n := len(o.capacities); n > 1 && n != len(o.classes) {
		return nil, fmt.Errorf("--capacity has %d values, and --class has %d: give one for all, or as many", n, len(o.classes))
	}
	var targets []v1alpha1.Target
	for i, class := range o.classes {
		target := v1alpha1.Target{Name: fioimport.Label(class), StorageClassName: &o.classes[i]}
		if len(o.capacities) > 0 {
			capacity, err := resource.ParseQuantity(o.capacities[min(i, len(o.capacities)-1)])
			if err != nil {
				return nil, fmt.Errorf("--capacity %s: give a quantity of bytes, such as 30Gi", o.capacities[min(i, len(o.capacities)-1)])
			}
			target.Capacity = &capacity
		}
		targets = append(targets, target)
	}
	for i, claim := range o.claims {
		targets = append(targets, v1alpha1.Target{Name: fioimport.Label(claim), ClaimName: &o.claims[i]})
	}
	return targets, nil
}

// workloads returns a workload for each type of I/O, with a matrix of what else has several values. A size that is a share of the
// volume is of the targets.
func (o *oneLine) workloads(targets []v1alpha1.Target, clients []int32) ([]v1alpha1.Workload, error) {
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
		imported.Workload.Matrix, imported.Workload.Clients = matrix, clients
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

package main

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// oneLine is a benchmark as flags say it. Flags have fio's names; several values of one are measured each.
type oneLine struct {
	classes, claims, capacities []string

	rw, bs, iodepth, numjobs, clients []string

	ioengine, size, runtime string
	direct                  bool
	repetitions             int32
	options                 map[string]string
}

// addFlags adds the flags that say a benchmark.
func (o *oneLine) addFlags(flags *pflag.FlagSet) {
	flags.StringSliceVar(&o.classes, "class", nil, "StorageClasses to measure, on a new volume each; the first is what the others are compared with")
	flags.StringSliceVar(&o.claims, "claim", nil, "PersistentVolumeClaims of the namespace to measure")
	flags.StringSliceVar(&o.capacities, "capacity", nil, "size of the new volumes: one for all, or one for each --class (default 10Gi)")
	flags.StringSliceVar(&o.rw, "rw", []string{"randread", "randwrite"}, "types of I/O: read, write, randread, randwrite, rw, randrw, ...")
	flags.StringSliceVar(&o.bs, "bs", []string{"4k"}, "block sizes")
	flags.StringSliceVar(&o.iodepth, "iodepth", []string{"16"}, "I/Os that each job keeps in flight")
	flags.StringSliceVar(&o.numjobs, "numjobs", []string{"1"}, "jobs that run at the same time in a pod, each with files of its own")
	flags.StringSliceVar(&o.clients, "clients", []string{"1"}, "pods that measure together, each on a node of its own")
	flags.StringVar(&o.ioengine, "ioengine", "libaio", "how fio issues I/O")
	flags.StringVar(&o.size, "size", "1G", "bytes of each job's files")
	flags.StringVar(&o.runtime, "runtime", "30s", "how long each run measures, such as 30s or 2m; 0: until size is done")
	flags.BoolVar(&o.direct, "direct", true, "bypass the page cache")
	flags.Int32Var(&o.repetitions, "repetitions", 1, "how often all is measured; from 4 on there are verdicts, from 6 on confidence intervals")
	flags.StringToStringVar(&o.options, "option", nil, "other options of fio, such as rwmixread=70,fsync=1")
}

// benchmark makes the benchmark. Errors name the flag, its value and the remedy; what the plan finds is not looked at.
func (o *oneLine) benchmark() (*v1alpha1.StorageBenchmark, error) {
	targets, targetsErr := o.targets()
	workloads, workloadsErr := o.workloads()
	clients, _, clientsErr := count("clients", o.clients)
	if err := errors.Join(targetsErr, workloadsErr, clientsErr); err != nil {
		return nil, err
	}
	spec := v1alpha1.StorageBenchmarkSpec{Targets: targets, Workloads: workloads}
	if ptr.Deref(clients, 1) > 1 {
		spec.Clients = clients
	}
	if o.repetitions != 1 {
		spec.Repetitions = &o.repetitions
	}
	return &v1alpha1.StorageBenchmark{TypeMeta: ours, ObjectMeta: metav1.ObjectMeta{GenerateName: "fio-"}, Spec: spec}, nil
}

func (o *oneLine) targets() ([]v1alpha1.Target, error) {
	if len(o.classes)+len(o.claims) == 0 {
		return nil, errors.New("there is nothing to measure: name StorageClasses with --class (kubectl get storageclasses), claims with --claim, or a file with -f")
	}
	if n := len(o.capacities); n > 1 && n != len(o.classes) {
		return nil, fmt.Errorf("--capacity has %d values, and --class has %d: give one for all, or as many", n, len(o.classes))
	}
	var targets []v1alpha1.Target
	for i, class := range o.classes {
		target := v1alpha1.Target{Name: targetName(class), StorageClassName: &o.classes[i]}
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
		targets = append(targets, v1alpha1.Target{Name: targetName(claim), ClaimName: &o.claims[i]})
	}
	return targets, nil
}

// maxTargetName is the most characters of a target's name.
const maxTargetName = 32

var notInNames = regexp.MustCompile(`[^a-z0-9-]+`)

// targetName makes a target's name of that of a StorageClass or claim, which may be longer and have dots.
func targetName(name string) string {
	label := notInNames.ReplaceAllString(strings.ToLower(name), "-")
	return strings.Trim(label[:min(len(label), maxTargetName)], "-")
}

// workloads returns a workload for each type of I/O, with a matrix of what else has several values.
func (o *oneLine) workloads() ([]v1alpha1.Workload, error) {
	iodepth, iodepths, iodepthErr := count("iodepth", o.iodepth)
	numjobs, manyJobs, numjobsErr := count("numjobs", o.numjobs)
	_, manyClients, _ := count("clients", o.clients)
	runtime, runtimeErr := seconds(o.runtime)
	if err := errors.Join(iodepthErr, numjobsErr, runtimeErr); err != nil {
		return nil, err
	}
	matrix := map[string]v1alpha1.MatrixValues{}
	addMatrix(matrix, "iodepth", iodepths)
	addMatrix(matrix, "numjobs", manyJobs)
	addMatrix(matrix, v1alpha1.MatrixClients, manyClients)
	block, blocks := single(o.bs)
	addMatrix(matrix, "bs", blocks)
	var workloads []v1alpha1.Workload
	for _, rw := range o.rw {
		fio := &v1alpha1.FioParameters{
			RW: rw, BS: block, IOEngine: nonEmpty(o.ioengine), IODepth: iodepth, NumJobs: numjobs, Direct: &o.direct, Size: nonEmpty(o.size),
		}
		if runtime > 0 {
			fio.RuntimeSeconds, fio.TimeBased = &runtime, new(true)
		}
		if err := setOptions(fio, o.options); err != nil {
			return nil, err
		}
		workloads = append(workloads, v1alpha1.Workload{Name: targetName(rw), Fio: fio, Matrix: matrix})
	}
	return workloads, nil
}

// setOptions sets further options: those that have fields of their own, and others.
func setOptions(fio *v1alpha1.FioParameters, options map[string]string) error {
	for name, value := range options {
		if name == "rwmixread" {
			percent, err := strconv.ParseInt(value, 10, 32)
			if err != nil {
				return fmt.Errorf("--option rwmixread=%s: give a percentage from 0 to 100", value)
			}
			if isMixed(fio.RW) {
				fio.RWMixRead = new(int32(percent))
			}
			continue
		}
		if fio.Options == nil {
			fio.Options = map[string]v1alpha1.FioOptionValue{}
		}
		fio.Options[name] = v1alpha1.FioOptionValue(value)
	}
	return nil
}

// isMixed says whether a type of I/O has reads and writes, so that rwmixread is for it.
func isMixed(rw string) bool { return rw == "rw" || rw == "readwrite" || rw == "randrw" }

// single returns the value if there is one, and all of several.
func single(values []string) (one *string, several []string) {
	if len(values) == 1 {
		return &values[0], nil
	}
	return nil, values
}

// count is single for whole numbers from 1 on.
func count(flag string, values []string) (one *int32, several []string, err error) {
	for _, value := range values {
		number, err := strconv.ParseInt(value, 10, 32)
		if err != nil || number < 1 {
			return nil, nil, fmt.Errorf("--%s %s: give whole numbers from 1 on, such as 1,16", flag, value)
		}
		one = new(int32(number))
	}
	if len(values) == 1 {
		return one, nil, nil
	}
	return nil, values, nil
}

func addMatrix(matrix map[string]v1alpha1.MatrixValues, option string, values []string) {
	for _, value := range values {
		matrix[option] = append(matrix[option], intstr.Parse(value))
	}
}

// seconds reads a time as fio and Go write it: 30, 30s, 2m. The seconds are whole ones, rounded up.
func seconds(text string) (int32, error) {
	if number, err := strconv.ParseInt(text, 10, 32); err == nil && number >= 0 {
		return int32(number), nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 || d > math.MaxInt32*time.Second {
		return 0, fmt.Errorf("--runtime %s: give a time such as 30s or 2m", text)
	}
	return int32((d + time.Second - 1) / time.Second), nil
}

func nonEmpty(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

package sample

import (
	"fmt"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/analysis"
)

// All returns the samples by their names, as browser tests look at them.
func All() map[string]*v1alpha1.StorageBenchmark {
	return map[string]*v1alpha1.StorageBenchmark{
		"gp3-vs-efs": GP3VsEFS(), "gp2-vs-gp3": GP2VsGP3(), "efs-operations": EFSOperations(), "failed": Failed(), "pending": Pending(),
		"one-choice": OneChoice(), "credits": Credits(), "highest-load": HighestLoad(),
		"hostile": Hostile(), "many": Many(500),
	}
}

// named returns a benchmark that has not begun.
func named(name string, spec v1alpha1.StorageBenchmarkSpec) *v1alpha1.StorageBenchmark {
	return &v1alpha1.StorageBenchmark{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "storage-team"}, Spec: spec}
}

// ebs returns a target that is a new EBS volume.
func ebs(name, capacity string, volume v1alpha1.EBSVolume) v1alpha1.Target {
	return v1alpha1.Target{Name: name, Capacity: new(resource.MustParse(capacity)), EBS: &volume}
}

// gp3 returns a target that is a gp3 volume of documented performance.
func gp3(name string) v1alpha1.Target {
	return ebs(name, "30Gi", v1alpha1.EBSVolume{Type: "gp3", IOPS: new(int32(3000)), Throughput: new(int32(125)), FSType: new("xfs")})
}

// efs returns a target that is a file system with a throughput mode.
func efs(name string, mode v1alpha1.EFSThroughputMode) v1alpha1.Target {
	return v1alpha1.Target{Name: name, EFS: &v1alpha1.EFSFileSystem{FileSystemID: "fs-0123456789abcdef0", ThroughputMode: &mode}}
}

// values returns values of a matrix.
func values(all ...string) v1alpha1.MatrixValues {
	var out v1alpha1.MatrixValues
	for _, value := range all {
		out = append(out, intstr.Parse(value))
	}
	return out
}

const kib = 1 << 10

// GP3VsEFS is E1 of docs/experiments.md, made six times.
func GP3VsEFS() *v1alpha1.StorageBenchmark { return gp3VsEFS(6) }

// gp3VsEFS is E1 with a number of repetitions.
func gp3VsEFS(repetitions int32) *v1alpha1.StorageBenchmark {
	sb := named("gp3-vs-efs", v1alpha1.StorageBenchmarkSpec{
		Targets: []v1alpha1.Target{gp3("gp3"), efs("efs", "Bursting")}, Repetitions: &repetitions,
		Workloads: []v1alpha1.Workload{{
			Name: "randwrite",
			Fio: &v1alpha1.FioParameters{
				RW: "randwrite", IOEngine: new("psync"), Direct: new(true), Size: new("1G"), NumJobs: new(int32(16)),
				TimeBased: new(true), RuntimeSeconds: new(int32(60)), NoRandomMap: new(true),
			},
			Matrix: map[string]v1alpha1.MatrixValues{"bs": values("16k", "64k")},
		}},
	})
	return complete(sb, "m6i.large", 0.02, func(target, _ string, choice map[string]string) measured {
		writes := map[string]io{
			"gp3 16k": {3030, 16 * kib, 469 * time.Microsecond, 190}, "gp3 64k": {1987, 64 * kib, 594 * time.Microsecond, 157},
			"efs 16k": {1560, 16 * kib, 9900 * time.Microsecond, 1.6}, "efs 64k": {1600, 64 * kib, 9980 * time.Microsecond, 2.2},
		}[target+" "+choice["bs"]]
		return measured{write: &writes, inFlight: 16}
	})
}

// OneChoice has a workload without a matrix, so that there is one choice of parameters, and none to name.
func OneChoice() *v1alpha1.StorageBenchmark {
	sb := named("one-choice", v1alpha1.StorageBenchmarkSpec{
		Targets: []v1alpha1.Target{gp3("gp3"), efs("efs", "Bursting")}, Repetitions: new(int32(2)),
		Workloads: []v1alpha1.Workload{{Name: "randwrite", Fio: &v1alpha1.FioParameters{
			RW: "randwrite", BS: new("16k"), IOEngine: new("psync"), Direct: new(true), Size: new("1G"), NumJobs: new(int32(16)),
			TimeBased: new(true), RuntimeSeconds: new(int32(60)), NoRandomMap: new(true),
		}}},
	})
	return complete(sb, "m6i.large", 0.02, func(target, _ string, _ map[string]string) measured {
		writes := map[string]io{"gp3": {3030, 16 * kib, 469 * time.Microsecond, 190}, "efs": {1560, 16 * kib, 9900 * time.Microsecond, 1.6}}[target]
		return measured{write: &writes, inFlight: 16}
	})
}

// GP2VsGP3 is E2, with an encrypted volume beside them, made four times: mixed I/O, and a matrix of two options. Some of what is expected of
// it is met, some is not, and some is not measured.
func GP2VsGP3() *v1alpha1.StorageBenchmark {
	encrypted := gp3("gp3-encrypted")
	encrypted.EBS.Encrypted = new(true)
	sb := named("gp2-vs-gp3", v1alpha1.StorageBenchmarkSpec{
		Targets: []v1alpha1.Target{ebs("gp2", "100Gi", v1alpha1.EBSVolume{Type: "gp2"}), gp3("gp3"), encrypted}, Repetitions: new(int32(4)), Baseline: new("gp2"),
		Workloads: []v1alpha1.Workload{{
			Name:   "mixed",
			Fio:    &v1alpha1.FioParameters{RW: "readwrite", Direct: new(true), Size: new("128m"), Options: map[string]v1alpha1.FioOptionValue{"filename": "fio-bench"}},
			Matrix: map[string]v1alpha1.MatrixValues{"numjobs": values("2", "16"), "bs": values("16k", "256k")},
		}},
		Expectations: []v1alpha1.Expectation{
			{Target: "gp3", Metric: "total.iops", MinRatioToBaseline: new("0.95")},
			{Target: "gp3-encrypted", Metric: "write.p99", Max: new("50ms")},
			{Target: "gp2", Workload: "mixed", Metric: "sync.p99", Max: new("10ms")},
		},
	})
	return complete(sb, "m5.xlarge", 0.01, func(target, _ string, choice map[string]string) measured {
		jobs, _ := strconv.ParseInt(choice["numjobs"], 10, 64)
		m := measured{inFlight: jobs}
		switch {
		case choice["bs"] == "256k":
			m.read = &io{272, 256 * kib, 30 * time.Millisecond / time.Duration(18-jobs), 2.1}
		case jobs == 2:
			each := map[string]int64{"gp2": 1120, "gp3": 1054, "gp3-encrypted": 1049}[target]
			m.read = &io{each, 16 * kib, 890 * time.Microsecond, 3}
		default:
			m.read = &io{1534, 16 * kib, 5200 * time.Microsecond, 1.9}
		}
		write := *m.read
		write.p50 += 300 * time.Microsecond
		m.write = &write
		return m
	})
}

// EFSOperations is after E4: synchronous writes and reads of more and more threads, of one, two and four clients, beside
// a volume of each client, made three times.
func EFSOperations() *v1alpha1.StorageBenchmark {
	matrix := map[string]v1alpha1.MatrixValues{"numjobs": values("1", "4", "16", "64")}
	workload := func(name, rw string) v1alpha1.Workload {
		return v1alpha1.Workload{
			Name: name, Matrix: matrix, Clients: []int32{1, 2, 4},
			Fio: &v1alpha1.FioParameters{RW: rw, BS: new("10k"), Sync: new("sync"), Size: new("10k"), TimeBased: new(true), RuntimeSeconds: new(int32(60))},
		}
	}
	sb := named("efs-operations", v1alpha1.StorageBenchmarkSpec{
		Targets: []v1alpha1.Target{efs("efs", "Elastic"), gp3("gp3")}, Repetitions: new(int32(3)),
		Workloads: []v1alpha1.Workload{workload("writes", "write"), workload("reads", "randread")},
	})
	return complete(sb, "c5.2xlarge", 0.06, func(target, workload string, choice map[string]string) measured {
		jobs, _ := strconv.ParseInt(choice["numjobs"], 10, 64)
		clients, _ := strconv.ParseInt(choice["clients"], 10, 64)
		each, most := int64(130), 2000*clients
		if target == "gp3" {
			each, most = 900, 3000*clients
		}
		if workload == "reads" {
			each, most = 3*each, 2*most
		}
		iops := min(each*jobs*clients, most)
		d := &io{iops, 10 * kib, time.Duration(float64(jobs*clients) / float64(iops) * float64(time.Second) * 0.9), 3}
		if workload == "reads" {
			return measured{read: d, inFlight: jobs * clients}
		}
		return measured{write: d, inFlight: jobs * clients}
	})
}

// Failed is a benchmark with a run that failed, and one that was repeated.
func Failed() *v1alpha1.StorageBenchmark {
	sb := gp3VsEFS(1)
	sb.Name = "failed"
	failed, repeated := &sb.Status.Runs[3], &sb.Status.Runs[2]
	failed.State, failed.Result, failed.LimitedBy, failed.Attempts = v1alpha1.RunFailed, nil, nil, 2
	failed.Message = "fio ended with exit code 1: fio: io_u error on file randwrite.0.0: Input/output error: write offset=0, buflen=65536"
	repeated.Attempts, repeated.Disruptions = 2, 1
	sb.Status.AbandonedAttempts = []v1alpha1.AbandonedAttempt{{
		Run: repeated.Name, Attempt: 1, Reason: v1alpha1.AbandonDisrupted, Node: node, StartTime: &metav1.Time{Time: begin}, CompletionTime: &metav1.Time{Time: begin.Add(21 * time.Second)},
		Message: "Evicted: the node was low on resource: ephemeral-storage",
	}}
	sb.Status.Comparisons = analysis.Compare(sb.Status.Runs, []string{"gp3", "efs"}, "gp3")
	sb.Status.Conditions[0] = metav1.Condition{
		Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonRunFailed, Message: "1 of 4 runs failed: " + failed.Name + ": " + failed.Message,
	}
	return sb
}

// Pending is a benchmark that nothing is known of yet.
func Pending() *v1alpha1.StorageBenchmark {
	sb := GP3VsEFS()
	sb.Name = "pending"
	sb.Status = v1alpha1.StorageBenchmarkStatus{}
	return sb
}

// Many is a benchmark with at least so many runs, which are more than a status can hold: 4 targets, 25 choices, and
// repetitions as needed.
func Many(runs int) *v1alpha1.StorageBenchmark {
	spec := v1alpha1.StorageBenchmarkSpec{
		Workloads: []v1alpha1.Workload{{
			Name: "randread", Fio: &v1alpha1.FioParameters{RW: "randread", IOEngine: new("libaio"), Direct: new(true), Size: new("4G")},
			Matrix: map[string]v1alpha1.MatrixValues{"bs": values("4k", "8k", "16k", "64k", "256k"), "iodepth": values("1", "4", "16", "64", "256")},
		}},
	}
	for i := range 4 {
		spec.Targets = append(spec.Targets, gp3(fmt.Sprintf("gp3-%d", i)))
	}
	spec.Repetitions = new(int32((runs + 99) / 100))
	return complete(named("many", spec), "m6i.4xlarge", 0.05, func(target, _ string, choice map[string]string) measured {
		depth, _ := strconv.ParseInt(choice["iodepth"], 10, 64)
		block, _ := strconv.ParseInt(choice["bs"][:len(choice["bs"])-1], 10, 64)
		iops := min(1600*depth, 3000, 128000/block) * int64(10+target[4]-'0') / 10
		return measured{read: &io{iops, block * kib, time.Duration(float64(depth) / float64(iops) * float64(time.Second)), 4}, inFlight: depth}
	})
}

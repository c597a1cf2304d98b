package crash

import (
	"regexp"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/fakecluster"
)

// scenario is a benchmark, and what its cluster does with it.
type scenario struct {
	name      string
	benchmark func(namespace string) *v1alpha1.StorageBenchmark
	// pods decides what becomes of pods, by nothing but what they are: it is asked in any order.
	pods func(*corev1.Pod) fakecluster.Outcome
	// own is what is in the namespace before, and stays.
	own func(namespace string) []client.Object
	// deleteDuring has the benchmark deleted when this begins.
	deleteDuring string
	// downtime is how long an operator that was killed is missed.
	downtime time.Duration
}

// ownClaim is the name of a claim that is there before the benchmark.
const ownClaim = "mine"

var holdNode = fakecluster.Hang(job.AnchorContainer)

func nothing(string) []client.Object { return nil }

var success = fakecluster.Succeed(builder.Report())

func succeed(*corev1.Pod) fakecluster.Outcome { return success }

func claim(namespace string) []client.Object {
	class := builder.StorageClass
	return []client.Object{&corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: ownClaim},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}, StorageClassName: &class,
			Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
		},
	}}
}

// reads is a workload that any storage takes.
func reads(name string) v1alpha1.Workload {
	workload := builder.NewWorkload(name)
	workload.Fio.RW = "read"
	return workload
}

func ebsTarget() v1alpha1.Target {
	return v1alpha1.Target{Name: "gp3", EBS: &v1alpha1.EBSVolume{Type: "gp3", IOPS: new(int32(4000))}}
}

func s3Target() v1alpha1.Target {
	return v1alpha1.Target{Name: "s3", S3: &v1alpha1.S3Bucket{Bucket: "my-bucket", Prefix: new("bench/")}}
}

// searchedReport is what reads measure with as many in flight as the job file of a pod says, of which one takes no more than 3 ms.
func searchedReport(pod *corev1.Pod) fakecluster.Outcome {
	report := builder.Report()
	depth := regexp.MustCompile(`(?m)^iodepth=([0-9]+)$`)
	for _, c := range pod.Spec.Containers {
		for _, v := range c.Env {
			if found := depth.FindStringSubmatch(v.Value); found != nil && v.Name == digest.JobFileVariable {
				n, _ := strconv.ParseInt(found[1], 10, 64)
				report.Groups[0].Of(v1alpha1.OperationRead).Latency.MeanNanoseconds = n * 2_000_000
			}
		}
	}
	return fakecluster.Succeed(report)
}

// scenarios are benchmarks that between them make all that the operator makes, and go all ways that it knows.
var scenarios = []scenario{{
	// Four runs on two new volumes from one node. One is evicted once, one fails.
	name: "several runs",
	benchmark: func(namespace string) *v1alpha1.StorageBenchmark {
		return builder.NewBenchmark(namespace, "sb").Target(builder.NewTarget("fast")).Target(builder.NewTarget("slow")).
			Workload(builder.NewWorkload("one")).Workload(builder.NewWorkload("two")).Build()
	},
	pods: func(pod *corev1.Pod) fakecluster.Outcome {
		switch pod.Annotations[v1alpha1.AnnotationRun] + " " + pod.Labels[v1alpha1.LabelAttempt] {
		case "one.slow 1":
			return fakecluster.Evict()
		case "two.fast 1":
			return fakecluster.Fail(digest.ExitFailed, "fio: io_u error on file /volume/x: No space left on device")
		}
		return succeed(pod)
	},
	own:      nothing,
	downtime: 20 * time.Second,
}, {
	// Two clients on nodes and volumes of their own begin each of two runs together. The instant must not
	// have passed when an operator takes another one's place; see TestKilledBeforeClientsHear.
	name: "clients",
	benchmark: func(namespace string) *v1alpha1.StorageBenchmark {
		return builder.NewBenchmark(namespace, "sb").Target(builder.NewTarget("own")).Workload(builder.NewWorkload("one")).Workload(builder.NewWorkload("two")).
			With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Clients = new(int32(2)) }).Build()
	},
	pods: succeed,
	own:  nothing,
}, {
	// Test files have to be removed from a claim of somebody's own and from a bucket; an EBS volume has a StorageClass
	// and the bucket a PersistentVolume, which belong to no namespace.
	name: "storage that stays",
	benchmark: func(namespace string) *v1alpha1.StorageBenchmark {
		return builder.NewBenchmark(namespace, "sb").Target(builder.NewClaimTarget("claim", ownClaim)).Target(s3Target()).Target(ebsTarget()).
			Workload(reads("w")).Build()
	},
	pods:     succeed,
	own:      claim,
	downtime: 20 * time.Second,
}, {
	// A benchmark is deleted while it measures.
	name: "deletion",
	benchmark: func(namespace string) *v1alpha1.StorageBenchmark {
		return builder.NewBenchmark(namespace, "sb").Target(s3Target()).Target(ebsTarget()).Workload(reads("w")).Build()
	},
	pods: func(pod *corev1.Pod) fakecluster.Outcome {
		if pod.Labels[v1alpha1.LabelRole] == v1alpha1.RoleRun {
			return fakecluster.Hang(job.MeasureContainer)
		}
		return succeed(pod)
	},
	own:          nothing,
	deleteDuring: "run w.s3, attempt 1 by client 0",
	downtime:     20 * time.Second,
}, {
	// A search chooses its loads by what was measured, whatever comes between. One step is evicted once.
	name: "search",
	benchmark: func(namespace string) *v1alpha1.StorageBenchmark {
		workload := builder.NewDirectWorkload("one")
		workload.Fio.IOEngine = new("libaio")
		workload.Search = &v1alpha1.LoadSearch{Vary: v1alpha1.VaryIODepth, Max: 2, Objective: v1alpha1.SearchObjective{Metric: "read.mean", Max: "3ms"}}
		return builder.NewBenchmark(namespace, "sb").Target(builder.NewTarget("fast")).Workload(workload).Build()
	},
	pods: func(pod *corev1.Pod) fakecluster.Outcome {
		if pod.Annotations[v1alpha1.AnnotationRun]+" "+pod.Labels[v1alpha1.LabelAttempt] == "one.fast.step-3 1" {
			return fakecluster.Evict()
		}
		return searchedReport(pod)
	},
	own:      nothing,
	downtime: 20 * time.Second,
}, {
	// A device is written in full before the first of two runs, which is evicted once, and both are measured when they are steady: one is, one is not.
	name: "steady state",
	benchmark: func(namespace string) *v1alpha1.StorageBenchmark {
		target := builder.NewBlockTarget("written")
		target.Precondition = &v1alpha1.Precondition{}
		return builder.NewBenchmark(namespace, "sb").Target(target).Workload(steadyReads("one")).Workload(steadyReads("two")).Build()
	},
	pods: func(pod *corev1.Pod) fakecluster.Outcome {
		switch pod.Annotations[v1alpha1.AnnotationRun] + " " + pod.Labels[v1alpha1.LabelAttempt] {
		case "one.written 1":
			return fakecluster.Evict()
		case "one.written 2":
			return fakecluster.Succeed(steadyReport(300, 310, 290, 300, 300))
		}
		return fakecluster.Succeed(steadyReport(300, 100, 300, 100, 300))
	},
	own:      nothing,
	downtime: 20 * time.Second,
}}

// steadyReads is a workload that is measured when it is steady.
func steadyReads(name string) v1alpha1.Workload {
	workload := builder.NewDirectWorkload(name)
	workload.Fio.RuntimeSeconds, workload.Fio.TimeBased = nil, nil
	workload.Until = &v1alpha1.Until{}
	return workload
}

// steadyReport is what a runner reports of rounds.
func steadyReport(rounds ...int64) digest.Report {
	report := builder.Report()
	report.Steady = &digest.Steady{AfterMilliseconds: 212_000, Rounds: rounds}
	return report
}

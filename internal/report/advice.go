package report

import (
	"github.com/storagebench/storagebench/api/v1alpha1"
)

// Advice says what to try next after a result that something held back, by the bound's name: one concrete step for more, and
// what to expect of it. It is "" for what is not a bound.
func Advice(bound string) string { return advice[bound] }

// advice has each of v1alpha1's bounds. docs/storage.md tells the same in short.
var advice = map[string]string{
	v1alpha1.BoundVolumeIOPS: "Provision more IOPS: iops of a gp3, io1 or io2 volume, another class, or more capacity where IOPS follow from the size, as with gp2. " +
		"Where bytes count and not I/Os, larger blocks (bs) move more of them with the same IOPS.",
	v1alpha1.BoundVolumeThroughput: "Provision more throughput: throughput of a gp3 volume, another class, or more capacity where it follows from the size, as with st1. " +
		"Smaller blocks (bs) give more I/Os within the same bytes.",
	v1alpha1.BoundFileSystemIOPS: "Look at how the file system is made: for EFS, its throughput mode (Elastic has the most IOPS) and performance mode. " +
		"More clients or jobs do not help: they share this limit.",
	v1alpha1.BoundFileSystemThroughput: "Choose another throughput mode of the file system (Elastic or Provisioned), or store more data where throughput follows from it (Bursting). " +
		"More clients or jobs do not help: they share this limit.",
	v1alpha1.BoundClientIOPS: "Measure with more clients, such as clients: [1, 2, 4]: this is what one node gets, and the file system may have more.",
	v1alpha1.BoundClientThroughput: "Measure with more clients, such as clients: [1, 2, 4]: this is what one node gets, and the storage may have more. " +
		"An application on one node will not get more either.",
	v1alpha1.BoundInstanceIOPS: "Measure from a larger instance (placement.nodeSelector, node.kubernetes.io/instance-type): the storage was not the bottleneck, the node's path to it was. " +
		"An application on such a node will not get more either.",
	v1alpha1.BoundInstanceThroughput: "Measure from a larger instance (placement.nodeSelector, node.kubernetes.io/instance-type): the storage was not the bottleneck, the node's path to it was. " +
		"An application on such a node will not get more either.",
	v1alpha1.BoundWorkloadRate: "Raise rate or rateIOPS, or lower thinktime, or leave them out of the workload, to see what the storage can do; " +
		"to judge latency at a given rate, as here, leave it and look at the percentiles.",
	v1alpha1.BoundClientCPU: "Give fio more CPU (spec.pod.resources, a larger instance), spread it over more jobs (numjobs), or take an engine that needs less for each I/O (libaio or io_uring with a higher iodepth). " +
		"Until then the result says nothing about the storage.",
	v1alpha1.BoundNodeCPU: "Measure on a node without other work (spec.placement), or give fio its share of the CPUs (spec.pod.resources.requests.cpu). " +
		"An application beside the same work waits like fio. Until then the result says little about the storage.",
	v1alpha1.BoundStorage: "More jobs or a higher iodepth do not help. Look for the limit behind this: of the volume, the node, the network or the disk below, " +
		"and set it in spec.targets[].limits or clientLimits.",
	v1alpha1.BoundQueue: "Do not add load: I/Os already wait for each other for several times as long as the storage takes. Measure with fewer in flight, with a matrix of values below those of this run (numjobs times iodepth are in flight): " +
		"the case from which on the rate grows no more shows the limit. Look for it in the settings of the storage (EBS: aws ec2 describe-volumes), the node, the network and others that use them.",
	v1alpha1.BoundLatency: "Keep more I/Os in flight: more jobs (numjobs), or a higher iodepth with libaio or io_uring. A matrix of values above those of this run (numjobs times iodepth are in flight) shows up to which limit IOPS grow. " +
		"An application that waits for each I/O will see this latency.",
	v1alpha1.BoundUnknown: "The sentence above says what is missing. Often it is the limits: set spec.targets[].limits to what the storage is specified for, " +
		"and the next benchmark is judged by them.",
}

// adviceOnProbe is what to try as well where it is not known what held a result back, and the workload can be probed.
const adviceOnProbe = "Or set probe: LastRepetition in the workload: after the last repetition fio runs for 10 s more with twice the I/Os in flight, which tells a limit from latency."

// adviceOnMetadata is what to try next after operations on files of which it is not known what held them back: they take no probe.
const adviceOnMetadata = "No limit of operations on files is known to be reached. Measure with more jobs, such as matrix: {numjobs: [4, 8, 16]}: if they get no more done, there is one. " +
	"Or measure other storage for comparison."

// afterFailure says what to do after a benchmark that ended for a reason of condition Succeeded.
var afterFailure = map[string]string{
	v1alpha1.ReasonInvalidSpec:        "Change the spec as the message says; kubectl storagebench plan -f FILE finds such problems without a cluster.",
	v1alpha1.ReasonProvisioningFailed: "Look at the events of the claim (kubectl describe pvc) and at the log of the CSI driver's controller, then create the benchmark anew.",
	v1alpha1.ReasonRunFailed:          "Read fio's log, change the workload or the storage, and create the benchmark anew. Results of other runs are good.",
	v1alpha1.ReasonDeadlineExceeded:   "See what the message waited for. If it only needs more time, raise that field of spec.deadlines and create the benchmark anew.",
	v1alpha1.ReasonInterrupted:        "Results of runs that had ended are good. Run it again for the others.",
	v1alpha1.ReasonDeleted:            "The benchmark is being deleted. Create it anew to measure.",
}

package v1alpha1

import "k8s.io/apimachinery/pkg/util/intstr"

// Expectation is what one metric of results has to be. With repetitions it is about the median.
//
// +kubebuilder:validation:XValidation:rule="[has(self.max), has(self.min), has(self.maxRatioToBaseline), has(self.minRatioToBaseline)].filter(x, x).size() == 1",message="set exactly one of max, min, maxRatioToBaseline and minRatioToBaseline; give another expectation for another bound",reason=FieldValueInvalid
// +kubebuilder:validation:XValidation:rule="!(has(self.max) || has(self.maxRatioToBaseline)) || !(self.metric.endsWith('.iops') || self.metric.endsWith('.bandwidth'))",message="max and maxRatioToBaseline are for latencies: of iops and bandwidth set min or minRatioToBaseline",reason=FieldValueInvalid
// +kubebuilder:validation:XValidation:rule="!(has(self.min) || has(self.minRatioToBaseline)) || self.metric.endsWith('.iops') || self.metric.endsWith('.bandwidth')",message="min and minRatioToBaseline are for iops and bandwidth: of latencies set max or maxRatioToBaseline",reason=FieldValueInvalid
// +kubebuilder:validation:XValidation:rule="!has(self.min) || !self.metric.endsWith('.iops') || type(self.min) == int || self.min.matches('^[0-9]+$')",message="min of iops is I/Os per second as a whole number, such as 2700",fieldPath=".min",reason=FieldValueInvalid
type Expectation struct {
	// target is the name of the target that it is about. Unset: all. With a ratio to the baseline: all but that.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	Target string `json:"target,omitempty"`

	// workload is the name of the workload that it is about, with all choices of its matrix and all sections. Unset: all
	// that have the metric.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	Workload string `json:"workload,omitempty"`

	// metric is what is looked at. Of reads, writes and trims it is I/Os per second (iops), bytes per second
	// (bandwidth), the mean latency (fio's lat) or a percentile of completion latency (p99 is the 99th, p999 the
	// 99.9th). Of their total it is iops or bandwidth. sync is the latency of fsync and fdatasync. Of metadata it is
	// operations per second (iops) and how long they took.
	// +required
	// +kubebuilder:validation:Enum=read.iops;read.bandwidth;read.mean;read.p50;read.p90;read.p95;read.p99;read.p999;read.p9999;read.max;write.iops;write.bandwidth;write.mean;write.p50;write.p90;write.p95;write.p99;write.p999;write.p9999;write.max;trim.iops;trim.bandwidth;trim.mean;trim.p50;trim.p90;trim.p95;trim.p99;trim.p999;trim.p9999;trim.max;sync.mean;sync.p50;sync.p90;sync.p95;sync.p99;sync.p999;sync.p9999;sync.max;metadata.iops;metadata.mean;metadata.p50;metadata.p90;metadata.p95;metadata.p99;metadata.p999;metadata.p9999;metadata.max;total.iops;total.bandwidth
	Metric string `json:"metric"`

	// max is the longest that a latency may be, with its unit: ns, us, ms or s, such as 10ms.
	// +optional
	// +kubebuilder:validation:MinLength=2
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9]+([.][0-9]+)?(ns|us|ms|s)$')",message="max must be a latency with its unit: ns, us, ms or s, such as 10ms",reason=FieldValueInvalid
	Max *string `json:"max,omitempty"`

	// min is the least that iops (2700) or bandwidth (bytes per second, such as 125Mi) may be.
	// +optional
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:Pattern=`^[0-9]+([.][0-9]+)?(k|M|G|T|Ki|Mi|Gi|Ti)?$`
	// +kubebuilder:validation:XValidation:rule="type(self) != int || self >= 0",message="min must be I/Os per second such as 2700, or bytes per second such as 125Mi",reason=FieldValueInvalid
	Min *intstr.IntOrString `json:"min,omitempty"`

	// maxRatioToBaseline is the most that a latency may be as a multiple of the baseline's, such as "1.2". The medians are
	// held to it; a miss says whether the interval of the ratio misses it as well.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=8
	// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9]+([.][0-9]+)?$')",message="maxRatioToBaseline must be a number such as 1.2, as text",reason=FieldValueInvalid
	MaxRatioToBaseline *string `json:"maxRatioToBaseline,omitempty"`

	// minRatioToBaseline is the least that iops or bandwidth may be as a multiple of the baseline's, such as "0.8". The
	// medians are held to it; a miss says whether the interval of the ratio misses it as well.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=8
	// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9]+([.][0-9]+)?$')",message="minRatioToBaseline must be a number such as 0.8, as text",reason=FieldValueInvalid
	MinRatioToBaseline *string `json:"minRatioToBaseline,omitempty"`
}

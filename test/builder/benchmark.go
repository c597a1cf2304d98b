// Package builder makes fixtures for tests, by methods that can be chained.
package builder

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// StorageClass is the class of the targets that the builders make.
const StorageClass = "fake"

// Benchmark builds a StorageBenchmark.
type Benchmark struct{ sb v1alpha1.StorageBenchmark }

// NewBenchmark begins a benchmark without targets and workloads, in which fio has its own defaults.
func NewBenchmark(namespace, name string) *Benchmark {
	return &Benchmark{v1alpha1.StorageBenchmark{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec:       v1alpha1.StorageBenchmarkSpec{Fio: FioDefaults()},
	}}
}

// FioDefaults returns fio's own defaults in place of those of spec.fio. A workload has to have a size.
func FioDefaults() *v1alpha1.FioParameters {
	return &v1alpha1.FioParameters{
		IOEngine: new("psync"), IODepth: new(int32(1)), Direct: new(false), RuntimeSeconds: new(int32(0)), TimeBased: new(false),
	}
}

// OneRun begins a benchmark of workload randread on target fast.
func OneRun(namespace, name string) *Benchmark {
	return NewBenchmark(namespace, name).Target(NewTarget("fast")).Workload(NewWorkload("randread"))
}

// Target adds a target.
func (b *Benchmark) Target(target v1alpha1.Target) *Benchmark {
	b.sb.Spec.Targets = append(b.sb.Spec.Targets, target)
	return b
}

// Workload adds a workload.
func (b *Benchmark) Workload(workload v1alpha1.Workload) *Benchmark {
	b.sb.Spec.Workloads = append(b.sb.Spec.Workloads, workload)
	return b
}

// With changes whatever has no method of its own.
func (b *Benchmark) With(change func(*v1alpha1.StorageBenchmark)) *Benchmark {
	change(&b.sb)
	return b
}

// Deadlines sets deadlines.
func (b *Benchmark) Deadlines(deadlines v1alpha1.Deadlines) *Benchmark {
	b.sb.Spec.Deadlines = deadlines
	return b
}

// Suspended has the benchmark held.
func (b *Benchmark) Suspended() *Benchmark {
	b.sb.Spec.Suspend = new(true)
	return b
}

// Build returns the benchmark.
func (b *Benchmark) Build() *v1alpha1.StorageBenchmark { return b.sb.DeepCopy() }

// NewTarget returns a target with a new volume of 1 GiB.
func NewTarget(name string) v1alpha1.Target {
	return v1alpha1.Target{Name: name, StorageClassName: new(StorageClass), Capacity: new(resource.MustParse("1Gi"))}
}

// NewBlockTarget returns a target with a new raw block volume.
func NewBlockTarget(name string) v1alpha1.Target {
	target := NewTarget(name)
	target.VolumeMode = new(corev1.PersistentVolumeBlock)
	return target
}

// NewClaimTarget returns a target on a claim that exists.
func NewClaimTarget(name, claim string) v1alpha1.Target {
	return v1alpha1.Target{Name: name, ClaimName: &claim}
}

// NewWorkload returns a workload of random reads.
func NewWorkload(name string) v1alpha1.Workload {
	return v1alpha1.Workload{Name: name, Fio: &v1alpha1.FioParameters{RW: "randread", Size: new("16M"), RuntimeSeconds: new(int32(1)), TimeBased: new(false)}}
}

// NewDirectWorkload returns a workload of random reads past the page cache, so that limits of I/Os hold for what fio counts.
func NewDirectWorkload(name string) v1alpha1.Workload {
	workload := NewWorkload(name)
	workload.Fio.Direct = new(true)
	return workload
}

// NewJobFile returns a workload of a job file.
func NewJobFile(name, text string) v1alpha1.Workload {
	return v1alpha1.Workload{Name: name, JobFile: &text}
}

// OwnedBy returns what a child of a benchmark says of its owner.
func OwnedBy(sb *v1alpha1.StorageBenchmark) metav1.OwnerReference {
	return *metav1.NewControllerRef(sb, v1alpha1.GroupVersion.WithKind("StorageBenchmark"))
}

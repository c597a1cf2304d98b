//go:build e2e

package e2e

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// A probe tells a limit from latency where no limit is known: a class of slow disks, of whose limit the operator does not know, and one
// thread on EFS, which waits for each I/O.
func TestProbe(t *testing.T) {
	sideBySide(t, load(figures), shares(theFileSystem), budget(5*time.Minute))
	for _, test := range []struct {
		name           string
		target         v1alpha1.Target
		change         func(*v1alpha1.FioParameters)
		bound          string
		least, most    float64
		inFlight, reps int64
	}{
		{"limit", v1alpha1.Target{Name: "loop", StorageClassName: new(class), Capacity: new(resource.MustParse("1Gi"))}, func(p *v1alpha1.FioParameters) {
			p.RW, p.IOEngine, p.IODepth = "randread", new("libaio"), new(int32(32))
		}, v1alpha1.BoundStorage, 0.9, 1.1, 64, 2},
		{"latency", experiment(t, "e4").Spec.Targets[0], func(p *v1alpha1.FioParameters) {
			p.RW = "randwrite"
		}, v1alpha1.BoundLatency, 1.25, 2.3, 2, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			sb := benchmark(t, "probe-"+test.name, func(sb *v1alpha1.StorageBenchmark) {
				sb.Spec.Targets = []v1alpha1.Target{test.target}
				sb.Spec.Repetitions = new(int32(test.reps))
				p := &v1alpha1.FioParameters{
					BS: new("4k"), Size: new("16M"), Direct: new(true), TimeBased: new(true), RuntimeSeconds: new(int32(4)),
				}
				test.change(p)
				sb.Spec.Workloads = []v1alpha1.Workload{{Name: "probed", Fio: p, Probe: v1alpha1.ProbeLastRepetition}}
			})
			holds(t, sb, func(t checker, done *v1alpha1.StorageBenchmark) {
				for i := range done.Status.Runs {
					run := &done.Status.Runs[i]
					last := int64(run.Repetition) == test.reps
					if (run.Probe != nil) != last {
						t.Fatalf("%s: probe %+v", run.Name, run.Probe)
					}
					if !last {
						continue
					}
					if figuresBound(run) != test.bound || run.LimitedBy.Reason == test.bound && run.LimitedBy.Evidence != v1alpha1.EvidenceProbe || run.Probe.InFlight != test.inFlight {
						t.Errorf("%s: limited by %+v, probe %+v", run.Name, run.LimitedBy, run.Probe)
					}
					measured := sumOf(run, func(io *v1alpha1.Figures) int64 { return io.IOPS() })
					wantRatio(t, "the probe and the run", float64(run.Probe.IOPS()), float64(measured), test.least, test.most)
				}
			})
		})
	}
}

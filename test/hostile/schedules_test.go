package hostile

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/history"
	"github.com/storagebench/storagebench/internal/schedule"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/harness"
)

// honestWaits is how long an honest schedule may wait until it is looked at, on a machine that may have much else to do.
const honestWaits = 30 * time.Second

// A tenant has schedules with the largest templates, the largest histories, which it has made up to take long, and reasons to read these again and
// again. The operator lives within its memory, and looks at an honest schedule of another namespace.
func TestHostileSchedules(t *testing.T) {
	limit := memoryLimit(t)
	mallory, honest := newTenant(t), newTenant(t)
	p := startOperator(t, buildOperator(t), limit)
	var names []string
	chunks := madeUpHistory(t)
	for i := range objects() {
		names = append(names, hostileSchedule(mallory, i, chunks))
	}
	p.serves(mallory, func() error { return hasHistory(mallory, names) })
	inBackground(t, func(ctx context.Context) { acknowledge(ctx, mallory, names) }, disturbance())
	ctx, cancel := context.WithCancel(t.Context())
	var worst, waited time.Duration
	var watching sync.WaitGroup
	watching.Go(func() { worst = p.watchHealth(ctx) })
	for i := range 5 {
		waited = max(waited, untilScheduled(honest, p, i))
	}
	cancel()
	watching.Wait()
	most := p.mostMemory(t)
	t.Logf("%d schedules: at most %d of %d MiB; an honest one waits for %s; no answer to probes for %s at most", len(names), most>>20, limit>>20, waited, worst)
	if most > limit || worst > unanswered || waited > honestWaits {
		t.Error("that is too much")
	}
}

// madeUpHistory is as large as a history can be, and changes as often as it can.
func madeUpHistory(t *testing.T) []history.Chunk {
	t.Helper()
	const runs, changes = 90, 30
	h := &history.History{}
	for run := range runs {
		p := history.Point{Time: time.Now().AddDate(0, 0, run-runs), UID: strconv.Itoa(run)}
		for c := range history.MaxCases {
			m := history.Measured{Case: history.Case{Workload: strconv.Itoa(c)}}
			for metric := history.ReadIOPS; metric <= history.MetadataP99; metric++ {
				level := run * changes / runs
				m.Figures = append(m.Figures, history.Figure{Metric: metric, Value: int64(1_000_000 + 200_000*(level%2) + 20_000*level + 100*((run*7+c)%11))})
			}
			p.Cases = append(p.Cases, m)
		}
		h.Add(p, runs)
	}
	chunks, err := h.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return chunks
}

// hostileSchedule makes a schedule that is never due while the test runs, its history, and a StorageBenchmark of it that ends at once: after that the
// history is read.
func hostileSchedule(n *harness.World, i int, chunks []history.Chunk) string {
	n.Helper()
	s := &v1alpha1.StorageBenchmarkSchedule{ObjectMeta: metav1.ObjectMeta{Namespace: n.Namespace, Name: fmt.Sprintf("hostile-%d", i), Annotations: padding(i)}}
	s.Spec.Schedule = "0 0 29 2 *"
	s.Spec.Template.Spec = builder.OneRun("", "").Build().Spec
	s = create(n, s)
	for c := range chunks {
		create(n, &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Namespace: n.Namespace, Name: schedule.HistoryName(s, c), OwnerReferences: []metav1.OwnerReference{schedule.Owner(s)}},
			BinaryData: map[string][]byte{v1alpha1.HistoryKey: chunks[c].Data},
		})
	}
	sb := builder.NewBenchmark(n.Namespace, s.Name).Target(builder.NewTarget("a")).Workload(builder.NewJobFile("a", "[a]\nrw=read\nsize=1M\nexec_prerun=reboot\n")).Build()
	sb.OwnerReferences = []metav1.OwnerReference{schedule.Owner(s)}
	create(n, sb)
	return s.Name
}

// hasHistory says why no history was read yet. The others have to wait: the namespace of what takes long gets few turns.
func hasHistory(n *harness.World, names []string) error {
	for _, name := range names {
		s := &v1alpha1.StorageBenchmarkSchedule{}
		if err := n.Client.Get(n.Context(), client.ObjectKey{Namespace: n.Namespace, Name: name}, s); err != nil {
			return unlessTransient(err)
		}
		if s.Status.History.Points > 0 {
			return nil
		}
	}
	return errors.New("no history was read")
}

// acknowledge has all histories read again.
func acknowledge(ctx context.Context, n *harness.World, names []string) {
	now := time.Now().UTC().Format(time.RFC3339)
	for _, name := range names {
		s := &v1alpha1.StorageBenchmarkSchedule{ObjectMeta: metav1.ObjectMeta{Namespace: n.Namespace, Name: name}}
		disturb(ctx, n, s, map[string]any{"metadata": map[string]any{"annotations": map[string]any{v1alpha1.AnnotationAcknowledged: now}}})
	}
}

// untilScheduled returns how long an honest schedule waits until it is looked at.
func untilScheduled(n *harness.World, p *process, i int) time.Duration {
	n.Helper()
	began := time.Now()
	s := &v1alpha1.StorageBenchmarkSchedule{ObjectMeta: metav1.ObjectMeta{Namespace: n.Namespace, Name: fmt.Sprintf("honest-%d", i)}}
	s.Spec.Schedule, s.Spec.Template.Spec = "@yearly", builder.OneRun("", "").Build().Spec
	s = create(n, s)
	p.serves(n, func() error {
		if err := n.Client.Get(n.Context(), client.ObjectKeyFromObject(s), s); err != nil {
			return unlessTransient(err)
		}
		if !meta.IsStatusConditionTrue(s.Status.Conditions, v1alpha1.ConditionScheduled) {
			return errors.New("an honest schedule was not looked at")
		}
		return nil
	})
	return time.Since(began)
}

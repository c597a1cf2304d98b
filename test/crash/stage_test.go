package crash

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/storagebench/storagebench/api/v1alpha1"
	scheduler "github.com/storagebench/storagebench/controllers/schedule"
	"github.com/storagebench/storagebench/internal/history"
	"github.com/storagebench/storagebench/internal/schedule"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/harness"
)

// stage is a world in which a schedule makes StorageBenchmarks. Nobody runs them: the test says when they end.
type stage struct {
	*testWorld
	schedule *v1alpha1.StorageBenchmarkSchedule
	// dawn is the minute before the first act.
	dawn time.Time
	// expected is how the schedule has to be after the acts that follow; none if that is not known yet.
	expected []string
	// poked is when the operators had to look at the schedule last.
	poked time.Time

	mu sync.Mutex
	// made are the UIDs of the StorageBenchmarks that there have been, by their names.
	made map[string]sets.Set[types.UID]
}

// ending is what has become of a schedule, in words that are the same each time that its plot is played.
type ending struct {
	// Acts has how the schedule was after each act.
	Acts []string
	// Points are those of the history at the end, and Made the StorageBenchmarks that there have been, with the number of each.
	Points []string
	Made   map[string]int
	writes []call
	// delayed is how much news caches had to wait for.
	delayed int64
}

// perform plays a plot with so many operators, deletes its schedule, and waits until that is gone. After each act it waits until the schedule is as it
// is undisturbed, where that is known: where a history is full, nothing else tells that the last point is in it.
func perform(t *testing.T, p *plot, undisturbed *ending, d disturbance, operators int) ending {
	t.Helper()
	w := newStage(t, p, d)
	if undisturbed != nil {
		w.expected = undisturbed.Acts
	}
	for range operators {
		w.operate()
	}
	var e ending
	for n := range p.acts {
		if act := &p.acts[n]; w.play(n+1, act) {
			e.Acts = append(e.Acts, w.untilSettled(n+1, act))
		}
	}
	if p.acknowledge {
		e.Acts = append(e.Acts, w.acknowledge())
	}
	if !p.acts[len(p.acts)-1].deletes {
		e.Points = w.points()
	}
	w.delete()
	e.Made = w.executions()
	e.writes, _ = w.wire.seen(true)
	e.delayed = w.wire.delayed.Load()
	return e
}

// newStage makes the schedule, and its history as it was before.
func newStage(t *testing.T, p *plot, d disturbance) *stage {
	t.Helper()
	w := &stage{testWorld: newWorld(t, scenarios[0], d), made: map[string]sets.Set[types.UID]{}}
	w.setUp = w.setUpSchedules
	w.watch()
	s := &v1alpha1.StorageBenchmarkSchedule{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "nightly"},
		Spec: v1alpha1.StorageBenchmarkScheduleSpec{
			Schedule: "* * * * *", Template: v1alpha1.StorageBenchmarkTemplate{Spec: builder.OneRun("", "").Build().Spec},
		},
	}
	p.spec(&s.Spec)
	w.schedule = harness.Create(w.World, s)
	w.dawn = w.schedule.CreationTimestamp.Truncate(time.Minute)
	w.Clock.SetTime(w.schedule.CreationTimestamp.Time)
	w.seed(p.before)
	return w
}

// setUpSchedules has a manager do what schedules say.
func (w *stage) setUpSchedules(ctx context.Context, mgr manager.Manager) error {
	reconciler := &scheduler.Reconciler{
		Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Events: mgr.GetEventRecorder("storagebench"), Clock: w.Clock, Version: "test",
	}
	return errors.Join(scheduler.Index(ctx, mgr), reconciler.SetupWithManager(mgr))
}

// watch takes down each StorageBenchmark that is made.
func (w *stage) watch() {
	w.Helper()
	news, err := w.Client.Watch(w.Context(), &v1alpha1.StorageBenchmarkList{}, client.InNamespace(w.Namespace))
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(news.Stop)
	go func() {
		for event := range news.ResultChan() {
			if sb, is := event.Object.(*v1alpha1.StorageBenchmark); is {
				w.note(sb)
			}
		}
	}()
}

func (w *stage) note(sb *v1alpha1.StorageBenchmark) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.made[sb.Name] == nil {
		w.made[sb.Name] = sets.New[types.UID]()
	}
	w.made[sb.Name].Insert(sb.UID)
}

// executions returns how often the StorageBenchmark of each minute was made.
func (w *stage) executions() map[string]int {
	w.mu.Lock()
	defer w.mu.Unlock()
	times := map[string]int{}
	for name, uids := range w.made {
		times[w.normalize(name)] = uids.Len()
	}
	return times
}

// seed makes the ConfigMap of a history that has these figures, one of each day before.
func (w *stage) seed(figures []int64) {
	w.Helper()
	if len(figures) == 0 {
		return
	}
	var h history.History
	for n, iops := range figures {
		day := w.dawn.AddDate(0, 0, n-len(figures))
		sb := schedule.ForStart(w.schedule, day)
		sb.UID = types.UID(fmt.Sprintf("of-day-%d", n))
		harness.SetEnd(sb, metav1.NewTime(day), succeeded, iops)
		h.Add(history.FromBenchmark(sb, history.Environment{Operator: "test"}), history.MaxPoints)
	}
	chunks, err := h.Encode()
	if err != nil || len(chunks) != 1 {
		w.Fatalf("%d chunks, error %v", len(chunks), err)
	}
	harness.Create(w.World, &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: schedule.HistoryName(w.schedule, 0), OwnerReferences: []metav1.OwnerReference{schedule.Owner(w.schedule)}},
		BinaryData: map[string][]byte{v1alpha1.HistoryKey: chunks[0].Data},
	})
}

// play has the minute of an act come, and ends its StorageBenchmark. It says whether the schedule is still there.
func (w *stage) play(minute int, a *act) bool {
	w.Helper()
	due := w.minute(minute)
	w.Clock.SetTime(due.Add(time.Second))
	sb := &v1alpha1.StorageBenchmark{}
	w.until(func() error {
		return w.Client.Get(w.Context(), client.ObjectKey{Namespace: w.Namespace, Name: schedule.Name(w.schedule.Name, w.schedule.UID, due)}, sb)
	})
	if a.ends != "" {
		harness.End(w.World, sb, a.ends, a.iops)
	}
	return !a.deletes
}

func (w *stage) minute(n int) time.Time { return w.dawn.Add(time.Duration(n) * time.Minute) }

// until waits for something, and has the operators look at the schedule meanwhile: their timers go by the machine's time, also those after which
// a failed call is made again. Each time it waits twice as long: a status that client-go writes again after a second, as it is told to, is refused where
// the schedule has changed meanwhile, and would be for ever.
func (w *stage) until(check func() error) {
	w.Helper()
	gap := holdFor
	w.Eventually(func() error {
		err := check()
		if err != nil && time.Since(w.poked) > gap {
			w.poked, gap = time.Now(), 2*gap
			w.annotate("now", w.poked.String())
		}
		return err
	})
}

// annotate changes the schedule as its user does.
func (w *stage) annotate(key, value string) {
	w.Helper()
	patch := client.RawPatch(types.MergePatchType, fmt.Appendf(nil, `{"metadata":{"annotations":{%q:%q}}}`, key, value))
	if err := w.Client.Patch(w.Context(), w.schedule.DeepCopy(), patch); err != nil {
		w.Fatal(err)
	}
}

// untilSettled waits until the schedule is as it has to be after an act, and tells how it is.
func (w *stage) untilSettled(minute int, a *act) string {
	w.Helper()
	return w.untilSo(a.regressed, func(status *v1alpha1.StorageBenchmarkScheduleStatus, there int) error {
		switch {
		case status.LastScheduleTime == nil || !status.LastScheduleTime.Time.Equal(w.minute(minute)):
			return fmt.Errorf("the last start is %v", status.LastScheduleTime)
		case int(status.ActiveBenchmarks) != a.active():
			return fmt.Errorf("%d are active", status.ActiveBenchmarks)
		case int(status.History.Points) != a.points || there != a.there:
			return fmt.Errorf("there are %d points and %d StorageBenchmarks, want %d and %d", status.History.Points, there, a.points, a.there)
		}
		return nil
	})
}

// acknowledge has a user acknowledge what has become worse.
func (w *stage) acknowledge() string {
	w.Helper()
	w.annotate(v1alpha1.AnnotationAcknowledged, w.Clock.Now().UTC().Format(time.RFC3339))
	return w.untilSo(v1alpha1.ReasonNotSlower, func(*v1alpha1.StorageBenchmarkScheduleStatus, int) error { return nil })
}

// untilSo waits until condition Regressed has a reason and the check has nothing to say, and tells how the schedule is.
func (w *stage) untilSo(regressed string, check func(status *v1alpha1.StorageBenchmarkScheduleStatus, there int) error) string {
	w.Helper()
	current := &v1alpha1.StorageBenchmarkSchedule{}
	w.until(func() error {
		var list v1alpha1.StorageBenchmarkList
		if err := errors.Join(w.Client.Get(w.Context(), client.ObjectKeyFromObject(w.schedule), current), w.Client.List(w.Context(), &list, client.InNamespace(w.Namespace))); err != nil {
			return err
		}
		if c := meta.FindStatusCondition(current.Status.Conditions, v1alpha1.ConditionRegressed); regressed != "" && (c == nil || c.Reason != regressed) {
			return fmt.Errorf("condition Regressed is %+v, want %s", c, regressed)
		}
		if c := meta.FindStatusCondition(current.Status.Conditions, v1alpha1.ConditionHistoryKept); c != nil && c.Status != metav1.ConditionTrue {
			return fmt.Errorf("condition HistoryKept is %+v", c)
		}
		if err := check(&current.Status, len(list.Items)); err != nil || len(w.expected) == 0 {
			return err
		}
		if diff := cmp.Diff(w.expected[0], w.describe(&current.Status)); diff != "" {
			return fmt.Errorf("(-undisturbed +disturbed):\n%s", diff)
		}
		return nil
	})
	w.expected = w.expected[min(1, len(w.expected)):]
	return w.describe(&current.Status)
}

// describe tells of a status what is the same in each playing.
func (w *stage) describe(status *v1alpha1.StorageBenchmarkScheduleStatus) string {
	lines := []string{
		fmt.Sprintf("missed %d, active %v, history %v", status.MissedStarts, status.Active, status.History),
		fmt.Sprintf("last start %s, next %s, last success %s", w.of(status.LastScheduleTime), w.of(status.NextScheduleTime), w.of(status.LastSuccessfulTime)),
	}
	for _, c := range status.Conditions {
		lines = append(lines, fmt.Sprintf("%s=%s %s: %s", c.Type, c.Status, c.Reason, c.Message))
	}
	slices.Sort(lines)
	return w.normalize(strings.Join(lines, "\n"))
}

func (w *stage) of(t *metav1.Time) string {
	if t == nil {
		return "never"
	}
	return fmt.Sprintf("in minute %d", int(t.Sub(w.dawn)/time.Minute))
}

// named is a StorageBenchmark of the schedule, aged a time in a message, and numbered a ConfigMap of the history.
var (
	named    = regexp.MustCompile(`nightly-([0-9]+)-[0-9a-f]{5}`)
	aged     = regexp.MustCompile(`[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2} UTC`)
	numbered = regexp.MustCompile(`(nightly-history-[0-9]+)-[0-9a-f]{5}`)
)

// normalize replaces what differs between two playings of a plot.
func (w *stage) normalize(text string) string {
	text = named.ReplaceAllStringFunc(text, func(name string) string {
		minutes, _ := strconv.ParseInt(named.FindStringSubmatch(name)[1], 10, 64)
		return fmt.Sprintf("that of minute %d", minutes-w.dawn.Unix()/60)
	})
	return numbered.ReplaceAllString(aged.ReplaceAllString(text, "TIME"), "$1")
}

// points returns those of the history, whatever the status says of that.
func (w *stage) points() []string {
	w.Helper()
	object := &corev1.ConfigMap{}
	err := w.Client.Get(w.Context(), client.ObjectKey{Namespace: w.Namespace, Name: schedule.HistoryName(w.schedule, 0)}, object)
	if client.IgnoreNotFound(err) != nil {
		w.Fatal(err)
	}
	if err != nil {
		return nil
	}
	h, err := history.Decode([][]byte{object.BinaryData[v1alpha1.HistoryKey]})
	if err != nil {
		w.Fatal(err)
	}
	var points []string
	for _, p := range h.Points {
		points = append(points, w.normalize(fmt.Sprintf("%d: %s %s %v", p.Sequence, p.Benchmark, p.Reason, p.Cases)))
	}
	return points
}

// delete deletes the schedule, and waits until all is gone.
func (w *stage) delete() {
	w.Helper()
	if err := w.Client.Delete(w.Context(), w.schedule); err != nil {
		w.Fatal(err)
	}
	w.Eventually(func() error {
		if left := w.remains(); len(left) > 0 {
			return fmt.Errorf("left are %v", left)
		}
		return nil
	})
}

// remains returns what there is of the schedule.
func (w *stage) remains() []string {
	w.Helper()
	here := []client.ListOption{client.InNamespace(w.Namespace)}
	return slices.Concat(w.names(&v1alpha1.StorageBenchmarkList{}, here),
		w.names(&corev1.ConfigMapList{}, append(here, client.MatchingLabels{v1alpha1.LabelManagedBy: v1alpha1.ManagedBy})))
}

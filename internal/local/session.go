// Package local measures StorageBenchmarks on a plain machine: in directories, with the machine's own fio, and with the
// same plan, runner and judgement as in a cluster. It needs Linux, as the runner does.
package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilrand "k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/utils/clock"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/evaluation"
	"github.com/storagebench/storagebench/internal/humanize"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/internal/storage"
)

// maxMessage is the most bytes of a condition's message.
const maxMessage = 4096

// Config describes what is measured, and where.
type Config struct {
	// Benchmark is as a file or flags describe it. Its targets describe the storage that is mounted at the directories.
	Benchmark *v1alpha1.StorageBenchmark
	// Directories are where targets are mounted, by the names of the targets.
	Directories map[string]string
	// InstanceType is the type of the EC2 instance that this machine is. "": the system is asked.
	InstanceType string
	// Fio is the program.
	Fio string

	Clock clock.PassiveClock
	// Changed gets a copy of the benchmark whenever its status has changed, and Line each line that a run logs. Either
	// may be nil.
	Changed func(*v1alpha1.StorageBenchmark)
	Line    func(string)
}

// Session is one measurement of a benchmark.
type Session struct {
	config      Config
	sb          *v1alpha1.StorageBenchmark
	told        v1alpha1.StorageBenchmarkSpec
	runs        []plan.Run
	directories map[string]string
	// found are the directories as they were at the beginning: a mount can go, and another directory take the place.
	found map[string]os.FileInfo
	file  *File
	// saveErr is why the file could not be written the last time, nil if it was.
	saveErr error
}

// New checks and plans a benchmark. Nothing is written until Run.
func New(config Config) (*Session, error) {
	s := &Session{config: config, told: *config.Benchmark.Spec.DeepCopy().Default()}
	spec, err := measurable(&s.told, config.Directories)
	if err != nil {
		return nil, err
	}
	if s.directories, err = checkDirectories(config.Directories, namesOf(spec)); err != nil {
		return nil, err
	}
	if s.found, err = statAll(s.directories); err != nil {
		return nil, err
	}
	s.sb = newBenchmark(config.Benchmark, spec, metav1.NewTime(config.Clock.Now()))
	s.sb.Status.Targets = s.describeTargets(machine{root: "/"})
	runs, problems := plan.Runs(&s.sb.Spec, plan.VolumesOf(s.sb.Status.Targets))
	s.runs = runs
	return s, problems.ToAggregate()
}

// newBenchmark returns a benchmark with the metadata that an API server would give it.
func newBenchmark(
	from *v1alpha1.StorageBenchmark, spec *v1alpha1.StorageBenchmarkSpec, now metav1.Time,
) *v1alpha1.StorageBenchmark {
	sb := &v1alpha1.StorageBenchmark{
		TypeMeta: metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "StorageBenchmark"},
		ObjectMeta: metav1.ObjectMeta{
			Name: from.Name, UID: uuid.NewUUID(), CreationTimestamp: now, Labels: from.Labels, Annotations: from.Annotations,
		},
		Spec: *spec,
	}
	if sb.Name == "" {
		const characters = 5
		sb.Name = cmp.Or(from.GenerateName, "fio-") + utilrand.String(characters)
	}
	return sb
}

// describeTargets returns what is known of each target: by the spec, and by what the system tells.
func (s *Session) describeTargets(m machine) (all []v1alpha1.TargetStatus) {
	instanceType := cmp.Or(s.config.InstanceType, m.instanceType())
	node, err := os.Hostname()
	if err != nil {
		node = ""
	}
	for i := range s.told.Targets {
		target := s.told.Targets[i].DeepCopy()
		directory := s.directories[target.Name]
		found := m.volumeAt(directory)
		if target.EBS != nil && found.bytes > 0 {
			target.Capacity = resource.NewQuantity(found.bytes, resource.BinarySI)
		}
		driver := cmp.Or(storage.Driver(target), found.driver)
		all = append(all, v1alpha1.TargetStatus{
			Name: target.Name, Driver: driver, VolumeMode: corev1.PersistentVolumeFilesystem,
			Volumes: []v1alpha1.VolumeStatus{{
				Name: node + ":" + directory, Handle: found.handle, Node: node, InstanceType: instanceType,
			}},
			Limits:       storage.Limits(target, storage.Class{Driver: driver, Unknown: true}),
			ClientLimits: storage.ClientLimits(target, driver, instanceType),
		})
	}
	return all
}

// Name returns the name of the benchmark.
func (s *Session) Name() string { return s.sb.Name }

// Plan returns the runs that are made.
func (s *Session) Plan() []plan.Run { return s.runs }

// Notes are what users should know before anything is measured.
func (s *Session) Notes() (notes []string) {
	if s.told.Pod != nil || s.told.Placement != nil {
		notes = append(notes, "spec.pod and spec.placement are about pods, and change nothing on this machine")
	}
	for i := range s.sb.Status.Targets {
		target := &s.sb.Status.Targets[i]
		if handle := target.Volumes[0].Handle; handle != "" {
			notes = append(notes, fmt.Sprintf("target %s is on %s", target.Name, handle))
		}
		for _, directory := range leftovers(s.directories[target.Name]) {
			notes = append(notes, fmt.Sprintf("%s has test files of another benchmark. If none is under way, it was killed. "+
				"Remove them: rm -r %s", target.Name, shellQuoted(directory)))
		}
	}
	return notes
}

// Run measures until all runs have ended or the context ends, removes the test files, and returns the benchmark. After
// each run the file has what was measured. The error is about the file: how the runs ended is in the status.
func (s *Session) Run(ctx context.Context, file *File) (*v1alpha1.StorageBenchmark, error) {
	s.file = file
	evaluation.Begin(s.sb, s.runs, s.now())
	s.save() // what is killed in its first run can be read, and names its test files
	for run := s.next(); run != nil && ctx.Err() == nil && !s.sb.Status.HasMeasured(); run = s.next() {
		s.measure(ctx, run)
		s.save()
	}
	s.conclude(ctx)
	s.cleanUp()
	s.finish()
	s.save()
	return s.result(), s.saveErr
}

// next returns the run that is made next, nil if there is none.
func (s *Session) next() *v1alpha1.Run {
	run, searchEnded := evaluation.Next(s.sb, s.runs)
	evaluation.Compare(s.sb, searchEnded)
	return run
}

// conclude says how the runs ended.
func (s *Session) conclude(ctx context.Context) {
	status := &s.sb.Status
	switch measured, words := attempt.SumUp(status, s.config.Clock.Now()); {
	case status.HasMeasured(): // a deadline was missed
	case ctx.Err() != nil && status.EndedRuns() < len(status.Runs):
		s.set(v1alpha1.ConditionMeasured, metav1.ConditionFalse, v1alpha1.ReasonInterrupted, fmt.Sprintf(
			"interrupted after %d of %s", status.EndedRuns(), humanize.Plural(len(status.Runs), "run")))
	case measured:
		s.set(v1alpha1.ConditionMeasured, metav1.ConditionTrue, v1alpha1.ReasonCompleted, words)
	default:
		s.set(v1alpha1.ConditionMeasured, metav1.ConditionFalse, v1alpha1.ReasonRunFailed, words)
	}
	if judged := evaluation.Judge(s.sb); judged != nil {
		s.set(judged.Type, judged.Status, judged.Reason, judged.Message)
	}
}

// cleanUp removes the test files, and says what is left.
func (s *Session) cleanUp() {
	if s.sb.Spec.CleanupPolicy == v1alpha1.CleanupRetain {
		s.set(v1alpha1.ConditionCleanedUp, metav1.ConditionFalse, v1alpha1.ReasonRetained,
			"spec.cleanupPolicy is Retain: remove the test files yourself: rm -r "+strings.Join(quotedAll(s.testDirectories()), " "))
		return
	}
	s.step(v1alpha1.ReasonCleaningUp, "test files are being removed")
	var left []string
	for i := range s.sb.Status.Targets {
		target := &s.sb.Status.Targets[i]
		target.TestFiles = v1alpha1.TestFilesRemoved
		if why := s.whyChanged(target.Name); why != "" {
			target.TestFiles = v1alpha1.TestFilesLeftBehind
			left = append(left, fmt.Sprintf("test files of target %s are left: %s: remove %s where that directory is now",
				target.Name, why, filepath.Base(s.testDirectory(target.Name))))
			continue
		}
		if err := s.remove(s.testDirectory(target.Name)); err != nil {
			target.TestFiles = v1alpha1.TestFilesLeftBehind
			left = append(left, fmt.Sprintf("test files of target %s are left: %v: rm -r %s",
				target.Name, err, shellQuoted(s.testDirectory(target.Name))))
		}
	}
	if len(left) > 0 {
		s.set(v1alpha1.ConditionCleanedUp, metav1.ConditionFalse, v1alpha1.ReasonLeftBehind, strings.Join(left, "; "))
		return
	}
	s.set(v1alpha1.ConditionCleanedUp, metav1.ConditionTrue, v1alpha1.ReasonNothingLeft, "test files are removed")
}

// remove removes a directory, unless the storage does not answer for as long as clean-up may take.
func (s *Session) remove(directory string) error {
	limit := attempt.CleanUpLimit(s.sb.Spec.Deadlines)
	removed := make(chan error, 1)
	go func() { removed <- os.RemoveAll(directory) }()
	select {
	case err := <-removed:
		return err
	case <-time.After(limit.Duration()):
		return errors.New(limit.Waited("their removal"))
	}
}

// finish ends the benchmark with the outcome of its runs.
func (s *Session) finish() {
	measured := s.sb.Status.Condition(v1alpha1.ConditionMeasured)
	message := measured.Message
	if s.sb.Status.HasLeftovers() {
		message += "; " + s.sb.Status.Condition(v1alpha1.ConditionCleanedUp).Message
	}
	s.sb.Status.CompletionTime = new(s.now())
	s.set(v1alpha1.ConditionSucceeded, measured.Status, measured.Reason, message)
}

// step tells users which step the benchmark is at.
func (s *Session) step(reason, message string) {
	s.set(v1alpha1.ConditionSucceeded, metav1.ConditionUnknown, reason, message)
}

// set sets a condition, and tells of the change.
func (s *Session) set(kind string, status metav1.ConditionStatus, reason, message string) {
	meta.SetStatusCondition(&s.sb.Status.Conditions, metav1.Condition{
		Type: kind, Status: status, Reason: reason, Message: humanize.Fit(message, maxMessage), LastTransitionTime: s.now(),
	})
	evaluation.Compare(s.sb, false)
	evaluation.Summarize(&s.sb.Status)
	if s.config.Changed != nil {
		s.config.Changed(s.sb.DeepCopy())
	}
}

func (s *Session) now() metav1.Time { return metav1.NewTime(s.config.Clock.Now()) }

// result returns the benchmark with the spec that users gave it.
func (s *Session) result() *v1alpha1.StorageBenchmark {
	sb := s.sb.DeepCopy()
	sb.Spec = *s.told.DeepCopy()
	return sb
}

func (s *Session) save() {
	evaluation.Summarize(&s.sb.Status)
	s.saveErr = s.file.Write(s.result())
}

// testDirectories returns the directories of test files, in a stable order.
func (s *Session) testDirectories() (all []string) {
	for _, target := range slices.Sorted(maps.Keys(s.directories)) {
		all = append(all, s.testDirectory(target))
	}
	return all
}

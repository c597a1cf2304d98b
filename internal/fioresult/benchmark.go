// Package fioresult turns what fio printed, on any machine, into a StorageBenchmark with results, so that all that explains,
// compares and prints results works on it. It is pure.
package fioresult

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/evaluation"
	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/fiodigest"
	"github.com/storagebench/storagebench/internal/fioimport"
	"github.com/storagebench/storagebench/internal/fiooutput"
	"github.com/storagebench/storagebench/internal/humanize"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/internal/result"
	"github.com/storagebench/storagebench/internal/storage"
)

// Storage is what fio measured, as far as the user knows it: fio does not say.
type Storage struct {
	// Target describes the volume, as a target of a spec would: ebs, efs or s3 with its settings, or limits. Its name is that
	// of the target in the result.
	Target v1alpha1.Target
	// InstanceType is the type of the EC2 instance that fio ran on, "" if it is not known.
	InstanceType string
	// Options are options of fio that the output does not name, such as direct, by fio's names.
	Options map[string]string
}

// Benchmark returns the StorageBenchmark of one run of fio, whose output is JSON (fio 2.14 and later) or the text that fio prints
// for people. The volume counts as one that was there before: nobody knows how many burst credits it had. The note says what
// users have to know of the figures, "" if there is nothing.
func Benchmark(name string, output []byte, on Storage) (sb *v1alpha1.StorageBenchmark, note string, err error) {
	printed, err := parse(output)
	if err != nil {
		return nil, "", err
	}
	if err := printed.Err(); err != nil {
		return nil, "", fmt.Errorf("fio failed, and what it printed is no result: %w", err)
	}
	for i := range printed.Groups {
		maps.Copy(printed.Groups[i].Options, on.Options)
	}
	if err := checkOptions(printed); err != nil {
		return nil, "", err
	}
	report, err := fiodigest.New(printed)
	if err != nil {
		return nil, "", err
	}
	sb = newBenchmark(name, jobFileOf(printed), on)
	planned := &plan.Run{
		Name: sb.Status.Runs[0].Name, Target: existing(on.Target.Name), Workload: &sb.Spec.Workloads[0], Clients: 1, Repetition: 1,
		Job: jobFileOf(printed),
	}
	if err := record(sb, planned, report); err != nil {
		return nil, "", err
	}
	setTimes(sb, printed)
	message := "1 run, read from fio's JSON"
	if printed.Rounded {
		message = "1 run, read from the text that fio prints for people, whose figures are rounded"
		note = "the figures are those of the text that fio prints for people, rounded to three or four digits"
	}
	summarize(sb, message)
	return sb, note, nil
}

// checkOptions returns an error if the text for people does not say what the result rests on: it never says direct, and in part of
// it the line with the other options may be missing.
func checkOptions(printed *fiooutput.Output) error {
	if !printed.Rounded {
		return nil
	}
	for i := range printed.Groups {
		g := &printed.Groups[i]
		if _, named := g.Options["rw"]; !named {
			return fmt.Errorf("job %s: the text lacks the line with its options: give them, such as --option rw=randread --option bs=4k --option iodepth=32",
				humanize.Excerpt(g.Name))
		}
		if _, named := g.Options["direct"]; !named {
			return fmt.Errorf("job %s: the text does not say whether the page cache was used: give --option direct=1 or --option direct=0", humanize.Excerpt(g.Name))
		}
	}
	return nil
}

// parse reads JSON, or else the text for people. Where there is neither, the error is about JSON, and has fio's own words.
func parse(output []byte) (*fiooutput.Output, error) {
	printed, err := fiooutput.Parse(output)
	if err == nil || len(fiooutput.Documents(output)) > 0 {
		return printed, err
	}
	printed, wrong := fiooutput.ParseText(output)
	if errors.Is(wrong, fiooutput.ErrNoJobs) {
		return nil, err
	}
	return printed, wrong
}

// newBenchmark returns a benchmark with one run that has no result yet.
func newBenchmark(name string, job *fio.JobFile, on Storage) *v1alpha1.StorageBenchmark {
	workload, target, driver := workloadOf(job), on.Target, storage.Driver(&on.Target)
	return &v1alpha1.StorageBenchmark{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "StorageBenchmark"},
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       v1alpha1.StorageBenchmarkSpec{Targets: []v1alpha1.Target{target}, Workloads: []v1alpha1.Workload{workload}},
		Status: v1alpha1.StorageBenchmarkStatus{
			Targets: []v1alpha1.TargetStatus{{
				Name: target.Name, Driver: driver, VolumeMode: corev1.PersistentVolumeFilesystem,
				Limits:       limitsOf(on.Target, driver),
				ClientLimits: storage.ClientLimits(&on.Target, driver, on.InstanceType),
			}},
			Runs: []v1alpha1.Run{{
				Name: workload.Name + "." + target.Name, Target: target.Name, Workload: workload.Name, Repetition: 1, Attempts: 1,
				State: v1alpha1.RunSucceeded,
			}},
			PlannedRuns: 1, FinishedRuns: 1,
		},
	}
}

// limitsOf returns what AWS documents of the storage, or what the target says itself. Buckets of which nobody knows the name count
// as those for general purposes.
func limitsOf(target v1alpha1.Target, driver string) *v1alpha1.KnownLimits {
	if target.S3 != nil && target.S3.Bucket == "" {
		target.S3 = &v1alpha1.S3Bucket{Bucket: "unnamed"}
	}
	return storage.Limits(&target, storage.Class{Driver: driver})
}

// existing returns a target that was there before the benchmark: nothing of what a new volume would have is known of it.
func existing(name string) *v1alpha1.Target { return &v1alpha1.Target{Name: name, ClaimName: &name} }

// record takes what fio reported into the run, and what it means.
func record(sb *v1alpha1.StorageBenchmark, planned *plan.Run, report *digest.Report) error {
	message, err := digest.Encode(*report)
	if err != nil {
		return err
	}
	measured, err := result.Read([]result.Part{{Report: message}}, planned)
	if err != nil {
		return err
	}
	return evaluation.Record(sb, &sb.Status.Runs[0], []plan.Run{*planned}, measured, nil)
}

// setTimes notes when fio measured, where it says so: fio 3.36 and later do.
func setTimes(sb *v1alpha1.StorageBenchmark, printed *fiooutput.Output) {
	var begin, end int64
	for i := range printed.Groups {
		g := &printed.Groups[i]
		if g.JobStart == 0 {
			return
		}
		if begin == 0 {
			begin = g.JobStart
		}
		begin, end = min(begin, g.JobStart), max(end, g.JobStart+g.ElapsedMilliseconds)
	}
	run := &sb.Status.Runs[0]
	run.StartTime, run.CompletionTime = new(metav1.NewTime(time.UnixMilli(begin).UTC())), new(metav1.NewTime(time.UnixMilli(end).UTC()))
	sb.Status.StartTime, sb.Status.CompletionTime = run.StartTime, run.CompletionTime
}

// summarize adds what a benchmark says of all of its runs.
func summarize(sb *v1alpha1.StorageBenchmark, message string) {
	evaluation.Compare(sb, true)
	meta.SetStatusCondition(&sb.Status.Conditions, metav1.Condition{
		Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonCompleted, Message: message,
	})
}

// workloadOf returns what fio did as a workload of a spec: with parameters where an import can express it, else as a job file.
func workloadOf(job *fio.JobFile) v1alpha1.Workload {
	text := job.String()
	if imported, err := (fioimport.Options{}).JobFile(text); err == nil {
		return imported.Workload
	}
	return v1alpha1.Workload{Name: fioimport.Label(firstJob(job)), JobFile: &text}
}

func firstJob(job *fio.JobFile) string {
	for _, section := range job.Sections() {
		if !section.IsGlobal() {
			return section.Name
		}
	}
	return ""
}

// jobFileOf returns a job file that has the results of an output: a section for each, with the options that the output names. Of
// jobs that fio reports together, it prints the options of the first one only.
func jobFileOf(printed *fiooutput.Output) *fio.JobFile {
	var sections fio.Sections
	seen := map[string]bool{}
	for i := range printed.Groups {
		g := &printed.Groups[i]
		name := fio.SectionName(g.Name)
		for n := 2; seen[name] || name == ""; n++ {
			name = fio.SectionName(fmt.Sprintf("%s-%d", humanize.Cut(g.Name, 48, ""), n))
		}
		seen[name] = true
		section := fio.Section{Name: name, Options: optionsOf(g)}
		if i > 0 && g.ID != printed.Groups[i-1].ID && !waits(g) {
			section.Options = append(section.Options, fio.Option{Name: "stonewall"})
		}
		sections = append(sections, section)
	}
	return sections.File()
}

// optionsOf returns the options of a result, and the number of jobs where fio printed each by itself.
func optionsOf(g *fiooutput.Group) []fio.Option {
	var options []fio.Option
	for _, name := range slices.Sorted(maps.Keys(g.Options)) {
		if name != "name" {
			options = append(options, fio.Option{Name: name, Value: g.Options[name], HasValue: g.Options[name] != ""})
		}
	}
	if _, given := g.Options["numjobs"]; !given && g.Jobs > 1 {
		options = append(options, fio.Option{Name: "numjobs", Value: strconv.Itoa(g.Jobs), HasValue: true})
	}
	return options
}

// waits reports whether a job begins another group of results by its own options.
func waits(g *fiooutput.Group) bool {
	_, stonewall := g.Options["stonewall"]
	_, newGroup := g.Options["new_group"]
	return stonewall || newGroup
}

package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/humanize"
	"github.com/storagebench/storagebench/internal/report/cases"
	"github.com/storagebench/storagebench/internal/report/wording"
)

// Remark is what is said of how two benchmarks were measured, below what they measured. Head is one word.
type Remark struct{ Head, Text string }

// Remarks say what the verdicts rest on.
func (p *Pair) Remarks() []Remark {
	var all []Remark
	for i, sb := range p.Benchmarks {
		if text := incomplete(&sb.Status, p.Labels[i]); text != "" {
			all = append(all, Remark{"Incomplete", text})
		}
	}
	for i, sb := range p.Benchmarks {
		if text := abandonedCount(&sb.Status, p.Labels[i]); text != "" {
			all = append(all, Remark{"Abandoned", text})
		}
	}
	return append(all, Remark{"Measured", p.when() + p.where() + ". Verdicts count as a difference whatever else was not the same."})
}

// when says how far apart two benchmarks were measured. Each has all of its repetitions in its own time, so that none of them shows what changed in
// between: to a verdict that is a difference of the storage.
func (p *Pair) when() string {
	first, second := measuredOver(p.Benchmarks[0], p.Labels[0]), measuredOver(p.Benchmarks[1], p.Labels[1])
	if first.from == nil || second.from == nil {
		return "at unknown times"
	}
	if second.from.Before(first.from) {
		first, second = second, first
	}
	if first.to == nil || second.from.Before(first.to) {
		return fmt.Sprintf("at the same time in part, %s from %s on and %s from %s on", first.name, wording.Minute(first.from), second.name, wording.Minute(second.from))
	}
	apart := second.from.Sub(first.to.Time)
	return fmt.Sprintf("%s until %s and %s from %s on, %s apart", first.name, wording.Minute(first.to), second.name, wording.Minute(second.from), roughly(apart))
}

// span is when a benchmark measured: from the start of its first run to the end of its last one. Where runs do not say, it is the time from its start to its
// end, with waits for nodes and clean-up. nil: it is not known, or goes on.
type span struct {
	name     string
	from, to *metav1.Time
}

func measuredOver(sb *v1alpha1.StorageBenchmark, label string) span {
	s := span{name: label}
	for i := range sb.Status.Runs {
		run := &sb.Status.Runs[i]
		if run.StartTime != nil && (s.from == nil || run.StartTime.Before(s.from)) {
			s.from = run.StartTime
		}
		if run.CompletionTime != nil && (s.to == nil || s.to.Before(run.CompletionTime)) {
			s.to = run.CompletionTime
		}
	}
	s.from, s.to = cmp.Or(s.from, sb.Status.StartTime), cmp.Or(s.to, sb.Status.CompletionTime)
	if sb.Status.CompletionTime == nil && !sb.Status.HasMeasured() {
		s.to = nil
	}
	return s
}

// roughly prints a time in the unit of which there are at least two.
func roughly(d time.Duration) string {
	for _, unit := range []struct {
		name string
		of   time.Duration
	}{{"day", 24 * time.Hour}, {"hour", time.Hour}, {"minute", time.Minute}} {
		if n := d / unit.of; n >= 2 {
			return humanize.Plural(int(n), unit.name)
		}
	}
	return humanize.Plural(int(d.Seconds()), "second")
}

// where says whether what is compared was measured on the same volumes, "" if that is not known of all.
func (p *Pair) where() string {
	same, other := false, false
	for i := range p.Both {
		targets := p.Both[i].Targets
		if bucket := bucketOf(p.Benchmarks[0], targets[0].Name); bucket != "" {
			isThere := bucket == bucketOf(p.Benchmarks[1], targets[1].Name)
			same, other = same || isThere, other || !isThere
			continue
		}
		own, others := cases.TargetStatus(p.Benchmarks[0], targets[0].Name).Volumes, cases.TargetStatus(p.Benchmarks[1], targets[1].Name).Volumes
		if len(own) == 0 || len(others) == 0 {
			return ""
		}
		for j := range own {
			isThere := slices.ContainsFunc(others, func(v v1alpha1.VolumeStatus) bool { return isVolume(&own[j], &v) })
			same, other = same || isThere, other || !isThere
		}
	}
	switch {
	case same && other:
		return ", in part on other volumes"
	case other:
		return ", on other volumes"
	case same:
		return ", on the same volumes"
	default:
		return ""
	}
}

// isVolume says whether two volumes are one. A volume that was there before can have another PersistentVolume in each benchmark. Where the storage's name for
// it is not known, its handle is its name.
func isVolume(a, b *v1alpha1.VolumeStatus) bool {
	known := func(v *v1alpha1.VolumeStatus) bool { return v.Handle != "" && v.Handle != v.Name }
	if known(a) && known(b) {
		return systemOf(a.Handle) == systemOf(b.Handle)
	}
	return a.Name == b.Name
}

// bucketOf returns the bucket of a target, "" if it has none. Its volumes have another name in each benchmark.
func bucketOf(sb *v1alpha1.StorageBenchmark, target string) string {
	spec := cases.FirstOr(v1alpha1.Target{}, sb.Spec.Targets, func(t v1alpha1.Target) bool { return t.Name == target })
	if spec.S3 == nil {
		return ""
	}
	return spec.S3.Bucket + " " + ptr.Deref(spec.S3.EndpointURL, "")
}

// systemOf is the file system of an access point of EFS, such as fs-0123::fsap-4567, and otherwise the handle.
func systemOf(handle string) string {
	if !strings.HasPrefix(handle, "fs-") {
		return handle
	}
	system, _, _ := strings.Cut(handle, "::")
	system, _, _ = strings.Cut(system, ":/")
	return system
}

// incomplete says how many runs of a benchmark have a result, "" if all have. Those that failed may have done so because the storage is bad, so that a
// verdict on the others is one on survivors.
func incomplete(status *v1alpha1.StorageBenchmarkStatus, label string) string {
	counts := map[v1alpha1.RunState]int{}
	for i := range status.Runs {
		counts[status.Runs[i].State]++
	}
	measured, failed, all := counts[v1alpha1.RunSucceeded], counts[v1alpha1.RunFailed], len(status.Runs)
	if measured == all {
		return ""
	}
	var parts []string
	if failed > 0 {
		parts = append(parts, fmt.Sprintf("%d failed", failed))
	}
	if missing := all - measured - failed; missing > 0 {
		word := "not made yet"
		if status.CompletionTime != nil {
			word = "not made"
		}
		parts = append(parts, fmt.Sprintf("%d %s", missing, word))
	}
	return fmt.Sprintf("%d of %s of %s have a result (%s). Verdicts are on these alone.", measured, humanize.Plural(all, "run"), label, strings.Join(parts, ", "))
}

// MaxAbandoned is the most attempts without a result that a status keeps.
const MaxAbandoned = 32

// abandonedCount says how many attempts of a benchmark were ended without a result, "" if none was.
func abandonedCount(status *v1alpha1.StorageBenchmarkStatus, label string) string {
	switch n := len(status.AbandonedAttempts); {
	case n == 0:
		return ""
	case n >= MaxAbandoned:
		return fmt.Sprintf("%d attempts or more of %s ended without a result.", n, label)
	default:
		return fmt.Sprintf("%s of %s ended without a result.", humanize.Plural(n, "attempt"), label)
	}
}

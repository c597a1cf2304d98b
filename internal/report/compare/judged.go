package compare

import (
	"fmt"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/report/wording"
)

// judgedFigures are figures of the second benchmark that have a verdict.
type judgedFigures struct {
	// subject names them, such as "randwrite bs=16k on gp3: write".
	Subject string
	figures *v1alpha1.FiguresComparison
}

// Worst returns the verdict, which is Slower also if a latency is.
func (j *judgedFigures) Worst() v1alpha1.Verdict {
	f := j.figures
	for _, latency := range []*v1alpha1.Statistic{f.MeanNanoseconds, f.P50Nanoseconds, f.P90Nanoseconds, f.P99Nanoseconds} {
		if latency != nil && latency.Verdict == v1alpha1.VerdictSlower {
			return v1alpha1.VerdictSlower
		}
	}
	return f.Verdict()
}

// InWords tells how the figures compare with those of the first benchmark.
func (j *judgedFigures) InWords() string {
	text := string(j.Worst())
	if iops := j.figures.MilliIOPS; iops != nil && iops.Median > 0 {
		text = fmt.Sprintf("%s: %s IOPS", text, wording.IOPS(iops.Median))
	}
	if j.figures.MilliIOPS.Multiple() != "" {
		text += fmt.Sprintf(", %sx", j.figures.MilliIOPS.Multiple())
	}
	if j.figures.P99Nanoseconds.Multiple() != "" {
		text += fmt.Sprintf(", p99 %sx", j.figures.P99Nanoseconds.Multiple())
	}
	return text
}

package result

import (
	"fmt"
	"math"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/humanize"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/internal/steady"
)

// addSteadyState notes whether what was measured is steady, or what ran right before it, of a run that waited for it. What else reports say so is forged.
func (m *Measured) addSteadyState(planned *plan.Run) {
	if planned == nil {
		return
	}
	if planned.Until == nil || m.Result == nil {
		m.addFioSteadyStates(planned)
		return
	}
	rounds, after := roundsOf(m.reports)
	seen := steady.JudgeRounds(rounds)
	m.Result.SteadyState = &v1alpha1.SteadyState{
		Attained: seen.Within(planned.Until), AfterSeconds: int32(min((max(after, 0)+500)/1000, v1alpha1.MaxRunSeconds)),
		RangePercent: percentUp(seen.Range), SlopePercent: percentUp(seen.Slope),
	}
	if !m.Result.SteadyState.Attained {
		m.notSteady = notSteady(planned.Until, len(rounds) > 0, m.Result.SteadyState)
	}
}

// addFioSteadyStates notes what fio's own option found, in results whose jobs have it: what all clients have attained is attained.
func (m *Measured) addFioSteadyStates(planned *plan.Run) {
	for i, has := range planned.Job.SteadyStates() {
		found := m.fioSteadyState(i)
		if !has || found == nil {
			continue
		}
		m.results[i].SteadyState = found
		if m.Result == nil {
			m.Sections[i].SteadyState = found
		}
		if !found.Attained && m.notSteady == "" {
			m.notSteady = fmt.Sprintf("fio did not find job %s steady by %s before its time was over", humanize.Excerpt(m.merged.Report.Groups[i].Name), found.Criterion)
		}
	}
}

// fioSteadyState returns what fio found in a result, nil if a client does not say.
func (m *Measured) fioSteadyState(result int) *v1alpha1.SteadyState {
	all := &v1alpha1.SteadyState{Attained: true}
	for _, report := range m.reports {
		s := report.Groups[result].Steady
		if s == nil {
			return nil
		}
		all.Criterion, all.Attained = s.Criterion, all.Attained && s.Attained
	}
	return all
}

// roundsOf adds up the rates of clients, which are on one clock. There are none if one of them does not know its own. after is the longest time before.
func roundsOf(reports []*digest.Report) (rounds []int64, after int64) {
	for i, report := range reports {
		s := report.Steady
		if s == nil {
			return nil, after
		}
		after = max(after, s.AfterMilliseconds)
		if i == 0 {
			rounds = make([]int64, len(s.Rounds))
		}
		if len(s.Rounds) != len(rounds) {
			return nil, after
		}
		for j, rate := range s.Rounds {
			rounds[j] += rate
		}
	}
	return rounds, after
}

// maxSteadyPercent is what stands for more.
const maxSteadyPercent = 10_000

// percentUp rounds up, so that what is too much is also too much in whole numbers.
func percentUp(percent float64) int32 {
	const exact = 1e-9
	return int32(math.Ceil(min(percent, maxSteadyPercent) - exact))
}

var metricWords = map[string]string{steady.IOPS: "IOPS", steady.Bandwidth: "bandwidth"}

// notSteady says what was seen of a rate that did not become steady in its time.
func notSteady(u *steady.Until, known bool, s *v1alpha1.SteadyState) string {
	which := "that were measured then"
	if !u.Judged {
		which = "right before that"
	}
	if !known && u.Judged {
		return fmt.Sprintf("fio told too little of its rate in the %d s that were measured to say whether they are steady", u.WindowSeconds)
	}
	if !known {
		return fmt.Sprintf("fio told too little of its rate in the %d s before what was measured to say whether they are steady", u.WindowSeconds)
	}
	return fmt.Sprintf("not steady after %d s: in the %d s %s, %s ranged over %d %% of the mean (at most %d %% may be), and the line that fits best changed by %d %% (at most %d %%)",
		s.AfterSeconds, u.WindowSeconds, which, metricWords[u.Metric], s.RangePercent, u.RangePercent, s.SlopePercent, u.SlopePercent)
}

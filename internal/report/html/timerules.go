package html

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/analysis"
	"github.com/storagebench/storagebench/internal/report/wording"
)

// maxRuleShare bounds the value of a line across, as a multiple of the largest figure. A higher line would leave little
// room for what was measured.
const maxRuleShare = 1.6

// addRules adds lines across to charts of IOPS and bandwidth: the nearest limit, and the nearest one without burst credits.
func (r *results) addRules(metrics map[string]plotted, shown []timed, d direction) {
	for _, metric := range []string{metricIOPS, metricBandwidth} {
		p := metrics[metric]
		p.Rules = r.rules(p, shown, metric, d)
		metrics[metric] = p
	}
}

// rules returns the lines across a chart, one for all targets that have the same.
func (r *results) rules(p plotted, shown []timed, metric string, d direction) []rule {
	owners := map[across][]string{}
	for _, t := range shown {
		if t.again > 0 {
			continue
		}
		for _, line := range r.linesOf(&t, metric, d) {
			own := strings.ReplaceAll(line.owner, targetPlace, t.target.Name)
			line.owner = ""
			owners[line] = append(owners[line], own)
		}
	}
	var rules []rule
	for line, names := range owners {
		if at := float64(line.value) / p.unit.Size; at <= maxRuleShare*p.greatest() {
			rules = append(rules, rule{at, line.text(p.unit, names), line.withoutCredits})
		}
	}
	slices.SortFunc(rules, func(a, b rule) int { return cmp.Or(cmp.Compare(b.Value, a.Value), cmp.Compare(a.Text, b.Text)) })
	return rules
}

// greatest returns the largest figure of all lines.
func (p *plotted) greatest() float64 {
	largest := 0.0
	for _, line := range p.Lines {
		for _, y := range slices.Concat(line.Y, line.High) {
			largest = max(largest, float64(y))
		}
	}
	return largest
}

// across is a line across a chart, in I/Os or bytes per second.
type across struct {
	value int64
	// by is the limit that the line follows from, where that is in the other unit: bandwidth for a line of IOPS.
	by string
	// owner says whose limit it is, with targetPlace for the name of the target.
	owner          string
	withoutCredits bool
}

// targetPlace stands for the name of a target.
const targetPlace = "TARGET"

// text is the label of a line. The figure comes first, because a label without room is cut at its end.
func (a *across) text(unit wording.Unit, owners []string) string {
	words := "%s %s: limit of %s"
	if a.withoutCredits {
		words = "%s %s: %s without credits"
	}
	text := fmt.Sprintf(words, unit.Of(a.value), unit.Name, strings.Join(owners, ", "))
	if a.by != "" {
		text += " (" + a.by + ")"
	}
	return text
}

// limited are the limits that a run has together, and whose they are.
type limited struct {
	v1alpha1.KnownLimits

	times int64
	owner string
}

// linesOf returns the lines of a run: its nearest limit, and the nearest one without burst credits if that is lower.
func (r *results) linesOf(t *timed, metric string, d direction) []across {
	var limit, baseline []across
	for _, l := range r.limitsOf(t) {
		base := l
		base.KnownLimits = analysis.BaselineOf(l.KnownLimits)
		limit = append(limit, l.lines(t.blockBytes(), metric, d)...)
		baseline = append(baseline, base.lines(t.blockBytes(), metric, d)...)
	}
	byValue := func(a, b across) int { return cmp.Compare(a.value, b.value) }
	var lines []across
	if len(limit) > 0 {
		lines = append(lines, slices.MinFunc(limit, byValue))
	}
	if len(baseline) > 0 {
		lowest := slices.MinFunc(baseline, byValue)
		lowest.withoutCredits = true
		if len(limit) == 0 || lowest.value < lines[0].value {
			lines = append(lines, lowest)
		}
	}
	return lines
}

// limitsOf returns the limits of a run's storage and of its clients, as far as they are known.
func (r *results) limitsOf(t *timed) []limited {
	clients := max(int64(t.run.Clients), 1)
	var all []limited
	for i := range r.sb.Status.Targets {
		status := &r.sb.Status.Targets[i]
		if status.Name != t.target.Name {
			continue
		}
		if status.Limits != nil {
			all = append(all, limited{*status.Limits, max(1, min(int64(len(status.Volumes)), clients)), targetPlace})
		}
		for _, l := range status.ClientLimits {
			all = append(all, limited{l, clients, targetPlace + "'s " + cmp.Or(scopeWords[l.Scope], "node")})
		}
	}
	return slices.DeleteFunc(all, func(l limited) bool { return l.Precision != "" })
}

// lines returns where limits are in a chart of a metric, for blocks of a size: 125 MiB/s are 2000 IOPS of 64 KiB.
func (l *limited) lines(blockBytes float64, metric string, d direction) []across {
	iops := ofDirection(d, l.IOPS, l.ReadIOPS, l.WriteIOPS)
	bytes := ofDirection(d, l.BytesPerSecond, l.ReadBytesPerSecond, l.WriteBytesPerSecond)
	own, other, inWords, factor := iops, bytes, wording.Bandwidth, 1/blockBytes
	if metric == metricBandwidth {
		own, other, inWords, factor = bytes, iops, wording.PerSecond, blockBytes
	}
	var lines []across
	if own != nil {
		lines = append(lines, across{value: *own * l.times, owner: l.owner})
	}
	if other != nil && blockBytes > 0 {
		value := int64(math.Round(float64(*other*l.times) * factor))
		lines = append(lines, across{value: value, by: inWords(*other * l.times), owner: l.owner})
	}
	return lines
}

// blockBytes returns how many bytes an I/O of a run has on average, 0 if it did none.
func (t *timed) blockBytes() float64 {
	ios := mean(t.IOPS.Mean)
	if ios == 0 {
		return 0
	}
	return mean(t.BytesPerSecond.Mean) / ios
}

// ofDirection returns the limit of a direction, or the one of all.
func ofDirection(d direction, all, reads, writes *int64) *int64 {
	switch {
	case d.name == v1alpha1.OperationRead && reads != nil:
		return reads
	case d.name == v1alpha1.OperationWrite && writes != nil:
		return writes
	default:
		return all
	}
}

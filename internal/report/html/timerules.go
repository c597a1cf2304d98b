package html

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/analysis"
)

// maxRuleShare is how many times all that was measured the value of a line across may be. What is higher would leave little room for what was.
const maxRuleShare = 1.6

// What lines across are called: the figure comes first, because what has no room is cut at the end.
const limitWord, baselineWord = "%s: limit of %s", "%s: %s without credits"

// addRules adds to charts of IOPS and bandwidth the limits of the storage, and what is left of them without credits.
func (r *results) addRules(metrics map[string]plotted, shown []timed, d direction) {
	for metric, of := range map[string]func(*v1alpha1.KnownLimits, direction) (limit, baseline *int64){metricIOPS: iopsLimits, metricBandwidth: bandwidthLimits} {
		p := metrics[metric]
		p.Rules = r.rules(p, shown, func(l *v1alpha1.KnownLimits) (limit, baseline *int64) { return of(l, d) })
		metrics[metric] = p
	}
}

// rules returns the lines across a chart, one for all targets that have the same.
func (r *results) rules(p plotted, shown []timed, of func(*v1alpha1.KnownLimits) (limit, baseline *int64)) []rule {
	owners := map[string]map[int64][]string{limitWord: {}, baselineWord: {}}
	for _, t := range shown {
		limits, times := r.limitsOf(&t)
		if limits == nil || t.again > 0 {
			continue
		}
		limit, baseline := of(limits)
		for what, value := range map[string]*int64{limitWord: limit, baselineWord: baseline} {
			if value != nil {
				owners[what][*value*times] = append(owners[what][*value*times], t.target.Name)
			}
		}
	}
	var rules []rule
	for what, values := range owners {
		for value, targets := range values {
			at := float64(value) / p.unit.size
			if at <= maxRuleShare*p.greatest() {
				rules = append(rules, rule{at, fmt.Sprintf(what, p.unit.with(value), strings.Join(targets, ", ")), what != limitWord})
			}
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

// limitsOf returns the limits of a run's storage, nil if none are known, and how many volumes have them together.
func (r *results) limitsOf(t *timed) (*v1alpha1.KnownLimits, int64) {
	for i := range r.sb.Status.Targets {
		status := &r.sb.Status.Targets[i]
		if status.Name != t.target.Name || status.Limits == nil || status.Limits.Precision != "" {
			continue
		}
		return status.Limits, max(1, min(int64(len(status.Volumes)), int64(t.run.Clients)))
	}
	return nil, 0
}

// iopsLimits returns the most I/Os per second of a direction, and how many of them need no credits.
func iopsLimits(l *v1alpha1.KnownLimits, d direction) (limit, baseline *int64) {
	base := analysis.BaselineOf(*l)
	return ofDirection(d, l.IOPS, l.ReadIOPS, l.WriteIOPS), ofDirection(d, base.IOPS, base.ReadIOPS, base.WriteIOPS)
}

// bandwidthLimits returns the most bytes per second of a direction, and how many of them need no credits.
func bandwidthLimits(l *v1alpha1.KnownLimits, d direction) (limit, baseline *int64) {
	base := analysis.BaselineOf(*l)
	return ofDirection(d, l.BytesPerSecond, l.ReadBytesPerSecond, l.WriteBytesPerSecond),
		ofDirection(d, base.BytesPerSecond, base.ReadBytesPerSecond, base.WriteBytesPerSecond)
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

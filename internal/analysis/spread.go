package analysis

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/humanize"
)

// spreadPercent is the part of the median by which repetitions may differ without a warning.
const spreadPercent = 10

// perThousandSeconds returns what a result did in a thousand seconds: I/Os in all directions, or operations on files.
func perThousandSeconds(r *v1alpha1.Result) int64 {
	if f := cmp.Or(r.Of(v1alpha1.OperationMetadata), r.Total()); f != nil {
		return f.MilliIOPS
	}
	return 0
}

func allPerThousandSeconds(results []*v1alpha1.Result) []int64 {
	all := make([]int64, len(results))
	for i, r := range results {
		all[i] = perThousandSeconds(r)
	}
	return all
}

// Usual returns the median rate of the repetitions of a run, in a thousand seconds, 0 of fewer than two.
func Usual(repetitions []*v1alpha1.Result) int64 {
	if len(repetitions) < 2 {
		return 0
	}
	return StatisticOf(allPerThousandSeconds(repetitions)).Median
}

// spreadOf warns of repetitions that differ in what they did per second.
func spreadOf(results []*v1alpha1.Result) []v1alpha1.Warning {
	rates := StatisticOf(allPerThousandSeconds(results))
	spread := float64(rates.Most()) - float64(rates.Least())
	if spread*100 <= spreadPercent*float64(rates.Median) {
		return nil
	}
	message := fmt.Sprintf("IOPS of %d repetitions go from %s to %s around a median of %s", len(results), perSecond(rates.Least()), perSecond(rates.Most()), perSecond(rates.Median))
	if rates.Median > 0 {
		message = fmt.Sprintf("%s: a spread of %.0f %%", message, math.Round(spread*100/float64(rates.Median)))
	}
	return []v1alpha1.Warning{{Reason: v1alpha1.WarningSpread, Message: message}}
}

// perSecond tells a rate of a thousand seconds, with decimals where it is low.
func perSecond(milli int64) string { return humanize.Milli(milli) }

// mixedAccess warns of results of repetitions of which the first is slower than all others by more than repetitions may differ: it is of first
// access, and they are not.
func mixedAccess(results []*v1alpha1.Result) []v1alpha1.Warning {
	if len(results) < 2 {
		return nil
	}
	all := allPerThousandSeconds(results)
	first, least, most := all[0], slices.Min(all[1:]), slices.Max(all[1:])
	if float64(first)*100 >= (100-spreadPercent)*float64(least) {
		return nil
	}
	return []v1alpha1.Warning{{Reason: v1alpha1.WarningFirstAccess, Message: fmt.Sprintf(
		"the first of %d runs had %s IOPS, and the others %s to %s: blocks may be loaded when they are first used, and medians and verdicts mix both",
		len(all), perSecond(first), perSecond(least), perSecond(most))}}
}

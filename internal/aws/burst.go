package aws

import (
	"math"
	"slices"
	"time"
)

// Unit is what credits count.
type Unit string

const (
	// UnitIOs says that a credit is an I/O, such as those of gp2.
	UnitIOs Unit = "I/Os"
	// UnitBytes says that a credit is a byte, such as those of st1, sc1 and EFS.
	UnitBytes Unit = "bytes"
)

// Bucket holds credits. What is used beyond the base rate takes credits out of it; what is left of the base rate goes
// back into it, until it is full. It is AWS's model for gp2, st1 and sc1 volumes and for EFS (sources: see their tables).
type Bucket struct {
	Unit Unit
	// Max is the number of credits in a full bucket, in units.
	Max float64
	// BasePerSecond is the rate at which credits are earned, which is the rate that is left without any, in units per second.
	BasePerSecond float64
	// BurstPerSecond is the highest rate, for which credits are needed, in units per second.
	BurstPerSecond float64
}

// Use is what was used of storage in a time.
type Use struct {
	Start, End time.Time
	// Units that were used in all: see VolumeType.CreditUnits and MeteredBytes.
	Units float64
}

// Balance is what one use did to the credits.
type Balance struct {
	// Credits when the use began and when it ended, from 0 to Max.
	Before, After float64
	// RanOut says that there was a time in the use without credits, in which it had no more than the base rate.
	RanOut bool
	// SecondsToEmpty is, if RanOut, how long after its start the use can have been without credits at the earliest:
	// when it began with the burst rate.
	SecondsToEmpty float64
}

// rateTolerance is how far measured rates are from nominal ones: fio reports 3,048 IOPS of a volume with 3,000
// (experiment E1). A use that comes this near to the end of the credits has met it.
const rateTolerance = 0.02

// Balances follows the credits through uses of one volume or file system, starting with a balance of start credits at
// the first use: Max for new storage. It returns one balance for each use, in the order given. Uses may come in any
// order; where they overlap, credits are earned once. Other users of the storage are not known to it, so that the true
// balance may be lower.
func (b Bucket) Balances(start float64, uses []Use) []Balance {
	order := make([]int, len(uses))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return uses[i].Start.Compare(uses[j].Start) })

	balances := make([]Balance, len(uses))
	credits := b.clamp(start)
	var seen time.Time
	for n, i := range order {
		use := uses[i]
		if n > 0 && use.Start.After(seen) {
			credits = b.clamp(credits + b.BasePerSecond*use.Start.Sub(seen).Seconds())
		}
		begin := use.Start
		if n > 0 && seen.After(begin) {
			begin = seen
		}
		balances[i] = b.spend(credits, use.Units, max(0, use.End.Sub(begin).Seconds()))
		credits = balances[i].After
		if n == 0 || use.End.After(seen) {
			seen = use.End
		}
	}
	return balances
}

// spend takes the credits for units in seconds from a balance.
func (b Bucket) spend(before, units, seconds float64) Balance {
	beyondBase := units - b.BasePerSecond*seconds
	balance := Balance{Before: before, After: b.clamp(before - beyondBase)}
	if b.BurstPerSecond > b.BasePerSecond && beyondBase >= before-rateTolerance*units && units > 0 {
		balance.RanOut = true
		balance.SecondsToEmpty = min(b.BurstSeconds(before), seconds)
	}
	return balance
}

func (b Bucket) clamp(credits float64) float64 {
	return min(max(credits, 0), b.Max)
}

// BurstSeconds is how long a use at the burst rate lasts until it falls to the base rate, from a balance of credits;
// from Max, how long a run on new storage must be to show the base rate. +Inf if there is no burst above the base.
func (b Bucket) BurstSeconds(credits float64) float64 { return b.SecondsAt(b.BurstPerSecond, credits) }

// SecondsAt is how long a use at a rate, in units per second, lasts until it falls to the base rate, from a balance of
// credits. +Inf if it needs none. A rate above the burst rate counts as that: storage gives a little more than it promises.
func (b Bucket) SecondsAt(perSecond, credits float64) float64 {
	beyondBase := min(perSecond, b.BurstPerSecond) - b.BasePerSecond
	if !(beyondBase > 0) { // nor is NaN
		return math.Inf(1)
	}
	return credits / beyondBase
}

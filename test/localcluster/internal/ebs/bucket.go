package ebs

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/storagebench/storagebench/test/localcluster/internal/disk"
)

// bucket is a balance of burst credits. Its figures are credits and credits a second.
type bucket struct {
	capacity, base, burst float64
	// cost of work in credits.
	cost func(disk.Work) float64
}

// ioCredits are I/Os; one of more than 256 KiB counts as several.
func ioCredits(w disk.Work) float64 { return max(w.IOs, w.Bytes/maxIO) }

// mibCredits are MiB.
func mibCredits(w disk.Work) float64 { return w.Bytes / mib }

// balance is how full a bucket is.
type balance struct {
	Credits float64   `json:"credits"`
	At      time.Time `json:"at"`
	// Empty is true from when there is no credit left until there is enough again for
	// a second of burst: a volume at its base neither gains nor loses, and chance
	// must not let it burst.
	Empty bool `json:"empty"`
}

// after returns the balance at a later time, when some work was done since.
func (b balance) after(now time.Time, done disk.Work, of bucket) balance {
	passed := max(0, now.Sub(b.At).Seconds())
	credits := min(of.capacity, max(0, b.Credits+of.base*passed-of.cost(done)))
	empty := credits <= 0 || b.Empty && credits < of.burst
	return balance{Credits: credits, At: now, Empty: empty}
}

// budget is the budget of a volume.
type budget struct {
	performance
	balance balance
}

// openBudget continues with what was kept, or begins with the given credits; none
// given is a full bucket, as of a new volume.
func openBudget(p performance, initial *float64, kept []byte) (*budget, error) {
	b := &budget{performance: p}
	if p.bucket == nil {
		return b, nil
	}
	b.balance.Credits = p.bucket.capacity
	if initial != nil {
		b.balance.Credits = min(*initial, p.bucket.capacity)
	}
	if kept == nil {
		return b, nil
	}
	if err := json.Unmarshal(kept, &b.balance); err != nil {
		return nil, fmt.Errorf("credits that were kept: %w", err)
	}
	return b, nil
}

// Spend is part of disk.Budget.
func (b *budget) Spend(now time.Time, done disk.Work) disk.Rate {
	if b.bucket == nil {
		return b.base
	}
	if b.balance.At.IsZero() {
		b.balance.At = now
	}
	b.balance = b.balance.after(now, done, *b.bucket)
	if b.balance.Empty {
		return b.base
	}
	return b.burst
}

// Latency is part of disk.Budget.
func (b *budget) Latency() disk.Latency { return b.latency }

// Keep is part of disk.Budget.
func (b *budget) Keep(time.Time) ([]byte, error) {
	if b.bucket == nil {
		return nil, nil
	}
	return json.Marshal(b.balance)
}

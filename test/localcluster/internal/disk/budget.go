package disk

import "time"

// budget is what a volume may do now.
type budget struct {
	Performance
	balance
}

// balance is how full a bucket is.
type balance struct {
	Credits float64   `json:"credits"`
	At      time.Time `json:"at"`
	// Empty is true from when there is no credit left until there is enough again for
	// a second of burst: a volume at its base neither gains nor loses, and chance
	// must not let it burst.
	Empty bool `json:"empty"`
}

// spend takes note of the work that was done since the last call, and returns what may be done from now on.
func (b *budget) spend(now time.Time, done Work) Rate {
	if b.Bucket == (Bucket{}) {
		return b.Base
	}
	if b.At.IsZero() {
		b.At = now
	}
	gained := b.Bucket.cost(b.Base) * max(0, now.Sub(b.At).Seconds())
	b.Credits = min(b.Bucket.Capacity, max(0, b.Credits+gained-b.Bucket.cost(done)))
	b.Empty = b.Credits <= 0 || b.Empty && b.Credits < b.Bucket.cost(b.Burst)
	b.At = now
	if b.Empty {
		return b.Base
	}
	return b.Burst
}

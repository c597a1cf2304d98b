package disk

import (
	"testing"
	"time"
)

const (
	kib   = 1 << 10
	maxIO = 256 * kib
)

// spend does the work of a number of seconds at the rate that the budget allows, and
// returns the rate after it.
func spend(b *budget, now *time.Time, seconds int) Rate {
	const step = 25 * time.Millisecond
	rate := b.spend(*now, Work{})
	for range seconds * 40 {
		*now = now.Add(step)
		rate = b.spend(*now, Work{IOs: rate.IOs * step.Seconds(), Bytes: 16 * kib * rate.IOs * step.Seconds()})
	}
	return rate
}

// gp2 is what one of 100 GiB does, with few credits at first.
var gp2 = Performance{
	Base:   Rate{IOs: 300, Bytes: 75 * mib},
	Burst:  Rate{IOs: 3000, Bytes: 128 * mib},
	Bucket: Bucket{Capacity: 5_400_000, Initial: 9000, IO: 1, Byte: 1.0 / maxIO},
}

func TestBurstEndsAndReturns(t *testing.T) {
	volumes, err := openStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	v := volume{Plan: Plan{ID: "vol-1", CapacityBytes: mib, Performance: gp2}}
	if err := volumes.create(v); err != nil {
		t.Fatal(err)
	}
	open := func() *budget {
		t.Helper()
		left, err := volumes.balance(v)
		if err != nil {
			t.Fatal(err)
		}
		return &budget{v.Performance, left}
	}
	now := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	b := open()
	if rate := spend(b, &now, 3); rate.IOs != 3000 {
		t.Errorf("after 3 s of 9000/2700 s it gives %v", rate.IOs)
	}
	if rate := spend(b, &now, 1); rate.IOs != 300 {
		t.Errorf("without credits it gives %v", rate.IOs)
	}
	if rate := spend(b, &now, 60); rate.IOs != 300 {
		t.Errorf("after a minute at its base it gives %v", rate.IOs)
	}
	if err := volumes.saveBalance(v, b.balance); err != nil {
		t.Fatal(err)
	}
	for rest, want := range map[time.Duration]float64{5 * time.Second: 300, 15 * time.Second: 3000} {
		if rate := open().spend(now.Add(rest), Work{}); rate.IOs != want {
			t.Errorf("after %v of rest it gives %v, want %v", rest, rate.IOs, want)
		}
	}
}

func TestLargeIOsCostMore(t *testing.T) {
	if got := gp2.Bucket.cost(Work{IOs: 10, Bytes: 10 * mib}); got != 40 {
		t.Errorf("10 I/Os of 1 MiB cost %v", got)
	}
	if got := gp2.Bucket.cost(Work{IOs: 10, Bytes: 10 * 4 * kib}); got != 10 {
		t.Errorf("10 I/Os of 4 KiB cost %v", got)
	}
}

package ebs

import (
	"testing"
	"time"

	"github.com/storagebench/storagebench/test/localcluster/internal/disk"
)

// spend does the work of a number of seconds at the rate that the budget allows, and
// returns the rate after it.
func spend(b *budget, now *time.Time, seconds int) disk.Rate {
	const step = 25 * time.Millisecond
	rate := b.Spend(*now, disk.Work{})
	for range seconds * 40 {
		*now = now.Add(step)
		rate = b.Spend(*now, disk.Work{IOs: rate.IOs * step.Seconds(), Bytes: 16 * kib * rate.IOs * step.Seconds()})
	}
	return rate
}

func open100GiBgp2(t *testing.T, credits float64, kept []byte) *budget {
	t.Helper()
	b, err := openBudget(gp2(request{Type: "gp2", SizeGiB: 100}), &credits, kept)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestBurstEndsAndReturns(t *testing.T) {
	now := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	b := open100GiBgp2(t, 9000, nil)
	if rate := spend(b, &now, 3); rate.IOs != 3000 {
		t.Errorf("after 3 s of 9000/2700 s it gives %v", rate.IOs)
	}
	if rate := spend(b, &now, 1); rate.IOs != 300 {
		t.Errorf("without credits it gives %v", rate.IOs)
	}
	if rate := spend(b, &now, 60); rate.IOs != 300 {
		t.Errorf("after a minute at its base it gives %v", rate.IOs)
	}
	kept, err := b.Keep(now)
	if err != nil {
		t.Fatal(err)
	}
	for rest, want := range map[time.Duration]float64{5 * time.Second: 300, 15 * time.Second: 3000} {
		again := open100GiBgp2(t, 9000, kept)
		if rate := again.Spend(now.Add(rest), disk.Work{}); rate.IOs != want {
			t.Errorf("after %v of rest it gives %v, want %v", rest, rate.IOs, want)
		}
	}
}

func TestLargeIOsCostMore(t *testing.T) {
	if got := ioCredits(disk.Work{IOs: 10, Bytes: 10 * mib}); got != 40 {
		t.Errorf("10 I/Os of 1 MiB cost %v", got)
	}
	if got := ioCredits(disk.Work{IOs: 10, Bytes: 10 * 4 * kib}); got != 10 {
		t.Errorf("10 I/Os of 4 KiB cost %v", got)
	}
}

func TestPerformance(t *testing.T) {
	tests := map[string]struct {
		request     request
		base, burst disk.Rate
	}{
		"gp3":         {request{Type: "gp3", SizeGiB: 30}, disk.Rate{IOs: 3000, Bytes: 125 * mib}, disk.Rate{IOs: 3000, Bytes: 125 * mib}},
		"gp3 bought":  {request{Type: "gp3", SizeGiB: 30, IOPS: 6000, Throughput: 500}, disk.Rate{IOs: 6000, Bytes: 500 * mib}, disk.Rate{IOs: 6000, Bytes: 500 * mib}},
		"gp2 small":   {request{Type: "gp2", SizeGiB: 8}, disk.Rate{IOs: 100, Bytes: 25 * mib}, disk.Rate{IOs: 3000, Bytes: 128 * mib}},
		"gp2 200 GiB": {request{Type: "gp2", SizeGiB: 200}, disk.Rate{IOs: 600, Bytes: 150 * mib}, disk.Rate{IOs: 3000, Bytes: 250 * mib}},
		"gp2 1 TiB":   {request{Type: "gp2", SizeGiB: 1024}, disk.Rate{IOs: 3072, Bytes: 250 * mib}, disk.Rate{IOs: 3072, Bytes: 250 * mib}},
		"io1":         {request{Type: "io1", SizeGiB: 100, IOPS: 1000}, disk.Rate{IOs: 1000, Bytes: 250 * mib}, disk.Rate{IOs: 1000, Bytes: 250 * mib}},
		"io2":         {request{Type: "io2", SizeGiB: 100, IOPS: 100_000}, disk.Rate{IOs: 100_000, Bytes: 4000 * mib}, disk.Rate{IOs: 100_000, Bytes: 4000 * mib}},
		"st1":         {request{Type: "st1", SizeGiB: 512}, disk.Rate{IOs: 500, Bytes: 20 * mib}, disk.Rate{IOs: 500, Bytes: 125 * mib}},
		"sc1":         {request{Type: "sc1", SizeGiB: 16_384}, disk.Rate{IOs: 250, Bytes: 192 * mib}, disk.Rate{IOs: 250, Bytes: 250 * mib}},
		"standard":    {request{Type: "standard", SizeGiB: 10}, disk.Rate{IOs: 100, Bytes: 25 * mib}, disk.Rate{IOs: 100, Bytes: 25 * mib}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := test.request.performance(); got.base != test.base || got.burst != test.burst {
				t.Errorf("got %+v and %+v, want %+v and %+v", got.base, got.burst, test.base, test.burst)
			}
		})
	}
}

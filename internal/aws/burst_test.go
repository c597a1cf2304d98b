package aws

import (
	"fmt"
	"math"
	"testing"
	"time"
)

// What AWS's own tables have for volumes with full buckets.
func TestBurstSeconds(t *testing.T) {
	tests := []struct {
		name   string
		limits Limits
		want   float64
	}{
		// https://docs.aws.amazon.com/ebs/latest/userguide/general-purpose.html, "Burst duration at 3,000 IOPS".
		{"gp2 1 GiB", Volume{Type: "gp2", GiB: 1}.Limits(), 1862},
		{"gp2 100 GiB, 33 minutes (E3)", Volume{Type: "gp2", GiB: 100}.Limits(), 2000},
		{"gp2 334 GiB", Volume{Type: "gp2", GiB: 334}.Limits(), 2703},
		{"gp2 750 GiB", Volume{Type: "gp2", GiB: 750}.Limits(), 7200},
		// 1 TiB of credits, 250 MiB/s with and 40 without.
		{"st1 1 TiB", Volume{Type: "st1", GiB: 1024}.Limits(), 4993},
		{"sc1 1 TiB", Volume{Type: "sc1", GiB: 1024}.Limits(), 15420},
		// https://docs.aws.amazon.com/efs/latest/ug/performance.html: "burst for up to 12 hours continuously".
		{"EFS 1 TiB", FileSystem{ThroughputMode: Bursting, MeteredBytes: tib}.Limits(), 44040},
		// 2.1 TiB of credits, 100 MiB/s with and 1 without: 6.2 hours.
		{"EFS, empty", FileSystem{ThroughputMode: Bursting}.Limits(), 22243},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			credits := test.limits.Burst.Credits
			if got := math.Round(credits.BurstSeconds(credits.Max)); got != test.want {
				t.Errorf("got %v s, want %v", got, test.want)
			}
		})
	}
	t.Run("at a rate", func(t *testing.T) {
		gp2 := Volume{Type: "gp2", GiB: 100}.Limits().Burst.Credits
		for rate, want := range map[float64]float64{3000: 2000, 3064: 2000, 1000: 7714, 301: 5_400_000, 300: math.Inf(1), 0: math.Inf(1), math.NaN(): math.Inf(1)} {
			if got := math.Round(gp2.SecondsAt(rate, gp2.Max)); got != want {
				t.Errorf("%v IOPS: got %v s, want %v", rate, got, want)
			}
		}
	})
	t.Run("no burst", func(t *testing.T) {
		if got := (Bucket{BasePerSecond: 5, BurstPerSecond: 5, Max: 1}).BurstSeconds(1); !math.IsInf(got, 1) {
			t.Errorf("got %v s, want no end", got)
		}
	})
}

func TestBalances(t *testing.T) {
	const full = 5_400_000
	gp2 := Volume{Type: "gp2", GiB: 100}.Limits().Burst.Credits // 300 IOPS, with credits 3,000
	start := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	use := func(from, to int, perSecond float64) Use {
		second := func(s int) time.Time { return start.Add(time.Duration(s) * time.Second) }
		return Use{Start: second(from), End: second(to), Units: perSecond * float64(to-from)}
	}
	tests := []struct {
		name  string
		start float64
		uses  []Use
		// "before-after", and "ran out after s" of each use.
		want []string
	}{
		{"nothing", full, nil, nil},
		{"a minute at burst rate (E1)", full, []Use{use(0, 60, 3000)}, []string{"5400000-5238000"}},
		{"a little more than nominal", full, []Use{use(0, 60, 3048)}, []string{"5400000-5235120"}},
		{"33 minutes (E3)", full, []Use{use(0, 1900, 3000)}, []string{"5400000-270000"}},
		{"until the fall", full, []Use{use(0, 2000, 3000)}, []string{"5400000-0 ran out after 2000"}},
		// 2,000 s with 3,000 and 1,600 s with 300.
		{"beyond the fall", full, []Use{use(0, 3600, 1800)}, []string{"5400000-0 ran out after 2000"}},
		{"below the base", full, []Use{use(0, 60, 200)}, []string{"5400000-5400000"}},
		{"below the base, not full", 1000, []Use{use(0, 60, 200)}, []string{"1000-7000"}},
		{"idle between", full, []Use{use(0, 60, 3000), use(120, 180, 3000)}, []string{"5400000-5238000", "5256000-5094000"}},
		{"refilled, and no further", full, []Use{use(0, 60, 3000), use(10000, 10060, 3000)}, []string{"5400000-5238000", "5400000-5238000"}},
		{"in any order", full, []Use{use(120, 180, 3000), use(0, 60, 3000)}, []string{"5256000-5094000", "5400000-5238000"}},
		{"at once", full, []Use{use(0, 60, 1500), use(0, 60, 1500)}, []string{"5400000-5328000", "5328000-5238000"}},
		{"one within the other", full, []Use{use(0, 60, 1000), use(30, 40, 1000), use(60, 120, 3000)},
			[]string{"5400000-5358000", "5358000-5348000", "5348000-5186000"}},
		{"without credits", 0, []Use{use(0, 60, 300)}, []string{"0-0 ran out after 0"}},
		{"without credits, a little less than nominal", 0, []Use{use(0, 60, 297)}, []string{"0-180 ran out after 0"}},
		{"without credits and need of them", 0, []Use{use(0, 60, 100)}, []string{"0-12000"}},
		{"without credits, unused", 0, []Use{use(0, 0, 0)}, []string{"0-0"}},
		{"last credits", 27_000, []Use{use(0, 60, 750)}, []string{"27000-0 ran out after 10"}},
		{"more than full", 2 * full, []Use{use(0, 60, 300)}, []string{"5400000-5400000"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			balances := gp2.Balances(test.start, test.uses)
			if len(balances) != len(test.want) {
				t.Fatalf("got %d balances, want %d", len(balances), len(test.want))
			}
			for i, balance := range balances {
				got := fmt.Sprintf("%.0f-%.0f", balance.Before, balance.After)
				if balance.RanOut {
					got += fmt.Sprintf(" ran out after %.0f", balance.SecondsToEmpty)
				}
				if got != test.want[i] {
					t.Errorf("use %d: got %s, want %s", i, got, test.want[i])
				}
			}
		})
	}
}

// A volume that needs no credits cannot be without them.
func TestBalancesWithoutBurst(t *testing.T) {
	start := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	bucket := Bucket{Unit: UnitIOs, BasePerSecond: 3000, BurstPerSecond: 3000}
	for _, balance := range bucket.Balances(0, []Use{{Start: start, End: start.Add(time.Minute), Units: 180_000}}) {
		if balance.RanOut {
			t.Errorf("ran out: %+v", balance)
		}
	}
}

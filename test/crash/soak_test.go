package crash

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"
)

// durationVariable has ever more chances taken for as long.
const durationVariable = "STORAGEBENCH_CRASH_DURATION"

// Several things happen to a benchmark, by chance. With a duration such as 30m in STORAGEBENCH_CRASH_DURATION they go on for
// as long, from the seed in STORAGEBENCH_CRASH_SEED. The names of the tests tell the seeds.
func TestByChance(t *testing.T) {
	seed, duration := uint64(1), time.Duration(0)
	if text := os.Getenv(durationVariable); text != "" {
		given, err := givenSeed()
		if err != nil {
			t.Fatal(err)
		}
		if duration, err = time.ParseDuration(text); err != nil {
			t.Fatalf("%s: %v", durationVariable, err)
		}
		seed = max(given, seed)
	}
	forEach(t, func(t *cases, s scenario, undisturbed played) {
		if duration > 0 {
			t.every, t.next = 1, 0
		}
		began := time.Now()
		for n := seed; n == seed || time.Since(began) < duration; n++ {
			t.Run(fmt.Sprintf("seed %d", n), func(t *testing.T) {
				if duration == 0 {
					t.Parallel()
				}
				p := play(t, s, disturbance{decide: chance(n), travels: n%2 == 0})
				check(t, undisturbed, p)
				if !p.hit {
					t.Error("nothing has happened")
				}
			})
		}
	})
}

// chance decides about a benchmark's calls by the seed: something happens to about one of seven writes and of fifteen
// reads.
func chance(seed uint64) func(call) fate {
	random := rand.New(rand.NewPCG(seed, 0))
	failures := faults()
	names := slices.Sorted(maps.Keys(failures))
	return func(c call) fate {
		switch n := random.IntN(30); {
		case n > 3 || (!c.write && n > 1):
			return fate{}
		case n == 0:
			return fate{before: true}
		case n == 1 && !c.write:
			return failures["internal error"]
		case n == 1:
			return fate{after: true}
		case n == 2:
			return fate{hold: cached[:1+random.IntN(len(cached))]}
		default:
			return failures[names[random.IntN(len(names))]]
		}
	}
}

package crash

import (
	"fmt"
	"os"
	"strconv"
	"sync"
	"testing"

	"github.com/storagebench/storagebench/test/extent"
)

const (
	// extentVariable says how much is played: see extents.
	extentVariable = "STORAGEBENCH_CRASH"
	// seedVariable has another tenth played, and TestByChance begin with another seed.
	seedVariable = "STORAGEBENCH_CRASH_SEED"
	// all has everything played one at a time that is else played together, or left out because it leaves the same behind.
	all = "all"
	// most is what is not left out, played together where that says as much.
	most = "most"
	// tenth is a tenth of that, another one for each seed.
	tenth = "tenth"

	// rarely is of how many cases one is played, of a tenth.
	rarely = 10
)

// playedExtent is how much is played.
var playedExtent = sync.OnceValues(func() (string, error) {
	switch text := os.Getenv(extentVariable); {
	case text == "" && extent.IsAll():
		return most, nil
	case text == "":
		return tenth, nil
	case text == all || text == most || text == tenth:
		return text, nil
	default:
		return "", fmt.Errorf("%s=%s: give %s, %s or %s", extentVariable, text, tenth, most, all)
	}
})

func isAll() bool {
	played, _ := playedExtent()
	return played == all
}

// givenSeed is the seed that the variable gives, if it does.
var givenSeed = sync.OnceValues(func() (uint64, error) {
	text := os.Getenv(seedVariable)
	if text == "" {
		return 0, nil
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil || seed == 0 {
		return 0, fmt.Errorf("%s=%s: give a number of at least 1", seedVariable, text)
	}
	return seed, nil
})

// cases are subtests; some of them are played.
type cases struct {
	*testing.T

	// every is of how many cases one is played, and next is how many there are before the next of them.
	every, next int
}

// draw says which cases of a group are played, by the extent.
func draw(t *testing.T, group string) *cases {
	t.Helper()
	played, err := playedExtent()
	if err != nil {
		t.Fatal(err)
	}
	if played != tenth {
		return &cases{T: t, every: 1}
	}
	return &cases{T: t, every: rarely, next: firstOf(tenthSeed(t), group)}
}

// tenthSeed is the seed by which the tenth is chosen.
func tenthSeed(t *testing.T) uint64 {
	t.Helper()
	seed, err := givenSeed()
	if err != nil {
		t.Fatal(err)
	}
	if seed == 0 {
		seed = extent.Seed()
	}
	return seed
}

// firstOf returns which case of a group is played first of a tenth. Any is as likely as any other, and ten seeds in a row play
// each case once.
func firstOf(seed uint64, group string) int {
	return int((extent.Hash(group)%rarely + seed%rarely) % rarely)
}

// Run plays a case, if it is chosen. Cases have to come in the same order each time.
func (c *cases) Run(name string, play func(*testing.T)) {
	if c.isNext() {
		c.T.Run(name, play)
	}
}

func (c *cases) isNext() bool {
	chosen := c.next == 0
	if c.next--; chosen {
		c.next = c.every - 1
	}
	return chosen
}

// A tenth is a tenth of any group, whatever its size, and all tenths together are all cases, each of them once.
func TestTenthsAreAllCases(t *testing.T) {
	for group := range 50 {
		for _, size := range []int{1, 3, 9, 10, 31, 178} {
			times := make([]int, size)
			for seed := range uint64(rarely) {
				chosen := 0
				c := &cases{every: rarely, next: firstOf(123_456+seed, fmt.Sprintf("group %d", group))}
				for n := range size {
					if c.isNext() {
						times[n]++
						chosen++
					}
				}
				if chosen < size/rarely || chosen > size/rarely+1 {
					t.Errorf("%d of %d cases are chosen", chosen, size)
				}
			}
			for n, played := range times {
				if played != 1 {
					t.Errorf("case %d of %d is chosen %d times by %d seeds", n, size, played, rarely)
				}
			}
		}
	}
}

// Commits choose each tenth about as often as any other, also for groups whose names differ in little.
func TestCommitsChooseAllTenths(t *testing.T) {
	const commits = 10_000
	for _, group := range []string{"TestWritesFail/clients", "TestWritesFail/deletion", "TestReadsFail/clients"} {
		times := make([]int, rarely)
		for n := range commits {
			times[firstOf(extent.SeedOf(fmt.Sprintf("%040x", n)), group)]++
		}
		for first, chosen := range times {
			if chosen < commits/rarely*8/10 || chosen > commits/rarely*12/10 {
				t.Errorf("%s: case %d is the first for %d of %d commits", group, first, chosen, commits)
			}
		}
	}
}

// What is to be played in full is.
func TestAllCasesArePlayed(t *testing.T) {
	c := &cases{every: 1}
	for n := range 20 {
		if !c.isNext() {
			t.Errorf("case %d is left out", n)
		}
	}
}

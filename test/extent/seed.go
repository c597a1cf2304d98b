package extent

import (
	"hash/fnv"
	"os/exec"
	"strings"
	"sync"
)

// Seed is a seed by which a part of the cases of a test is chosen. Each commit has another, so that all cases are played over time. It is 1 where there is no commit.
func Seed() uint64 { return commitSeed() }

var commitSeed = sync.OnceValue(func() uint64 {
	commit, err := exec.Command("git", "rev-parse", "HEAD").Output()
	if err != nil {
		return 1
	}
	return SeedOf(strings.TrimSpace(string(commit)))
})

// SeedOf returns the seed of a commit. It has a few digits: whoever plays the part of a test that failed again has to type it.
func SeedOf(commit string) uint64 { return Hash(commit)%1_000_000 + 1 }

// Hash returns a number that follows from a text.
func Hash(text string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text))
	return h.Sum64()
}

// InTurn says whether the case of a number is played: each, if all tests are, else every other one, by turns of commits.
func InTurn(number int) bool { return IsAll() || (uint64(number)+Seed())%2 == 0 }

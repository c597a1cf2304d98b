// Package extent says how much of the tests is played: all of them, or those that prove the product and take no more time than
// one likes to wait for.
package extent

import (
	"os"
	"testing"
)

// allVariable has all tests played, if it is set, as by "make test-all".
const allVariable = "STORAGEBENCH_TEST_ALL"

// IsAll says whether all tests are to be played.
func IsAll() bool { return os.Getenv(allVariable) != "" }

// OnlyInAll skips a test that is played only with all others, and says why and how to play it.
func OnlyInAll(t testing.TB, why string) {
	t.Helper()
	if !IsAll() {
		t.Skipf("%s: make test-all plays it, or %s=1 go test", why, allVariable)
	}
}

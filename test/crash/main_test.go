// Package crash proves that the operator survives whatever can happen between it and the API server: that it ends at any
// moment and begins again without a memory, that calls fail or their answers are lost, and that what it reads is old. A
// whole benchmark is played each time, with one such thing in it. Then the final status has to be that of a benchmark
// which nothing has disturbed, fio has to have run once for each attempt, and nothing may be left.
package crash

import (
	"testing"

	"github.com/storagebench/storagebench/test/envtest"
)

func TestMain(m *testing.M) { envtest.Main(m) }

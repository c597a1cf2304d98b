package disk

import (
	"testing"
	"time"
)

// The kernel lets work through in slices of 100 ms, and the budget counts as used up all the time, or not at all.
func TestExceeded(t *testing.T) {
	const step = 25 * time.Millisecond
	budget := Rate{IOs: 3000, Bytes: 125 << 20}
	for _, test := range []struct {
		name             string
		slice            float64 // I/Os in each 100 ms, all in the first quarter
		bytes            float64
		iops, throughput bool
	}{
		{"at the limit of I/Os", 300, 4096, true, false},
		{"at the limit of bytes", 125, 100 << 10, false, true},
		{"at most of it", 200, 4096, false, false},
		{"idle", 0, 0, false, false},
	} {
		var m meter
		var warm Exceeded
		for i := range 200 { // 5 s
			done := Work{}
			if i%4 == 0 {
				done = Work{IOs: test.slice, Bytes: test.slice * test.bytes}
			}
			m.note(done, budget, step)
			if i == 79 {
				warm = m.exceeded
			}
		}
		for what, is := range map[string][2]any{
			"IOPS": {m.exceeded.IOPS - warm.IOPS, test.iops}, "throughput": {m.exceeded.Throughput - warm.Throughput, test.throughput},
		} {
			want := time.Duration(0)
			if is[1] == true {
				want = 3 * time.Second
			}
			if is[0] != want {
				t.Errorf("%s: %s was exceeded for %s of 3 s, want %s", test.name, what, is[0], want)
			}
		}
	}
}

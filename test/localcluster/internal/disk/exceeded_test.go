package disk

import (
	"testing"
	"time"
)

// A limit is exceeded while an I/O waits for it, whatever the other one does.
func TestExceeded(t *testing.T) {
	start := time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC)
	at := func(ms int) time.Time { return start.Add(time.Duration(ms) * time.Millisecond) }
	type io struct{ now, byIOs, byBytes int }
	for _, test := range []struct {
		name             string
		ios              []io
		iops, throughput int
	}{
		{"nothing waits", []io{{0, 0, 0}, {5, 5, 5}}, 0, 0},
		{"one waits for I/Os", []io{{0, 3, 0}}, 3, 0},
		{"one waits for bytes", []io{{0, 0, 7}}, 0, 7},
		{"waits that overlap count once", []io{{0, 10, 0}, {5, 12, 0}, {6, 8, 0}}, 12, 0},
		{"a pause does not count", []io{{0, 2, 0}, {10, 13, 0}}, 5, 0},
		{"both limits", []io{{0, 4, 6}, {2, 8, 7}}, 8, 7},
	} {
		var m meter
		for _, io := range test.ios {
			m.note(at(io.now), at(io.byIOs), at(io.byBytes))
		}
		want := Exceeded{IOPS: time.Duration(test.iops) * time.Millisecond, Throughput: time.Duration(test.throughput) * time.Millisecond}
		if m.Exceeded != want {
			t.Errorf("%s: got %+v, want %+v", test.name, m.Exceeded, want)
		}
	}
}

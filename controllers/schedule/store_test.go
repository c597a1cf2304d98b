package schedule

import (
	"testing"

	"github.com/storagebench/storagebench/internal/history"
)

// A chunk stays in its ConfigMap, one that is new takes that of a chunk that has ended, and no ConfigMap has the chunk of another one that has not.
func TestSlotOf(t *testing.T) {
	for name, test := range map[string]struct {
		slots  []int64 // the numbers of their chunks, 0 for none
		number int64
		chunks []int64
		want   int
	}{
		"the first chunk":                   {nil, 1, []int64{1}, 0},
		"a chunk that is there":             {[]int64{1, 40}, 40, []int64{1, 40}, 1},
		"a new chunk":                       {[]int64{1, 40}, 80, []int64{1, 40, 80}, 2},
		"a new chunk, and one has ended":    {[]int64{1, 40}, 80, []int64{40, 80}, 0},
		"a new chunk, and one was empty":    {[]int64{40, 0, 80}, 120, []int64{40, 80, 120}, 1},
		"a chunk behind one that has ended": {[]int64{1, 40}, 40, []int64{40}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			var s store
			for _, number := range test.slots {
				s.slots = append(s.slots, slot{number: number})
			}
			var chunks []history.Chunk
			for _, number := range test.chunks {
				chunks = append(chunks, history.Chunk{Number: number})
			}
			if got := s.slotOf(test.number, chunks); got != test.want {
				t.Errorf("it is slot %d, want %d", got, test.want)
			}
		})
	}
}

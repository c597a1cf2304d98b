package schedule

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/storagebench/storagebench/internal/history"
)

// compressed returns a history of points in chunks of one each, which were compressed in another way than this release
// does.
func compressed(t *testing.T, points, cases int) [][]byte {
	t.Helper()
	h := &history.History{}
	for i := range points {
		p := history.Point{UID: fmt.Sprint(i), Benchmark: fmt.Sprint("sb-", i), Time: time.Unix(int64(i), 0).UTC()}
		for c := range cases {
			p.Cases = append(p.Cases, history.Measured{
				Case:    history.Case{Workload: fmt.Sprint("w", c), Target: "a"},
				Figures: []history.Figure{{Metric: history.SyncP99, Value: int64(i * c)}},
			})
		}
		h.Add(p, history.MaxPoints)
		h.Points[i].Chunk = h.Points[i].Sequence
	}
	chunks, err := h.Encode()
	if err != nil {
		t.Fatal(err)
	}
	var all [][]byte
	for _, chunk := range chunks {
		all = append(all, compressedAnew(t, chunk.Data))
	}
	return all
}

func compressedAnew(t *testing.T, chunk []byte) []byte {
	t.Helper()
	head := bytes.IndexByte(chunk, '\n') + 1
	from, err := gzip.NewReader(bytes.NewReader(chunk[head:]))
	if err != nil {
		t.Fatal(err)
	}
	var again bytes.Buffer
	again.Write(chunk[:head])
	to, err := gzip.NewWriterLevel(&again, gzip.NoCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(to, from); err != nil {
		t.Fatal(err)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return again.Bytes()
}

func storeOf(chunks [][]byte) *store {
	s := &store{}
	for _, data := range chunks {
		s.slots = append(s.slots, slot{data: data})
	}
	return s
}

// A history that no point was added to or dropped from is not written, also where this release compresses it in another
// way than the one before. A write here would panic, because the pass has no client.
func TestUnchangedHistoryIsNotWritten(t *testing.T) {
	s := storeOf(compressed(t, 3, 2))
	if err := s.decode("first"); err != nil {
		t.Fatal(err)
	}
	if err := s.write(t.Context(), &pass{}); err != nil {
		t.Error(err)
	}
	for i, want := range []int64{1, 2, 3} {
		if got := s.slots[i].number; got != want {
			t.Errorf("slot %d has chunk %d, want %d", i, got, want)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a history that has lost a point is not written")
		}
	}()
	s.history.Trim(2)
	_ = s.write(t.Context(), &pass{})
}

// To read a store takes no more than to decode its history once.
func TestHistoryIsDecodedOnce(t *testing.T) {
	chunks := compressed(t, 4, 200)
	once := testing.AllocsPerRun(10, func() {
		if _, err := history.Decode(chunks); err != nil {
			t.Error(err)
		}
	})
	got := testing.AllocsPerRun(10, func() {
		if err := storeOf(chunks).decode("first"); err != nil {
			t.Error(err)
		}
	})
	if got > once*1.2 {
		t.Errorf("%.0f allocations, and to decode it once takes %.0f", got, once)
	}
}

// A chunk stays in its ConfigMap, one that is new takes that of a chunk that has ended, and no ConfigMap has the chunk
// of another one that has not.
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

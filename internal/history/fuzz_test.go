package history

import (
	"bytes"
	"compress/gzip"
	"runtime"
	"slices"
	"testing"

	"github.com/fxamacker/cbor/v2"
	"github.com/google/go-cmp/cmp"
)

// FuzzDecode: whatever a ConfigMap has, decoding ends, and what comes of it can be encoded and is the same when it is decoded again.
func FuzzDecode(f *testing.F) {
	chunks, err := historyOf(3, 2, ReadIOPS, ReadP99, SyncP99).Encode()
	if err != nil {
		f.Fatal(err)
	}
	payload, err := inflate(chunks[0].Data)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(payload)
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, payload []byte) {
		// The payload is fuzzed, as hardly any change of what is gzipped gets through.
		h, _ := Decode([][]byte{zip(payload)})
		again, err := h.Encode()
		if err != nil {
			t.Fatal(err)
		}
		back, err := Decode(dataOf(again))
		if err != nil {
			t.Fatal(err)
		}
		if len(h.Points) != len(back.Points) {
			t.Fatalf("%d points came back as %d", len(h.Points), len(back.Points))
		}
		if diff := cmp.Diff(h, back); diff != "" && !hasTwins(h) {
			t.Fatal(diff)
		}
	})
}

// hasTwins says whether a point has a case twice: of a chunk that somebody made up, the first one is kept.
func hasTwins(h *History) bool {
	for i := range h.Points {
		seen := map[Case]bool{}
		for _, m := range h.Points[i].Cases {
			if seen[m.Case] {
				return true
			}
			seen[m.Case] = true
		}
	}
	return false
}

func zip(payload []byte) []byte {
	var out bytes.Buffer
	out.WriteString(magic)
	w := gzip.NewWriter(&out)
	if _, err := w.Write(payload); err != nil {
		panic(err) // memory does not refuse
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// TestHostile: chunks that are small and claim much are refused before they take memory.
func TestHostile(t *testing.T) {
	points := func(n int) []cbor.RawMessage {
		raw := make([]cbor.RawMessage, n)
		for i := range raw {
			raw[i] = cbor.RawMessage{0xa1, 0x01, 0x18, byte(1 + i%200)}
		}
		return raw
	}
	environments := []cbor.RawMessage{{0xa0}}
	marshal := func(w wire) []byte {
		payload, err := cbor.Marshal(w)
		if err != nil {
			t.Fatal(err)
		}
		return zip(payload)
	}
	full := wire{Number: 1, Points: points(128), Environments: environments, Cases: make([]Case, 4096)}
	for i := range 4096 {
		full.Columns = append(full.Columns, wireColumn{Case: i, Values: bytes.Repeat([]byte{1}, 128)})
	}
	for _, row := range []struct {
		name string
		data []byte
	}{
		{"nothing", nil},
		{"a bomb", zip(make([]byte, 64<<20))},
		{"too many points", marshal(wire{Number: 1, Points: points(50000), Environments: environments})},
		{"too many environments", marshal(wire{Number: 1, Points: points(1), Environments: slices.Repeat(environments, 50000)})},
		{"too many cases", marshal(wire{Number: 1, Points: points(1), Environments: environments, Cases: make([]Case, 50000)})},
		{"too many figures", marshal(full)},
		{"a column that is too short", marshal(wire{Number: 1, Points: points(2), Environments: environments, Cases: make([]Case, 1), Columns: []wireColumn{{Values: []byte{1}}}})},
		{"a column that is too long", marshal(wire{Number: 1, Points: points(1), Environments: environments, Cases: make([]Case, 1), Columns: []wireColumn{{Values: []byte{1, 1}}}})},
		{"a figure below 0", marshal(wire{Number: 1, Points: points(1), Environments: environments, Cases: make([]Case, 1), Columns: []wireColumn{{Values: []byte{2}}}})},
		{"a column twice", marshal(wire{Number: 1, Points: points(1), Environments: environments, Cases: make([]Case, 1), Columns: []wireColumn{{Values: []byte{1}}, {Values: []byte{1}}}})},
		{"a column of no case", marshal(wire{Number: 1, Points: points(1), Environments: environments, Columns: []wireColumn{{Values: []byte{1}}}})},
		{"no number", marshal(wire{Points: points(1), Environments: environments})},
		{"no environment", marshal(wire{Number: 1, Points: points(1)})},
	} {
		t.Run(row.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			h, err := Decode([][]byte{row.data})
			runtime.ReadMemStats(&after)
			if err == nil || len(h.Points) > 0 {
				t.Errorf("%d points, error %v", len(h.Points), err)
			}
			const most = 48 << 20
			if took := after.TotalAlloc - before.TotalAlloc; took > most {
				t.Errorf("it took %d bytes", took)
			} else {
				t.Logf("%d bytes took %d: %v", len(row.data), took, err)
			}
		})
	}
}

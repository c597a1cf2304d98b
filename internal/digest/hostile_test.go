package digest

import (
	"bytes"
	"runtime/metrics"
	"slices"
	"testing"

	"github.com/fxamacker/cbor/v2"

	"github.com/storagebench/storagebench/internal/histogram"
)

// maxAllocated is the most that decoding one message may allocate in all: a payload of maxInflated, grown step by step,
// and the histograms of MaxGroups groups take half of it.
const maxAllocated = 16 << 20

// allocated returns how many bytes the heap has ever been asked for.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// decodeWithin decodes a message, and fails the test if that takes more memory than it may.
func decodeWithin(t *testing.T, message string) (*Report, error) {
	t.Helper()
	before := allocated()
	report, err := Decode(message)
	if took := allocated() - before; took > maxAllocated {
		t.Errorf("a message of %d bytes takes %d KiB to decode, at most %d KiB are its due (error %v)",
			len(message), took>>10, maxAllocated>>10, err)
	}
	return report, err
}

// hostilePayloads returns payloads of up to maxInflated that have a decoder allocate far more than that.
func hostilePayloads() map[string][]byte {
	const (
		list2, list3, list4, list6, list8 = 0x82, 0x83, 0x84, 0x86, 0x88
		null, noText, noBytes, noMap      = 0xf6, 0x60, 0x40, 0xa0
	)
	// long returns an array of the same element again and again.
	long := func(element []byte) []byte {
		n := 900 << 10 / len(element) // as much as deflates to a message
		return append([]byte{0x9a, byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}, bytes.Repeat(element, n)...)
	}
	direction := func(inside ...byte) []byte {
		completion := slices.Concat([]byte{list4, 0, 0, list6, 0, 0, 0, 0, 0, 0}, inside)
		return slices.Concat([]byte{list8, 0, 0, 0, 0, 0, 0, null}, completion)
	}
	group := func(d []byte) []byte { return slices.Concat([]byte{list8, noText, 0, 0, 0, 0}, d, d, d) }
	report := func(groups, histograms []byte) []byte {
		return slices.Concat([]byte{list3, list3, noText}, groups, []byte{0}, histograms, []byte{noMap})
	}
	none := []byte{0x80}
	full := slices.Concat([]byte{0x43}, []byte{0xc0, 0x0e, 0}) // says that all 1,856 buckets are occupied
	nested := bytes.Repeat([]byte{0x81}, maxInflated-10)
	return map[string][]byte{
		"histograms among the figures":      report(long(group(direction(noBytes))), none),
		"maps as histograms":                report(long(group(direction(noMap))), none),
		"groups":                            report(long(group(direction(null))), none),
		"empty groups":                      report(long([]byte{list8, noText, 0, 0, 0, 0, null, null, null}), none),
		"groups that are none":              report(long([]byte{null}), none),
		"histograms beside the figures":     report(slices.Concat([]byte{0x81}, group(direction(null))), long(full)),
		"empty histograms":                  report(none, long([]byte{noBytes})),
		"arrays in arrays":                  nested,
		"unknown keys":                      slices.Concat([]byte{list3, list3, noText, 0x80, 0, 0x80, 0xba, 0, 1, 0, 0}, bytes.Repeat([]byte{0x18, 99, noMap}, 1<<16)),
		"histograms that say they are full": report(slices.Concat([]byte{0x90}, bytes.Repeat(group(direction(null)), MaxGroups)), slices.Concat([]byte{0x98, maxDirections}, bytes.Repeat(full, maxDirections))),
		"a long list where a pair is due":   slices.Concat([]byte{list2}, long([]byte{list8})),
	}
}

// A message of 4 KiB cannot have the operator allocate what no report needs.
func TestHostileMessagesTakeLittleMemory(t *testing.T) {
	for name, payload := range hostilePayloads() {
		t.Run(name, func(t *testing.T) {
			message := pack(t, payload)
			if len(message) > MaxBytes {
				t.Fatalf("a message of %d bytes", len(message))
			}
			before := allocated()
			if _, err := decodeWithin(t, message); err == nil {
				t.Error("it is a report")
			}
			t.Logf("%d bytes, inflated %d KiB: %d KiB to decode", len(message), len(payload)>>10, (allocated()-before)>>10)
		})
	}
}

// The largest report that can be takes less than the limit as well, so that the limit is one for all messages.
func TestTheLargestReportIsDecoded(t *testing.T) {
	full := &histogram.Histogram{}
	for i := range histogram.Buckets {
		full.Add(histogram.Value(i), 1)
	}
	want := Report{FioVersion: "fio-3.39"}
	for range MaxGroups {
		d := &Direction{IOs: histogram.Buckets, Completion: NewCompletion(0, 1<<34, full)}
		want.Groups = append(want.Groups, Group{Name: "a", Read: d, Write: d, Trim: d})
	}
	message, err := Encode(want)
	if err != nil {
		t.Fatal(err)
	}
	before := allocated()
	got, err := decodeWithin(t, message)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes: %d KiB to decode", len(message), (allocated()-before)>>10)
	if diff := equalReports(want, *got); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
}

// A histogram has its place beside the figures: among them it is refused, whatever stands for it.
func TestHistogramAmongTheFigures(t *testing.T) {
	for _, inside := range []any{[]byte{}, []byte{1, 2, 3}, map[string]int{}, []any{}, 1, "text"} {
		completion := []any{0, 0, [len(Percentiles)]int64{}, inside}
		direction := []any{0, 0, 0, 0, 0, 0, nil, completion}
		group := []any{"a", 0, 0, 0, 0, direction, nil, nil}
		payload, err := cbor.Marshal([]any{[]any{"", []any{group}, 0}, [][]byte{nil}, map[int]int{}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Decode(pack(t, payload)); err == nil {
			t.Errorf("%v: no error", inside)
		}
	}
}

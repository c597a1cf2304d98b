package digest

import (
	"bytes"
	"runtime/metrics"
	"slices"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
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
		list2, list3, list6           = 0x82, 0x83, 0x86
		map1, map2                    = 0xa1, 0xa2
		key1, key2, key6, key7, key99 = 1, 2, 6, 7, 99
		null, noBytes, noMap          = 0xf6, 0x40, 0xa0
	)
	// long returns an array of the same element again and again.
	long := func(element []byte) []byte {
		n := 900 << 10 / len(element) // as much as deflates to a message
		return append([]byte{0x9a, byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}, bytes.Repeat(element, n)...)
	}
	read := slices.Concat([]byte{map2, key1, 0x64}, []byte("read"), []byte{key7, list3, 0, 0, list6, 0, 0, 0, 0, 0, 0})
	group := slices.Concat([]byte{map1, key6, 0x81}, read)
	report := func(groups, histograms []byte) []byte {
		return slices.Concat([]byte{list2, map2, key2}, groups, []byte{key6, noMap}, histograms)
	}
	none := []byte{0x80}
	full := slices.Concat([]byte{0x43}, []byte{0xc0, 0x0e, 0}) // says that all 1,856 buckets are occupied
	nested := bytes.Repeat([]byte{0x81}, maxInflated-10)
	return map[string][]byte{
		"figures":                           report(slices.Concat([]byte{0x81, map1, key6}, long(read)), none),
		"figures that are none":             report(slices.Concat([]byte{0x81, map1, key6}, long([]byte{null})), none),
		"groups":                            report(long(group), none),
		"empty groups":                      report(long([]byte{noMap}), none),
		"groups that are none":              report(long([]byte{null}), none),
		"histograms beside the figures":     report(slices.Concat([]byte{0x81}, group), long(full)),
		"empty histograms":                  report(none, long([]byte{noBytes})),
		"arrays in arrays":                  nested,
		"unknown keys":                      slices.Concat([]byte{list2, 0xba, 0, 1, 0, 0}, bytes.Repeat([]byte{0x18, key99, noMap}, 1<<16), none),
		"histograms that say they are full": report(slices.Concat([]byte{0x90}, bytes.Repeat(group, MaxGroups)), slices.Concat([]byte{0x90}, bytes.Repeat(full, MaxGroups))),
		"a long list where a pair is due":   slices.Concat([]byte{list2}, long([]byte{list6})),
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
		group := Group{Name: "a"}
		for _, operation := range operations {
			f := Figures{Figures: v1alpha1.Figures{Name: operation, Count: histogram.Buckets}}
			f.SetHistogram(0, 1<<34, full)
			group.Figures = append(group.Figures, f)
		}
		want.Groups = append(want.Groups, group)
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

package digest

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/storagebench/storagebench/internal/histogram"
)

// randomMetadata returns as many operations as can be, on the slowest storage.
func randomMetadata(r *rand.Rand, buckets int) *Metadata {
	d := randomDirection(r, spread(r, buckets))
	return &Metadata{Count: d.Latency.Count, MilliPerSecond: d.MilliIOPS, Mean: d.Latency.Mean, Completion: d.Completion}
}

// metadataReport returns a report whose groups move no data.
func metadataReport(r *rand.Rand, groups, buckets int) Report {
	out := report(r, groups, 1)
	for i := range out.Groups {
		out.Groups[i].Read, out.Groups[i].Write = nil, nil
		out.Groups[i].Metadata = randomMetadata(r, buckets)
	}
	return out
}

func TestMetadataRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	whole := metadataReport(r, 3, 20)
	some := report(r, 3, 5)
	some.Groups[1].Read, some.Groups[1].Write, some.Groups[1].Metadata = nil, nil, randomMetadata(r, 5)
	bare := metadataReport(r, 1, 1)
	bare.Groups[0].Metadata.Completion = nil
	for name, want := range map[string]Report{"all groups": whole, "one of three": some, "no percentiles": bare} {
		message, err := Encode(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Decode(message)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := equalReports(want, *got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// As many groups of metadata as can be planned fit, however many latencies there are.
func TestMetadataFits(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, buckets := range []int{1, 300, 20 * histogram.Buckets} {
		checkFits(t, metadataReport(r, MaxGroups, buckets))
	}
}

func TestMetadataThatCannotBe(t *testing.T) {
	for want, change := range map[string]func(*Metadata){
		"latency of 0 operations": func(m *Metadata) { m.Count = 0 },
		"negative figure":         func(m *Metadata) { m.MilliPerSecond = -1 },
		"negative figure of":      func(m *Metadata) { m.Mean = -1 },
		"do not rise":             func(m *Metadata) { slices.Reverse(m.Completion.Buckets[:]) },
	} {
		forged := metadataReport(rand.New(rand.NewPCG(9, 9)), 1, 5)
		change(forged.Groups[0].Metadata)
		message, err := Encode(forged)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Decode(message); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	message := packed(t, map[int]any{9: []any{nil, nil, nil, nil}})
	if _, err := Decode(message); err == nil || !strings.Contains(err.Error(), "metadata of 4 result groups") {
		t.Errorf("of more groups than there are: %v", err)
	}
}

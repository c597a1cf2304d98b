package series

import (
	"bytes"
	"compress/gzip"
	"runtime"
	"strings"
	"testing"
)

// What decoding takes of texts that are made to take much: 1 MiB each of what is smallest as text.
func TestHostileSeriesTakeLittleMemory(t *testing.T) {
	const most = 24 << 20
	head := `{"version":1,"intervalMilliseconds":1000,"latencyPoints":1,"clients":1,"startMilliseconds":1,`
	for name, text := range map[string]string{
		"empty sections":    head + `"sections":[` + many(`{}`) + `]}`,
		"empty directions":  head + `"sections":[` + many(`{"read":{}}`) + `]}`,
		"empty latencies":   head + `"sections":[` + many(`{"read":{"latency":{}}}`) + `]}`,
		"one section often": head + strings.TrimSuffix(strings.Repeat(`"sections":[{}],`, 1<<15), ",") + `}`,
		"empty histograms":  head + `"sections":[{"read":{"latency":{"histograms":[` + many(`[]`) + `]}}}]}`,
		"short histograms":  head + `"sections":[{"read":{"latency":{"histograms":[` + many(`[0]`) + `]}}}]}`,
		"long columns":      head + `"sections":[{"read":{"iops":{"mean":[` + many(`0`) + `]}}}]}`,
		"a long name":       head + `"sections":[{"name":"` + strings.Repeat(`\u0000`, (maxText-200)/6) + `"}]}`,
		"not JSON":          strings.Repeat("[", maxText),
	} {
		t.Run(name, func(t *testing.T) {
			var zipped bytes.Buffer
			w := gzip.NewWriter(&zipped)
			_, _ = w.Write([]byte(text))
			_ = w.Close()
			if zipped.Len() > MaxBytes || len(text) > maxText {
				t.Fatalf("%d bytes, %d zipped", len(text), zipped.Len())
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if _, err := DecodePart(zipped.Bytes()); err == nil {
				t.Error("it is taken")
			}
			runtime.ReadMemStats(&after)
			taken := after.TotalAlloc - before.TotalAlloc
			t.Logf("%d KiB", taken>>10)
			if taken > most {
				t.Errorf("decoding allocates %d bytes, want at most %d", taken, most)
			}
		})
	}
}

// many returns so many elements as fit into a text.
func many(element string) string {
	return strings.TrimSuffix(strings.Repeat(element+",", (maxText-300)/(len(element)+1)), ",")
}

// The largest series that there can be has no more objects and arrays than are decoded, and names count for nothing.
func TestShape(t *testing.T) {
	direction := `{"iops":{"mean":[],"min":[],"max":[]},"bytesPerSecond":{"mean":[],"min":[],"max":[]},"latency":{"meanNanoseconds":[],"p50Nanoseconds":[],"p99Nanoseconds":[],"maxNanoseconds":[],"histograms":[` + strings.TrimSuffix(strings.Repeat(`[],`, maxPartHistograms/48+1), ",") + `]}}`
	section := `{"name":"` + strings.Repeat(`\"{[\\`, 50) + `","read":` + direction + `,"write":` + direction + `,"trim":` + direction + `}`
	largest := `{"sections":[` + strings.TrimSuffix(strings.Repeat(section+",", MaxSections), ",") + `]}`
	for name, test := range map[string]struct {
		text string
		ok   bool
	}{
		"the largest":      {largest, true},
		"too many objects": {strings.Repeat("{", maxObjects+1), false},
		"too many arrays":  {strings.Repeat("[", maxArrays+1), false},
	} {
		if err := checkShape([]byte(test.text)); (err == nil) != test.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Clients of which each says that it began as much earlier as can be have no more points together than two of them.
func TestMergedPointsAreBounded(t *testing.T) {
	const interval = 1000
	recording := func(i int) *Recording {
		rates := []Range{Steady(1)}
		return &Recording{
			StartMilliseconds: maxStart - int64(i)*maxLate*interval, IntervalMilliseconds: interval, LatencyPoints: 1, Clients: 1,
			Sections: []RecordedSection{{Name: "a", Read: &Recorded{IOPS: rates, Bytes: rates}}},
		}
	}
	all := recording(0)
	for i := 1; i < MaxClients; i++ {
		var err error
		if all, err = Merge([]*Recording{all, recording(i)}); err != nil {
			t.Fatal(err)
		}
		if all.Points() > maxMergedPoints {
			t.Fatalf("%d clients have %d points together", i+1, all.Points())
		}
	}
	if all.Clients != MaxClients {
		t.Errorf("they are %d clients", all.Clients)
	}
}

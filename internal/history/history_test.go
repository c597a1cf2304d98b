package history

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var begin = time.Date(2026, 8, 1, 3, 0, 0, 0, time.UTC)

// historyOf returns a history of so many points and cases, with figures that are as noisy as those of storage.
func historyOf(points, cases int, metrics ...Metric) *History {
	random := rand.New(rand.NewPCG(1, 2))
	h := &History{}
	for i := range points {
		p := Point{
			Time: begin.AddDate(0, 0, i), Benchmark: fmt.Sprintf("nightly-%08d", i), UID: fmt.Sprintf("%08x-0000-4000-8000-%012x", random.Uint32(), random.Uint64()>>16),
			Succeeded: true, Reason: "Completed",
			Environment: Environment{
				Operator: "0.9.0", Fio: "fio-3.33", Kubelet: "v1.37.1", Kernel: "6.1.0-28-cloud-amd64", OSImage: "Amazon Linux 2023",
				Drivers:      []Driver{{Name: "ebs.csi.aws.com", Image: "public.ecr.aws/ebs-csi-driver/aws-ebs-csi-driver:v1.64.0", Targets: []string{"t0"}}},
				InstanceType: "m6i.large", Zone: "ap-northeast-1a", Node: fmt.Sprintf("ip-10-0-1-%d.ap-northeast-1.compute.internal", i%3), Baseline: "0011223344556677",
			},
		}
		for c := range cases {
			m := Measured{Case: Case{Workload: fmt.Sprintf("workload-%d", c/16), Parameters: "bs=16k iodepth=4", Target: fmt.Sprintf("t%d", c%16)}}
			for _, metric := range metrics {
				level := 3e6
				if metric.IsLatency() {
					level = 5.3e6
				}
				m.Figures = append(m.Figures, Figure{metric, int64(level * (1 + 0.05*random.NormFloat64()))})
			}
			p.Cases = append(p.Cases, m)
		}
		h.Add(p, points)
	}
	return h
}

func dataOf(chunks []Chunk) [][]byte {
	var all [][]byte
	for _, c := range chunks {
		all = append(all, c.Data)
	}
	return all
}

// roundTrip returns a history as it comes back from where it is kept.
func roundTrip(t *testing.T, h *History) *History {
	t.Helper()
	chunks, err := h.Encode()
	if err != nil {
		t.Fatal(err)
	}
	decoded, err := Decode(dataOf(chunks))
	if err != nil {
		t.Fatal(err)
	}
	return decoded
}

func TestRoundTrip(t *testing.T) {
	h := historyOf(5, 3, ReadIOPS, ReadP50, ReadP99, SyncP99)
	h.Points[1].Cases = nil // it failed
	h.Points[1].Succeeded, h.Points[1].Reason = false, "RunFailed"
	h.Points[2].Cases[1].Figures = []Figure{{ReadIOPS, 0}, {MetadataP99, MaxLatency}}
	h.Points[3].Environment.Kernel = "6.12"
	h.Points[4].Cases = h.Points[4].Cases[1:]
	if diff := cmp.Diff(h, roundTrip(t, h)); diff != "" {
		t.Error(diff)
	}
}

func TestAddOnce(t *testing.T) {
	h := &History{}
	for i, row := range []struct {
		uid  string
		want bool
	}{{"a", true}, {"b", true}, {"a", false}, {"c", true}} {
		if got := h.Add(Point{UID: row.uid}, 2); got != row.want {
			t.Errorf("%d: added %v, want %v", i, got, row.want)
		}
	}
	if len(h.Points) != 2 || h.Points[0].UID != "b" || h.Points[1].Sequence != 3 {
		t.Errorf("%+v", h.Points)
	}
}

// A point that was made while the clock was ahead keeps none of those out that are made when it is right again.
func TestAddWhateverTheClockSays(t *testing.T) {
	const limit = 3
	h := &History{}
	for n, at := range []time.Time{begin.AddDate(4, 0, 0), begin, begin.AddDate(0, 0, 1), begin.AddDate(0, 0, 2), begin.AddDate(-9, 0, 0), begin.AddDate(0, 0, 3)} {
		if !h.Add(Point{UID: fmt.Sprint(n), Time: at}, limit) {
			t.Errorf("point %d was left out", n)
		}
		if last := h.Points[len(h.Points)-1]; last.UID != fmt.Sprint(n) || last.Sequence != int64(n+1) {
			t.Errorf("after point %d the last one is %+v", n, last)
		}
	}
	if len(h.Points) != limit {
		t.Errorf("%d points", len(h.Points))
	}
}

// Points of a template before may be larger than those of which the limit says how many there may be.
func TestTrimHoldsWhatDecodeTakes(t *testing.T) {
	h := historyOf(MaxCasePoints/MaxCases, MaxCases, ReadIOPS)
	last := h.Points[len(h.Points)-1]
	small := historyOf(1, 1, ReadIOPS).Points[0]
	small.UID, small.Time = "small", last.Time.Add(time.Hour)
	h.Add(small, MaxPoints)
	chunks, err := h.Encode()
	if err != nil {
		t.Fatal(err)
	}
	decoded, err := Decode(dataOf(chunks))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(decoded.Points); n != MaxCasePoints/MaxCases || decoded.Points[n-1].UID != "small" {
		t.Errorf("%d points, the last is %s", n, decoded.Points[n-1].UID)
	}
}

// TestPointsStay: a point stays in its chunk, and chunks between the first and the last stay as they are. So no order of writes, and no
// crash between two, loses a point, and a new point costs one or two writes.
func TestPointsStay(t *testing.T) {
	const limit = maxChunkPoints + 10
	h := &History{}
	kept, before, most := map[int64]int64{}, map[int64][]byte{}, 0
	for _, p := range historyOf(2*maxChunkPoints+5, 2, ReadIOPS).Points {
		h.Add(p, limit)
		chunks, err := h.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if h, err = Decode(dataOf(chunks)); err != nil {
			t.Fatal(err)
		}
		for i, c := range chunks {
			if i > 0 && i < len(chunks)-1 && !bytes.Equal(before[c.Number], c.Data) {
				t.Fatalf("chunk %d of %d changed", i, len(chunks))
			}
			before[c.Number] = c.Data
		}
		for _, p := range h.Points {
			if chunk, ok := kept[p.Sequence]; ok && chunk != p.Chunk {
				t.Fatalf("point %d went from chunk %d to %d", p.Sequence, chunk, p.Chunk)
			}
			kept[p.Sequence] = p.Chunk
		}
		most = max(most, len(chunks))
	}
	if most != 3 || len(h.Points) != limit {
		t.Errorf("%d chunks, %d points: not what is to be tested", most, len(h.Points))
	}
}

// TestSize: the largest history fits, and what it takes.
func TestSize(t *testing.T) {
	all := Metrics()
	for _, row := range []struct {
		name          string
		points, cases int
		metrics       []Metric
		mostChunks    int
	}{
		{"a small one", 90, 8, []Metric{ReadIOPS, ReadP50, ReadP99}, 1},
		{"the largest, one direction", 90, MaxCases, []Metric{ReadIOPS, ReadP50, ReadP99}, 3},
		{"the largest, reads, writes and syncs", 90, MaxCases, []Metric{ReadIOPS, ReadP50, ReadP99, WriteIOPS, WriteP50, WriteP99, SyncP99}, 6},
		{"the largest, all metrics", 90, MaxCases, all, 12},
	} {
		t.Run(row.name, func(t *testing.T) {
			h := historyOf(row.points, row.cases, row.metrics...)
			chunks, err := h.Encode()
			if err != nil {
				t.Fatal(err)
			}
			bytes := 0
			for _, c := range chunks {
				bytes += len(c.Data)
				if len(c.Data) > MaxChunkBytes {
					t.Errorf("a chunk of %d bytes", len(c.Data))
				}
			}
			t.Logf("%d points x %d cases x %d figures: %d chunks, %d bytes, %.1f a case", row.points, row.cases, len(row.metrics), len(chunks), bytes, float64(bytes)/float64(row.points*row.cases))
			if len(chunks) > row.mostChunks {
				t.Errorf("%d chunks, at most %d expected", len(chunks), row.mostChunks)
			}
			if _, err := Decode(dataOf(chunks)); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestFits(t *testing.T) {
	for _, row := range []struct {
		cases, points int
		want          string
	}{
		{1024, 90, ""},
		{1, 1000, ""},
		{92, 1000, ""},
		{93, 1000, "lower historyLimit to 990"},
		{1024, 91, "lower historyLimit to 90"},
		{1025, 1, "split it into several schedules"},
		{1, 0, "must be from 1 to 1000"},
		{1, 1001, "must be from 1 to 1000"},
	} {
		err := Fits(row.cases, row.points)
		if row.want == "" && err != nil || row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)) {
			t.Errorf("%d cases, %d points: %v, want %q", row.cases, row.points, err, row.want)
		}
	}
}

// TestDecodeWhatIsLeft: a chunk that somebody changed does not take the others with it.
func TestDecodeWhatIsLeft(t *testing.T) {
	h := historyOf(6, 2, ReadIOPS)
	for i := range h.Points {
		h.Points[i].Chunk = int64(1 + i/2*2)
	}
	chunks, err := h.Encode()
	if err != nil || len(chunks) != 3 {
		t.Fatal(len(chunks), err)
	}
	data := dataOf(chunks)
	data[1] = []byte("storagebench-history/v9\nfrom the future")
	data = append(data, data[0]) // twice
	slices.Reverse(data)
	left, err := Decode(data)
	if err == nil || !strings.Contains(err.Error(), `begins with "storagebench-history/v9"`) {
		t.Error(err)
	}
	var got []int64
	for _, p := range left.Points {
		got = append(got, p.Sequence)
	}
	if want := []int64{1, 2, 5, 6}; !slices.Equal(got, want) {
		t.Errorf("points %v, want %v", got, want)
	}
}

// A chunk is not decoded that is larger than those that are made, before or after it is inflated.
func TestDecodeRefusesLargeChunks(t *testing.T) {
	for name, test := range map[string]struct {
		data []byte
		want string
	}{
		"as it is stored": {append([]byte(magic), make([]byte, MaxChunkBytes)...), "bytes: at most 786432 are read"},
		"inflated":        {zip(make([]byte, MaxChunkBytes+1)), "gunzipped it has more than 786432 bytes"},
	} {
		if _, err := Decode([][]byte{test.data}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want one that says %q", name, err, test.want)
		}
	}
}

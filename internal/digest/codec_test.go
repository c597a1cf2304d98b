package digest

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fxamacker/cbor/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/internal/histogram"
)

// spread returns a histogram with many occupied buckets and large counts, which compresses badly.
func spread(r *rand.Rand, buckets int) *histogram.Histogram {
	h := &histogram.Histogram{}
	for range buckets {
		h.Add(histogram.Value(r.IntN(histogram.Buckets)), r.Uint64N(1<<40)+1)
	}
	return h
}

// direction returns the figures of a day on the fastest storage, with latencies of the slowest.
func randomDirection(r *rand.Rand, h *histogram.Histogram) *Direction {
	const seconds = 1 << 35
	d := &Direction{
		IOs: r.Int64N(1 << 38), Bytes: r.Int64N(1 << 53), MilliIOPS: r.Int64N(1 << 36), BytesPerSecond: r.Int64N(1 << 40),
		Latency:    &Latency{Count: 1 + r.Int64N(1<<38), Mean: r.Int64N(seconds), Stddev: r.Int64N(seconds)},
		Completion: &Completion{Min: r.Int64N(1 << 20), Max: seconds - 1 - r.Int64N(1<<30), Histogram: h},
	}
	for i := range d.Completion.Buckets {
		d.Completion.Buckets[i] = r.Int64N(histogram.Buckets)
	}
	slices.Sort(d.Completion.Buckets[:])
	return d
}

// randomSync returns the syncs of a day on the slowest storage.
func randomSync(r *rand.Rand, h *histogram.Histogram) *Sync {
	d := randomDirection(r, h)
	return &Sync{Count: d.Latency.Count, Mean: d.Latency.Mean, Completion: d.Completion}
}

// environment returns a large machine during a day of measurement.
func environment(r *rand.Rand) Environment {
	e := Environment{CPUMillis: r.Int64N(1 << 18), MemoryBytes: r.Int64N(1 << 44), Periods: r.Int64N(1 << 20), Files: r.Int64N(1001)}
	e.StartMarginMilliseconds = r.Int64N(1 << 20)
	e.ThrottledPeriods, e.SparseFiles = r.Int64N(e.Periods+1), r.Int64N(e.Files+1)
	for _, share := range []*int64{&e.StealPermille, &e.UsedPermille, &e.UsedInodesPermille, &e.BusiestJobPermille} {
		*share = r.Int64N(1001)
	}
	e.Counters = &Counters{NFS: r.IntN(2) == 0}
	for _, figure := range e.Counters.Figures() {
		*figure = r.Int64N(1 << 53)
	}
	e.Exceeded = &Exceeded{}
	for _, figure := range e.Exceeded.Figures() {
		*figure = r.Int64N(1 << 40)
	}
	e.Volume = &Volume{}
	for _, figure := range e.Volume.Figures() {
		*figure = r.Int64N(1 << 40)
	}
	e.Node = &Node{}
	for _, share := range e.Node.Figures() {
		*share = r.Int64N(1001)
	}
	return e
}

// report returns a report whose groups have reads and writes.
func report(r *rand.Rand, groups, buckets int) Report {
	out := Report{FioVersion: "fio-3.39-31-gabcdef", Pod: "01234567-89ab-cdef-0123-456789abcdef", Environment: environment(r)}
	for i := range groups {
		out.Groups = append(out.Groups, Group{
			Name: fmt.Sprintf("section-%d", i), JobStart: 1_700_000_000_000 + r.Int64N(1<<36), ElapsedMilliseconds: r.Int64N(1 << 32),
			UserPercent: r.Int64N(1001), SystemPercent: r.Int64N(1001),
			Read: randomDirection(r, spread(r, buckets)), Write: randomDirection(r, spread(r, buckets)),
		})
	}
	return out
}

var equalHistograms = cmp.Comparer(func(a, b *histogram.Histogram) bool {
	return (a == nil) == (b == nil) && (a == nil || a.Equal(b))
})

func equalReports(a, b Report) string {
	blank := cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == "._" }, cmp.Ignore())
	return cmp.Diff(a, b, equalHistograms, blank)
}

func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	one := report(r, 1, 40)
	sparse := Report{FioVersion: "", Groups: []Group{{Name: "only-writes", Write: &Direction{IOs: 1}}}}
	noHistogram := Report{Groups: []Group{{Read: &Direction{Completion: &Completion{Min: 1, Max: 2}}}}}
	synced := report(r, 3, 40)
	synced.Groups[0].Sync, synced.Groups[2].Sync = randomSync(r, spread(r, 40)), randomSync(r, nil)
	synced.Groups = append(synced.Groups, Group{Sync: &Sync{Count: math.MaxInt64, Mean: math.MaxInt64}})
	everyTime := Report{Groups: []Group{{}}, Environment: Environment{
		CPUMillis: 1, MemoryBytes: math.MaxInt64, Periods: 3, ThrottledPeriods: 3, Files: 5, SparseFiles: 5, StartMarginMilliseconds: 6,
		StealPermille: 1000, UsedPermille: 1000, UsedInodesPermille: 1000, BusiestJobPermille: 1000,
		Counters: &Counters{
			NFS: true, Reads: 1, ReadBytes: 2, Writes: 3, WriteBytes: math.MaxInt64, Others: 5, Merges: 6, BusyMilliseconds: 7, QueueMilliseconds: 8, Retransmissions: 9,
		},
		Exceeded: &Exceeded{VolumeIOPS: 1, VolumeThroughput: 2, InstanceIOPS: 3, InstanceThroughput: math.MaxInt64},
		Volume: &Volume{
			Read:  VolumeOperations{Count: 1, Bytes: 2, Microseconds: 3, P50: 4, P99: 5},
			Write: VolumeOperations{Count: 6, Bytes: math.MaxInt64, Microseconds: 7, P50: 8, P99: 9},
		},
		Node: &Node{BusyPermille: 1000, OthersPermille: 999, WaitedPermille: 998, CPUPressurePermille: 997, IOPressurePermille: 996},
	}}
	started := Report{Groups: []Group{
		{JobStart: maxJobStart, Read: &Direction{Latency: &Latency{Count: math.MaxInt64, Mean: 1, Stddev: 2}}}, {JobStart: 1},
	}}
	for name, want := range map[string]Report{
		"full": one, "sparse": sparse, "no histogram": noHistogram, "no direction": {Groups: []Group{{}}}, "throttled all the time": everyTime,
		"started": started, "synced": synced, "probed": {Groups: []Group{{}}, Probe: &Probe{
			IOs: math.MaxInt64, MilliIOPS: math.MaxInt64, BytesPerSecond: math.MaxInt64, MeanLatency: math.MaxInt64, CPUPercent: maxCPUPercent,
		}},
		"submitting":         {Groups: []Group{{Read: &Direction{Submission: 7}}, {Write: &Direction{}, Trim: &Direction{Submission: math.MaxInt64}}}},
		"still to be probed": {Groups: []Group{{}}, LacksProbe: true},
		"nothing counted":    {Groups: []Group{{}}, Environment: Environment{Counters: &Counters{}}},
	} {
		t.Run(name, func(t *testing.T) {
			message, err := Encode(want)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Decode(message)
			if err != nil {
				t.Fatal(err)
			}
			if diff := equalReports(want, *got); diff != "" {
				t.Errorf("report (-want +got):\n%s", diff)
			}
			if got, err := Decode("\n" + message + "\n"); err != nil || equalReports(want, *got) != "" {
				t.Errorf("with blanks around it: %v", err)
			}
		})
	}
}

// Two directions with as many buckets as a real randrw run has fit in full.
func TestHistogramsOfARealRunAreFull(t *testing.T) {
	h := &histogram.Histogram{}
	for i := 500; i < 1037; i++ {
		h.Add(histogram.Value(i), uint64(math.Exp(10-math.Abs(float64(i)-700)/60))+1)
	}
	want := Report{FioVersion: "fio-3.39", Groups: []Group{{
		Read:  &Direction{IOs: 1e6, Completion: &Completion{Max: math.MaxInt32, Histogram: h}},
		Write: &Direction{IOs: 1e6, Completion: &Completion{Max: math.MaxInt32, Histogram: h}},
	}}}
	message, err := Encode(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode(message)
	if err != nil {
		t.Fatal(err)
	}
	if diff := equalReports(want, *got); diff != "" {
		t.Errorf("of %d bytes (-want +got):\n%s", len(message), diff)
	}
}

// Whatever the job, the message is never longer than the kubelet keeps, and its figures are exact.
func TestNeverTooLong(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		groups, buckets := 1+r.IntN(MaxGroups), r.IntN(2*histogram.Buckets)
		want := report(r, groups, buckets)
		checkFits(t, want)
	}
	for _, groups := range []int{1, MaxGroups} {
		for _, buckets := range []int{0, 1, 20 * histogram.Buckets} {
			checkFits(t, report(r, groups, buckets))
		}
	}
}

func checkFits(t *testing.T, want Report) {
	t.Helper()
	message, err := Encode(want)
	if err != nil {
		t.Errorf("%d groups: %v", len(want.Groups), err)
		return
	}
	if len(message) > MaxBytes {
		t.Errorf("%d groups: %d bytes", len(want.Groups), len(message))
	}
	got, err := Decode(message)
	if err != nil {
		t.Errorf("%d groups: %v", len(want.Groups), err)
		return
	}
	for i := range got.Groups {
		own, full := got.Groups[i].Sync, want.Groups[i].Sync
		if own != nil && own.Completion.Histogram != nil && !own.Completion.Histogram.Equal(full.Completion.Histogram.Coarsen(int(got.Coarsening))) {
			t.Errorf("%d groups: a histogram of %d syncs coarser by %d bits was of %d", len(want.Groups), own.Completion.Histogram.Count(), got.Coarsening, full.Completion.Histogram.Count())
		}
	}
	for i, d := range got.directions() {
		full := want.directions()[i].Completion.Histogram
		if h := d.Completion.Histogram; h != nil && !h.Equal(full.Coarsen(int(got.Coarsening))) {
			t.Errorf("%d groups: a histogram of %d I/Os coarser by %d bits was of %d", len(want.Groups), h.Count(), got.Coarsening, full.Count())
		}
	}
	got.Coarsening = 0
	if diff := equalReports(coarsen(want, coarsest+1), coarsen(*got, coarsest+1)); diff != "" {
		t.Errorf("%d groups: figures (-want +got):\n%s", len(want.Groups), diff)
	}
}

// All that can be planned fits: reads, writes, trims and syncs twice for each of as many groups as can be, however they are spread
// over the groups. internal/fio refuses more of them.
func TestPlannedSyncsFit(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	const figures = 2 * MaxGroups
	for _, buckets := range []int{1, 300, 20 * histogram.Buckets} {
		writes := report(r, MaxGroups, buckets)
		for i := range writes.Groups {
			writes.Groups[i].Read, writes.Groups[i].Sync = nil, randomSync(r, spread(r, buckets))
		}
		checkFits(t, writes)
		mixed := report(r, figures/3, buckets)
		for i := range mixed.Groups {
			mixed.Groups[i].Sync = randomSync(r, spread(r, buckets))
		}
		checkFits(t, mixed)
		all := report(r, figures/4, buckets)
		for i := range all.Groups {
			all.Groups[i].Trim, all.Groups[i].Sync = randomDirection(r, spread(r, buckets)), randomSync(r, spread(r, buckets))
		}
		checkFits(t, all)
	}
}

// A report without syncs is what older runners say, and one with syncs is what older operators can read: they pass over these.
func TestSyncsAreBesideTheReport(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	want := report(r, 2, 30)
	want.Groups[1].Sync = randomSync(r, spread(r, 30))
	payload, err := marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var older struct {
		_           struct{} `cbor:",toarray"`
		Report      Report
		Histograms  [][]byte
		Environment Environment
	}
	if err := strict.Unmarshal(payload, &older); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.Environment, older.Environment); diff != "" || len(older.Histograms) != 4 || len(older.Report.Groups) != 2 {
		t.Errorf("%d histograms of %d groups, environment (-want +got):\n%s", len(older.Histograms), len(older.Report.Groups), diff)
	}
	payload, err = cbor.Marshal(older)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode(pack(t, payload))
	if err != nil {
		t.Fatal(err)
	}
	want.Groups[1].Sync, want.Pod = nil, ""
	if diff := equalReports(want, *got); diff != "" {
		t.Errorf("report of an older runner (-want +got):\n%s", diff)
	}
}

// What does not fit in any form is refused in words, and never cut.
func TestFiguresThatDoNotFit(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	largest := report(r, MaxGroups, 100)
	for i := range largest.Groups {
		name := make([]byte, MaxNameLength)
		for j := range name {
			name[j] = byte('!' + r.IntN(90))
		}
		largest.Groups[i].Name = string(name)
		largest.Groups[i].Trim = randomDirection(r, nil)
	}
	message, err := Encode(largest)
	if err == nil || !strings.Contains(err.Error(), "the figures of 16 result groups take") {
		t.Errorf("%d bytes, error %v", len(message), err)
	}
}

func TestEncodeRefusesTooManyGroups(t *testing.T) {
	_, err := Encode(Report{Groups: make([]Group, MaxGroups+1)})
	if err == nil || !strings.Contains(err.Error(), "17 result groups: a report holds at most 16") {
		t.Errorf("error %v", err)
	}
}

func TestLongNamesAreShortened(t *testing.T) {
	message, err := Encode(Report{Groups: []Group{{Name: strings.Repeat("ä", 40) + "\xff", Read: &Direction{}}}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode(message)
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Repeat("ä", 32); got.Groups[0].Name != want {
		t.Errorf("name %q, want %q", got.Groups[0].Name, want)
	}
}

// A report names its pod, before everything else. One of an older release names none.
func TestReportsNameTheirPod(t *testing.T) {
	want := report(rand.New(rand.NewPCG(7, 8)), 1, 40)
	message, err := Encode(want)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Decode(message); err != nil || got.Pod != want.Pod {
		t.Errorf("it names pod %q, error %v", got.Pod, err)
	}
	body := strings.TrimPrefix(message, prefix+want.Pod+":")
	if got, err := Decode(prefixOfV3 + body); err != nil || got.Pod != "" {
		t.Errorf("the older one names pod %q, error %v", got.Pod, err)
	}
	for _, pod := range []string{strings.Repeat("a", MaxNameLength+1), "a\x1b", "\xff"} {
		if _, err := Decode(prefix + pod + ":" + body); err == nil {
			t.Errorf("pod %q: no error", pod)
		}
	}
}

// Only a whole report that says so itself, and names the pod, is one in which only the probe is missing.
func TestLacksProbe(t *testing.T) {
	encoded := func(change func(*Report)) string {
		r := report(rand.New(rand.NewPCG(7, 8)), 1, 40)
		r.LacksProbe = true
		change(&r)
		message, err := Encode(r)
		if err != nil {
			t.Fatal(err)
		}
		return message
	}
	const pod = "01234567-89ab-cdef-0123-456789abcdef" // that of report
	whole := encoded(func(*Report) {})
	body := strings.TrimPrefix(whole, prefix+pod+":")
	for _, test := range []struct {
		name, message, pod string
		want               bool
	}{
		{"it says so", whole, pod, true},
		{"it does not", encoded(func(r *Report) { r.LacksProbe = false }), pod, false},
		{"it has been probed", encoded(func(r *Report) { r.LacksProbe, r.Probe = false, &Probe{} }), pod, false},
		{"half of it", whole[:len(whole)/2], pod, false},
		{"a report of another pod", whole, "another", false},
		{"a report of no pod", encoded(func(r *Report) { r.Pod = "" }), "", false},
		{"an older report", prefixOfV3 + body, pod, false},
		{"an error", "fio was killed", pod, false},
	} {
		if got := LacksProbe(test.message, test.pod); got != test.want {
			t.Errorf("%s: %t, want %t", test.name, got, test.want)
		}
	}
}

func TestDecodeTellsOtherTexts(t *testing.T) {
	for _, text := range []string{"", "fio: No space left on device", "storagebench/v2:abcd", "storagebench/v3", "storagebench/v4", prefix, prefix[1:]} {
		if _, err := Decode(text); !errors.Is(err, ErrNotReport) {
			t.Errorf("%q: error %v", text, err)
		}
	}
}

// pack encodes any payload as Encode does.
func pack(t testing.TB, payload []byte) string {
	t.Helper()
	var deflated bytes.Buffer
	w, err := flate.NewWriter(&deflated, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(payload); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return prefix + ":" + base64.RawStdEncoding.EncodeToString(deflated.Bytes())
}

// packed encodes a report of one group with nothing, and what is beside it.
func packed(t testing.TB, beside map[int]any) string {
	t.Helper()
	payload, err := cbor.Marshal([]any{Report{Groups: []Group{{}}}, [][]byte{}, beside})
	if err != nil {
		t.Fatal(err)
	}
	return pack(t, payload)
}

func TestDecodeRefuses(t *testing.T) {
	valid, err := Encode(Report{Groups: []Group{{Read: &Direction{IOs: 1}}}})
	if err != nil {
		t.Fatal(err)
	}
	forged := func(change func(*Report)) string {
		r := Report{FioVersion: "fio-3.39", Groups: []Group{{Name: "a", Read: &Direction{Completion: &Completion{Min: 1, Max: 2}}}}}
		change(&r)
		w := wire{Report: r, Histograms: make([][]byte, len(r.directions())), Beside: beside{Environment: r.Environment, Probe: r.Probe, LacksProbe: r.LacksProbe, Submissions: submissionsOf(&r)}}
		var err error
		if w.Beside.Syncs, err = wireSyncs(&r, &r); err != nil {
			t.Fatal(err)
		}
		payload, err := cbor.Marshal(w)
		if err != nil {
			t.Fatal(err)
		}
		return pack(t, payload)
	}
	for _, test := range []struct{ name, message, want string }{
		{"no base64", prefix + ":!!!", "decode report"},
		{"nothing", prefix + ":", "inflate report"},
		{"cut", valid[:len(valid)-4], "report"},
		{"no deflate", prefix + ":AAAA", "inflate report"},
		{"no CBOR", pack(t, []byte("hello")), "parse report"},
		{"too long", prefix + ":" + strings.Repeat("A", MaxBytes), "at most 4096 are possible"},
		{"bomb", pack(t, make([]byte, 1<<21)), "report"},
		{"array that is not there", pack(t, []byte{0x82, 0x82, 0x60, 0x9a, 0xff, 0xff, 0xff, 0xff}), "parse report"},
		{"no group", forged(func(r *Report) { r.Groups = nil }), "without a result"},
		{"too many groups", forged(func(r *Report) { r.Groups = make([]Group, MaxGroups+1) }), "at most 16 are possible"},
		{"version that is no text", forged(func(r *Report) { r.FioVersion = strings.Repeat("x", 65) }), "fio version"},
		{"long name", forged(func(r *Report) { r.Groups[0].Name = strings.Repeat("x", 65) }), "impossible name"},
		{"version with escapes", forged(func(r *Report) { r.FioVersion = "\x1b[31m" }), "fio version"},
		{"name with escapes", forged(func(r *Report) { r.Groups[0].Name = "a\nb" }), "impossible name"},
		{"negative count", forged(func(r *Report) { r.Groups[0].Read.IOs = -1 }), "negative figure -1"},
		{"negative time", forged(func(r *Report) { r.Groups[0].ElapsedMilliseconds = -1 }), "impossible times"},
		{"much CPU", forged(func(r *Report) { r.Groups[0].UserPercent = 1001 }), "impossible times"},
		{"negative start", forged(func(r *Report) { r.Groups[0].JobStart = -1 }), "impossible start -1"},
		{"start that cannot be written", forged(func(r *Report) { r.Groups[0].JobStart = maxJobStart + 1 }), "impossible start 253402300800000"},
		{"latency of nothing", forged(func(r *Report) { r.Groups[0].Read.Latency = &Latency{Mean: 1} }), "latency of 0 I/Os"},
		{"negative coarsening", forged(func(r *Report) { r.Coarsening = -1 }), "coarser by -1 bits: at most 6 are possible"},
		{"much coarsening", forged(func(r *Report) { r.Coarsening = 7 }), "coarser by 7 bits: at most 6 are possible"},
		{"negative probe", forged(func(r *Report) { r.Probe = &Probe{MilliIOPS: -1} }), "probe: negative figure -1"},
		{"probe with much CPU", forged(func(r *Report) { r.Probe = &Probe{CPUPercent: 2001} }), "probe: impossible CPU time 2001 %"},
		{"a probe and none", forged(func(r *Report) { r.Probe, r.LacksProbe = &Probe{}, true }), "says that it has none"},
		{"negative margin", forged(func(r *Report) { r.Environment.StartMarginMilliseconds = -7 }), "environment: negative figure -7"},
		{"negative latency", forged(func(r *Report) { r.Groups[0].Read.Latency = &Latency{Mean: -1} }), "negative latency"},
		{"falling percentiles", forged(func(r *Report) { r.Groups[0].Read.Completion.Buckets[0] = 5 }), "do not rise"},
		{"percentile without a bucket", forged(func(r *Report) { r.Groups[0].Read.Completion.Buckets[5] = histogram.Buckets }), "that fio cannot tell"},
		{"negative CPUs", forged(func(r *Report) { r.Environment.CPUMillis = -1 }), "environment: negative figure -1"},
		{"negative memory", forged(func(r *Report) { r.Environment.MemoryBytes = -2 }), "environment: negative figure -2"},
		{"negative periods", forged(func(r *Report) { r.Environment.Periods = -3 }), "environment: negative figure -3"},
		{"negative throttling", forged(func(r *Report) { r.Environment.ThrottledPeriods = -4 }), "environment: negative figure -4"},
		{"negative files", forged(func(r *Report) { r.Environment.Files = -5 }), "environment: negative figure -5"},
		{"negative sparse files", forged(func(r *Report) { r.Environment.SparseFiles = -6 }), "environment: negative figure -6"},
		{"negative steal", forged(func(r *Report) { r.Environment.StealPermille = -8 }), "environment: impossible share of -8 thousandths"},
		{"more than full", forged(func(r *Report) { r.Environment.UsedPermille = 1001 }), "environment: impossible share of 1001 thousandths"},
		{"more inodes than all", forged(func(r *Report) { r.Environment.UsedInodesPermille = 1002 }), "environment: impossible share of 1002 thousandths"},
		{"a job that did more than all", forged(func(r *Report) { r.Environment.BusiestJobPermille = 1003 }), "environment: impossible share of 1003 thousandths"},
		{"negative counter", forged(func(r *Report) { r.Environment.Counters = &Counters{QueueMilliseconds: -9} }), "environment: negative counter -9"},
		{"negative time of a limit", forged(func(r *Report) { r.Environment.Exceeded = &Exceeded{InstanceIOPS: -10} }), "environment: negative counter -10"},
		{"a node that is more than busy", forged(func(r *Report) { r.Environment.Node = &Node{OthersPermille: 1004} }), "node: impossible share of 1004 thousandths"},
		{"a job that waited for less than nothing", forged(func(r *Report) { r.Environment.Node = &Node{WaitedPermille: -1} }), "node: impossible share of -1 thousandths"},
		{"negative operations", forged(func(r *Report) { r.Environment.Volume = &Volume{Write: VolumeOperations{P99: -11}} }), "environment: negative counter -11"},
		{"more throttled than all", forged(func(r *Report) { r.Environment = Environment{Periods: 7, ThrottledPeriods: 8} }), "8 throttled periods of 7"},
		{"more sparse than all", forged(func(r *Report) { r.Environment = Environment{Files: 1, SparseFiles: 2} }), "2 sparse files of 1"},
		{"no environment", pack(t, []byte{0x82, 0x83, 0x60, 0x80, 0x00, 0x80}), "parse report"},
		{"syncs of nothing", forged(func(r *Report) { r.Groups[0].Sync = &Sync{Mean: 1} }), "latency of 0 syncs"},
		{"negative latency of syncs", forged(func(r *Report) { r.Groups[0].Sync = &Sync{Count: 1, Mean: -1} }), "negative latency of syncs"},
		{"falling percentiles of syncs", forged(func(r *Report) {
			r.Groups[0].Sync = &Sync{Count: 1, Completion: &Completion{Max: 1, Buckets: [6]int64{5}}}
		}), "do not rise"},
		{"submissions of other directions", packed(t, map[int]any{22: []any{1, 2, 3}}), "submissions of 3 directions of"},
		{"a submission of less than no time", forged(func(r *Report) { r.Groups[0].Read.Submission = -1 }), "impossible time of a submission: -1"},
		{"syncs of other groups", packed(t, map[int]any{8: []any{nil, nil}}), "syncs of 2 result groups of 1"},
		{"syncs that are none", packed(t, map[int]any{8: []any{7}}), "parse report"},
		{"a histogram of syncs without percentiles", packed(t, map[int]any{8: []any{[]any{1, 1, nil, []byte{0}}}}), "without completion latency"},
		{"a broken histogram of syncs", packed(t, map[int]any{8: []any{[]any{1, 1, []any{0, 1, [6]int{}, nil}, []byte{9}}}}), "parse report: histogram"},
		{"minimum over maximum", forged(func(r *Report) { r.Groups[0].Read.Completion.Min = 3 }), "minimum and maximum"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := Decode(test.message); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
}

// A later runner may say more of the machine: what this controller does not know of it does no harm.
func TestDecodePassesOverUnknownKeys(t *testing.T) {
	payload, err := cbor.Marshal([]any{Report{Groups: []Group{{}}}, [][]byte{}, map[int]any{1: 1500, 99: "news", 5: 2}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode(pack(t, payload))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Environment{CPUMillis: 1500, Files: 2}, got.Environment); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
}

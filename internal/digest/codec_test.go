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

	"github.com/storagebench/storagebench/api/v1alpha1"
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

// operations are all that a group can have figures of.
var operations = v1alpha1.Operations()[:5]

// randomFigures returns the figures of a day on the fastest storage, with latencies of the slowest.
func randomFigures(r *rand.Rand, operation string, h *histogram.Histogram) Figures {
	const seconds = 1 << 35
	f := Figures{Figures: v1alpha1.Figures{Name: operation, Count: 1 + r.Int64N(1<<38)}, Histogram: h}
	if operation != v1alpha1.OperationSync {
		f.MilliIOPS = r.Int64N(1 << 36)
	}
	if v1alpha1.IsData(operation) {
		f.Bytes, f.BytesPerSecond = r.Int64N(1<<53), r.Int64N(1<<40)
	}
	f.SetLatency(f.Count, r.Int64N(seconds), r.Int64N(seconds))
	buckets := make([]int, len(Percentiles))
	for i := range buckets {
		buckets[i] = r.IntN(histogram.Buckets)
	}
	slices.Sort(buckets)
	f.CompletionLatency = &v1alpha1.LatencyDistribution{MinNanoseconds: r.Int64N(1 << 20), MaxNanoseconds: seconds - 1 - r.Int64N(1<<30)}
	for i, percentile := range f.CompletionLatency.Percentiles() {
		*percentile = int64(histogram.Value(buckets[i]))
	}
	return f
}

// figures returns those of several operations.
func figures(r *rand.Rand, buckets int, of ...string) []Figures {
	var all []Figures
	for _, operation := range of {
		all = append(all, randomFigures(r, operation, spread(r, buckets)))
	}
	return all
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
	return reportOf(r, groups, buckets, v1alpha1.OperationRead, v1alpha1.OperationWrite)
}

// reportOf returns a report whose groups have these operations.
func reportOf(r *rand.Rand, groups, buckets int, of ...string) Report {
	out := Report{FioVersion: "fio-3.39-31-gabcdef", Pod: "01234567-89ab-cdef-0123-456789abcdef", Environment: environment(r)}
	for i := range groups {
		out.Groups = append(out.Groups, Group{
			Name: fmt.Sprintf("section-%d", i), JobStart: 1_700_000_000_000 + r.Int64N(1<<36), ElapsedMilliseconds: r.Int64N(1 << 32),
			UserPercent: r.Int64N(1001), SystemPercent: r.Int64N(1001), Figures: figures(r, buckets, of...),
		})
	}
	return out
}

// only returns a group with figures of one operation.
func only(f v1alpha1.Figures) Group { return Group{Figures: []Figures{{Figures: f}}} }

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
	sparse := Report{Groups: []Group{only(v1alpha1.Figures{Name: v1alpha1.OperationWrite, Count: 1})}}
	noHistogram := Report{Groups: []Group{only(v1alpha1.Figures{
		Name: v1alpha1.OperationRead, CompletionLatency: &v1alpha1.LatencyDistribution{MinNanoseconds: 1, MaxNanoseconds: 2},
	})}}
	everyOperation := report(r, 3, 40)
	everyOperation.Groups[1].Figures = figures(r, 20, v1alpha1.OperationMetadata)
	everyOperation.Groups[2].Figures = figures(r, 5, operations...)
	everyOperation.Groups[2].Figures[3].Histogram = nil
	everyOperation.Groups[2].Figures[4].LatencyCount = 7 // of more operations
	everyOperation.Groups[0].LatencyTarget = &LatencyTarget{Nanoseconds: 5, Depth: maxDepth}
	everyOperation.Groups[1].Steady = &FioSteady{Criterion: "iops_slope:0.3%", Attained: true}
	everyOperation.Steady = &Steady{AfterMilliseconds: 3, Rounds: []int64{0, maxRoundRate}}
	probe := &Probe{CPUPercent: maxCPUPercent, Figures: Figures{Figures: v1alpha1.Figures{
		Name: v1alpha1.OperationTotal, Count: math.MaxInt64, MilliIOPS: math.MaxInt64, BytesPerSecond: math.MaxInt64,
	}}}
	probe.Figures.SetLatency(math.MaxInt64, math.MaxInt64, 0)
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
	timed := only(v1alpha1.Figures{Name: v1alpha1.OperationRead})
	timed.JobStart = maxJobStart
	timed.Figures[0].SetLatency(math.MaxInt64, 1, 2)
	started := Report{Groups: []Group{timed, {JobStart: 1}}}
	for name, want := range map[string]Report{
		"full": one, "sparse": sparse, "no histogram": noHistogram, "no direction": {Groups: []Group{{}}}, "throttled all the time": everyTime,
		"started": started, "every operation": everyOperation, "probed": {Groups: []Group{{}}, Probe: probe},
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
	want := Report{FioVersion: "fio-3.39", Groups: []Group{{Figures: make([]Figures, 2)}}}
	for i, operation := range []string{v1alpha1.OperationRead, v1alpha1.OperationWrite} {
		f := &want.Groups[0].Figures[i]
		f.Name, f.Count = operation, 1e6
		f.SetHistogram(0, math.MaxInt32, h)
	}
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

// BenchmarkCodec encodes and decodes what fio measures in a minute of reads and writes, and shows how long the message is.
func BenchmarkCodec(b *testing.B) {
	for _, groups := range []int{1, MaxGroups} {
		want := report(rand.New(rand.NewPCG(11, 12)), groups, 100)
		message, err := Encode(want)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("encode/groups=%d", groups), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = Encode(want)
			}
			b.ReportMetric(float64(len(message)), "bytes")
		})
		b.Run(fmt.Sprintf("decode/groups=%d", groups), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = Decode(message)
			}
		})
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
	full := slices.Collect(want.all())
	for f := range got.all() {
		was := full[0].Histogram
		full = full[1:]
		if h := f.Histogram; h != nil && !h.Equal(was.Coarsen(int(got.Coarsening))) {
			t.Errorf("%d groups: a histogram of %d %ss coarser by %d bits was of %d", len(want.Groups), h.Count(), f.Name, got.Coarsening, was.Count())
		}
	}
	got.Coarsening = 0
	if diff := equalReports(coarsen(want, coarsest+1), coarsen(*got, coarsest+1)); diff != "" {
		t.Errorf("%d groups: figures (-want +got):\n%s", len(want.Groups), diff)
	}
}

// All that can be planned fits: reads, writes, trims and syncs twice for each of as many groups as can be, however they are
// spread over the groups, and metadata in all groups. internal/fio refuses more of them.
func TestPlannedOperationsFit(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	const most = 2 * MaxGroups
	for _, buckets := range []int{1, 300, 20 * histogram.Buckets} {
		for _, of := range [][]string{
			{v1alpha1.OperationMetadata},
			{v1alpha1.OperationWrite, v1alpha1.OperationSync},
			{v1alpha1.OperationRead, v1alpha1.OperationWrite, v1alpha1.OperationSync},
			{v1alpha1.OperationRead, v1alpha1.OperationWrite, v1alpha1.OperationTrim, v1alpha1.OperationSync},
		} {
			checkFits(t, reportOf(r, min(most/len(of), MaxGroups), buckets, of...))
		}
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
		largest.Groups[i].Figures = append(largest.Groups[i].Figures, randomFigures(r, v1alpha1.OperationTrim, nil))
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
	message, err := Encode(Report{Groups: []Group{{Name: strings.Repeat("ä", 40) + "\xff"}}})
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

// A report names its pod, before everything else.
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
	for _, test := range []struct {
		name, message, pod string
		want               bool
	}{
		{"it says so", whole, pod, true},
		{"it does not", encoded(func(r *Report) { r.LacksProbe = false }), pod, false},
		{"it has been probed", encoded(func(r *Report) { r.LacksProbe, r.Probe = false, probeOf(1) }), pod, false},
		{"half of it", whole[:len(whole)/2], pod, false},
		{"a report of another pod", whole, "another", false},
		{"a report of no pod", encoded(func(r *Report) { r.Pod = "" }), "", false},
		{"an error", "fio was killed", pod, false},
	} {
		if got := LacksProbe(test.message, test.pod); got != test.want {
			t.Errorf("%s: %t, want %t", test.name, got, test.want)
		}
	}
}

func TestDecodeTellsOtherTexts(t *testing.T) {
	for _, text := range []string{"", "fio: No space left on device", "storagebench/v4:abcd", "storagebench/v5", prefix, prefix[1:]} {
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

// probeOf returns a probe that has done so many I/Os per second, in thousandths.
func probeOf(rate int64) *Probe {
	return &Probe{Figures: Figures{Figures: v1alpha1.Figures{Name: v1alpha1.OperationTotal, MilliIOPS: rate}}}
}

// forge packs a report as Encode does, but for what that corrects.
func forge(t testing.TB, report Report, histograms ...[]byte) string {
	t.Helper()
	payload, err := cbor.Marshal(wire{Report: report, Histograms: histograms})
	if err != nil {
		t.Fatal(err)
	}
	return pack(t, payload)
}

func TestDecodeRefuses(t *testing.T) {
	valid, err := Encode(Report{Groups: []Group{only(v1alpha1.Figures{Name: v1alpha1.OperationRead, Count: 1})}})
	if err != nil {
		t.Fatal(err)
	}
	named := func(change func(*Report), operation string) string {
		f := v1alpha1.Figures{Name: operation, CompletionLatency: &v1alpha1.LatencyDistribution{MinNanoseconds: 1, MaxNanoseconds: 2}}
		r := Report{FioVersion: "fio-3.39", Groups: []Group{only(f)}}
		r.Groups[0].Name = "a"
		change(&r)
		var histograms [][]byte
		for range r.all() {
			histograms = append(histograms, nil)
		}
		return forge(t, r, histograms...)
	}
	forged := func(change func(*Report)) string { return named(change, v1alpha1.OperationRead) }
	ofEach := func(want string, change func(*Figures)) []refusal {
		var all []refusal
		for _, operation := range operations {
			all = append(all, refusal{want + " of " + operation, named(func(r *Report) { change(&r.Groups[0].Figures[0]) }, operation), operation + ": " + want})
		}
		return all
	}
	raw := func(distribution any) string {
		figures := map[int]any{1: "read", 7: distribution}
		payload, err := cbor.Marshal([]any{map[int]any{2: []any{map[int]any{6: []any{figures}}}, 6: map[int]any{}}, [][]byte{nil}})
		if err != nil {
			t.Fatal(err)
		}
		return pack(t, payload)
	}
	tests := slices.Concat(
		ofEach("negative figure -1", func(f *Figures) { f.Count = -1 }),
		ofEach("negative figure -2", func(f *Figures) { f.DroppedIOs = -2 }),
		ofEach("latency of 0 operations", func(f *Figures) { f.SetLatency(0, 1, 0) }),
		ofEach("negative latency", func(f *Figures) { f.SetLatency(1, -1, 0) }),
		ofEach("completion latencies that do not rise", func(f *Figures) { f.CompletionLatency.P50Nanoseconds = 1 << 20 }),
		ofEach("completion latencies whose minimum and maximum", func(f *Figures) { f.CompletionLatency.MinNanoseconds = 3 }),
	)
	tests = append(tests, []refusal{
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
		{"negative time", forged(func(r *Report) { r.Groups[0].ElapsedMilliseconds = -1 }), "impossible times"},
		{"much CPU", forged(func(r *Report) { r.Groups[0].UserPercent = 1001 }), "impossible times"},
		{"negative start", forged(func(r *Report) { r.Groups[0].JobStart = -1 }), "impossible start -1"},
		{"start that cannot be written", forged(func(r *Report) { r.Groups[0].JobStart = maxJobStart + 1 }), "impossible start 253402300800000"},
		{"negative coarsening", forged(func(r *Report) { r.Coarsening = -1 }), "coarser by -1 bits: at most 6 are possible"},
		{"much coarsening", forged(func(r *Report) { r.Coarsening = 7 }), "coarser by 7 bits: at most 6 are possible"},
		{"negative margin", forged(func(r *Report) { r.Environment.StartMarginMilliseconds = -7 }), "environment: negative figure -7"},
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
		{"negative probe", forged(func(r *Report) { r.Probe = probeOf(-1) }), "probe: negative figure -1"},
		{"probe of reads", forged(func(r *Report) { r.Probe = &Probe{Figures: r.Groups[0].Figures[0]} }), `probe of "read"`},
		{"probe with much CPU", forged(func(r *Report) { r.Probe = probeOf(1); r.Probe.CPUPercent = 2001 }), "probe: impossible CPU time 2001 %"},
		{"a probe and none", forged(func(r *Report) { r.Probe, r.LacksProbe = probeOf(1), true }), "says that it has none"},
		{"reads twice", forged(func(r *Report) { r.Groups[0].Figures = append(r.Groups[0].Figures, r.Groups[0].Figures...) }), "figures of read behind those of read"},
		{"more operations than there are", forged(func(r *Report) { r.Groups[0].Figures = make([]Figures, maxFigures+1) }), "figures of 9 operations"},
		{"an impossible latency target", forged(func(r *Report) { r.Groups[0].LatencyTarget = &LatencyTarget{Nanoseconds: 1} }), "impossible latency target"},
		{"a long criterion", forged(func(r *Report) { r.Groups[0].Steady = &FioSteady{Criterion: strings.Repeat("x", 33)} }), "impossible criterion"},
		{"a percentile without a bucket", raw([]any{1, 2, []int{0, 0, 0, 0, 0, histogram.Buckets}}), "that fio cannot tell"},
		{"a negative bucket", raw([]any{1, 2, []int{-1, 0, 0, 0, 0, 0}}), "that fio cannot tell"},
		{"figures that are none", raw(7), "parse report"},
		{"a histogram without percentiles", forge(t, Report{Groups: []Group{only(v1alpha1.Figures{Name: "read"})}}, []byte{0}), "without completion latency"},
		{"a broken histogram", forge(t, noHistogramOf(v1alpha1.OperationSync), []byte{9}), "parse report: histogram"},
		{"a histogram too many", forge(t, noHistogramOf(v1alpha1.OperationSync), nil, nil), "2 histograms of 1 figures"},
		{"a histogram too few", forge(t, noHistogramOf(v1alpha1.OperationSync)), "0 histograms of 1 figures"},
	}...)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if _, err := Decode(test.message); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
}

// refusal is a message that is refused.
type refusal struct{ name, message, want string }

// noHistogramOf returns a report of one operation whose latencies have no histogram.
func noHistogramOf(operation string) Report {
	return Report{Groups: []Group{only(v1alpha1.Figures{Name: operation, CompletionLatency: &v1alpha1.LatencyDistribution{}})}}
}

// A later runner may say more: what this controller does not know of it does no harm.
func TestDecodePassesOverUnknownKeys(t *testing.T) {
	news := map[int]any{99: "news"}
	read, provision := map[int]any{1: "read", 2: 3, 99: []any{news}}, map[int]any{1: "provision", 2: 4, 7: []any{1, 1, [6]int{}}}
	group := map[int]any{1: "a", 6: []any{provision, read}, 99: 1}
	environment := map[int]any{1: 1500, 99: "news", 5: 2}
	histogram, err := encodeHistogram(spread(rand.New(rand.NewPCG(13, 14)), 5))
	if err != nil {
		t.Fatal(err)
	}
	payload, err := cbor.Marshal([]any{map[int]any{2: []any{group}, 6: environment, 99: news}, [][]byte{histogram, nil}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode(pack(t, payload))
	if err != nil {
		t.Fatal(err)
	}
	measured := only(v1alpha1.Figures{Name: v1alpha1.OperationRead, Count: 3})
	measured.Name = "a"
	want := Report{Groups: []Group{measured}, Environment: Environment{CPUMillis: 1500, Files: 2}}
	if diff := equalReports(want, *got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

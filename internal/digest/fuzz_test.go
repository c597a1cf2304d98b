package digest

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/histogram"
)

// packer encodes payloads as Encode does, but for that it does not compress them: what the fuzzer chooses reaches the
// decoder as it is, and much faster.
type packer struct {
	deflated bytes.Buffer
	writer   *flate.Writer
}

func (p *packer) pack(t *testing.T, payload []byte) string {
	t.Helper()
	p.deflated.Reset()
	if p.writer == nil {
		var err error
		if p.writer, err = flate.NewWriter(nil, flate.NoCompression); err != nil {
			t.Fatal(err)
		}
	}
	p.writer.Reset(&p.deflated)
	if _, err := p.writer.Write(payload); err != nil {
		t.Fatal(err)
	}
	if err := p.writer.Close(); err != nil {
		t.Fatal(err)
	}
	return prefix + ":" + base64.RawStdEncoding.EncodeToString(p.deflated.Bytes())
}

// FuzzDecode decodes what a hostile pod may leave. What is accepted is within the bounds of the API.
func FuzzDecode(f *testing.F) {
	r := rand.New(rand.NewPCG(7, 8))
	every := reportOf(r, 2, 5, operations...)
	for _, seed := range []Report{report(r, 1, 20), report(r, 3, 5), every, {Groups: []Group{{}}}, {FioVersion: "\x1b[31m", Groups: []Group{{Name: "\u202e"}}}} {
		payload, err := marshal(seed)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(payload)
	}
	for _, payload := range hostilePayloads() {
		f.Add(payload[:min(len(payload), MaxBytes/2)])
	}
	var p packer
	f.Fuzz(func(t *testing.T, payload []byte) {
		got, err := decodeWithin(t, p.pack(t, payload))
		if err != nil {
			return
		}
		checkAccepted(t, got)
		checkEncodedAgain(t, got)
	})
}

// FuzzDecodeMessage decodes any text: whatever wrote it, and wherever it was cut.
func FuzzDecodeMessage(f *testing.F) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, seed := range []Report{report(r, 1, 20), report(r, MaxGroups, 300), {Groups: []Group{{}}}} {
		message, err := Encode(seed)
		if err != nil {
			f.Fatal(err)
		}
		for _, text := range []string{message, message[:len(message)/2], message + message[len(prefix):], " " + message + "\n"} {
			f.Add(text)
		}
	}
	for _, text := range []string{"", prefix, prefix + ":AAAA", "storagebench/v4::AAAA", "fio: io_u error\x1b[31m", pack(f, make([]byte, 2*maxInflated))} {
		f.Add(text)
	}
	for _, payload := range hostilePayloads() {
		f.Add(pack(f, payload))
	}
	f.Fuzz(func(t *testing.T, message string) {
		got, err := decodeWithin(t, message)
		if err != nil {
			return
		}
		if len(message) > MaxBytes {
			t.Errorf("a message of %d bytes is accepted", len(message))
		}
		checkAccepted(t, got)
	})
}

// checkAccepted holds a report to what the API can hold, figure by figure and not by the code that decided.
func checkAccepted(t *testing.T, r *Report) {
	t.Helper()
	if len(r.Groups) == 0 || len(r.Groups) > MaxGroups || r.Coarsening < 0 || r.Coarsening > histogram.MaxCoarsening || !isShortText(r.FioVersion) {
		t.Errorf("%d groups, buckets coarser by %d bits, version %q", len(r.Groups), r.Coarsening, r.FioVersion)
	}
	if e := r.Environment; e.CPUMillis < 0 || e.MemoryBytes < 0 || e.ThrottledPeriods < 0 || e.ThrottledPeriods > e.Periods ||
		e.SparseFiles < 0 || e.SparseFiles > e.Files || e.StartMarginMilliseconds < 0 {
		t.Errorf("environment %+v", e)
	}
	for _, share := range []int64{r.Environment.StealPermille, r.Environment.UsedPermille, r.Environment.UsedInodesPermille, r.Environment.BusiestJobPermille} {
		if share < 0 || share > 1000 {
			t.Errorf("environment %+v", r.Environment)
		}
	}
	if c := r.Environment.Counters; c != nil && min(c.Reads, c.ReadBytes, c.Writes, c.WriteBytes, c.Others, c.Merges, c.BusyMilliseconds, c.QueueMilliseconds, c.Retransmissions) < 0 {
		t.Errorf("counters %+v", c)
	}
	if e := r.Environment.Exceeded; e != nil && min(e.VolumeIOPS, e.VolumeThroughput, e.InstanceIOPS, e.InstanceThroughput) < 0 {
		t.Errorf("limits were exceeded for %+v", e)
	}
	for i := range r.Groups {
		g := &r.Groups[i]
		if g.JobStart < 0 || g.JobStart > maxJobStart || g.ElapsedMilliseconds < 0 || g.UserPercent < 0 || g.UserPercent > 1000 ||
			g.SystemPercent < 0 || g.SystemPercent > 1000 || !isShortText(g.Name) {
			t.Errorf("group %+v", g)
		}
	}
	for f := range r.all() {
		checkAcceptedFigures(t, f)
	}
	if r.Probe != nil {
		checkAcceptedFigures(t, &r.Probe.Figures)
	}
}

func isShortText(s string) bool {
	return len(s) <= 64 && utf8.ValidString(s) && !strings.ContainsAny(s, "\x00\x07\n\r\x1b\u202e\u0085")
}

func checkAcceptedFigures(t *testing.T, f *Figures) {
	t.Helper()
	if f.Count < 0 || f.Bytes < 0 || f.ShortIOs < 0 || f.DroppedIOs < 0 || f.MilliIOPS < 0 || f.BytesPerSecond < 0 || f.PerClient != nil {
		t.Errorf("figures %+v", f)
	}
	if !slices.Contains(v1alpha1.Operations(), f.Name) {
		t.Errorf("figures of %q", f.Name)
	}
	if l := f.Latency; l != nil && (f.LatencyCount < 1 || l.MeanNanoseconds < 0 || l.StddevNanoseconds < 0) {
		t.Errorf("latency %+v of %d", l, f.LatencyCount)
	}
	d := f.CompletionLatency
	if d == nil {
		return
	}
	if d.MinNanoseconds < 0 || d.MaxNanoseconds < d.MinNanoseconds {
		t.Errorf("from %d to %d ns", d.MinNanoseconds, d.MaxNanoseconds)
	}
	last := int64(0)
	for _, percentile := range d.Percentiles() {
		if *percentile < last || *percentile > v1alpha1.BeyondHistogramNanoseconds {
			t.Errorf("percentiles fall, or are beyond the histogram: %+v", d)
		}
		last = *percentile
	}
}

// checkEncodedAgain: an accepted report that fits into a message is the same after it.
func checkEncodedAgain(t *testing.T, r *Report) {
	t.Helper()
	message, err := Encode(*r)
	if err != nil {
		return // figures that cannot be compressed
	}
	if len(message) > MaxBytes {
		t.Errorf("%d bytes", len(message))
	}
	again, err := Decode(message)
	if err != nil {
		t.Fatalf("what is accepted is refused when it is encoded again: %v", err)
	}
	want := *r
	if again.Coarsening != r.Coarsening {
		want, *again = coarsen(want, coarsest+1), coarsen(*again, coarsest+1)
		want.Coarsening, again.Coarsening = 0, 0
	}
	if diff := equalReports(want, *again); diff != "" {
		t.Errorf("encoded again (-want +got):\n%s", diff)
	}
}

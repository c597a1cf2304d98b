package digest

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/fxamacker/cbor/v2"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/histogram"
	"github.com/storagebench/storagebench/internal/humanize"
	"github.com/storagebench/storagebench/internal/sizelimit"
)

// MaxBytes is the most that the kubelet keeps of a container's termination message.
const MaxBytes = 4096

// prefix tells a report from an error text, and names the version of its encoding. The pod and another colon follow.
const prefix = "storagebench/v5:"

// maxInflated bounds what a report may inflate to: 128 histograms with every bucket occupied take less.
const maxInflated = 1 << 20

// ErrNotReport is returned by Decode for a text that is not a report, such as an error message.
var ErrNotReport = errors.New("not a storagebench report")

// Encode renders a report as a termination message of at most MaxBytes: CBOR, deflated, in base64. If
// the full histograms do not fit it makes their buckets coarser, and leaves them out as the last resort;
// it never cuts. It fails if the report has more than MaxGroups groups, or if the figures alone do not fit.
func Encode(r Report) (string, error) {
	if len(r.Groups) > MaxGroups {
		return "", fmt.Errorf("%d result groups: a report holds at most %d", len(r.Groups), MaxGroups)
	}
	for bits := 0; ; bits++ {
		message, err := encode(coarsen(r, bits))
		if err != nil {
			return "", err
		}
		if len(message) <= MaxBytes {
			return message, nil
		}
		if bits > coarsest {
			return "", fmt.Errorf("the figures of %d result groups take %d bytes: a report holds at most %d", len(r.Groups), len(message), MaxBytes)
		}
	}
}

// coarsest is the number of bits by which buckets can be made coarser: then each octave is one bucket.
const coarsest = histogram.MaxCoarsening

// coarsen returns a copy of the report whose histograms have buckets 2^bits as wide, or, beyond
// coarsest, whose histograms are left out.
func coarsen(r Report, bits int) Report {
	out := r
	if bits <= coarsest {
		out.Coarsening = max(r.Coarsening, int64(bits))
	}
	out.Groups = make([]Group, len(r.Groups))
	for i, g := range r.Groups {
		g.Name = humanize.Cut(strings.ToValidUTF8(g.Name, "?"), MaxNameLength, "")
		g.Figures = slices.Clone(g.Figures)
		for j := range g.Figures {
			g.Figures[j].Histogram = coarsenHistogram(g.Figures[j].Histogram, bits)
		}
		out.Groups[i] = g
	}
	return out
}

func coarsenHistogram(h *histogram.Histogram, bits int) *histogram.Histogram {
	switch {
	case h == nil || bits > coarsest:
		return nil
	case bits == 0:
		return h
	}
	return h.Coarsen(bits)
}

func encode(r Report) (string, error) {
	payload, err := marshal(r)
	if err != nil {
		return "", err
	}
	var deflated bytes.Buffer
	w, err := flate.NewWriter(&deflated, flate.BestCompression)
	if err != nil {
		return "", err
	}
	if _, err := w.Write(payload); err != nil {
		return "", err
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	return prefix + r.Pod + ":" + base64.RawStdEncoding.EncodeToString(deflated.Bytes()), nil
}

// wire is the report without its histograms, followed by those in the order of the figures: side by side they deflate
// better than within the figures.
type wire struct {
	_          struct{} `cbor:",toarray"`
	Report     Report
	Histograms [][]byte
}

func marshal(r Report) ([]byte, error) {
	w := wire{Report: r}
	for f := range r.all() {
		encoded, err := encodeHistogram(f.Histogram)
		if err != nil {
			return nil, err
		}
		w.Histograms = append(w.Histograms, encoded)
	}
	return cbor.Marshal(w)
}

// encodeHistogram returns nothing for latencies without a histogram.
func encodeHistogram(h *histogram.Histogram) ([]byte, error) {
	if h == nil {
		return nil, nil
	}
	encoded, err := h.AppendBinary(nil)
	if err != nil {
		return nil, fmt.Errorf("encode histogram: %w", err)
	}
	return encoded, nil
}

// Decode reads what Encode wrote. The message comes from a pod and is not trusted: whatever it holds,
// the memory that decoding takes is bounded, and a report that violates the bounds of the API is refused.
func Decode(message string) (*Report, error) {
	pod, encoded, ok := open(strings.TrimSpace(message))
	if !ok {
		return nil, ErrNotReport
	}
	if len(message) > MaxBytes {
		return nil, fmt.Errorf("report of %d bytes: at most %d are possible", len(message), MaxBytes)
	}
	deflated, err := base64.RawStdEncoding.DecodeString(encoded)
	if err != nil {
		return nil, fmt.Errorf("decode report: %w", err)
	}
	payload, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(deflated)), maxInflated))
	if err != nil {
		return nil, fmt.Errorf("inflate report: %w", err)
	}
	var w wire
	if err := strict.Unmarshal(payload, &w); err != nil {
		return nil, fmt.Errorf("parse report: %w", err)
	}
	// Each histogram takes 15 KiB, however few bytes stand for it: they are made only for as many figures as can be.
	if err := checkExtent(&w.Report); err != nil {
		return nil, err
	}
	if err := w.restoreHistograms(); err != nil {
		return nil, err
	}
	w.Report.Pod = pod
	for i := range w.Report.Groups {
		w.Report.Groups[i].Drop(isUnknown)
	}
	return &w.Report, check(&w.Report)
}

// LacksProbe says whether a message is the whole report of a pod, by its UID, that was written when fio had ended well, and in which only a probe is
// missing.
func LacksProbe(message, pod string) bool {
	report, err := Decode(message)
	return err == nil && report.LacksProbe && pod != "" && report.Pod == pod
}

// open parts a message into the pod that it names, "" if none, and the report; false if it is neither.
func open(message string) (pod, encoded string, ok bool) {
	if message, ok = strings.CutPrefix(message, prefix); !ok {
		return "", "", false
	}
	return strings.Cut(message, ":")
}

// strict decodes no more than Encode writes. The longest array is that of the histograms.
var strict = sizelimit.CBOR(MaxGroups * maxFigures)

// maxFigures is the most kinds of operations that a group can have figures of, as in the status.
const maxFigures = 8

// isUnknown reports whether an operation is not one of a group. That of a later runner does no harm.
func isUnknown(operation string) bool {
	return operation == v1alpha1.OperationTotal || !slices.Contains(v1alpha1.Operations(), operation)
}

func (w *wire) restoreHistograms() error {
	next := 0
	for f := range w.Report.all() {
		if next < len(w.Histograms) {
			if err := f.restore(w.Histograms[next]); err != nil {
				return err
			}
		}
		next++
	}
	if next != len(w.Histograms) {
		return fmt.Errorf("parse report: %d histograms of %d figures", len(w.Histograms), next)
	}
	return nil
}

// restore gives figures their histogram back, if they had one.
func (f *Figures) restore(encoded []byte) error {
	if len(encoded) == 0 {
		return nil
	}
	if f.CompletionLatency == nil {
		return errors.New("parse report: a histogram without completion latency")
	}
	f.Histogram = &histogram.Histogram{}
	if err := f.Histogram.UnmarshalBinary(encoded); err != nil {
		return fmt.Errorf("parse report: histogram: %w", err)
	}
	return nil
}

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

	"github.com/storagebench/storagebench/internal/direction"
	"github.com/storagebench/storagebench/internal/histogram"
	"github.com/storagebench/storagebench/internal/humanize"
	"github.com/storagebench/storagebench/internal/sizelimit"
)

// MaxBytes is the most that the kubelet keeps of a container's termination message.
const MaxBytes = 4096

// prefix tells a report from an error text, and names the version of its encoding. The pod and another colon follow.
const prefix = "storagebench/v4:"

// prefixOfV3 begins reports of runners of older releases, which are the same but for the pod. A run that such a runner had
// begun keeps its result when the operator is upgraded meanwhile.
const prefixOfV3 = "storagebench/v3:"

// maxInflated bounds what a report may inflate to: 48 histograms with every bucket occupied take less.
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
		g.Read, g.Write, g.Trim = direction.Map(g.Read, g.Write, g.Trim, func(d *Direction) *Direction { return coarsenDirection(d, bits) })
		g.Sync, g.Metadata = coarsenSync(g.Sync, bits), coarsenMetadata(g.Metadata, bits)
		out.Groups[i] = g
	}
	return out
}

func coarsenDirection(d *Direction, bits int) *Direction {
	coarse := *d
	coarse.Completion = coarsenCompletion(d.Completion, bits)
	return &coarse
}

func coarsenSync(s *Sync, bits int) *Sync {
	if s == nil {
		return nil
	}
	sync := *s
	sync.Completion = coarsenCompletion(s.Completion, bits)
	return &sync
}

func coarsenMetadata(m *Metadata, bits int) *Metadata {
	if m == nil {
		return nil
	}
	metadata := *m
	metadata.Completion = coarsenCompletion(m.Completion, bits)
	return &metadata
}

func coarsenCompletion(c *Completion, bits int) *Completion {
	if bits == 0 || c == nil || c.Histogram == nil {
		return c
	}
	completion := *c
	if bits > coarsest {
		completion.Histogram = nil
	} else {
		completion.Histogram = c.Histogram.Coarsen(bits)
	}
	return &completion
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

// wire is the report without its histograms, followed by those in the order of Report.directions: side
// by side they deflate better than within the figures. What is beside them is a map, unlike all else.
type wire struct {
	_          struct{} `cbor:",toarray"`
	Report     Report
	Histograms [][]byte
	Beside     beside
}

// beside can grow under new keys, which those who do not know them pass over. So operators read the reports of older runners,
// and older operators read reports with syncs or metadata, which they know nothing of.
type beside struct {
	Environment
	// Syncs are those of the groups, in their order; empty if no group has any. Metadata is the same of operations on files.
	Syncs    []*wireSync     `cbor:"8,keyasint,omitempty"`
	Metadata []*wireMetadata `cbor:"9,keyasint,omitempty"`
	Probe    *Probe          `cbor:"10,keyasint,omitempty"`
	// LacksProbe is of a runner that was to probe.
	LacksProbe bool `cbor:"15,keyasint,omitempty"`
	// Keys 16 and 17 are of the environment.
	Steady *Steady `cbor:"18,keyasint,omitempty"`
	// FioSteady is what fio's own option found in each group, in their order; empty if no group has it.
	FioSteady []*FioSteady `cbor:"19,keyasint,omitempty"`
	// LatencyTargets are those of the groups, in their order; empty if no group has one.
	LatencyTargets []*LatencyTarget `cbor:"20,keyasint,omitempty"`
	// Key 21 is of the environment.
	// Submissions are those of the directions, in their order; empty if all are 0.
	Submissions []int64 `cbor:"22,keyasint,omitempty"`
}

// wireSync is a sync, whose completion has its histogram beside it.
type wireSync struct {
	_          struct{} `cbor:",toarray"`
	Count      int64
	Mean       int64
	Completion *Completion
	Histogram  []byte
}

func marshal(r Report) ([]byte, error) {
	w := wire{Report: coarsen(r, coarsest+1), Beside: beside{Environment: r.Environment, Probe: r.Probe, LacksProbe: r.LacksProbe, Steady: r.Steady}}
	for _, d := range r.directions() {
		encoded, err := encodeHistogram(d.Completion)
		if err != nil {
			return nil, err
		}
		w.Histograms = append(w.Histograms, encoded)
	}
	var err error
	if w.Beside.Syncs, err = wireSyncs(&r, &w.Report); err != nil {
		return nil, err
	}
	if w.Beside.Metadata, err = wireMetadataOf(&r, &w.Report); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(r.Groups, func(g Group) bool { return g.Steady != nil }) {
		for i := range r.Groups {
			w.Beside.FioSteady = append(w.Beside.FioSteady, r.Groups[i].Steady)
		}
	}
	w.Beside.LatencyTargets, w.Beside.Submissions = latencyTargetsOf(&r), submissionsOf(&r)
	return cbor.Marshal(w)
}

// wireSyncs returns the syncs of a report, whose figures alone are in the other one.
func wireSyncs(full, figures *Report) ([]*wireSync, error) {
	if !slices.ContainsFunc(full.Groups, func(g Group) bool { return g.Sync != nil }) {
		return nil, nil
	}
	all := make([]*wireSync, len(full.Groups))
	for i := range full.Groups {
		sync := figures.Groups[i].Sync
		if sync == nil {
			continue
		}
		encoded, err := encodeHistogram(full.Groups[i].Sync.Completion)
		if err != nil {
			return nil, err
		}
		all[i] = &wireSync{Count: sync.Count, Mean: sync.Mean, Completion: sync.Completion, Histogram: encoded}
	}
	return all, nil
}

// encodeHistogram returns nothing for latencies without a histogram.
func encodeHistogram(c *Completion) ([]byte, error) {
	if c == nil || c.Histogram == nil {
		return nil, nil
	}
	encoded, err := c.Histogram.AppendBinary(nil)
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
	// Each histogram takes 15 KiB, however few bytes stand for it: they are made only for as many groups as can be.
	if err := checkExtent(&w.Report); err != nil {
		return nil, err
	}
	if err := w.restoreHistograms(); err != nil {
		return nil, err
	}
	if err := w.restoreSyncs(); err != nil {
		return nil, err
	}
	if err := w.restoreMetadata(); err != nil {
		return nil, err
	}
	if err := errors.Join(w.restoreSteady(), w.restoreLatencyTargets(), w.restoreSubmissions()); err != nil {
		return nil, err
	}
	w.Report.Environment, w.Report.Probe, w.Report.Pod = w.Beside.Environment, w.Beside.Probe, pod
	w.Report.LacksProbe, w.Report.Steady = w.Beside.LacksProbe, w.Beside.Steady
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
	if encoded, ok := strings.CutPrefix(message, prefixOfV3); ok {
		return "", encoded, true
	}
	if message, ok = strings.CutPrefix(message, prefix); !ok {
		return "", "", false
	}
	return strings.Cut(message, ":")
}

// strict decodes no more than Encode writes. The longest array is that of the histograms, the deepest one that of a
// completion's buckets, and the only map is what is beside the report, which may have keys that are not known here.
var strict = sizelimit.CBOR(maxDirections)

// maxDirections is the most histograms that a report can have.
const maxDirections = 3 * MaxGroups

// wireCompletion is a completion without its histogram, of which null keeps the place. Decoded as a histogram, each byte
// string there would be one.
type wireCompletion struct {
	_         struct{} `cbor:",toarray"`
	Min       int64
	Max       int64
	Buckets   [len(Percentiles)]int64
	Histogram *struct{}
}

// UnmarshalCBOR implements cbor.Unmarshaler.
func (c *Completion) UnmarshalCBOR(data []byte) error {
	var w wireCompletion
	if err := strict.Unmarshal(data, &w); err != nil {
		return err
	}
	if w.Histogram != nil {
		return errors.New("a histogram among the figures")
	}
	*c = Completion{Min: w.Min, Max: w.Max, Buckets: w.Buckets}
	return nil
}

func (w *wire) restoreHistograms() error {
	directions := w.Report.directions()
	if len(w.Histograms) != len(directions) {
		return fmt.Errorf("parse report: %d histograms for %d directions", len(w.Histograms), len(directions))
	}
	for i, encoded := range w.Histograms {
		if err := directions[i].Completion.restore(encoded); err != nil {
			return err
		}
	}
	return nil
}

// restoreSyncs gives the groups, of which there are not too many, their syncs back.
func (w *wire) restoreSyncs() error {
	syncs := w.Beside.Syncs
	if len(syncs) == 0 {
		return nil
	}
	if len(syncs) != len(w.Report.Groups) {
		return fmt.Errorf("parse report: syncs of %d result groups of %d", len(syncs), len(w.Report.Groups))
	}
	for i, s := range syncs {
		if s == nil {
			continue
		}
		if err := s.Completion.restore(s.Histogram); err != nil {
			return err
		}
		w.Report.Groups[i].Sync = &Sync{Count: s.Count, Mean: s.Mean, Completion: s.Completion}
	}
	return nil
}

// restoreSteady gives the groups back what fio's option found.
func (w *wire) restoreSteady() error {
	found := w.Beside.FioSteady
	if len(found) > 0 && len(found) != len(w.Report.Groups) {
		return fmt.Errorf("parse report: steady states of %d result groups of %d", len(found), len(w.Report.Groups))
	}
	for i, s := range found {
		if s != nil && (len(s.Criterion) > MaxCriterion || !plausibleText(s.Criterion)) {
			return errors.New("parse report: impossible criterion of a steady state")
		}
		w.Report.Groups[i].Steady = s
	}
	return nil
}

// restore gives latencies their histogram back, if they had one.
func (c *Completion) restore(encoded []byte) error {
	if len(encoded) == 0 {
		return nil
	}
	if c == nil {
		return errors.New("parse report: a histogram without completion latency")
	}
	h := &histogram.Histogram{}
	if err := h.UnmarshalBinary(encoded); err != nil {
		return fmt.Errorf("parse report: histogram: %w", err)
	}
	c.Histogram = h
	return nil
}

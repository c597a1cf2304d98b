package digest

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/fxamacker/cbor/v2"

	"github.com/storagebench/storagebench/internal/histogram"
	"github.com/storagebench/storagebench/internal/legible"
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
		g.Name = legible.Cut(strings.ToValidUTF8(g.Name, "?"), MaxNameLength, "")
		g.Read, g.Write, g.Trim = coarsenDirection(g.Read, bits), coarsenDirection(g.Write, bits), coarsenDirection(g.Trim, bits)
		out.Groups[i] = g
	}
	return out
}

func coarsenDirection(d *Direction, bits int) *Direction {
	if bits == 0 || d == nil || d.Completion == nil || d.Completion.Histogram == nil {
		return d
	}
	direction, completion := *d, *d.Completion
	direction.Completion = &completion
	if bits > coarsest {
		completion.Histogram = nil
	} else {
		completion.Histogram = d.Completion.Histogram.Coarsen(bits)
	}
	return &direction
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
// by side they deflate better than within the figures. The environment is a map, unlike all else.
type wire struct {
	_           struct{} `cbor:",toarray"`
	Report      Report
	Histograms  [][]byte
	Environment Environment
}

func marshal(r Report) ([]byte, error) {
	w := wire{Report: coarsen(r, coarsest+1), Environment: r.Environment}
	for _, d := range r.directions() {
		var encoded []byte
		if d.Completion != nil && d.Completion.Histogram != nil {
			var err error
			if encoded, err = d.Completion.Histogram.AppendBinary(nil); err != nil {
				return nil, fmt.Errorf("encode histogram: %w", err)
			}
		}
		w.Histograms = append(w.Histograms, encoded)
	}
	return cbor.Marshal(w)
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
	w.Report.Environment, w.Report.Pod = w.Environment, pod
	return &w.Report, check(&w.Report)
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
// completion's buckets, and the only map is the environment, which may have keys that are not known here.
var strict = func() cbor.DecMode {
	mode, err := cbor.DecOptions{
		MaxArrayElements: maxDirections,
		MaxMapPairs:      64,
		MaxNestedLevels:  8,
		IndefLength:      cbor.IndefLengthForbidden,
		TagsMd:           cbor.TagsForbidden,
	}.DecMode()
	if err != nil {
		panic(err) // the options above are wrong, whatever is decoded
	}
	return mode
}()

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
		if len(encoded) == 0 {
			continue
		}
		if directions[i].Completion == nil {
			return errors.New("parse report: a histogram without completion latency")
		}
		h := &histogram.Histogram{}
		if err := h.UnmarshalBinary(encoded); err != nil {
			return fmt.Errorf("parse report: histogram: %w", err)
		}
		directions[i].Completion.Histogram = h
	}
	return nil
}

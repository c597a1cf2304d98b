package controllers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/util/retry"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/child"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/histogram"
)

// clientsKey is the key of a ConfigMap that holds what each client has measured, as gzipped JSON.
const clientsKey = "clients.json.gz"

// maxClientRecords is the most records of clients that are kept for a benchmark, of all its runs: one takes about 4 KiB, and
// etcd holds a few GiB in all.
const maxClientRecords = 8192

const (
	// maxRecords is the most bytes of a run's gzipped records of clients: a ConfigMap holds 1 MiB in all. 128 clients whose
	// reports fill their messages take 870 KiB.
	maxRecords = 1 << 20
	// maxRecordsText is the most bytes of them before. Those 128 clients take less than 9 MiB; forged reports, which say with a few
	// bytes that all buckets are occupied, 128 MiB and more.
	maxRecordsText = 16 << 20
)

// clientRecord is what one client has measured. Names are those of the API; bins are latencies in nanoseconds with their
// counts, as fio's json+ output has them.
type clientRecord struct {
	Client                  string          `json:"client"`
	Node                    string          `json:"node"`
	Pod                     string          `json:"pod"`
	StartMarginMilliseconds int64           `json:"startMarginMilliseconds"`
	Sections                []sectionRecord `json:"sections"`
}

type sectionRecord struct {
	Name string `json:"name"`
	// JobStart is in milliseconds since 1970, 0 if unknown.
	JobStart int64           `json:"jobStart"`
	Result   v1alpha1.Result `json:"result"`
	// Coarsening says by how many bits the bins are coarser than fio's.
	Coarsening int64             `json:"coarsening,omitempty"`
	ReadBins   map[uint64]uint64 `json:"readBins,omitempty"`
	WriteBins  map[uint64]uint64 `json:"writeBins,omitempty"`
	TrimBins   map[uint64]uint64 `json:"trimBins,omitempty"`
}

// keepClients writes what each client has measured into a ConfigMap. It fails only if it may succeed later: the run has
// its result also without.
func (s *scope) keepClients(ctx context.Context, run *v1alpha1.Run, parts []part, reports []*digest.Report) error {
	if s.keptRecords()+len(parts) > maxClientRecords {
		return nil
	}
	zipped, err := zipRecords(parts, reports)
	if errors.As(err, new(sizeError)) {
		ctrl.LoggerFrom(ctx).Info("Results of single clients are not kept", "run", run.Name, "why", err.Error())
		return nil
	}
	if err != nil {
		return fmt.Errorf("encode the clients' results: %w", err)
	}
	name := child.Name(s.sb, run.Name, "clients")
	err = s.applyArtifact(ctx, run, name, map[string][]byte{clientsKey: zipped})
	switch {
	case err == nil:
		run.ClientsConfigMap = name
	case isRefused(err), apierrors.IsInvalid(err), apierrors.IsRequestEntityTooLargeError(err), s.isResultLate():
		ctrl.LoggerFrom(ctx).Info("Results of single clients are not kept", "run", run.Name, "why", err.Error())
	default:
		return fmt.Errorf("keep the clients' results: %w", err)
	}
	return nil
}

// keptRecords returns how many records of clients are kept.
func (s *scope) keptRecords() int {
	kept := 0
	for i := range s.sb.Status.Runs {
		if run := &s.sb.Status.Runs[i]; run.ClientsConfigMap != "" {
			kept += int(clientsOf(run))
		}
	}
	return kept
}

func newClientRecord(p part, report *digest.Report) clientRecord {
	record := clientRecord{
		Client: child.Client(p.client), Node: p.pod.Spec.NodeName, Pod: p.pod.Name,
		StartMarginMilliseconds: report.Environment.StartMarginMilliseconds,
	}
	for i := range report.Groups {
		group := &report.Groups[i]
		record.Sections = append(record.Sections, sectionRecord{
			Name: group.Name, JobStart: group.JobStart, Result: newResult(report, group), Coarsening: report.Coarsening,
			ReadBins: binsOf(group.Read), WriteBins: binsOf(group.Write), TrimBins: binsOf(group.Trim),
		})
	}
	return record
}

// binsOf returns the latency histogram of a direction, nil if there is none.
func binsOf(d *digest.Direction) map[uint64]uint64 {
	var h *histogram.Histogram
	if d != nil && d.Completion != nil {
		h = d.Completion.Histogram
	}
	if h == nil {
		return nil
	}
	return h.Bins()
}

// artifactPatience is how often, and at which intervals, it is tried to make a ConfigMap. What comes after a run does not
// depend on it, so that there is no later pass that could.
var artifactPatience = wait.Backoff{Steps: 4, Duration: 100 * time.Millisecond, Factor: 3, Jitter: 0.1}

// applyArtifact makes a ConfigMap of a run.
func (s *scope) applyArtifact(ctx context.Context, run *v1alpha1.Run, name string, data map[string][]byte) error {
	made := corev1ac.ConfigMap(name, s.sb.Namespace).
		WithLabels(child.Labels(s.sb, v1alpha1.LabelTarget, run.Target)).
		WithAnnotations(map[string]string{v1alpha1.AnnotationRun: run.Name}).
		WithOwnerReferences(child.OwnerReference(s.sb)).
		WithBinaryData(data)
	mayPass := func(err error) bool {
		return ctx.Err() == nil && !apierrors.IsInvalid(err) && !apierrors.IsRequestEntityTooLargeError(err)
	}
	return retry.OnError(artifactPatience, mayPass, func() error { return s.Client.Apply(ctx, made, applyOptions...) })
}

// zipRecords returns what each client has measured as gzipped JSON, a list. Each record is made, written and dropped before
// the next one: their bins take hundreds of times the room of the messages that they come from.
func zipRecords(parts []part, reports []*digest.Report) ([]byte, error) {
	return zip(maxRecords, func(w io.Writer) error {
		w = &atMost{w: w, left: maxRecordsText, what: fmt.Sprintf("it takes more than %d bytes, the most that is compressed", maxRecordsText)}
		separator := "["
		for i, p := range parts {
			if _, err := io.WriteString(w, separator); err != nil {
				return err
			}
			if err := json.NewEncoder(w).Encode(newClientRecord(p, reports[i])); err != nil {
				return err
			}
			separator = ","
		}
		_, err := io.WriteString(w, "]\n")
		return err
	})
}

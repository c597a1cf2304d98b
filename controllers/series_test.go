package controllers

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/workers"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/internal/histogram"
	"github.com/storagebench/storagebench/internal/series"
	"github.com/storagebench/storagebench/test/builder"
)

// recorded is a recording of reads: so many I/Os a second for half of the time, and a tenth of it for the other half.
func recorded(rate float64) *series.Recording {
	h := &histogram.Histogram{}
	h.Add(1000, 10)
	reads := &series.Recorded{}
	for i := range 40 {
		now := rate
		if i >= 20 {
			now = rate / 10
		}
		reads.IOPS, reads.Bytes = append(reads.IOPS, series.Steady(now)), append(reads.Bytes, series.Steady(now*4096))
		reads.Latencies = append(reads.Latencies, series.NewLatencies(h))
	}
	return &series.Recording{
		StartMilliseconds: 1_700_000_000_000, IntervalMilliseconds: 1000, LatencyPoints: 1, Clients: 1,
		Sections: []series.RecordedSection{{Name: "reads", Read: reads}},
	}
}

// logOf returns the end of the log of a client alone, or of one of several.
func logOf(t *testing.T, r *series.Recording, several bool) string {
	t.Helper()
	_, data, err := r.Fit()
	if several {
		data, err = series.EncodePart(r)
	}
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	log.WriteString("fio's output\n")
	if err := series.WriteMessage(&log, data); err != nil {
		t.Fatal(err)
	}
	return log.String()
}

func TestReadSeries(t *testing.T) {
	const unreadable = "unreadable"
	other := recorded(1)
	other.Sections[0].Name = "other"
	for name, tt := range map[string]struct {
		logs    []string
		clients int
		first   float64
	}{
		"one client":               {[]string{logOf(t, recorded(100), false)}, 1, 100},
		"three clients":            {[]string{logOf(t, recorded(100), true), logOf(t, recorded(20), true), logOf(t, recorded(3), true)}, 3, 123},
		"none":                     {[]string{"fio's output\n"}, 0, 0},
		"a log that is not read":   {[]string{unreadable}, 0, 0},
		"one of two":               {[]string{logOf(t, recorded(100), true), "fio's output\n"}, 0, 0},
		"without histograms":       {[]string{logOf(t, recorded(100), false), logOf(t, recorded(100), false)}, 0, 0},
		"of different sections":    {[]string{logOf(t, recorded(100), true), logOf(t, other, true)}, 0, 0},
		"what is no series at all": {[]string{"series of the run, part 1 of 1: AAAA\n"}, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			reader := func(_ context.Context, pod *corev1.Pod, options *corev1.PodLogOptions) (io.ReadCloser, error) {
				log := tt.logs[int(pod.Name[0]-'0')]
				if log == unreadable {
					return nil, errors.New("the kubelet does not answer")
				}
				lines := slices.Collect(strings.Lines(log))
				return io.NopCloser(strings.NewReader(strings.Join(lines[max(0, len(lines)-int(*options.TailLines)):], ""))), nil
			}
			p := passOver(&Reconciler{Logs: reader}, &v1alpha1.StorageBenchmark{})
			var parts []workers.Part
			for i := range tt.logs {
				parts = append(parts, workers.Part{Client: int32(i), Pod: &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: string(rune('0' + i))}}})
			}
			read, kept := workers.ReadSeries(t.Context(), p, &v1alpha1.Run{}, parts)
			if tt.clients == 0 {
				if read != nil || kept != nil {
					t.Errorf("a series of %d clients", read.Clients)
				}
				return
			}
			if read == nil || read.Clients != tt.clients || read.Sections[0].Read.IOPS.Mean[0] != tt.first || read.Sections[0].Read.Latency.Histograms != nil && tt.clients > 1 {
				t.Fatalf("series %+v", read)
			}
			if again, err := series.Decode(kept); err != nil || again.Clients != tt.clients {
				t.Errorf("what is kept: %v", err)
			}
		})
	}
}

// The status says of a result that it fell, the run has a warning with figures, and the ConfigMap of its log has the
// series. Its log is kept without the lines that have the series.
func TestSeriesOfARun(t *testing.T) {
	w := newWorld(t)
	w.endOfLogs.Store(logOf(t, recorded(3000), false))
	sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(builder.NewTarget("own")).Workload(builder.NewWorkload("reads")).Build())
	sb = w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
	run := sb.Status.Runs[0]
	over := run.Result.OverTime
	if over == nil || over.Fall == nil || *over.Fall != (v1alpha1.RateFall{AtSeconds: 20, BeforeMilliIOPS: 3_000_000, AfterMilliIOPS: 300_000}) || over.SlowPercent != 50 {
		t.Errorf("over time: %+v", over)
	}
	if at := slices.IndexFunc(run.Warnings, func(w v1alpha1.Warning) bool { return w.Reason == v1alpha1.WarningRateFell }); at < 0 || run.Warnings[at].Message != "3000 IOPS until second 20, then 300" {
		t.Errorf("warnings: %+v", run.Warnings)
	}
	kept := w.configMap(run.LogConfigMap).BinaryData
	r, err := gzip.NewReader(bytes.NewReader(kept[childmeta.LogKey(0)]))
	if err != nil {
		t.Fatal(err)
	}
	if log, err := io.ReadAll(r); err != nil || !strings.HasSuffix(string(log), "fio's output\n") {
		t.Errorf("the log is %q, %v", log, err)
	}
	if s, err := series.Decode(kept[series.Key]); err != nil || s.Sections[0].Read.IOPS.Mean[0] != 3000 {
		t.Errorf("what is kept: %v", err)
	}
}

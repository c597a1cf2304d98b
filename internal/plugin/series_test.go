package plugin

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/series"
)

// recorded returns the ConfigMap of a run that read for three seconds.
func recorded(t *testing.T) corev1.ConfigMap {
	t.Helper()
	data, err := series.Encode(&series.Series{
		Version: series.Version, StartMilliseconds: 1_763_976_000_000, IntervalMilliseconds: 1000, LatencyPoints: 1, Clients: 1,
		Sections: []series.Section{{Name: "\x1b[2J", Read: &series.Direction{
			IOPS: series.Rate{Mean: []float64{3000, 2999, 300}}, BytesPerSecond: series.Rate{Mean: []float64{12_288_000, 12_288_000, 1_228_800}},
		}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return corev1.ConfigMap{BinaryData: map[string][]byte{series.Key: data}}
}

// denied is a cluster whose ConfigMaps the user may not read.
type denied struct {
	client.WithWatch

	asked int
}

func (d *denied) Get(context.Context, client.ObjectKey, client.Object, ...client.GetOption) error {
	d.asked++
	return apierrors.NewForbidden(schema.GroupResource{Resource: "configmaps"}, "kept", nil)
}

// TestSeries: what runs did over time is on a page, in a CSV and in OpenMetrics. A page is made without what cannot be read, and says so; the others are not.
func TestSeries(t *testing.T) {
	none := corev1.ConfigMap{BinaryData: map[string][]byte{"fio.log.gz": {}}}
	broken := corev1.ConfigMap{BinaryData: map[string][]byte{series.Key: zeros(t, 40<<20)}}
	chart, row, sample := `<figure data-kind="time">`, "\nns,first,w.gp3,w,,gp3,0,1,read,2025-11-24T09:20:02.000Z,2,1000,300,300,300,1228800,,,,\n", `} 300.0 1.763976003e+09`
	for name, test := range map[string]struct {
		in      client.WithWatch
		whole   bool
		problem string
	}{
		"kept":         {&saying{configMap: recorded(t)}, true, ""},
		"of no second": {&saying{configMap: none}, false, "no run of first has a series"},
		"broken":       {&saying{configMap: broken}, false, "read the series of w.gp3 from ConfigMap kept: "},
		"forbidden":    {&denied{}, false, `read what was kept of w.gp3: configmaps "kept" is forbidden`},
	} {
		t.Run(name, func(t *testing.T) {
			sb := measured("ns", "first", "gp3", 100)
			sb.Status.Runs[0].LogConfigMap = "kept"
			var notes bytes.Buffer
			cmd := &cobra.Command{}
			cmd.SetErr(&notes)
			cmd.SetContext(t.Context())
			r := (&source{from: test.in}).reported(cmd, sb)
			r.overTime = true
			var page, csv, metrics bytes.Buffer
			pageErr, csvErr, metricsErr := r.html(&page), r.csv(&csv), r.openMetrics(&metrics)
			if pageErr != nil || strings.Contains(page.String(), chart) != test.whole || !strings.Contains(page.String(), "Figures of w") {
				t.Errorf("a page of %d bytes, %v", page.Len(), pageErr)
			}
			if noted := strings.HasPrefix(notes.String(), "not all charts over time are on the page: "+test.problem); noted == (test.whole || name == "of no second") {
				t.Errorf("it says %q", notes.String())
			}
			for format, err := range map[string]error{"CSV": csvErr, "OpenMetrics": metricsErr} {
				if (err == nil) != test.whole || err != nil && !strings.Contains(err.Error(), test.problem) {
					t.Errorf("%s: %v", format, err)
				}
			}
			if strings.Contains(csv.String(), row) != test.whole || strings.Contains(metrics.String(), sample) != test.whole {
				t.Errorf("the CSV is\n%s, OpenMetrics\n%s", &csv, &metrics)
			}
		})
	}
}

// TestSeriesTakeBoundedMemory: a page stops to read series when there are more figures than any benchmark has, and does not ask again what is forbidden.
func TestSeriesTakeBoundedMemory(t *testing.T) {
	sb := measured("ns", "first", "gp3", 100)
	run := sb.Status.Runs[0]
	run.LogConfigMap = "kept"
	sb.Status.Runs = nil
	for range 3 {
		sb.Status.Runs = append(sb.Status.Runs, run)
	}
	large := &series.Series{Sections: make([]series.Section, maxFigures/10_000/2+1)}
	for i := range large.Sections {
		large.Sections[i].Write = &series.Direction{IOPS: series.Rate{Mean: make([]float64, 1000)}}
	}
	read := 0
	r := &reported{StorageBenchmark: sb, series: func(*v1alpha1.Run) (*series.Series, error) {
		read++
		return large, nil
	}}
	if _, err := r.seriesOfRuns(); err == nil || !strings.Contains(err.Error(), "too many figures") || read != 2 {
		t.Errorf("%d were read: %v", read, err)
	}
	d := &denied{}
	r = (&source{from: d}).reported(&cobra.Command{}, sb)
	if _, err := r.seriesOfRuns(); !apierrors.IsForbidden(err) || d.asked != 1 {
		t.Errorf("it was asked %d times: %v", d.asked, err)
	}
}

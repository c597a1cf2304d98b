package main

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/digest"
)

// What pods report is what a runner would: whole, and with the margin that goes with the stage.
func TestMargins(t *testing.T) {
	margins, err := newMargins()
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range margins {
		if i > 0 && m.Step != margins[i-1].Step-1 {
			t.Errorf("step %d after %d, want one less", m.Step, margins[i-1].Step)
		}
		different := map[string]bool{}
		for _, message := range m.Messages {
			different[message] = true
			report, err := digest.Decode(message)
			if err != nil {
				t.Fatalf("margin %d ms: %v", m.Milliseconds, err)
			}
			if report.Coarsening != 0 {
				t.Errorf("margin %d ms: the histograms do not fit, and are coarser by %d bits", m.Milliseconds, report.Coarsening)
			}
			if got := report.Environment.StartMarginMilliseconds; got != m.Milliseconds {
				t.Errorf("margin %d ms, want %d ms", got, m.Milliseconds)
			}
			if got := len(report.Groups[0].Of(v1alpha1.OperationRead).Histogram.Bins()); got != occupiedBuckets {
				t.Errorf("%d buckets, want %d", got, occupiedBuckets)
			}
		}
		if len(different) != differentReports {
			t.Errorf("margin %d ms: %d different reports, want %d", m.Milliseconds, len(different), differentReports)
		}
	}
}

// The configuration has a stage for each margin, with names of their own.
func TestNodeConfiguration(t *testing.T) {
	configuration, err := newNodeConfiguration("/tmp/fio.log", time.Second)
	if err != nil {
		t.Fatal(err)
	}
	kinds, names := map[string]int{}, map[string]bool{}
	decoder := yaml.NewYAMLToJSONDecoder(bytes.NewReader(configuration))
	for {
		var document struct {
			Kind     string
			Metadata struct{ Name string }
		}
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		kinds[document.Kind]++
		names[document.Kind+" "+document.Metadata.Name] = true
	}
	const others = 8 // stages beside those of margins
	want := map[string]int{"KwokConfiguration": 1, "ClusterLogs": 1, "Stage": marginSteps + others}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
	if len(names) != marginSteps+others+2 {
		t.Errorf("%d different names, want %d", len(names), marginSteps+others+2)
	}
}

package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/analysis"
	"github.com/storagebench/storagebench/internal/report/export"
)

// largest is a benchmark of as many runs as one can have, each of another choice of three parameters.
func largest() *v1alpha1.StorageBenchmark {
	sb := experiment("largest", nil, nil)
	for i := range 100 {
		choice := map[string]string{"bs": fmt.Sprintf("%dk", 4*(i+1)), "numjobs": "16", "iodepth": "1"}
		for _, target := range []string{"gp3", "efs"} {
			sb.Status.Runs = append(sb.Status.Runs, v1alpha1.Run{
				Name: fmt.Sprintf("randwrite.bs-%dk-iodepth-1-numjobs-16.%s", 4*(i+1), target), Workload: "randwrite", Target: target, Parameters: choice, Repetition: 1,
				State: v1alpha1.RunSucceeded, Result: written(int64(1000 + i)), LimitedBy: &v1alpha1.LimitedBy{Reason: v1alpha1.BoundFileSystemThroughput},
			})
		}
	}
	sb.Status.Comparisons = analysis.Compare(sb.Status.Runs, []string{"gp3", "efs"}, "gp3")
	return sb
}

// TestLargest: each format has all runs of the largest benchmark, in a wide and in a narrow terminal.
func TestLargest(t *testing.T) {
	sb := largest()
	pair := paired(sb, sb)
	for name, write := range map[string]func(io.Writer) error{
		"table":           func(w io.Writer) error { Table(w, sb, Style{}); return nil },
		"narrow table":    func(w io.Writer) error { Table(w, sb, Style{Width: 80, Color: true, Unicode: true}); return nil },
		"wide":            func(w io.Writer) error { Wide(w, sb, Style{Width: 200}); return nil },
		"markdown":        func(w io.Writer) error { return Markdown(w, sb) },
		"csv":             func(w io.Writer) error { return export.CSV(w, sb) },
		"json":            func(w io.Writer) error { return export.JSON(w, sb) },
		"explanation":     func(w io.Writer) error { return Explain(w, sb, "", Style{Width: 80}) },
		"compared":        func(w io.Writer) error { PairTable(w, pair, Style{}); return nil },
		"compared as CSV": func(w io.Writer) error { return export.PairCSV(w, pair) },
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := write(&out); err != nil {
				t.Fatal(err)
			}
			if lines := strings.Count(out.String(), "\n"); lines < 200 {
				t.Errorf("%d lines:\n%s", lines, out.String())
			}
		})
	}
}

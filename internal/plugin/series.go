package plugin

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/report/export"
	"github.com/storagebench/storagebench/internal/report/html"
	"github.com/storagebench/storagebench/internal/report/wording"
	"github.com/storagebench/storagebench/internal/series"
)

// reported is a benchmark whose results are printed.
type reported struct {
	*v1alpha1.StorageBenchmark

	// overTime says whether a CSV has what runs did over their time.
	overTime bool
	// series reads that from the cluster, when a format has it.
	series export.ReadSeries
	// note is told what is left out.
	note func(format string, args ...any)
}

// reported returns a benchmark to print with a command.
func (s *source) reported(cmd *cobra.Command, benchmark *v1alpha1.StorageBenchmark) *reported {
	return &reported{
		StorageBenchmark: benchmark, note: cmd.PrintErrf,
		series: func(run *v1alpha1.Run) (*series.Series, error) {
			return s.series(cmd.Context(), benchmark.Namespace, run)
		},
	}
}

// csv prints results, or what runs did over their time.
func (r *reported) csv(w io.Writer) error {
	if r.overTime {
		return export.SeriesCSV(w, r.StorageBenchmark, r.series)
	}
	return export.CSV(w, r.StorageBenchmark)
}

// openMetrics prints what runs did over their time.
func (r *reported) openMetrics(w io.Writer) error {
	return export.OpenMetrics(w, r.StorageBenchmark, r.series)
}

// maxFigures is the most figures of series that are in memory at a time, of 8 bytes each. All of a large benchmark are a quarter of it.
const maxFigures = 16 << 20

// html prints a page with what runs did over their time, as far as that can be read: who may not read ConfigMaps gets the rest.
func (r *reported) html(w io.Writer) error {
	over, problem := r.seriesOfRuns()
	if problem != nil {
		r.note("not all charts over time are on the page: %s\n", wording.Harmless(problem.Error()))
	}
	return html.Write(w, r.StorageBenchmark, over)
}

// seriesOfRuns reads the series of all runs, and returns the first reason why there are not all of them.
func (r *reported) seriesOfRuns() (over map[string]*series.Series, problem error) {
	over = map[string]*series.Series{}
	for i, left := 0, maxFigures; i < len(r.Status.Runs); i++ {
		run := &r.Status.Runs[i]
		of, err := r.series(run)
		switch {
		case apierrors.IsForbidden(err): // as the others will be
			return over, err
		case err != nil:
			problem = cmp.Or(problem, err)
			continue
		case of == nil:
			continue
		}
		if left -= figuresOf(of); left < 0 {
			return over, cmp.Or(problem, fmt.Errorf("there are too many figures: those of run %s and later ones are left out", run.Name))
		}
		over[run.Name] = of
	}
	return over, problem
}

// figuresOf returns how many figures a series has at most.
func figuresOf(s *series.Series) int {
	const columns = 2*3 + 4 // of two rates, and of latencies
	figures := 0
	for i := range s.Sections {
		for range s.Sections[i].Directions() {
			figures += columns * s.Sections[i].Points()
		}
	}
	return figures
}

// series reads what a run did over its time, nil if that was not kept.
func (s *source) series(ctx context.Context, namespace string, run *v1alpha1.Run) (*series.Series, error) {
	if run.LogConfigMap == "" {
		return nil, nil //nolint:nilnil // nothing was kept, which is no error
	}
	var configMap corev1.ConfigMap
	if err := s.from.Get(ctx, client.ObjectKey{Namespace: namespace, Name: run.LogConfigMap}, &configMap); err != nil {
		return nil, fmt.Errorf("read what was kept of %s: %w", run.Name, err)
	}
	data, ok := configMap.BinaryData[series.Key]
	if !ok {
		return nil, nil //nolint:nilnil // the same
	}
	of, err := series.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("read the series of %s from ConfigMap %s: %w", run.Name, run.LogConfigMap, err)
	}
	return of, nil
}

package report

import (
	"io"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/report/export"
)

// How busy a node was is told of each run, as far as it is known.
func TestNodeLoad(t *testing.T) {
	sb := exported()
	run := &sb.Status.Runs[0]
	if got := nodeLoadInWords(run); got != "" {
		t.Errorf("of a node of which nothing is known: %q", got)
	}
	run.NodeLoad = &v1alpha1.NodeLoad{BusyPercent: 96, OthersPercent: 90, WaitedPercent: 62, CPUPressurePercent: 88}
	if got, want := nodeLoadInWords(run), "Its CPUs were 96 % busy, 90 % with other work than fio; fio's jobs waited for a CPU in 62 % of their time."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	row := records(t, func(w io.Writer) error { return export.CSV(w, sb) })[0]
	for name, want := range map[string]string{
		"node_busy_percent": "96", "node_others_percent": "90", "node_waited_percent": "62", "node_cpu_pressure_percent": "88", "node_io_pressure_percent": "0",
	} {
		if row[name] != want {
			t.Errorf("%s is %q, want %s", name, row[name], want)
		}
	}
	run.NodeLoad.WaitedPercent = 0
	if got, want := nodeLoadInWords(run), "Its CPUs were 96 % busy, 90 % with other work than fio."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

package report

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/storagebench/storagebench/internal/report/export"
)

// promtool runs Prometheus' own tool and returns what it prints.
func promtool(t *testing.T, in string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "promtool", args...)
	cmd.Stdin = strings.NewReader(in)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("promtool %v: %v: %s", args, err, out)
	}
	return string(out)
}

// TestPromtool: Prometheus finds nothing to say against the metrics, and takes all points into its database at their times.
func TestPromtool(t *testing.T) {
	if _, err := exec.LookPath("promtool"); err != nil {
		t.Skip("this test needs promtool; make test-unit installs it")
	}
	sb, read := overTime()
	sb.Namespace = `n"s\`
	var out bytes.Buffer
	if err := export.OpenMetrics(&out, sb, read); err != nil {
		t.Fatal(err)
	}
	promtool(t, firstPoints(out.String()), "check", "metrics")
	directory := t.TempDir()
	file, blocks := filepath.Join(directory, "series.txt"), filepath.Join(directory, "blocks")
	if err := os.WriteFile(file, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	promtool(t, "", "tsdb", "create-blocks-from", "openmetrics", file, blocks)
	if err := os.Mkdir(filepath.Join(blocks, "wal"), 0o700); err != nil { // which a database has
		t.Fatal(err)
	}
	dump := promtool(t, "", "tsdb", "dump", blocks)
	if got, want := strings.Count(dump, "\n"), strings.Count(out.String(), "\nstoragebench_"); got != want {
		t.Errorf("%d samples of %d", got, want)
	}
	for _, want := range []string{
		`{__name__="storagebench_io_operations_per_second", benchmark="first", direction="write", namespace="n\"s\\", param_bs="4k", repetition="1", run="w.bs-4k.gp3", target="gp3", workload="w"} 300.5 1763976003000`,
		`quantile="0.99", repetition="1", run="w.bs-4k.gp3", target="gp3", workload="w"} 0.009 1763976001000`,
	} {
		if !strings.Contains(dump, want) {
			t.Errorf("there is no %s in\n%s", want, dump)
		}
	}
}

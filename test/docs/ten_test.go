package docs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/storagebench/storagebench/test/docs/console"
)

// TestTenBenchmarks: the most common benchmarks are short enough to be written by hand. That they can be planned is TestManifests'.
func TestTenBenchmarks(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs/howto/ten-benchmarks.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := console.Blocks(string(text))
	if err != nil {
		t.Fatal(err)
	}
	const count, most = 10, 14
	for _, block := range blocks {
		if lines := strings.Count(strings.TrimRight(block.Text, "\n"), "\n") + 1; lines > most {
			t.Errorf("line %d: a benchmark of %d lines, want %d at most", block.Line, lines, most)
		}
	}
	if len(blocks) != count {
		t.Errorf("%d benchmarks, want %d", len(blocks), count)
	}
}

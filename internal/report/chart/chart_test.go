package chart

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/storagebench/storagebench/internal/history"
	"github.com/storagebench/storagebench/internal/regression"
)

// slowed is a history of a figure that got worse, of one that did not, and of a run that failed.
func slowed() *history.History {
	h := &history.History{}
	for i := range 40 {
		p := history.Point{Time: time.Date(2026, 10, 1+i, 3, 0, 0, 0, time.UTC), Benchmark: "nightly", UID: fmt.Sprint(i), Environment: history.Environment{Baseline: "b"}}
		iops := int64(3000 + i%3)
		if i >= 30 {
			iops = 2000 + int64(i%3)
		}
		if i != 5 {
			p.Cases = []history.Measured{
				{Case: history.Case{Workload: "steady", Target: "gp3"}, Figures: []history.Figure{{Metric: history.ReadIOPS, Value: 3000}}},
				{Case: history.Case{Workload: "</svg><script>", Target: "gp3"}, Figures: []history.Figure{{Metric: history.ReadIOPS, Value: iops}}},
			}
		}
		h.Add(p, 90)
	}
	return h
}

func TestHTML(t *testing.T) {
	h := slowed()
	found := regression.Find(h, regression.Options{})
	var out bytes.Buffer
	if err := HTML(&out, "nightly", h, &found); err != nil {
		t.Fatal(err)
	}
	document, err := html.Parse(bytes.NewReader(out.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for n := range document.Descendants() {
		if n.Type == html.ElementNode {
			count[n.Data]++
		}
	}
	for element, want := range map[string]int{"svg": 2, "polyline": 2, "circle": 78, "line": 1, "script": 0} {
		if count[element] != want {
			t.Errorf("%d of <%s>, want %d", count[element], element, want)
		}
	}
	text := out.String()
	changed, steady := strings.Index(text, "fell 33 %"), strings.Index(text, "read IOPS of steady")
	if changed < 0 || steady < changed {
		t.Error("the figure that changed does not come first")
	}
}

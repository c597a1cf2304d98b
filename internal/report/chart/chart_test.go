package chart

import (
	"bytes"
	"fmt"
	"slices"
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
		iops := int64(3_000_000 + 1000*(i%3))
		if i >= 30 {
			iops = 2_000_000 + 1000*int64(i%3)
		}
		if i != 5 {
			p.Cases = []history.Measured{
				{Case: history.Case{Workload: "steady", Target: "gp3"}, Figures: []history.Figure{{Metric: history.ReadIOPS, Value: 3_000_000}}},
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

// elements counts the elements of a page by name and class.
func elements(t *testing.T, page []byte) map[string]int {
	t.Helper()
	document, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for n := range document.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		name := n.Data
		for _, a := range n.Attr {
			if a.Key == "class" && a.Val != "" {
				name += "." + a.Val
			}
		}
		count[name]++
	}
	return count
}

// Runs of another baseline are no part of the line: they cannot be compared. A known change is told apart.
func TestBaselines(t *testing.T) {
	h := slowed()
	for i := range 10 {
		h.Points[i].Environment.Baseline = "a"
	}
	h.Points[20].Environment.Baseline = "a"
	found := regression.Find(h, regression.Options{Acknowledged: h.Points[39].Time})
	var out bytes.Buffer
	if err := HTML(&out, "nightly", h, &found); err != nil {
		t.Fatal(err)
	}
	count := elements(t, out.Bytes())
	for element, want := range map[string]int{"polyline": 2, "polyline.past": 2, "circle": 58, "circle.past": 20, "line.Acknowledged": 1, "line.Regression": 0} {
		if count[element] != want {
			t.Errorf("%d of <%s>, want %d", count[element], element, want)
		}
	}
	if !strings.Contains(out.String(), "A line joins the runs of one baseline") {
		t.Error("the page does not say why lines are grey")
	}
}

// The ends of the axis are those of the history, also where a figure began later.
func TestAxis(t *testing.T) {
	h := slowed()
	for i := range 10 {
		h.Points[i].Cases = h.Points[i].Cases[:min(len(h.Points[i].Cases), 1)]
	}
	found := regression.Find(h, regression.Options{})
	for _, l := range chartsOf(h, &found) {
		if l.First != "2026-10-01 03:00 UTC" || l.Last != "2026-11-09 03:00 UTC" {
			t.Errorf("%s: from %s to %s", l.Title, l.First, l.Last)
		}
	}
}

// Runs are where their time is, so that a pause is seen. The ends are those of time, also where a point was kept late.
func TestPlaces(t *testing.T) {
	h := &history.History{}
	day := func(n int) time.Time { return time.Date(2026, 7, 1+n, 3, 0, 0, 0, time.UTC) }
	for i, n := range []int{1, 0, 2, 102} {
		h.Add(history.Point{
			Time: day(n), UID: fmt.Sprint(i), Environment: history.Environment{Baseline: "b"},
			Cases: []history.Measured{{Case: history.Case{Workload: "w", Target: "gp3"}, Figures: []history.Figure{{Metric: history.ReadIOPS, Value: 3_000_000}}}},
		}, 90)
	}
	found := regression.Report{Findings: []regression.Finding{{Case: history.Case{Workload: "w", Target: "gp3"}, Metric: history.ReadIOPS, Time: day(102)}}}
	l := chartsOf(h, &found)[0]
	var got []string
	for _, d := range l.Dots {
		got = append(got, d.X)
	}
	// A day is 624/102 wide.
	if want := []string{"14.1", "8.0", "20.2", "632.0"}; !slices.Equal(got, want) {
		t.Errorf("runs are at %v, want %v", got, want)
	}
	if l.First != "2026-07-01 03:00 UTC" || l.Last != "2026-10-11 03:00 UTC" || len(l.Changes) != 1 || l.Changes[0].X != "632.0" {
		t.Errorf("from %s to %s, changes %+v", l.First, l.Last, l.Changes)
	}
	h.Points = h.Points[:1]
	if l := chartsOf(h, &regression.Report{})[0]; l.Dots[0].X != "8.0" {
		t.Errorf("the only run is at %s", l.Dots[0].X)
	}
}

package browser

import (
	"math"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"
)

// place is a point of a line in pixels.
type place struct{ X, Y float64 }

// firstTimeChart is an expression of the first chart over time.
const firstTimeChart = `document.querySelector("figure[data-kind=time] .plot")`

// TestOverTime: lines are where their figures are, over as much of the chart as the run took; a volume that runs out of credits falls off a cliff; and the
// limit is across at the height of its figure.
func TestOverTime(t *testing.T) {
	page := open(t, "credits", screens["wide, light"])
	do(page, t, DrawAll())
	lines := evaluate[[]struct {
		Target string
		Step   float64
		Y      []float64
	}](page, t, `JSON.parse(document.querySelector("figure[data-kind=time] script").textContent).metrics.iops.lines.map(l => ({Target: l.target, Step: l.step, Y: l.y}))`)
	drawn := evaluate[[][]place](page, t, `[...`+firstTimeChart+`.querySelectorAll(".plot-line path")]
		.map(p => p.getAttribute("d").match(/-?[0-9.]+,-?[0-9.]+/g).map(xy => xy.split(",").map(Number)).map(([X, Y]) => ({X, Y})))`)
	if len(lines) != 6 || len(drawn) != len(lines) {
		t.Fatalf("%d lines are drawn of %d", len(drawn), len(lines))
	}
	// What is linear between the first point of the first line and its last is so everywhere.
	first, last := drawn[0][0], drawn[0][len(drawn[0])-1]
	perSecond := (last.X - first.X) / lines[0].Step / float64(len(lines[0].Y)-1)
	perIO := (last.Y - first.Y) / (lines[0].Y[len(lines[0].Y)-1] - lines[0].Y[0])
	for i, line := range lines {
		for j, at := range drawn[i] {
			x, y := first.X+float64(j)*line.Step*perSecond, first.Y+(line.Y[j]-lines[0].Y[0])*perIO
			if math.Abs(at.X-x) > 1 || math.Abs(at.Y-y) > 1 {
				t.Fatalf("point %d of line %d of %s is at %v, want %v", j, i, line.Target, at, place{x, y})
			}
		}
	}
	if width := last.X - first.X; width < 400 || drawn[0][40].Y-first.Y > 20 || drawn[0][80].Y-first.Y < 100 {
		t.Errorf("over %.0f pixels gp2 goes from %v over %v to %v", width, first, drawn[0][40], drawn[0][80])
	}
	limit := evaluate[float64](page, t, firstTimeChart+`.querySelector(".plot-rule line[stroke-dasharray], .plot-rule[stroke-dasharray] line").y1.baseVal.value`)
	if want := first.Y + (3000-lines[0].Y[0])*perIO; math.Abs(limit-want) > 1 {
		t.Errorf("the limit of 3,000 IOPS is at %.1f pixels, want %.1f", limit, want)
	}
}

// TestOverTimeAsChosen: the reader chooses what charts of rates show; those of latencies stay.
func TestOverTimeAsChosen(t *testing.T) {
	page := open(t, "credits", Screen{Width: 1280, Height: 5000})
	do(page, t, DrawAll())
	const labels = `[...document.querySelectorAll("figure[data-kind=time]")].map(f => f.querySelector(".plot-y-axis-label").textContent)`
	for _, test := range []struct {
		metric string
		want   []string
	}{
		{"iops", []string{"IOPS", "Latency"}}, {"bandwidth", []string{"Bandwidth (MiB/s)", "Latency"}}, {"p99", []string{"99th percentile of latency", "Latency"}},
	} {
		do(page, t, chromedp.Evaluate[chromedp.Void](`document.querySelector("input[value=`+test.metric+`]").click()`))
		if diff := cmp.Diff(test.want, evaluate[[]string](page, t, labels)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.metric, diff)
		}
	}
}

// TestPointAtOverTime: who points at a line is told the run, the second and the figure.
func TestPointAtOverTime(t *testing.T) {
	page := open(t, "credits", Screen{Width: 1280, Height: 5000})
	do(page, t, DrawAll())
	at := evaluate[place](page, t, `(() => { const {x, y} = `+firstTimeChart+`.getBoundingClientRect();
		const [X, Y] = `+firstTimeChart+`.querySelector(".plot-line path").getAttribute("d").match(/-?[0-9.]+,-?[0-9.]+/g)[40].split(",").map(Number); return {X: x + X, Y: y + Y} })()`)
	do(page, t, chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, at.X, at.Y))
	const tip = firstTimeChart + `.querySelector(".plot-tip text, [aria-label=tip] text")?.textContent ?? ""`
	if _, err := chromedp.Run(page, chromedp.Poll[bool](`/randwrite\.gp2\.1.*IOPS: [23][0-9]{3}.*second 120/s.test(`+tip+`)`, chromedp.WithPollingMutation())); err != nil {
		t.Errorf("the tip is %q: %v", evaluate[string](page, t, tip), err)
	}
}

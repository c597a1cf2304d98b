package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"
)

// root is where the project is.
const root = "../.."

// What all tests share: tabs of one browser, the directory with the reports of samples, and axe-core's script.
var (
	newTab  func() (context.Context, context.CancelFunc)
	reports string
	axe     string
)

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

// run prepares what all tests share and runs them. "make test" has installed Chromium; without it there is no newTab.
func run(m *testing.M) (code int, err error) {
	browser, stop, err := Start(context.Background())
	if errors.Is(err, ErrNoChromium) {
		return m.Run(), nil // each test says that it is skipped
	}
	if err != nil {
		return 1, err
	}
	defer stop()
	newTab = func() (context.Context, context.CancelFunc) {
		return chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	}
	if reports, err = os.MkdirTemp("", "storagebench-reports-"); err != nil {
		return 1, err
	}
	defer os.RemoveAll(reports)
	if _, err := output("go", "run", "./internal/report/html/internal/samples", reports); err != nil {
		return 1, err
	}
	packages, err := output("hack/npm.sh", "internal/report/html/assets")
	if err != nil {
		return 1, err
	}
	script, err := os.ReadFile(filepath.Join(strings.TrimSpace(packages), "node_modules/axe-core/axe.min.js"))
	if err != nil {
		return 1, err
	}
	axe = string(script)
	return m.Run(), nil
}

// output returns what a command of the project prints.
func output(command string, args ...string) (string, error) {
	c := exec.Command(command, args...)
	c.Dir, c.Stderr = root, os.Stderr
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", c, err)
	}
	return string(out), nil
}

// tab is a tab of the browser in which a report is open.
type tab struct {
	context.Context
	mutex    sync.Mutex
	messages []string
	requests []string
}

// open shows a report in a new tab, and listens to what it asks for and says.
func open(t testing.TB, report string, screen Screen) *tab {
	t.Helper()
	ctx := empty(t)
	own := &tab{Context: ctx}
	if err := chromedp.Listen(ctx, own.hear); err != nil {
		t.Fatal(err)
	}
	do(own, t, Open(filepath.Join(reports, report+".html"), screen))
	return own
}

// empty returns a new tab, which is closed at the end of the test.
func empty(t testing.TB) context.Context {
	t.Helper()
	if newTab == nil {
		t.Skip(ErrNoChromium)
	}
	ctx, cancel := newTab()
	t.Cleanup(cancel)
	return ctx
}

// hear takes down what the page asks for, and what the browser or the page says of it.
func (o *tab) hear(event any) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		o.requests = append(o.requests, e.Request.URL)
	case *runtime.EventExceptionThrown:
		o.messages = append(o.messages, e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		o.messages = append(o.messages, string(e.Type))
	case *log.EventEntryAdded:
		o.messages = append(o.messages, e.Entry.Text)
	}
}

// heard returns what was taken down.
func (o *tab) heard() (messages, requests []string) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return slices.Clone(o.messages), slices.Clone(o.requests)
}

// do runs steps in a tab.
func do(ctx context.Context, t testing.TB, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(ctx, steps...); err != nil {
		t.Fatal(err)
	}
}

// evaluate returns the value of an expression in a tab.
func evaluate[T any](ctx context.Context, t testing.TB, expression string) T {
	t.Helper()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// screens are those that reports are looked at on.
var screens = map[string]Screen{
	"wide, light":  {Width: 1600, Height: 1000},
	"narrow, dark": {Width: 360, Height: 740, Dark: true},
	"paper":        {Width: 720, Height: 1000, Dark: true, Print: true},
}

// TestReports: whatever is in a report and whatever it is looked at with, it asks for nothing, nothing goes wrong, it is no
// wider than the screen, each chart is drawn, and axe finds nothing serious.
func TestReports(t *testing.T) {
	for _, report := range []string{"gp3-vs-efs", "gp2-vs-gp3", "efs-operations", "credits", "failed", "pending", "hostile", "index"} {
		for name, screen := range screens {
			t.Run(report+"/"+name, func(t *testing.T) {
				page := open(t, report, screen)
				do(page, t, DrawAll())
				if wide := evaluate[[]string](page, t, tooWide); len(wide) > 0 {
					t.Errorf("wider than the screen: %v", wide)
				}
				if empty := evaluate[[]string](page, t, withoutMarks); len(empty) > 0 {
					t.Errorf("nothing is drawn in: %v", empty)
				}
				if attacked := evaluate[string](page, t, `window.attacked ?? ""`); attacked != "" {
					t.Errorf("a script ran that came in %s", attacked)
				}
				messages, requests := page.heard()
				if len(messages) > 0 {
					t.Errorf("the console says: %v", messages)
				}
				if len(requests) != 1 || !strings.HasSuffix(requests[0], report+".html") {
					t.Errorf("requests for %v, want only the report", requests)
				}
				if diff := cmp.Diff([]string{}, violations(t, page)); diff != "" {
					t.Errorf("axe (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// tooWide finds what sticks out of the page, but for what scrolls in a box of its own or is cut off in a chart.
const tooWide = `document.documentElement.scrollWidth <= innerWidth ? [] :
	[...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest("svg") && getComputedStyle(e.closest(".scroll") ?? e).overflowX !== "auto").map(e => e.tagName + " " + (e.getAttribute("class") ?? "") + ": " + e.textContent.slice(0, 40))`

// withoutMarks finds figures that have neither a bar nor a line of some extent.
const withoutMarks = `[...document.querySelectorAll("figure")]
	.filter(f => ![...f.querySelectorAll(".plot-bar :is(rect, path), .plot-line path")].some(m => { const {width, height} = m.getBoundingClientRect(); return width > 20 && height > 0 }))
	.map(f => f.querySelector("figcaption").textContent)`

// violations returns what axe finds that is serious or worse.
func violations(t *testing.T, page *tab) []string {
	t.Helper()
	do(page, t, chromedp.Evaluate[chromedp.Void](axe))
	return evaluate[[]string](page, t, `axe.run(document, {resultTypes: ["violations"]}).then(r => r.violations
		.filter(v => ["serious", "critical"].includes(v.impact))
		.flatMap(v => v.nodes.map(n => v.id + ": " + n.html.slice(0, 150) + " " + (n.any[0]?.message ?? ""))))`)
}

// bar is a bar with its whisker, in pixels.
type bar struct{ Width, Low, High float64 }

// TestBars: bars are as long as their figures are large, and whiskers as wide as intervals.
func TestBars(t *testing.T) {
	page := open(t, "gp3-vs-efs", screens["wide, light"])
	do(page, t, DrawAll())
	points := evaluate[[]struct{ Value, Low, High float64 }](page, t, `JSON.parse(document.querySelector("figure[data-kind=bars] script").textContent).metrics.iops.points`)
	got := evaluate[[]bar](page, t, `(() => {
		const all = [...document.querySelectorAll("figure[data-kind=bars] .plot-bar :is(rect, path)")].map(e => e.getBBox());
		const whiskers = [...document.querySelectorAll("figure[data-kind=bars] .plot-rule line[x2]")].map(e => ({x1: +e.getAttribute("x1"), x2: +e.getAttribute("x2")})).filter(w => w.x1 !== w.x2);
		return all.map((b, i) => ({Width: b.width, Low: whiskers[i].x1 - b.x, High: whiskers[i].x2 - b.x}));
	})()`)
	if len(points) != 4 || len(got) != len(points) {
		t.Fatalf("%d bars of %d points, want 4", len(got), len(points))
	}
	scale := got[0].Width / points[0].Value
	for i, p := range points {
		near := func(what string, pixels, value float64) {
			if pixels < value*scale-1 || pixels > value*scale+1 {
				t.Errorf("%s of bar %d is at %.1f pixels, want %.1f", what, i, pixels, value*scale)
			}
		}
		near("end", got[i].Width, p.Value)
		near("low end", got[i].Low, p.Low)
		near("high end", got[i].High, p.High)
	}
	if got[0].Width < 800 {
		t.Errorf("the longest bar has %.0f pixels of a screen of 1600", got[0].Width)
	}
}

// TestBarsOfOneChoice: bars are drawn also where no parameters tell groups of them apart.
func TestBarsOfOneChoice(t *testing.T) {
	page := open(t, "one-choice", screens["wide, light"])
	do(page, t, DrawAll())
	widths := evaluate[[]float64](page, t, `[...document.querySelectorAll("figure[data-kind=bars] .plot-bar :is(rect, path)")].map(e => e.getBBox().width)`)
	if len(widths) != 2 || widths[0] < 800 || widths[1] < widths[0]/3 {
		t.Errorf("bars have %v pixels, want two of a screen of 1600", widths)
	}
}

// TestLines: the curves of latency rise to the right, by as much as the logarithm of the latency does, and the further
// nine of a percentile has the room of the one before.
func TestLines(t *testing.T) {
	page := open(t, "gp3-vs-efs", screens["wide, light"])
	do(page, t, DrawAll())
	points := evaluate[[]struct {
		Target   string
		X, Value float64
	}](page, t, `JSON.parse(document.querySelector("figure[data-kind=lines] script").textContent).metrics.latency.points`)
	dots := evaluate[[]struct{ X, Y float64 }](page, t, `[...document.querySelectorAll("figure[data-kind=lines] .plot")][0]
		.querySelectorAll(".plot-dot path").values().map(e => e.transform.baseVal.consolidate().matrix).map(m => ({X: m.e, Y: m.f})).toArray()`)
	if len(points) != 12 || len(dots) != len(points) {
		t.Fatalf("%d marks of %d points, want 12", len(dots), len(points))
	}
	perNine := (dots[5].X - dots[3].X) / 2
	for i := 1; i < 6; i++ {
		if dots[i].X <= dots[i-1].X || dots[i].Y > dots[i-1].Y {
			t.Errorf("mark %d at %v is not right of and above %v", i, dots[i], dots[i-1])
		}
	}
	if nine := dots[3].X - dots[1].X; nine < perNine-1 || nine > perNine+1 {
		t.Errorf("from 90 to 99 it is %.1f pixels, from 99 to 99.9 %.1f", nine, perNine)
	}
}

// TestSwitch: the metric is chosen by keyboard, and charts that are in sight change at once.
func TestSwitch(t *testing.T) {
	page := open(t, "gp2-vs-gp3", Screen{Width: 1280, Height: 3000})
	const label = `document.querySelector("figure[data-kind=bars] .plot-x-axis-label")?.textContent`
	wait := func(want string) {
		t.Helper()
		if _, err := chromedp.Run(page, chromedp.Poll[bool](label+" === "+fmt.Sprintf("%q", want), chromedp.WithPollingMutation())); err != nil {
			t.Fatalf("waiting for %q, there is %q: %v", want, evaluate[string](page, t, label), err)
		}
	}
	wait("IOPS")
	do(page, t, chromedp.Focus(chromedp.CSS("input[name=metric]")), chromedp.KeyEvent(kb.ArrowRight))
	wait("Bandwidth (MiB/s)")
	do(page, t, chromedp.KeyEvent(kb.ArrowRight))
	wait("99th percentile of latency (ms)")
}

// TestLazily: charts that are far below the screen are not drawn, but their room is kept: nothing moves when they are.
func TestLazily(t *testing.T) {
	page := open(t, "many", Screen{Width: 1280, Height: 900})
	const drawn = `document.querySelectorAll(".plot svg[role=img]").length`
	do(page, t, chromedp.ScrollIntoView(chromedp.CSS("figure")))
	if _, err := chromedp.Run(page, chromedp.Poll[bool](drawn+" > 0", chromedp.WithPollingMutation())); err != nil {
		t.Fatal(err)
	}
	all := evaluate[int](page, t, `document.querySelectorAll(".plot").length`)
	if early := evaluate[int](page, t, drawn); all < 30 || early >= all/2 {
		t.Errorf("%d of %d charts are drawn at once", early, all)
	}
	const height = `document.documentElement.scrollHeight`
	before := evaluate[int](page, t, height)
	do(page, t, DrawAll())
	if after := evaluate[int](page, t, height); after != before {
		t.Errorf("the page has %d pixels, and %d when its charts are drawn", before, after)
	}
	if late := evaluate[int](page, t, drawn); late != all {
		t.Errorf("%d of %d charts are drawn before printing", late, all)
	}
}

// TestPrinted: whoever prints the page gets all charts and all that is folded, and finds the page as it was after that.
func TestPrinted(t *testing.T) {
	page := open(t, "efs-operations", Screen{Width: 1280, Height: 900, Dark: true})
	do(page, t, chromedp.Evaluate[chromedp.Void](`addEventListener("beforeprint", () => window.folded = document.querySelectorAll("details:not([open])").length)`))
	pdf, err := chromedp.Run(page, chromedp.PrintToPDF())
	if err != nil {
		t.Fatal(err)
	}
	if len(pdf) < 50_000 || string(pdf[:5]) != "%PDF-" {
		t.Errorf("a PDF of %d bytes", len(pdf))
	}
	got := evaluate[map[string]any](page, t, `({folded: window.folded, open: document.querySelectorAll("details[open]").length,
		left: document.querySelectorAll(".plot svg:not([role=img])").length})`)
	if diff := cmp.Diff(map[string]any{"folded": 0.0, "open": 0.0, "left": 0.0}, got); diff != "" {
		t.Errorf("at printing (-want +got):\n%s", diff)
	}
}

// TestDark: text and charts follow the reader's system, also while the page is open. Paper is light.
func TestDark(t *testing.T) {
	page := open(t, "gp3-vs-efs", screens["wide, light"])
	do(page, t, DrawAll())
	const colors = `[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.querySelector(".plot-bar :is(rect, path)")).fill]`
	light := evaluate[[]string](page, t, colors)
	dark := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}}
	if _, err := chromedp.Call(page, emulation.SetEmulatedMedia, dark); err != nil {
		t.Fatal(err)
	}
	changed := evaluate[[]string](page, t, colors)
	if light[0] == changed[0] || light[1] == changed[1] || !strings.HasPrefix(light[1], "rgb(") {
		t.Errorf("light has %v, dark %v", light, changed)
	}
	dark.Media = "print"
	if _, err := chromedp.Call(page, emulation.SetEmulatedMedia, dark); err != nil {
		t.Fatal(err)
	}
	if paper := evaluate[[]string](page, t, colors); paper[0] != "rgb(255, 255, 255)" || paper[1] != light[1] {
		t.Errorf("paper has %v, want white and the colours of light: %v", paper, light)
	}
}

// TestWithoutScripts: where scripts do not run there are no empty places for charts, and the tables have the figures.
func TestWithoutScripts(t *testing.T) {
	ctx := empty(t)
	off := func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		return cdp.Call(ctx, target, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	}
	do(ctx, t, off, Open(filepath.Join(reports, "gp3-vs-efs.html"), screens["wide, light"]))
	got := evaluate[map[string]any](ctx, t, `({plots: [...document.querySelectorAll(".plot, .toolbar")].filter(e => e.checkVisibility()).length,
		table: document.querySelector(".workload table").checkVisibility()})`)
	if diff := cmp.Diff(map[string]any{"plots": 0.0, "table": true}, got); diff != "" {
		t.Errorf("visible (-want +got):\n%s", diff)
	}
}

// BenchmarkOpen prints how long it takes until the report of 500 runs is read, laid out and painted.
func BenchmarkOpen(b *testing.B) {
	for b.Loop() {
		page := open(b, "many", Screen{Width: 1280, Height: 900})
		painted := evaluate[float64](page, b, `new Promise(done => requestAnimationFrame(() => setTimeout(() => done(performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? performance.now()))))`)
		b.ReportMetric(painted, "ms-to-paint")
		b.ReportMetric(evaluate[float64](page, b, `performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd`), "ms-to-ready")
	}
}

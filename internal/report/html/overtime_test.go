package html

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/net/html"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/report/html/internal/sample"
	"github.com/storagebench/storagebench/internal/series"
)

// timeCharts returns the charts over time of a page.
func timeCharts(t *testing.T, tree *html.Node) []chart {
	t.Helper()
	var all []chart
	for _, f := range elements(tree, "figure") {
		if attribute(f, "data-kind") != kindTime {
			continue
		}
		var c chart
		if err := json.Unmarshal([]byte(elements(f, "script")[0].FirstChild.Data), &c); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	return all
}

// TestOverTime: each run of a case is a line of its target, the storage's limit and what it does without credits are lines across, and latencies are bands.
func TestOverTime(t *testing.T) {
	sb := sample.Credits()
	_, tree := writtenWith(t, sb, sample.SeriesOf(sb))
	charts := timeCharts(t, tree)
	if len(charts) != 2 {
		t.Fatalf("%d charts, want one of rates and one of latencies", len(charts))
	}
	rates, latencies := charts[0].Metrics, charts[1].Metrics
	type seen struct {
		Target, Name string
		Faint        bool
		Points       int
	}
	linesOf := func(p plotted) (all []seen) {
		for _, l := range p.Lines {
			if l.Low != nil && (len(l.Low) != len(l.Y) || len(l.High) != len(l.Y)) || l.Step != 3 {
				t.Errorf("%s has %d figures, each for %v s, and %d lower ends", l.Name, len(l.Y), l.Step, len(l.Low))
			}
			all = append(all, seen{l.Target, l.Name, l.Faint, len(l.Y)})
		}
		return all
	}
	all := []seen{
		{"gp2", "randwrite.gp2.1", false, 200}, {"gp2", "randwrite.gp2.2", true, 200}, {"gp3", "randwrite.gp3.1", false, 200},
		{"gp3", "randwrite.gp3.2", true, 200}, {"efs-bursting", "randwrite.efs-bursting.1", false, 200}, {"efs-bursting", "randwrite.efs-bursting.2", true, 200},
	}
	for _, metric := range []string{metricIOPS, metricBandwidth, metricP99} {
		if diff := cmp.Diff(all, linesOf(rates[metric])); diff != "" {
			t.Errorf("lines of %s (-want +got):\n%s", metric, diff)
		}
	}
	if diff := cmp.Diff([]seen{all[0], all[2], all[4]}, linesOf(latencies[metricLatency])); diff != "" {
		t.Errorf("bands (-want +got):\n%s", diff)
	}
	gp2 := rates[metricIOPS].Lines[0]
	if before, after := gp2.Y[10], gp2.Y[199]; math.Abs(float64(before)-3000) > 100 || math.Abs(float64(after)-300) > 10 {
		t.Errorf("gp2 goes from %v to %v, want from 3000 to 300", before, after)
	}
	rules := []rule{{3000, "3000 IOPS: limit of gp2, gp3", false}, {300, "300 IOPS: gp2 without credits", true}, {64, "64 IOPS: efs-bursting without credits (1.00 MiB/s)", true}}
	if diff := cmp.Diff(rules, rates[metricIOPS].Rules); diff != "" {
		t.Errorf("lines across IOPS (-want +got):\n%s", diff)
	}
	for _, metric := range []string{metricIOPS, metricBandwidth} {
		drops := rates[metric].Drops
		if len(drops) != 1 || drops[0].Target != "gp2" || drops[0].X != 212 || math.Abs(float64(drops[0].Y/gp2.Y[0])-1) > 0.1 && metric == metricIOPS {
			t.Errorf("falls of %s are marked at %+v", metric, drops)
		}
	}
	notes := textOf(byID(t, tree, "results"))
	for _, note := range []string{"A point of P99 is the highest one of 3 s.", "Of 3 s, P50 is the middle one and P99 the highest."} {
		if !strings.Contains(notes, note) {
			t.Errorf("the page does not say %q", note)
		}
	}
	table := tableOf(t, tree, "randwrite: over time")
	if len(table) != 7 || !slices.Contains(table[1], "3001 IOPS until second 212, then 300; below half of its usual best rate for 65 % of the time") {
		t.Errorf("the table is %v", table)
	}
}

// TestThinned: no line has more points than are seen, and what is put together keeps its least and its most.
func TestThinned(t *testing.T) {
	for points, want := range map[int][2]int{1: {1, 1}, 200: {1, 200}, 201: {2, 101}, 400: {2, 200}, 1000: {5, 200}} {
		by := thinnedBy(points)
		if got := [2]int{by, len(thinned(make([]float64, points), by, mean))}; got != want {
			t.Errorf("%d points: by %d, %d are left; want %v", points, got[0], got[1], want)
		}
	}
	rate := &series.Rate{Mean: make([]float64, 250)}
	rate.Mean[4], rate.Mean[5] = 10, 20
	b := bandOf(rate, 2)
	if b.low[2] != 10 || b.high[2] != 20 || b.high[3] != 0 {
		t.Errorf("the band is from %v to %v", b.low[:4], b.high[:4])
	}
	if got := median([]int64{0, 9, 0, 1, 5}); got != 5 {
		t.Errorf("the median of those that are not 0 is %d", got)
	}
}

// TestManyOverTime: a page has a bounded number of charts and of lines, whatever there is, and says what is left out.
func TestManyOverTime(t *testing.T) {
	sb := sample.Many(500)
	text, tree := writtenWith(t, sb, sample.SeriesOf(sb))
	without, _ := written(t, sb)
	charts, lines := timeCharts(t, tree), 0
	for _, c := range charts {
		for _, m := range c.Metrics {
			lines += len(m.Lines)
			if len(m.Lines) > maxTimeLines {
				t.Errorf("%d lines in a chart", len(m.Lines))
			}
		}
	}
	if len(charts) != maxTimeCharts || lines == 0 {
		t.Errorf("%d charts with %d lines", len(charts), lines)
	}
	if more := len(text) - len(without); more > 1_800_000 {
		t.Errorf("%d charts take %d bytes", len(charts), more)
	}
	for _, note := range []string{
		"those of 9 cases more are left out here. kubectl storagebench report many -o csv --series has all points.",
		"8 runs more are left out.", "Each point is the mean of 55 s, and bands reach from the least to the most of it.",
	} {
		if !strings.Contains(textOf(byID(t, tree, "results")), note) {
			t.Errorf("the page does not say %q", note)
		}
	}
}

// TestNotOverTime: a page is the same without series, and with such that fit to none of its results.
func TestNotOverTime(t *testing.T) {
	sb := sample.GP3VsEFS()
	want, _ := written(t, sb)
	name := sb.Status.Runs[0].Name
	for about, over := range map[string]map[string]*series.Series{
		"none":              {},
		"of another run":    {"another": sample.SeriesOf(sb)[name]},
		"no sections":       {name: {}},
		"no points":         {name: {Sections: []series.Section{{Write: &series.Direction{}}}}},
		"another direction": {name: {IntervalMilliseconds: 1, LatencyPoints: 1, Sections: []series.Section{{Trim: nil, Read: nil}}}},
	} {
		if got, _ := writtenWith(t, sb, over); got != want {
			t.Errorf("%s: the page is another", about)
		}
	}
}

// TestSectionsOverTime: a section of a job file has the series at its place, also where several share a name.
func TestSectionsOverTime(t *testing.T) {
	run := &v1alpha1.Run{Sections: []v1alpha1.SectionResult{{Name: "a"}, {Name: "b"}, {Name: "a"}}}
	for want, c := range []*compared{
		{Comparison: &v1alpha1.Comparison{Section: "a"}}, {Comparison: &v1alpha1.Comparison{Section: "b"}}, {Comparison: &v1alpha1.Comparison{Section: "a"}, occurrence: 1},
	} {
		if got := indexOf(run, c); got != want {
			t.Errorf("section %q, occurrence %d, is at %d, want %d", c.Section, c.occurrence, got, want)
		}
	}
	if got := indexOf(run, &compared{Comparison: &v1alpha1.Comparison{Section: "c"}}); got != -1 {
		t.Errorf("a section that is not there is at %d", got)
	}
}

// TestTimeAxis: whatever the time, an axis has a handful of ticks that people count in.
func TestTimeAxis(t *testing.T) {
	for end, want := range map[float64]string{
		0.2: "0 time in seconds", 3: "0 1 2 3 time in seconds", 60: "0 10 20 30 40 50 60 time in seconds", 213: "0 30 60 90 120 150 180 210 time in seconds",
		600: "0 2 4 6 8 10 time in minutes", 10_800: "0 30 60 90 120 150 180 time in minutes", 43_200: "0 2 4 6 8 10 12 time in hours",
		30 * 86_400: "0 120 240 360 480 600 720 time in hours",
	} {
		ticks, label := timeAxis(end)
		var labels []string
		for _, tick := range ticks {
			labels = append(labels, tick.Label)
		}
		if got := strings.Join(append(labels, label), " "); got != want {
			t.Errorf("%v s: %s, want %s", end, got, want)
		}
	}
	if ticks, _ := timeAxis(1e12); len(ticks) > 4*maxTicks+1 {
		t.Errorf("%d ticks", len(ticks))
	}
}

// TestRounded: figures in a page have four digits, and what is no number can be read as well.
func TestRounded(t *testing.T) {
	all := []rounded{0, 3004.4, 0.0012343, 12345678, rounded(math.NaN())}
	text, err := json.Marshal(all)
	if err != nil || string(text) != "[0,3004,0.001234,12350000,null]" {
		t.Errorf("%s, %v", text, err)
	}
	var back []rounded
	if err := json.Unmarshal(text, &back); err != nil || !cmp.Equal(len(all), len(back), cmpopts.EquateNaNs()) || !math.IsNaN(float64(back[4])) {
		t.Errorf("%v, %v", back, err)
	}
}

// TestLimitsOverTime: limits are those of a direction, of as many volumes as clients measured, and only where they tell something of the chart.
func TestLimitsOverTime(t *testing.T) {
	volumes := func(n int) []v1alpha1.VolumeStatus { return slices.Repeat([]v1alpha1.VolumeStatus{{}}, n) }
	for name, test := range map[string]struct {
		status  v1alpha1.TargetStatus
		clients int32
		want    []rule
	}{
		"of all":         {v1alpha1.TargetStatus{Limits: &v1alpha1.KnownLimits{Limits: v1alpha1.Limits{IOPS: new(int64(1000))}}}, 1, []rule{{1000, "1000 IOPS: limit of gp3", false}}},
		"of writes":      {v1alpha1.TargetStatus{Limits: &v1alpha1.KnownLimits{Limits: v1alpha1.Limits{IOPS: new(int64(1000)), WriteIOPS: new(int64(900))}}}, 1, []rule{{900, "900 IOPS: limit of gp3", false}}},
		"of two volumes": {v1alpha1.TargetStatus{Volumes: volumes(2), Limits: &v1alpha1.KnownLimits{Limits: v1alpha1.Limits{IOPS: new(int64(500))}}}, 2, []rule{{1000, "1000 IOPS: limit of gp3", false}}},
		"of one client":  {v1alpha1.TargetStatus{Volumes: volumes(2), Limits: &v1alpha1.KnownLimits{Limits: v1alpha1.Limits{IOPS: new(int64(500))}}}, 1, []rule{{500, "500 IOPS: limit of gp3", false}}},
		"far away":       {v1alpha1.TargetStatus{Limits: &v1alpha1.KnownLimits{Limits: v1alpha1.Limits{IOPS: new(int64(5000))}}}, 1, nil},
		"no limit":       {v1alpha1.TargetStatus{Limits: &v1alpha1.KnownLimits{Precision: "AtLeast", Limits: v1alpha1.Limits{IOPS: new(int64(1000))}}}, 1, nil},
		"unknown":        {v1alpha1.TargetStatus{}, 1, nil},
	} {
		test.status.Name = "gp3"
		r := &results{sb: &v1alpha1.StorageBenchmark{Status: v1alpha1.StorageBenchmarkStatus{Targets: []v1alpha1.TargetStatus{test.status}}}}
		shown := []timed{{
			target: target{Name: "gp3"}, run: &v1alpha1.Run{Clients: test.clients}, of: &series.Series{IntervalMilliseconds: 1000, LatencyPoints: 1}, section: &series.Section{},
			Direction: &series.Direction{IOPS: series.Rate{Mean: []float64{800}}, BytesPerSecond: series.Rate{Mean: []float64{8}}},
		}}
		got := r.rateMetrics(shown, directions[1], true)[metricIOPS].Rules
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if shared := r.rateMetrics(shown, directions[1], false)[metricIOPS].Rules; len(shared) > 0 {
			t.Errorf("%s: a limit that reads and writes share is in a chart of writes alone: %v", name, fmt.Sprint(shared))
		}
	}
}

// TestExtremeSeries: a page is made of any series that can be read, however absurd.
func TestExtremeSeries(t *testing.T) {
	const points = 1000
	column := func(v float64) []float64 { return slices.Repeat([]float64{v}, points) }
	one := []int64{math.MaxInt64}
	sb := sample.GP3VsEFS()
	over := map[string]*series.Series{}
	for i := range sb.Status.Runs {
		over[sb.Status.Runs[i].Name] = &series.Series{
			StartMilliseconds: math.MaxInt64, IntervalMilliseconds: 30 * 24 * 3600 * 1000, LatencyPoints: points, Clients: 1,
			Sections: []series.Section{{Write: &series.Direction{
				IOPS:           series.Rate{Mean: column(1e15), Min: column(0), Max: column(1e15)},
				BytesPerSecond: series.Rate{Mean: column(0)},
				Latency:        &series.Latency{Mean: one, P50: []int64{0}, P99: one, Max: one},
			}}},
		}
	}
	_, tree := writtenWith(t, sb, over)
	charts := timeCharts(t, tree)
	if len(charts) != 4 {
		t.Errorf("%d charts", len(charts))
	}
	for _, c := range charts {
		if len(c.Ticks) > 4*maxTicks+1 {
			t.Errorf("%d ticks", len(c.Ticks))
		}
	}
}

// TestSummedOverTime: what is told of reads and writes together says so, beside charts of each alone.
func TestSummedOverTime(t *testing.T) {
	rates := append(slices.Repeat([]float64{700}, 30), slices.Repeat([]float64{70}, 30)...)
	d := &series.Direction{IOPS: series.Rate{Mean: rates}}
	for want, section := range map[string]series.Section{
		"gp3: 1400 IOPS until second 30, then 140, reads and writes together.": {Read: d, Write: d},
		"gp3: 700 IOPS until second 30, then 70.":                              {Write: d},
	} {
		of := &series.Series{IntervalMilliseconds: 1000, LatencyPoints: 1, Sections: []series.Section{section}}
		if got := fallsOf([]timed{{target: target{Name: "gp3"}, run: &v1alpha1.Run{}, of: of, section: &of.Sections[0], Direction: d}}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

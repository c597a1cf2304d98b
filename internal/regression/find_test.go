package regression

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/storagebench/storagebench/internal/history"
)

var (
	firstDay = time.Date(2026, 10, 1, 3, 0, 0, 0, time.UTC)
	randread = history.Case{Workload: "randread", Parameters: "bs=4k", Target: "gp3"}
)

// past makes a history of one case, with a day for each level: 1 is what it was in the beginning, of IOPS and of latency alike.
type past struct {
	h      *history.History
	random *rand.Rand
	env    history.Environment
	// cases are what the days to come measure.
	cases []history.Case
	// made is how many days there were, and kept how many the history may have.
	made, kept int
}

func newPast() *past {
	return &past{h: &history.History{}, kept: 90, cases: []history.Case{randread}, random: rand.New(rand.NewPCG(7, 8)), env: history.Environment{
		Operator: "0.9.0", Fio: "fio-3.33", Kernel: "6.1", Node: "n1", Baseline: "b1",
		Drivers: []history.Driver{
			{Name: "ebs.csi.aws.com", Image: "public.ecr.aws/ebs-csi-driver/aws-ebs-csi-driver:v1.63.0", Targets: []string{"gp3"}},
			{Name: "efs.csi.aws.com", Image: "docker.io/amazon/aws-efs-csi-driver:v2.1.0", Targets: []string{"efs"}},
		},
	}}
}

// limit sets how many days the history may have.
func (p *past) limit(n int) *past {
	p.kept = n
	return p
}

// add adds a day.
func (p *past) add(point history.Point) {
	point.Time, point.Benchmark, point.UID = firstDay.AddDate(0, 0, p.made), fmt.Sprintf("nightly-%d", p.made), fmt.Sprint(p.made)
	p.made++
	p.h.Add(point, p.kept)
}

// days adds days with levels of IOPS and of the p99.
func (p *past) days(n int, iops, p99 float64) *past {
	for range n {
		noisy := func(level float64) int64 { return int64(level * (1 + 0.01*p.random.NormFloat64())) }
		env := p.env
		env.Node = fmt.Sprintf("n%d", p.made%3)
		env.Drivers = append([]history.Driver(nil), p.env.Drivers...)
		var cases []history.Measured
		for _, c := range p.cases {
			cases = append(cases, history.Measured{Case: c, Figures: []history.Figure{{Metric: history.ReadIOPS, Value: noisy(3e6 * iops)}, {Metric: history.ReadP99, Value: noisy(5.3e6 * p99)}}})
		}
		p.add(history.Point{Environment: env, Cases: cases})
	}
	return p
}

// turns adds days of which each other one has levels of its own, and the next one is as in the beginning.
func (p *past) turns(pairs int, iops, p99 float64) *past {
	for range pairs {
		p.days(1, iops, p99).days(1, 1, 1)
	}
	return p
}

// measures sets the targets that the days to come measure.
func (p *past) measures(targets ...string) *past {
	p.cases = nil
	for _, t := range targets {
		p.cases = append(p.cases, history.Case{Workload: randread.Workload, Parameters: randread.Parameters, Target: t})
	}
	return p
}

// failed adds a day whose benchmark measured nothing.
func (p *past) failed() *past {
	p.add(history.Point{Reason: "RunFailed"})
	return p
}

// other adds a day whose benchmark measured only another case.
func (p *past) other() *past {
	p.failed()
	last := &p.h.Points[len(p.h.Points)-1]
	last.Environment = p.env
	last.Cases = []history.Measured{{Case: history.Case{Workload: "w", Target: "gp3"}, Figures: []history.Figure{{Metric: history.ReadIOPS, Value: 1}}}}
	return p
}

// with changes the environment of the days to come.
func (p *past) with(change func(*history.Environment)) *past {
	change(&p.env)
	return p
}

func driver(version string) func(*history.Environment) {
	return func(e *history.Environment) {
		e.Drivers = append([]history.Driver(nil), e.Drivers...)
		e.Drivers[0].Image = "public.ecr.aws/ebs-csi-driver/aws-ebs-csi-driver:" + version
	}
}

// storage gives each target its storage: a target, what tells its storage, and so on. The template has no others.
func storage(pairs ...string) func(*history.Environment) {
	return func(e *history.Environment) {
		e.Targets = nil
		for i := 0; i < len(pairs); i += 2 {
			e.Targets = append(e.Targets, history.TargetBaseline{Target: pairs[i], Baseline: pairs[i+1]})
		}
	}
}

func TestFind(t *testing.T) {
	kernel := func(version string) func(*history.Environment) {
		return func(e *history.Environment) { e.Kernel = version }
	}
	efs := func(e *history.Environment) {
		e.Drivers = append([]history.Driver(nil), e.Drivers...)
		e.Drivers[1].Image = "docker.io/amazon/aws-efs-csi-driver:v2.2.0"
	}
	instance := func(e *history.Environment) { e.Baseline, e.InstanceType = "b2", "m7i.large" }
	back := func(e *history.Environment) { e.Baseline, e.InstanceType = "b1", "" }
	on := func(day int) time.Time { return firstDay.AddDate(0, 0, day) }
	for _, row := range []struct {
		name string
		past *past
		o    Options
		want []string
		// message is a part of what the report says.
		message string
	}{
		{"nothing", newPast(), Options{}, nil, "no benchmark has measured anything yet"},
		{"a beginning", newPast().days(9, 1, 1), Options{}, nil, "it cannot be told yet whether a figure is worse: 9 runs since 2026-10-01 03:00 UTC; a change can be found 2 runs from now at the earliest"},
		{"no change", newPast().days(60, 1, 1), Options{}, nil, "no figure was found to be worse than before: 60 runs since 2026-10-01 03:00 UTC; last measured on 2026-11-29 03:00 UTC"},
		{
			"latency rose with a driver", newPast().days(42, 1, 1).with(driver("v1.64.0")).days(3, 1, 1.38), Options{},
			[]string{"read p99 of randread bs=4k on gp3 rose 38 % (5.3 ms -> 7.29 ms) on 2026-11-12 03:00 UTC (nightly-42), with aws-ebs-csi-driver v1.63.0 -> v1.64.0"}, "rose 38 %",
		},
		{
			"what another target has is not the reason", newPast().days(42, 1, 1).with(efs).days(3, 1, 1.38), Options{},
			[]string{"on 2026-11-12 03:00 UTC (nightly-42)"}, "rose 38 %",
		},
		{
			"both got worse, the worst first", newPast().days(40, 1, 1).with(kernel("6.12")).days(4, 0.5, 1.38), Options{},
			[]string{"read IOPS of randread bs=4k on gp3 fell 50 % (", "read p99 of randread bs=4k on gp3 rose 37 % ("},
			"with kernel 6.1 -> 6.12; and 1 more figure is worse (report -o html shows them); last measured on 2026-11-13 03:00 UTC",
		},
		{
			"better is told too, and is no regression", newPast().days(40, 1, 1).days(5, 1.3, 1), Options{},
			[]string{"read IOPS of randread bs=4k on gp3 rose 31 %"}, "no figure was found to be worse than before",
		},
		{"less than the least", newPast().days(60, 1, 1).days(20, 0.97, 1.03), Options{}, nil, "no figure was found to be worse"},
		{
			"over by now", newPast().days(30, 1, 1).days(10, 0.7, 1).days(10, 1, 1), Options{},
			[]string{"fell 30 % (2989 -> 2102) on 2026-10-31 03:00 UTC (nightly-30); it has recovered since", "rose"}, "no figure was found to be worse",
		},
		{"one run that is far off", newPast().days(30, 1, 1).days(1, 0.5, 2).days(30, 1, 1), Options{}, nil, "no figure was found to be worse"},
		{"one run that is far off just now", newPast().days(30, 1, 1).days(1, 0.5, 2), Options{}, nil, "no figure was found to be worse"},
		{"found from the third run on", newPast().days(30, 1, 1).days(2, 0.8, 1), Options{}, nil, "no figure was found to be worse"},
		{"found in the third run", newPast().days(30, 1, 1).days(3, 0.8, 1), Options{}, []string{"fell 20 %"}, "fell 20 %"},
		{
			"failed benchmarks in between", newPast().days(30, 1, 1).failed().days(1, 0.8, 1).failed().days(2, 0.8, 1).failed(), Options{},
			[]string{"fell 20 % (2989 -> 2392) on 2026-11-01 03:00 UTC"}, "fell 20 %",
		},
		{"the last benchmark measured only another case", newPast().days(30, 1, 1).days(3, 0.8, 1).other(), Options{}, []string{"fell 20 %"}, "fell 20 %"},
		{"acknowledged", newPast().days(30, 1, 1).days(5, 0.8, 1), Options{Acknowledged: on(34)},
			[]string{"fell 20 % (2989 -> 2397) on 2026-10-31 03:00 UTC (nightly-30); it is acknowledged"}, "no figure was found to be worse than before, but for 1 that is acknowledged: 35 runs since",
		},
		{
			"it was not told yet when others were acknowledged", newPast().days(30, 1, 1).days(3, 0.8, 1).days(3, 0.8, 1.4), Options{Acknowledged: on(34)},
			[]string{"rose 38 %", "fell 20 %"}, "rose 38 % (5.3 ms -> 7.33 ms) on 2026-11-03 03:00 UTC (nightly-33); last",
		},
		{
			"too few runs when it was acknowledged", newPast().days(30, 1, 1).days(5, 0.8, 1), Options{Acknowledged: on(31)}, []string{"fell 20 %"}, "fell 20 %",
		},
		{
			"another figure is found later to have changed at the same time", newPast().days(30, 1, 1).days(1, 0.8, 1).days(4, 0.8, 1.3), Options{Acknowledged: on(32)},
			[]string{"rose 28 %", "fell 20 %"}, "but for 2 that are acknowledged",
		},
		{
			"another figure is found later to have changed by much more", newPast().days(30, 1, 1).days(1, 0.8, 1).days(4, 0.8, 1.8), Options{Acknowledged: on(32)},
			[]string{"rose 77 %", "fell 20 %"}, "rose 77 %",
		},
		{
			"another target is found later to have changed at the same time",
			newPast().measures("efs", "gp3").days(30, 1, 1).measures("gp3").days(1, 0.8, 1).measures("gp3", "efs").days(4, 0.8, 1), Options{Acknowledged: on(32)},
			[]string{"on efs fell 20 %", "on gp3 fell 20 %"}, "on efs fell 20 %",
		},
		{
			"it has moved by a run since it was acknowledged", newPast().days(30, 1, 1).days(1, 1, 1.06).days(2, 1, 1.1).days(6, 1, 1.2), Options{Acknowledged: on(32)},
			[]string{"rose"}, "but for 1 that is acknowledged",
		},
		{
			"two that are acknowledged", newPast().days(30, 1, 1).days(5, 0.8, 1.3), Options{Acknowledged: on(34)},
			[]string{"rose", "fell"}, "but for 2 that are acknowledged",
		},
		{
			"what is over needs no mention that it is acknowledged", newPast().days(30, 1, 1).days(10, 0.7, 1).days(10, 1, 1), Options{Acknowledged: on(45)},
			[]string{"it has recovered since", "rose"}, "no figure was found to be worse than before: 50 runs",
		},
		{
			"the runs before are not looked at", newPast().limit(365).days(60, 1, 1).days(90, 0.5, 1), Options{}, nil,
			"no figure was found to be worse than before: 90 runs since 2026-11-30 03:00 UTC, the runs before are no longer looked at; last",
		},
		{
			"over, and then another one", newPast().days(30, 1, 1).days(10, 1, 1.5).days(10, 1, 1).days(10, 1, 1.3), Options{},
			[]string{"rose 31 % (5.27 ms -> 6.92 ms) on 2026-11-20 03:00 UTC (nightly-50)", "rose 49 %", "fell"}, "(nightly-50); last measured",
		},
		{
			"partly over", newPast().days(30, 1, 1).days(10, 1, 1.5).days(10, 1, 1.1), Options{},
			[]string{"rose 49 % (5.31 ms -> 7.91 ms) on 2026-10-31 03:00 UTC (nightly-30); now 5.79 ms", "fell"}, "now 5.79 ms; last",
		},
		{
			"worse twice is one figure", newPast().days(30, 1, 1).days(10, 1, 1.5).days(10, 1, 2), Options{},
			[]string{"rose 49 %", "rose 33 %"}, "now 10.5 ms; last",
		},
		{
			"the worst is what is worse by now", newPast().days(30, 1, 1).days(10, 0.8, 1.5).days(10, 0.8, 1.1), Options{},
			[]string{"fell 20 %", "rose 49 %", "fell"}, "and 1 more figure is worse",
		},
		{
			"no run since the baseline was begun", newPast().days(30, 1, 1), Options{BaselineFrom: on(60)}, nil,
			"no benchmark has measured anything since 2026-11-30 03:00 UTC, when the baseline was begun",
		},
		{
			"one run of another instance type", newPast().days(30, 1, 1).days(5, 0.5, 1).with(instance).days(1, 1, 1), Options{}, nil,
			"it cannot be told yet whether a figure is worse: 1 run since 2026-11-05 03:00 UTC, when a new baseline began with another instance type unknown -> m7i.large; a change can be found 10 runs from now",
		},
		{
			"worse again after it was acknowledged", newPast().days(30, 1, 1).days(10, 0.8, 1).days(3, 0.6, 1), Options{Acknowledged: on(34)},
			[]string{"fell 25 %", "it is acknowledged"}, "fell 25 %",
		},
		{
			"every other run is worse", newPast().days(45, 1, 1).turns(10, 1, 3), Options{},
			[]string{"read p99 of randread bs=4k on gp3 rose 200 % (5.3 ms -> 15.9 ms) in 10 of 20 runs, after 0 of 45 before on 2026-11-15 03:00 UTC (nightly-45)"},
			"rose 200 %",
		},
		{
			"every other run has fewer IOPS", newPast().days(45, 1, 1).turns(10, 0.5, 1), Options{},
			[]string{"read IOPS of randread bs=4k on gp3 fell 50 % (2997 -> 1499) in 10 of 20 runs, after 0 of 45 before"}, "fell 50 %",
		},
		{
			"every other run was worse for some time", newPast().days(45, 1, 1).turns(10, 1, 3).days(12, 1, 1), Options{},
			[]string{"rose 200 % (5.3 ms -> 15.9 ms) in 10 of 32 runs, after 0 of 45 before on 2026-11-15 03:00 UTC (nightly-45); it has recovered since"}, "no figure",
		},
		{
			"that every other run is worse is acknowledged", newPast().days(45, 1, 1).turns(12, 1, 3), Options{Acknowledged: on(65)},
			[]string{"it is acknowledged"}, "but for 1 that is acknowledged",
		},
		{
			"every other run is worse, and too few had ended when others were acknowledged", newPast().days(45, 1, 1).turns(12, 1, 3), Options{Acknowledged: on(45)},
			[]string{"rose 200 %"}, "rose 200 %",
		},
		{"a new baseline by hand", newPast().days(30, 1, 1).days(15, 0.8, 1), Options{BaselineFrom: on(30)}, nil, "15 runs since 2026-10-31 03:00 UTC, without those before annotation baseline-from; last"},
		{
			"a new baseline by another instance type", newPast().days(30, 1, 1).with(instance).days(15, 0.8, 1), Options{}, nil,
			"15 runs since 2026-10-31 03:00 UTC, when a new baseline began with another instance type unknown -> m7i.large",
		},
		{
			"a new baseline by another spec", newPast().days(30, 1, 1).with(func(e *history.Environment) { e.Baseline = "b2" }).days(15, 0.8, 1), Options{}, nil,
			"when a new baseline began with another spec",
		},
		{
			"another storage of a target", newPast().with(storage("gp3", "a")).days(30, 1, 1).with(storage("gp3", "b")).days(15, 0.8, 1), Options{}, nil,
			"no figure was found to be worse than before: 45 runs since 2026-10-01 03:00 UTC; of target gp3 15 runs since 2026-10-31 03:00 UTC, when its storage changed",
		},
		{
			"another storage of another target", newPast().with(storage("efs", "a")).days(30, 1, 1).with(storage("efs", "b")).days(15, 0.8, 1), Options{},
			[]string{"on 2026-10-31 03:00 UTC"}, "fell 20 %",
		},
		{
			"few runs on another storage of the only target", newPast().with(storage("gp3", "a")).days(30, 1, 1).with(storage("gp3", "b")).days(3, 0.3, 1), Options{}, nil,
			"it cannot be told yet whether a figure is worse: 33 runs since 2026-10-01 03:00 UTC; of target gp3 3 runs since 2026-10-31 03:00 UTC, when its storage changed; " +
				"a change can be found 8 runs from now at the earliest; last",
		},
		{
			"the storage of the only target changes while it is worse", newPast().with(storage("gp3", "a")).days(30, 1, 1).days(5, 0.5, 1).with(storage("gp3", "b")).days(1, 1, 1), Options{}, nil,
			"it cannot be told yet whether a figure is worse",
		},
		{
			"few runs on another storage of one of two targets", newPast().measures("gp3", "efs").with(storage("efs", "a", "gp3", "a")).days(30, 1, 1).with(storage("efs", "a", "gp3", "b")).days(3, 1, 1), Options{}, nil,
			"no figure was found to be worse than before: 33 runs since 2026-10-01 03:00 UTC; of target gp3 3 runs since 2026-10-31 03:00 UTC, when its storage changed; " +
				"of target gp3 it cannot be told before 8 more runs; last",
		},
		{
			"one of two targets is worse, and the other one is new", newPast().measures("efs").with(storage("efs", "a")).days(30, 1, 1).measures("efs", "gp3").with(storage("efs", "a", "gp3", "a")).days(3, 0.8, 1),
			Options{}, []string{"fell 20 %"}, "(nightly-30); of target gp3 it cannot be told before 8 more runs; last",
		},
		{
			"few runs on another storage of each target", newPast().measures("gp3", "efs").with(storage("efs", "a", "gp3", "a")).days(30, 1, 1).with(storage("efs", "b", "gp3", "a")).days(2, 1, 1).
				with(storage("efs", "b", "gp3", "b")).days(3, 1, 1), Options{}, nil, "a change can be found 6 runs from now at the earliest",
		},
		{
			"a target that fails most runs", newPast().measures("efs").with(storage("efs", "a", "gp3", "a")).days(30, 1, 1).measures("efs", "gp3").days(2, 1, 1), Options{}, nil,
			"of target gp3 it cannot be told before 9 more runs",
		},
		{
			"the template has the worse target no longer", newPast().measures("gp3", "efs").with(storage("efs", "a", "gp3", "a")).days(30, 1, 1).measures("efs").days(1, 1, 1).measures("gp3").days(4, 0.5, 1).
				measures("efs").with(storage("efs", "a")).days(12, 1, 1), Options{}, nil, "no figure was found to be worse than before: 47 runs",
		},
		{
			"the worse target fails for some runs", newPast().measures("gp3", "efs").with(storage("efs", "a", "gp3", "a")).days(30, 1, 1).measures("gp3").days(4, 0.5, 1).
				measures("efs").days(6, 1, 1), Options{}, []string{"on gp3 fell 50 %"}, "on gp3 fell 50 %",
		},
		{
			"the history keeps too few runs", newPast().limit(8).days(30, 1, 1), Options{Limit: 8}, nil,
			"it can never be told whether a figure is worse: historyLimit is 8, and it takes 11 runs, 8 before a change and 3 from it on; raise it to 30 or more; last measured",
		},
		{
			"the history keeps few runs", newPast().limit(12).days(30, 1, 1), Options{Limit: 12}, nil,
			"12 runs since 2026-10-19 03:00 UTC; with historyLimit 12 a change is told for about 2 runs, as the runs before it are dropped then: raise it to 30 or more; last",
		},
		{
			"the history keeps few runs, and a figure is worse", newPast().limit(11).days(30, 1, 1).days(3, 0.8, 1), Options{Limit: 11}, []string{"fell 20 %"},
			"(nightly-30); with historyLimit 11 a change is told for about 1 run, as the runs",
		},
		{"the history keeps enough runs", newPast().limit(30).days(30, 1, 1), Options{Limit: 30}, nil, "30 runs since 2026-10-01 03:00 UTC; last"},
		{
			"a baseline that comes back is not begun anew", newPast().days(30, 1, 1).with(instance).days(15, 0.8, 1).with(back).days(3, 0.8, 1), Options{},
			[]string{"fell 20 % (2989 -> 2388) on 2026-11-15 03:00 UTC"}, "fell 20 %",
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			report := Find(row.past.h, row.o)
			var got []string
			for i := range report.Findings {
				got = append(got, report.Findings[i].Message())
			}
			if len(got) != len(row.want) {
				t.Fatalf("found %q, want %q", got, row.want)
			}
			for i, want := range row.want {
				if !strings.Contains(got[i], want) {
					t.Errorf("found %q, want %q", got[i], want)
				}
				if strings.Contains(want, "on 2026-11-12") && !strings.HasSuffix(got[i], want) {
					t.Errorf("found %q, want the end %q", got[i], want)
				}
			}
			if got := report.Message(); !strings.Contains(got, row.message) {
				t.Errorf("message %q, want %q", got, row.message)
			}
		})
	}
}

// TestDiffer: what changed beside a change, where it is known to a run or so.
func TestDiffer(t *testing.T) {
	for _, row := range []struct {
		name          string
		before, after string
		want          string
	}{
		{"the same", "aaaa", "aaa", ""},
		{"at the change", "aaaa", "bbb", "a -> b"},
		{"a run before", "aaab", "bbb", "a -> b"},
		{"a run after", "aaaa", "abb", "a -> b"},
		{"long before", "aabb", "bbb", ""},
		{"what comes and goes", "abab", "aba", ""},
		{"changed before as well", "abcc", "ddd", "c -> d"},
		{"changed after as well", "aaaa", "bbc", "a -> b"},
		{"unknown before", "....", "bbb", ""},
		{"unknown after", "aaaa", "...", ""},
		{"unknown in between", "aa..", ".bb", "a -> b"},
	} {
		t.Run(row.name, func(t *testing.T) {
			list := func(text string) []string {
				var all []string
				for _, c := range text {
					all = append(all, strings.Trim(string(c), "."))
				}
				return all
			}
			got := ""
			if d, ok := differ(list(row.before), list(row.after)); ok {
				got = d.Before + " -> " + d.After
			}
			if got != row.want {
				t.Errorf("%q, want %q", got, row.want)
			}
		})
	}
}

// TestDayStays: the day of a change, and what it was before, stay the same while the runs before it go. So a change that is acknowledged is not
// told anew.
func TestDayStays(t *testing.T) {
	for after := 75; after <= 86; after++ {
		p := newPast().days(60, 1, 1).days(after, 1, 1.5)
		report := Find(p.h, Options{Acknowledged: firstDay.AddDate(0, 0, 62)})
		if len(report.Findings) != 1 {
			t.Fatalf("after %d runs: %d changes", after, len(report.Findings))
		}
		f := &report.Findings[0]
		if f.Benchmark != "nightly-60" || f.Percent < 45 || f.Percent > 55 || f.IsOpen() || f.RunsBefore != 90-after {
			t.Errorf("after %d runs: %s", after, f.Message())
		}
	}
}

// TestShortHistory: how long a clear change is told, by how many runs a history keeps. The condition's message says it.
func TestShortHistory(t *testing.T) {
	for limit, want := range map[int][2]int{10: {0, 0}, 11: {1, 3}, 15: {5, 9}, 30: {20, 24}, 90: {80, 84}} {
		p, told := newPast().limit(limit).days(100, 1, 1), 0
		for range limit + 1 {
			p.days(1, 1, 1.5)
			if report := Find(p.h, Options{Limit: limit}); report.Worst() != nil {
				told++
			}
		}
		if told < want[0] || told > want[1] {
			t.Errorf("with a limit of %d it is told for %d runs, want %d to %d", limit, told, want[0], want[1])
		}
	}
}

// TestPlaces: a node or a zone is named where it moved once, and not where each run has another one.
func TestPlaces(t *testing.T) {
	for _, row := range []struct{ name, before, after, want string }{
		{"moved once", "aaaa", "bbb", "node a -> b"},
		{"moved a run before", "aaab", "bbb", "node a -> b"},
		{"moved a run after", "aaaa", "abb", "node a -> b"},
		{"another one in each run", "abcd", "efg", ""},
		{"another one in each run before", "abcd", "eee", ""},
		{"another one in each run after", "aaaa", "efg", ""},
		{"unknown", "....", "bbb", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			points := func(text string) []*history.Point {
				var all []*history.Point
				for _, c := range text {
					all = append(all, &history.Point{Environment: history.Environment{Node: strings.Trim(string(c), ".")}})
				}
				return all
			}
			found, _ := differences(points(row.before), points(row.after), "")
			if got := besideText(found, mostBeside); got != row.want {
				t.Errorf("%q, want %q", got, row.want)
			}
		})
	}
}

// TestStorageClasses: what somebody has changed of a target's StorageClass is named, and what became known of it by an upgrade of the operator is no change.
func TestStorageClasses(t *testing.T) {
	class := func(parameters ...string) []history.StorageClass {
		return []history.StorageClass{{Name: "other", Parameters: []string{"iops=7"}, Targets: []string{"other"}}, {Name: "fast", Parameters: parameters, Targets: []string{"gp3"}}}
	}
	for _, row := range []struct {
		name          string
		before, after []history.StorageClass
		want, known   string
	}{
		{"a parameter", class("iops=3000", "type=gp3"), class("iops=1000", "type=gp3"), "StorageClass fast: iops 3000 -> 1000", "StorageClass"},
		{"two, which are one change", class("iops=3000", "type=io1"), class("iops=1000", "type=gp3"), "StorageClass fast: iops 3000 -> 1000, type io1 -> gp3", "StorageClass"},
		{"many", class("a=1", "b=1", "c=1", "d=1", "e=1"), class("a=2", "b=2", "c=2", "d=2", "e=2"),
			"StorageClass fast: a 1 -> 2, b 1 -> 2, c 1 -> 2, d 1 -> 2, and 1 more (report -o csv has them)", "StorageClass"},
		{"one that was added", class("type=gp3"), class("iops=1000", "type=gp3"), "StorageClass fast: iops unset -> 1000", "StorageClass"},
		{"one that was removed", class("iops=", "type=gp3", "x=1"), class("type=gp3"), "StorageClass fast: x 1 -> unset", "StorageClass"},
		{"a class that has no name, as somebody has made it up", []history.StorageClass{{Parameters: []string{"iops=1"}, Targets: []string{"gp3"}}}, []history.StorageClass{{Parameters: []string{"iops=2"}, Targets: []string{"gp3"}}}, "", ""},
		{"not known before", nil, class("iops=1000"), "", ""},
		{"not known after", class("iops=1000"), nil, "", ""},
		{"the same", class("iops=1000"), class("iops=1000"), "", "StorageClass"},
	} {
		t.Run(row.name, func(t *testing.T) {
			points := func(classes []history.StorageClass) []*history.Point {
				p := &history.Point{Environment: history.Environment{Classes: classes}}
				return []*history.Point{p, p, p}
			}
			found, known := differences(points(row.before), points(row.after), "gp3")
			if got := besideText(found, mostBeside); got != row.want {
				t.Errorf("%q, want %q", got, row.want)
			}
			if got := strings.Join(known, " "); got != row.known {
				t.Errorf("%q can be compared, want %q", got, row.known)
			}
		})
	}
}

func TestImageOf(t *testing.T) {
	for _, row := range []struct{ image, name, version string }{
		{"public.ecr.aws/ebs-csi-driver/aws-ebs-csi-driver:v1.64.0", "aws-ebs-csi-driver", "v1.64.0"},
		{"registry:5000/driver:v1@sha256:0123456789abcdef", "driver", "v1"},
		{"registry:5000/driver@sha256:0123456789abcdef", "driver", "0123456789ab"},
		{"driver", "driver", ""},
	} {
		if name, version := imageOf(row.image); name != row.name || version != row.version {
			t.Errorf("%s: %q and %q, want %q and %q", row.image, name, version, row.name, row.version)
		}
	}
}

// Where a search had found no load for a while, nothing was done before: no number of times as much says what changed.
func TestMessageOfAChangeFromNothing(t *testing.T) {
	f := Finding{
		Case: history.Case{Workload: "load", Target: "gp3"}, Metric: history.ReadIOPS, Kind: Improvement, Time: time.Date(2026, 11, 12, 3, 0, 0, 0, time.UTC),
		Benchmark: "nightly-42", After: 3_000_000, Now: 3_000_000, Percent: 599_900,
	}
	if got, want := f.Message(), "read IOPS of load on gp3 rose (0 -> 3000) on 2026-11-12 03:00 UTC (nightly-42)"; got != want {
		t.Errorf("message %q, want %q", got, want)
	}
}

package analysis

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// at is a time of a benchmark, in seconds.
func at(seconds int64) *metav1.Time {
	return &metav1.Time{Time: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC).Add(time.Duration(seconds) * time.Second)}
}

// measured is I/O at a rate, for a time.
func measured(iops, bytes, seconds int64) *v1alpha1.Figures {
	return &v1alpha1.Figures{Count: iops * seconds, Bytes: iops * seconds * bytes, MilliIOPS: 1000 * iops, BytesPerSecond: iops * bytes}
}

// ran is a run of reads that ended at a time.
func ran(name string, end, seconds int64, read, write *v1alpha1.Figures) v1alpha1.Run {
	return v1alpha1.Run{Name: name, Target: "t", State: v1alpha1.RunSucceeded, StartTime: at(end - seconds - 2), CompletionTime: at(end), Result: &v1alpha1.Result{
		ElapsedMilliseconds: 1000 * seconds, Figures: v1alpha1.ListOf(read.As(v1alpha1.OperationRead), write.As(v1alpha1.OperationWrite)),
	}}
}

var nearly = cmpopts.EquateApprox(0, 0.0005)

func TestFollowCredits(t *testing.T) {
	hour := ran("hour", 4000, 3600, measured(750, 16<<10, 3600), measured(1050, 16<<10, 3600)) // 1800 IOPS: 5.4 million beyond the baseline
	for _, test := range []struct {
		name   string
		limits *v1alpha1.KnownLimits
		runs   []v1alpha1.Run
		old    bool
		want   []Credits // of runs in the order given
		left   *v1alpha1.BurstCredits
	}{{
		name: "no limits",
	}, {
		name: "no credits", limits: gp3, runs: []v1alpha1.Run{ran("a", 100, 60, measured(3000, 1, 60), nil)},
	}, {
		name: "number of credits unknown", limits: &m6iLargeEBS,
	}, {
		name: "not used yet", limits: gp2Of100GiB,
		left: &v1alpha1.BurstCredits{IOs: new(int64(5_400_000)), LeftPercent: 100, SecondsToBaseline: 2000},
	}, {
		name: "a minute", limits: gp2Of100GiB, runs: []v1alpha1.Run{ran("a", 100, 60, measured(3064, 16<<10, 60), nil)},
		want: []Credits{{Before: 1, After: 0.9693, BurstShare: 1, SecondsToEmpty: 2000}},
		left: &v1alpha1.BurstCredits{IOs: new(int64(5_400_000 - 2764*60)), LeftPercent: 97, SecondsToBaseline: 2000},
	}, {
		name: "a claim that existed", limits: gp2Of100GiB, runs: []v1alpha1.Run{ran("a", 100, 60, measured(3064, 16<<10, 60), nil)}, old: true,
		want: []Credits{{Before: 1, After: 0.9693, BurstShare: 1, SecondsToEmpty: 2000, Assumed: true}},
		left: &v1alpha1.BurstCredits{IOs: new(int64(5_400_000 - 2764*60)), LeftPercent: 97, SecondsToBaseline: 2000},
	}, {
		name: "all, then none, then what came back", limits: gp2Of100GiB,
		runs: []v1alpha1.Run{hour, ran("b", 4060, 60, measured(300, 16<<10, 60), nil), ran("c", 4720, 60, nil, measured(300, 16<<10, 60))},
		want: []Credits{
			{Before: 1, RanOut: true, BurstShare: 0.5556, SecondsToEmpty: 2000},
			{RanOut: true},
			{Before: 0.0333, After: 0.0333, BurstShare: 1, SecondsToEmpty: 66.6667},
		},
		left: &v1alpha1.BurstCredits{IOs: new(int64(180_000)), LeftPercent: 3, SecondsToBaseline: 2000},
	}, {
		name: "runs in any order, of other targets and without results", limits: gp2Of100GiB,
		runs: []v1alpha1.Run{
			ran("b", 4060, 60, measured(300, 16<<10, 60), nil), {Name: "failed", Target: "t", State: v1alpha1.RunFailed, StartTime: at(0), CompletionTime: at(300)}, hour,
			{Name: "pending", Target: "t", State: v1alpha1.RunPending}, {Name: "other", Target: "u", CompletionTime: at(90), Result: hour.Result},
		},
		want: []Credits{{RanOut: true}, {Before: 1, RanOut: true, BurstShare: 0.5556, SecondsToEmpty: 2000}},
		left: &v1alpha1.BurstCredits{IOs: new(int64(0)), SecondsToBaseline: 2000},
	}, {
		name: "large I/Os count several", limits: gp2Of100GiB, runs: []v1alpha1.Run{ran("a", 100, 60, measured(128, 1<<20, 60), nil)},
		want: []Credits{{Before: 1, After: 0.99764, BurstShare: 1, SecondsToEmpty: 2000}},
		left: &v1alpha1.BurstCredits{IOs: new(int64(5_400_000 - 212*60)), LeftPercent: 100, SecondsToBaseline: 2000},
	}, {
		name: "EFS, reads count a third", limits: emptyEFS,
		runs: []v1alpha1.Run{ran("a", 10_000, 9000, measured(150, miBps, 9000), measured(51, miBps, 9000))},
		want: []Credits{{Before: 1, After: 0.5913, BurstShare: 1, SecondsToEmpty: 22_242.5212, Assumed: true}},
		left: &v1alpha1.BurstCredits{Bytes: new(int64(2_308_974_418_330 - 900_000*miBps)), LeftPercent: 59, SecondsToBaseline: 22_243},
	}, {
		name: "without a time", limits: gp2Of100GiB, runs: []v1alpha1.Run{{Name: "a", Target: "t", Result: hour.Result}},
		left: &v1alpha1.BurstCredits{IOs: new(int64(5_400_000)), LeftPercent: 100, SecondsToBaseline: 2000},
	}, {
		name: "with its start only", limits: gp2Of100GiB, runs: []v1alpha1.Run{{Name: "a", Target: "t", StartTime: at(0), Result: hour.Result}},
		want: []Credits{{Before: 1, RanOut: true, BurstShare: 0.5556, SecondsToEmpty: 2000}},
		left: &v1alpha1.BurstCredits{IOs: new(int64(0)), SecondsToBaseline: 2000},
	}, {
		name: "in no time", limits: gp2Of100GiB, runs: []v1alpha1.Run{ran("a", 100, 0, &v1alpha1.Figures{Count: 10_000_000, Bytes: 1}, nil)},
		want: []Credits{{Before: 1, BurstShare: 1, SecondsToEmpty: 2000}},
		left: &v1alpha1.BurstCredits{IOs: new(int64(0)), SecondsToBaseline: 2000},
	}} {
		t.Run(test.name, func(t *testing.T) {
			history := FollowCredits("t", test.limits, test.runs, Volumes{New: !test.old}, nil)
			var got []Credits
			for i := range test.runs {
				if credits := history.Of(test.runs[i].Name, 0); credits != nil {
					got = append(got, *credits)
				}
			}
			if diff := cmp.Diff(test.want, got, nearly); diff != "" {
				t.Errorf("credits (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.left, history.Left()); diff != "" {
				t.Errorf("left (-want +got):\n%s", diff)
			}
		})
	}
}

// A run that waits until it is steady uses credits before it measures, as many as it does meanwhile; where it measures the baseline, there were credits
// before, and more I/Os.
func TestCreditsUntilSteady(t *testing.T) {
	steady := func(iops int64) []v1alpha1.Run {
		run := ran("a", 1100, 100, measured(iops, 4096, 100), nil)
		run.Result.SteadyState = &v1alpha1.SteadyState{Attained: true, AfterSeconds: 1000}
		return []v1alpha1.Run{run}
	}
	for _, test := range []struct {
		iops   int64
		before float64
	}{
		{3000, 0.5}, // 2,700 a second of 5.4 million
		{1500, 0.7778},
		{300, 0.5}, // the volume's baseline
	} {
		history := FollowCredits("t", gp2Of100GiB, steady(test.iops), Volumes{New: true}, nil)
		if got := history.Of("a", 0); got == nil || math.Abs(got.Before-test.before) > 0.001 {
			t.Errorf("at %d IOPS it begins with %+v of its credits, want %v", test.iops, got, test.before)
		}
	}
}

// What was to be warm, and fell while it was measured, ran before as fast as it did before it fell.
func TestCreditsUntilWarm(t *testing.T) {
	run := ran("a", 3000, 1500, measured(1200, 4096, 1500), nil)
	run.Result.SteadyState = &v1alpha1.SteadyState{Attained: true, AfterSeconds: 1500}
	run.Result.OverTime = &v1alpha1.OverTime{Fall: &v1alpha1.RateFall{AtSeconds: 2000, BeforeMilliIOPS: 3_000_000, AfterMilliIOPS: 300_000}}
	history := FollowCredits("t", gp2Of100GiB, []v1alpha1.Run{run}, Volumes{New: true}, nil)
	const before = 1 - 2700*1500/5.4e6
	if got := history.Of("a", 0); got == nil || math.Abs(got.Before-before) > 0.001 || !got.RanOut {
		t.Errorf("it begins with %+v of its credits, want %v", got, before)
	}
}

// A volume that is written before its first run has used credits for that.
func TestCreditsOfPrecondition(t *testing.T) {
	run := ran("a", 1100, 100, measured(3000, 4096, 100), nil)
	run.StartTime = at(0)
	again := ran("b", 1200, 50, measured(3000, 4096, 50), nil)
	volumes := Volumes{New: true, WrittenBytes: 200 << 30, BlockBytes: 128 << 10}
	history := FollowCredits("t", gp2Of100GiB, []v1alpha1.Run{run, again}, volumes, nil)
	const before = 1 - (200*8192-300*1000)/5.4e6 // 128 KiB are one I/O of a gp2, of which the volume earns 300 a second
	const left = before - (2700*100-300*50)/5.4e6
	if first, second := history.Of("a", 0), history.Of("b", 0); math.Abs(first.Before-before) > 0.001 || math.Abs(second.Before-left) > 0.001 {
		t.Errorf("runs begin with %v and %v of the credits, want %v and %v", first.Before, second.Before, before, left)
	}
	run.Result.SteadyState = &v1alpha1.SteadyState{Attained: true, AfterSeconds: 400}
	history = FollowCredits("t", gp2Of100GiB, []v1alpha1.Run{run}, volumes, nil)
	const until = 1 - (200*8192-300*600)/5.4e6 - 2700*400/5.4e6 // it was written for 600 s, then it was to become steady
	if first := history.Of("a", 0); math.Abs(first.Before-until) > 0.001 {
		t.Errorf("a run that waits until it is steady begins with %v of the credits, want %v", first.Before, until)
	}
}

// TestCreditsOfSections has sections one after the other, and some for which there was no time to.
func TestCreditsOfSections(t *testing.T) {
	section := v1alpha1.SectionResult{Result: v1alpha1.Result{ElapsedMilliseconds: 1_000_000, Figures: v1alpha1.ListOf(measured(3000, 16<<10, 1000).As(v1alpha1.OperationRead))}}
	run := v1alpha1.Run{Name: "a", Target: "t", StartTime: at(0), CompletionTime: at(2005), Sections: []v1alpha1.SectionResult{section, section}}
	history := FollowCredits("t", gp2Of100GiB, []v1alpha1.Run{run}, Volumes{New: true}, nil)
	if first, second := history.Of("a", 0), history.Of("a", 1); first.After != 0.5 || second.Before != 0.5 || second.After != 0 || !second.RanOut || first.RanOut {
		t.Errorf("one after the other: %+v, %+v", first, second)
	}
	run.CompletionTime = at(1005)
	history = FollowCredits("t", gp2Of100GiB, []v1alpha1.Run{run}, Volumes{New: true}, nil)
	// 6 million I/Os in 1000 s, which earn 300,000.
	if left := history.Left(); *left.IOs != 0 || !history.Of("a", 1).RanOut {
		t.Errorf("together: %+v", left)
	}
	if history.Of("a", 2) != nil || history.Of("a", -1) != nil || history.Of("b", 0) != nil {
		t.Error("credits of no result")
	}
}

// Small I/Os take as many credits of a magnetic disk as full ones where they are random, or below 32 KiB. Larger ones that are
// sequential take no more than their bytes.
func TestCreditsOfMagneticDisks(t *testing.T) {
	st1 := &v1alpha1.KnownLimits{Counting: v1alpha1.CountsRandom, Limits: v1alpha1.Limits{ // of 500 GiB
		Scope: v1alpha1.ScopeVolume, BytesPerSecond: new(int64(128_000_000)),
		Burst: &v1alpha1.Burst{BaselineBytesPerSecond: new(int64(20_480_000)), ByteCredits: new(int64(500 << 30))},
	}}
	usersOwn := &v1alpha1.KnownLimits{Limits: st1.Limits}
	random, sequential := Load{}, Load{Sequential: true}
	small, large := measured(122, 16<<10, 1000), measured(122, miBps, 1000)
	for _, test := range []struct {
		name    string
		limits  *v1alpha1.KnownLimits
		load    Load
		result  *v1alpha1.Figures
		left    int32
		warning string
	}{
		{"random", st1, random, small, 80,
			"ran on burst credits at 122 MiB/s as EBS counts random I/Os, where the volume's baseline is 19.5 MiB/s; 80 % of its credits are left; a full bucket lasts for 4997 s at this rate"},
		{"random, within the baseline", st1, random, measured(19, 16<<10, 1000), 100, ""},
		{"random and full", st1, random, large, 80,
			"ran on burst credits at 122 MiB/s, where the volume's baseline is 19.5 MiB/s; 80 % of its credits are left; a full bucket lasts for 4997 s at this rate"},
		{"sequential", st1, sequential, measured(122, 64<<10, 1000), 100, ""},
		{"sequential, and too small to be merged", st1, sequential, small, 80,
			"ran on burst credits at 122 MiB/s as EBS counts small I/Os, where the volume's baseline is 19.5 MiB/s; 80 % of its credits are left; a full bucket lasts for 4997 s at this rate"},
		{"sequential and full", st1, sequential, large, 80,
			"ran on burst credits at 122 MiB/s, where the volume's baseline is 19.5 MiB/s; 80 % of its credits are left; a full bucket lasts for 4997 s at this rate"},
		{"through the page cache", st1, Load{Buffered: true}, small, 100, ""},
		{"written through the page cache", st1, Load{Gathered: true}, small, 100, ""},
		{"a user's limits, of which nobody knows how they count", usersOwn, random, small, 100, ""},
	} {
		runs := []v1alpha1.Run{ran("a", 1000, 1000, test.result, nil)}
		history := FollowCredits("t", test.limits, runs, Volumes{New: true}, func(*v1alpha1.Run) []Load { return []Load{test.load} })
		if got := history.Left().LeftPercent; got != test.left {
			t.Errorf("%s: %d %% are left, want %d", test.name, got, test.left)
		}
		known := Known{Storage: test.limits, Credits: history.Of("a", 0)}
		if diff := cmp.Diff(test.warning, storageBursts(seen{result: runs[0].Result, known: known, load: test.load})); diff != "" {
			t.Errorf("%s: warning (-want +got):\n%s", test.name, diff)
		}
	}
	unknown := FollowCredits("t", st1, []v1alpha1.Run{ran("a", 1000, 1000, small, nil)}, Volumes{New: true}, func(*v1alpha1.Run) []Load { return nil })
	if left := unknown.Left().LeftPercent; left != 100 {
		t.Errorf("of a load that is not known %d %% are left, want those of a sequential one", left)
	}
}

func TestBucketOf(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*v1alpha1.KnownLimits)
		want   float64
	}{
		{"gp2", func(*v1alpha1.KnownLimits) {}, 3000},
		{"limits of each direction", func(l *v1alpha1.KnownLimits) {
			l.IOPS, l.ReadIOPS, l.WriteIOPS = nil, new(int64(2000)), new(int64(1000))
		}, 2000},
		{"bytes too: I/Os count", func(l *v1alpha1.KnownLimits) { l.Burst.ByteCredits = new(int64(1 << 40)) }, 3000},
		{"no IOPS", func(l *v1alpha1.KnownLimits) { l.IOPS = nil }, 0},
		{"no baseline", func(l *v1alpha1.KnownLimits) { l.Burst.BaselineIOPS = nil }, 0},
		{"metered bytes, where a region caps reads", func(l *v1alpha1.KnownLimits) { *l = *cappedEFS.DeepCopy() }, 2000 * miBps},
		{"a user's limits of each direction", func(l *v1alpha1.KnownLimits) { *l = v1alpha1.KnownLimits{Limits: cappedEFS.Limits} }, 5120 * miBps},
		{"no burst", func(l *v1alpha1.KnownLimits) { l.Burst.BaselineIOPS = new(int64(3000)) }, 0},
		{"no credits", func(l *v1alpha1.KnownLimits) { l.Burst.IOCredits = new(int64(0)) }, 0},
	} {
		limits := gp2Of100GiB.DeepCopy()
		test.change(limits)
		if bucket, ok := BucketOf(limits); bucket.BurstPerSecond != test.want || ok != (test.want > 0) {
			t.Errorf("%s: %+v, %v", test.name, bucket, ok)
		}
	}
}

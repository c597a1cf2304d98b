package analysis

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// section is a section that writes for so many seconds.
func section(name string, seconds int64, write *v1alpha1.Figures) Section {
	return Section{
		Name: name, Load: Load{InFlight: 8, Jobs: 8},
		Result: &v1alpha1.Result{ElapsedMilliseconds: seconds * 1000, Figures: v1alpha1.ListOf(write.As(v1alpha1.OperationWrite)), CPU: &v1alpha1.CPUResult{UserPercent: 1, SystemPercent: 2}},
	}
}

// judged returns what is said to hold back one of the sections.
func judged(sections []Section, i int, known Known, client Client) v1alpha1.LimitedBy {
	return Bound(sections[i].Result, known.Beside(CompanyOf(sections, i)), sections[i].Load, client)
}

// What runs at the same time counts against the same limits.
func TestCompany(t *testing.T) {
	// At 5.33 ms 8 writes are in flight for 1500 IOPS.
	half := blocks(1500, 4096, 5_333_333)
	after := func(s Section, stage, seconds int) Section {
		s.Stage, s.After = stage, time.Duration(seconds)*time.Second
		return s
	}
	with := func(s Section, change func(*Section)) Section {
		change(&s)
		return s
	}
	onGP3 := Known{Storage: gp3, Client: clients(m6iLargeEBS)}
	const alone = "8 of 8 I/Os were in flight all the time, each for 5.33ms on average, and the nearest limit has room (1500 of the volume's 3000 IOPS, 50 %): try more jobs or a higher iodepth"
	for _, test := range []struct {
		name     string
		sections []Section
		known    Known
		client   Client
		want     v1alpha1.LimitedBy // of the first
	}{{
		name: "alone", sections: []Section{section("a", 60, half)}, known: onGP3,
		want: limitedBy(v1alpha1.BoundLatency, 8, 100, alone),
	}, {
		name: "one after the other", sections: []Section{section("a", 60, half), after(section("b", 60, half), 1, 0)}, known: onGP3,
		want: limitedBy(v1alpha1.BoundLatency, 8, 100, alone),
	}, {
		name: "after a delay that is longer", sections: []Section{section("a", 60, half), after(section("b", 60, half), 0, 60)}, known: onGP3,
		want: limitedBy(v1alpha1.BoundLatency, 8, 100, alone),
	}, {
		name: "two together", sections: []Section{section("a", 60, half), section("b", 60, half)}, known: onGP3,
		want: limitedBy(v1alpha1.BoundVolumeIOPS, 3000, 100, "3000 of the volume's 3000 IOPS together with section b (100 %)"),
	}, {
		name: "four together", known: onGP3,
		sections: []Section{section("a", 60, half), section("b", 60, blocks(500, 4096, 0)), section("c", 60, blocks(500, 4096, 0)), section("d", 60, blocks(500, 4096, 0))},
		want:     limitedBy(v1alpha1.BoundVolumeIOPS, 3000, 100, "3000 of the volume's 3000 IOPS together with 3 other sections (100 %)"),
	}, {
		name: "room for all", sections: []Section{section("a", 60, half), section("b", 60, blocks(600, 4096, 0))}, known: onGP3,
		want: limitedBy(v1alpha1.BoundLatency, 8, 100,
			"8 of 8 I/Os were in flight all the time, each for 5.33ms on average, and the nearest limit has room (2100 of the volume's 3000 IOPS together with section b, 70 %): try more jobs or a higher iodepth"),
	}, {
		name: "for half of the time", sections: []Section{section("a", 60, half), section("b", 30, blocks(2700, 4096, 0))}, known: onGP3,
		want: limitedBy(v1alpha1.BoundVolumeIOPS, 3000, 95, "2850 of the volume's 3000 IOPS together with section b (95 %)"),
	}, {
		name: "hardly any of the time", sections: []Section{section("a", 60, half), section("b", 2, blocks(60_000, 4096, 0))}, known: onGP3,
		want: limitedBy(v1alpha1.BoundLatency, 8, 100, alone),
	}, {
		name: "beside one that ran on alone", sections: []Section{section("a", 30, half), section("b", 60, blocks(2250, 4096, 0))}, known: onGP3,
		want: v1alpha1.LimitedBy{Reason: v1alpha1.BoundUnknown, Message: "3750 of the volume's 3000 IOPS together with section b (125 %): some sections ran on alone, " +
			"so it is unknown how much all did at the same time; give the sections one runtime, with time_based"},
	}, {
		name: "reads beside writes", known: Known{Storage: gp3},
		sections: []Section{section("a", 60, half), with(section("b", 60, nil), func(s *Section) { s.Result.Set(v1alpha1.OperationRead, blocks(1500, 4096, 0)) })},
		want:     limitedBy(v1alpha1.BoundVolumeIOPS, 3000, 100, "3000 of the volume's 3000 IOPS together with section b (100 %)"),
	}, {
		name: "bytes of a file system", known: Known{Storage: emptyEFS},
		sections: []Section{section("a", 60, blocks(800, 64<<10, 0)), section("b", 60, blocks(800, 64<<10, 0))},
		want:     limitedBy(v1alpha1.BoundFileSystemThroughput, 100<<20, 100, "100 of the file system's 100 MiB/s of writes together with section b (100 %)"),
	}, {
		name: "the instance", known: Known{Storage: &v1alpha1.KnownLimits{Limits: v1alpha1.Limits{IOPS: new(int64(16_000)), BytesPerSecond: new(int64(1 << 40))}},
			Client: clients(v1alpha1.KnownLimits{Limits: v1alpha1.Limits{Scope: v1alpha1.ScopeInstance, IOPS: new(int64(3000))}})},
		sections: []Section{section("a", 60, half), section("b", 60, half)},
		want:     limitedBy(v1alpha1.BoundInstanceIOPS, 3000, 100, "3000 of the instance's 3000 IOPS together with section b (100 %)"),
	}, {
		name: "the container's CPU", known: Known{Storage: gp3}, client: Client{CPUMillis: 2000},
		sections: []Section{section("a", 60, blocks(100, 4096, 0)), with(section("b", 60, blocks(100, 4096, 0)), func(s *Section) {
			s.Load.Jobs, s.Result.CPU.SystemPercent = 4, 39
		})},
		want: limitedBy(v1alpha1.BoundClientCPU, 200, 92, "fio used 184 % of CPU together with section b, and its container may use 200 % (100 for each CPU)"),
	}, {
		name: "beside one that polls", known: Known{Storage: gp3}, client: Client{CPUMillis: 2000},
		sections: []Section{section("a", 60, half), with(section("b", 60, blocks(100, 4096, 0)), func(s *Section) {
			s.Load.Jobs, s.Load.Polls, s.Result.CPU.SystemPercent = 4, true, 89
		})},
		want: limitedBy(v1alpha1.BoundLatency, 8, 100,
			"8 of 8 I/Os were in flight all the time, each for 5.33ms on average, and the nearest limit of the storage has room (1600 of the volume's 3000 IOPS together with section b, 53 %; those of the node are unknown): try more jobs or a higher iodepth"),
	}, {
		name: "beside one whose writes memory takes", known: Known{Storage: gp3}, client: Client{MemoryBytes: 1 << 30},
		sections: []Section{section("a", 60, half), with(section("b", 60, half), func(s *Section) { s.Load.Buffered = true })},
		want: v1alpha1.LimitedBy{Reason: v1alpha1.BoundUnknown, Message: "3000 of the volume's 3000 IOPS together with section b: I/O is buffered, and the page cache turns it into " +
			"fewer and larger I/Os; how many the storage did is unknown: set direct: true"},
	}, {
		name: "without credits", known: Known{Storage: &v1alpha1.KnownLimits{Limits: v1alpha1.Limits{
			IOPS: new(int64(10_000)), BytesPerSecond: new(int64(1 << 40)), Burst: &v1alpha1.Burst{BaselineIOPS: new(int64(3000))},
		}}},
		sections: []Section{section("a", 60, half), section("b", 60, half)},
		want:     limitedBy(v1alpha1.BoundVolumeIOPS, 3000, 100, "3000 of the volume's 3000 IOPS that remain without burst credits together with section b (100 %)"),
	}} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, judged(test.sections, 0, test.known, test.client)); diff != "" {
				t.Errorf("bound (-want +got):\n%s", diff)
			}
		})
	}
	if CompanyOf([]Section{section("a", 60, half)}, 0) != nil {
		t.Error("a section has itself for company")
	}
}

// The rate that a section is held to is its own.
func TestCompanyAndRate(t *testing.T) {
	sections := []Section{section("a", 60, blocks(100, 4096, 1000)), section("b", 60, blocks(1000, 4096, 1000))}
	sections[0].Load.RateIOPS = 100
	if got := judged(sections, 0, Known{Storage: gp3}, Client{}); got.Reason != v1alpha1.BoundWorkloadRate {
		t.Errorf("the section with a rate is limited by %+v", got)
	}
	if got := judged(sections, 1, Known{Storage: gp3}, Client{}); got.Reason == v1alpha1.BoundWorkloadRate {
		t.Errorf("the section beside it is limited by %+v", got)
	}
}

// Two sections that need no credits alone may need some together.
func TestCompanyTakesCredits(t *testing.T) {
	sections := []Section{section("a", 60, burstOf(200, 4096)), section("b", 60, burstOf(200, 4096))}
	var results []v1alpha1.Result
	var known, apart []Known
	var loads []Load
	for i := range sections {
		results, loads = append(results, *sections[i].Result), append(loads, sections[i].Load)
		apart = append(apart, Known{Storage: gp2Of100GiB})
		known = append(known, apart[i].Beside(CompanyOf(sections, i)))
	}
	warnings := Warnings(results, known, loads, Client{})
	want := []v1alpha1.Warning{{
		Reason:  v1alpha1.WarningBurstCredits,
		Message: "ran at 400 IOPS of 2 sections, where the volume's baseline is 300 IOPS: it can keep this up only as long as it has burst credits",
	}}
	if diff := cmp.Diff(want, warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	if warnings := Warnings(results, apart, loads, Client{}); len(warnings) != 0 {
		t.Errorf("warnings of sections that are alone: %+v", warnings)
	}
}

// Names are the user's, and may be long.
func TestCompanyFits(t *testing.T) {
	sections := []Section{section("a", 60, blocks(1<<62, 4096, 0)), section(strings.Repeat("x", 255), 30, blocks(1<<62, 4096, 0))}
	for _, known := range []Known{{Storage: gp3}, {Storage: emptyEFS, Client: clients(efsClient)}, {Storage: gp2Of100GiB}} {
		for i := range sections {
			if got := judged(sections, i, known, Client{}); len(got.Message) > 512 || got.Message == "" {
				t.Errorf("message of %d bytes: %s", len(got.Message), got.Message)
			}
		}
	}
}

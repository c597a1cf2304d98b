package fio

import (
	"strings"
	"testing"
)

// Each start of what is measured when it is steady has random offsets of its own, and the first that is measured those that all repetitions tell apart.
func TestSeedsOfRounds(t *testing.T) {
	seeded := func(t *testing.T, seed string) *JobFile {
		t.Helper()
		file, err := Parse("[a]\nrw=randread\nsize=1M\nrandrepeat=0\n" + seed + "[b]\nrw=randwrite\nsize=1M\n")
		if err != nil {
			t.Fatal(err)
		}
		return file
	}
	seedOf := func(t *testing.T, file *JobFile) string {
		t.Helper()
		var seeds []string
		for _, j := range file.jobs() {
			seeds = append(seeds, j.text("randseed", "none"))
		}
		if len(seeds) != 2 || seeds[0] != seeds[1] {
			t.Fatalf("the jobs have seeds %v", seeds)
		}
		return seeds[0]
	}
	for _, seed := range []string{"", "randseed=7\n", "randseed=5000000\n"} {
		file := seeded(t, seed)
		if seed != "" {
			changed := file.Sections()
			changed.replace(Option{Name: "randseed", Value: strings.TrimSpace(strings.TrimPrefix(seed, "randseed=")), HasValue: true})
			file = changed.File()
		}
		before := map[string]int64{}
		if first := seedOf(t, file.Warm(0)); first != seedOf(t, file) {
			t.Errorf("of %q, the first that is measured has %s", seed, first)
		}
		for round := range int64(1000) {
			for _, start := range []*JobFile{file.WarmUp(60, round), file.Warm(round)} {
				got := seedOf(t, start)
				if other, used := before[got]; used && seed != "" {
					t.Fatalf("of %q, rounds %d and %d have %s", seed, other, round, got)
				}
				before[got] = round
			}
		}
		if seed == "" && len(before) > 1 {
			t.Errorf("a file without a seed has %d", len(before))
		}
	}
}

// A warm-up that must not take longer than others does not sync at its end, and what is measured does as before.
func TestWithoutSyncAtEnd(t *testing.T) {
	file, err := Parse("[global]\nend_fsync=1\n[a]\nrw=write\nsize=1M\n[b]\nrw=write\nsize=1M\nfsync_on_close=1\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range file.WithoutSyncAtEnd().jobs() {
		if j.on("end_fsync") || j.on("fsync_on_close") {
			t.Errorf("job %s syncs at its end", j.name)
		}
	}
	if jobs := file.WarmUp(60, 0).jobs(); !jobs[0].on("end_fsync") || !jobs[1].on("fsync_on_close") {
		t.Error("a warm-up does not sync as the workload does")
	}
}

// Jobs that begin at different times are staggered.
func TestStaggered(t *testing.T) {
	for text, want := range map[string]bool{
		"[a]\nrw=read\nsize=1M\n[b]\nrw=read\nsize=1M\n":                                            false,
		"[global]\ngroup_reporting=1\n[a]\nrw=read\nsize=1M\n[b]\nrw=read\nsize=1M\nstartdelay=5\n": true,
		"[a]\nrw=read\nsize=1M\nnumjobs=2\nstartdelay=1-5\n":                                        true,
	} {
		file, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := file.Loads()[0].Staggered; got != want {
			t.Errorf("%q: %t, want %t", text, got, want)
		}
	}
}

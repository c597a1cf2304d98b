package runner

import (
	"fmt"
	"os/exec"
	"testing"
	"time"
)

func TestBusiestJob(t *testing.T) {
	const mib = 1 << 20
	four := "[a]\nrw=read\nsize=1M\nnumjobs=4\n"
	for _, test := range []struct {
		name, job string
		// seen are the bytes of processes at one moment after another. Process 1 is fio itself.
		seen []map[int]uint64
		want int64
	}{
		{"a hot job", four, []map[int]uint64{{1: 900 * mib, 2: 7 * mib, 3: mib, 4: mib, 5: mib}}, 700},
		{"even jobs", four, []map[int]uint64{{1: 5, 2: 8 * mib, 3: 8 * mib, 4: 8 * mib, 5: 8 * mib}}, 250},
		{"jobs that end early", four, []map[int]uint64{{1: 5, 2: mib, 3: mib, 4: mib, 5: mib}, {1: 5, 2: 7 * mib}}, 700},
		{"jobs that nobody saw", four, []map[int]uint64{{1: 5, 2: 7 * mib}}, 0},
		{"threads", four, []map[int]uint64{{1: 900 * mib}}, 0},
		{"too little", four, []map[int]uint64{{1: 5, 2: mib - 1, 3: 0, 4: 0, 5: 0}}, 0},
		{"one job", "[a]\nrw=read\nsize=1M\n", []map[int]uint64{{1: 5, 2: 7 * mib}}, 0},
		{"jobs of two sections", "[a]\nrw=read\nsize=1M\n[b]\nrw=read\nsize=9M\n", []map[int]uint64{{1: 5, 2: 9 * mib, 3: mib}}, 0},
		{"metadata", "[a]\nioengine=filestat\nfilesize=4k\nnumjobs=4\n", []map[int]uint64{{1: 5, 2: 7 * mib, 3: mib, 4: mib, 5: mib}}, 0},
		{"nothing", four, nil, 0},
		{"no job file", "[", []map[int]uint64{{1: 5, 2: 7 * mib}}, 0},
	} {
		jobs := &jobsSeen{}
		for _, each := range test.seen {
			jobs.note(1, time.Time{}, activity{moved: each})
		}
		if got := jobs.busiestPermille(test.job); got != test.want {
			t.Errorf("%s: %d thousandths, want %d", test.name, got, test.want)
		}
	}
	(*jobsSeen)(nil).note(1, time.Time{}, activity{moved: map[int]uint64{2: mib}}) // as of a layout, of which nobody wants to know
}

// fio's own clones are seen each by itself: here one has a larger file than the others, at the same rate.
func TestBusiestJobOfFio(t *testing.T) {
	f := newFixture(t, "[a]\nrw=read\nbs=16k\nrate=2m\nnumjobs=3\ngroup_reporting\nfilename_format=f.$jobnum\n")
	newTestFile(t, f.Directory, "f.0", 5*mebibyte).fill(0, 5*mebibyte)
	for clone := range 2 {
		newTestFile(t, f.Directory, fmt.Sprintf("f.%d", clone+1), mebibyte).fill(0, mebibyte)
	}
	call, err := f.prepareFio()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), f.Fio, call.args...)
	cmd.Dir = f.Scratch
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	jobs, tree := &jobsSeen{}, processTree{root: cmd.Process.Pid}
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for running := true; running; {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatal(err)
			}
			running = false
		case <-ticker.C:
			jobs.note(tree.root, time.Now(), tree.activity())
		}
	}
	// 5 of 7 MiB, of which the last tick before a process ends may miss some.
	if got := jobs.busiestPermille(f.JobFile); got < 600 || got > 850 {
		t.Errorf("the busiest of three jobs moved %d thousandths of %v", got, jobs.each)
	}
}

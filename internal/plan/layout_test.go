package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/storagebench/storagebench/internal/fio"
)

// TestLayoutBefore has benchmarks of which some runs are measured, and what is laid out before the next: by how many clients, the
// files of which runs.
func TestLayoutBefore(t *testing.T) {
	const (
		two      = "{name: a, fio: {rw: read, size: 1M}}, {name: b, fio: {rw: read, size: 2M}}"
		same     = "{name: w, fio: {rw: read, size: 1M}, matrix: {bs: [4k, 8k]}}"
		unknown  = "{name: a, fio: {rw: read, size: 1M, options: {file_append: '1'}}}, {name: b, fio: {rw: read, size: 2M}}, {name: c, fio: {rw: read, size: 3M}}"
		removed  = "{name: a, fio: {rw: read, size: 1M, options: {unlink: '1'}}}, {name: b, fio: {rw: read, size: 2M}}"
		byItself = "{name: a, fio: {rw: write, size: 1M, options: {create_on_open: '1'}}}, {name: b, fio: {rw: read, size: 2M}}"
		files    = "{name: w, fio: {rw: read, size: 4M, nrfiles: 1000}, matrix: {ioengine: [filecreate, filestat, filedelete, dirdelete]}}"
		small    = "{name: w, fio: {rw: read, size: 4M, nrfiles: 1000}, matrix: {ioengine: [filecreate, filestat, filedelete]}}"
		objects  = "{name: w, fio: {rw: write, size: 1M}}, {name: r, fio: {rw: read, size: 1M}}, {name: s, fio: {rw: read, size: 2M}}"
		// Five times 1,024 files are too many for one job file, and three times 1,024 are not.
		many    = "{name: m, fio: {rw: read, numjobs: 1024}, matrix: {size: [1M, 2M, 3M, 4M, 5M]}}"
		clients = "{name: w, fio: {rw: read, size: 1M}, clients: [1, 3, 2, 7]}"
		apart   = "{name: a, fio: {rw: read, size: 1M}, clients: [1, 4]}, {name: b, fio: {rw: read, size: 2M}, clients: [2]}"
		atMost  = "{name: m, fio: {rw: read, numjobs: 1024, size: 1M}, clients: [1, 2], matrix: {nrfiles: [1, 2, 4]}}"
	)
	for _, test := range []struct {
		name, targets, workloads string
		modes                    Volumes
		// measured are runs with a result, next is the one to come.
		measured []string
		next     string
		want     string
	}{
		{name: "the first run on a target: the files of all", targets: gp3, workloads: two, next: "a.gp3", want: "1 x a, b"},
		{name: "the first run failed: the second is the first", targets: gp3, workloads: two, next: "b.gp3", want: "1 x a, b"},
		{name: "the second run: other files, which the first has laid out", targets: gp3, workloads: two, measured: []string{"a.gp3"}, next: "b.gp3", want: "1 x nothing"},
		{name: "the second run: the same files", targets: gp3, workloads: same, measured: []string{"w.bs-4k.gp3"}, next: "w.bs-8k.gp3", want: "1 x nothing"},
		{name: "equal files are laid out once", targets: gp3, workloads: same, next: "w.bs-8k.gp3", want: "1 x w.bs-4k"},
		{name: "beside an object store", targets: bucket + ", " + gp3, workloads: two, measured: []string{"a.s3", "b.s3"}, next: "a.gp3", want: "1 x a, b"},
		{name: "what is on another target is not here", targets: gp3 + ", " + efs, workloads: two, measured: []string{"a.gp3", "b.gp3"}, next: "a.efs", want: "1 x a, b"},

		{name: "unknown files: those alone", targets: gp3, workloads: unknown, next: "a.gp3", want: "1 x a"},
		{name: "unknown files: in each run", targets: gp3, workloads: unknown, measured: []string{"a.gp3", "b.gp3"}, next: "a.gp3", want: "1 x a"},
		{name: "after unknown files: the others", targets: gp3, workloads: unknown, measured: []string{"a.gp3"}, next: "b.gp3", want: "1 x b, c"},
		{name: "after both", targets: gp3, workloads: unknown, measured: []string{"a.gp3", "b.gp3"}, next: "c.gp3", want: "1 x nothing"},
		{name: "removed by fio: in each run", targets: gp3, workloads: removed, measured: []string{"a.gp3", "b.gp3"}, next: "a.gp3", want: "1 x a"},
		{name: "removed by fio: not in the others", targets: gp3, workloads: removed, next: "b.gp3", want: "1 x b"},
		{name: "made by fio itself", targets: gp3, workloads: byItself, next: "a.gp3", want: ""},
		{name: "after those that fio itself makes", targets: gp3, workloads: byItself, measured: []string{"a.gp3"}, next: "b.gp3", want: "1 x b"},

		{name: "files that are looked up: once", targets: gp3, workloads: files, next: "w.ioengine-filestat.gp3", want: "1 x w.ioengine-filestat"},
		{name: "files that are looked up: are there", targets: gp3, workloads: files, measured: []string{"w.ioengine-filestat.gp3"}, next: "w.ioengine-filestat.gp3", want: "1 x nothing"},
		{name: "files that are deleted: before each run", targets: gp3, workloads: files, measured: []string{"w.ioengine-filedelete.gp3"}, next: "w.ioengine-filedelete.gp3", want: "1 x w.ioengine-filedelete"},
		{name: "files that are created: none", targets: gp3, workloads: files, next: "w.ioengine-filecreate.gp3", want: ""},
		{name: "directories, which fio makes: none", targets: gp3, workloads: files, next: "w.ioengine-dirdelete.gp3", want: ""},
		{name: "objects that are deleted: before each run", targets: bucket, workloads: small, measured: []string{"w.ioengine-filedelete.s3"}, next: "w.ioengine-filedelete.s3", want: "1 x w.ioengine-filedelete"},
		{name: "objects that are created: none", targets: bucket, workloads: small, next: "w.ioengine-filecreate.s3", want: ""},
		{name: "objects that are looked up", targets: bucket, workloads: small, next: "w.ioengine-filestat.s3", want: "1 x w.ioengine-filestat"},

		{name: "too much for one job file: what the run needs", targets: gp3, workloads: many, next: "m.size-1m.gp3", want: "1 x m.size-1m"},
		{name: "too much: before each run", targets: gp3, workloads: many, measured: []string{"m.size-1m.gp3"}, next: "m.size-2m.gp3", want: "1 x m.size-2m"},
		{name: "too much: but what is there", targets: gp3, workloads: many, measured: []string{"m.size-1m.gp3"}, next: "m.size-1m.gp3", want: "1 x nothing"},
		{name: "as much as fits", targets: gp3, workloads: atMost, next: "m.clients-1-nrfiles-1.gp3", want: "1 x m.clients-1-nrfiles-1, m.clients-1-nrfiles-2, m.clients-1-nrfiles-4"},

		{name: "a raw device", targets: "{name: raw, volumeMode: Block, ebs: {}}", workloads: two, next: "a.raw", want: ""},
		{name: "somebody's file system", targets: "{name: c, claimName: c}", workloads: two, next: "a.c", want: "1 x a, b"},
		{
			name: "somebody's raw device", targets: "{name: c, claimName: c}", workloads: two, next: "a.c",
			modes: Volumes{"c": {Mode: corev1.PersistentVolumeBlock}}, want: "",
		},

		{name: "objects: what is read", targets: bucket, workloads: objects, next: "r.s3", want: "1 x r, s"},
		{name: "objects: not what is written", targets: bucket, workloads: objects, next: "w.s3", want: ""},
		{name: "objects: writes leave nothing to read", targets: bucket, workloads: objects, measured: []string{"w.s3"}, next: "s.s3", want: "1 x r, s"},
		{name: "objects: the first read has laid out all", targets: bucket, workloads: objects, measured: []string{"r.s3"}, next: "s.s3", want: "1 x nothing"},
		{name: "objects: too many for one job file", targets: bucket, workloads: many, measured: []string{"m.size-1m.s3"}, next: "m.size-2m.s3", want: "1 x m.size-2m"},
		{name: "objects: too many, and there", targets: bucket, workloads: many, measured: []string{"m.size-1m.s3"}, next: "m.size-1m.s3", want: "1 x a look at m.size-1m"},

		{name: "clients: the first one", targets: gp3, workloads: clients, next: "w.clients-1.gp3", want: "1 x w.clients-1"},
		{name: "clients: all at once", targets: gp3, workloads: clients, next: "w.clients-7.gp3", want: "1 x w.clients-1; 1 x w.clients-3; 1 x w.clients-3; 4 x w.clients-7"},
		{
			name: "clients: those that are new", targets: gp3, workloads: clients, measured: []string{"w.clients-1.gp3"}, next: "w.clients-3.gp3",
			want: "1 x nothing; 1 x w.clients-3; 1 x w.clients-3",
		},
		{
			name: "clients: fewer than before", targets: gp3, workloads: clients, measured: []string{"w.clients-3.gp3"}, next: "w.clients-2.gp3",
			want: "1 x nothing; 1 x nothing",
		},
		{
			name: "clients: each the files of its own runs", targets: gp3, workloads: apart, measured: []string{"a.clients-1.gp3"}, next: "b.clients-2.gp3",
			want: "1 x nothing; 1 x a.clients-4, b.clients-2",
		},
		{
			name: "clients: the last ones have one run", targets: gp3, workloads: apart, next: "a.clients-4.gp3",
			want: "1 x a.clients-1, b.clients-2; 1 x a.clients-4, b.clients-2; 2 x a.clients-4",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			runs, problems := Runs(decode(t, []byte("targets: ["+test.targets+"]\nworkloads: ["+test.workloads+"]\n")), test.modes)
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			layout := NewLayout(runs, test.modes)
			for _, name := range test.measured {
				layout.Measured(runNamed(t, runs, name))
			}
			next := runNamed(t, runs, test.next)
			shares := layout.Before(next)
			if got := describeShares(next.Target.Name, runs, shares); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
			checkShares(t, next, shares)
			if again := layout.Before(next); describeShares(next.Target.Name, runs, again) != test.want {
				t.Errorf("asked again, it is %q", describeShares(next.Target.Name, runs, again))
			}
		})
	}
}

func runNamed(t *testing.T, runs []Run, name string) *Run {
	t.Helper()
	i := slices.IndexFunc(runs, func(run Run) bool { return run.Name == name })
	if i < 0 {
		t.Fatalf("%s is none of %v", name, names(runs))
	}
	return &runs[i]
}

// describeShares names the jobs of shares by runs on the target, without its name.
func describeShares(target string, runs []Run, shares Shares) string {
	nameOf := func(job *fio.JobFile) string {
		i := slices.IndexFunc(runs, func(run Run) bool { return run.Job == job && run.Target.Name == target })
		return strings.TrimSuffix(runs[i].Name, "."+target)
	}
	var texts []string
	for _, share := range shares {
		var jobs []string
		for _, job := range share.Jobs {
			jobs = append(jobs, nameOf(job))
		}
		what := strings.Join(jobs, ", ")
		switch {
		case share.File == nil:
			what = "nothing"
		case len(jobs) == 0:
			i := slices.IndexFunc(runs, func(run Run) bool { return fio.LayoutObjects(run.Job).String() == share.File.String() })
			what = "a look at " + nameOf(runs[i].Job)
		}
		texts = append(texts, fmt.Sprintf("%d x %s", share.Clients, what))
	}
	return strings.Join(texts, "; ")
}

// checkShares holds that shares are of all clients of a run, and that each client finds its own.
func checkShares(t *testing.T, run *Run, shares Shares) {
	t.Helper()
	client := int32(0)
	for _, share := range shares {
		for range share.Clients {
			if shares.Of(client) != share.File {
				t.Errorf("client %d lays out what another does", client)
			}
			client++
		}
	}
	if len(shares) > 0 && client != run.Clients {
		t.Errorf("shares are of %d clients, want %d", client, run.Clients)
	}
	if shares.Of(client) != nil {
		t.Errorf("client %d takes no part, and lays out files", client)
	}
}

// TestLayoutFollowsEachRun: whichever runs there are and whichever of them fail, a run finds what it needs: its client has laid
// it out before it, or before a run that was measured.
func TestLayoutFollowsEachRun(t *testing.T) {
	for _, workloads := range []string{
		"{name: a, fio: {rw: read, size: 1M}, clients: [2, 1, 5], matrix: {bs: [4k, 8k]}}, {name: b, fio: {rw: read, size: 2M}, clients: [3, 5]}",
		"{name: m, fio: {rw: read, numjobs: 1024}, clients: [2, 3], matrix: {size: [1M, 2M, 3M, 4M, 5M]}}",
	} {
		runs, problems := Runs(decode(t, []byte("targets: ["+gp3+", "+efs+"]\nrepetitions: 2\nworkloads: ["+workloads+"]\n")), nil)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		for failing := range 4 {
			layout := NewLayout(runs, nil)
			there := map[string]bool{}
			for i := range runs {
				run := &runs[i]
				shares, client := layout.Before(run), int32(0)
				if len(shares) == 0 {
					t.Fatalf("run %s has no share", run.Name)
				}
				laidOut := map[string]bool{}
				for _, share := range shares {
					for range share.Clients {
						for _, job := range share.Jobs {
							laidOut[fmt.Sprint(run.Target.Name, client, job.Layout())] = true
						}
						client++
					}
				}
				for client := range run.Clients {
					if needed := fmt.Sprint(run.Target.Name, client, run.Job.Layout()); !laidOut[needed] && !there[needed] {
						t.Errorf("client %d does not find the files of run %s", client, run.Name)
					}
				}
				if failing == 0 || i%(failing+1) != 0 {
					layout.Measured(run)
					for file := range laidOut {
						if there[file] {
							t.Errorf("%s is laid out twice", file)
						}
						there[file] = true
					}
				}
			}
		}
	}
}

package plan

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/fio"
)

// Layout is the rule of which test files are laid out before which run. It is told of runs as they are measured.
//
// A client lays out the files of all its runs on a target before the first of them, so that the others need not be started
// twice, for the layout and for themselves. If these are too much for one job file, it lays out before each run what that
// needs and is not there. Files that cannot be known from the job file, or that fio removes, are laid out before each run
// that has them. In an object store only what is read is laid out.
type Layout struct {
	runs  []Run
	found Volumes
	// clients are the different numbers of clients that runs have, from the lowest on. Clients between two of them take part in
	// the same runs, and so lay out the same.
	clients []int32
	// needs are what job files need. Repetitions and targets have the same job file.
	needs map[jobOn]need
	// wholes are what clients lay out who lay out all that they can, by their target and the least number of clients of their runs.
	wholes map[clientsOn]Share
	// made are the numbers of clients that have files, by the target and the key of what was needed.
	made map[string]map[string]int32
	// files are the job files that were made: targets have the same.
	files []jobFile
}

type (
	jobOn struct {
		job     *fio.JobFile
		objects bool
	}
	clientsOn struct {
		target  string
		clients int32
	}
	// jobFile is a job file that makes the files of jobs.
	jobFile struct {
		jobs    []*fio.JobFile
		objects bool
		file    *fio.JobFile
	}
	// need is what a run needs of a target before it measures.
	need struct {
		// something says whether it needs any file.
		something bool
		// key is the same for runs that find each other's files. It is "" if no other run finds these files.
		key string
	}
)

// anyKey is the key of made for files of any run. No other key is the same: they all name files.
const anyKey = ""

// Share is what clients lay out that lay out the same.
type Share struct {
	// Clients is how many they are.
	Clients int32
	// Jobs are those whose files are not there yet.
	Jobs []*fio.JobFile
	// Whole says that these are the files of all runs on the volume, but for those that are laid out before each run.
	Whole bool
	// File is the job file of which fio --create_only makes the files. It is nil if there is nothing to make, or too much
	// for one job file: then fio makes them when it measures.
	File *fio.JobFile
}

// Shares are those of all clients of a run, the first client's first. There are none if nobody lays out anything.
type Shares []Share

// IsWhole says whether a client lays out the files of all its runs.
func (s Shares) IsWhole(client int32) bool {
	for _, share := range s {
		if client < share.Clients {
			return share.Whole
		}
		client -= share.Clients
	}
	return false
}

// Of returns the job file whose files a client lays out, which is counted from 0. It is nil if there is nothing to make.
func (s Shares) Of(client int32) *fio.JobFile {
	for _, share := range s {
		if client < share.Clients {
			return share.File
		}
		client -= share.Clients
	}
	return nil
}

// NewLayout returns the rule for a benchmark of which nothing is measured yet. The runs have to be all of the benchmark.
func NewLayout(runs []Run, found Volumes) *Layout {
	return &Layout{
		runs: runs, found: found, clients: numbersOfClients(runs),
		needs: map[jobOn]need{}, wholes: map[clientsOn]Share{}, made: map[string]map[string]int32{},
	}
}

// Measured notes that a run has a result: its clients have laid out what they had to.
func (l *Layout) Measured(run *Run) {
	key := l.need(run).key
	if key == "" {
		return
	}
	made := l.made[run.Target.Name]
	if made == nil {
		made = map[string]int32{}
		l.made[run.Target.Name] = made
	}
	made[key] = max(made[key], run.Clients)
	made[anyKey] = max(made[anyKey], run.Clients)
}

// isAlone says whether files are laid out for a run that no other run finds.
func (l *Layout) isAlone(run *Run) bool {
	need := l.need(run)
	return need.something && need.key == "" && l.found.ModeOf(run.Target) == corev1.PersistentVolumeFilesystem
}

// Before returns what the clients of a run lay out before it.
func (l *Layout) Before(run *Run) Shares {
	need := l.need(run)
	if !need.something || l.found.ModeOf(run.Target) != corev1.PersistentVolumeFilesystem {
		return nil
	}
	if need.key == "" {
		return Shares{{Clients: run.Clients, Jobs: []*fio.JobFile{run.Job}, File: l.file(run.Target, run.Job)}}
	}
	var shares Shares
	before := int32(0)
	for _, clients := range l.clients {
		if clients > run.Clients {
			break
		}
		share := l.share(run, need.key, clients)
		share.Clients = clients - before
		shares = append(shares, share)
		before = clients
	}
	return shares
}

// share returns what those clients of a run lay out that take part in all runs of so many clients and more.
func (l *Layout) share(run *Run, key string, clients int32) Share {
	made := l.made[run.Target.Name]
	isMade := made[key] >= clients
	if isMade && !l.isObjectStore(run.Target) {
		return Share{}
	}
	whole := l.whole(run.Target, clients)
	switch {
	case whole.File != nil && made[anyKey] >= clients:
		return Share{}
	case whole.File != nil:
		return whole
	case isMade:
		return Share{File: l.file(run.Target, run.Job)} // fio looks whether the objects are still there
	default:
		return Share{Jobs: []*fio.JobFile{run.Job}, File: l.file(run.Target, run.Job)}
	}
}

// whole returns what clients lay out that lay out all that they can: the files of all runs of so many clients and more.
func (l *Layout) whole(target *v1alpha1.Target, clients int32) Share {
	on := clientsOn{target.Name, clients}
	if whole, known := l.wholes[on]; known {
		return whole
	}
	var whole Share
	seen := map[string]bool{"": true}
	for i := range l.runs {
		run := &l.runs[i]
		if run.Target.Name != target.Name || run.Clients < clients {
			continue
		}
		if key := l.need(run).key; !seen[key] {
			seen[key] = true
			whole.Jobs = append(whole.Jobs, run.Job)
		}
	}
	whole.File = l.file(target, whole.Jobs...)
	whole.Whole = whole.File != nil
	l.wholes[on] = whole
	return whole
}

func (l *Layout) isObjectStore(target *v1alpha1.Target) bool {
	return l.found.KindOf(target).IsObjectStore()
}

// need returns what a run needs in a file system or an object store.
func (l *Layout) need(run *Run) need {
	on := jobOn{run.Job, l.isObjectStore(run.Target)}
	known, seen := l.needs[on]
	if !seen {
		known = newNeed(on)
		l.needs[on] = known
	}
	return known
}

func newNeed(on jobOn) need {
	if !on.objects {
		if !on.job.NeedsLayout() {
			return need{}
		}
		return need{something: true, key: on.job.Layout()}
	}
	file := fio.LayoutObjects(on.job)
	if file == nil {
		return need{}
	}
	if on.job.RemovesFiles() {
		return need{something: true}
	}
	return need{something: true, key: file.String()}
}

// file returns the job file of which fio makes the files of jobs on a target, nil if there is nothing to make, or too much.
func (l *Layout) file(target *v1alpha1.Target, jobs ...*fio.JobFile) *fio.JobFile {
	objects := l.isObjectStore(target)
	i := slices.IndexFunc(l.files, func(f jobFile) bool { return f.objects == objects && slices.Equal(f.jobs, jobs) })
	if i >= 0 {
		return l.files[i].file
	}
	lay := fio.LayoutFile
	if objects {
		lay = fio.LayoutObjects
	}
	file := lay(jobs...)
	l.files = append(l.files, jobFile{jobs, objects, file})
	return file
}

package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/fiooutput"
	"github.com/storagebench/storagebench/test/await"
)

// startVolume is a downward API volume with the start, which is empty at first. It changes as a kubelet changes it:
// files are symlinks through ..data, which is swapped for one to another directory, and the old directory goes.
type startVolume struct {
	*testing.T
	directory string
	writes    int
}

func newStartVolume(t *testing.T) *startVolume {
	t.Helper()
	v := &startVolume{T: t, directory: t.TempDir()}
	v.write("")
	v.must(os.Symlink("..data/start", v.path()))
	return v
}

func (v *startVolume) path() string { return filepath.Join(v.directory, "start") }

func (v *startVolume) must(err error) {
	v.Helper()
	if err != nil {
		v.Fatal(err)
	}
}

func (v *startVolume) write(text string) {
	v.Helper()
	v.writes++
	name := fmt.Sprintf("..%d", v.writes)
	v.must(os.Mkdir(filepath.Join(v.directory, name), 0o700))
	v.must(os.WriteFile(filepath.Join(v.directory, name, "start"), []byte(text), 0o600))
	data := filepath.Join(v.directory, "..data")
	v.must(os.Symlink(name, data+"_tmp"))
	v.must(os.Rename(data+"_tmp", data))
	v.must(os.RemoveAll(filepath.Join(v.directory, fmt.Sprintf("..%d", v.writes-1))))
}

// announce writes a start.
func (v *startVolume) announce(start time.Time) {
	v.Helper()
	v.write(start.UTC().Format(time.RFC3339Nano))
}

// work is a preparer whose every part can be slow.
type work struct {
	mkdir func() error
	look  func(context.Context) filesSeen
}

func (w work) makeDirectory() error {
	if w.mkdir == nil {
		return nil
	}
	return w.mkdir()
}

func (w work) lookAtFiles(ctx context.Context) filesSeen {
	if w.look == nil {
		return filesSeen{count: 1}
	}
	return w.look(ctx)
}

func (work) loadFio(context.Context) {}

// starting is a runner that waits for a start within a bubble of package synctest, where time passes when all wait.
type starting struct {
	*startVolume
	sharedStart
	log   *buffer
	began time.Time
	// ended is closed to end system calls.
	ended chan struct{}
}

func newStarting(t *testing.T) *starting {
	t.Helper()
	s := &starting{startVolume: newStartVolume(t), log: &buffer{}, began: time.Now(), ended: make(chan struct{})}
	s.sharedStart = sharedStart{file: s.path(), deadline: 10 * time.Minute, now: time.Now, log: s.log}
	return s
}

// systemCall takes its time, whatever becomes of a context.
func (s *starting) systemCall(takes time.Duration) {
	select {
	case <-time.After(takes):
	case <-s.ended:
	}
}

// run returns what is known of the files, and for how long the runner waited.
func (s *starting) run(ctx context.Context, w work) (filesSeen, time.Duration, error) {
	files, err := s.prepare(ctx, w)
	if err == nil {
		err = s.wait(ctx)
	}
	return files, time.Since(s.began), err
}

// fails runs, and checks after which time, with which code and with which words the runner gives up.
func (s *starting) fails(ctx context.Context, w work, after time.Duration, code int, words ...string) {
	s.Helper()
	_, took, err := s.run(ctx, w)
	if err == nil {
		s.Fatal("it would start fio")
	}
	if exitCode(err) != code || took != after {
		s.Errorf("exit code %d after %s, want %d after %s", exitCode(err), took, code, after)
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			s.Errorf("message %q lacks %q", err, word)
		}
	}
}

func TestSharedStart(t *testing.T) {
	for _, test := range []struct {
		name string
		// known is when the start gets known, and start when it is.
		known, start time.Duration
		margin       int64
		log          string
	}{
		{"known at once", 0, 3 * time.Second, 3000, "start at 00:00:03.000 UTC, in 3s\n"},
		{"known later", 5 * time.Second, 8250 * time.Millisecond, 3250, "start at 00:00:08.250 UTC, in 3.25s\n"},
		{"between two looks", 5*time.Second + time.Millisecond, 8 * time.Second, 2980, "start at 00:00:08.000 UTC, in 2.98s\n"},
		{"known just in time", 5 * time.Second, 5*time.Second + time.Microsecond, 1, "start at 00:00:05.000 UTC, in 0s\n"},
		{"known late, and soon", 599 * time.Second, 601 * time.Second, 2000, "start at 00:10:01.000 UTC, in 2s\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStarting(t)
				start := s.began.Add(test.start)
				if test.known == 0 {
					s.announce(start)
				} else {
					time.AfterFunc(test.known-time.Nanosecond, func() { s.announce(start) })
				}
				_, took, err := s.run(t.Context(), work{})
				if err != nil {
					t.Fatal(err)
				}
				if took != test.start {
					t.Errorf("it waited for %s, want %s", took, test.start)
				}
				if got := s.marginMilliseconds(); got != test.margin {
					t.Errorf("margin of %d ms, want %d", got, test.margin)
				}
				if want := "waiting for the start in " + s.file + "\n" + test.log; !strings.HasPrefix(s.log.String(), want) {
					t.Errorf("log is %q, want %q", s.log, want)
				}
			})
		})
	}
}

// A kubelet mounts a volume before it starts a container. What mounts the file otherwise may be slower.
func TestStartFileThatIsMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStarting(t)
		s.must(os.Remove(s.path()))
		time.AfterFunc(time.Minute, func() {
			s.announce(s.began.Add(2 * time.Minute))
			s.must(os.Symlink("..data/start", s.path()))
		})
		if _, took, err := s.run(t.Context(), work{}); err != nil || took != 2*time.Minute {
			t.Errorf("it waited for %s, error %v", took, err)
		}
	})
}

func TestNoSharedStart(t *testing.T) {
	for _, test := range []struct {
		name  string
		do    func(*starting)
		after time.Duration
		code  int
		words []string
	}{
		{
			"nothing is written", func(*starting) {}, 10 * time.Minute, digest.ExitInterrupted,
			[]string{"no start within 10m0s: the operator did not see all clients running"},
		}, {
			"late", func(s *starting) { s.announce(s.began.Add(-312 * time.Millisecond)) }, 0, digest.ExitLate,
			[]string{"the start at 23:59:59.688 UTC had passed by 312ms when this pod read it: the node is slow, or its clock differs"},
		}, {
			"at the very start", func(s *starting) { s.announce(s.began) }, 0, digest.ExitLate, []string{"had passed by 0s"},
		}, {
			"a clock that is behind", func(s *starting) { s.announce(s.began.Add(time.Hour)) }, 0, digest.ExitLate,
			[]string{"the start at 01:00:00.000 UTC is 59m59.8s away by this node's clock"},
		}, {
			"garbage", func(s *starting) { s.write("\"soon\"\n") }, 0, digest.ExitFailed,
			[]string{"the start in ", `/start is "\"soon\"": it must be a time such as 2026-11-21T14:03:05.250Z`},
		}, {
			"much garbage", func(s *starting) { s.write(strings.Repeat("x", 100_000)) }, 0, digest.ExitFailed,
			[]string{`"` + strings.Repeat("x", 64) + `"`},
		}, {
			"no date", func(s *starting) { s.write("14:03:05Z") }, 0, digest.ExitFailed, []string{"14:03:05Z"},
		}, {
			"no file", func(s *starting) { s.file = s.directory }, 0, digest.ExitFailed, []string{"read the start", "is a directory"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStarting(t)
				test.do(s)
				s.fails(t.Context(), work{}, test.after, test.code, test.words...)
			})
		})
	}
}

func TestNoDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStarting(t)
		s.deadline = 0
		time.AfterFunc(time.Hour, func() { s.announce(time.Now().Add(time.Second)) })
		if _, took, err := s.run(t.Context(), work{}); err != nil || took != time.Hour+time.Second {
			t.Errorf("it waited for %s, error %v", took, err)
		}
	})
}

// The run's end, as by SIGTERM, ends every wait at once.
func TestEndedBeforeTheStart(t *testing.T) {
	for _, at := range []time.Duration{0, time.Second, 4500 * time.Millisecond, 4900 * time.Millisecond} {
		t.Run(at.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStarting(t)
				time.AfterFunc(2*time.Second, func() { s.announce(s.began.Add(5 * time.Second)) })
				ctx, cancel := context.WithCancelCause(t.Context())
				if at == 0 {
					cancel(nil)
				}
				time.AfterFunc(at, func() { cancel(errors.New("terminated signal received")) })
				s.fails(ctx, work{}, at, digest.ExitInterrupted, "the run was ended while it waited for its start")
			})
		})
	}
}

// A clock that is set during the wait makes the start near or far, and nothing else.
func TestClockIsSet(t *testing.T) {
	for _, test := range []struct {
		name  string
		ahead time.Duration
		// took is how long the runner waits for a start that is 10 s away, 4.5 s after which the clock is set.
		took  time.Duration
		code  int
		words string
	}{
		{"not", 0, 10 * time.Second, 0, ""},
		{"forward", 2 * time.Second, 8 * time.Second, 0, ""},
		{"back", -2 * time.Second, 12 * time.Second, 0, ""},
		{"to just after the start", 6 * time.Second, 5 * time.Second, 0, ""},
		{"far forward", time.Hour, 5 * time.Second, digest.ExitLate, "had passed by 59m55s when this pod woke: its node stood still, or the clock was set"},
		{"far back", -time.Hour, 5 * time.Second, digest.ExitLate, "is 1h0m4.8s away by this node's clock: it differs from the operator's, or was set"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStarting(t)
				s.announce(s.began.Add(10 * time.Second))
				s.now = func() time.Time {
					if now := time.Now(); now.Sub(s.began) < 4500*time.Millisecond {
						return now
					}
					return time.Now().Add(test.ahead)
				}
				if test.code != 0 {
					s.fails(t.Context(), work{}, test.took, test.code, test.words)
					return
				}
				if _, took, err := s.run(t.Context(), work{}); err != nil || took != test.took {
					t.Errorf("it waited for %s, error %v, want %s", took, err, test.took)
				}
			})
		})
	}
}

// Looking at files ends shortly before the start, whether it can be stopped or not.
func TestLookingIsCutOff(t *testing.T) {
	const start = 10 * time.Second
	for _, test := range []struct {
		name  string
		takes time.Duration
		count int64
	}{
		{"quick", time.Second, 7},
		{"just quick enough", start - quietTime - time.Millisecond, 7},
		{"slow", start - quietTime + time.Millisecond, 0},
		{"for ever", 1000 * time.Hour, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStarting(t)
				defer close(s.ended)
				s.announce(s.began.Add(start))
				var told time.Duration
				slow := work{look: func(ctx context.Context) filesSeen {
					context.AfterFunc(ctx, func() { told = time.Since(s.began) })
					s.systemCall(test.takes)
					return filesSeen{count: 7}
				}}
				files, took, err := s.run(t.Context(), slow)
				synctest.Wait()
				if err != nil || took != start {
					t.Errorf("it waited for %s, error %v", took, err)
				}
				if told != start-quietTime {
					t.Errorf("looking was told to end after %s", told)
				}
				if files.count != test.count || strings.Contains(s.log.String(), "too near to look") != (test.count == 0) {
					t.Errorf("%d files were seen, want %d; log is %q", files.count, test.count, s.log)
				}
			})
		})
	}
}

func TestDirectoryIsSlow(t *testing.T) {
	const start = 10 * time.Second
	refused := failf(digest.ExitFailed, "permission denied")
	const late = "the directory for test files was not made by the start at 00:00:10.000 UTC: the storage is slow or does not answer"
	for _, test := range []struct {
		name  string
		takes time.Duration
		fails error
		after time.Duration
		code  int
		words string
	}{
		{"fails before the start is known", time.Second, refused, time.Second, digest.ExitFailed, "permission denied"},
		{"fails before the start", 6 * time.Second, refused, 6 * time.Second, digest.ExitFailed, "permission denied"},
		{"fails just before the start", start - time.Millisecond, refused, start, digest.ExitFailed, "permission denied"},
		{"made just before the start", start - time.Millisecond, nil, start, 0, ""},
		{"made after the start", start + time.Millisecond, nil, start, digest.ExitLate, late},
		{"never made", 1000 * time.Hour, nil, start, digest.ExitLate, late},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStarting(t)
				defer close(s.ended)
				time.AfterFunc(5*time.Second, func() { s.announce(s.began.Add(start)) })
				slow := work{mkdir: func() error {
					s.systemCall(test.takes)
					return test.fails
				}}
				if test.code != 0 {
					s.fails(t.Context(), slow, test.after, test.code, test.words)
					return
				}
				if _, took, err := s.run(t.Context(), slow); err != nil || took != test.after {
					t.Errorf("it waited for %s, error %v, want %s", took, err, test.after)
				}
			})
		})
	}
}

// sharing has a fixture's runner wait for a start.
func (f *fixture) sharing() *startVolume {
	f.Helper()
	v := newStartVolume(f.T)
	f.StartFile, f.StartDeadline = v.path(), time.Minute
	return v
}

// recordCalls has a file get the first argument of every call of fio, and returns its name.
func (f *fixture) recordCalls() string {
	f.Helper()
	directory := f.TempDir()
	program, calls := filepath.Join(directory, "fio"), filepath.Join(directory, "calls")
	script := fmt.Sprintf("#!/bin/sh\necho \"$1\" >>%s\nexec %s \"$@\"\n", calls, f.Fio)
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
		f.Fatal(err)
	}
	f.Fio = program
	return calls
}

// untilWaiting waits until the runner does.
func (f *fixture) untilWaiting() {
	f.eventually(await.Wait{}, func() error {
		if !strings.Contains(f.log.String(), "waiting for the start in "+f.StartFile) {
			return errors.New("the runner does not wait")
		}
		return nil
	})
}

// notMeasured checks that no fio was started but the one that laid out files.
func (f *fixture) notMeasured() {
	f.Helper()
	f.noReport()
	if n := strings.Count(f.log.String(), "fio was started"); n != 1 {
		f.Errorf("fio was started %d times:\n%s", n, f.log)
	}
}

func TestMeasureFromASharedStart(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "[reads]\nrw=read\nsize=1M\n[later]\nstonewall\nrw=write\nsize=1M")
	f.wants(Layout(t.Context(), f.Options), 0)
	volume, calls := f.sharing(), f.recordCalls()
	// The wait is longer than fio may be without progress, and is none of its time. On a busy machine fio needs seconds to begin.
	f.ProgressDeadline = 10 * time.Second
	const margin = 11 * time.Second
	starts := make(chan time.Time, 1)
	go func() {
		f.untilWaiting()
		start := time.Now().Add(margin)
		volume.announce(start)
		starts <- start
	}()
	f.wants(Measure(t.Context(), f.Options), 0)
	start, report := <-starts, f.report()
	if began := report.Groups[0].JobStart; began < start.UnixMilli() {
		t.Errorf("fio began at %d, before the start at %d", began, start.UnixMilli())
	}
	if got := report.Environment.StartMarginMilliseconds; got < 1 || got > margin.Milliseconds() {
		t.Errorf("a margin of %d ms, of %s", got, margin)
	}
	if got := report.Environment.Files; got != 1 {
		t.Errorf("%d files were seen", got)
	}
	if text, err := os.ReadFile(calls); err != nil || !strings.HasPrefix(string(text), "--version\n--output=") {
		t.Errorf("fio was called with %q, error %v; it is in memory only after --version", text, err)
	}
	log := f.log.String()
	for _, want := range []string{"waiting for the start in " + f.StartFile, "start at " + start.UTC().Format(startFormat) + ", in ", "fio was started at "} {
		before, rest, found := strings.Cut(log, want)
		if !found {
			t.Errorf("log lacks %q after\n%s", want, before)
		}
		log = rest
	}
}

func TestMeasureMissesASharedStart(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		do   func(*fixture, *startVolume)
		code int
		word string
	}{
		{"late", func(_ *fixture, v *startVolume) { v.announce(time.Now().Add(-time.Minute)) }, digest.ExitLate, "had passed by 1m0"},
		{"garbage", func(_ *fixture, v *startVolume) { v.write("soon") }, digest.ExitFailed, `"soon"`},
		{"deadline", func(f *fixture, _ *startVolume) { f.StartDeadline = time.Millisecond }, digest.ExitInterrupted, "no start within 1ms"},
		{"no directory", func(f *fixture, v *startVolume) { f.Directory = v.path() }, digest.ExitFailed, "make the directory for test files"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, "[reads]\nrw=read\nsize=1M")
			f.wants(Layout(t.Context(), f.Options), 0)
			test.do(f, f.sharing())
			f.wants(Measure(t.Context(), f.Options), test.code, test.word)
			f.notMeasured()
		})
	}
}

func TestMeasureIsEndedBeforeASharedStart(t *testing.T) {
	f := newFixture(t, "[reads]\nrw=read\nsize=1M")
	f.wants(Layout(t.Context(), f.Options), 0)
	f.sharing()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		f.untilWaiting()
		cancel()
	}()
	f.wants(Measure(ctx, f.Options), digest.ExitInterrupted, "ended while it waited for its start")
	f.notMeasured()
}

// Also a run with a start of its own says when it began.
func TestMeasureReportsItsStart(t *testing.T) {
	f := newFixture(t, "[writes]\nrw=write\nsize=1M")
	before := time.Now().UnixMilli()
	f.wants(Measure(t.Context(), f.Options), 0)
	report := f.report()
	if began := report.Groups[0].JobStart; began < before || began > time.Now().UnixMilli() {
		t.Errorf("fio began at %d, and the test at %d", began, before)
	}
	if got := report.Environment.StartMarginMilliseconds; got != 0 {
		t.Errorf("a margin of %d ms before no start", got)
	}
}

func TestAddJobStart(t *testing.T) {
	groups := []fiooutput.Group{{Name: "old"}, {Name: "new", JobStart: 5}, {Name: "old", ID: 1}, {Name: "new", ID: 1, JobStart: 6}}
	addJobStart(groups, time.UnixMilli(3).Add(999*time.Microsecond))
	var got []int64
	for _, g := range groups {
		got = append(got, g.JobStart)
	}
	if diff := cmp.Diff([]int64{3, 5, 0, 6}, got); diff != "" {
		t.Errorf("starts (-want +got):\n%s", diff)
	}
}

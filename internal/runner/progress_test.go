package runner

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/test/await"
)

// What counts as progress, from one look to the next.
func TestGotOn(t *testing.T) {
	type look struct {
		rate bool
		now  activity
		want bool
	}
	busy := func(pids map[int]time.Duration) activity { return activity{busy: pids} }
	const least = 10 * time.Millisecond
	for name, looks := range map[string][]look{
		"a rate":            {{true, activity{}, true}, {false, activity{}, false}},
		"bytes":             {{false, activity{bytes: fileIO - 1}, false}, {false, activity{bytes: 2*fileIO - 1}, true}, {false, activity{bytes: 2 * fileIO}, false}},
		"one call":          {{false, activity{calls: 1}, true}, {false, activity{calls: 1}, false}, {false, activity{calls: 2}, true}},
		"a process ends":    {{false, activity{calls: 9}, true}, {false, activity{calls: 4}, false}, {false, activity{calls: 5}, true}},
		"busy":              {{false, busy(map[int]time.Duration{1: 0}), false}, {false, busy(map[int]time.Duration{1: least}), true}, {false, busy(map[int]time.Duration{1: least}), false}},
		"busy bit by bit":   {{false, busy(map[int]time.Duration{1: 0}), false}, {false, busy(map[int]time.Duration{1: least / 2}), false}, {false, busy(map[int]time.Duration{1: least}), true}},
		"busy, of two":      {{false, busy(map[int]time.Duration{1: 0, 2: 0}), false}, {false, busy(map[int]time.Duration{1: least / 2, 2: least / 2}), true}},
		"too little":        {{false, busy(map[int]time.Duration{1: 0}), false}, {false, busy(map[int]time.Duration{1: least - 1}), false}, {true, busy(map[int]time.Duration{1: least - 1}), true}, {false, busy(map[int]time.Duration{1: least}), false}},
		"it begins to work": {{false, busy(map[int]time.Duration{1: 0}), false}, {false, busy(map[int]time.Duration{2: time.Hour}), false}, {false, busy(map[int]time.Duration{2: time.Hour}), false}},
	} {
		p := &progress{least: least}
		for i, look := range looks {
			if got := p.gotOn(look.rate, look.now); got != look.want {
				t.Errorf("%s: look %d: %t, want %t", name, i, got, look.want)
			}
		}
	}
}

// manyFiles are those of a job of metadata, without their number. They come to the storage when the kernel likes, so that it takes no longer than their number.
const manyFiles = "rw=read\nfilesize=1\nbs=1\ncreate_fsync=0\nfile_service_type=sequential\nopenfiles=1\n"

// slowDeadline is the time without progress after which fio is ended, and slowTime for how long it is slow.
const (
	slowDeadline = 2 * time.Second
	slowTime     = 4 * slowDeadline
)

// Files of a byte are no bytes to speak of, and looking at them is none at all. Either takes long on slow storage, and is progress.
func TestSlowFilesAreProgress(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "[files]\nnrfiles=6000\n"+manyFiles)
	f.ProgressDeadline = slowDeadline
	for _, step := range []struct {
		name, engine string
		run          func() int
	}{
		{"they are laid out", "", func() int { return Layout(t.Context(), f.Options) }},
		{"they are looked at", "ioengine=filestat\n", func() int { return Measure(t.Context(), f.Options) }},
	} {
		f.JobFile += step.engine
		began := time.Now()
		slowed := f.inBackground(func() { f.slow(0) })
		f.wants(step.run(), 0)
		slowed.Wait()
		if took := time.Since(began); took < 2*slowDeadline {
			t.Errorf("%s in %s, which is not slow", step.name, took)
		}
	}
}

// A job that deletes its files in the end moves no bytes, and fio tells no rates of it. It gets on as long as it deletes them.
func TestSlowUnlinkIsProgress(t *testing.T) {
	for name, hangs := range map[string]bool{"slow": false, "it hangs": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, "[files]\nioengine=filecreate\ncreate_on_open=1\nunlink=1\nnrfiles=20000\n"+manyFiles)
			f.ProgressDeadline = slowDeadline
			slowed := f.inBackground(func() {
				f.untilUnlinked("files.0.0")
				if hangs {
					f.signalFrom(1, syscall.SIGSTOP)
				} else {
					f.slow(1)
				}
			})
			began := time.Now()
			code := Measure(t.Context(), f.Options)
			slowed.Wait()
			if hangs {
				f.wants(code, digest.ExitNoProgress, "fio completed no I/O for 2s and was ended")
				f.noReport()
				f.killJobs()
				return
			}
			f.wants(code, 0)
			if took := time.Since(began); took < slowTime {
				t.Errorf("it took %s, which is not slow", took)
			}
		})
	}
}

func (f *fixture) inBackground(do func()) *sync.WaitGroup {
	var doing sync.WaitGroup
	doing.Go(do)
	return &doing
}

// slow has fio's processes from the given one on run for a hundredth of the time, as if they waited for storage. Later they are as fast as ever.
func (f *fixture) slow(first int) {
	running := f.eventually(await.Wait{Interval: time.Millisecond}, func() error {
		if len(f.processes()) <= first {
			return errors.New("fio does not run")
		}
		return nil
	})
	if !running {
		return
	}
	for end := time.Now().Add(slowTime); time.Now().Before(end); {
		f.signalFrom(first, syscall.SIGCONT)
		time.Sleep(time.Millisecond)
		f.signalFrom(first, syscall.SIGSTOP)
		time.Sleep(99 * time.Millisecond)
	}
	f.signalFrom(first, syscall.SIGCONT)
}

// signalFrom sends a signal to fio's processes, from the given one on.
func (f *fixture) signalFrom(first int, signal syscall.Signal) {
	for i, pid := range f.processes() {
		if i >= first {
			_ = syscall.Kill(pid, signal)
		}
	}
}

// untilUnlinked waits until a file was there, and is not there any more.
func (f *fixture) untilUnlinked(name string) {
	was := false
	f.eventually(await.Wait{Interval: time.Millisecond}, func() error {
		_, err := os.Stat(filepath.Join(f.Directory, name))
		was = was || err == nil
		if !was || !errors.Is(err, fs.ErrNotExist) {
			return errors.New("the files are not deleted yet")
		}
		return nil
	})
}

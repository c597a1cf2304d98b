package runner

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/storagebench/storagebench/test/await"
)

// lockedBuffer is a log that a test reads while it is written.
type lockedBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *lockedBuffer) Write(text []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(text)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func TestLiveness(t *testing.T) {
	log := &lockedBuffer{}
	l, stop := startLiveness(log, time.Millisecond)
	await.Holds(t, func() error {
		if text := log.String(); strings.Count(text, "the runner is at work\n") < 3 {
			return fmt.Errorf("the log is %q", text)
		}
		return nil
	})
	stop()
	before := log.String()
	if _, err := l.Write([]byte("last words\n")); err != nil {
		t.Fatal(err)
	}
	if after := log.String(); after != before+"last words\n" {
		t.Errorf("log after its end grew by %q", strings.TrimPrefix(after, before))
	}
}

func TestLivenessIsSilentWhereOthersWrite(t *testing.T) {
	log := &lockedBuffer{}
	l, stop := startLiveness(log, time.Hour)
	defer stop()
	if _, err := l.Write([]byte("progress\n")); err != nil {
		t.Fatal(err)
	}
	l.tell(l.last.Add(time.Minute), 2*time.Minute)
	if got := log.String(); got != "progress\n" {
		t.Errorf("log = %q", got)
	}
	l.tell(l.last.Add(3*time.Minute), 2*time.Minute)
	if got := log.String(); got == "progress\n" {
		t.Error("the log is silent for longer than the interval")
	}
}

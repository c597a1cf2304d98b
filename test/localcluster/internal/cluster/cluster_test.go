package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/storagebench/storagebench/test/localcluster/internal/process"
	"github.com/storagebench/storagebench/test/localcluster/internal/state"
)

func TestPollNamesWhatWasAwaited(t *testing.T) {
	never := func(context.Context) error { return errors.New("not yet") }
	err := poll(t.Context(), "the thing", 10*time.Millisecond, nil, never)
	if err == nil || !strings.Contains(err.Error(), "the thing") || !strings.Contains(err.Error(), "not yet") {
		t.Errorf("got %v", err)
	}
	exited := make(chan error, 1)
	exited <- errors.New("exit status 1")
	if err := poll(t.Context(), "the thing", time.Minute, exited, never); err == nil || err.Error() != "exit status 1" {
		t.Errorf("got %v", err)
	}
}

func TestPollKeepsTheReason(t *testing.T) {
	err := poll(t.Context(), "it", 10*pollInterval, nil, func(ctx context.Context) error {
		if end, _ := ctx.Deadline(); time.Until(end) <= pollInterval {
			return errors.New("too late")
		}
		return errors.New("no driver")
	})
	if err == nil || !strings.HasSuffix(err.Error(), "no driver") {
		t.Errorf("got %v, want the reason of the calls before the last one", err)
	}
}

func TestCheckPortsNamesTheTakenAddress(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	taken := listener.Addr().String()
	comp := component{name: "thing", argv: []string{"/bin/thing"}, listens: []string{taken}}
	if err := comp.checkPorts(t.Context()); err == nil || !strings.Contains(err.Error(), taken) {
		t.Errorf("got %v", err)
	}
	// Not on any interface of this machine: as free as can be.
	comp.listens = []string{"192.0.2.250:1"}
	if err := comp.checkPorts(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestFingerprintCoversInputs(t *testing.T) {
	input := filepath.Join(t.TempDir(), "config")
	comp := component{argv: []string{"x"}, inputs: []string{input}}
	var seen []string
	for _, content := range []string{"a", "b", "a"} {
		if err := os.WriteFile(input, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		fingerprint, err := comp.fingerprint()
		if err != nil {
			t.Fatal(err)
		}
		seen = append(seen, fingerprint)
	}
	if seen[0] == seen[1] || seen[0] != seen[2] {
		t.Errorf("got %v", seen)
	}
}

func TestWhatEndsByItselfIsStartedAgain(t *testing.T) {
	ended := fmt.Errorf("kubelet: %w: exit status 1", process.ErrEnded)
	other := errors.New("no such program")
	for name, test := range map[string]struct {
		results []error // of each start, and nil after them
		starts  int
		want    error
	}{
		"at once":             {starts: 1},
		"with the third":      {results: []error{ended, ended}, starts: 3},
		"never":               {results: []error{ended, ended, ended, ended}, starts: 3, want: ended},
		"for another reason":  {results: []error{other}, starts: 1, want: other},
		"then another reason": {results: []error{ended, other}, starts: 2, want: other},
	} {
		t.Run(name, func(t *testing.T) {
			starts := 0
			err := newCluster(t, t.TempDir()).again(3, func() error {
				starts++
				if starts > len(test.results) {
					return nil
				}
				return test.results[starts-1]
			})
			if !errors.Is(err, test.want) || starts != test.starts {
				t.Errorf("%d starts and error %v, want %d and %v", starts, err, test.starts, test.want)
			}
		})
	}
}

func TestLogIsThatOfWhatIsWaitedFor(t *testing.T) {
	c := newCluster(t, t.TempDir())
	for name, text := range map[string]string{"csi-efs": "waits", "kubelet": "no memory"} {
		if err := state.WriteFile(c.state.Log(name), []byte(text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	err := c.failed("csi-efs", fmt.Errorf("waited 1m: %w", c.failed("kubelet", errNotRegistered)))
	if name, tail := LogTail(fmt.Errorf("up: %w", err)); name != "kubelet" || tail != "no memory" {
		t.Errorf("the log of %s, which ends with %q", name, tail)
	}
	if name, _ := LogTail(errNotRegistered); name != "" {
		t.Errorf("the log of %s, and no component was named", name)
	}
}

package cluster

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
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

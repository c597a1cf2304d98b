package csidriver

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// same says whether it is the same socket still. Another one may get the number of one that was removed.
func same(one, other os.FileInfo) bool {
	return os.SameFile(one, other) && one.ModTime().Equal(other.ModTime())
}

// seen waits for a registration socket that is not the given one.
func seen(t *testing.T, socket string, before os.FileInfo, ended <-chan error) (found os.FileInfo) {
	t.Helper()
	err := wait.PollUntilContextTimeout(t.Context(), time.Millisecond, testLimit, true, func(context.Context) (bool, error) {
		select {
		case err := <-ended:
			return false, fmt.Errorf("a driver has ended: %w", err)
		default:
		}
		info, err := os.Stat(socket)
		found = info
		return err == nil && (before == nil || !same(info, before)), nil
	})
	if err != nil {
		t.Fatalf("no new socket: %v", err)
	}
	return found
}

func TestAKubeletThatMissesASocketGetsAnother(t *testing.T) {
	const again = 20 * time.Millisecond
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 2)
	announce := func(name string, registered bool) string {
		socket := filepath.Join(t.TempDir(), "plugins_registry", name)
		s := &service{log: slog.New(slog.DiscardHandler)}
		s.registered.Store(registered)
		go func() { ended <- s.announce(ctx, Sockets{Registration: socket}, again) }()
		return socket
	}
	known := announce("known.sock", true)
	first := seen(t, known, nil, ended)
	missed := announce("missed.sock", false)
	var now os.FileInfo
	for range 3 {
		now = seen(t, missed, now, ended)
	}
	// The driver that is known began before, and has had the time for a second socket as well.
	if still, err := os.Stat(known); err != nil || !same(still, first) {
		t.Errorf("a kubelet that knows the driver got another socket: %v", err)
	}

	stop()
	for range 2 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

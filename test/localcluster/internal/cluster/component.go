package cluster

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/storagebench/storagebench/test/localcluster/internal/host"
	"github.com/storagebench/storagebench/test/localcluster/internal/process"
	"github.com/storagebench/storagebench/test/localcluster/internal/state"
)

const (
	readyLimit   = 60 * time.Second
	stopGrace    = 10 * time.Second
	probeLimit   = 2 * time.Second
	pollInterval = 50 * time.Millisecond
)

// component is a host process of the cluster.
type component struct {
	name string
	argv []string
	env  []string
	// cgroup that it lives in with all that it starts: a node's, or without one that of what all nodes share.
	cgroup host.Cgroup
	// inputs are files that the process reads once, at its start: when one has
	// changed, it is started anew.
	inputs []string
	// listens are the fixed addresses that it needs.
	listens []string
	// ready is asked until it returns nil. It has a deadline of probeLimit.
	ready func(context.Context) error
}

// componentError is a failure whose reason the component's log may tell.
type componentError struct {
	component string
	log       string
	err       error
}

func (e *componentError) Error() string { return e.component + ": " + e.err.Error() }
func (e *componentError) Unwrap() error { return e.err }

func (c *Cluster) failed(name string, err error) error {
	return &componentError{component: name, log: c.state.Log(name), err: err}
}

// LogTail returns the end of the log of the component that an error is about. Of those that wait for one another
// that is the one that the others wait for.
func LogTail(err error) (name, tail string) {
	var failure *componentError
	if !errors.As(err, &failure) {
		return "", ""
	}
	for errors.As(failure.err, &failure) {
	}
	content, err := os.ReadFile(failure.log)
	if err != nil {
		return failure.component, err.Error()
	}
	const lines = 20
	all := strings.Split(strings.TrimSpace(string(content)), "\n")
	return failure.component, strings.Join(all[max(0, len(all)-lines):], "\n")
}

// record is what is known of a component's process: nothing if it was never started.
func (c *Cluster) record(name string) (r process.Record, err error) {
	err = state.ReadJSONIfThere(c.state.Record(name), &r)
	return r, err
}

// ensure starts a component unless it runs as it should. The channel yields an
// error if the started process ends.
func (c *Cluster) ensure(ctx context.Context, comp component) (<-chan error, error) {
	fingerprint, err := comp.fingerprint()
	if err != nil {
		return nil, c.failed(comp.name, err)
	}
	record, err := c.record(comp.name)
	if err != nil {
		return nil, err
	}
	if record.Alive() {
		if record.Fingerprint == fingerprint {
			// Pause may have been called for it.
			return nil, record.Signal(syscall.SIGCONT)
		}
		c.progress.printf("Restarting %s, its settings changed", comp.name)
		if err := process.Stop(ctx, record.Identity, stopGrace); err != nil {
			return nil, c.failed(comp.name, err)
		}
	}
	if err := comp.checkPorts(ctx); err != nil {
		return nil, err
	}
	exited, err := process.Start(process.Spec{
		Argv:        comp.argv,
		Env:         comp.env,
		Fingerprint: fingerprint,
		Log:         c.state.Log(comp.name),
		Record:      c.state.Record(comp.name),
		Cgroup:      cmp.Or(comp.cgroup, c.sharedCgroup()).Dir("pids"),
	})
	if err != nil {
		return nil, c.failed(comp.name, err)
	}
	return exited, nil
}

// start ensures a component and waits until it is ready.
func (c *Cluster) start(ctx context.Context, comp component) error {
	_, err := c.startWatched(ctx, comp)
	return err
}

// startWatched is start for who must know when the started process ends.
func (c *Cluster) startWatched(ctx context.Context, comp component) (<-chan error, error) {
	exited, err := c.ensure(ctx, comp)
	if err != nil {
		return nil, err
	}
	if err := poll(ctx, "it to be ready", readyLimit, exited, comp.ready); err != nil {
		return nil, c.failed(comp.name, err)
	}
	if exited == nil {
		c.progress.printf("%s was running", comp.name)
	} else {
		c.progress.printf("%s is ready", comp.name)
	}
	return exited, nil
}

// fingerprint covers the command line, the program and the inputs. A program is
// known by its path, but for this very one, which is rebuilt in place.
func (comp component) fingerprint() (string, error) {
	digest := sha256.New()
	fmt.Fprintf(digest, "%q %q", comp.argv, comp.env)
	for _, input := range comp.inputs {
		content, err := os.ReadFile(input)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(digest, "%s %d\n%s", input, len(content), content)
	}
	return hex.EncodeToString(digest.Sum(nil)[:8]), nil
}

// checkPorts gives the reason before the component gives a puzzle in its log.
func (comp component) checkPorts(ctx context.Context) error {
	for _, addr := range comp.listens {
		listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
		if errors.Is(err, unix.EADDRINUSE) {
			return fmt.Errorf("%s cannot listen on %s, which is taken: does another local cluster run on this machine (another checkout), or another %s?",
				comp.name, addr, filepath.Base(comp.argv[0]))
		}
		if err == nil {
			err = listener.Close()
		}
		// An address that is not on lo yet is as free as can be.
		if err != nil && !errors.Is(err, unix.EADDRNOTAVAIL) {
			return fmt.Errorf("%s: listen on %s: %w", comp.name, addr, err)
		}
	}
	return nil
}

// poll asks until there is no error, and tells what was awaited when there still is
// one at the end. It stops early when exited yields.
func poll(ctx context.Context, what string, limit time.Duration, exited <-chan error, ask func(context.Context) error) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, pollInterval, limit, true, func(ctx context.Context) (bool, error) {
		select {
		case exit := <-exited:
			return false, exit
		default:
			err := askOnce(ctx, ask)
			if end, _ := ctx.Deadline(); last == nil || time.Until(end) > pollInterval { // a call that its deadline cuts off has no reason to tell
				last = err
			}
			return err == nil, nil
		}
	})
	if wait.Interrupted(err) {
		return fmt.Errorf("waited %v for %s: %w", limit, what, last)
	}
	return err
}

func askOnce(ctx context.Context, ask func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	return ask(ctx)
}

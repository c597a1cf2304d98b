// Package scripts tests the scripts that "make quickstart" consists of, without what they are for.
package scripts

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// script is a command that runs a script of hack/, with an environment of its own beside this one's. It is killed long before
// the script would say something a second time. Whatever it leaves running may not hold its output for that long either.
func script(t *testing.T, environment []string, name string, args ...string) *exec.Cmd {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "..", "..", "..", "hack", name))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.WaitDelay = 5 * time.Second // a machine that has much else to do takes its time to read what was said
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), environment...)
	return cmd
}

func TestStep(t *testing.T) {
	t.Parallel()
	output, err := script(t, nil, "step.sh", "Something", "sh", "-c", "echo said; exit 3").CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 3 {
		t.Errorf("it ended with %v, want code 3", err)
	}
	if !strings.Contains(string(output), "said\n") || !strings.Contains(string(output), "Something: failed after 0 s") {
		t.Errorf("it said %q", output)
	}
}

// Whoever reads the output of make by a pipe waits until nobody can write to it any more.
func TestStepEndsWithItsCommand(t *testing.T) {
	t.Parallel()
	if output, err := script(t, nil, "step.sh", "Something", "sleep", "0.5").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, output)
	}
}

// A step that is killed says nothing any more.
func TestStepThatIsKilled(t *testing.T) {
	t.Parallel()
	for _, signal := range []string{"TERM", "KILL"} {
		cmd := script(t, nil, "step.sh", "Something", "sh", "-c", "sleep 0.5; kill -"+signal+" $PPID")
		cmd.WaitDelay = 10 * time.Second
		began := time.Now()
		if _, err := cmd.CombinedOutput(); err == nil || time.Since(began) >= cmd.WaitDelay {
			t.Errorf("after SIG%s somebody has its pipe for %s: %v", signal, time.Since(began), err)
		}
	}
}

package plugin

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/await"
)

// terminal is a real one, with the plugin in it.
type terminal struct {
	socket string
}

// open starts the plugin in a terminal of that width, which ends with the test. The shell's prompt shows its exit code.
func (u *user) open(t *testing.T, width int, args ...string) *terminal {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("these tests need tmux; make test-unit installs it")
	}
	term := &terminal{socket: filepath.Join(t.TempDir(), "tmux")}
	command := "'" + strings.Join(append([]string{u.program}, u.args(args...)...), "' '") + "'"
	term.tmux(t, "-f", "/dev/null", "new-session", "-d", "-x", strconv.Itoa(width), "-y", "24", command+"; echo ended with $?; exec cat")
	t.Cleanup(func() { _ = exec.Command("tmux", "-S", term.socket, "kill-server").Run() })
	return term
}

func (term *terminal) tmux(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", term.socket}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("tmux %v: %v: %s", args, err, out)
	}
	return string(out)
}

// shows says whether all of this is on the screen.
func (term *terminal) shows(t *testing.T, texts ...string) func() error {
	return func() error {
		screen := term.screen(t)
		for _, text := range texts {
			if !strings.Contains(screen, text) {
				return fmt.Errorf("%q is not on the screen:\n%s", text, screen)
			}
		}
		return nil
	}
}

func (term *terminal) screen(t *testing.T) string {
	t.Helper()
	return strings.TrimRight(term.tmux(t, "capture-pane", "-p"), "\n")
}

func TestRunInATerminal(t *testing.T) {
	t.Parallel()
	for _, width := range []int{100, 48} {
		t.Run(strconv.Itoa(width), func(t *testing.T) {
			t.Parallel()
			u := newUser(t)
			term := u.open(t, width, "run", "--class", "gp3,efs-sc", "--rw", "randwrite", "--runtime", "60s", "--name", "shown")
			sb := u.only(t)
			running := waiting("efs-sc")
			running.State = v1alpha1.RunRunning
			u.set(t, sb, v1alpha1.ReasonMeasuring, "run 2 of 2", runs("1/2", ended("gp3", 3000), running))
			await.Holds(t, term.shows(t, "ok     randwrite.gp3", "[=========", "]  1/2  about 1m", " left"))
			screen := strings.Split(term.screen(t), "\n")
			if last := screen[len(screen)-1]; !strings.HasPrefix(last, "[") {
				t.Errorf("the last line is no bar: %q", last)
			}
			u.set(t, sb, v1alpha1.ReasonCompleted, "2 runs", runs("2/2", ended("gp3", 3000), ended("efs-sc", 1500)), compared)
			await.Holds(t, term.shows(t, "ended with 0", "randwrite  efs-sc  write  1500"))
			if screen := term.screen(t); strings.Contains(screen, "[==") {
				t.Errorf("the bar is still there:\n%s", screen)
			}
			t.Log("\n" + term.screen(t))
		})
	}
}

func TestInterruptInATerminal(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	term := u.open(t, 100, "run", "--class", "gp3", "--rw", "randwrite", "--name", "left")
	u.set(t, u.only(t), v1alpha1.ReasonProvisioning, "waiting for claim x")
	await.Holds(t, term.shows(t, "Provisioning: waiting for claim x"))
	term.tmux(t, "send-keys", "C-c")
	await.Holds(t, term.shows(t, "left goes on. Come back:", "ended with 130"))
	u.only(t)
}

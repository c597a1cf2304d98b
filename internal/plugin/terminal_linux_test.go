package plugin

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/storagebench/storagebench/api/v1alpha1"

	"github.com/storagebench/storagebench/internal/report"
)

// pseudoTerminal returns a new terminal of so many columns: what its user sees, and what programs write to.
func pseudoTerminal(t *testing.T, width uint16) (user, program *os.File) {
	t.Helper()
	user, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudoterminals here: %v", err)
	}
	t.Cleanup(func() { user.Close() })
	if err := unix.IoctlSetPointerInt(int(user.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(user.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { program.Close() })
	if err := unix.IoctlSetWinsize(int(program.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: width}); err != nil {
		t.Fatal(err)
	}
	return user, program
}

// TestReportOnATerminal: what a user sees has colours, and no line is broken by the terminal.
func TestReportOnATerminal(t *testing.T) {
	const width = 60
	failed := measured("ns", "first", "gp3", 100)
	failed.Status.Runs[0].State = v1alpha1.RunFailed
	failed.Status.Warnings = []v1alpha1.WarningSummary{{Reason: v1alpha1.WarningSpread, Message: strings.Repeat("it varies ", 20)}}
	server := newServer(t, failed)
	t.Setenv("KUBECONFIG", "/dev/null")
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "xterm")
	user, program := pseudoTerminal(t, width)
	cmd := newCommand("dev")
	cmd.SetOut(program)
	cmd.SetArgs(on(server, "report", "first"))
	if err := cmd.Execute(); err != nil {
		t.Fatal(err)
	}
	program.Close()
	seen, err := io.ReadAll(user) // It ends with EIO when no program is left.
	if !errors.Is(err, unix.EIO) {
		t.Fatal(err)
	}
	for _, want := range []string{"\x1b[31mFailed\x1b[0m", "\x1b[33mWarning Spread"} {
		if !strings.Contains(string(seen), want) {
			t.Errorf("there is no %q in\n%q", want, seen)
		}
	}
	for line := range strings.Lines(string(seen)) {
		if n := text.StringWidthWithoutEscSequences(strings.TrimRight(line, "\r\n")); n > width {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

// TestStyleOf: colours and characters beyond ASCII are for terminals only, and colours only where they are wanted.
func TestStyleOf(t *testing.T) {
	_, terminal := pseudoTerminal(t, 97)
	for name, test := range map[string]struct {
		piped         bool
		noColor, term string
		args          []string
		want          report.Style
	}{
		"a terminal":       {want: report.Style{Color: true, Unicode: true, Width: 97}},
		"--no-color":       {args: []string{"--no-color"}, want: report.Style{Unicode: true, Width: 97}},
		"NO_COLOR":         {noColor: "1", want: report.Style{Unicode: true, Width: 97}},
		"--no-color=false": {args: []string{"--no-color=false"}, want: report.Style{Color: true, Unicode: true, Width: 97}},
		"a dumb terminal":  {term: "dumb", want: report.Style{Width: 97}},
		"a pipe":           {piped: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("NO_COLOR", test.noColor)
			t.Setenv("TERM", test.term)
			root := newCommand("dev")
			var got report.Style
			root.AddCommand(&cobra.Command{Use: "probe", Run: func(cmd *cobra.Command, _ []string) { got = styleOf(cmd) }})
			root.SetArgs(append([]string{"probe"}, test.args...))
			root.SetOut(terminal)
			if test.piped {
				root.SetOut(&bytes.Buffer{})
			}
			if err := root.Execute(); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestFilesArePlain: a file is no terminal.
func TestFilesArePlain(t *testing.T) {
	file, err := os.Create(t.TempDir() + "/out")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	cmd := &cobra.Command{}
	cmd.SetOut(file)
	if diff := cmp.Diff(report.Style{}, styleOf(cmd)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestLiveOnATerminal: how fast the run is that is being made stands in the line that changes.
func TestLiveOnATerminal(t *testing.T) {
	t.Setenv("TERM", "xterm")
	user, program := pseudoTerminal(t, 100)
	cmd := &cobra.Command{}
	cmd.SetErr(program)
	v := newView(newScreen(cmd))
	v.live = newLive(nil)
	v.live.rates.add(3000)
	v.live.rates.add(300)
	sb := measured("ns", "first", "gp3", 100)
	sb.Status.Progress, sb.Status.Runs[0].State = "0/1", v1alpha1.RunRunning
	v.update(sb)
	program.Close()
	seen, err := io.ReadAll(user)
	if !errors.Is(err, unix.EIO) {
		t.Fatal(err)
	}
	if want := "  0/1  █▂ 300 IOPS   w.gp3"; !strings.Contains(string(seen), want) {
		t.Errorf("there is no %q in %q", want, seen)
	}
}

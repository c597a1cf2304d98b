package console

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// waitDelay is how long a command that was ended may take to let go of its output, which its children may hold.
const waitDelay = 5 * time.Second

// ErrDiffers is that a command ended well and did not print what the page shows. Of pages that show what was measured, a machine that was busy for a moment may
// be why.
var ErrDiffers = errors.New("the page shows something else")

// Player does what a page says.
type Player struct {
	// Directory is where commands run and files are written.
	Directory string
	// Env is the commands' environment, as os.Environ returns it.
	Env []string
	// Timeout is how long each command may take.
	Timeout time.Duration
	// Log is told each command and what it printed.
	Log func(format string, args ...any)
}

// Play writes the files of a page and runs its commands, as they are marked, in their order: each by a bash of its own that ends at the
// first failure, so that they share files and no variables. Each has to end with exit code 0 and print what the page shows, as Match
// compares it, or the error is ErrDiffers; the first that does not ends it, because what comes after depends on what comes before.
//
// It returns the page with what was printed in place of what is shown, where no part of the line is left out.
func (p Player) Play(ctx context.Context, page string) (string, error) {
	blocks, err := Blocks(page)
	if err != nil {
		return page, err
	}
	lines := strings.Split(page, "\n")
	for _, block := range blocks {
		if block.File != "" {
			if err := os.WriteFile(filepath.Join(p.Directory, block.File), []byte(block.Text), 0o600); err != nil {
				return page, err
			}
		}
		if !block.Run {
			continue
		}
		for _, command := range block.Commands() {
			if err := p.play(ctx, command, lines); err != nil {
				return page, fmt.Errorf("line %d: %s: %w", command.Line, command.Text, err)
			}
		}
	}
	return strings.Join(lines, "\n"), nil
}

// play runs a command, and replaces what is shown of its output in the lines of the page.
func (p Player) play(ctx context.Context, command Command, lines []string) error {
	ctx, cancel := context.WithTimeout(ctx, p.Timeout)
	defer cancel()
	bash := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", command.Text)
	bash.Dir, bash.Env, bash.WaitDelay = p.Directory, p.Env, waitDelay
	output, err := bash.CombinedOutput()
	p.Log("$ %s\n%s", command.Text, output)
	if ctx.Err() != nil {
		return fmt.Errorf("it took longer than %s, and printed\n%s", p.Timeout, output)
	}
	if err != nil {
		return fmt.Errorf("%w, and printed\n%s", err, output)
	}
	if command.Output == nil {
		return nil
	}
	got := strings.Split(strings.TrimSuffix(string(output), "\n"), "\n")
	at, err := Match(command.Output, got)
	if err != nil {
		return fmt.Errorf("%w: %w; it printed\n%s", ErrDiffers, err, output)
	}
	for i, line := range at {
		if line >= 0 && !elided.MatchString(command.Output[i]) {
			lines[command.OutputLine-1+i] = got[line]
		}
	}
	return nil
}

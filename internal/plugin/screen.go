package plugin

import (
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"github.com/storagebench/storagebench/internal/report"
)

// screen prints lines, and on a terminal below them one line that changes.
type screen struct {
	out io.Writer
	// style says how to print there; its width is 0 if out is no terminal.
	style func() report.Style
	live  string
}

// newScreen returns a screen that looks at the terminal anew each time, because people change its width.
func newScreen(cmd *cobra.Command) *screen {
	out := cmd.ErrOrStderr()
	return &screen{out: out, style: func() report.Style { return styleOn(cmd, out) }}
}

// println prints a line that stays.
func (s *screen) println(line string) {
	s.erase()
	fmt.Fprintln(s.out, line)
	s.draw()
}

// show replaces the line that changes. Nothing is printed where out is no terminal.
func (s *screen) show(line string) {
	if s.live == line {
		return
	}
	s.erase()
	s.live = line
	s.draw()
}

// close removes the line that changes.
func (s *screen) close() { s.show("") }

func (s *screen) draw() {
	if style := s.style(); style.Width > 0 && s.live != "" {
		// The last column stays free: some terminals go to the next line there.
		fmt.Fprint(s.out, text.Snip(s.live, style.Width-1, style.Ellipsis()))
	}
}

func (s *screen) erase() {
	if s.style().Width > 0 && s.live != "" {
		fmt.Fprint(s.out, "\r"+text.EraseLine.Sprint())
	}
}

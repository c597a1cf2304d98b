package main

import (
	"fmt"
	"io"
	"os"

	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"
)

// screen prints lines, and on a terminal below them one line that changes.
type screen struct {
	out io.Writer
	// width is the terminal's in columns, 0 if out is none.
	width func() int
	live  string
}

// newScreen returns a screen that asks for the terminal's width each time, because people change it.
func newScreen(out io.Writer) *screen {
	file, ok := out.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return &screen{out: out, width: func() int { return 0 }}
	}
	return &screen{out: out, width: func() int {
		width, _, err := term.GetSize(int(file.Fd()))
		if err != nil {
			return 0
		}
		return width
	}}
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
	if width := s.width(); width > 0 && s.live != "" {
		// The last column stays free: some terminals go to the next line there.
		fmt.Fprint(s.out, text.Snip(s.live, width-1, "…"))
	}
}

func (s *screen) erase() {
	if s.width() > 0 && s.live != "" {
		fmt.Fprint(s.out, "\r"+text.EraseLine.Sprint())
	}
}

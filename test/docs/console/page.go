// Package console reads the commands of Markdown pages, and what the pages show as their output.
//
// A block whose commands are run by a test has a comment <!-- run --> in the line above it, and a block that is a file which
// they use a comment <!-- file: NAME -->. Readers see neither.
package console

import (
	"fmt"
	"regexp"
	"strings"
)

// Block is a fenced block of a page.
type Block struct {
	// Line is the number of the line after the fence, from 1.
	Line int
	// Language is what stands behind the fence, such as console; "" if nothing does.
	Language string
	// Run says that a test runs its commands.
	Run bool
	// File is the name of the file that the block is, "" if it is none.
	File string
	// Text is what is between the fences.
	Text string
}

// mark is a comment that says what a test does with the block below it.
var mark = regexp.MustCompile(`^<!-- (run|file: ([a-z0-9][a-z0-9.-]*)) -->$`)

// markLike is what may have been meant as one.
var markLike = regexp.MustCompile(`^\s*<!--\s*(run|file)\b`)

// Blocks returns the blocks of a page in their order, and an error that tells the line where one has no end, or a mark has no
// block that it could be for.
func Blocks(page string) ([]Block, error) {
	var blocks []Block
	var open, marked *Block
	var fence string
	for i, line := range strings.Split(page, "\n") {
		text := strings.TrimSpace(line)
		switch {
		case open != nil && text == fence:
			blocks = append(blocks, *open)
			open = nil
		case open != nil:
			open.Text += line + "\n"
		case strings.HasPrefix(text, "```"), strings.HasPrefix(text, "~~~"):
			fence = text[:3]
			open = &Block{Line: i + 2, Language: text[3:]}
			if marked != nil {
				open.Run, open.File, marked = marked.Run, marked.File, nil
			}
			if open.Run && open.Language != "console" {
				return nil, fmt.Errorf("line %d: %q cannot be run: mark blocks of language console", i+1, open.Language)
			}
		case marked != nil:
			return nil, fmt.Errorf("line %d: there is no block below the mark: put it into the line above one", i)
		case mark.MatchString(line):
			match := mark.FindStringSubmatch(line)
			marked = &Block{Run: match[1] == "run", File: match[2]}
		case markLike.MatchString(line):
			return nil, fmt.Errorf("line %d: %q is no mark: write <!-- run --> or <!-- file: NAME -->", i+1, line)
		}
	}
	if open != nil {
		return nil, fmt.Errorf("line %d: the block has no end", open.Line)
	}
	if marked != nil {
		return nil, fmt.Errorf("there is no block below the mark at the end of the page")
	}
	return blocks, nil
}

// Command is a command of a block, with what the page shows as its output.
type Command struct {
	// Line is the number of its first line in the page, from 1.
	Line int
	// Text is what is typed, with the lines that it goes on in, and without the prompt.
	Text string
	// Output is what is shown, line by line; nil if nothing is.
	Output []string
	// OutputLine is the number of the output's first line in the page.
	OutputLine int
}

// Commands returns the commands of a block of language console: each line that begins with a prompt, and the next one as long as a
// line ends with a backslash. All other lines are output of the command before them, and of none where none is.
func (b Block) Commands() []Command {
	var commands []Command
	goesOn := false
	for i, line := range strings.Split(strings.TrimSuffix(b.Text, "\n"), "\n") {
		command, prompted := strings.CutPrefix(line, "$ ")
		last := len(commands) - 1
		switch {
		case prompted && !goesOn:
			commands = append(commands, Command{Line: b.Line + i, Text: command})
		case goesOn:
			commands[last].Text += "\n" + line
		case last >= 0:
			if commands[last].Output == nil {
				commands[last].OutputLine = b.Line + i
			}
			commands[last].Output = append(commands[last].Output, line)
		}
		goesOn = (prompted || goesOn) && strings.HasSuffix(line, `\`)
	}
	for i := range commands {
		commands[i].Output = withoutBlankEnd(commands[i].Output)
	}
	return commands
}

// withoutBlankEnd leaves blank lines at the end out.
func withoutBlankEnd(lines []string) []string {
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	if len(lines) == 0 {
		return nil
	}
	return lines
}

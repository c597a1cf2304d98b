package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/storagebench/storagebench/internal/humanize"
)

// part is a heading and what is said below it.
type part struct {
	title string
	lines []said
	// isCase reports whether it is about one row of the results.
	isCase bool
}

// said is one line. Of those with a key, equal ones of several rows are said once, below all rows.
type said struct{ about, text, key string }

const (
	// noColumn marks lines without a column for what they are about.
	noColumn = "none"
	// command is how a line begins that is not wrapped, so that it can be copied.
	command = "command "
)

// title begins a part.
func (e *explanation) title(what string) { e.parts = append(e.parts, part{title: what}) }

// say adds what there is to say about one thing.
func (e *explanation) say(about string, sentences ...string) { e.once("", about, sentences...) }

// once is say for what may be the same in several rows: these have the same key.
func (e *explanation) once(key, about string, sentences ...string) {
	sentences = slices.DeleteFunc(sentences, func(s string) bool { return s == "" })
	if len(sentences) > 0 {
		own := &e.parts[len(e.parts)-1]
		own.lines = append(own.lines, said{about, humanize.Typed(strings.Join(sentences, " ")), key})
	}
}

// command adds a command.
func (e *explanation) command(about, line string) { e.say(command+about, line) }

// share moves what several rows have in common into a part of its own behind them.
func (e *explanation) share() {
	rows := map[said][]*part{}
	var order []said
	cases := 0
	for i := range e.parts {
		own := &e.parts[i]
		if !own.isCase {
			continue
		}
		cases++
		for _, line := range own.lines {
			id := said{about: line.about, key: line.key}
			if rows[id] == nil {
				order = append(order, id)
			}
			rows[id] = append(rows[id], own)
		}
	}
	common := part{title: "Of several of these results"}
	for _, id := range order {
		if own := rows[id]; id.key != "" && len(own) > 1 {
			line := take(own, id)
			common.lines = append(common.lines, said{about: id.about, text: whose(own, cases) + ": " + line})
		}
	}
	if len(common.lines) > 0 {
		e.parts = append(e.parts, common)
	}
}

// take removes a line from parts, and returns its text: the first one, and that others differ if they do.
func take(from []*part, id said) string {
	var texts []string
	for _, p := range from {
		p.lines = slices.DeleteFunc(p.lines, func(line said) bool {
			if line.about != id.about || line.key != id.key {
				return false
			}
			texts = append(texts, line.text)
			return true
		})
	}
	if len(slices.Compact(slices.Clone(texts))) > 1 {
		return texts[0] + " (The figures of the others differ.)"
	}
	return texts[0]
}

// whose names parts.
func whose(parts []*part, cases int) string {
	const most = 4
	if len(parts) == cases {
		return "All"
	}
	var names []string
	for _, p := range parts {
		names = append(names, p.title)
	}
	return humanize.Few(names, most)
}

// print prints all parts.
func (e *explanation) print() {
	for i, p := range e.parts {
		if i > 0 {
			fmt.Fprintln(e.w)
		}
		fmt.Fprintln(e.w, e.style.paint(text.Bold, e.style.Wrap(humanize.Line(p.title), "")))
		for _, line := range p.lines {
			about, isCommand := strings.CutPrefix(line.about, command)
			switch {
			case isCommand:
				fmt.Fprintf(e.w, "  %-10s%s\n", about, line.text)
			case about == noColumn:
				fmt.Fprintf(e.w, "  %s\n", e.style.Wrap(line.text, "    "))
			default:
				fmt.Fprintf(e.w, "  %-10s%s\n", about, e.style.Wrap(line.text, "            "))
			}
		}
	}
}

// Paragraph is a part of an explanation for programs: what it is about, and what is said.
type Paragraph struct {
	Title string `json:"title"`
	Lines []Line `json:"lines"`
}

// Line is a line of an explanation: a topic such as Limited by, "" for none, and sentences about it.
type Line struct {
	Topic string `json:"topic,omitempty"`
	Text  string `json:"text"`
}

func (e *explanation) paragraphs() []Paragraph {
	all := make([]Paragraph, 0, len(e.parts))
	for _, p := range e.parts {
		one := Paragraph{Title: humanize.Line(p.title), Lines: make([]Line, 0, len(p.lines))}
		for _, line := range p.lines {
			topic := strings.TrimPrefix(line.about, command)
			if topic == noColumn {
				topic = ""
			}
			one.Lines = append(one.Lines, Line{Topic: topic, Text: line.text})
		}
		all = append(all, one)
	}
	return all
}

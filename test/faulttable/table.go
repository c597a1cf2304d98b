// Package faulttable reads and writes docs/contributing/faults.md: text for users, and below its headings tables with a row for each
// fault. The rows are what the end-to-end tests observe, so that the page cannot say what does not happen.
package faulttable

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// Row is what is known of one fault. Two rows with the same section and fault are of the same fault.
type Row struct {
	// Section is the heading ("## " is left out) below which the row stands.
	Section string
	// Fault is what goes wrong, in few words.
	Fault string
	// Done is what the test does to make it happen.
	Done string
	// Seen is the reason and the message of condition Succeeded while the fault lasts.
	Seen string
	// End is the reason and the message of condition Succeeded at the end.
	End string
	// Attempts is how often each run was made.
	Attempts string
	// Bound is how long after the fault the end comes at the latest.
	Bound string
	// Left is what remains in the cluster.
	Left string
}

var columns = []string{"What goes wrong", "How the test does it", "What you see meanwhile", "How it ends", "Attempts of each run", "Ends within", "What is left"}

// Page is the whole document.
type Page struct {
	lines []string
}

// Parse takes a page apart. It never fails: what is no table is text.
func Parse(text string) *Page {
	return &Page{lines: strings.Split(strings.TrimRight(text, "\n"), "\n")}
}

// Load reads the page from a file, and fails if there is none.
func Load(path string) (*Page, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(string(text)), nil
}

func (p *Page) String() string { return strings.Join(p.lines, "\n") + "\n" }

// Rows returns all rows of all tables, in their order.
func (p *Page) Rows() []Row {
	var rows []Row
	for at, line := range p.lines {
		if cells, ok := rowOf(line); ok {
			rows = append(rows, Row{p.sectionAt(at), cells[0], cells[1], cells[2], cells[3], cells[4], cells[5], cells[6]})
		}
	}
	return rows
}

// Difference says in which cells the page differs from what was observed of a fault, or is empty.
func (p *Page) Difference(observed Row) string {
	observed = observed.clean()
	rows := p.Rows()
	i := slices.IndexFunc(rows, observed.isSameFault)
	if i < 0 {
		return fmt.Sprintf("section %q has no row %q", observed.Section, observed.Fault)
	}
	var texts []string
	written, seen := rows[i].cells(), observed.cells()
	for column, name := range columns {
		if written[column] != seen[column] {
			texts = append(texts, fmt.Sprintf("%s:\n  written:  %s\n  observed: %s", name, written[column], seen[column]))
		}
	}
	return strings.Join(texts, "\n")
}

// Set puts what was observed of a fault into the page: in place of its row, or else as the last row of its section,
// which is added if need be.
func (p *Page) Set(observed Row) {
	observed = observed.clean()
	end, table := -1, -1
	for at, line := range p.lines {
		if p.sectionAt(at) != observed.Section {
			continue
		}
		if cells, ok := rowOf(line); ok && cells[0] == observed.Fault {
			p.lines[at] = observed.line()
			return
		}
		end = at
		if isTable(line) {
			table = at
		}
	}
	switch {
	case table >= 0:
		p.lines = slices.Insert(p.lines, table+1, observed.line())
	case end >= 0:
		for p.lines[end] == "" {
			end--
		}
		p.lines = slices.Insert(p.lines, end+1, firstRow(observed)...)
	default:
		p.lines = append(append(p.lines, "", "## "+observed.Section), firstRow(observed)...)
	}
}

func firstRow(observed Row) []string {
	return []string{"", "| " + strings.Join(columns, " | ") + " |", strings.Repeat("|---", len(columns)) + "|", observed.line()}
}

// Remove takes the rows of faults away that are not kept.
func (p *Page) Remove(keep func(Row) bool) {
	gone := map[string]bool{}
	for _, row := range p.Rows() {
		if !keep(row) {
			gone[row.Section+"\n"+row.Fault] = true
		}
	}
	var lines []string
	for at, line := range p.lines {
		if cells, ok := rowOf(line); !ok || !gone[p.sectionAt(at)+"\n"+cells[0]] {
			lines = append(lines, line)
		}
	}
	p.lines = lines
}

func (p *Page) sectionAt(at int) string {
	for ; at >= 0; at-- {
		if heading, ok := strings.CutPrefix(p.lines[at], "## "); ok {
			return heading
		}
	}
	return ""
}

func isTable(line string) bool { return strings.HasPrefix(line, "|") }

// rowOf returns the cells of a line that is a row of a table of faults, and not its head.
func rowOf(line string) ([]string, bool) {
	inner, ok := strings.CutPrefix(line, "| ")
	if !ok {
		return nil, false
	}
	cells := strings.Split(strings.TrimSuffix(inner, " |"), " | ")
	return cells, len(cells) == len(columns) && cells[0] != columns[0]
}

func (r Row) isSameFault(other Row) bool { return r.Section == other.Section && r.Fault == other.Fault }

func (r Row) cells() []string {
	return []string{r.Fault, r.Done, r.Seen, r.End, r.Attempts, r.Bound, r.Left}
}

func (r Row) line() string { return "| " + strings.Join(r.cells(), " | ") + " |" }

// clean makes the cells fit into one line of a table.
func (r Row) clean() Row {
	for _, cell := range []*string{&r.Fault, &r.Done, &r.Seen, &r.End, &r.Attempts, &r.Bound, &r.Left} {
		*cell = strings.ReplaceAll(strings.Join(strings.Fields(*cell), " "), "|", "/")
		if *cell == "" {
			*cell = "-"
		}
	}
	return r
}

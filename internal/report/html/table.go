package html

import "strconv"

// table is a table of the page.
type table struct {
	// Caption says what is in it, for people who jump from table to table.
	Caption string
	Columns []column
	Rows    []row
}

// column is a column, right-aligned if it has numbers.
type column struct {
	Name   string
	Number bool
	// Hint explains the heading.
	Hint string
}

// row is a row of cells, as many as there are columns.
type row []cell

// cell is a cell: its text, and beside it what is less important.
type cell struct {
	Text string
	Sub  string
	// Target marks the cell with what tells a target apart; nil if it names none.
	Target *target
	// Class is a class of style.css.
	Class string
	// Heading says that the cell names its row.
	Heading bool
	// Number says that the cell is right-aligned.
	Number bool
}

// text returns a cell with a text.
func text(s string) cell { return cell{Text: s} }

// number returns a cell with a figure.
func number(s string) cell { return cell{Text: s, Number: true} }

// whole returns a cell with a whole number.
func whole(n int64) cell { return number(strconv.FormatInt(n, 10)) }

// heading returns the cell that names its row.
func heading(s string) cell { return cell{Text: s, Heading: true} }

// omitEmpty removes the columns that have nothing to say in any row.
func (t table) omitEmpty() table {
	out := table{Caption: t.Caption, Rows: make([]row, len(t.Rows))}
	for i, c := range t.Columns {
		empty := true
		for _, r := range t.Rows {
			if r[i].Text != "" || r[i].Sub != "" || r[i].Target != nil {
				empty = false
			}
		}
		if empty {
			continue
		}
		out.Columns = append(out.Columns, c)
		for j, r := range t.Rows {
			out.Rows[j] = append(out.Rows[j], r[i])
		}
	}
	return out
}

// target is a target as the page shows it: its name, and the number that its colour, mark and dash follow from.
type target struct {
	Name  string
	Index int
}

// How many colours and marks there are: as in src/charts.js and style.css.
const (
	colors  = 8
	symbols = 6
	dashes  = 4
)

// Color returns the number of the target's colour.
func (t target) Color() int { return t.Index % colors }

// Symbol returns the number of the target's mark.
func (t target) Symbol() int { return t.Index % symbols }

// Dash returns the number of the target's dash.
func (t target) Dash() int { return (t.Index + t.Index/colors) % dashes }

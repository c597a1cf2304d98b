package html

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
)

var (
	//go:embed assets/index.html.tmpl
	indexLayout string

	indexPage = template.Must(template.New("index").Parse(indexLayout))
)

// Index is a page with links to reports. It has no script, and all its texts are escaped.
type Index struct {
	// Where is what the page lists: a cluster, or a folder.
	Where string
	// Group is the heading of what benchmarks are grouped by, such as Namespace or File.
	Group string
	// Notes tell what could not be read.
	Notes []string
	// Benchmarks and Schedules are the rows.
	Benchmarks, Schedules []IndexRow
}

// IndexRow is a benchmark, or a schedule, with a link to its report.
type IndexRow struct {
	Link, Name, Group, Status, Runs, Expected, Warnings, Duration, Summary string
}

// Write writes the page.
func (x *Index) Write(w io.Writer) error {
	all := newAssets()
	all.Policy = fmt.Sprintf("default-src 'none'; style-src '%s'; base-uri 'none'; form-action 'none'", hash(style))
	return indexPage.Execute(w, struct {
		*Index
		assets
	}{x, all})
}

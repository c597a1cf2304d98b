// Package html shows a benchmark's results as one HTML page that needs nothing else: no network and no other file. What it
// says is in its text and tables; its script only draws charts of the same figures.
package html

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/series"
)

// What is embedded: dist is made of src and npm's packages by hack/report-assets.sh.
var (
	//go:embed assets/page.html.tmpl
	layout string
	//go:embed assets/style.css
	style string
	//go:embed assets/dist/report.js
	script string
	//go:embed assets/dist/LICENSES
	licenses string

	page = template.Must(template.New("page").Parse(layout))
)

// Write writes the page of a benchmark, finished or not, with what its runs did over time, by their names, as far as that is known. All that comes from the resource is escaped, and the page's
// Content-Security-Policy lets nothing run but the script that is embedded here.
func Write(w io.Writer, sb *v1alpha1.StorageBenchmark, over map[string]*series.Series) error {
	content, err := newContent(sb, over)
	if err != nil {
		return err
	}
	if err := page.Execute(w, content); err != nil {
		return fmt.Errorf("write the report of StorageBenchmark %s: %w", sb.Name, err)
	}
	return nil
}

// assets are the parts of the page that are the same in all reports.
type assets struct {
	// Policy is the Content-Security-Policy: nothing but Script and Style, by their hashes.
	Policy   string
	Style    template.CSS
	Script   template.JS
	Licenses template.HTML
}

// newAssets returns what is embedded, exempt from escaping because none of it comes from a resource.
func newAssets() assets {
	return assets{
		Policy: fmt.Sprintf("default-src 'none'; script-src '%s'; style-src '%s'; base-uri 'none'; form-action 'none'", hash(script), hash(style)),
		Style:  template.CSS(style), //nolint:gosec // embedded
		Script: template.JS(script), //nolint:gosec // embedded
		Licenses: template.HTML( //nolint:gosec // embedded; a test looks for the end of a comment in it
			"<!--\nThe script of this page contains the following packages.\n\n" + licenses + "-->",
		),
	}
}

// hash names a script or style sheet in a Content-Security-Policy.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

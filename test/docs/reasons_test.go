package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// entry is a heading that is nothing but words of the API, or the first cell of a row of a table that is.
var entry = regexp.MustCompile("^(?:#+|\\|) ((?:`[A-Za-z]+`(?:, )?)+) *(?:\\||$)")

// word is a word of the API within an entry.
var word = regexp.MustCompile("`([A-Za-z]+)`")

// TestReasons holds pages to what the API can say: each reason of a condition and each warning has one entry in the page on
// troubleshooting, each verdict and all that can hold a result back one in the page about results. No heading is of a word that is gone.
func TestReasons(t *testing.T) {
	for _, page := range []struct {
		path     string
		prefixes []string
	}{
		{"docs/troubleshooting.md", []string{"Reason", "Warning"}},
		{"docs/results.md", []string{"Bound", "Verdict"}},
	} {
		t.Run(page.path, func(t *testing.T) {
			known := words(t, page.prefixes)
			if len(known) < 10 {
				t.Fatalf("only %d constants were found: %v", len(known), known)
			}
			times, headings := entries(t, page.path)
			for _, value := range known {
				if times[value] != 1 {
					t.Errorf("%s has %d entries of %s, want one heading or row of a table that begins with it", page.path, times[value], value)
				}
			}
			for _, heading := range headings {
				if !slices.Contains(known, heading) {
					t.Errorf("%s explains %s, which the API does not say", page.path, heading)
				}
			}
		})
	}
}

// entries returns how many entries a page has of each word, and the words of those that are headings.
func entries(t *testing.T, page string) (times map[string]int, headings []string) {
	t.Helper()
	times = map[string]int{}
	for _, line := range prose(t, filepath.Join(root, page)) {
		match := entry.FindStringSubmatch(line)
		if match == nil {
			continue
		}
		for _, found := range word.FindAllStringSubmatch(match[1], -1) {
			times[found[1]]++
			if strings.HasPrefix(line, "#") {
				headings = append(headings, found[1])
			}
		}
	}
	return times, headings
}

// words returns the values of the API's string constants whose names begin with one of the prefixes.
func words(t *testing.T, prefixes []string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "api/v1alpha1/*.go"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		maps.Copy(all, constants(t, parsed, prefixes))
	}
	return slices.Sorted(maps.Keys(all))
}

// constants returns the values of a file's string constants whose names begin with one of the prefixes.
func constants(t *testing.T, file *ast.File, prefixes []string) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	ast.Inspect(file, func(node ast.Node) bool {
		spec, ok := node.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 || !slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(spec.Names[0].Name, p) }) {
			return true
		}
		if literal, ok := spec.Values[0].(*ast.BasicLit); ok && literal.Kind == token.STRING {
			value, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Fatal(err)
			}
			all[value] = true
		}
		return true
	})
	return all
}

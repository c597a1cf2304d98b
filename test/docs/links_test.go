// Package docs tests what is written for people: the Markdown files of this repository.
package docs

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const root = "../.."

var (
	// Pictures have an exclamation mark before the bracket and are links as well.
	link     = regexp.MustCompile(`\[[^\]]*\]\(([^)\s]+)\)`)
	heading  = regexp.MustCompile(`^#{1,6}\s+(.*?)\s*#*$`)
	fence    = regexp.MustCompile("^\\s*(```|~~~)")
	code     = regexp.MustCompile("`[^`]*`")
	external = regexp.MustCompile(`^[a-z][a-z0-9+.-]*:`)
	// What GitHub leaves out of a heading's anchor.
	noAnchor = regexp.MustCompile(`[^\p{L}\p{N}\s_-]`)
)

// TestLinks finds links to files that are not there, and to headings that the linked page does not have. Links to other
// sites are not followed.
func TestLinks(t *testing.T) {
	pages := markdown(t)
	if len(pages) < 8 {
		t.Fatalf("only %d pages were found below %s: %q", len(pages), root, pages)
	}
	for _, page := range pages {
		for _, problem := range brokenLinks(t, filepath.Join(root, page)) {
			t.Errorf("%s: %s", page, problem)
		}
	}
}

func TestBrokenLinks(t *testing.T) {
	directory := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(directory, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("other.md", "# A title, `code` and more\n## Twice\n## Twice\n```\n# in a fence\n```\n")
	page := write("page.md", strings.Join([]string{
		"# Here",
		"[a](other.md#a-title-code-and-more) [b](other.md#twice-1) [c](#here) [d](https://example.com/x#y) `[e](gone.md)`",
		"```", "[f](gone.md)", "```",
		"[g](gone.md) [h](other.md#gone) [i](#gone) [j](other.md#in-a-fence)",
	}, "\n"))
	want := []string{
		"line 6: gone.md does not exist",
		"line 6: other.md has no heading #gone",
		"line 6: page.md has no heading #gone",
		"line 6: other.md has no heading #in-a-fence",
	}
	if got := brokenLinks(t, page); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// markdown returns the paths, below the root, of the pages of this repository; not of what was built or fetched there.
func markdown(t *testing.T) []string {
	t.Helper()
	var pages []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		hidden := strings.HasPrefix(entry.Name(), ".") && entry.Name() != ".."
		if entry.IsDir() && (hidden || slices.Contains([]string{"bin", "dist", "target", "testdata"}, entry.Name())) {
			return filepath.SkipDir
		}
		if filepath.Ext(path) == ".md" {
			relative, err := filepath.Rel(root, path)
			pages = append(pages, relative)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

func brokenLinks(t *testing.T, page string) []string {
	t.Helper()
	var problems []string
	for number, line := range prose(t, page) {
		for _, match := range link.FindAllStringSubmatch(code.ReplaceAllString(line, ""), -1) {
			if problem := broken(t, page, match[1]); problem != "" {
				problems = append(problems, fmt.Sprintf("line %d: %s", number+1, problem))
			}
		}
	}
	return problems
}

// broken says what is wrong with a link of a page, "" if nothing is.
func broken(t *testing.T, page, target string) string {
	t.Helper()
	if external.MatchString(target) {
		return ""
	}
	file, anchor, _ := strings.Cut(target, "#")
	path := page
	if file != "" {
		path = filepath.Join(filepath.Dir(page), file)
	}
	if _, err := os.Stat(path); err != nil {
		return file + " does not exist"
	}
	if anchor != "" && !slices.Contains(anchors(t, path), anchor) {
		return fmt.Sprintf("%s has no heading #%s", filepath.Base(path), anchor)
	}
	return ""
}

// anchors returns the anchors that GitHub makes of a page's headings; the second of one name gets -1, and so on.
func anchors(t *testing.T, page string) []string {
	t.Helper()
	var all []string
	times := map[string]int{}
	for _, line := range prose(t, page) {
		match := heading.FindStringSubmatch(line)
		if match == nil {
			continue
		}
		anchor := strings.ReplaceAll(noAnchor.ReplaceAllString(strings.ToLower(match[1]), ""), " ", "-")
		if n := times[anchor]; n > 0 {
			all = append(all, fmt.Sprintf("%s-%d", anchor, n))
		} else {
			all = append(all, anchor)
		}
		times[anchor]++
	}
	return all
}

// prose returns the lines of a page, with those of code blocks empty.
func prose(t *testing.T, page string) []string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	fenced := false
	for i, line := range lines {
		if fence.MatchString(line) {
			fenced = !fenced
			lines[i] = ""
		} else if fenced {
			lines[i] = ""
		}
	}
	return lines
}

package docs

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	module     = "github.com/storagebench/storagebench/"
	repository = "../../"
)

// mapRow is a row of the map in CONTRIBUTING.md: the packages, what they are, and which others they import.
var (
	mapRow   = regexp.MustCompile(`(?m)^\| (.*) \| .* \| (\S.*) \|$`)
	codeSpan = regexp.MustCompile("`([^`]+)`")
)

// The map says which packages import which others of ours: those of the code, and of packages of tests those of the tests.
func TestMapHasTheImports(t *testing.T) {
	text, err := os.ReadFile(repository + "CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	imports := importsOf(t)
	rows := 0
	for _, row := range mapRow.FindAllStringSubmatch(string(text), -1) {
		own, found := map[string]bool{}, false
		for _, span := range codeSpan.FindAllStringSubmatch(row[1], -1) {
			all, isPackage := imports[span[1]]
			found = found || isPackage
			maps.Copy(own, all)
		}
		for _, span := range codeSpan.FindAllStringSubmatch(row[1], -1) {
			delete(own, onMap(span[1]))
		}
		if !found {
			continue // of another module, or no Go at all
		}
		rows++
		var said []string
		if row[2] != "none" {
			said = strings.Split(row[2], ", ")
		}
		slices.Sort(said)
		if diff := cmp.Diff(slices.Sorted(maps.Keys(own)), said); diff != "" {
			t.Errorf("imports of %s (-code +map):\n%s", row[1], diff)
		}
	}
	if rows < 30 {
		t.Errorf("the map has %d rows of packages", rows)
	}
}

// importsOf returns what each package of this module imports of this module, by their names on the map.
func importsOf(t *testing.T) map[string]map[string]bool {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", "list", "-tags", "e2e", "-json=ImportPath,Imports,TestImports,XTestImports", "./...")
	list.Dir = repository
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	all := map[string]map[string]bool{}
	for documents := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath                         string
			Imports, TestImports, XTestImports []string
		}
		if err := documents.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		path := strings.TrimPrefix(p.ImportPath, module)
		used := p.Imports
		if strings.HasPrefix(path, "test/") || strings.HasPrefix(path, "hack/") {
			used = slices.Concat(p.Imports, p.TestImports, p.XTestImports)
		}
		all[path] = map[string]bool{}
		for _, other := range used {
			if ours, isOurs := strings.CutPrefix(other, module); isOurs && ours != path {
				all[path][onMap(ours)] = true
			}
		}
	}
}

// onMap is how the map calls a package in its last column.
func onMap(path string) string {
	switch path {
	case "api/v1alpha1":
		return "api"
	case "test/docs/console":
		return "console"
	default:
		return strings.TrimPrefix(strings.TrimPrefix(path, "internal/"), "test/")
	}
}

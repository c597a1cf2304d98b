// Package workflows tests what GitHub runs of this repository: .github/workflows. "make lint" has actionlint look at them too.
package workflows

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

const root = "../.."

type workflow struct {
	Permissions map[string]string `json:"permissions"`
	Concurrency struct {
		Group string `json:"group"`
	} `json:"concurrency"`
	Jobs map[string]job `json:"jobs"`
}

type job struct {
	Uses        string            `json:"uses"`
	Permissions map[string]string `json:"permissions"`
	Timeout     int               `json:"timeout-minutes"`
	Container   any               `json:"container"`
	Steps       []step            `json:"steps"`
}

type step struct {
	Uses string         `json:"uses"`
	Run  string         `json:"run"`
	With map[string]any `json:"with"`
}

// read returns the text of a file of this repository.
func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// all returns the workflows, by the names of their files.
func all(t *testing.T) map[string]workflow {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, ".github/workflows/*.yml"))
	if err != nil || len(files) < 2 {
		t.Fatalf("workflows %q, %v", files, err)
	}
	found := map[string]workflow{}
	for _, file := range files {
		var w workflow
		name := filepath.Base(file)
		if err := yaml.Unmarshal([]byte(read(t, ".github/workflows/"+name)), &w); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		found[name] = w
	}
	return found
}

// An action is named by its commit, since tags can be moved, and by its version, which people read.
func TestActionsArePinned(t *testing.T) {
	uses := regexp.MustCompile(`(?m)^ *(?:- )?uses: (.*)$`)
	pinned := regexp.MustCompile(`^(?:\./\.github/workflows/[a-z]+\.yml|[\w.-]+/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$`)
	versions := map[string]string{}
	for name := range all(t) {
		for _, match := range uses.FindAllStringSubmatch(read(t, ".github/workflows/"+name), -1) {
			if !pinned.MatchString(match[1]) {
				t.Errorf("%s: uses %s, want OWNER/ACTION@COMMIT # vVERSION", name, match[1])
			}
			action, version, _ := strings.Cut(match[1], "@")
			if other, known := versions[action]; known && other != version {
				t.Errorf("%s is used as %s and as %s", action, version, other)
			}
			versions[action] = version
		}
	}
	if len(versions) < 5 {
		t.Errorf("only %d actions were found: %q", len(versions), versions)
	}
}

// A job may only do what it is for, and ends.
func TestRights(t *testing.T) {
	want := map[string]map[string]string{
		"release.yml registry": {"contents": "read", "packages": "write", "id-token": "write"},
		"release.yml github":   {"contents": "write"},
	}
	got := map[string]map[string]string{}
	for name, w := range all(t) {
		if diff := cmp.Diff(map[string]string{"contents": "read"}, w.Permissions); diff != "" {
			t.Errorf("%s: rights of jobs that name none (-want +got): %s", name, diff)
		}
		if w.Concurrency.Group == "" {
			t.Errorf("%s may run twice at once", name)
		}
		for id, j := range w.Jobs {
			if j.Permissions != nil {
				got[name+" "+id] = j.Permissions
			}
			if j.Uses == "" && j.Timeout == 0 {
				t.Errorf("%s: job %s has no timeout-minutes", name, id)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rights of jobs (-want +got): %s", diff)
	}
}

// Steps run what is in this repository, so that it can be run and tested elsewhere.
func TestSteps(t *testing.T) {
	targets := regexp.MustCompile(`(?m)^([a-z-]+):`).FindAllString(read(t, "Makefile"), -1)
	var run []string
	for name, w := range all(t) {
		for id, j := range w.Jobs {
			for _, s := range j.Steps {
				if s.Run == "" {
					checkout(t, name+" "+id, s)
					continue
				}
				words := strings.Fields(s.Run)
				run = append(run, words[0])
				switch words[0] {
				case "git":
				case "make":
					for _, target := range words[1:] {
						if !slices.Contains(targets, target+":") {
							t.Errorf("%s %s: the Makefile has no target %s", name, id, target)
						}
					}
				default:
					if file, err := os.Stat(filepath.Join(root, words[0])); err != nil || file.Mode()&0o111 == 0 {
						t.Errorf("%s %s: %s is no script of this repository (%v)", name, id, words[0], err)
					}
				}
			}
		}
	}
	for _, script := range []string{".ci/run", "make", "hack/release/check.sh", "hack/release/registry.sh", "hack/release/github.sh"} {
		if !slices.Contains(run, script) {
			t.Errorf("no workflow runs %s", script)
		}
	}
}

// checkout fails where a step leaves credentials in the checkout, which later steps could read.
func checkout(t *testing.T, where string, s step) {
	t.Helper()
	if strings.HasPrefix(s.Uses, "actions/checkout@") && s.With["persist-credentials"] != false {
		t.Errorf("%s: actions/checkout without persist-credentials: false", where)
	}
}

// What is built on GitHub is built by the Go that the Dockerfile has.
func TestGo(t *testing.T) {
	image := regexp.MustCompile(`(?m)^ARG GOLANG_IMAGE=(golang:(\d+\.\d+)-.*)$`).FindStringSubmatch(read(t, "Dockerfile"))
	if image == nil {
		t.Fatal("the Dockerfile has no GOLANG_IMAGE")
	}
	found := 0
	for name, w := range all(t) {
		for id, j := range w.Jobs {
			container := j.Container
			if fields, ok := container.(map[string]any); ok {
				container = fields["image"]
			}
			if container != nil && container != image[1] {
				t.Errorf("%s: container of job %s is %v, want the Dockerfile's %s", name, id, container, image[1])
			}
			for _, s := range j.Steps {
				version, ok := s.With["go-version"]
				if ok && version != image[2] {
					t.Errorf("%s: Go of job %s is %v, want the Dockerfile's %s", name, id, version, image[2])
				}
				if ok || container != nil {
					found++
				}
			}
		}
	}
	if found == 0 {
		t.Error("no job names its Go")
	}
}

// Pages name what the workflow publishes: in the places that the chart and krew's manifest have, in the chart's version.
func TestPagesNameWhatIsPublished(t *testing.T) {
	one := func(file, expression string) string {
		t.Helper()
		match := regexp.MustCompile(expression).FindStringSubmatch(read(t, file))
		if match == nil {
			t.Fatalf("%s has no %s", file, expression)
		}
		return match[1]
	}
	version := one("charts/storagebench/Chart.yaml", `(?m)^version: (.*)$`)
	registry := one("charts/storagebench/values.yaml", `repository: (.*)/operator\n`)
	homepage := one("hack/plugin.sh", `HOMEPAGE=(.*)`)
	named := map[string]string{
		`(?:--version |/download/v|tags/v|ghcr\.io/[a-z/]+:|storagebench-(?:runner-)?|VERSION=)(\d+\.\d+\.\d+)`: version,
		`(ghcr\.io/[\w-]+)`: registry,
		`(https://[^\s)]+)/(?:releases/download|\.github/workflows)/`: homepage,
	}
	for _, page := range []string{"README.md", "charts/storagebench/README.md", "docs/install.md", "docs/images.md", "docs/eks.md"} {
		text := read(t, page)
		for expression, want := range named {
			for _, match := range regexp.MustCompile(expression).FindAllStringSubmatch(text, -1) {
				if match[1] != want {
					t.Errorf("%s has %q, where %s is published", page, match[0], want)
				}
			}
		}
	}
	for page, words := range map[string][]string{
		"README.md":       {"oci://" + registry + "/charts/storagebench --version "},
		"docs/install.md": {"oci://" + registry + "/charts/storagebench --version ", "/storagebench.yaml", "/install.yaml", "$ make release", "hack/release/registry.sh dist/release"},
		"docs/images.md":  {"cosign verify " + registry + "/runner:", homepage + "/.github/workflows/release.yml@refs/tags/v"},
	} {
		for _, word := range words {
			if !strings.Contains(read(t, page), word) {
				t.Errorf("%s does not have %q", page, word)
			}
		}
	}
}

package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/test/docs/console"
)

var (
	// typed is a command of the plugin in what pages have bash do, up to where another command, a redirection or a comment
	// begins. The plugin runs without kubectl as well.
	typed = regexp.MustCompile(`(?m)(?:\bkubectl |^)storagebench ([^|>#;&\n]*)`)
	// mentioned is a command of the plugin in the text of a page.
	mentioned = regexp.MustCompile("`kubectl storagebench ([^`]*)`")
	flag      = regexp.MustCompile(`^--?([a-zA-Z][a-z-]*)`)
)

// TestPluginCommands finds commands of the plugin in pages that it does not have, and flags that these do not have.
func TestPluginCommands(t *testing.T) {
	plugin := filepath.Join(t.TempDir(), "kubectl-storagebench")
	// Without flags, so that it shares the packages that "go test" has built.
	build := exec.CommandContext(t.Context(), "go", "build", "-o", plugin, "../../cmd/kubectl-storagebench")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the plugin: %v\n%s", err, output)
	}
	help := map[string]string{}
	found := 0
	for _, page := range markdown(t) {
		for _, command := range pluginCommands(t, page) {
			found++
			name, flags := parseCommand(command)
			if _, asked := help[name]; !asked {
				output, err := exec.CommandContext(t.Context(), plugin, name, "--help").CombinedOutput()
				if err != nil {
					t.Errorf("%s --help: %v\n%s", name, err, output)
				}
				help[name] = string(output)
			}
			if name != "" && !regexp.MustCompile(`(?m)^Usage:\n\s+\S+(?: storagebench)? `+regexp.QuoteMeta(name)+`\b`).MatchString(help[name]) {
				t.Errorf("%s: the plugin has no command %s, which is in %q", page, name, command)
				continue
			}
			for _, f := range flags {
				if !hasFlag(help[name], f) {
					t.Errorf("%s: command %s has no flag %s, which is in %q", page, name, f, command)
				}
			}
		}
	}
	if found < 10 {
		t.Errorf("only %d commands of the plugin were found", found)
	}
	t.Run("local", func(t *testing.T) { testLocalCommands(t, plugin) })
}

// testLocalCommands plays the commands for plain machines, up to what they would measure: the directories are those of
// readers. Commands whose output the page shows are played in a cluster (test/e2e).
func testLocalCommands(t *testing.T, plugin string) {
	found := 0
	for _, command := range append(pluginCommands(t, "docs/local.md"), pluginCommands(t, "README.md")...) {
		if !strings.Contains(command, "--local ") || strings.Contains(command, "-f ") {
			continue
		}
		found++
		args := append(strings.Fields(command), "--dry-run")
		output, err := exec.CommandContext(t.Context(), plugin, args...).CombinedOutput()
		if err != nil || !strings.Contains(string(output), "kind: StorageBenchmark") {
			t.Errorf("%s: %v\n%s", command, err, output)
		}
	}
	if found < 4 {
		t.Errorf("only %d commands for plain machines were found", found)
	}
}

func TestParseCommand(t *testing.T) {
	for _, test := range []struct {
		command, name string
		flags         []string
	}{
		{"report NAME -o html ", "report", []string{"-o"}},
		{"run --class gp3 --class=efs \\\n  --rw randwrite --rm", "run", []string{"--class", "--rw", "--rm"}},
		{"import -- fio --name=x --rw=read", "import", nil},
		{"logs NAME [RUN]", "logs", nil},
		{"--help", "", []string{"--help"}},
		{"run [--rm] [--name N]", "run", []string{"--rm", "--name"}},
	} {
		name, flags := parseCommand(test.command)
		if diff := cmp.Diff(test.flags, flags); diff != "" || name != test.name {
			t.Errorf("%q is %q; flags (-want +got):\n%s", test.command, name, diff)
		}
	}
}

// pluginCommands returns the commands of the plugin in a page, without "kubectl storagebench".
func pluginCommands(t *testing.T, page string) []string {
	t.Helper()
	path := filepath.Join(root, page)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := console.Blocks(string(text))
	if err != nil {
		t.Fatalf("%s: %v", page, err)
	}
	var all []string
	for _, block := range commands(blocks) {
		for _, match := range typed.FindAllStringSubmatch(strings.ReplaceAll(block, "\\\n", " "), -1) {
			all = append(all, match[1])
		}
	}
	for _, match := range mentioned.FindAllStringSubmatch(strings.Join(prose(t, path), "\n"), -1) {
		line, _, _ := strings.Cut(match[1], ">")
		all = append(all, line)
	}
	return all
}

// parseCommand returns the name of a command, and its flags without their values: each once, and none of those behind "--", which are
// fio's.
func parseCommand(command string) (name string, flags []string) {
	command, _, _ = strings.Cut(command+" ", " -- ")
	for i, field := range strings.Fields(strings.NewReplacer("\\\n", " ", "[", " ", "]", " ").Replace(command)) {
		switch match := flag.FindString(field); {
		case match != "" && !slices.Contains(flags, match):
			flags = append(flags, match)
		case match == "" && i == 0:
			name = field
		}
	}
	return name, flags
}

// hasFlag says whether a command's help has a flag, of it or of all commands.
func hasFlag(help, f string) bool {
	return regexp.MustCompile(`(?m)^\s+(?:-\w, )?` + regexp.QuoteMeta(f) + `(?:,|\s|$)`).MatchString(help)
}

package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// file is a path of this repository in a command, as far as it is no pattern.
var file = regexp.MustCompile(`\b(?:config|charts|cmd|hack)/[\w./-]*[\w/]`)

// TestCommands finds shell commands that bash cannot read, and files in them that are not there.
func TestCommands(t *testing.T) {
	blocks := 0
	for _, page := range markdown(t) {
		text, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range commands(string(text)) {
			blocks++
			check := exec.CommandContext(t.Context(), "bash", "-n")
			check.Stdin = strings.NewReader(block)
			if output, err := check.CombinedOutput(); err != nil {
				t.Errorf("%s: %v: %s in\n%s", page, err, output, block)
			}
			for _, path := range file.FindAllString(block, -1) {
				if _, err := os.Stat(filepath.Join(root, path)); err != nil {
					t.Errorf("%s: there is no %s, which is in\n%s", page, path, block)
				}
			}
		}
	}
	if blocks < 10 {
		t.Errorf("only %d blocks of commands were found", blocks)
	}
}

// commands returns the blocks of shell commands of a page: those marked bash, and of those marked console the lines that
// begin with a prompt, with the lines that they go on in.
func commands(page string) []string {
	var blocks []string
	var lines []string
	language, goesOn := "", false
	for line := range strings.Lines(page) {
		switch marker, found := strings.CutPrefix(strings.TrimSpace(line), "```"); {
		case found && language == "":
			language = marker
			if language == "" {
				language = "text"
			}
		case found:
			if len(lines) > 0 {
				blocks = append(blocks, strings.Join(lines, ""))
			}
			lines, language, goesOn = nil, "", false
		case language == "bash":
			lines = append(lines, line)
		case language == "console":
			command, prompted := strings.CutPrefix(line, "$ ")
			if prompted || goesOn {
				lines = append(lines, command)
				goesOn = strings.HasSuffix(strings.TrimRight(line, "\n"), `\`)
			}
		}
	}
	return blocks
}

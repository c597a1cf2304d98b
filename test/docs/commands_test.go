package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/storagebench/storagebench/test/docs/console"
)

// file is a path of this repository in a command, as far as it is no pattern.
var file = regexp.MustCompile(`\b(?:config|charts|cmd|hack)/[\w./-]*[\w/]`)

// TestCommands finds shell commands that bash cannot read, files in them that are not there, and marks for the test that runs commands
// (test/e2e) that are none.
func TestCommands(t *testing.T) {
	found := 0
	for _, page := range markdown(t) {
		text, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Fatal(err)
		}
		blocks, err := console.Blocks(string(text))
		if err != nil {
			t.Errorf("%s: %v", page, err)
		}
		for _, block := range commands(blocks) {
			found++
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
	if found < 10 {
		t.Errorf("only %d blocks of commands were found", found)
	}
}

// commands returns what the blocks of a page have bash do: the text of those marked bash, and the commands of those marked console.
func commands(blocks []console.Block) []string {
	var all []string
	for _, block := range blocks {
		switch block.Language {
		case "bash":
			all = append(all, block.Text)
		case "console":
			var typed []string
			for _, command := range block.Commands() {
				typed = append(typed, command.Text)
			}
			all = append(all, strings.Join(typed, "\n"))
		}
	}
	return all
}

package console

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBlocks(t *testing.T) {
	page := strings.Join([]string{
		"# Title", "```", "plain", "```", "",
		"<!-- file: tour.yaml -->", "```yaml", "a: 1", "b:", "```",
		"  ~~~bash", "  ```", "  ~~~",
		"<!-- run -->", "```console", "$ ls", "```",
		"<!-- Another comment. -->", "",
	}, "\n")
	want := []Block{
		{Line: 3, Text: "plain\n"},
		{Line: 8, Language: "yaml", File: "tour.yaml", Text: "a: 1\nb:\n"},
		{Line: 12, Language: "bash", Text: "  ```\n"},
		{Line: 16, Language: "console", Run: true, Text: "$ ls\n"},
	}
	got, err := Blocks(page)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v, blocks (-want +got):\n%s", err, diff)
	}
}

func TestBlocksThatAreWrong(t *testing.T) {
	for name, test := range map[string]struct{ page, want string }{
		"no end":             {"a\n```\nb", "line 3: the block has no end"},
		"not for commands":   {"<!-- run -->\n```bash\nls\n```", `line 2: "bash" cannot be run: mark blocks of language console`},
		"not above a block":  {"<!-- run -->\n\n```console\n```", "line 1: there is no block below the mark: put it into the line above one"},
		"at the end":         {"<!-- run -->", "there is no block below the mark at the end of the page"},
		"misspelt":           {"<!--run-->\n```console\n```", `line 1: "<!--run-->" is no mark: write <!-- run --> or <!-- file: NAME -->`},
		"file without name":  {"<!-- file: -->\n```yaml\n```", `line 1: "<!-- file: -->" is no mark: write <!-- run --> or <!-- file: NAME -->`},
		"file somewhere":     {"<!-- file: ../x -->\n```yaml\n```", `line 1: "<!-- file: ../x -->" is no mark: write <!-- run --> or <!-- file: NAME -->`},
		"run, and something": {"<!-- run twice -->\n```console\n```", `line 1: "<!-- run twice -->" is no mark: write <!-- run --> or <!-- file: NAME -->`},
	} {
		t.Run(name, func(t *testing.T) {
			blocks, err := Blocks(test.page)
			if err == nil || err.Error() != test.want {
				t.Errorf("blocks %+v, error %v, want %s", blocks, err, test.want)
			}
		})
	}
}

func TestCommands(t *testing.T) {
	block := Block{Line: 10, Text: "of nothing\n$ one \\\n    --flag \\\n$ not a prompt\nout\n\n  put\n\n$ two\n$ three\n...\n"}
	want := []Command{
		{Line: 11, Text: "one \\\n    --flag \\\n$ not a prompt", Output: []string{"out", "", "  put"}, OutputLine: 14},
		{Line: 18, Text: "two"},
		{Line: 19, Text: "three", Output: []string{"..."}, OutputLine: 20},
	}
	if diff := cmp.Diff(want, block.Commands()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

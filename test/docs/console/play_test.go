package console

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// patience is how long a command of these tests may take: more than it ever needs.
const patience = time.Minute

func player(t *testing.T) Player {
	t.Helper()
	return Player{Directory: t.TempDir(), Env: append(os.Environ(), "WHO=tester"), Timeout: patience, Log: t.Logf}
}

func TestPlay(t *testing.T) {
	page := strings.Join([]string{
		"<!-- file: numbers.txt -->", "```text", "1", "22", "```",
		"```console", "$ false", "```",
		"<!-- run -->", "```console",
		"$ cat numbers.txt", "7", "...",
		"$ echo to standard error >&2; \\", "  echo 'n:    5 of' $WHO", "...", "n: 300 of ... ", "```",
		"<!-- run -->", "```console", "$ test -s numbers.txt", "```",
	}, "\n")
	want := strings.Replace(page, "\n7\n", "\n1\n", 1)
	got, err := player(t).Play(t.Context(), page)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v, page (-want +got):\n%s", err, diff)
	}
}

func TestPlayReplacesFiguresAndWidths(t *testing.T) {
	page := "<!-- run -->\n```console\n$ printf 'NAME    IOPS\\nvolume  2998\\n'\nNAME  IOPS\nvolume  1\n```"
	want := "<!-- run -->\n```console\n$ printf 'NAME    IOPS\\nvolume  2998\\n'\nNAME    IOPS\nvolume  2998\n```"
	got, err := player(t).Play(t.Context(), page)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v, page (-want +got):\n%s", err, diff)
	}
}

func TestPlayFails(t *testing.T) {
	for name, test := range map[string]struct {
		block   string
		timeout time.Duration
		want    string
	}{
		"exit code":     {"$ true\n$ echo why; false", patience, "line 4: echo why; false: exit status 1, and printed\nwhy\n"},
		"in a pipe":     {"$ false | cat", patience, "line 3: false | cat: exit status 1, and printed\n"},
		"no variable":   {"$ X=1\n$ echo $X", patience, "line 4: echo $X: exit status 1, and printed\nbash: line 1: X: unbound variable\n"},
		"other output":  {"$ echo a\nb", patience, "line 3: echo a: the page shows something else: \"b\" is shown, and it is \"a\"; it printed\na\n"},
		"takes forever": {"$ sleep 60", time.Millisecond, "line 3: sleep 60: it took longer than 1ms, and printed\n"},
	} {
		t.Run(name, func(t *testing.T) {
			p := player(t)
			p.Timeout = test.timeout
			page := "<!-- run -->\n```console\n" + test.block + "\n```"
			got, err := p.Play(t.Context(), page)
			if err == nil || err.Error() != test.want || got != page {
				t.Errorf("page %q, error %v, want %s", got, err, test.want)
			}
			if differs := errors.Is(err, ErrDiffers); differs != (name == "other output") {
				t.Errorf("the page shows something else: %t, of %v", differs, err)
			}
		})
	}
}

package humanize

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "",
		"a b":                    "a b",
		"äöü …":                  "äöü …",
		" a\nb ":                 " a\nb ",
		"\x1b[2Ja\r\u202e\x00":   " [2Ja   ",
		"a\tb\u00a0c\u0085d":     "a b c d",
		"\xff\xfea":              "?a",
		"a\xffb\x80":             "a?b?",
		"replaced before \ufffd": "replaced before \ufffd",
	} {
		if got := Printable(text); got != want || len(got) > len(text) || !utf8.ValidString(got) {
			t.Errorf("Printable(%q) is %q, want %q", text, got, want)
		}
	}
}

func TestLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                      "",
		" \n\t":                 "",
		"a b":                   "a b",
		" a\nb\r\n":             "a b",
		"\x1b[2Ja\u202eb\x00":   "[2Ja b",
		"fio: \xff\x00b":        "fio: ? b",
		"\u00a0äöü …\u2028":     "äöü …",
		"two  blanks stay two":  "two  blanks stay two",
		"a line\n\nand another": "a line  and another",
	} {
		if got := Line(text); got != want || len(got) > len(text) || !utf8.ValidString(got) {
			t.Errorf("Line(%q) is %q, want %q", text, got, want)
		}
	}
}

func TestCut(t *testing.T) {
	for _, test := range []struct {
		text  string
		limit int
		mark  string
		want  string
	}{
		{"", 5, "...", ""},
		{"abcde", 5, "...", "abcde"},
		{"abcdef", 5, "...", "ab..."},
		{"abcdef", 5, "…", "ab…"},
		{"abcdef", 5, "", "abcde"},
		{"äöüß", 7, "…", "äö…"},
		{"äöüß", 6, "…", "ä…"},
		{"aäöü", 6, "…", "aä…"},
		{"äöüß", 5, "", "äö"},
		{"abcdef", 3, "...", "..."},
		{"abcdef", 2, "...", "ab"},
		{"ä", 1, "…", ""},
		{"abc", 0, "...", ""},
		{"abc", -1, "", ""},
		{"", 0, "...", ""},
		{"\x80\x80\x80", 2, "", ""},
	} {
		if got := Cut(test.text, test.limit, test.mark); got != test.want || len(got) > max(test.limit, 0) {
			t.Errorf("Cut(%q, %d, %q) is %q, want %q", test.text, test.limit, test.mark, got, test.want)
		}
	}
}

func TestExcerpt(t *testing.T) {
	for text, want := range map[string]string{
		"":                                 "",
		"bs=4k":                            "bs=4k",
		"exec_prerun=id\nioengine=x":       "exec_prerun=id ioengine=x",
		"a\x1b[2J\u202e":                   "a [2J",
		strings.Repeat("a", 64):            strings.Repeat("a", 64),
		strings.Repeat("a", 65):            strings.Repeat("a", 61) + "...",
		strings.Repeat("ä", 33):            strings.Repeat("ä", 30) + "...",
		strings.Repeat("\xff", 65):         "?...",
		strings.Repeat("\n", 60) + "later": "l...",
	} {
		if got := Excerpt(text); got != want || len(got) > maxExcerpt || !utf8.ValidString(got) {
			t.Errorf("Excerpt(%q) is %q, want %q", text, got, want)
		}
	}
}

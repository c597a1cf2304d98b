// Package humanize makes texts and figures fit to be read by people: printable, of bounded length, and without more digits
// than they are worth. It is pure.
package humanize

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxExcerpt bounds Excerpt.
const maxExcerpt = 64

// Printable returns a text as valid UTF-8 that has no other characters than printable ones and line ends. Blanks stand for
// the others, such as escapes and what turns the direction of a text, and a question mark for bytes that are no UTF-8. It
// is never longer than the text.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, strings.ToValidUTF8(text, "?"))
}

// Line returns a text as Printable does, in one line and without blanks around it. It is never longer than the text.
func Line(text string) string {
	return strings.TrimSpace(strings.ReplaceAll(Printable(text), "\n", " "))
}

// Cut shortens a text to at most limit bytes, without cutting a character in two. The mark is the end of a text that was
// shortened, and counts as well; where it has no room itself it is left out.
func Cut(text string, limit int, mark string) string {
	if len(text) <= limit {
		return text
	}
	if len(mark) > limit {
		mark = ""
	}
	end := max(limit-len(mark), 0)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + mark
}

// MaxNote is the most bytes of an event's note that the API server accepts.
const MaxNote = 1024

// Fit makes a text that others have written fit to be shown, and shortens it to at most limit bytes, without cutting a character in two, and shows that it did. Such a
// text may be no UTF-8, which could not be written, and have escapes, which would reach the terminal of whoever reads it.
func Fit(text string, limit int) string { return Cut(Printable(text), limit, "…") }

// Excerpt returns a user's text as a message can repeat it: in one line, and of at most 64 bytes.
func Excerpt(text string) string {
	return Line(Cut(text, maxExcerpt, "..."))
}

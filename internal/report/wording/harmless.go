package wording

import (
	"strings"
	"unicode"
)

// Harmless is a text from a cluster without what a terminal acts on, and with its lines and columns.
func Harmless(what string) string { return strings.Map(HarmlessRune, what) }

// HarmlessRune returns a character that may be printed: escapes and other control characters could do anything to a
// terminal, those that turn the direction of a text or are not seen mislead its reader. What stands for them shows that there was something.
func HarmlessRune(r rune) rune {
	if r == '\n' || r == '\t' || unicode.IsPrint(r) {
		return r
	}
	return unicode.ReplacementChar
}

package console

import (
	"fmt"
	"regexp"
	"strings"
)

// number is a figure with its unit, where it begins a word: 2998, 46.8 MiB/s, 469us, ±2%, 1m0s, (0.54x), 4/4. Digits within words,
// such as those of gp3, and values of parameters, such as that of bs=16k, are none.
var number = regexp.MustCompile(`(^|[\s(/±~])` + // what it begins after
	`\d+(?:[.,:-]\d+)*` +
	`(?:T[\d:.]+Z)?` +
	`(?:\s?(?:[KMGT]i?)?B(?:/s)?\b|(?:ns|us|ms|[smhdx%])(?:\d+[smh])*)?`)

var blanks = regexp.MustCompile(`\s+`)

// elided matches what a page leaves out of a line.
var elided = regexp.MustCompile(`\.\.\.|…`)

// normal is a line without what differs from time to time: figures, and how wide columns are.
func normal(line string) string {
	return number.ReplaceAllString(strings.TrimSpace(blanks.ReplaceAllString(line, " ")), "$1#")
}

// isElision says whether a shown line stands for any number of lines.
func isElision(line string) bool {
	text := strings.TrimSpace(line)
	return text == "..." || text == "…"
}

// likeLine says whether a line looks like the one that is shown.
func likeLine(shown, got string) bool {
	var parts []string
	for _, part := range elided.Split(normal(shown), -1) {
		parts = append(parts, regexp.QuoteMeta(strings.TrimSpace(part)))
	}
	return regexp.MustCompile("^" + strings.Join(parts, `\s?.*?\s?`) + "$").MatchString(normal(got))
}

// Match compares output with what a page shows of it, and returns the number in got of each line that is shown, -1 of those that
// stand for others. Lines are alike if they are the same but for figures and widths; a line "..." stands for any number of lines,
// and within a line for anything. The error says which line is not as it is shown.
func Match(shown, got []string) ([]int, error) {
	got = withoutBlankEnd(got)
	lines := make([]int, len(shown))
	next, anywhere := 0, false
	for i := 0; i < len(shown); {
		if isElision(shown[i]) {
			lines[i], anywhere = -1, true
			i++
			continue
		}
		end := i
		for end < len(shown) && !isElision(shown[end]) {
			end++
		}
		at, err := find(shown[i:end], got, next, anywhere, end == len(shown))
		if err != nil {
			return nil, err
		}
		for ; i < end; i++ {
			lines[i] = at
			at++
		}
		next, anywhere = at, false
	}
	if !anywhere && next < len(got) {
		return nil, fmt.Errorf("there is more than what is shown: %q", got[next])
	}
	return lines, nil
}

// find returns where the shown lines are in got, of which those before next are spoken for: right there, or, if anything may come
// before them, at the first place from there on; the last ones are at the end. Where they are nowhere, the error is about the
// place at which most of them are.
func find(shown, got []string, next int, anywhere, last bool) (int, error) {
	from, to := next, next
	switch end := max(next, len(got)-len(shown)); {
	case anywhere && last:
		from, to = end, end
	case anywhere:
		to = end
	}
	var failure error
	furthest := -1
	for at := from; at <= to; at++ {
		bad := differs(shown, got[at:])
		if bad < 0 {
			return at, nil
		}
		if bad <= furthest {
			continue
		}
		furthest = bad
		failure = fmt.Errorf("%q is shown, and there is no such line", shown[bad])
		if at+bad < len(got) && (from == to || bad > 0) {
			failure = fmt.Errorf("%q is shown, and it is %q", shown[bad], got[at+bad])
		}
	}
	return 0, failure
}

// differs returns the first of the shown lines that got does not have, -1 if there is none.
func differs(shown, got []string) int {
	for i, line := range shown {
		if i >= len(got) || !likeLine(line, got[i]) {
			return i
		}
	}
	return -1
}

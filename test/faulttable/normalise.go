package faulttable

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// volatile are the parts of messages that differ from one time to the next, and what stands for them in the page.
// The order matters: what comes first is not seen by what comes later.
var volatile = []struct {
	pattern *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`), "UID"},
	{regexp.MustCompile(`\bsha256:[0-9a-f]{64}\b`), "DIGEST"},
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?( ?(Z|[+-]\d\d:?\d\d)( UTC)?)?`), "TIME"},
	{regexp.MustCompile(`\b\d+\.\d+\.\d+\.\d+(/\d+)?(:\d+)?\b`), "IP"},
	{regexp.MustCompile(`\bvol-[0-9a-f]{8,}\b`), "VOLUME"},
	{regexp.MustCompile(`\b[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}\b`), "TIME"},
	// What fio says of a process and of an I/O, what it finds in place of what it has written, and the numbers of a job and its file.
	{regexp.MustCompile(`\b(pid|offset)=\d+`), "$1=N"},
	{regexp.MustCompile(`\b(bad magic header) [0-9a-f]+`), "$1 N"},
	{regexp.MustCompile(`(/volume/[^ :]+)\.\d+\.\d+\b`), "$1.N.N"},
	// Seconds end each duration. Without them 500m are half a CPU.
	{regexp.MustCompile(`\b(\d+[hm])*\d+(\.\d+)?(s|ms|µs)\b`), "N s"},
	{regexp.MustCompile(`\b\d+ (s|ms)\b`), "N s"},
	{regexp.MustCompile(`\b[0-9a-f]{32,}\b`), "HASH"},
	// How many nodes do not fit depends on how many there are.
	{regexp.MustCompile(`\b0/\d+ nodes are available`), "0/N nodes are available"},
	{regexp.MustCompile(`\b\d+ (node\(s\)|Preemption is not)`), "N $1"},
}

// Normalise replaces what differs each time in a message: identifiers, times, numbers of seconds, addresses, and the
// names given, each by what it is mapped to ("node-1" -> "NODE"). Longer names are replaced first.
func Normalise(text string, names map[string]string) string {
	for _, name := range slices.SortedFunc(maps.Keys(names), func(a, b string) int { return cmp.Or(len(b)-len(a), cmp.Compare(a, b)) }) {
		if name != "" {
			text = strings.ReplaceAll(text, name, names[name])
		}
	}
	for _, v := range volatile {
		text = v.pattern.ReplaceAllString(text, v.instead)
	}
	return text
}

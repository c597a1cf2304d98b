package fio

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A report has room for two of reads, writes, trims and syncs in each of as many groups as can be: more are refused.
func TestFiguresThatFit(t *testing.T) {
	sections := func(n int, options string) string {
		text := "[global]\nsize=1m\n"
		for i := range n {
			text += fmt.Sprintf("[s%d]\nstonewall\n%s\n", i, options)
		}
		return text
	}
	for name, test := range map[string]struct {
		text string
		want string
	}{
		"as many groups of writes and syncs": {sections(MaxGroups, "rw=write\nfsync=1"), ""},
		"as many groups of mixed I/O":        {sections(MaxGroups, "rw=randrw"), ""},
		"mixed I/O with syncs":               {sections(10, "rw=randrw\nfdatasync=1"), ""},
		"too many of them":                   {sections(11, "rw=randrw\nfdatasync=1"), "syncs 33 times together, and a report has room for 32; use group_reporting in [global], or make several workloads of it"},
		"in one group":                       {strings.ReplaceAll(sections(11, "rw=randrw\nfdatasync=1"), "stonewall", "group_reporting"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := mustParse(t, test.text)
			g := guard{path: field.NewPath("f")}
			g.checkGroups(f)
			if got := g.errs.ToAggregate(); (got == nil) != (test.want == "") || got != nil && !strings.Contains(got.Error(), test.want) {
				t.Errorf("refused with %v, want %q", got, test.want)
			}
		})
	}
}

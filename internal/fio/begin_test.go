package fio

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Sections begin together unless one waits for another, or by itself.
func TestBegins(t *testing.T) {
	const second = 1_000_000
	for name, test := range map[string]struct {
		text string
		want []Begin
	}{
		"one":                        {"[a]\n", []Begin{{}}},
		"together":                   {"[a]\n[b]\n[c]\n", []Begin{{}, {}, {}}},
		"one after the other":        {"[a]\n[b]\nstonewall\n[c]\n[d]\nstonewall\n", []Begin{{}, {Stage: 1}, {Stage: 1}, {Stage: 2}}},
		"a group of its own":         {"[global]\ngroup_reporting\n[a]\n[b]\nnew_group\n[c]\nstonewall\n", []Begin{{}, {}, {Stage: 1}}},
		"waiting for one by name":    {"[a]\n[b]\nwait_for=a\n[c]\n", []Begin{{}, {Stage: 1}, {}}},
		"after a delay":              {"[a]\nstartdelay=30\n[b]\nstartdelay=500ms\nramp_time=10\n", []Begin{{AfterMicroseconds: 30 * second}, {AfterMicroseconds: 10.5 * second}}},
		"after a range of delays":    {"[a]\nstartdelay=5-30\n", []Begin{{AfterMicroseconds: 5 * second}}},
		"the first of those grouped": {"[global]\ngroup_reporting\n[a]\nstartdelay=5\n[b]\nstartdelay=3\n[c]\nwait_for=a\n", []Begin{{AfterMicroseconds: 3 * second}}},
	} {
		f := mustParse(t, "[global]\nsize=64k\n"+test.text)
		if diff := cmp.Diff(test.want, f.Begins()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if len(f.Begins()) != len(f.Groups()) {
			t.Errorf("%s: %d begins of groups %v", name, len(f.Begins()), f.Groups())
		}
	}
}

// What fio reads before it measures is no part of a result, and counted by the kernel.
func TestReadsBefore(t *testing.T) {
	for text, want := range map[string]bool{
		"[a]\nrw=read\n": false, "[a]\nrw=read\npre_read=0\n": false, "[a]\nrw=read\npre_read=1\n": true, "[global]\npre_read\n[a]\nrw=read\n[b]\nrw=read\n": true,
	} {
		job, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := job.ReadsBefore(); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}

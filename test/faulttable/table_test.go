package faulttable

import (
	"strings"
	"testing"
)

const page = `# Faults

Text.

## Nodes

About nodes.

| What goes wrong | How the test does it | What you see meanwhile | How it ends | Attempts of each run | Ends within | What is left |
|---|---|---|---|---|---|---|
| kubelet stops | SIGTERM | Measuring | Completed | 1 | 60 s | nothing |
| node drained | eviction | Preparing | Completed | 2 | 60 s | nothing |

After the table.

## Others
`

var drained = Row{Section: "Nodes", Fault: "node drained", Done: "eviction", Seen: "Preparing", End: "Completed", Attempts: "2", Bound: "60 s", Left: "nothing"}

func TestRows(t *testing.T) {
	rows := Parse(page).Rows()
	if len(rows) != 2 || rows[1] != drained {
		t.Errorf("rows = %+v", rows)
	}
	if got := Parse(page).String(); got != page {
		t.Errorf("a page that is not changed became %s", got)
	}
}

func TestDifference(t *testing.T) {
	p := Parse(page)
	if got := p.Difference(drained); got != "" {
		t.Errorf("the same row differs: %s", got)
	}
	other := drained
	other.Attempts = "3"
	if got := p.Difference(other); !strings.Contains(got, "Attempts of each run") || !strings.Contains(got, "observed: 3") || strings.Contains(got, "Ends within") {
		t.Errorf("difference = %q", got)
	}
	for _, unknown := range []Row{{Section: "Nodes", Fault: "node lost"}, {Section: "Others", Fault: "node drained"}} {
		if got := p.Difference(unknown); !strings.Contains(got, "has no row") {
			t.Errorf("difference of %+v = %q", unknown, got)
		}
	}
}

func TestSet(t *testing.T) {
	for name, test := range map[string]struct {
		row   Row
		after string
	}{
		"known fault":   {drained, "| kubelet stops |"},
		"new fault":     {Row{Section: "Nodes", Fault: "node lost"}, "| node drained |"},
		"first of all":  {Row{Section: "Others", Fault: "quota"}, "|---|"},
		"new section":   {Row{Section: "Control plane", Fault: "etcd stops"}, "|---|"},
		"unclean cells": {Row{Section: "Nodes", Fault: "a", Seen: "one | two\nthree"}, "| node drained |"},
	} {
		t.Run(name, func(t *testing.T) {
			p := Parse(page)
			p.Set(test.row)
			p = Parse(p.String())
			if got := p.Difference(test.row); got != "" {
				t.Errorf("the row that was set differs: %s", got)
			}
			lines := strings.Split(p.String(), "\n")
			for i, line := range lines {
				if strings.HasPrefix(line, "| "+test.row.Fault+" |") && !strings.HasPrefix(lines[i-1], test.after) {
					t.Errorf("the row stands after %q", lines[i-1])
				}
			}
			if !strings.Contains(p.String(), "\nAfter the table.\n") {
				t.Error("text is lost")
			}
		})
	}
}

func TestRemove(t *testing.T) {
	p := Parse(page)
	p.Remove(func(r Row) bool { return r.Fault != "node drained" })
	if rows := p.Rows(); len(rows) != 1 || rows[0].Fault != "kubelet stops" {
		t.Errorf("rows = %+v", rows)
	}
}

func TestNormalise(t *testing.T) {
	names := map[string]string{"node-1": "NODE", "node-10": "OTHER", "e2e-x7f": "NAMESPACE"}
	for in, want := range map[string]string{
		"2 runs on 1 target in 1m12s":                                                          "2 runs on 1 target in N s",
		"waited 20 s for its end":                                                              "waited N s for its end",
		"told 1500 ms before, 3 of 4 runs":                                                     "told N s before, 3 of 4 runs",
		"node node-10 and node-1 (a in namespace e2e-x7f)":                                     "node OTHER and NODE (a in namespace NAMESPACE)",
		"dial tcp 127.0.0.1:6443: connection refused":                                          "dial tcp IP: connection refused",
		"volume pvc-0f8c1d4e-1111-2222-3333-0123456789ab (loop)":                               "volume pvc-UID (loop)",
		"a limit of 500m CPU":                                                                  "a limit of 500m CPU",
		"pid=50: Sat Nov 21 17:58:23 2026 fio: /volume/d/w.0.1: write offset=4096, buflen=512": "pid=N: TIME fio: /volume/d/w.N.N: write offset=N, buflen=512",
		"0/4 nodes are available: 1 node(s) were unschedulable. preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling.": "0/N nodes are available: N node(s) were unschedulable. preemption: 0/N nodes are available: N Preemption is not helpful for scheduling.",
		"Unix epoch 2026-11-21 17:09:51 +0000 UTC": "Unix epoch TIME",
	} {
		if got := Normalise(in, names); got != want {
			t.Errorf("Normalise(%q) = %q, want %q", in, got, want)
		}
	}
}

package main

import (
	"strings"
	"testing"
	"time"
)

func of(clients, writes, each, passes int) *measurement {
	return &measurement{clients: clients, runs: 2, writes: writes, each: each, passes: passes}
}

func TestCheck(t *testing.T) {
	few := of(5, 50, 30, 100)
	for _, test := range []struct {
		name string
		many *measurement
		want []string // in what it complains of
	}{
		{"the same for each client", of(40, 400, 240, 800), nil},
		{"fewer for each client", of(40, 300, 240, 100), nil},
		{"as many as is linear", of(40, 440, 264, 1200), nil},
		{"more writes", of(40, 441, 240, 800), []string{"writes a run and client grow from 5.00 with 5 clients to 5.51 with 40"}},
		{"more passes", of(40, 400, 240, 1201), []string{"passes a run and client grow from 10.00 with 5 clients to 15.01 with 40"}},
		{"more for each client, and fewer in all", of(40, 300, 265, 800), []string{"writes of Jobs, pods and claims a run and client grow from 3.00 with 5 clients to 3.31 with 40"}},
		{"more of all", of(40, 4000, 4000, 8000), []string{"writes a", "writes of Jobs", "passes"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := check([]*measurement{few, test.many})
			if (err != nil) != (len(test.want) > 0) {
				t.Fatalf("error %v, want %q", err, test.want)
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q, want one with %q", err, want)
				}
			}
		})
	}
}

func TestTables(t *testing.T) {
	m := of(10, 100, 60, 40)
	m.calls = map[string]int{"patch jobs": 20}
	m.splits = []split{{create: time.Second}, {create: 3 * time.Second}, {create: 2 * time.Second}}
	got := tables([]*measurement{m})
	for _, want := range []string{
		"| clients | 10 |", "| writes a run and client | 5.00 |", "| passes a run and client | 2.00 |", "| of these, of Jobs, pods and claims | 3.00 |", "| patch jobs | 20 |",
		"| make the Jobs | 2.00 |",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no line %q in:\n%s", want, got)
		}
	}
}

package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var began = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// made is a call that began and ended so many milliseconds after began.
func made(user, verb, resource, subresource, name string, from, to int) call {
	c := call{Verb: verb, Began: at(from), Ended: at(to)}
	c.User.Username = user
	c.ObjectRef.Resource, c.ObjectRef.Subresource, c.ObjectRef.Name = resource, subresource, name
	return c
}

func at(milliseconds int) time.Time { return began.Add(time.Duration(milliseconds) * time.Millisecond) }

// A line of the log may be read before its end is written.
func TestAuditReader(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	line := func(name, from string) string {
		return `{"verb":"patch","user":{"username":"storagebench-operator"},"objectRef":{"resource":"jobs","name":"` + name +
			`"},"requestReceivedTimestamp":"2026-01-01T00:00:` + from + `Z","stageTimestamp":"2026-01-01T00:00:09Z"}` + "\n"
	}
	if err := os.WriteFile(path, []byte(line("late", "02.5")+line("early", "01.000001")), 0o600); err != nil {
		t.Fatal(err)
	}
	reader, err := newAuditReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.close()
	calls, err := reader.next()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range calls {
		names = append(names, c.ObjectRef.Name)
	}
	if diff := cmp.Diff([]string{"early", "late"}, names); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	if want := began.Add(time.Second + time.Microsecond); !calls[0].Began.Equal(want) {
		t.Errorf("began %s, want %s", calls[0].Began, want)
	}
	if calls, err := reader.next(); len(calls) > 0 || err != nil {
		t.Errorf("the second time: %d calls, %v, want none", len(calls), err)
	}
}

func TestCall(t *testing.T) {
	for _, test := range []struct {
		call                     call
		kind                     string
		writes, tells, forClient bool
	}{
		{made(userOperator, "patch", "pods", "status", "", 0, 0), "patch pods/status", true, false, true},
		{made(userOperator, "get", "pods", "log", "", 0, 0), "get pods/log", false, false, true},
		{made(userOperator, "list", "events", "", "", 0, 0), "list events", false, true, false},
		{made(userOperator, "create", "events", "", "", 0, 0), "create events", true, true, false},
		{made(userOperator, "deletecollection", "configmaps", "", "", 0, 0), "deletecollection configmaps", true, false, false},
	} {
		if got := test.call.kind(); got != test.kind {
			t.Errorf("kind %q, want %q", got, test.kind)
		}
		if got := test.call.writes(); got != test.writes {
			t.Errorf("%s writes: %v, want %v", test.kind, got, test.writes)
		}
		if got := test.call.tells(); got != test.tells {
			t.Errorf("%s tells: %v, want %v", test.kind, got, test.tells)
		}
		if got := test.call.forClient(); got != test.forClient {
			t.Errorf("%s is for a client: %v, want %v", test.kind, got, test.forClient)
		}
	}
}

func TestTally(t *testing.T) {
	got := tally([]call{
		made(userOperator, "patch", "jobs", "", "a", 0, 1), made(userOperator, "patch", "jobs", "", "b", 0, 1),
		made(userOperator, "patch", "pods", "", "a", 0, 1), made(userManager, "patch", "jobs", "", "a", 0, 1),
	})
	if diff := cmp.Diff(map[string]int{"patch jobs": 2, "patch pods": 1}, got); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

func TestSplits(t *testing.T) {
	calls := []call{
		made(userNodes, "patch", "pods", "status", "anchor", 0, 50),
		made(userOperator, "patch", "jobs", "", "one", 100, 140),
		made(userOperator, "patch", "jobs", "", "one-client-1", 110, 200), // the last one to be answered
		made(userOperator, "patch", "jobs", "", "one-client-2", 120, 190),
		made(userNodes, "patch", "pods", "status", "one", 300, 400),
		made(userNodes, "patch", "pods", "status", "one-client-1", 310, 500),
		made(userOperator, "patch", "storagebenchmarks", "status", "sb", 510, 520),
		made(userOperator, "patch", "pods", "", "one", 600, 610),
		made(userOperator, "patch", "pods", "", "one-client-1", 601, 700),
		made(userNodes, "patch", "pods", "status", "one", 1700, 1720),
		made(userNodes, "patch", "pods", "status", "one-client-1", 1710, 1800),
		made(userOperator, "patch", "jobs", "", "two-client-1", 1998, 2100), // begins before its first client's
		made(userOperator, "patch", "jobs", "", "two", 2000, 2050),
	}
	millisecond := time.Millisecond
	want := []split{{
		create: 100 * millisecond, start: 300 * millisecond, agree: 100 * millisecond, tell: 100 * millisecond,
		wait: 1100 * millisecond, record: 200 * millisecond,
	}}
	got := splits(calls, []string{"one", "two"})
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(split{})); diff != "" {
		t.Errorf("splits (-want +got):\n%s", diff)
	}
	if whole := got[0].whole(); whole != 1900*millisecond {
		t.Errorf("whole %s, want 1.9s: from one run's first Job to the next one's", whole)
	}
}

// Runs by one client have no start that is told.
func TestSplitsOfOneClient(t *testing.T) {
	calls := []call{
		made(userOperator, "patch", "jobs", "", "one", 0, 10), made(userNodes, "patch", "pods", "status", "one", 20, 30),
		made(userOperator, "patch", "jobs", "", "two", 40, 50),
	}
	if got := splits(calls, []string{"one", "two"}); len(got) > 0 {
		t.Errorf("splits %v, want none", got)
	}
}

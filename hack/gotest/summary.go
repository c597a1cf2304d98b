package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// event is a line of "go test -json": go doc test2json.
type event struct {
	Time    time.Time
	Action  string
	Package string
	Test    string
	Output  string
	// Key and Value are of an attribute of a test.
	Key, Value string
}

// waited is the attribute by which a test says that it has waited for its turn, and begins.
const waited = "waited"

// testName is that of a test, and not of a subtest.
type testName struct{ pkg, test string }

type result struct {
	testName
	took time.Duration
}

// summary prints what people want to see.
type summary struct {
	out   io.Writer
	each  bool
	began time.Time
	// said is what tests that have not ended yet have printed, and begins and ends when they began and ended.
	said    map[testName]*bytes.Buffer
	begins  map[testName]time.Time
	ends    map[testName]time.Time
	results []result
}

func newSummary(out io.Writer, each bool, began time.Time) *summary {
	return &summary{out: out, each: each, began: began, said: map[testName]*bytes.Buffer{}, begins: map[testName]time.Time{}, ends: map[testName]time.Time{}}
}

// line takes a line of go test. What is no JSON is for people as it is.
func (s *summary) line(line []byte, now time.Time) {
	var e event
	if err := json.Unmarshal(line, &e); err != nil || e.Action == "" {
		_, _ = s.out.Write(line)
		return
	}
	test, sub, _ := strings.Cut(e.Test, "/")
	name := testName{e.Package, test}
	switch e.Action {
	case "build-output":
		fmt.Fprint(s.out, e.Output)
	case "output":
		// The event that says how a test has ended comes only when another test prints something.
		if strings.HasPrefix(e.Output, "--- ") && sub == "" {
			s.ends[name] = e.Time
		}
		s.output(name, e.Output)
	case "run", "cont":
		// What go test itself says of a test leaves out subtests that are parallel.
		if sub == "" {
			s.begins[name] = e.Time
		}
	case "attr":
		if e.Key == waited {
			s.begins[name] = e.Time
		}
	case "pass", "fail", "skip":
		switch {
		case test == "":
			s.unfinished(e.Package)
		case sub == "":
			s.ended(name, e, now)
		}
	}
}

func (s *summary) output(name testName, text string) {
	if name.test == "" {
		if text != "PASS\n" { // the line that begins with "ok" says it too
			fmt.Fprint(s.out, text)
		}
		return
	}
	if strings.HasPrefix(text, "=== ") {
		return
	}
	if s.said[name] == nil {
		s.said[name] = &bytes.Buffer{}
	}
	s.said[name].WriteString(text)
}

func (s *summary) ended(name testName, e event, now time.Time) {
	end := e.Time
	if said, ok := s.ends[name]; ok {
		end = said
	}
	r := result{name, end.Sub(s.begins[name])}
	s.results = append(s.results, r)
	if e.Action == "fail" {
		s.show(name)
	}
	delete(s.said, name)
	if s.each || e.Action == "fail" {
		fmt.Fprintf(s.out, "%7s  %-4s %7.1fs  %s\n", now.Add(end.Sub(e.Time)).Sub(s.began).Round(time.Second), e.Action, r.took.Seconds(), name.test)
	}
}

func (s *summary) show(name testName) {
	if text := s.said[name]; text != nil {
		_, _ = text.WriteTo(s.out)
	}
}

// unfinished shows what tests have said that never ended, because one of them brought the package down.
func (s *summary) unfinished(pkg string) {
	for name := range s.said {
		if name.pkg == pkg {
			fmt.Fprintf(s.out, "%s has not ended:\n", name.test)
			s.show(name)
			delete(s.said, name)
		}
	}
}

// slowest prints the tests that took longest, without the time for which they waited for their turn.
func (s *summary) slowest(n int) {
	slices.SortStableFunc(s.results, func(a, b result) int { return cmp.Compare(b.took, a.took) })
	if len(s.results) == 0 {
		return
	}
	n = min(n, len(s.results))
	fmt.Fprintf(s.out, "the slowest %d of %d tests:\n", n, len(s.results))
	for _, r := range s.results[:n] {
		fmt.Fprintf(s.out, "%9.1fs  %s %s\n", r.took.Seconds(), r.pkg, r.test)
	}
}

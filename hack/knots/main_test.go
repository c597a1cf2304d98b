package main

import (
	"io"
	"slices"
	"strings"
	"testing"
)

func TestMeasure(t *testing.T) {
	packages, err := load("./testdata/tangled")
	if err != nil {
		t.Fatal(err)
	}
	if cycle := packages[0].cycle(); !slices.Equal(cycle, []string{"a.go", "b.go", "c.go"}) {
		t.Errorf("the cycle is %v, want a.go, b.go and c.go", cycle)
	}
	if methods, of := packages[0].methods(); methods != 3 || of != "embeds" {
		t.Errorf("the largest method set is that of %s with %d, want embeds with 3", of, methods)
	}
}

func TestLimits(t *testing.T) {
	for _, test := range []struct {
		limits figures
		want   string
	}{
		{figures{files: 3, methods: 3}, ""},
		{figures{}, ""},
		{figures{files: 2, methods: 3}, "3 files refer to each other in a cycle, more than 2"},
		{figures{files: 3, methods: 2}, "type embeds has 3 methods, more than 2"},
	} {
		err := run(io.Discard, test.limits, "./testdata/tangled")
		if (err == nil) != (test.want == "") || (err != nil && !strings.Contains(err.Error(), test.want)) {
			t.Errorf("with limits %+v the error is %v, want %q", test.limits, err, test.want)
		}
	}
}

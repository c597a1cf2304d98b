package cleanup

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// Pods go before the files that they write, claims and volumes before what these need. Nothing else waits.
func TestNextTurn(t *testing.T) {
	gone := func(kind Kind) Removal { return Removal{Kind: kind} }
	left := func(kind Kind) Removal { return Removal{Kind: kind, Left: true} }
	failed := func(kind Kind) Removal { return Removal{Kind: kind, Left: true, Failed: true} }
	unseen := func(kind Kind) Removal { return Removal{Kind: kind, Failed: true} }
	for _, test := range []struct {
		name           string
		before         []Removal
		halfOver, over bool
		want           Turn
	}{
		{name: "it begins", want: Turn{Kind: Runs}},
		{name: "no run is left", before: []Removal{gone(Runs)}, want: Turn{Kind: Anchors}},
		{name: "a run is left", before: []Removal{left(Runs)}, want: Turn{Kind: Anchors}},
		{name: "a run cannot be removed", before: []Removal{failed(Runs)}, want: Turn{Kind: Anchors}},
		{name: "runs cannot be looked for", before: []Removal{unseen(Runs)}, want: Turn{After: []Kind{Runs}}},
		{name: "runs cannot be looked for, for half of the time", before: []Removal{unseen(Runs)}, halfOver: true, want: Turn{Kind: Anchors}},

		{name: "no pod is left", before: []Removal{gone(Runs), gone(Anchors)}, want: Turn{Kind: Files}},
		{name: "a run may write", before: []Removal{left(Runs), gone(Anchors)}, want: Turn{Kind: Files, After: []Kind{Runs}}},
		{name: "a run may write that nobody sees", before: []Removal{unseen(Runs), gone(Anchors)}, halfOver: true, want: Turn{Kind: Files, After: []Kind{Runs}}},
		{name: "an anchor is left", before: []Removal{gone(Runs), left(Anchors)}, want: Turn{Kind: Files, After: []Kind{Anchors}}},
		{name: "anchors cannot be looked for", before: []Removal{gone(Runs), unseen(Anchors)}, want: Turn{Kind: Files, After: []Kind{Anchors}}},
		{name: "all pods are left", before: []Removal{left(Runs), failed(Anchors)}, over: true, halfOver: true, want: Turn{Kind: Files, After: []Kind{Runs, Anchors}}},

		{name: "no file is left", before: []Removal{gone(Runs), gone(Anchors), gone(Files)}, want: Turn{Kind: Volumes}},
		{name: "files are left, on claims that wait by themselves", before: []Removal{gone(Runs), gone(Anchors), left(Files)}, want: Turn{Kind: Volumes}},
		{name: "pods are left, which keep their claims", before: []Removal{left(Runs), left(Anchors), left(Files)}, want: Turn{Kind: Volumes}},

		{name: "no volume is left", before: []Removal{gone(Runs), gone(Anchors), gone(Files), gone(Volumes)}, want: Turn{Kind: Objects}},
		{name: "only pods and files are left", before: []Removal{left(Runs), left(Anchors), left(Files), gone(Volumes)}, want: Turn{Kind: Objects}},
		{name: "a volume is left", before: []Removal{gone(Runs), gone(Anchors), gone(Files), left(Volumes)}, halfOver: true, want: Turn{After: []Kind{Volumes}}},
		{name: "volumes cannot be looked for", before: []Removal{gone(Runs), gone(Anchors), gone(Files), unseen(Volumes)}, want: Turn{After: []Kind{Volumes}}},
		{name: "a volume is left at the end", before: []Removal{gone(Runs), gone(Anchors), gone(Files), failed(Volumes)}, halfOver: true, over: true, want: Turn{Kind: Objects}},

		{name: "all were tried", before: []Removal{gone(Runs), gone(Anchors), gone(Files), gone(Volumes), left(Objects)}, want: Turn{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, NextTurn(test.before, test.halfOver, test.over)); diff != "" {
				t.Errorf("turn (-want +got):\n%s", diff)
			}
		})
	}
}

// A claim goes when its files are removed or given up, which has to be saved first: nobody could find it out without the claim.
func TestKeepsClaim(t *testing.T) {
	for _, test := range []struct {
		files       v1alpha1.TestFilesState
		saved, want bool
	}{
		{"", false, false},
		{"", true, false},
		{v1alpha1.TestFilesPresent, true, true},
		{v1alpha1.TestFilesPresent, false, true},
		{v1alpha1.TestFilesRemoved, false, true},
		{v1alpha1.TestFilesRemoved, true, false},
		{v1alpha1.TestFilesLeftBehind, false, true},
		{v1alpha1.TestFilesLeftBehind, true, false},
	} {
		if got := KeepsClaim(test.files, test.saved); got != test.want {
			t.Errorf("files are %q, saved: %t: the claim is kept: %t, want %t", test.files, test.saved, got, test.want)
		}
	}
}

package turns

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// begun returns the names of those that have their turn and had none before.
func begun(turns []*Turn, before map[string]bool) []string {
	var names []string
	for _, turn := range turns {
		select {
		case <-turn.granted:
			if name := turn.claim.Name; !before[name] {
				before[name] = true
				names = append(names, name)
			}
		default:
		}
	}
	slices.Sort(names)
	return names
}

// Each step ends the test that is named first, and names those that begin then.
func TestOrder(t *testing.T) {
	const load = 3
	minutes := func(n int) time.Duration { return time.Duration(n) * time.Minute }
	for _, test := range []struct {
		name   string
		claims []Claim
		steps  []string
	}{
		{
			name: "as many as the machine bears, some first, then the largest",
			claims: []Claim{
				{Name: "short", Load: 1, Budget: minutes(2)}, {Name: "long", Load: 1, Budget: minutes(5)}, {Name: "first", Load: 1, Budget: minutes(1), First: true},
				{Name: "large", Load: 2, Budget: minutes(3)}, {Name: "larger", Load: 3, Budget: minutes(1)}, {Name: "waits", Budget: minutes(1)},
			},
			steps: []string{": first large waits", "large: long short", "first:", "short:", "long: larger"},
		},
		{
			name: "one thing for one test, and others need not wait for it",
			claims: []Claim{
				{Name: "a", Takes: []string{"bucket"}, Budget: minutes(5)}, {Name: "b", Takes: []string{"bucket", "disk"}, Budget: minutes(4)},
				{Name: "c", Takes: []string{"disk"}, Budget: minutes(3)}, {Name: "d", Budget: minutes(2)},
			},
			steps: []string{": a c d", "a:", "c: b"},
		},
		{
			name: "some share a thing, and one does not",
			claims: []Claim{
				{Name: "a", Shares: []string{"disk"}, Budget: minutes(5)}, {Name: "b", Takes: []string{"disk"}, Budget: minutes(4)},
				{Name: "c", Shares: []string{"disk"}, Budget: minutes(3)}, {Name: "d", Shares: []string{"disk"}, Load: 3, Budget: minutes(2)},
			},
			steps: []string{": a c d", "a:", "d:", "c: b"},
		},
		{
			name: "nodes, those first that need several",
			claims: []Claim{
				{Name: "one", Nodes: 1, Budget: minutes(5)}, {Name: "two", Nodes: 2, Budget: minutes(2)}, {Name: "other", Nodes: 1, Budget: minutes(4)},
			},
			steps: []string{": one two", "two: other"},
		},
		{
			name: "alone, when all others have ended",
			claims: []Claim{
				{Name: "alone", Alone: true, Budget: minutes(1)}, {Name: "alone too", Alone: true, Nodes: 2, Load: 3, Budget: minutes(9)},
				{Name: "a", Budget: minutes(2)}, {Name: "b", Load: 3, Budget: minutes(2)},
			},
			steps: []string{": a b", "a:", "b: alone too", "alone too: alone"},
		},
		{
			name: "quiet ones beside each other, when those that are not have ended",
			claims: []Claim{
				{Name: "quiet", Quiet: true, Load: 1, Budget: minutes(1)}, {Name: "quieter", Quiet: true, Load: 2, Budget: minutes(1)}, {Name: "quietest", Quiet: true, Load: 3, Budget: minutes(1)},
				{Name: "alone", Alone: true}, {Name: "a", Load: 1, Budget: minutes(2)}, {Name: "b", Budget: minutes(3)},
			},
			steps: []string{": a b", "a:", "b: quietest", "quietest: quiet quieter", "quieter:", "quiet: alone"},
		},
		{
			name:   "one that gives up while it waits",
			claims: []Claim{{Name: "a", Load: 3, Budget: minutes(3)}, {Name: "b", Load: 3, Budget: minutes(2)}, {Name: "alone", Alone: true}},
			steps:  []string{": a", "b:", "a: alone"},
		},
		{
			name:   "those that are alike in the order in which they came",
			claims: []Claim{{Name: "x", Load: 3, Budget: minutes(2)}, {Name: "w", Load: 3, Budget: minutes(2)}, {Name: "v", Load: 3, Budget: minutes(2)}},
			steps:  []string{": x", "x: w", "w: v"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			q := New(load, "node-1", "node-2", "node-3")
			var turns []*Turn
			for _, claim := range test.claims {
				turn, err := q.Register(claim)
				if err != nil {
					t.Fatal(err)
				}
				turns = append(turns, turn)
			}
			before := map[string]bool{}
			for _, step := range test.steps {
				ends, begins, _ := strings.Cut(step, ":")
				if ends == "" {
					q.grant() // as the first that waits has it done
				}
				for _, turn := range turns {
					if turn.claim.Name == ends {
						turn.End()
					}
				}
				if got := strings.Join(begun(turns, before), " "); got != strings.TrimSpace(begins) {
					t.Errorf("after the end of %q these begin: %s, want%s", ends, got, begins)
				}
			}
		})
	}
}

// A node that was given back is somebody else's next.
func TestNodes(t *testing.T) {
	q := New(1, "node-1", "node-2")
	var turns []*Turn
	for range 3 {
		turn, err := q.Register(Claim{Nodes: 1})
		if err != nil {
			t.Fatal(err)
		}
		turns = append(turns, turn)
	}
	all := [][]string{turns[0].Await(), turns[1].Await()}
	turns[1].End()
	all = append(all, turns[2].Await())
	if diff := cmp.Diff([][]string{{"node-1"}, {"node-2"}, {"node-2"}}, all); diff != "" {
		t.Errorf("nodes (-want +got):\n%s", diff)
	}
}

// What nothing can satisfy must not wait for ever.
func TestTooMuch(t *testing.T) {
	q := New(2, "node-1")
	for want, claim := range map[string]Claim{
		"needs 2 nodes of its own, and there are 1": {Name: "a", Nodes: 2},
		"has a load of 3, and the machine bears 2":  {Name: "a", Load: 3},
	} {
		if _, err := q.Register(claim); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that says %q", err, want)
		}
	}
}

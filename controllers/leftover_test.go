package controllers

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestDescribeLeftovers(t *testing.T) {
	var left []leftover
	for i := range maxNamed + 3 {
		left = append(left, leftover{what: fmt.Sprintf("pod %d", i)})
	}
	for n, want := range map[int]string{
		0:            "",
		2:            "pod 0, pod 1",
		maxNamed:     "pod 0, pod 1, pod 2, pod 3, pod 4, pod 5, pod 6, pod 7, pod 8, pod 9, pod 10, pod 11, pod 12, pod 13, pod 14, pod 15",
		maxNamed + 3: "pod 0, pod 1, pod 2, pod 3, pod 4, pod 5, pod 6, pod 7, pod 8, pod 9, pod 10, pod 11, pod 12, pod 13, pod 14, pod 15, and 3 more",
	} {
		if got := describeLeftovers(left[:n]); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
	if one, many := pollFor(left[:1]), pollFor(make([]leftover, 400)); one > 300*time.Millisecond || many < 2*time.Second {
		t.Errorf("one is looked for every %s, 400 every %s", one, many)
	}
}

// What costs money is named before all else, where not all can be named.
func TestInstructionsBeginWithWhatCostsMoney(t *testing.T) {
	pod, claim := leftover{what: "pod", command: "p"}, leftover{what: "claim", command: "c", cost: keepsVolume}
	few := []leftover{pod, claim, leftoverVolume("pv", "vol-1")}
	if got, want := instructions(few), "pod (p); claim (c); volume pv (vol-1) (kubectl delete pv pv)"; got != want {
		t.Errorf("of few: got %s, want %s", got, want)
	}
	many := append(slices.Repeat([]leftover{pod}, maxNote), claim, leftoverVolume("pv", "vol-1"))
	if got, want := instructions(many), "volume pv (vol-1) (kubectl delete pv pv); claim (c); pod (p); pod (p)"; !strings.HasPrefix(got, want) {
		t.Errorf("of many: got %.100s, want %s", got, want)
	}
	if many[0] != pod {
		t.Error("the order of what is left has changed")
	}
}

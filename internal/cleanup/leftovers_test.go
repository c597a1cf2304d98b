package cleanup

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// As many as a message has room for are named, with how many more there are.
func TestNames(t *testing.T) {
	var left []Leftover
	for i := range MaxNamed + 3 {
		left = append(left, Leftover{What: fmt.Sprintf("pod %d", i)})
	}
	for n, want := range map[int]string{
		0:            "",
		2:            "pod 0, pod 1",
		MaxNamed:     "pod 0, pod 1, pod 2, pod 3, pod 4, pod 5, pod 6, pod 7, pod 8, pod 9, pod 10, pod 11, pod 12, pod 13, pod 14, pod 15",
		MaxNamed + 3: "pod 0, pod 1, pod 2, pod 3, pod 4, pod 5, pod 6, pod 7, pod 8, pod 9, pod 10, pod 11, pod 12, pod 13, pod 14, pod 15 and 3 more",
	} {
		if got := Names(left[:n]); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

// What costs money is named before all else, where not all can be named.
func TestInstructionsBeginWithWhatCostsMoney(t *testing.T) {
	pod, claim := Leftover{What: "pod", Command: "p"}, Leftover{What: "claim", Command: "c", Cost: KeepsVolume}
	volume := LeftVolume(v1alpha1.VolumeStatus{Name: "pv", Handle: "vol-1"}, Goes)[0]
	few := []Leftover{pod, claim, volume}
	if got, want := Instructions(few), "pod (p); claim (c); volume pv (vol-1) (kubectl delete pv pv)"; got != want {
		t.Errorf("of few: got %s, want %s", got, want)
	}
	many := append(slices.Repeat([]Leftover{pod}, 1024), claim, volume)
	if got, want := Instructions(many), "volume pv (vol-1) (kubectl delete pv pv); claim (c); pod (p); pod (p)"; !strings.HasPrefix(got, want) {
		t.Errorf("of many: got %.100s, want %s", got, want)
	}
	if many[0] != pod {
		t.Error("the order of what is left has changed")
	}
}

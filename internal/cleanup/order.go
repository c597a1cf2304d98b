package cleanup

import (
	"slices"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// Kind is a kind of what clean-up removes.
type Kind string

// The kinds, in the order in which they go.
const (
	Runs    Kind = "Runs"    // Jobs of runs, and their pods
	Anchors Kind = "Anchors" // pods that hold nodes
	Files   Kind = "Files"   // test files on storage where they would stay
	Volumes Kind = "Volumes" // claims, and with them their volumes
	Objects Kind = "Objects" // PersistentVolumes and StorageClasses, which have no namespace
)

// order has all kinds, each with those that have to be gone before it. Pods go first: Kubernetes keeps a claim as long as a pod names it, even one that
// has ended. Of volumes each claim waits by itself: see KeepsClaim.
var order = []Turn{
	{Kind: Runs},
	{Kind: Anchors},
	{Kind: Files, After: []Kind{Runs, Anchors}}, // a pod that still runs would write files again
	{Kind: Volumes},
	{Kind: Objects, After: []Kind{Volumes}}, // which claims and volumes need
}

// Removal is what has come of removing a kind in a pass.
type Removal struct {
	Kind Kind
	// Left says that something of it is not gone yet, Failed that a call failed, so that not all was removed, or looked for.
	Left, Failed bool
}

// Turn is the kind that is removed next, "" if none is in this pass, and the kinds that it waits for. It is not removed as long as it waits: what is left of it
// is only told.
type Turn struct {
	Kind  Kind
	After []Kind
}

// NextTurn says what a pass removes next, by what has come of the kinds before, in their order, and by whether half or all of the time for clean-up is over.
// What cannot be removed, as where a webhook refuses it, holds back nothing but what has to come after it.
func NextTurn(before []Removal, halfOver, over bool) Turn {
	switch {
	case len(before) == len(order):
		return Turn{}
	case len(before) == 1 && before[0].Failed && !before[0].Left && !halfOver:
		return Turn{After: []Kind{Runs}} // which pods there are decides what has to be saved before their claims go
	}
	turn := Turn{Kind: order[len(before)].Kind}
	for _, r := range before {
		if (r.Left || r.Failed) && slices.Contains(order[len(before)].After, r.Kind) {
			turn.After = append(turn.After, r.Kind)
		}
	}
	switch {
	case turn.Kind != Objects || len(turn.After) == 0:
		return turn
	case over:
		return Turn{Kind: Objects} // the last try
	default:
		return Turn{After: turn.After}
	}
}

// KeepsClaim says whether a claim is still needed, to remove test files that would stay without it. What has become of them must be saved first.
func KeepsClaim(files v1alpha1.TestFilesState, saved bool) bool {
	return files == v1alpha1.TestFilesPresent || (files != "" && !saved)
}

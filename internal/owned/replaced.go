package owned

import "github.com/storagebench/storagebench/api/v1alpha1"

// LostClaim describes a claim of a target that was deleted during the benchmark, whether or not another claim has its
// name now.
type LostClaim struct {
	// Target is the name of the target, and Name that of the claim.
	Target, Name string
	// SameStorage reports whether the claim that exists now has the storage of the deleted one.
	SameStorage bool
	// Used reports whether a pod has used the volume of the deleted claim.
	Used bool
	// Files is what becomes of the test files on the volume of the deleted claim: TestFilesPresent if they stay there.
	Files v1alpha1.TestFilesState
}

// KeepsFiles reports whether test files stay where the operator can no longer remove them.
func (l LostClaim) KeepsFiles() bool {
	return !l.SameStorage && (l.Files == v1alpha1.TestFilesPresent || l.Files == v1alpha1.TestFilesLeftBehind)
}

// WhyEnds says why the benchmark ends, "" if it goes on with another claim. Results on another volume are not comparable
// with those on the volume before, and the files that were laid out there are missing.
func (l LostClaim) WhyEnds() string {
	const remedy = "create the benchmark anew, and leave its claims in place"
	switch {
	case l.KeepsFiles():
		return "target " + l.Target + ": its claim was deleted, and with it the way to the test files there; " + remedy
	case l.Used && !l.SameStorage:
		return "target " + l.Target + ": claim " + l.Name + " was deleted, and with it the volume that was measured; " + remedy
	default:
		return ""
	}
}

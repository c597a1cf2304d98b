// Package cleanup decides how what was made for a benchmark is removed: in which order, for how long it is tried, what is to be done next about test files, and what
// becomes of volumes. It has the words by which people are told of what is left, and of what is kept. It reads nothing and writes nothing by itself.
package cleanup

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/storage"
)

// Found is what there is by the name of a claim.
type Found string

// What there can be.
const (
	Gone   Found = "Gone"   // nothing
	Other  Found = "Other"  // another claim than the one that was made, or than the one of somebody's that was measured on
	Ending Found = "Ending" // the claim, which is being deleted: no pod can begin to use it any more
	Device Found = "Device" // the claim, of a raw block volume: there are no files
	There  Found = "There"  // the claim
)

// IsLost says whether the claim is gone. What is there instead, if anything, is somebody's.
func (f Found) IsLost() bool { return f == Gone || f == Other }

// ClaimFacts is what the next step in removing the test files on a claim depends on.
type ClaimFacts struct {
	// Cleaning says that there is a Job that removes the files, Cleaned that it has.
	Cleaning, Cleaned bool
	// Existing says that the claim was there before the benchmark, MountedAsIs that another claim reaches the same storage.
	Existing, MountedAsIs bool
	// Found need not be known of a claim that is Cleaned.
	Found Found
	// Driver is that of its volumes, as far as it was noted, and Volumes is what is known of them. They need be known only of a claim that IsTraced.
	Driver  string
	Volumes []LostVolume
}

// IsTraced says whether the claim is somebody's, and gone, so that its volumes tell what becomes of the files.
func (f ClaimFacts) IsTraced() bool { return !f.Cleaned && f.Existing && f.Found.IsLost() }

// Step is what is to be done next about the test files on a claim.
type Step string

// The steps.
const (
	Finish  Step = "Finish"  // nothing, they are removed
	Abandon Step = "Abandon" // nothing, they cannot be reached any more
	Await   Step = "Await"   // nothing yet
	Clean   Step = "Clean"   // make the Job that removes them
	Remount Step = "Remount" // make another claim, by which they are reached
)

// Files is what has become of the files before the step, which Clean and Remount change nothing of by themselves.
func (s Step) Files() v1alpha1.TestFilesState {
	switch s {
	case Finish:
		return v1alpha1.TestFilesRemoved
	case Abandon:
		return v1alpha1.TestFilesLeftBehind
	default:
		return v1alpha1.TestFilesPresent
	}
}

// NextStep says what to do next about the test files on a claim. That the claim is gone says nothing of files on storage that stays. What a driver
// has made for the claim cannot be reached without it, and may be gone as well. On a claim that has the name of one that is gone they are not: what
// is there is somebody's.
func NextStep(f ClaimFacts) Step {
	lost := f.Found.IsLost()
	switch {
	case f.Cleaned, f.Found == Device:
		return Finish
	case f.IsTraced() && FilesOnLostClaim(f.Driver, f.Volumes...) == v1alpha1.TestFilesRemoved:
		return Finish
	case f.IsTraced():
		return Abandon
	case f.Found == Gone && f.MountedAsIs:
		return Remount
	case lost:
		return Abandon
	case f.Cleaning, f.Found == Ending:
		return Await
	default:
		return Clean
	}
}

// LostVolume is what is known of a volume of a claim that is gone. The zero value is one that is gone as well.
type LostVolume struct {
	// Unseen says that a namespaced operator does not see it, Held that a claim that is there has it.
	Unseen, Held bool
	// Policy is its reclaim policy, "" if it is gone. Provisioner is the driver that has made it, and deletes it, "" if an administrator has made
	// it. Driver is the one that mounts it.
	Policy              corev1.PersistentVolumeReclaimPolicy
	Provisioner, Driver string
}

// FilesOnLostClaim says what becomes of test files on somebody's claim that is gone, by its driver, as far as that was noted, and its volumes. They are
// gone with these, but not with those that are retained, that another claim has, that no driver deletes, or whose driver leaves files behind. Of a volume
// that is gone only the note tells the driver. Where no volume is known nobody can tell what has become of it.
func FilesOnLostClaim(noted string, volumes ...LostVolume) v1alpha1.TestFilesState {
	stay := func(v LostVolume) bool {
		switch {
		case v.Unseen, v.Held:
			return true
		case v.Policy == "":
			return noted == "" // nobody can tell what has become of them
		default:
			return v.Policy != corev1.PersistentVolumeReclaimDelete || v.Provisioner == "" || storage.LeavesFiles(v.Driver)
		}
	}
	if len(volumes) == 0 || storage.LeavesFiles(noted) || slices.ContainsFunc(volumes, stay) {
		return v1alpha1.TestFilesLeftBehind
	}
	return v1alpha1.TestFilesRemoved
}

// FilesAfter says what becomes of test files after a try to remove them that has come to a state, or met an error. They have half of the time for clean-up, so that
// the other half is left to remove the volumes. failed says that a Job that was to remove them has failed for good.
func FilesAfter(state v1alpha1.TestFilesState, err error, halfOver, failed bool) (v1alpha1.TestFilesState, error) {
	switch {
	case err == nil && state != v1alpha1.TestFilesPresent:
		return state, nil
	case halfOver, err == nil && failed:
		return v1alpha1.TestFilesLeftBehind, nil
	default:
		return v1alpha1.TestFilesPresent, err
	}
}

// HasFiles says whether there are test files to remove.
func HasFiles(targets []v1alpha1.TargetStatus) bool {
	return slices.ContainsFunc(targets, func(t v1alpha1.TargetStatus) bool { return t.TestFiles == v1alpha1.TestFilesPresent })
}

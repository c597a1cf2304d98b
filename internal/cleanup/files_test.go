package cleanup

import (
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/storage"
)

// What is done next follows from what there is by the name of the claim, whose it is, and from the Job that removes the files.
func TestNextStep(t *testing.T) {
	const driver = "csi.fake"
	for _, test := range []struct {
		name  string
		facts ClaimFacts
		want  Step
	}{
		{"they are removed", ClaimFacts{Cleaning: true, Cleaned: true}, Finish},
		{"they are removed from somebody's claim", ClaimFacts{Cleaning: true, Cleaned: true, Existing: true}, Finish},

		{"on a claim", ClaimFacts{Found: There}, Clean},
		{"on somebody's claim", ClaimFacts{Found: There, Existing: true}, Clean},
		{"in a bucket", ClaimFacts{Found: There, MountedAsIs: true}, Clean},
		{"a Job is there", ClaimFacts{Found: There, Cleaning: true}, Await},
		{"a Job is there, and the claim is being deleted", ClaimFacts{Found: Ending, Cleaning: true}, Await},

		{"a device", ClaimFacts{Found: Device}, Finish},
		{"somebody's device, with a Job", ClaimFacts{Found: Device, Existing: true, Cleaning: true}, Finish},

		{"the claim is being deleted", ClaimFacts{Found: Ending}, Await},
		{"somebody's claim is being deleted", ClaimFacts{Found: Ending, Existing: true}, Await},
		{"the claim of a bucket is being deleted", ClaimFacts{Found: Ending, MountedAsIs: true}, Await},

		{"the claim is gone", ClaimFacts{Found: Gone}, Abandon},
		{"the claim is gone, with a Job", ClaimFacts{Found: Gone, Cleaning: true}, Abandon},
		{"somebody's claim is gone, and its volume goes", ClaimFacts{Found: Gone, Existing: true, Driver: driver, Volumes: []LostVolume{{}}}, Finish},
		{"somebody's claim is gone, and its volume goes, with a Job", ClaimFacts{Found: Gone, Existing: true, Cleaning: true, Driver: driver, Volumes: []LostVolume{{}}}, Finish},
		{"somebody's claim is gone, and its volume stays", ClaimFacts{Found: Gone, Existing: true, Driver: driver, Volumes: []LostVolume{{Held: true}}}, Abandon},
		{"somebody's claim is gone, and nothing is known of its volume", ClaimFacts{Found: Gone, Existing: true, Cleaning: true}, Abandon},
		{"the claim of a bucket is gone", ClaimFacts{Found: Gone, MountedAsIs: true}, Remount},
		{"the claim of a bucket is gone, with a Job", ClaimFacts{Found: Gone, MountedAsIs: true, Cleaning: true}, Remount},

		{"another claim has its name", ClaimFacts{Found: Other}, Abandon},
		{"another claim has its name, with a Job", ClaimFacts{Found: Other, Cleaning: true}, Abandon},
		{"another claim has the name of somebody's, whose volume goes", ClaimFacts{Found: Other, Existing: true, Driver: driver, Volumes: []LostVolume{{}}}, Finish},
		{"another claim has the name of somebody's, whose volume stays", ClaimFacts{Found: Other, Existing: true, Driver: driver, Volumes: []LostVolume{{Held: true}}}, Abandon},
		{"another claim has the name of a bucket's", ClaimFacts{Found: Other, MountedAsIs: true}, Abandon},
	} {
		if got := NextStep(test.facts); got != test.want {
			t.Errorf("%s: the next step is %s, want %s", test.name, got, test.want)
		}
	}
}

// What was on somebody's claim goes with its volumes, unless one is retained, or its driver leaves files behind, or nobody deletes it.
func TestFilesOnLostClaim(t *testing.T) {
	const driver = "csi.fake"
	const left, removed = v1alpha1.TestFilesLeftBehind, v1alpha1.TestFilesRemoved
	of := func(policy corev1.PersistentVolumeReclaimPolicy, provisioner, mounts string) LostVolume {
		return LostVolume{Policy: policy, Provisioner: provisioner, Driver: mounts}
	}
	const remove, retain = corev1.PersistentVolumeReclaimDelete, corev1.PersistentVolumeReclaimRetain
	for _, test := range []struct {
		name    string
		noted   string
		volumes []LostVolume
		want    v1alpha1.TestFilesState
	}{
		{"no volume was seen", driver, nil, left},
		{"no volume was seen, nor a driver", "", nil, left},
		{"no volume was seen, and files stay", storage.EFSDriver, nil, left},
		{"it is gone", driver, []LostVolume{{}}, removed},
		{"it is gone, and nobody knows what it was", "", []LostVolume{{}}, left},
		{"it is gone, and files stay", storage.S3Driver, []LostVolume{{}}, left},
		{"it cannot be seen", driver, []LostVolume{{Unseen: true}}, left},
		{"it is to be deleted", driver, []LostVolume{of(remove, driver, driver)}, removed},
		{"it is to be deleted, which was not noted", "", []LostVolume{of(remove, driver, driver)}, removed},
		{"it is to be deleted, and files stay, which was not noted", "", []LostVolume{of(remove, storage.EFSDriver, storage.EFSDriver)}, left},
		{"another claim has it", driver, []LostVolume{{Held: true, Policy: remove, Provisioner: driver, Driver: driver}}, left},
		{"it is retained", driver, []LostVolume{of(retain, driver, driver)}, left},
		{"it is recycled", driver, []LostVolume{of(corev1.PersistentVolumeReclaimRecycle, driver, driver)}, left},
		{"nobody deletes it", driver, []LostVolume{of(remove, "", driver)}, left},
		{"one of two is retained", driver, []LostVolume{of(remove, driver, driver), of(retain, driver, driver)}, left},
	} {
		if got := FilesOnLostClaim(test.noted, test.volumes...); got != test.want {
			t.Errorf("%s: they are %s, want %s", test.name, got, test.want)
		}
	}
}

// Only a step that leaves nothing to be done says that files are removed, or given up.
func TestFilesOfAStep(t *testing.T) {
	for step, want := range map[Step]v1alpha1.TestFilesState{
		Finish: v1alpha1.TestFilesRemoved, Abandon: v1alpha1.TestFilesLeftBehind,
		Await: v1alpha1.TestFilesPresent, Clean: v1alpha1.TestFilesPresent, Remount: v1alpha1.TestFilesPresent,
	} {
		if got := step.Files(); got != want {
			t.Errorf("%s: they are %s, want %s", step, got, want)
		}
	}
}

// Volumes tell what becomes of files only where a claim of somebody's is gone, and its files were not removed before.
func TestIsTraced(t *testing.T) {
	for _, found := range []Found{Gone, Other, Ending, Device, There} {
		for _, existing := range []bool{false, true} {
			for _, cleaned := range []bool{false, true} {
				f := ClaimFacts{Found: found, Existing: existing, Cleaned: cleaned}
				if want := existing && !cleaned && (found == Gone || found == Other); f.IsTraced() != want {
					t.Errorf("%+v: %t, want %t", f, f.IsTraced(), want)
				}
			}
		}
	}
}

// Test files have half of the time for clean-up. What is known by then stays known, and an error is one only as long as there is time.
func TestFilesAfter(t *testing.T) {
	const present, removed, left = v1alpha1.TestFilesPresent, v1alpha1.TestFilesRemoved, v1alpha1.TestFilesLeftBehind
	busy := errors.New("etcd is busy")
	for _, test := range []struct {
		name     string
		halfOver bool
		state    v1alpha1.TestFilesState
		err      error
		failed   bool
		want     v1alpha1.TestFilesState
		pass     error
	}{
		{"removed", false, removed, nil, false, removed, nil},
		{"removed late", true, removed, nil, true, removed, nil},
		{"given up", false, left, nil, false, left, nil},
		{"not yet", false, present, nil, false, present, nil},
		{"not in half of the time", true, present, nil, false, left, nil},
		{"its Job failed for good", false, present, nil, true, left, nil},
		{"an error", false, present, busy, false, present, busy},
		{"an error, whatever it came with", false, removed, busy, false, present, busy},
		{"an error, after a Job that failed", false, present, busy, true, present, busy},
		{"an error for too long", true, present, busy, false, left, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := FilesAfter(test.state, test.err, test.halfOver, test.failed)
			if got != test.want || !errors.Is(err, test.pass) {
				t.Errorf("they are %s, %v, want %s, %v", got, err, test.want, test.pass)
			}
		})
	}
}

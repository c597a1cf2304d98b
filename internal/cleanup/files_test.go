package cleanup

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/storage"
)

// What is done next follows from what there is by the name of the claim, whose it is, and from the Job that removes the files.
func TestNextStep(t *testing.T) {
	for _, test := range []struct {
		name  string
		facts ClaimFacts
		want  Step
	}{
		{"they are removed", ClaimFacts{Cleaning: true, Cleaned: true}, Finish},
		{"they are removed from somebody's claim", ClaimFacts{Cleaning: true, Cleaned: true, Foreign: true}, Finish},

		{"on a claim", ClaimFacts{Found: There}, Clean},
		{"on somebody's claim", ClaimFacts{Found: There, Foreign: true}, Clean},
		{"in a bucket", ClaimFacts{Found: There, MountedAsIs: true}, Clean},
		{"a Job is there", ClaimFacts{Found: There, Cleaning: true}, Await},
		{"a Job is there, and the claim is being deleted", ClaimFacts{Found: Ending, Cleaning: true}, Await},

		{"a device", ClaimFacts{Found: Device}, Finish},
		{"somebody's device, with a Job", ClaimFacts{Found: Device, Foreign: true, Cleaning: true}, Finish},

		{"the claim is being deleted", ClaimFacts{Found: Ending}, Await},
		{"somebody's claim is being deleted", ClaimFacts{Found: Ending, Foreign: true}, Await},
		{"the claim of a bucket is being deleted", ClaimFacts{Found: Ending, MountedAsIs: true}, Await},

		{"the claim is gone", ClaimFacts{Found: Gone}, Abandon},
		{"the claim is gone, with a Job", ClaimFacts{Found: Gone, Cleaning: true}, Abandon},
		{"somebody's claim is gone", ClaimFacts{Found: Gone, Foreign: true}, Trace},
		{"somebody's claim is gone, with a Job", ClaimFacts{Found: Gone, Foreign: true, Cleaning: true}, Trace},
		{"the claim of a bucket is gone", ClaimFacts{Found: Gone, MountedAsIs: true}, Remount},
		{"the claim of a bucket is gone, with a Job", ClaimFacts{Found: Gone, MountedAsIs: true, Cleaning: true}, Remount},

		{"another claim has its name", ClaimFacts{Found: Other}, Abandon},
		{"another claim has its name, with a Job", ClaimFacts{Found: Other, Cleaning: true}, Abandon},
		{"another claim has the name of somebody's", ClaimFacts{Found: Other, Foreign: true}, Trace},
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

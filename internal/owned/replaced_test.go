package owned

import (
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

func TestClaimChange(t *testing.T) {
	says := map[Follow]string{
		LoseFiles:    "target fast: its claim was deleted, and with it the way to the test files there; create the benchmark anew, and leave its claims in place",
		RefuseClaims: "target fast: one of its claims was deleted, and another one of its name was not made for this benchmark; create the benchmark anew, and leave its claims in place",
	}
	for name, test := range map[string]struct {
		change ClaimChange
		want   Follow
		may    bool
	}{
		"the same":                       {ClaimChange{Noted: "a", Seen: "a"}, KeepClaims, false},
		"none yet":                       {ClaimChange{}, KeepClaims, false},
		"the first":                      {ClaimChange{Seen: "a"}, NoteClaims, false},
		"the first, with files of a pod": {ClaimChange{Seen: "a", Files: v1alpha1.TestFilesPresent}, NoteClaims, false},
		"the cache is behind":            {ClaimChange{Noted: "b", Seen: "a", Unconfirmed: true, SameStorage: true}, LookAgain, true},
		"others of the same storage":     {ClaimChange{Noted: "a", Seen: "b", SameStorage: true, Files: v1alpha1.TestFilesPresent}, NoteClaims, true},
		"others":                         {ClaimChange{Noted: "a", Seen: "b"}, ForgetVolumes, true},
		"others, files went":             {ClaimChange{Noted: "a", Seen: "b", Files: v1alpha1.TestFilesRemoved}, ForgetVolumes, true},
		"others, files stay":             {ClaimChange{Noted: "a", Seen: "b", Files: v1alpha1.TestFilesPresent}, LoseFiles, true},
		"others, files were left behind": {ClaimChange{Noted: "a", Seen: "b", Files: v1alpha1.TestFilesLeftBehind}, LoseFiles, true},
		"gone":                           {ClaimChange{Noted: "a"}, ForgetVolumes, true},
		"its own is gone":                {ClaimChange{Noted: "a", Own: true}, ForgetVolumes, true},
		"its own is gone, files stay":    {ClaimChange{Noted: "a", Own: true, Files: v1alpha1.TestFilesPresent}, LoseFiles, true},
		"its own, the first":             {ClaimChange{Seen: "a", Own: true}, NoteClaims, false},
		"others in the place of its own": {ClaimChange{Noted: "a", Seen: "b", Own: true}, RefuseClaims, true},
		"its own, of the same storage":   {ClaimChange{Noted: "a", Seen: "b", Own: true, SameStorage: true}, NoteClaims, true},
	} {
		t.Run(name, func(t *testing.T) {
			got := test.change.Decide("fast")
			if got.Follow != test.want || test.change.MayReplace() != test.may {
				t.Errorf("%s follows, want %s; may replace: %t", got.Follow, test.want, test.change.MayReplace())
			}
			if want := says[test.want]; got.Message != want {
				t.Errorf("it says %q, want %q", got.Message, want)
			}
		})
	}
}

package owned

import (
	"strings"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// The benchmark goes on without a deleted claim only if nothing was done on its volume, or all of that is still there.
func TestLostClaim(t *testing.T) {
	const present, removed, left = v1alpha1.TestFilesPresent, v1alpha1.TestFilesRemoved, v1alpha1.TestFilesLeftBehind
	for name, test := range map[string]struct {
		lost LostClaim
		want string // "": the benchmark goes on
		left bool
	}{
		"nobody used it":                         {LostClaim{}, "", false},
		"a pod used it":                          {LostClaim{Used: true}, "target t: claim c was deleted, and with it the volume that was measured", false},
		"its files went":                         {LostClaim{Used: true, Files: removed}, "target t: claim c was deleted", false},
		"its files stay":                         {LostClaim{Used: true, Files: present}, "the way to the test files there", true},
		"its files stay, and no volume is known": {LostClaim{Files: present}, "the way to the test files there", true},
		"its files were left behind":             {LostClaim{Files: left}, "the way to the test files there", true},
		"another claim has its storage":          {LostClaim{Used: true, SameStorage: true, Files: present}, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			test.lost.Target, test.lost.Name = "t", "c"
			why := test.lost.WhyEnds()
			if (why == "") != (test.want == "") || !strings.Contains(why, test.want) || test.lost.KeepsFiles() != test.left {
				t.Errorf("it ends because %q, want %q; files stay: %t", why, test.want, test.lost.KeepsFiles())
			}
			if why != "" && !strings.HasSuffix(why, "; create the benchmark anew, and leave its claims in place") {
				t.Errorf("%q has no remedy", why)
			}
		})
	}
}

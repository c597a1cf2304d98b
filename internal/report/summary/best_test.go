package summary

import (
	"strings"
	"testing"
)

// TestNamed: as much of a name as there is room for stands before what is said, and none of it before an absurd figure.
func TestNamed(t *testing.T) {
	for _, test := range []struct{ target, what, want string }{
		{"gp3", "3048 IOPS", "gp3 3048 IOPS"},
		{strings.Repeat("n", 32), "3048 IOPS", strings.Repeat("n", 10) + ".. 3048 IOPS"},
		{"gp3", "9223372036854775 IOPS", "9223372036854775 IOPS"},
		{"longer", "922337203685477 IOPS", "922337203685477 IOPS"},
	} {
		if got := named(test.target, test.what); got != test.want {
			t.Errorf("named(%q, %q) is %q, want %q", test.target, test.what, got, test.want)
		}
	}
}

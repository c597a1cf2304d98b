package humanize

import (
	"strings"
	"testing"
)

func TestClosest(t *testing.T) {
	known := []string{"iodepth", "numjobs", "size"}
	for name, want := range map[string]string{
		"iodepht": "iodepth", "numjob": "numjobs", "sizes": "size", "bandwidth": "", "": "", strings.Repeat("s", 65): "",
	} {
		if got := Closest(name, known); got != want {
			t.Errorf("closest to %q is %q, want %q", name, got, want)
		}
	}
}

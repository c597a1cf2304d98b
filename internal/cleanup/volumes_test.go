package cleanup

import "testing"

// Only a volume that was made for a claim of the benchmark is changed. One that was there before is left as it was, whatever becomes of its claim.
func TestFateOf(t *testing.T) {
	for _, test := range []struct {
		name  string
		facts VolumeFacts
		want  Fate
	}{
		{"it is gone, or bound to nothing of ours", VolumeFacts{}, NotOurs},
		{"it is made for somebody's claim", VolumeFacts{Made: true}, NotOurs},
		{"it goes with somebody's claim", VolumeFacts{Made: true, Deletes: true}, NotOurs},
		{"a bucket's", VolumeFacts{Bound: true, AsIs: true}, NotOurs},
		{"a bucket's, to be deleted", VolumeFacts{Bound: true, AsIs: true, Deletes: true}, NotOurs},
		{"a bucket's that looks as if it were made for its claim", VolumeFacts{Bound: true, AsIs: true, Made: true}, NotOurs},
		{"it is made for its claim", VolumeFacts{Bound: true, Made: true, Deletes: true}, Goes},
		{"it was there before, and goes by its own policy", VolumeFacts{Bound: true, Deletes: true}, Goes},
		{"its StorageClass retains it", VolumeFacts{Bound: true, Made: true}, Retained},
		{"it was there before", VolumeFacts{Bound: true}, Stays},
	} {
		if got := FateOf(test.facts); got != test.want {
			t.Errorf("%s: its fate is %q, want %q", test.name, got, test.want)
		}
	}
}

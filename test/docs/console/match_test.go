package console

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLikeLine(t *testing.T) {
	for _, test := range []struct {
		shown, got string
		want       bool
	}{
		{"randwrite  bs=16k  gp3   2998  46.8 MiB/s  5.33ms  469us", "randwrite   bs=16k  gp3  103  1000 KiB/s  12us  1.2s", true},
		{"randwrite  bs=16k  gp3  2998", "randwrite  bs=64k  gp3  2998", false},
		{"randwrite  bs=16k  gp3  2998", "randwrite  bs=16k  gp2  2998", false},
		{"gp3  2998  VolumeIOPS", "gp3  2998  Latency", false},
		{"gp3  2998  VolumeIOPS", "gp3  2998", false},
		{"gp3  2998", "gp3  many", false},
		{"2998 ±3%", "3001 ±12%", true},
		{"2998 ±3%", "3001", false},
		{"4 x 798-812 (0.9%)", "4 x 1-2 (10.0%)", true},
		{"Completed  4/4  42s", "Completed  4/4  1m3s", true},
		{"Completed  4/4  42s", "RunFailed  4/4  42s", false},
		{"efs 1610 (0.54x); randwrite", "efs 9 (1.01x); randwrite", true},
		{"efs 1610 (0.54x); randwrite", "gp3 1610 (0.54x); randwrite", false},
		{"at 2026-11-21T10:00:00Z", "at 2027-01-02T03:04:05Z", true},
		{"1610 IOPS", "1,610 IOPS", true},
		{"5 MB", "5 MBIT", false},
		{"Warning ShortRuntime ...: measured for 3001 ms", "Warning ShortRuntime (2 results): randwrite.gp3: measured for 3001 ms", true},
		{"Warning ShortRuntime …", "Warning ShortRuntime (2 results)", true},
		{"Warning ShortRuntime ...", "Warning Spread (2 results)", false},
		{"... gp3", "a b gp3", true},
		{"a.c (x)", "abc (x)", false},
		{"", "", true},
		{"", "x", false},
	} {
		if got := likeLine(test.shown, test.got); got != test.want {
			t.Errorf("%q is like %q: %t, want %t (%q, %q)", test.got, test.shown, got, test.want, normal(test.shown), normal(test.got))
		}
	}
}

func TestMatch(t *testing.T) {
	got := []string{"NAME  IOPS", "a     10", "b     20", "", "Warning x", "  remedy", "", ""}
	for name, test := range map[string]struct {
		shown, got []string
		want       []int
		err        string
	}{
		"all":                 {shown: []string{"NAME IOPS", "a 1", "b 2", "", "Warning x", "remedy"}, want: []int{0, 1, 2, 3, 4, 5}},
		"the beginning":       {shown: []string{"NAME IOPS", "a 1", "..."}, want: []int{0, 1, -1}},
		"the end":             {shown: []string{"...", "Warning x", "remedy"}, want: []int{-1, 4, 5}},
		"the middle":          {shown: []string{"...", "b 1", "..."}, want: []int{-1, 2, -1}},
		"both ends":           {shown: []string{"NAME IOPS", "...", "remedy"}, want: []int{0, -1, 5}},
		"anything":            {shown: []string{"..."}, want: []int{-1}},
		"nothing of nothing":  {shown: []string{"..."}, got: []string{""}, want: []int{-1}},
		"a line is missing":   {shown: []string{"NAME IOPS", "b 1", "..."}, err: `"b 1" is shown, and it is "a     10"`},
		"more than is shown":  {shown: []string{"NAME IOPS", "a 1"}, err: `there is more than what is shown: "b     20"`},
		"less than is shown":  {shown: []string{"NAME IOPS", "a 1"}, got: []string{"NAME IOPS"}, err: `"a 1" is shown, and there is no such line`},
		"not in the middle":   {shown: []string{"...", "c 1", "..."}, err: `"c 1" is shown, and there is no such line`},
		"not in this order":   {shown: []string{"...", "b 1", "...", "a 1", "..."}, err: `"a 1" is shown, and there is no such line`},
		"not one after other": {shown: []string{"...", "a 1", "Warning x", "..."}, err: `"Warning x" is shown, and it is "b     20"`},
		"not at the end":      {shown: []string{"...", "b 1"}, err: `"b 1" is shown, and it is "  remedy"`},
		"only once there":     {shown: []string{"...", "a 1", "...", "a 1"}, err: `"a 1" is shown, and it is "  remedy"`},
		"the end, of less":    {shown: []string{"...", "a 1", "b 1", "c 1"}, got: []string{"a 1"}, err: `"b 1" is shown, and there is no such line`},
	} {
		t.Run(name, func(t *testing.T) {
			if test.got == nil {
				test.got = got
			}
			lines, err := Match(test.shown, test.got)
			message := ""
			if err != nil {
				message = err.Error()
			}
			if diff := cmp.Diff(test.want, lines); diff != "" || message != test.err {
				t.Errorf("error %q, want %q; lines (-want +got):\n%s", message, test.err, diff)
			}
		})
	}
}

package fiooutput

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadLog(t *testing.T) {
	// The second line is as fio 3.39 writes it where it is told to log offsets and priorities.
	text := "1795559027616, 499, 0, 0, 0\n1795559028619, 299, 1, 4096, 12288, 0x0000\n1795559028619, 7, 2, 0, 0\n"
	var got []Sample
	if err := ReadLog(strings.NewReader(text), func(s Sample) { got = append(got, s) }); err != nil {
		t.Fatal(err)
	}
	want := []Sample{{1795559027616, "read", 499}, {1795559028619, "write", 299}, {1795559028619, "trim", 7}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for name, text := range map[string]string{
		"two fields":         "1, 2\n",
		"no time":            "x, 2, 0\n",
		"no value":           "1, x, 0\n",
		"another direction":  "1, 2, 3\n",
		"a negative value":   "1, -2, 0\n",
		"a time beyond all":  "18446744073709551615, 2, 0\n",
		"a line without end": strings.Repeat("1", maxLogLine+1),
	} {
		if err := ReadLog(strings.NewReader(text), func(Sample) {}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestReadHistogramLog(t *testing.T) {
	counts := func(n int, set map[int]string) string {
		all := make([]string, n)
		for i := range all {
			all[i] = "0"
			if count, ok := set[i]; ok {
				all[i] = count
			}
		}
		return strings.Join(all, ", ")
	}
	const buckets = 1856
	var got []HistogramSample
	text := "1000, 1, 4096, " + counts(buckets, map[int]string{5: "2", 1855: "1"}) + "\n"
	if err := ReadHistogramLog(strings.NewReader(text), func(s HistogramSample) { got = append(got, s) }); err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0].Milliseconds != 1000 || got[0].Direction != "write" || got[0].Histogram.Count() != 3 || got[0].Histogram.Percentile(50) != 5 {
		t.Errorf("%+v", got)
	}
	for name, text := range map[string]string{
		"no histogram":                     "1000, 1, 4096\n",
		"a coarse one":                     "1000, 1, 4096, " + counts(buckets/4, nil) + "\n",
		"too long":                         "1000, 1, 4096, " + counts(buckets+1, nil) + "\n",
		"no count":                         "1000, 1, 4096, " + counts(buckets, map[int]string{9: "x"}) + "\n",
		"a difference that wrapped around": "1000, 1, 4096, " + counts(buckets, map[int]string{9: "18446744073709551615"}) + "\n",
	} {
		if err := ReadHistogramLog(strings.NewReader(text), func(HistogramSample) {}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

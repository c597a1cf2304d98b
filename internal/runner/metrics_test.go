package runner

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
)

// What an exporter says takes little memory, however much it is.
func TestHostileMetricsTakeLittleMemory(t *testing.T) {
	const most = 4 << 20
	typed := "# TYPE " + metricVolumeIOPS + " counter\n"
	mine := typed + metricVolumeIOPS + "{volume_id=\"vol-1\"} 7\n"
	fill := func(format string, bytes int) string {
		var text strings.Builder
		for i := 0; text.Len() < bytes; i++ {
			fmt.Fprintf(&text, format, i)
		}
		return text.String()
	}
	for name, test := range map[string]struct {
		answer string
		err    string // "" where the volume's counter is found
	}{
		"of other volumes":           {mine + fill(metricVolumeIOPS+"{volume_id=\"vol-2%d\"} 1\n", 8_000_000), ""},
		"of other metrics":           {fill("m%d{a=\"b\"} 1\n", 8_000_000) + mine, ""},
		"of many labels":             {fill("m{a%d=\"b\",b=\"c\",c=\"d\",d=\"e\"} 1\n", 8_000_000) + mine, ""},
		"of types":                   {fill("# TYPE m%d counter\n", 8_000_000) + mine, ""},
		"of comments":                {fill("# vol-1 %d\n", 8_000_000) + mine, ""},
		"of nothing":                 {strings.Repeat("\n", 8_000_000) + mine, ""},
		"of the volume and metric":   {typed + fill(metricVolumeIOPS+"{volume_id=\"vol-1\",a=\"%d\"} 1\n", 8_000_000), "it has more than 32 KiB of one volume's few metrics"},
		"of types of the metric":     {strings.Repeat(typed, 8_000_000/len(typed)), "it has more than 32 KiB of one volume's few metrics"},
		"of a long line":             {metricVolumeIOPS + "{volume_id=\"" + strings.Repeat("v", 8_000_000) + "\"} 1\n", "token too long"},
		"of labels":                  {typed + metricVolumeIOPS + "{volume_id=\"vol-1\"," + fill("l%d=\"\",", 180) + "} 7\n", ""},
		"of more labels":             {typed + metricVolumeIOPS + "{volume_id=\"vol-1\"," + fill("l%d=\"\",", 15_000) + "} 7\n", "or a line of more than 256 bytes"},
		"that is longer than it may": {mine + strings.Repeat("m 1\n", 3_000_000), "it has more than 8 MiB"},
		"of no metrics":              {strings.Repeat("<html>\n", 1_000_000), "a line of it has no metric"},
	} {
		t.Run(name, func(t *testing.T) {
			families, took, err := measured(strings.NewReader(test.answer))
			switch value, found := counterOf(families[metricVolumeIOPS], "vol-1"); {
			case test.err != "":
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("it is taken, or refused with other words: %v", err)
				}
			case err != nil, !found, value != 7:
				t.Errorf("the counter is %v, found: %t, %v", value, found, err)
			}
			t.Logf("%d KiB", took>>10)
			if took > most {
				t.Errorf("it takes %d MiB, more than %d", took>>20, most>>20)
			}
		})
	}
}

// measured reads metrics of vol-1, and returns how much was allocated for that.
func measured(answer io.Reader) (families map[string]*dto.MetricFamily, took uint64, err error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	families, err = metricsOf(answer, "vol-1", metricVolumeIOPS)
	runtime.ReadMemStats(&after)
	return families, after.TotalAlloc - before.TotalAlloc, err
}

// Which metric a line is about, as the text format has it.
func TestMetricOf(t *testing.T) {
	for line, want := range map[string]string{
		"":                           "",
		"m 1":                        "m",
		"m{a=\"b\"} 1 1700000000000": "m",
		"m\t1":                       "m",
		"m":                          "m",
		"_m:n2 1":                    "_m:n2",
		":m 1":                       ":m",
		"M 1":                        "M",
		"{\"m\",a=\"b\"} 1":          "",
		"# TYPE m counter":           "m",
		"#\tTYPE\t m counter":        "m",
		"# HELP m TYPE m":            "",
		"# TYPE":                     "",
		"#":                          "",
		"#TYPE m counter":            "m",
		"1 m":                        "error",
		"<html>":                     "error",
		"\x00":                       "error",
	} {
		name, err := metricOf([]byte(line))
		if got := string(name); (err != nil) != (want == "error") || (err == nil && got != want) {
			t.Errorf("%q is about %q, %v, want %q", line, got, err, want)
		}
	}
}

package fiooutput

import (
	"math"
	"os"
	"testing"
)

// FuzzParseOutput holds that no output of fio brings the parser down or makes it invent I/O.
func FuzzParseOutput(f *testing.F) {
	for _, text := range []string{
		"{\n \"fio version\" : \"fio-3.33\",\n \"jobs\" : [ { \"jobname\" : \"a\", \"groupid\" : 0, \"error\" : 28,\n" +
			" \"write\" : { \"total_ios\" : 2, \"io_bytes\" : 8192, \"runtime\" : 5, \"clat_ns\" : { \"N\" : 2, \"bins\" : { \"129\" : 2 } } } } ]\n}\n\n" +
			"a: (groupid=0, jobs=1): err=28 (file:io_u.c:1, func=x, error=No space left on device): pid=1: Sat\n",
		"", "fio: x\n{\n}\n", "{\n \"jobs\" : [ { \"jobname\" : \"a\", \"read\" : { \"total_ios\" : 1, \"clat_ns\" : { \"N\" : 1, \"mean\" : nan } } } ]\n}\n",
		"{\n{\n{\n", "{\"\\", "{\nfio: x\n}\n",
	} {
		f.Add([]byte(text))
	}
	for _, figures := range []string{
		`"io_bytes": -1`, `"short_ios": -1, "drop_ios": -9223372036854775808`, `"runtime": -5`, `"total_ios": 9223372036854775807, "io_bytes": 9223372036854775807, "runtime": 1`,
		`"clat_ns": {"N": 9223372036854775807, "min": 5, "max": 4, "mean": 1e308, "stddev": 1e308}`, `"lat_ns": {"N": 1, "min": -5, "mean": -nan, "stddev": inf}`,
		`"clat_ns": {"N": 1, "bins": {"1": 9223372036854775807, "2": 9223372036854775807, "3": 9223372036854775807}}`,
	} {
		entry := `{"jobname": "a", "job_start": 1, "job_runtime": 9223372036854775807, "usr_cpu": 1e308, "read": {"total_ios": 1, "io_bytes": 1, ` + figures + `}}`
		f.Add([]byte("{ \"jobs\": [" + entry + ", " + entry + "]\n}\n"))
	}
	for _, sync := range []string{`"N": 9223372036854775807, "min": 1, "max": 2, "mean": 1e18`, `"bins": {"1": 9223372036854775807, "2": 9223372036854775807}`, `"N": -1, "bins": {"1": -5}`} {
		entry := `{"jobname": "a", "write": {"total_ios": 1}, "sync": {"total_ios": -1, "lat_ns": {` + sync + `}}}`
		f.Add([]byte("{ \"jobs\": [" + entry + ", " + entry + "]\n}\n"))
	}
	for _, name := range []string{"fio-3.40", "sync-3.39"} {
		data, err := os.ReadFile("testdata/" + name + ".json")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if words := ErrorText(data, data); len(words) > maxErrorBytes {
			t.Errorf("%d bytes of words", len(words))
		}
		output, err := Parse(data)
		if err != nil {
			return
		}
		_ = output.Err()
		for i := range output.Groups {
			checkGroup(t, &output.Groups[i])
		}
	})
}

// checkGroup holds a result to what a measurement can be.
func checkGroup(t *testing.T, g *Group) {
	t.Helper()
	if g.Jobs < 1 || g.ElapsedMilliseconds < 0 || g.JobStart < 0 || g.JobRuntimeMilliseconds < 0 || !isFigure(g.UserCPUPercent) || !isFigure(g.SystemCPUPercent) {
		t.Errorf("group %+v", g)
	}
	for _, d := range g.Directions() {
		if d.IOs <= 0 || d.Bytes < 0 || d.ShortIOs < 0 || d.DropIOs < 0 || d.RuntimeMilliseconds < 0 || !isFigure(d.IOPS) || !isFigure(d.BytesPerSecond) {
			t.Errorf("direction %+v", d)
		}
		checkLatency(t, d.Latency)
		checkLatency(t, d.CompletionLatency)
	}
	checkLatency(t, g.Sync)
}

func checkLatency(t *testing.T, l *LatencyStats) {
	t.Helper()
	if l != nil && (l.Count < 1 || l.MinNanoseconds < 0 || l.MaxNanoseconds < l.MinNanoseconds || !isFigure(l.MeanNanoseconds) || !isFigure(l.StddevNanoseconds)) {
		t.Errorf("latency %+v", l)
	}
}

// isFigure is false of what is negative, infinite or no number.
func isFigure(f float64) bool { return f >= 0 && f <= math.MaxFloat64 }

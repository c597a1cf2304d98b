package fiooutput

import (
	"fmt"
	"strings"
	"testing"
)

// outputOf returns the output of a job with these writes.
func outputOf(ioengine string, errno int, write string) []byte {
	return []byte(fmt.Sprintf(`{"fio version": "fio-3.39", "jobs": [{"jobname": "a", "error": %d,
		"job options": {"ioengine": %q}, "write": {%s}}]}`, errno, ioengine, write))
}

// Figures that contradict each other are an error, and no result. A job that failed, and one that only pretends I/O, may
// have such figures.
func TestContradictoryFigures(t *testing.T) {
	for name, test := range map[string]struct {
		ioengine string
		errno    int
		write    string
		want     string
	}{
		"consistent":          {"psync", 0, `"total_ios": 57, "io_bytes": 4096, "runtime": 1, "iops": 57000`, ""},
		"no I/O":              {"psync", 0, `"total_ios": 0, "io_bytes": 0, "runtime": 1000, "iops": 0`, ""},
		"no time":             {"psync", 0, `"total_ios": 57, "io_bytes": 4096, "runtime": 0`, "write has total_ios of 57 with runtime of 0"},
		"no bytes":            {"psync", 0, `"total_ios": 57, "io_bytes": 0, "runtime": 9`, "write has total_ios of 57 with io_bytes of 0"},
		"a rate without I/Os": {"psync", 0, `"total_ios": 0, "runtime": 9, "iops": 14250`, "write has iops of 14250 with total_ios of 0"},
		"a job that failed":   {"psync", 28, `"total_ios": 3, "io_bytes": 0, "runtime": 9`, ""},
		"metadata":            {"filecreate", 0, `"total_ios": 8, "io_bytes": 0, "runtime": 0`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse(outputOf(test.ioengine, test.errno, test.write))
			if got := fmt.Sprint(err); err == nil != (test.want == "") || !strings.Contains(got, test.want) {
				t.Errorf("the error is %v, want %q", err, test.want)
			}
		})
	}
}

// A real fio counts the writes that verify_only leaves out.
func TestVerifyOnly(t *testing.T) {
	t.Parallel()
	file := mustParse(t, "[a]\nrw=write\nsize=1M\nverify=crc32c\nverify_only\n")
	output, _ := measure(t, file)
	if g := output.Groups[0]; g.Write != nil {
		t.Errorf("writes that were not made are %+v", g.Write)
	}
}

// A real fio takes no time of the reads of verify_backlog when the runtime ends the writes.
func TestVerifyBacklog(t *testing.T) {
	t.Parallel()
	file := mustParse(t, "[a]\nrw=randwrite\nbs=4k\nsize=1M\nverify=crc32c\nverify_backlog=16\ntime_based\nruntime=500ms\n")
	output, _ := measure(t, file)
	if g := output.Groups[0]; g.Read != nil || g.Write == nil || g.Write.IOPS == 0 {
		t.Errorf("the reads are %+v and the writes %+v, want writes only", g.Read, g.Write)
	}
}

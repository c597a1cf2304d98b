package plan

import (
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// TestRunDeadlines: what a run asks for by itself is refused where a deadline that was given is too short, and else raises it.
func TestRunDeadlines(t *testing.T) {
	const (
		fio     = "{name: w, fio: {rw: read, size: 1M, %s}}"
		refused = `spec.deadlines.runCompletionSeconds: Invalid value: 3600: workload w can run for `
	)
	of := func(parameters string) string { return strings.ReplaceAll(fio, "%s", parameters) }
	file := func(lines ...string) string { return `{name: w, jobFile: "` + strings.Join(lines, `\n`) + `"}` }
	for _, test := range []struct {
		name, workload, deadline string
		// want is the deadline that follows, words are the problem.
		want  int32
		words []string
	}{
		{name: "short", workload: of("runtimeSeconds: 60")},
		{name: "half a day", workload: of("runtimeSeconds: 43200")},
		{name: "more than half a day", workload: of("runtimeSeconds: 43201"), want: 86_402},
		{name: "a day", workload: of("runtimeSeconds: 86400, timeBased: true"), want: 172_800},
		{name: "a day with a ramp", workload: of("runtimeSeconds: 86400, rampTimeSeconds: 100"), want: 173_000},
		{name: "a day with a delay", workload: of(`runtimeSeconds: 86400, options: {startdelay: 5s-10s}`), want: 172_820},
		{name: "loops end with the time", workload: of("runtimeSeconds: 86400, timeBased: true, loops: 7"), want: 172_800},
		{name: "no runtime", workload: "{name: w, fio: {rw: read, size: 1M, loops: 1000000}}", deadline: "3600"},
		{name: "sections one after the other", workload: file("[global]", "size=1M", "stonewall", "[a]", "runtime=12h", "[b]", "runtime=13h", "time_based"), want: 2 * 25 * 3600},
		{name: "sections side by side", workload: file("[global]", "size=1M", "[a]", "runtime=12h", "[b]", "runtime=13h"), want: 2 * 13 * 3600},
		{name: "one that ends by size beside", workload: file("[global]", "size=1M", "[a]", "runtime=12h", "time_based", "[b]", "runtime=20h", "[c]"), deadline: "43201"},
		{name: "the most by default", workload: of("runtimeSeconds: 604800"), want: 1_209_600},
		{name: "no more than can be", workload: file("[a]", "size=1M", "runtime=29d"), want: 2_592_000},
		{name: "in the matrix", workload: "{name: w, fio: {rw: read, size: 1M, runtimeSeconds: 1}, matrix: {runtime: [60, 86400]}}", want: 172_800},

		{name: "a day's work at its own rate", workload: "{name: w, fio: {rw: write, bs: 1M, size: 86400M, rate: 1M}}", want: 172_800},
		{name: "too short for its own rate", workload: "{name: w, fio: {rw: write, bs: 1M, size: 7200M, rate: 1M}}", deadline: "3600", words: []string{refused, "7200 s", "lower spec.workloads[0].fio.size"}},
		{name: "too long at its own rate", workload: "{name: w, fio: {rw: write, bs: 1M, size: 4M, rate: 1M, loops: 1000000}}", words: []string{"spec.workloads[0].fio.size: Invalid value: 4000000: fio can run for that many seconds"}},

		{name: "just long enough", workload: of("runtimeSeconds: 3599"), deadline: "3600"},
		{name: "as short", workload: of("runtimeSeconds: 3600"), deadline: "3600", words: []string{refused, "3600 s by its own options", "raise runCompletionSeconds above 3600 (files are laid out first), remove it, or lower spec.workloads[0].fio.runtimeSeconds"}},
		{name: "too short", workload: of("runtimeSeconds: 3000, rampTimeSeconds: 700"), deadline: "3600", words: []string{refused, "3700 s"}},
		{name: "too short for the sections", workload: file("[global]", "size=1M", "stonewall", "[a]", "runtime=30m", "[b]", "runtime=31m"), deadline: "3600", words: []string{refused, "3660 s", "lower spec.workloads[0].jobFile"}},
		{name: "too short for a case", workload: "{name: w, fio: {rw: read, size: 1M}, matrix: {timeout: [60, 7200]}}", deadline: "3600", words: []string{refused, "7200 s", "lower spec.workloads[0].matrix[timeout]"}},
		{name: "longer than a number holds", workload: file("[a]", "size=1M", "runtime=100000000d", "ramp_time=100000000d"), words: []string{"spec.workloads[0].jobFile: Invalid value: 9223372036855: fio can run for that many seconds by its own options, and deadlines.runCompletionSeconds can be at most 2592000"}},
		{name: "longer than a number holds, with a delay", workload: file("[a]", "size=1M", "time_based", "runtime=100000000d", "startdelay=1-100000000d"), deadline: "3600", words: []string{refused, "9223372036855 s by its own options"}},
		{name: "too long at all", workload: file("[a]", "size=1M", "runtime=30d"), words: []string{"spec.workloads[0].jobFile: Invalid value: 2592000: fio can run for that many seconds by its own options, and deadlines.runCompletionSeconds can be at most 2592000"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			spec := &v1alpha1.StorageBenchmarkSpec{}
			text := "targets: [" + class + "]\nworkloads: [" + test.workload + "]\n"
			if test.deadline != "" {
				text += "deadlines: {runCompletionSeconds: " + test.deadline + "}\n"
			}
			if err := yaml.UnmarshalStrict([]byte(text), spec); err != nil {
				t.Fatal(err)
			}
			runs, problems := Runs(spec, nil)
			if len(problems) > 1 || (len(problems) > 0) != (len(test.words) > 0) {
				t.Fatalf("problems %v, want words %q", problems, test.words)
			}
			for _, words := range test.words {
				if got := problems[0].Error(); !strings.Contains(got, words) {
					t.Errorf("%q lacks %q", got, words)
				}
			}
			if got := RunDeadlineSeconds(runs); got != test.want {
				t.Errorf("deadline %d s, want %d s", got, test.want)
			}
		})
	}
}

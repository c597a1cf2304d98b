package plugin

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/report/compare"
)

func TestCompare(t *testing.T) {
	many := measured("ns", "many", "gp3", 100)
	many.Status.Runs = append(many.Status.Runs, many.Status.Runs[0])
	many.Status.Runs[1].Target = "efs"
	spelt := func(name string, parameters map[string]string) *v1alpha1.StorageBenchmark {
		sb := measured("ns", name, "gp3", 100)
		sb.Status.Runs[0].Parameters = parameters
		return sb
	}
	server := newServer(t, measured("ns", "before", "gp2", 100), measured("ns", "after", "gp3", 150), measured("other", "before", "gp3", 50), many,
		spelt("fields", map[string]string{"bs": "4k", "runtimeSeconds": "5", "ba": "4k", "clients": "2"}),
		spelt("options", map[string]string{"blocksize": "4k", "timeout": "5", "blockalign": "4k", "clients": "2"}))
	t.Setenv("KUBECONFIG", "/dev/null")
	const apart = "\nMeasured: at unknown times. Verdicts count as a difference whatever else was not the same.\n"
	for name, test := range map[string]struct {
		args []string
		want execution
	}{
		"two of the namespace": {[]string{"before", "after"}, execution{Out: `WORKLOAD  TARGET  BENCHMARK  I/O   IOPS  BANDWIDTH  MEAN  P50  P90  P99  VS BEFORE  VERDICT
w         gp2     before     read   100    100 B/s     -    -    -    -
w         gp3     after      read   150    150 B/s     -    -    -    -      1.50x  TooFewRuns
` + apart}},
		"of one name in two namespaces": {[]string{"before", "other/before"}, execution{Out: `WORKLOAD  TARGET  BENCHMARK     I/O   IOPS  BANDWIDTH  MEAN  P50  P90  P99  VS NS/BEFORE  VERDICT
w         gp2     ns/before     read   100    100 B/s     -    -    -    -
w         gp3     other/before  read    50     50 B/s     -    -    -    -         0.50x  TooFewRuns
` + apart}},
		"other names of the same options": {[]string{"fields", "options"}, execution{Out: `WORKLOAD  PARAMETERS                              TARGET  BENCHMARK  I/O   IOPS  BANDWIDTH  MEAN  P50  P90  P99  VS FIELDS  VERDICT
w         ba=4k bs=4k clients=2 runtimeSeconds=5  gp3     fields     read   100    100 B/s     -    -    -    -
w         ba=4k bs=4k clients=2 runtimeSeconds=5  gp3     options    read   100    100 B/s     -    -    -    -      1.00x  TooFewRuns
` + apart}},
		"the same one": {
			[]string{"before", "ns/before"},
			execution{Err: "Error: both are StorageBenchmark ns/before: name two different ones; report compares the targets of one\n", Failed: true},
		},
		"missing": {[]string{"before", "ns/later"}, execution{Err: "Error: not found\n", Failed: true}},
		"nothing alike": {
			[]string{"before", "many"},
			execution{Err: "Error: nothing to compare: before has w on gp2, and many has w on gp3, w on efs; both need results of the same workload, " +
				"parameters and target name (the name does not matter if each has one target)\n", Failed: true},
		},
		"an unknown format": {
			[]string{"before", "after", "-o", "html"},
			execution{Err: "Error: --output \"html\" is not known: use table, wide, markdown, csv, junit, json or yaml\n", Failed: true},
		},
		"too few runs to fail": {
			[]string{"before", "after", "--exit-code", "-o", "junit"},
			execution{Out: `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="storagebench" tests="1" skipped="1">
	<testsuite name="after beside before" tests="1" failures="0" errors="0" id="0" skipped="1" time="">
		<testcase name="w on gp3: read" classname="compare">
			<skipped message="TooFewRuns: 150 IOPS, 1.50x" type="TooFewRuns"><![CDATA[TooFewRuns: 150 IOPS, 1.50x]]></skipped>
		</testcase>
	</testsuite>
</testsuites>
`, Err: "Error: it is not known whether after is slower than before: w on gp3: read\n", Failed: true},
		},
		"one only": {[]string{"before"}, execution{Err: "Error: accepts 2 arg(s), received 1\n", Failed: true}},
	} {
		t.Run(name, func(t *testing.T) {
			got := execute(t, "", on(server, append([]string{"compare"}, test.args...)...)...)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
	for name, begin := range map[string]string{
		"table": "WORKLOAD  TARGET  BENCHMARK", "wide": "WORKLOAD  TARGET  BENCHMARK  I/O   RUNS", "markdown": "# after compared with before\n", "csv": "workload,section,benchmark,", "json": "{\n  \"baseline\": {",
	} {
		got := execute(t, "", on(server, "compare", "before", "after", "-o", name)...)
		if got.Failed || !strings.HasPrefix(got.Out, begin) {
			t.Errorf("%s is %+v", name, got)
		}
	}
}

// A slower figure has an exit code of its own.
func TestSlowerIsMissed(t *testing.T) {
	pair := func(verdict v1alpha1.Verdict) *compare.Pair {
		of := func(verdict v1alpha1.Verdict) v1alpha1.TargetComparison {
			return v1alpha1.TargetComparison{Name: "gp3", Figures: []v1alpha1.FiguresComparison{{Name: v1alpha1.OperationRead, MilliIOPS: &v1alpha1.Statistic{Verdict: verdict}}}}
		}
		return &compare.Pair{
			Benchmarks: [2]*v1alpha1.StorageBenchmark{{}, {}}, Labels: [2]string{"a", "b"},
			Both: []v1alpha1.Comparison{{Workload: "w", Targets: []v1alpha1.TargetComparison{of(""), of(verdict)}}},
		}
	}
	for verdict, missed := range map[v1alpha1.Verdict]bool{v1alpha1.VerdictSlower: true, v1alpha1.VerdictNotShown: false, v1alpha1.VerdictFaster: false} {
		if err := notSlower(pair(verdict)); errors.Is(err, errMissed) != missed {
			t.Errorf("%s: %v", verdict, err)
		}
	}
}

package plugin

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// synced is a saved benchmark of etcd's write-ahead log, whose p99 is so many milliseconds.
func synced(workload v1alpha1.Workload, p99Milliseconds int64) *v1alpha1.StorageBenchmark {
	sb := measured("ns", "saved", "gp3", 60)
	workload.Name = "w"
	sb.Spec.Workloads = []v1alpha1.Workload{workload}
	p99 := p99Milliseconds * 1_000_000
	sb.Status.Runs[0].Result.Figures = []v1alpha1.Figures{
		{Name: v1alpha1.OperationWrite, Count: 10_000, MilliIOPS: 60_000},
		{
			Name: v1alpha1.OperationSync, Count: 10_000, Latency: &v1alpha1.Latency{MeanNanoseconds: p99 / 2},
			CompletionLatency: &v1alpha1.LatencyDistribution{P99Nanoseconds: p99},
		},
	}
	sb.Status.Conditions = []metav1.Condition{{
		Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonCompleted,
		LastTransitionTime: metav1.Unix(0, 0),
	}}
	return sb
}

func jobFile(text string) v1alpha1.Workload { return v1alpha1.Workload{JobFile: &text} }

const walJob = "[w]\nrw=write\nioengine=sync\nbs=2300\nsize=1g\nruntime=20\nfdatasync=1\n"

const goodEnough = `Good enough: etcd.v2 on gp3.

PRESET   TARGET  GOOD ENOUGH  MEASURED                           EXPECTED
etcd.v2  gp3     yes          fdatasync p99 2 ms, write IOPS 60  at most 10 ms, at least 50

Met: w on gp3: fdatasync p99 2 ms, expected at most 10 ms; 1 of 1 run meets it, too few for an interval, which needs 6
Met: w on gp3: write IOPS 60, expected at least 50; 1 of 1 run meets it, too few for an interval, which needs 6

Where there is no answer, there is no public figure to compare with. Sources: kubectl storagebench presets NAME
`

// Results of a file are held to presets and expectations in the words of a live check.
func TestCheckFile(t *testing.T) {
	t.Setenv("KUBECONFIG", "/dev/null")
	own, asJob := v1alpha1.Workload{Preset: new("etcd")}, jobFile(walJob)
	for name, test := range map[string]struct {
		sb   *v1alpha1.StorageBenchmark
		args []string
		want execution
	}{
		"its own preset":     {synced(own, 2), nil, execution{Out: goodEnough}},
		"a job that fits":    {synced(asJob, 2), nil, execution{Out: goodEnough}},
		"the preset by name": {synced(asJob, 2), []string{"--preset", "etcd.v2"}, execution{Out: goodEnough}},
		"an expectation":     {synced(own, 2), []string{"--expect", "sync.p99=3ms"}, execution{Out: expected("yes", "Good enough", "Met", "3 ms", "1 of 1 run meets it")}},
		"an expectation lost": {synced(own, 2), []string{"--expect", "sync.p99=1ms"}, execution{
			Out: expected("no ", "Not good enough", "Not met", "1 ms", "1 of 1 run"), Failed: true,
			Err: "Error: saved: not as expected: 1 of 1 expectation not met: w on gp3: fdatasync p99 2 ms, expected at most 1 ms; 1 of 1 run, too few for an interval, which needs 6\n",
		}},
		"another job": {synced(jobFile(strings.Replace(walJob, "2300", "4k", 1)), 2), []string{"--preset", "etcd"}, execution{
			Err: "Error: saved: etcd.v2 does not fit: workload w: bs is 4096, not 2300\n", Failed: true,
		}},
		"no preset": {synced(jobFile("[w]\nrw=write\nbs=7k\nfdatasync=1\n"), 2), nil, execution{
			Err: "Error: saved: its workloads fit no preset (the nearest is etcd.v2: bs is 7168, not 2300): say what is good enough, such as --expect read.p99=10ms\n", Failed: true,
		}},
		"a live flag": {synced(own, 2), []string{"--rm"}, execution{
			Err: "Error: --rm is about measuring, and the file has results: leave the flag out, or remove status from the file to measure its storage anew\n", Failed: true,
		}},
		"no bound":     {synced(own, 2), []string{"--expect", "sync.p99"}, execution{Err: "Error: --expect \"sync.p99\": write a metric and its bound, such as sync.p99=10ms (at most), write.iops=2700 or total.bandwidth=125Mi (at least)\n", Failed: true}},
		"no such unit": {synced(own, 2), []string{"--expect", "sync.p99=10"}, execution{Err: "Error: --expect \"sync.p99=10\": max \"10\" is no latency: give one with its unit, ns, us, ms or s, such as 10ms\n", Failed: true}},
		"not measured": {synced(own, 2), []string{"--expect", "read.p99=10ms"}, execution{
			Out: "Not measured: any workload on gp3.\n", Err: "Error: saved: 1 of 1 expectation undecided: any workload on gp3: read p99 was not measured, expected at most 10 ms\n", Failed: true,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, "saved.yaml", asYAML(t, test.sb))
			got := execute(t, "", append([]string{"check", "-f", path}, test.args...)...)
			if name == "not measured" {
				got.Out, _, _ = strings.Cut(got.Out, "\n")
				got.Out += "\n"
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// expected is what check prints of an expectation that the results have to meet.
func expected(word, sentence, verdict, bound, runs string) string {
	return sentence + `: w on gp3.

WORKLOAD  TARGET  GOOD ENOUGH  MEASURED            EXPECTED
w         gp3     ` + word + `          fdatasync p99 2 ms  at most ` + bound + `

` + verdict + `: w on gp3: fdatasync p99 2 ms, expected at most ` + bound + "; " + runs + ", too few for an interval, which needs 6\n"
}

// The output of fio is held to a preset that its job fits. Standard input is read, too.
func TestCheckOutputOfFio(t *testing.T) {
	t.Setenv("KUBECONFIG", "/dev/null")
	content, err := os.ReadFile("../fiooutput/testdata/fio-3.40.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		in   string
		args []string
		want string
	}{
		"an expectation":       {"", []string{"../fiooutput/testdata/fio-3.40.json", "--expect", "write.iops=1"}, "Good enough: "},
		"standard input":       {string(content), []string{"-", "--expect", "write.iops=1", "--volume", "gp3"}, "on gp3"},
		"a flag of fio":        {string(content), []string{"-f", "-", "--expect", "write.iops=1"}, "Good enough: "},
		"a preset without fit": {string(content), []string{"-", "--preset", "etcd"}, "etcd.v2 does not fit: workload "},
	} {
		t.Run(name, func(t *testing.T) {
			got := execute(t, test.in, append([]string{"check"}, test.args...)...)
			if !strings.Contains(got.Out+got.Err, test.want) {
				t.Errorf("%+v, want %q", got, test.want)
			}
		})
	}
}

// The command that etcd's documentation refers to fits the preset. A smaller size is told. Too few syncs decide nothing.
func TestCheckPresetOnOutputOfFio(t *testing.T) {
	t.Setenv("KUBECONFIG", "/dev/null")
	content, err := os.ReadFile("../fiooutput/testdata/sync-3.33.json")
	if err != nil {
		t.Fatal(err)
	}
	var output map[string]any
	if err := json.Unmarshal(content, &output); err != nil {
		t.Fatal(err)
	}
	jobs, _ := output["jobs"].([]any)
	output["jobs"] = jobs[:1]
	if content, err = json.MarshalIndent(output, "", " "); err != nil {
		t.Fatal(err)
	}
	got := execute(t, "", "check", write(t, "fio.json", content), "--preset", "etcd")
	for _, want := range []string{
		"Undecided: etcd.v2 on storage.", "p99 needs 1000 syncs, and a run had 49", "etcd.v2 is scaled to size 115000",
	} {
		if !got.Failed || !strings.Contains(got.Out, want) {
			t.Errorf("%q is not in:\n%s%s", want, got.Out, got.Err)
		}
	}
}

// What report -o json printed is read back as the resource, in every command that reads files.
func TestReportIsReadBack(t *testing.T) {
	t.Setenv("KUBECONFIG", "/dev/null")
	saved := write(t, "saved.yaml", asYAML(t, synced(v1alpha1.Workload{Preset: new("etcd")}, 2)))
	printed := write(t, "printed.json", []byte(execute(t, "", "report", saved, "-o", "json").Out))
	commands := [][]string{{"explain-result"}, {"check"}, {"report"}}
	for _, f := range reportFormats {
		commands = append(commands, []string{"report", "-o", f.name})
	}
	for _, command := range commands {
		want, got := execute(t, "", append(command, saved)...), execute(t, "", append(command, printed)...)
		if diff := cmp.Diff(want, got); diff != "" || got.Out+got.Err == "" {
			t.Errorf("%v (-saved +printed):\n%s", command, diff)
		}
	}
	if got := execute(t, "", "compare", saved, printed); got.Failed {
		t.Errorf("compare: %+v", got)
	}
}

// Documents that do not hold a benchmark are refused with what they lack.
func TestPrintedThatIsNotReadBack(t *testing.T) {
	t.Setenv("KUBECONFIG", "/dev/null")
	for content, want := range map[string]string{
		`{"benchmark": {"name": "old"}, "results": []}`: "an older version printed this",
		`{"points": []}`: "lacks the schedule itself",
		`{"baseline": {}, "other": {}, "differences": []}`:              "lacks the runs of both benchmarks",
		`{"kind": "Other", "apiVersion": "v1", "points": [], "a": "b"}`: "has no StorageBenchmark",
	} {
		for _, command := range []string{"report", "explain", "check"} {
			got := execute(t, content, command, "-")
			if !got.Failed || !strings.Contains(got.Err, want) {
				t.Errorf("%s of %s: %+v, want %q", command, content, got, want)
			}
		}
	}
}

// The exit codes are those of a live check.
func TestExitCodesOfCheckFile(t *testing.T) {
	t.Setenv("KUBECONFIG", "/dev/null")
	text, err := json.Marshal(synced(v1alpha1.Workload{Preset: new("etcd")}, 20))
	if err != nil {
		t.Fatal(err)
	}
	cmd := newCommand("dev")
	cmd.SetArgs([]string{"check", write(t, "saved.json", text)})
	cmd.SetOut(&strings.Builder{})
	cmd.SetErr(&strings.Builder{})
	if code := exitCode(cmd.Execute()); code != exitMissed {
		t.Errorf("exit code %d, want %d", code, exitMissed)
	}
}

// A manifest without results is still what is measured, and a path in its place is an error.
func TestCheckFileWithoutResults(t *testing.T) {
	t.Setenv("KUBECONFIG", "/dev/null")
	got := execute(t, e1, "check", "-f", "-", "--preset", "etcd", "--dry-run")
	if got.Failed || !strings.Contains(got.Out, "preset: etcd.v2") || !strings.Contains(got.Out, "storageClassName: gp3") {
		t.Errorf("%+v", got)
	}
	two := asYAML(t, listOf(synced(jobFile(walJob), 2), measured("ns", "other", "gp3", 1)))
	for name, test := range map[string]struct {
		content []byte
		args    []string
		want    string
	}{
		"a path":                      {[]byte(e1), []string{"-"}, "gp3-vs-efs has no results"},
		"an expectation that is none": {[]byte(e1), []string{"-f", "-", "--expect", "read.p99"}, `--expect "read.p99": write a metric and its bound`},
		"an expectation of what nothing measures": {[]byte(e1), []string{"-f", "-", "--preset", "random-4k", "--expect", "sync.p99=5ms"},
			"no workload calls fsync or fdatasync after its writes"},
		"several":     {two, []string{"-"}, "name one, as in -f"},
		"one by name": {two, []string{"-f", "-", "saved", "--preset", "etcd"}, ""},
		"no path":     {nil, []string{"saved"}, `"saved" is no path of a file`},
		"a live flag": {two, []string{"-", "--class", "gp3"}, "the other flags are about measuring"},
	} {
		t.Run(name, func(t *testing.T) {
			got := execute(t, string(test.content), append([]string{"check"}, test.args...)...)
			if got.Failed != (test.want != "") || !strings.Contains(got.Err, test.want) {
				t.Errorf("%+v, want %q", got, test.want)
			}
		})
	}
}

// TestCheckMeasuresThreeTimes: one run may be a lucky one. What an application asks for that publishes no figure is said by --expect.
func TestCheckMeasuresThreeTimes(t *testing.T) {
	t.Setenv("KUBECONFIG", "/dev/null")
	for name, test := range map[string]struct {
		args []string
		want string
		not  string
	}{
		"by default":   {nil, "repetitions: 3", "expectations"},
		"a quick look": {[]string{"--repetitions", "1"}, "repetitions: 1", "expectations"},
		"expected": {
			[]string{"--preset", "postgres-wal,random-4k", "--expect", "sync.p99=5ms", "--expect", "read.iops=3000"},
			"  expectations:\n  - metric: sync.p99\n    max: 5ms\n  - metric: read.iops\n    min: 3000\n", "left out",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := execute(t, "", append([]string{"check", "--class", "gp3", "--dry-run"}, test.args...)...)
			if got.Failed || !strings.Contains(got.Out, test.want) || strings.Contains(got.Out+got.Err, test.not) {
				t.Errorf("%+v, want %q", got, test.want)
			}
		})
	}
}

package plugin

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// asProgram has the test binary be the plugin.
const asProgram = "STORAGEBENCH_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Exit(Run("1.2.3"))
	}
	os.Exit(m.Run())
}

// Under the name storagebench, the program names itself so in help, completion and messages.
func TestStartedAsStoragebench(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	const file = "../fiooutput/testdata/fio-3.40.json"
	names := map[string]string{"kubectl-storagebench": "kubectl storagebench", "storagebench": "storagebench"}
	for name, typed := range names {
		link := filepath.Join(t.TempDir(), name)
		if err := os.Symlink(program, link); err != nil {
			t.Fatal(err)
		}
		for _, test := range []struct {
			args []string
			want string
		}{
			{[]string{"--version"}, typed + " version 1.2.3"},
			{[]string{"--help"}, "\n  " + typed + " [command]\n"},
			{[]string{"explain", "--help"}, "\n  " + typed + " explain-result fio.json --volume"},
			{[]string{"check", "--help"}, "presets to check (" + typed + " presets)"},
			{[]string{"explain", file, "--volume", "gp3", "--instance", "r5b.large"}, "EBS gp3 volume"},
			{[]string{"report", file, "--wrong"}, "unknown flag"},
			{[]string{"check", file, "--expect", "write.iops=1"}, "Good enough: "},
		} {
			got, _ := run(t, link, test.args...)
			wrong := name == "storagebench" && strings.Contains(got, "kubectl storagebench")
			if !strings.Contains(got, test.want) || wrong {
				t.Errorf("%s %v: %q is not in:\n%s", name, test.args, test.want, got)
			}
		}
	}
	link := filepath.Join(t.TempDir(), "storagebench")
	if err := os.Symlink(program, link); err != nil {
		t.Fatal(err)
	}
	if got, _ := run(t, link, "completion", "bash"); !strings.Contains(got, "__start_storagebench storagebench") {
		t.Error("the shell does not complete storagebench")
	}
	preset := write(t, "saved.yaml", asYAML(t, synced(jobFile(walJob), 20)))
	got, code := run(t, link, "check", preset)
	if code != exitMissed || !strings.Contains(got, "Sources: storagebench presets NAME") {
		t.Errorf("check ends with %d:\n%s", code, got)
	}
}

// run runs the plugin without a cluster, and returns what it prints and its exit code.
func run(t *testing.T, program string, args ...string) (string, int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Env = append(os.Environ(), asProgram+"=1", "KUBECONFIG=/dev/null")
	out, _ := cmd.CombinedOutput()
	return string(out), cmd.ProcessState.ExitCode()
}

//go:build e2e

package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// The clock of one client's node is 5 s ahead: the first starts have passed for it when it hears of them, a later one is
// far enough ahead, and the result says that the clients did not begin together. Nodes of the local cluster share the
// machine's clock, so one of them gets a runner that was built with a time.Now of its own.
func TestClockAhead(t *testing.T) {
	const image, tag = imageRepository + "runner", "clock-ahead"
	tarballs := make([]string, 2) // for each of the nodes
	prepare := func() {
		for i, ahead := range []int{5, 0} {
			tarballs[i] = runnerAhead(t, image+":"+tag, ahead)
		}
	}
	// Clients that are late for another reason than the clock make more attempts.
	ownNode(t, twoNodes, ownOperator("runner.image.repository="+image, "runner.image.tag="+tag), load(figures), prepares(prepare))
	f := begin(t, &fault{
		section: faultsOfNodes, name: "The clock of a client's node is 5 s ahead", does: "runs a benchmark of two clients, of which one has a runner whose clock is ahead",
		sees: v1alpha1.ReasonMeasuring, ends: v1alpha1.ReasonCompleted, bound: 3 * time.Minute, attempts: "3 or more (each before the last disrupted)",
	})
	for i, name := range nodesOf(t) {
		localCluster(t.Context(), t, "load", "--node", name, tarballs[i])
	}
	sb := benchmark(t, "clock-ahead", clients(2), lasting(10))
	f.strike()
	create(t, sb)
	if message := f.see(t, sb, "attempt 3").Status.Runs[0].Message; !strings.Contains(message, "its clock differs") || !strings.Contains(message, nodesOf(t)[0]) {
		t.Errorf("the run's message %q does not say that the clock of node %s differs", message, nodesOf(t)[0])
	}
	run := &f.end(t, sb).Status.Runs[0]
	if run.Attempts < 3 || run.Disruptions != run.Attempts-1 {
		t.Errorf("%d attempts, of which %d were disrupted, want 3 or more, and all but the last", run.Attempts, run.Disruptions)
	}
	i := slices.IndexFunc(run.Warnings, func(w v1alpha1.Warning) bool { return w.Reason == v1alpha1.WarningStartSkew })
	if i < 0 || !strings.Contains(run.Warnings[i].Message, "the clocks may differ") {
		t.Errorf("warnings %+v do not say that the clocks may differ", run.Warnings)
	}
}

// runnerAhead returns the tarball of the image of a runner whose clock is so many seconds ahead.
func runnerAhead(t *testing.T, image string, ahead int) string {
	t.Helper()
	dir := t.TempDir()
	runner, tarball := filepath.Join(dir, "runner"), filepath.Join(dir, "runner.tar")
	args := []string{"-n", "19", "go", "build", "-trimpath", "-o", runner} // other tests measure meanwhile
	if ahead > 0 {
		args = append(args, "-overlay="+clockOverlay(t, dir, ahead))
	}
	build := exec.CommandContext(bounded(t), "nice", append(args, "github.com/storagebench/storagebench/cmd/runner")...)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build a runner whose clock is %d s ahead: %v\n%s", ahead, err, out)
	}
	fio, err := exec.LookPath("fio")
	if err != nil {
		t.Fatal(err)
	}
	makeImage(t, "--name", image, "--file", runner+"=/runner", "--program", fio, "--entrypoint", "/runner", "--out", tarball)
	return tarball
}

// clockOverlay returns a file for "go build -overlay" by which time.Now is so many seconds ahead.
func clockOverlay(t *testing.T, dir string, ahead int) string {
	t.Helper()
	goroot, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	original := filepath.Join(strings.TrimSpace(string(goroot)), "src", "time", "time.go")
	source, err := os.ReadFile(original)
	if err != nil {
		t.Fatal(err)
	}
	const reading = "	sec, nsec, mono := runtimeNow()\n"
	if strings.Count(string(source), reading) != 1 {
		t.Fatalf("%s reads the clock in another way than this test knows", original)
	}
	changed := filepath.Join(dir, "time.go")
	text := strings.Replace(string(source), reading, reading+"	sec += "+strconv.Itoa(ahead)+"\n", 1)
	if err := os.WriteFile(changed, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {original: changed}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

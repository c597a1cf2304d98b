//go:build e2e

package e2e

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

const (
	repository    = "../.."
	releaseName   = "storagebench"
	chartPath     = "charts/storagebench"
	previousImage = ":previous"
	// Where images of the operator and the runner are said to be from, whatever the chart of another commit has as its default.
	imageRepository = "ghcr.io/storagebench/"
)

// Users upgrade while benchmarks run: the operator, runner and chart of the previous commit begin a run, those of this
// one end it.
func TestHelmUpgradeUnderARun(t *testing.T) {
	var previous string
	alone(t, budget(4*time.Minute), prepares(func() {
		previous = previousSources(t)
		for _, image := range previousImages(t, previous) {
			for _, node := range nodeNames[:sharedNodes] { // where the operator is; no test takes them away meanwhile
				localCluster(t.Context(), t, "load", "--node", node, image)
			}
		}
	}))
	values := filepath.Join(t.TempDir(), "values.yaml")
	if err := os.WriteFile(values, helm(t.Context(), t, "get", "values", releaseName, "--output", "yaml"), 0o600); err != nil {
		t.Fatal(err)
	}
	upgrade := func(ctx context.Context, chart string, arguments ...string) {
		helm(ctx, t, append([]string{
			"upgrade", releaseName, chart, "--values", values, "--wait", "--timeout", patience.String(), "--force-conflicts", "--hide-notes",
		}, arguments...)...)
		awaitOperator(ctx, t)
	}
	current, isCurrent := filepath.Join(repository, chartPath), false
	t.Cleanup(func() {
		if !isCurrent {
			upgrade(context.WithoutCancel(t.Context()), current)
		}
	})
	// The values may be newer than the previous chart, whose schema refuses what it does not know.
	upgrade(t.Context(), filepath.Join(previous, chartPath), "--skip-schema-validation",
		"--set", "operator.image.repository="+imageRepository+"operator", "--set", "operator.image.tag="+previousImage[1:],
		"--set", "runner.image.repository="+imageRepository+"runner", "--set", "runner.image.tag="+previousImage[1:])
	before := operatorPod(t.Context(), t)
	if image := before.Spec.Containers[0].Image; !strings.HasSuffix(image, previousImage) {
		t.Fatalf("the operator before the upgrade is %s, want the previous one", image)
	}

	sb := benchmark(t, "helm-upgrade", on(nodeNames[0]), lasting(20), another) // so that one run begins before the upgrade, and one after it
	create(t, sb)
	pod := runningPod(t, sb)
	if image := pod.Spec.Containers[0].Image; !strings.HasSuffix(image, previousImage) {
		t.Errorf("the run before the upgrade is made by %s, want the previous runner", image)
	}
	upgrade(t.Context(), current)
	isCurrent = true
	if current := until(t, sb, "its state", func(*v1alpha1.StorageBenchmark) bool { return true }); current.Status.FinishedRuns > 1 {
		t.Errorf("%d runs ended before the upgrade: the benchmark is too short for this test", current.Status.FinishedRuns)
	}
	if after := operatorPod(t.Context(), t); after.UID == before.UID {
		t.Error("the upgrade kept the operator's pod")
	}
	for _, run := range completes(t, sb).Status.Runs {
		if run.Attempts != 1 || run.Result == nil {
			t.Errorf("run %s has %d attempts, result %+v; want one, with a result", run.Name, run.Attempts, run.Result)
		}
	}
}

// previousSources returns the sources of the newest commit whose chart is not that of the working tree. Where git has none, as
// in a shallow clone, they are those of the working tree: then the test upgrades to the same, and says so.
func previousSources(t *testing.T) string {
	t.Helper()
	for commit := range strings.FieldsSeq(git(t, "rev-list", "--max-count=20", "HEAD", "--", chartPath)) {
		diff := exec.CommandContext(t.Context(), "git", "-C", repository, "diff", "--quiet", commit, "--",
			chartPath+"/templates", chartPath+"/files", chartPath+"/values.yaml", chartPath+"/Chart.yaml")
		var different *exec.ExitError
		if err := diff.Run(); err == nil {
			continue
		} else if !errors.As(err, &different) || different.ExitCode() != 1 {
			t.Fatalf("git diff %s: %v", commit, err)
		}
		t.Logf("the chart before this one is that of commit %s", commit)
		sources := t.TempDir()
		archive := filepath.Join(sources, "archive.tar")
		git(t, "archive", "--output", archive, commit)
		if out, err := exec.CommandContext(t.Context(), "tar", "--extract", "--file", archive, "--directory", sources).CombinedOutput(); err != nil {
			t.Fatalf("unpack commit %s: %v\n%s", commit, err, out)
		}
		return sources
	}
	t.Log("git has no commit with another chart (is the clone shallow?): the upgrade is from this chart to itself")
	return repository
}

func git(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", repository}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %s: %v", strings.Join(args, " "), err)
	}
	return string(out)
}

// previousImages builds operator and runner from sources, and returns the tarballs of their images.
func previousImages(t *testing.T, sources string) []string {
	t.Helper()
	fio, err := exec.LookPath("fio")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	build := exec.CommandContext(bounded(t), "nice", "-n", "19", "go", "build", "-trimpath", "-ldflags", "-s -w -X main.version=previous", "-o", dir+"/", "./cmd/manager", "./cmd/runner")
	build.Dir = sources
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the previous operator: %v\n%s", err, out)
	}
	var tarballs []string
	for image, args := range map[string][]string{
		"operator": {"--file", dir + "/manager=/manager", "--entrypoint", "/manager"},
		"runner":   {"--file", dir + "/runner=/runner", "--program", fio, "--entrypoint", "/runner"},
	} {
		tarball := filepath.Join(dir, image+".tar")
		makeImage(t, append(args, "--name", imageRepository+image+previousImage, "--out", tarball)...)
		tarballs = append(tarballs, tarball)
	}
	return tarballs
}

// helm returns what the pinned Helm prints, in the namespace of the operator.
func helm(ctx context.Context, t *testing.T, args ...string) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, 2*patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(repository, "hack/helm.sh"), append([]string{"--namespace", operatorNamespace}, args...)...)
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("helm %s: %v\n%s", strings.Join(args, " "), err, problems.String())
	}
	return out
}

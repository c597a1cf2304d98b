//go:build e2e

package e2e

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/storagebench/storagebench/test/await"
)

// onHostAndCluster is measured on loop devices of this machine, and on those that the cluster makes.
const onHostAndCluster = `apiVersion: storagebench.dev/v1alpha1
kind: StorageBenchmark
metadata: {name: overhead}
spec:
  targets:
  - {name: first, storageClassName: loop, capacity: 256Mi, freeSpaceReserve: 1Mi}
  - {name: second, storageClassName: loop, capacity: 256Mi, freeSpaceReserve: 1Mi}
  workloads:
  - name: randwrite
    fio: {rw: randwrite, bs: 4k, size: 16M, runtimeSeconds: 2, timeBased: true}
`

// The same benchmark on this machine and in the cluster can be compared: what CSI and containers cost is between them.
func TestLocalBesideCluster(t *testing.T) {
	ownNode(t)
	plugin := newPlugin(t)
	removeAtEnd(t, "overhead")
	directory := t.TempDir()
	manifest, host, cluster := filepath.Join(directory, "benchmark.yaml"), filepath.Join(directory, "host.yaml"), filepath.Join(directory, "cluster.yaml")
	if err := os.WriteFile(manifest, []byte(onHostAndCluster), 0o600); err != nil {
		t.Fatal(err)
	}
	first, second := newLoopFileSystem(t), newLoopFileSystem(t)
	out, notes, err := plugin("run", "--local", "-f", manifest, "--target", "first="+first, "--target", "second="+second, "--output-file", host)
	if err != nil || !strings.Contains(out, "randwrite  second  write") {
		t.Fatalf("on this machine: %v\n%s%s", err, out, notes)
	}
	if left := testFilesIn(t, first, second); len(left) > 0 {
		t.Errorf("test files are left: %v", left)
	}
	if out, notes, err := plugin("run", "-f", manifest); err != nil {
		t.Fatalf("in the cluster: %v\n%s%s", err, out, notes)
	}
	saved, err := exec.CommandContext(bounded(t), "kubectl", "get", "storagebenchmark", "overhead", "-n", namespaceOf(t), "-o", "yaml").Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(cluster, saved, 0o600); err != nil {
		t.Fatal(err)
	}
	out, notes, err = plugin("compare", host, cluster)
	if err != nil {
		t.Fatalf("compare: %v\n%s%s", err, out, notes)
	}
	for _, want := range []string{"host.yaml", "cluster.yaml", "first", "second", "Differs: version of fio", "on other volumes"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in the comparison:\n%s", want, out)
		}
	}
	if strings.Contains(out, "limits of") || strings.Contains(out, "size of") {
		t.Errorf("the same spec differs:\n%s", out)
	}
}

// Ctrl-C ends a benchmark on this machine with what was measured, and a disk that is too small is not filled.
func TestLocalEndsWell(t *testing.T) {
	sideBySide(t)
	program := filepath.Join(buildPlugin(t), "storagebench")
	directory, result := newLoopFileSystem(t), filepath.Join(t.TempDir(), "interrupted.yaml")
	run := func(file string, args ...string) (*exec.Cmd, *bytes.Buffer) {
		cmd := exec.CommandContext(bounded(t), program, append([]string{"run", "--local", "--target", "disk=" + directory,
			"--rw", "randwrite", "--bs", "4k", "--output-file", file}, args...)...)
		var notes bytes.Buffer
		cmd.Stderr = &notes
		return cmd, &notes
	}
	cmd, notes := run(result, "--size", "8M", "--runtime", "1m")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	await.Holds(t, func() error {
		if left := testFilesIn(t, directory); len(left) == 0 {
			return errors.New("no test files are made")
		}
		return nil
	})
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 130 {
		t.Errorf("it ended with %v, want exit code 130\n%s", err, notes)
	}
	if text, err := os.ReadFile(result); err != nil || !strings.Contains(string(text), "reason: Interrupted") {
		t.Errorf("the file does not say that it was interrupted: %v\n%s", err, text)
	}

	cmd, notes = run(filepath.Join(t.TempDir(), "full.yaml"), "--size", "200M", "--runtime", "1s")
	if err := cmd.Run(); err == nil || !strings.Contains(notes.String(), "fio was not started") {
		t.Errorf("a disk of 256 MiB was filled: %v\n%s", err, notes)
	}
	if left := testFilesIn(t, directory); len(left) > 0 {
		t.Errorf("test files are left: %v", left)
	}
}

// newLoopFileSystem mounts a file system on a loop device, and returns where.
func newLoopFileSystem(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	image, mounted := filepath.Join(root, "disk.img"), filepath.Join(root, "disk")
	if err := errors.Join(os.WriteFile(image, nil, 0o600), os.Truncate(image, 256<<20), os.Mkdir(mounted, 0o755)); err != nil {
		t.Fatal(err)
	}
	for _, command := range [][]string{{"mkfs.ext4", "-q", "-F", image}, {"mount", "-o", "loop", image, mounted}} {
		if output, err := exec.CommandContext(bounded(t), command[0], command[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", command, err, output)
		}
	}
	t.Cleanup(func() {
		if output, err := exec.Command("umount", mounted).CombinedOutput(); err != nil {
			t.Errorf("umount %s: %v\n%s", mounted, err, output)
		}
	})
	return mounted
}

// testFilesIn returns the directories with test files that are below directories.
func testFilesIn(t *testing.T, directories ...string) (found []string) {
	t.Helper()
	for _, directory := range directories {
		entries, err := filepath.Glob(filepath.Join(directory, "storagebench-*"))
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, entries...)
	}
	return found
}

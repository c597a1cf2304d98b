//go:build e2e

package e2e

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
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
	manifest, host := filepath.Join(directory, "benchmark.yaml"), filepath.Join(directory, "host.yaml")
	cluster := filepath.Join(directory, "cluster.yaml")
	if err := os.WriteFile(manifest, []byte(onHostAndCluster), 0o600); err != nil {
		t.Fatal(err)
	}
	first, second := newLoopFileSystem(t), newLoopFileSystem(t)
	out, notes, err := plugin("run", "--local", "-f", manifest, "--output-file", host,
		"--target", "first="+first, "--target", "second="+second)
	if err != nil || !strings.Contains(out, "randwrite  second  write") {
		t.Fatalf("on this machine: %v\n%s%s", err, out, notes)
	}
	if left := testFilesIn(t, first, second); len(left) > 0 {
		t.Errorf("test files are left: %v", left)
	}
	if out, notes, err := plugin("run", "-f", manifest); err != nil {
		t.Fatalf("in the cluster: %v\n%s%s", err, out, notes)
	}
	get := []string{"get", "storagebenchmark", "overhead", "--namespace", namespaceOf(t), "-o", "yaml"}
	saved, err := exec.CommandContext(bounded(t), "kubectl", get...).Output()
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

// newLoopFileSystem mounts a file system on a loop device, and returns where.
func newLoopFileSystem(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	image, mounted := filepath.Join(root, "disk.img"), filepath.Join(root, "disk")
	err := errors.Join(os.WriteFile(image, nil, 0o600), os.Truncate(image, 256<<20), os.Mkdir(mounted, 0o755))
	if err != nil {
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

package plugin

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// localManifest has two targets of different kinds, which are measured in directories.
const localManifest = `apiVersion: storagebench.dev/v1alpha1
kind: StorageBenchmark
metadata: {name: host}
spec:
  targets:
  - {name: fast, freeSpaceReserve: 1Mi, storageClassName: fast}
  - {name: slow, freeSpaceReserve: 1Mi, claimName: slow}
  workloads:
  - name: randwrite
    fio: {rw: randwrite, size: 1M, runtimeSeconds: 0}
`

// directoryFlags makes directories, and returns the flags that name them.
func directoryFlags(t *testing.T, names ...string) (flags []string) {
	t.Helper()
	for _, name := range names {
		flags = append(flags, "--target", name+"="+t.TempDir())
	}
	return flags
}

// contains fails the test unless a text has all words.
func contains(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("%q is missing in:\n%s", word, text)
		}
	}
}

// Without a cluster, a file is measured in directories. The results are a file that all commands read in all formats.
func TestRunLocal(t *testing.T) {
	t.Setenv("KUBECONFIG", "/dev/null")
	path := filepath.Join(t.TempDir(), "host.yaml")
	args := append([]string{"run", "--local", "-f", "-", "--output-file", path}, directoryFlags(t, "fast", "slow")...)
	got := execute(t, localManifest, args...)
	if got.Failed {
		t.Fatalf("it failed:\n%s", got.Err)
	}
	contains(t, got.Out, "randwrite  fast    write ", "randwrite  slow    write ", "VS FAST")
	contains(t, got.Err, "ok     randwrite.fast ", "Completed      2 runs on 2 targets", "results: "+path)

	if again := execute(t, localManifest, args...); !again.Failed || !strings.Contains(again.Err, "is there already") {
		t.Errorf("a file was overwritten: %+v", again)
	}
	for _, f := range reportFormats {
		if f.name == "openmetrics" {
			continue // a run that ends by size is over before there is a series
		}
		if read := execute(t, "", "report", path, "-o", f.name); read.Failed || read.Err != "" {
			t.Errorf("report -o %s: %s", f.name, read.Err)
		}
	}
	if table := execute(t, "", "report", path); table.Out != got.Out {
		t.Errorf("report prints another table:\n%s", table.Out)
	}
	explained := execute(t, "", "explain-result", path)
	contains(t, explained.Out, "randwrite on fast")
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	compared := execute(t, "", "compare", path, write(t, "other.yaml", content))
	if compared.Failed {
		t.Errorf("compare: %s", compared.Err)
	}
	contains(t, compared.Out, "randwrite", "on the same volumes")
}

// etcd's preset has an answer, which is the exit code.
func TestCheckLocal(t *testing.T) {
	t.Setenv("KUBECONFIG", "/dev/null")
	const inMemory = "/dev/shm" // where it takes less than a second
	directory, err := os.MkdirTemp(inMemory, "storagebench-test-")
	if err != nil {
		t.Skipf("the test needs %s: %v", inMemory, err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(directory); err != nil {
			t.Error(err)
		}
	})
	path := filepath.Join(t.TempDir(), "check.yaml")
	got := execute(t, "", "check", "--local", "--target", "memory="+directory, "--preset", "etcd", "--output-file", path)
	if got.Failed {
		t.Fatalf("%+v", got)
	}
	contains(t, got.Out, "Good enough: etcd.v2 on memory.", "yes")
	if again := execute(t, "", "check", path); again.Failed || again.Out != got.Out {
		t.Errorf("check of the file says:\n%s%s", again.Out, again.Err)
	}
}

// Without fio, with flags that need a cluster, and with targets that name none, nothing is measured.
func TestLocalIsRefused(t *testing.T) {
	t.Setenv("KUBECONFIG", "/dev/null")
	directory := t.TempDir()
	for want, args := range map[string][]string{
		"name them with --target NAME=DIRECTORY":     {"run", "--local"},
		"add --local":                                {"run", "--target", "a=" + directory},
		"--class needs a cluster":                    {"run", "--local", "--class", "gp3", "--target", "a=" + directory},
		"--rm needs a cluster":                       {"check", "--local", "--rm", "--target", "a=" + directory},
		"2 clients measure from 2 nodes":             {"run", "--local", "--clients", "2", "--target", "a=" + directory},
		`--instance "m99.huge"`:                      {"run", "--local", "--instance", "m99.huge", "--target", "a=" + directory},
		"write a name and a directory":               {"run", "--local", "--target", directory},
		"a name has small letters":                   {"run", "--local", "--target", "GP3=" + directory},
		"two targets of this name":                   {"run", "--local", "--target", "a=" + directory, "--target", "a=/tmp"},
		`"iops=3000" describes no storage`:           {"run", "--local", "--target", "a=" + directory + ",iops=3000"},
		`--volume: there is no field "iop"`:          {"run", "--local", "--target", "a=" + directory + ",volume=gp3,iop=3"},
		"it has no directory, and a volume or a cla": {"run", "--local", "-f", "-", "--target", "fast=" + directory},
		"no such file or directory":                  {"run", "--local", "--target", "a=/none"},
	} {
		got := execute(t, localManifest, args...)
		if !got.Failed || !strings.Contains(got.Err, want) {
			t.Errorf("%v: %+v, want %q", args, got, want)
		}
	}
	t.Setenv("PATH", t.TempDir())
	if got := execute(t, "", "run", "--local", "--target", "a="+directory); !got.Failed || !strings.Contains(got.Err, "fio is not installed") {
		t.Errorf("without fio: %+v", got)
	}
	if entries, err := os.ReadDir(directory); err != nil || len(entries) > 0 {
		t.Errorf("files were made: %v, %v", entries, err)
	}
}

// What is mounted follows the directory, with the values of the flags of explain-result.
func TestLocalTargets(t *testing.T) {
	t.Setenv("KUBECONFIG", "/dev/null")
	args := []string{"run", "--local", "--dry-run", "--rw", "read"}
	for name, about := range map[string]string{
		"gp3": "volume=gp3,iops=4000,size=100Gi", "efs": "efs=Elastic", "disk": "limits=iops=500", "plain": "",
	} {
		flag := name + "=/mnt/" + name
		if about != "" {
			flag += "," + about
		}
		args = append(args, "--target", flag)
	}
	got := execute(t, "", args...)
	if got.Failed {
		t.Fatalf("%+v", got)
	}
	contains(t, got.Out, "  - name: gp3\n", "capacity: 100Gi", "iops: 4000", "throughputMode: Elastic", "  - name: disk\n", "iops: 500", "  - name: plain\n")
	if strings.Contains(got.Out, "claimName") {
		t.Errorf("a directory is no claim:\n%s", got.Out)
	}
}

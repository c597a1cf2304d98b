package plugin

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// log is what a runner prints: fio's progress, its text and its JSON.
const log = `Jobs: 1 (f=1): [w(1)][50.0%]
fio was started at 2026-11-20T10:00:00.000000000Z
randwrite: (groupid=0, jobs=1): err= 0
{
  "fio version" : "fio-3.39",
  "jobs" : [ { "jobname" : "randwrite", "write" : { "iops" : 3000.5, "iops_stddev" : nan } } ]
}
`

const logJSON = `{
  "fio version": "fio-3.39",
  "jobs": [
    {
      "jobname": "randwrite",
      "write": {
        "iops": 3000.5,
        "iops_stddev": null
      }
    }
  ]
}`

func zip(t *testing.T, text string) []byte {
	t.Helper()
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return zipped.Bytes()
}

// newKept makes a benchmark of two runs: one of two clients with all that is kept, and one of which nothing is.
func newKept(t *testing.T) *user {
	t.Helper()
	u := newUser(t)
	for name, data := range map[string]map[string][]byte{
		"the-log": {
			"fio.log.gz": zip(t, log), "fio.client-1.log.gz": zip(t, "no JSON\n"),
			// These are no files of the operator's.
			".envrc.gz": zip(t, "touch hacked\n"), "Makefile": zip(t, "all:\n"),
			"other.log.gz": zip(t, "forged\n"), "x.gz": []byte("no gzip"),
		},
		"the-clients": {"clients.json.gz": zip(t, `[{"client":"client-0"}]`), ".bashrc.gz": zip(t, "touch hacked\n")},
	} {
		configMap := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: u.namespace, Name: name}, BinaryData: data}
		if err := u.Create(t.Context(), configMap); err != nil {
			t.Fatal(err)
		}
	}
	if code, _, notes := u.run(t, "run", "--class", "gp3,efs-sc", "--rw", "randwrite", "--name", "kept", "--wait=false"); code != 0 {
		t.Fatal(notes)
	}
	first := ended("gp3", 3000)
	first.LogConfigMap, first.ClientsConfigMap = "the-log", "the-clients"
	u.set(t, u.only(t), v1alpha1.ReasonCompleted, "2 runs", runs("2/2", first, ended("efs-sc", 1500)), compared)
	return u
}

func TestLogs(t *testing.T) {
	t.Parallel()
	u := newKept(t)
	ofRun := "--> fio.client-1.log <--\nno JSON\n--> fio.log <--\n" + log
	for _, test := range []struct {
		args       []string
		code       int
		out, notes string
	}{
		{[]string{"kept"}, 0, "==> randwrite.gp3 <==\n" + ofRun, ""},
		{[]string{"kept", "randwrite.gp3"}, 0, ofRun, ""},
		{[]string{"kept", "randwrite.efs-sc"}, 1, "", "Error: randwrite.efs-sc is Succeeded, and no log of it was kept\n"},
		{[]string{"kept", "other"}, 1, "", "Error: kept has no run \"other\": choose one of randwrite.gp3, randwrite.efs-sc\n"},
		{[]string{"kept", "--follow"}, 1, "", "Error: no run of kept is being made now: name one of its runs, or leave out --follow\n"},
	} {
		code, out, notes := u.run(t, append([]string{"logs"}, test.args...)...)
		if code != test.code || out != test.out || notes != test.notes {
			t.Errorf("%v: exit code %d\n%s%s", test.args, code, out, notes)
		}
	}
}

func TestArtifacts(t *testing.T) {
	t.Parallel()
	u := newKept(t)
	directory := filepath.Join(t.TempDir(), "out")
	code, out, notes := u.run(t, "artifacts", "kept", "-d", directory)
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, notes)
	}
	want := []string{"storagebenchmark.yaml", "randwrite.gp3/fio.client-1.log", "randwrite.gp3/fio.log", "randwrite.gp3/fio.json", "randwrite.gp3/clients.json"}
	var got []string
	for path := range strings.Lines(out) {
		name, err := filepath.Rel(directory, strings.TrimSpace(path))
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	read := func(name string) string {
		content, err := os.ReadFile(filepath.Join(directory, name))
		if err != nil {
			t.Error(err)
		}
		return string(content)
	}
	if diff := cmp.Diff(logJSON, read("randwrite.gp3/fio.json")); diff != "" {
		t.Errorf("fio's JSON (-want +got):\n%s", diff)
	}
	if got := read("randwrite.gp3/fio.log"); got != log {
		t.Errorf("log:\n%s", got)
	}
	if !json.Valid([]byte(read("randwrite.gp3/clients.json"))) {
		t.Error("the clients' results are no JSON")
	}
	if text := read("storagebenchmark.yaml"); !strings.Contains(text, "kind: StorageBenchmark") || strings.Contains(text, "managedFields") {
		t.Errorf("resource:\n%s", text)
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	u := newKept(t)
	code, out, _ := u.run(t, "list")
	if fields := strings.Fields(strings.Split(out, "\n")[1]); code != 0 || !cmp.Equal(fields[:3], []string{"kept", "Completed", "2/2"}) {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	if code, out, _ := u.run(t, "list", "-A"); code != 0 || !strings.Contains(out, u.namespace) {
		t.Errorf("-A: exit code %d:\n%s", code, out)
	}
	if code, out, notes := u.run(t, "list", "-l", "a=b"); code != 0 || out != "" || notes != "No StorageBenchmarks found in namespace "+u.namespace+"\n" {
		t.Errorf("-l: exit code %d:\n%s%s", code, out, notes)
	}
}

// kubectl completes the arguments of plugins by a program beside them.
func TestCompletion(t *testing.T) {
	t.Parallel()
	u := newKept(t)
	completer, err := filepath.Abs("../../cmd/kubectl-storagebench")
	if err != nil {
		t.Fatal(err)
	}
	path := strings.Join([]string{filepath.Dir(u.program), completer, os.Getenv("KUBEBUILDER_ASSETS"), os.Getenv("PATH")}, string(filepath.ListSeparator))
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"report", ""}, "kept\n:4\n"},
		{[]string{"logs", "kept", ""}, "randwrite.gp3\tSucceeded\nrandwrite.efs-sc\tSucceeded\n:4\n"},
		{[]string{"list", "--al"}, "--all-namespaces\tlist the StorageBenchmarks of all namespaces\n"},
	} {
		cmd := exec.CommandContext(t.Context(), filepath.Join(os.Getenv("KUBEBUILDER_ASSETS"), "kubectl"), append([]string{"__complete", "storagebench"}, u.args(test.args...)...)...)
		cmd.Env = append(os.Environ(), "PATH="+path)
		out, err := cmd.Output()
		if err != nil || !strings.HasPrefix(string(out), test.want) {
			t.Errorf("%v is completed by %v:\n%s", test.args, err, out)
		}
	}
}

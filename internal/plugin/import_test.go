package plugin

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const importedRead = `apiVersion: storagebench.dev/v1alpha1
kind: StorageBenchmark
metadata:
  name: a
spec:
  targets:
  - name: gp3
    storageClassName: gp3
  workloads:
  - name: a
    fio:
      rw: read
      size: 1M
`

func TestImport(t *testing.T) {
	const nothing = "give a job file with -f, or a fio command line behind --, such as: -- fio --name=a --rw=read --size=1G"
	for name, test := range map[string]struct {
		in, args string
		want     execution
	}{
		"a command line": {"", "--class gp3 -- fio --name=a --rw=read --size=1M", execution{Out: importedRead}},
		"a job file":     {"[a]\nrw=read\nsize=1M\n", "--class gp3 -f -", execution{Out: importedRead}},
		"several targets, a capacity and a name": {
			"", "--class gp3,gp2 --claim data --capacity 30Gi,40Gi --name mine -- --name=a --rw=read --size=1M", execution{
				Out: strings.NewReplacer("name: a\nspec", "name: mine\nspec", "storageClassName: gp3\n", "storageClassName: gp3\n    capacity: 30Gi\n"+
					"  - name: gp2\n    storageClassName: gp2\n    capacity: 40Gi\n  - name: data\n    claimName: data\n").Replace(importedRead),
			},
		},
		"notes": {
			"", "--class gp3 -- fio --name=a --rw=read --size=1M --output=x --directory=/mnt", execution{Out: importedRead, Err: "note: --output=x left out: what fio prints is kept of each run anyway\n" +
				"note: directory=/mnt left out: the volume of the target takes its place\n"},
		},
		"one problem": {
			"", "--class gp3 -- fio --name=a --rw=read --size=1M --exec_prerun=id", execution{Err: "exec_prerun=id: section [a]: it runs commands: remove it\n" +
				"Error: the job cannot be imported, for the reason above\n", Failed: true},
		},
		"several problems": {
			"[a]\nexec_prerun=id\nuid=3\n", "--class gp3 -f -", execution{Err: "exec_prerun=id: line 2, section [a]: it runs commands: remove it\nuid=3: line 3, section [a]: it changes the user: set spec.pod.securityContext\n" +
				"Error: the job cannot be imported, for the 2 reasons above\n", Failed: true},
		},
		"problems of the plan": {
			"", "--class gp3 --capacity 1Gi -- fio --name=a --rw=read --size=2G --output=x", execution{Err: "note: --output=x left out: what fio prints is kept of each run anyway\n" +
				"spec.targets[0].capacity: Invalid value: \"1Gi\": the test files of all workloads take 2Gi; raise capacity, or lower size or numjobs\n" +
				"Error: the job cannot be measured like this, for the reason above\n", Failed: true},
		},
		"no target":               {"", "-- fio --name=a", execution{Err: "Error: name the storage to measure: StorageClasses with --class (kubectl get storageclasses), or claims with --claim\n", Failed: true}},
		"nothing":                 {"", "--class gp3", execution{Err: "Error: " + nothing + "\n", Failed: true}},
		"nothing behind --":       {"", "--class gp3 --", execution{Err: "Error: " + nothing + "\n", Failed: true}},
		"two sources":             {"", "--class gp3 -f - -- fio --name=a", execution{Err: "Error: give either a job file with -f or a fio command line behind --\n", Failed: true}},
		"before --":               {"", "--class gp3 fio -- --name=a", execution{Err: "Error: \"fio\" stands before --: put the whole fio command line behind it, such as: -- fio --name=a --rw=read --size=1G\n", Failed: true}},
		"without --":              {"", "--class gp3 fio", execution{Err: "Error: \"fio\" stands before --: put the whole fio command line behind it, such as: -- fio --name=a --rw=read --size=1G\n", Failed: true}},
		"a capacity that is none": {"", "--class gp3 --capacity x -- fio --name=a", execution{Err: "Error: --capacity x: give a quantity of bytes, such as 30Gi\n", Failed: true}},
		"a capacity of a claim":   {"", "--claim data --capacity 1Gi -- fio --name=a", execution{Err: "Error: --capacity is of new volumes: add --class, or remove it; a claim has its own\n", Failed: true}},
		"a class that is none": {"", "--class Gp3 -- fio --name=a", execution{Err: "Error: --class \"Gp3\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', " +
			"and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')\n", Failed: true}},
		"a name that is none": {"", "--class gp3 --name A -- fio --name=a", execution{Err: "Error: --name \"A\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', " +
			"and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')\n", Failed: true}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, execute(t, test.in, append([]string{"import"}, strings.Fields(test.args)...)...)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestImportOfAFile also plans what is imported.
func TestImportOfAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "job.fio")
	if err := os.WriteFile(path, []byte("[w]\nrw=read\nsize=1M\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	imported := execute(t, "", "import", "--class", "gp3", "-f", path)
	if imported.Failed || imported.Err != "" {
		t.Fatalf("import: %+v", imported)
	}
	if planned := execute(t, imported.Out, "plan", "-f", "-"); planned.Failed || !strings.Contains(planned.Out, "w.gp3") {
		t.Errorf("plan: %+v of\n%s", planned, imported.Out)
	}
	missing := filepath.Join(t.TempDir(), "missing.fio")
	want := execution{Err: "Error: open " + missing + ": no such file or directory\n", Failed: true}
	if diff := cmp.Diff(want, execute(t, "", "import", "--class", "gp3", "-f", missing)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

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
      ioengine: psync
      direct: false
      size: 1M
      timeBased: false
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
				"spec.targets[0].capacity: Invalid value: \"1Gi\": 1Gi holds 953Mi of files, the workloads need 2Gi: set capacity to at least 2173Mi, or lower size or numjobs\n" +
				"Error: the job cannot be measured like this, for the reason above\n", Failed: true},
		},
		"a job file and options before it": {"[a]\nrw=read\n", "--class gp3 -f - -- fio --size=1M", execution{Out: importedRead}},
		"a share of the volume": {
			"", "--class gp3,gp2 --capacity 9Gi,18Gi -- fio --name=a --rw=read --size=50%", execution{
				Out: strings.NewReplacer("size: 1M", "size: 4096M", "storageClassName: gp3\n", "storageClassName: gp3\n    capacity: 9Gi\n"+
					"  - name: gp2\n    storageClassName: gp2\n    capacity: 18Gi\n").Replace(importedRead),
				Err: "note: size=50% of files that are yet to be made is a share of the volume: size=4096M, of the 8Gi for which files have room\n",
			},
		},
		"a share of a claim": {
			"", "--class gp3 --claim data -- fio --name=a --rw=read --size=50%", execution{Err: "size=50%: section [a]: a percentage is for raw block devices, because a file has no size yet: write a number of bytes such as 1G\n" +
				"Error: the job cannot be imported, for the reason above\n", Failed: true},
		},
		"no target":               {"", "-- fio --name=a", execution{Err: "Error: no storage is named: use --class (kubectl storagebench storage lists StorageClasses), --claim, --ebs, --efs or --s3\n", Failed: true}},
		"nothing":                 {"", "--class gp3", execution{Err: "Error: " + nothing + "\n", Failed: true}},
		"nothing behind --":       {"", "--class gp3 --", execution{Err: "Error: " + nothing + "\n", Failed: true}},
		"two sources":             {"", "--class gp3 -f - -- fio --name=a", execution{Err: "Error: give either a job file with -f or a fio command line behind --\n", Failed: true}},
		"before --":               {"", "--class gp3 fio -- --name=a", execution{Err: "Error: \"fio\" stands before --: put the whole fio command line behind it, such as: -- fio --name=a --rw=read --size=1G\n", Failed: true}},
		"without --":              {"", "--class gp3 fio", execution{Err: "Error: \"fio\" stands before --: put the whole fio command line behind it, such as: -- fio --name=a --rw=read --size=1G\n", Failed: true}},
		"a capacity that is none": {"", "--class gp3 --capacity x -- fio --name=a", execution{Err: "Error: --capacity x: give a quantity of bytes, such as 30Gi\n", Failed: true}},
		"a capacity of a claim":   {"", "--claim data --capacity 1Gi -- fio --name=a", execution{Err: "Error: --capacity is the size of new volumes: add --class, --ebs, --efs or --s3, or remove --capacity; a claim has a size of its own\n", Failed: true}},
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

// TestImportWithWhatIsAround: files that a job file includes lie beside it, or in the working directory, and variables are set here.
func TestImportWithWhatIsAround(t *testing.T) {
	directory, working := t.TempDir(), t.TempDir()
	t.Chdir(working)
	t.Setenv("STORAGEBENCH_TEST_SIZE", "1M")
	for path, text := range map[string]string{
		filepath.Join(directory, "job.fio"):    "[global]\ninclude beside.fio\n[a]\ninclude both.fio\n[b]\nstonewall\n",
		filepath.Join(directory, "beside.fio"): "size=${STORAGEBENCH_TEST_SIZE}\n",
		filepath.Join(directory, "both.fio"):   "rw=write\n",
		filepath.Join(working, "both.fio"):     "rw=read\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got := execute(t, "", "import", "--class", "gp3", "--group", "-f", filepath.Join(directory, "job.fio"))
	want := execution{
		Out: strings.Replace(importedRead, "    fio:\n      rw: read\n      ioengine: psync\n      direct: false\n      size: 1M\n      timeBased: false\n", `    jobFile: |
      [global]
      group_reporting

      [global]
      size=1M

      [a]
      rw=read

      [b]
      stonewall
`, 1),
		Err: "note: the options of beside.fio stand in the workload itself\n" +
			"note: ${STORAGEBENCH_TEST_SIZE} is 1M, as in the environment of this command\n" +
			"note: the options of both.fio stand in the workload itself\n" +
			"note: 2 jobs, one after the other, are one fio run: they stay together as a job file, which gives 2 results (a, b)\n",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
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

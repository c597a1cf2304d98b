package fioimport

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// written returns what a command line becomes on targets.
func written(t *testing.T, args, name string, targets ...v1alpha1.Target) (text string, notes []string) {
	t.Helper()
	imported, err := Options{}.CommandLine(strings.Fields(args))
	if err != nil {
		t.Fatal(err)
	}
	sb, err := imported.Benchmark(name, targets)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := Write(&out, sb); err != nil {
		t.Fatal(err)
	}
	return out.String(), imported.Notes
}

func class(name string) v1alpha1.Target { return v1alpha1.Target{Name: name, StorageClassName: &name} }
func claim() v1alpha1.Target            { return v1alpha1.Target{Name: "data", ClaimName: new("data")} }

// TestWrite: the YAML is as people write it.
func TestWrite(t *testing.T) {
	for name, test := range map[string]struct {
		args, name string
		targets    []v1alpha1.Target
		want       string
		notes      []string
	}{
		"parameters": {
			"--name=randwrite --rw=randwrite --bs=16k --size=1G --numjobs=16 --group_reporting --time_based --runtime=60 --kb_base=1024", "e1", []v1alpha1.Target{class("gp3"), claim()},
			`apiVersion: storagebench.dev/v1alpha1
kind: StorageBenchmark
metadata:
  name: e1
spec:
  targets:
  - name: gp3
    storageClassName: gp3
    capacity: 18Gi
  - name: data
    claimName: data
  workloads:
  - name: randwrite
    fio:
      rw: randwrite
      bs: 16k
      ioengine: psync
      direct: false
      size: 1G
      numjobs: 16
      runtimeSeconds: 60
      options:
        kb_base: "1024"
`, []string{"capacity 18Gi, because the test files take 16Gi; --capacity gives another"},
		},
		"a job file": {
			"--size=1M --name=a --rw=read --name=b --rw=write --stonewall", "", []v1alpha1.Target{class("gp3")},
			`apiVersion: storagebench.dev/v1alpha1
kind: StorageBenchmark
metadata:
  name: a
spec:
  targets:
  - name: gp3
    storageClassName: gp3
  workloads:
  - name: a
    jobFile: |
      [global]
      size=1M

      [a]
      rw=read

      [b]
      rw=write
      stonewall
`, []string{"2 jobs, one after the other, are one fio run: they stay together as a job file, which gives 2 results (a, b)"},
		},
		"a device": {
			"--name=a --rw=read --filename=/dev/sdb", "", []v1alpha1.Target{class("gp3"), claim()},
			`apiVersion: storagebench.dev/v1alpha1
kind: StorageBenchmark
metadata:
  name: a
spec:
  targets:
  - name: gp3
    storageClassName: gp3
    volumeMode: Block
  - name: data
    claimName: data
  workloads:
  - name: a
    fio:
      rw: read
      ioengine: psync
      direct: false
      size: 100%
      timeBased: false
`, []string{
				"filename=/dev/sdb left out: the volume of the target takes its place, without a file system (volumeMode Block)",
				"claim data has to have volumeMode Block, and is only read",
			},
		},
		"a part of a device": {
			"--name=a --rw=read --filename=/dev/sdb --size=16G --numjobs=4 --group_reporting", "", []v1alpha1.Target{class("gp3")},
			`apiVersion: storagebench.dev/v1alpha1
kind: StorageBenchmark
metadata:
  name: a
spec:
  targets:
  - name: gp3
    storageClassName: gp3
    capacity: 18Gi
    volumeMode: Block
  workloads:
  - name: a
    fio:
      rw: read
      ioengine: psync
      direct: false
      size: 16G
      numjobs: 4
      timeBased: false
`, []string{
				"filename=/dev/sdb left out: the volume of the target takes its place, without a file system (volumeMode Block)",
				"capacity 18Gi, because the jobs use 16Gi; --capacity gives another",
			},
		},
		"a name like a number": {
			"--name=1 --rw=read --size=1M", "", []v1alpha1.Target{class("true")},
			`apiVersion: storagebench.dev/v1alpha1
kind: StorageBenchmark
metadata:
  name: "1"
spec:
  targets:
  - name: "true"
    storageClassName: "true"
  workloads:
  - name: "1"
    fio:
      rw: read
      ioengine: psync
      direct: false
      size: 1M
      timeBased: false
`, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, notes := written(t, test.args, test.name, test.targets...)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if diff := cmp.Diff(test.notes, notes); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
		})
	}
}

// TestBenchmarkRefused: what the import cannot know the plan says, all at once.
func TestBenchmarkRefused(t *testing.T) {
	small := class("gp3")
	small.Capacity = new(resource.MustParse("1Gi"))
	imported, err := Options{}.CommandLine(strings.Fields("--name=a --rw=read --size=2G"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = imported.Benchmark("", []v1alpha1.Target{small, small})
	if diff := cmp.Diff(`spec.targets[1].name: Duplicate value: "gp3"`, message(err)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	device, err := Options{}.CommandLine(strings.Fields("--name=a --rw=write --filename=/dev/sdb"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = device.Benchmark("", []v1alpha1.Target{claim()})
	if diff := cmp.Diff(`spec.workloads[0].fio.rw: Invalid value: "write": the volume holds data of its own and is only read: write read or randread, or measure a new volume`, message(err)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	_, err = imported.Benchmark("", []v1alpha1.Target{small})
	want := `spec.targets[0].capacity: Invalid value: "1Gi": 1Gi holds 953Mi of files, the workloads need 2Gi: set capacity to at least 2173Mi, or lower size or numjobs`
	if diff := cmp.Diff(want, message(err)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

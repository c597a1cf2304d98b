package plan

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// What AWS, or a bucket, would refuse later is refused before anything is provisioned, at the field that is wrong.
func TestStorageIsValidated(t *testing.T) {
	const (
		bucket   = "targets: [{name: t, capacity: 100Gi, s3: {bucket: my-bucket}}]\n"
		efs      = "targets: [{name: t, efs: {fileSystemID: fs-01234567}}]\n"
		restored = "targets: [{name: t, ebs: {}, volumeMode: Block, dataSource: {apiGroup: snapshot.storage.k8s.io, kind: VolumeSnapshot, name: db}}]\n"
		anything = "workloads: [{name: w, fio: {rw: read, size: 1M}}]\n"
		attached = "targets: [{name: t, ebs: {type: io2, iops: 500}, accessMode: ReadWriteMany, volumeMode: Block}]\n" + anything
	)
	for _, test := range []struct{ name, spec, want string }{
		{name: "E5 on a bucket", spec: bucket + `workloads:
- name: w
  fio: {rw: read, ioengine: libaio, direct: true, iodepth: 128, bs: 8m, size: 1g, options: {kb_base: "1024", stonewall: "1"}}
  matrix: {size: [500M, 1g, 3g], numjobs: [1, 8, 16]}
`},
		{name: "writes of a size on a bucket", spec: bucket + "workloads: [{name: w, fio: {rw: write, size: 100G, bs: 8m}}]"},
		{"random writes on a bucket", bucket + "workloads: [{name: w, fio: {rw: randwrite, size: 1M}}]", "spec.workloads[0].fio.rw: "},
		{"writes for a time on a bucket", bucket + "workloads: [{name: w, fio: {rw: write, size: 1M, runtimeSeconds: 5, timeBased: true}}]", "spec.workloads[0].fio.timeBased: "},
		{"a case that a bucket cannot do", bucket + "workloads: [{name: w, fio: {rw: read, size: 1M}, matrix: {rw: [read, randwrite]}}]", "spec.workloads[0].matrix[rw]: "},
		{"beside a volume that could", "targets: [{name: v, ebs: {}}, {name: t, s3: {bucket: my-bucket}}]\nworkloads: [{name: w, fio: {rw: randwrite, size: 1M}}]", "spec.workloads[0].fio.rw: "},
		{"too many IOPS", "targets: [{name: t, capacity: 4Gi, ebs: {type: io2, iops: 5000}}]\n" + anything, "spec.targets[0].ebs.iops: "},
		{"too small", "targets: [{name: t, ebs: {type: sc1}}]\n" + anything, "spec.targets[0].capacity: "},
		{"files that do not fit", "targets: [{name: t, capacity: 1Gi, ebs: {}}]\nworkloads: [{name: w, fio: {rw: read, size: 2G}}]", "spec.targets[0].capacity: "},
		{"two files that leave the file system no room", "targets: [{name: t, storageClassName: c, capacity: 256Mi}]\nworkloads: [{name: w, fio: {rw: read, size: 128M, numjobs: 2}}]",
			`spec.targets[0].capacity: Invalid value: "256Mi": 256Mi holds 224Mi of files, the workloads need 256Mi: set capacity to at least 290Mi`},
		{name: "the capacity that is said", spec: "targets: [{name: t, storageClassName: c, capacity: 290Mi}]\nworkloads: [{name: w, fio: {rw: read, size: 128M, numjobs: 2}}]"},
		{name: "no capacity of a file system that grows", spec: efs + "workloads: [{name: w, fio: {rw: read, size: 10G}}]"},
		{name: "a capacity of a file system that grows", spec: "targets: [{name: t, capacity: 200Gi, efs: {fileSystemID: fs-01234567}}]\nworkloads: [{name: w, fio: {rw: read, size: 200G}}]"},
		{"files that would be billed for ever", efs + "workloads: [{name: w, fio: {rw: read, size: 100T}}]",
			`spec.targets[0].capacity: Invalid value: "10Gi": 10Gi holds 10Gi of files, the workloads need 100Ti: set capacity to at least 100Ti`},
		{"and more of them", efs + "workloads: [{name: w, fio: {rw: write, size: 8P}}]", "spec.targets[0].capacity: "},
		{"all that can be counted", efs + "workloads: [{name: w, fio: {rw: write, size: 7000P}}]", "spec.targets[0].capacity: "},
		{"as much in a bucket", "targets: [{name: t, s3: {bucket: my-bucket}}]\nworkloads: [{name: w, fio: {rw: write, size: 100T}}]", "spec.targets[0].capacity: "},
		{"files that are added to", efs + "workloads: [{name: w, fio: {rw: write, size: 11G, options: {file_append: '1'}}}]", "spec.targets[0].capacity: "},
		{"a claim that is filled", "targets: [{name: t, claimName: c}]\nworkloads: [{name: w, fio: {rw: write, options: {fill_device: '1'}}}]", "spec.workloads[0].fio.options[fill_device]: "},
		{"the same by the other name", "targets: [{name: t, claimName: c}]\nworkloads: [{name: w, jobFile: \"[a]\\nrw=write\\nfill_fs=1\\n\"}]", "spec.workloads[0].jobFile: "},
		{"the same by a matrix", "targets: [{name: t, claimName: c}]\nworkloads: [{name: w, fio: {rw: write, size: 1M}, matrix: {fill_device: [0, 1]}}]", "spec.workloads[0].matrix[fill_device]: "},
		{"a file system that cannot be filled", efs + "workloads: [{name: w, fio: {rw: write, options: {fill_device: '1'}}}]", "spec.workloads[0].fio.options[fill_device]: "},
		{name: "a new volume that is filled", spec: "targets: [{name: t, storageClassName: c}]\nworkloads: [{name: w, fio: {rw: write, options: {fill_device: '1'}}}]"},
		{name: "a device of several instances", spec: "clients: 16\n" + attached},
		{"a device of too many instances", "clients: 17\n" + attached, "spec.clients: Invalid value: 17: an EBS volume can be attached to at most 16 instances"},
		{name: "a device for each client", spec: "clients: 17\n" + strings.Replace(attached, "accessMode: ReadWriteMany, ", "", 1)},
		{"a disk of several instances", "clients: 2\n" + strings.Replace(attached, ", volumeMode: Block", "", 1), "spec.targets[0].accessMode: "},
		{"a device of type gp3 of several instances", "clients: 2\n" + strings.Replace(attached, "io2, iops: 500", "gp3", 1), "spec.targets[0].accessMode: "},
		{"a share of a claim", "targets: [{name: t, claimName: c}]\nworkloads: [{name: w, fio: {rw: write, size: 50%}}]", "spec.workloads[0].fio.size: "},
		{name: "any I/O on a volume of a snapshot", spec: restored + "workloads: [{name: w, fio: {rw: randread}}, {name: v, fio: {rw: randrw, size: 50%}}, {name: u, fio: {rw: write}}]"},
		{"what would tell of its data", restored + "workloads: [{name: w, fio: {rw: read, options: {verify: pattern, verify_pattern: '0'}}}]", "spec.workloads[0].fio.options[verify]: "},
		{"the same beside a volume of no snapshot", "targets: [{name: e, ebs: {}, volumeMode: Block}, " + strings.TrimPrefix(restored, "targets: [") +
			"workloads: [{name: w, fio: {rw: write, options: {verify: crc32c}}}]", "spec.workloads[0].fio.options[verify]: "},
		{"files on a volume of a snapshot", "targets: [{name: t, ebs: {}, dataSource: {kind: PersistentVolumeClaim, name: db}}]\n" + anything, "spec.targets[0].volumeMode: "},
		{"a file system of a snapshot", "targets: [{name: t, efs: {fileSystemID: fs-01234567}, dataSource: {kind: PersistentVolumeClaim, name: db}}]\n" + anything, "spec.targets[0].dataSource: "},
		{"two kinds of storage", "targets: [{name: t, ebs: {}, s3: {bucket: my-bucket}}]\n" + anything, "spec.targets[0]: "},
		{"no storage", "targets: [{name: t}]\n" + anything, "spec.targets[0]: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			var spec v1alpha1.StorageBenchmarkSpec
			if err := yaml.UnmarshalStrict([]byte(test.spec), &spec); err != nil {
				t.Fatal(err)
			}
			_, problems := Runs(&spec, nil)
			if test.want == "" {
				if len(problems) > 0 {
					t.Errorf("refused: %v", problems)
				}
				return
			}
			if len(problems) == 0 || !strings.HasPrefix(problems[0].Error(), test.want) {
				t.Errorf("problems are %v, want one of %s", problems, test.want)
			}
		})
	}
}

// The size of a new volume is the one that is refused, also where it is the default.
func TestDefaultCapacityIsNamed(t *testing.T) {
	spec := v1alpha1.StorageBenchmarkSpec{
		Targets:   []v1alpha1.Target{{Name: "t", Capacity: new(resource.MustParse("100Gi")), EBS: &v1alpha1.EBSVolume{Type: "st1"}}},
		Workloads: []v1alpha1.Workload{{Name: "w", Fio: &v1alpha1.FioParameters{RW: "read", Size: new("1M")}}},
	}
	if _, problems := Runs(&spec, nil); len(problems) != 1 || !strings.Contains(problems[0].Error(), `"100Gi"`) {
		t.Errorf("problems are %v", problems)
	}
}

// Job files are bounded together as well: an operator keeps those of all benchmarks.
func TestJobFilesTogether(t *testing.T) {
	text := "[a]\nrw=read\nsize=1M\n#" + strings.Repeat("x", 16<<10-21)
	spec := &v1alpha1.StorageBenchmarkSpec{Targets: []v1alpha1.Target{{Name: "t", StorageClassName: new("c")}}}
	for i := range 9 {
		spec.Workloads = append(spec.Workloads, v1alpha1.Workload{Name: fmt.Sprint("w", i), JobFile: &text})
		_, problems := Runs(spec, nil)
		if refused := i >= 8; (len(problems) > 0) != refused || refused && !strings.Contains(problems.ToAggregate().Error(), "all jobFiles together have 147456 characters") {
			t.Errorf("%d files of %d bytes: %v", i+1, len(text), problems.ToAggregate())
		}
	}
}

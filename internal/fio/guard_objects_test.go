package fio

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// refusedObjects returns what the guard says of a job file that it lets pass in other file systems.
func refusedObjects(t *testing.T, text string) string {
	t.Helper()
	f := mustParse(t, text)
	if errs := Validate(nil, f, corev1.PersistentVolumeFilesystem, false); len(errs) > 0 {
		t.Fatalf("%q: %s", text, errs.ToAggregate())
	}
	if errs := ValidateOnObjectStore(nil, f); len(errs) > 0 {
		return errs.ToAggregate().Error()
	}
	return ""
}

// objectCase is lines of a section, and what is said of them on an object store; "" if they pass.
type objectCase struct{ lines, want string }

// objectWriteCases are of rw=write, size=1G and what the lines say.
var objectWriteCases = []objectCase{
	{"", ""},
	{"direct=1\nioengine=libaio\niodepth=32\nnumjobs=8\nnrfiles=4\n", ""},
	{"runtime=60\nramp_time=5\n", ""},
	{"time_based=0\nloops=1\noverwrite=0\nfsync=0\nfdatasync=0\nsync=none\noffset=0\nio_size=0\nfile_append=0\n", ""},
	{"create_on_open=1\nfallocate=none\nend_fsync=1\nunlink=1\n", ""},
	{"fallocate=0\nend_fsync=0\nfsync_on_close=1\nunlink=0\n", ""},
	{"time_based\nruntime=60\n", "a file is written once: set it to 0, and bound the job by size"},
	{"loops=3\n", "set unlink_each_loop=1"},
	{"loops=3\nunlink_each_loop=1\n", ""},
	{"overwrite=1\n", "a file is written once"},
	{"create_on_open=0\n", "create_on_open=1 is set"},
	{"allow_file_create=0\n", "only to files that it makes"},
	{"pre_read=1\n", "before it is written"},
	{"fsync=1\n", "end_fsync=1 is set"},
	{"fdatasync=8\n", "end_fsync=1 is set"},
	{"sync=1\n", "O_SYNC or O_DSYNC"},
	{"sync=sync\n", "O_SYNC or O_DSYNC"},
	{"sync=dsync\n", "O_SYNC or O_DSYNC"},
	{"nrfiles=4\nfile_service_type=zipf:1.2\n", "go back to files"},
	{"nrfiles=4\nfile_service_type=random\n", ""},
	{"nrfiles=4\nopenfiles=1\nfile_service_type=sequential\n", ""},
	{"offset=1M\n", "from its first byte"},
	{"offset_increment=1G\n", "each clone has a file of its own"},
	{"zonemode=strided\nzonesize=1M\nzonerange=2M\n", "leave out parts"},
	{"zoneskip=1M\n", "leave out parts"},
	{"ioengine=mmap\n", "come in no order"},
	{"io_submit_mode=offload\niodepth=8\n", "overtake each other"},
	{"io_submit_mode=offload\n", ""},
	{"ioengine=io_uring\nforce_async=4\niodepth=8\n", "overtake each other"},
	{"ioengine=io_uring\nforce_async=4\n", ""},
	{"verify=crc32c\n", ""},
	{"verify=crc32c\nverify_backlog=8\n", "a file that is being written"},
	{"verify_only\n", "what nobody has written"},
	{"fallocate=native\n", "no blocks to reserve"},
	{"fallocate=posix\n", "no blocks to reserve"},
	{"file_append=1\n", "adds nothing to a file"},
	{"fill_device=1\n", "never full"},
	{"ioengine=libaio\nnowait=1\n", "without waiting"},
	{"ioengine=io_uring\nhipri\n", "cannot be polled"},
	{"ioengine=pvsync2\nhipri\n", ""},
	{"sync_file_range=write:8\n", ""},
	{"bs=8m\nbsrange=4k-64k\n", ""},
	{"io_size=1G\n", ""},
	{"io_size=512M\n", ""},
	{"io_size=50%\n", ""},
	{"io_size=2G\n", "write at most 1073741824 bytes"},
	{"io_size=2M\nfilesize=1M-4M\n", "write at most 1048576 bytes"},
	{"io_size=1G\nnrfiles=4\n", "with several files"},
	{"filename=x\n", ""},
	{"filename=x:y\n", ""},
	{"filename=x:y:x\n", "names a file twice"},
	{"filename=x\nnumjobs=2\n", "2 clones would write the same file"},
	{"filename_format=x.$JOBNUM\nnumjobs=2\n", ""},
	{"filename_format=$jobname.$filenum\nnumjobs=2\n", "put $jobnum into it"},
	{"filename_format=$jobname.$jobnum\nnrfiles=2\n", "put $filenum into it"},
}

// objectReadCases are of size=1G and what the lines say.
var objectReadCases = []objectCase{
	{"", ""},
	{"rw=read\ntime_based\nruntime=60\ndirect=1\n", ""},
	{"rw=randread:8\nloops=3\nnumjobs=16\nfilename=x\n", ""},
	{"rw=read:64k\noffset=1M\noffset_increment=1M\nio_size=4G\nzonemode=strided\nzonesize=1M\nzonerange=2M\n", ""},
	{"fsync=1\noverwrite=1\nfallocate=posix\nallow_file_create=0\ncreate_on_open=1\npre_read=1\n", ""},
	{"sync=dsync\n", "O_SYNC or O_DSYNC"},
	{"verify=md5\n", "no checksums"},
	{"verify=0\n", ""},
	{"unlink=1\n", "other runs read the same files"},
	{"unlink_each_loop=1\n", "other runs read the same files"},
	{"file_append=1\n", "adds nothing to a file"},
	{"fill_device=1\n", "never full"},
	{"ioengine=mmap\n", ""},
	{"ioengine=mmap\ndirect=1\n", "cannot map files opened with O_DIRECT"},
	{"ioengine=mmap\nbuffered=0\n", "cannot map files opened with O_DIRECT"},
	{"ioengine=pvsync2\nuncached=1\n", "no uncached I/O"},
	{"ioengine=io_uring\nhipri\n", "cannot be polled"},
}

// otherObjectCases are of what is neither read nor write, and of several sections.
var otherObjectCases = []objectCase{
	{"[a]\nrw=randwrite\nsize=1M\n", "in order: write rw=write"},
	{"[a]\nrw=randwrite:8\nsize=1M\n", "in order: write rw=write"},
	{"[a]\nrw=write:0\nsize=1M\n", ""},
	{"[a]\nrw=write:8k\nsize=1M\n", "it leaves holes"},
	{"[a]\nrw=write:-8k\nsize=1M\n", "it leaves holes"},
	{"[a]\nrw=read:-8k\nsize=1M\n", ""},
	{"[a]\nreadwrite=rw\nsize=1M\n", "measure reads and writes apart"},
	{"[a]\nrw=readwrite\nsize=1M\n", "measure reads and writes apart"},
	{"[a]\nrw=randrw\nsize=1M\n", "measure reads and writes apart"},
	{"[global]\nsize=1M\n[w]\nrw=write\n[r]\nstonewall\n", ""},
	{"[global]\nsize=1M\nfilename=x\n[w]\nrw=write\n[r]\nstonewall\n", "section [w] writes the same file: on Mountpoint, reads and writes never share one"},
	{"[global]\nsize=1M\nfilename=x\n[r]\n[w]\nrw=write\nstonewall\n", "section [r] reads the same file: on Mountpoint, reads and writes never share one"},
	{"[global]\nsize=1M\nfilename=x\n[w]\nrw=write\n[v]\nrw=write\nstonewall\n", "section [w] writes the same file, which is written once"},
	{"[global]\nsize=1M\nfilename_format=x.$jobnum\n[w]\nrw=write\n[v]\nrw=write\n", "section [w] writes the same file, which is written once"},
	{"[global]\nsize=1M\nfilename=x\n[r]\n[s]\nbs=8k\n", ""},
}

func TestRefusedOnObjectStores(t *testing.T) {
	cases := slices.Clone(otherObjectCases)
	for _, c := range objectWriteCases {
		cases = append(cases, objectCase{"[a]\nrw=write\nsize=1G\n" + c.lines, c.want})
	}
	for _, c := range objectReadCases {
		cases = append(cases, objectCase{"[a]\nsize=1G\n" + c.lines, c.want})
	}
	for _, c := range cases {
		if got := refusedObjects(t, c.lines); c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%q: %q, want %q in it", c.lines, got, c.want)
		}
	}
}

// TestTrimsOnObjectStores: trims are no matter of volumeMode there.
func TestTrimsOnObjectStores(t *testing.T) {
	for _, rw := range []string{"trim", "randtrim", "trimwrite", "randtrimwrite"} {
		errs := ValidateOnObjectStore(nil, mustParse(t, "[a]\nsize=1M\nrw="+rw+"\n"))
		if len(errs) != 1 || !strings.Contains(errs[0].Detail, "no blocks to trim") {
			t.Errorf("%s: %v", rw, errs)
		}
	}
}

// TestObjectRules holds that each rule is about an option that can be given, and has a case that it refuses.
func TestObjectRules(t *testing.T) {
	refuses := func(r rule, cases []objectCase, text string) bool {
		return slices.ContainsFunc(cases, func(c objectCase) bool {
			return c.want != "" && strings.Contains(r.why, c.want) && r.applies(mustParse(t, text+c.lines).jobs()[0])
		})
	}
	for _, rule := range objectRules {
		if byName[rule.option] == nil || byName[rule.option].name != rule.option {
			t.Errorf("no option %s", rule.option)
		}
		if !refuses(rule, objectWriteCases, "[a]\nrw=write\nsize=1G\n") && !refuses(rule, objectReadCases, "[a]\nsize=1G\n") {
			t.Errorf("no case of option %s: %s", rule.option, rule.why)
		}
	}
}

// TestObjectMessages shows what users read.
func TestObjectMessages(t *testing.T) {
	jobFile, typedPath := field.NewPath("spec", "workloads").Index(0), field.NewPath("spec", "workloads").Index(1)
	typed := func(p v1alpha1.FioParameters) *JobFile { return FromParameters("w", &p) }
	write := v1alpha1.FioParameters{RW: "write", Size: new("1G")}
	for _, tt := range []struct {
		path *field.Path
		file *JobFile
		want string
	}{
		{jobFile, mustParse(t, "[global]\nsize=1G\n[a]\nrw=randwrite\n"),
			`spec.workloads[0].jobFile: Invalid value: "rw=randwrite": line 4, section [a]: Mountpoint writes a file from its first byte to its last, in order: write rw=write, or measure randread`},
		{typedPath, typed(v1alpha1.FioParameters{RW: "randrw", Size: new("1G")}),
			`spec.workloads[1].fio.rw: Invalid value: "randrw": Mountpoint reads no file that is being written: measure reads and writes apart, with rw=write and rw=read or randread`},
		{typedPath, typed(v1alpha1.FioParameters{RW: "write", Size: new("1G"), TimeBased: new(true), RuntimeSeconds: new(int32(60))}),
			`spec.workloads[1].fio.timeBased: Invalid value: "1": when the file is full, fio would begin it anew, and on Mountpoint a file is written once: set it to 0, and bound the job by size; runtime may end it before`},
		{typedPath, typed(v1alpha1.FioParameters{RW: "write", Size: new("1G"), Sync: new("dsync")}),
			`spec.workloads[1].fio.sync: Invalid value: "dsync": Mountpoint opens no file with O_SYNC or O_DSYNC: remove it; for writes, end_fsync=1 is set, which waits for the end of the upload`},
		{typedPath, typed(v1alpha1.FioParameters{RW: "write", Size: new("1G"), Options: map[string]v1alpha1.FioOptionValue{"overwrite": "1"}}),
			`spec.workloads[1].fio.options[overwrite]: Invalid value: "1": on Mountpoint a file is written once, as it is made: remove it`},
		{typedPath, typed(write).With([]Setting{{"fsync", "1"}}),
			`spec.workloads[1].matrix[fsync]: Invalid value: "1": on Mountpoint it ends the file, which takes no write after it: remove it; end_fsync=1 is set, which waits for the end of the upload`},
		{typedPath, typed(write).With([]Setting{{"rw", "randwrite"}}),
			`spec.workloads[1].matrix[rw]: Invalid value: "randwrite": Mountpoint writes a file from its first byte to its last, in order: write rw=write, or measure randread`},
	} {
		errs := ValidateOnObjectStore(tt.path, tt.file)
		if len(errs) != 1 {
			t.Errorf("%d errors, want one: %s", len(errs), tt.want)
			continue
		}
		if diff := cmp.Diff(tt.want, errs[0].Error()); diff != "" {
			t.Error(diff)
		}
	}
	many := mustParse(t, "[global]\nrw=write\nsize=1M\nsync=1\n"+strings.Repeat("[a]\n", 40))
	if errs := ValidateOnObjectStore(jobFile, many); len(errs) != maxErrors {
		t.Errorf("%d errors, want %d", len(errs), maxErrors)
	}
}

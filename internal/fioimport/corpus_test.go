package fioimport

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/fiooutput"
	"github.com/storagebench/storagebench/test/fiorun"
)

// found is a job file of a kind that people publish, in words of our own, and what becomes of it.
type found struct {
	text string
	// args stand before the job file.
	args  string
	group bool
	// notes are what the import says, problems why it refuses; results are those of the job file otherwise.
	notes, problems []string
	results         []string
	// newer says that it takes a fio as new as the runner's.
	newer bool
}

const (
	someEngine = ": write one of psync, sync, vsync, pvsync, pvsync2, libaio, io_uring, posixaio, mmap"
	together   = "2 jobs, all at the same time, are one fio run: they stay together as a job file, which gives 2 results "
	asJobFile  = "kept as a job file, because parameters cannot say it: "
)

// corpus has job files by what is special in them.
var corpus = map[string]found{
	"a name of all": {text: "[global]\nname=quick\nsize=1M\n[read]\nrw=read\n", results: []string{"read"}},
	"names of sections": {
		text: "[global]\nsize=1M\n[job1]\nname=reads\n[job2]\nname=writes\nrw=write\nwait_for=reads\n",
		notes: []string{
			"section [job1] is called [reads], as its name says", "section [job2] is called [writes], as its name says",
			"2 jobs, one after the other, are one fio run: they stay together as a job file, which gives 2 results (reads, writes)",
		},
		results: []string{"reads", "writes"},
	},
	"one name of several sections": {
		text: "[global]\nsize=1M\n[a]\nname=test\n[b]\nname=test\nrw=write\n",
		notes: []string{
			"name=test left out: several sections have it, and results are known by it, so they keep their own", together + "(a, b)",
		},
		results: []string{"a", "b"},
	},
	"a name that another section has": {
		text: "[global]\nsize=1M\n[a]\n[b]\nname=a\nrw=write\n",
		notes: []string{
			"name=a left out: several sections have it, and results are known by it, so they keep their own", together + "(a, b)",
		},
		results: []string{"a", "b"},
	},
	"a name that files cannot have": {
		text: "[global]\nsize=1M\n[70%/30%]\nrw=randrw\n[after]\nwait_for=70%/30%\n",
		notes: []string{
			"section [70%/30%] is called [70_30_], because files are named after it",
			"2 jobs, one after the other, are one fio run: they stay together as a job file, which gives 2 results (70_30_, after)",
		},
		results: []string{"70_30_", "after"},
	},
	"a device, uncached in two ways": {
		text: "[global]\nfilename=/dev/nvme1n1\ndirect=1\nbuffered=0\nsize=1M\n[job1]\nrw=randread\n",
		notes: []string{
			"filename=/dev/nvme1n1 left out: the volume of the target takes its place, without a file system (volumeMode Block)",
			"buffered=0 is written as direct=1, which is the same",
		},
		results: []string{"job1"},
	},
	"cached, unlike all others": {
		text:    "[global]\nsize=1M\ndirect=1\n[a]\n[b]\nbuffered=1\n",
		notes:   []string{"buffered=1 is written as direct=0, which is the same", together + "(a, b)"},
		results: []string{"a", "b"},
	},
	"files line by line": {
		text: "[a]\nsize=1M\nrw=randrw\nfilename=/data/x\nfilename=/data/y\n",
		notes: []string{
			"fio uses the files of each filename in a section: they are one list, with colons",
			"filename=/data/x: the volume of the target takes the place of /data", "filename=/data/y: the volume of the target takes the place of /data",
		},
		results: []string{"a"},
	},
	"a limit of writes":      {text: "[a]\nsize=1M\nrw=write\nrate=,64m\n", results: []string{"a"}},
	"limits of both":         {text: "[a]\nsize=1M\nrw=randrw\nrate_iops=5000,2000\n", results: []string{"a"}},
	"blocks of writes":       {text: "[a]\nsize=1M\nrw=write\nbs=,64k\n", notes: []string{asJobFile + "bs=,64k is no size that a field can have"}, results: []string{"a"}},
	"backwards":              {text: "[a]\nsize=1M\nrw=read:-8k\n", notes: []string{asJobFile + "rw=read:-8k is more than a type of I/O"}, results: []string{"a"}},
	"every second block":     {text: "[a]\nsize=1M\nrw=write:4k\n", notes: []string{asJobFile + "rw=write:4k is more than a type of I/O"}, results: []string{"a"}},
	"a range with a colon":   {text: "[a]\nsize=1M\nbsrange=512:4k\n", results: []string{"a"}},
	"another name of libaio": {text: "[a]\nsize=1M\nioengine=aio\niodepth=4\n", notes: []string{"ioengine=aio is written as ioengine=libaio, which is the same"}, results: []string{"a"}},
	"a number with a unit":   {text: "[a]\nsize=1M\nrw=write\nverify=crc32c\nverify_backlog=1k\n", notes: []string{"verify_backlog=1k is written as verify_backlog=1024"}, results: []string{"a"}},
	"what says nothing of I/O": {
		text:    "[a]\nsize=1M\nrw=write\nverify=md5\nverify_dump=1\nverify_state_save=1\ncomm=bench\nfiletype=file\ndescription=\"what it is\"\n",
		notes:   []string{`verify_dump=1, verify_state_save=1, comm=bench, filetype=file, description="what it is" left out: without it the I/O is the same`},
		results: []string{"a"},
	},
	"names with directories": {
		text:    "[a]\nsize=1M\nnumjobs=2\nfilename_format=$jobname/$jobnum.dat\n",
		notes:   []string{"filename_format=$jobname/$jobnum.dat: all files are in one directory, so $jobname.$jobnum.dat", "the 2 jobs of numjobs are reported together, as with group_reporting"},
		results: []string{"a"},
	},
	"a share of the volume": {
		text:    "[a]\nsize=50%\nrw=write\nio_size=1M\nfallocate=none\ncreate_on_open=1\n",
		notes:   []string{"size=50% of files that are yet to be made is a share of the volume: size=26M, of the 52Mi for which files have room"},
		results: []string{"a"},
	},
	"a share of the file": {text: "[a]\nfilesize=1M\nsize=50%\n", results: []string{"a"}},
	"a share of a device": {text: "[a]\nfilename=/dev/sdb\nsize=50%\n", notes: []string{"filename=/dev/sdb left out: the volume of the target takes its place, without a file system (volumeMode Block)"}, results: []string{"a"}},
	"options of other files": {
		text:    "[global]\nsize=1M\ninclude common.fio\n[a]\ninclude blocks.fio\n",
		notes:   []string{"the options of common.fio stand in the workload itself", "the options of blocks.fio stand in the workload itself"},
		results: []string{"a"},
	},
	"options of the environment": {text: "[a]\nsize=${MEGABYTES}M\nbs=${BLOCK}\n", notes: []string{"${MEGABYTES} is 2, as in the environment of this command", "${BLOCK} is 8k, as in the environment of this command"}, results: []string{"a"}},
	"options before the job file": {
		text: "[a]\nrw=write\n[b]\nsize=2M\n", args: "fio --size=1M --output=x --direct=0", notes: []string{"--output=x left out: " + kept, together + "(a, b)"}, results: []string{"a", "b"},
	},
	"many results": {
		text: sections(17, ""), problems: []string{"17 groups of results: a job file may have 16; use group_reporting in [global], which joins those that run at the same time, or split it into several workloads; --group does that, and leaves 1"},
	},
	"many results together": {
		text: sections(17, ""), group: true, results: []string{"s0"},
		notes: []string{"17 jobs, all at the same time, are one fio run: they stay together as a job file, which gives 1 results (s0)"},
	},
	"many results one after the other": {
		text: sections(17, "stonewall\n"), problems: []string{"17 groups of results: a job file may have 16; use group_reporting in [global], which joins those that run at the same time, or split it into several workloads; --group is not enough, as too many run one after the other"},
	},
	"what fio has since 3.34": {
		text: "[a]\nsize=1M\nrw=write\nverify=crc32c\nverify_write_sequence=0\nthinkcycles=1\nioengine=libaio\nlibaio_vectored=1\n", results: []string{"a"}, newer: true,
	},

	"a steady latency":             {text: "[a]\nsize=1M\nss=lat:5%\n", problems: []string{"ss=lat:5%: line 3, section [a]: fio has it since 3.42, and the runner has fio 3.39: write a criterion such as iops:20% or bw_slope:10%"}},
	"no volume":                    {text: "[a]\nsize=1M\nioengine=null\n", problems: []string{"ioengine=null: line 3, section [a]: it does no I/O" + someEngine}},
	"a variable that is not":       {text: "[a]\nsize=1M\nbs=${NONE}\n", problems: []string{"bs=${NONE}: line 3, section [a]: fio takes it from the environment that it runs in, which is another one here: write a number of bytes such as 4k, or up to three with commas (reads, writes, trims)"}},
	"a file that is not":           {text: "[a]\nsize=1M\ninclude none.fio\n", problems: []string{"include none.fio: no such file"}},
	"sections of another file":     {text: "[a]\nsize=1M\ninclude sections.fio\n", problems: []string{"include sections.fio: it has sections, and what is included holds options alone: write its sections here"}},
	"a file that is itself":        {text: "[a]\nsize=1M\ninclude self.fio\n", problems: []string{"include self.fio: section [a]: it reads another file: write the options of that file here"}},
	"a file that is itself, often": {text: "[a]\nsize=1M\ninclude often.fio\n", problems: []string{"include often.fio: section [a]: it reads another file: write the options of that file here"}},
	"zones":                        {text: "[a]\nfilename=/dev/sdb\nsize=8z\n", problems: []string{"size=8z: line 3, section [a]: it counts zones of a zoned block device, which no volume is: write a number of bytes such as 10G, or a percentage from 1% to 100%"}},
	"waiting for what is below":    {text: "[global]\nsize=1M\n[a]\nwait_for=b\n[b]\n", problems: []string{"wait_for=b: line 4, section [a]: there is no such section above, and fio waits for no other: move that section up, or use stonewall to wait for all before"}},
	"a job beside the file":        {text: "[a]\nsize=1M\n", args: "--name=b --rw=write", problems: []string{"a job in addition to the job file: leave out --name and what follows it, or import the job by itself"}},
	"caches of the node":           {text: "[a]\nsize=1M\nexec_prerun=sync\n", problems: []string{"exec_prerun=sync: line 3, section [a]: it runs commands: remove it"}},
	"failures that are hidden":     {text: "[a]\nsize=1M\nignore_error=EIO\n", problems: []string{"ignore_error=EIO: line 3, section [a]: it hides failures: remove it"}},
}

// sections returns a job file of n jobs.
func sections(n int, options string) string {
	text := "[global]\nsize=64k\n"
	for i := range n {
		text += fmt.Sprintf("[s%d]\n%s", i, options)
	}
	return text
}

// surroundings are what the corpus finds outside of it.
func surroundings() Options {
	small := class("small")
	small.Capacity = new(resource.MustParse("64Mi"))
	variables := map[string]string{"MEGABYTES": "2", "BLOCK": "8k"}
	files := map[string]string{"common.fio": "; of all\nrw=randread\n", "blocks.fio": "include common.fio\nbs=8k\n", "self.fio": "include self.fio\n", "often.fio": strings.Repeat("include often.fio\n", 1000), "sections.fio": "[b]\n"}
	return Options{
		Variable: func(name string) (string, bool) { value, ok := variables[name]; return value, ok },
		Include: func(name string) (string, error) {
			if text, ok := files[name]; ok {
				return text, nil
			}
			return "", errors.New("no such file")
		},
		Targets: []v1alpha1.Target{small},
	}
}

// TestCorpus imports what people have, and has a real fio run what comes of it.
func TestCorpus(t *testing.T) {
	for name, test := range corpus {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			known := surroundings()
			known.Group = test.group
			imported, err := known.JobFile(test.text, strings.Fields(test.args)...)
			if diff := cmp.Diff(strings.Join(test.problems, "\n"), message(err)); diff != "" {
				t.Fatalf("problems (-want +got):\n%s", diff)
			}
			if err != nil {
				return
			}
			if diff := cmp.Diff(test.notes, imported.Notes); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
			if _, err := imported.Benchmark("", known.Targets); err != nil {
				t.Error(err)
			}
			test.run(t, imported)
		})
	}
}

// run has fio run what was imported, on a directory or on what it takes for a device.
func (test found) run(t *testing.T, imported *Import) {
	t.Helper()
	job, mode, volume := imported.job(), corev1.PersistentVolumeFilesystem, fio.Volume{Directory: t.TempDir()}
	if imported.Block {
		mode, volume = corev1.PersistentVolumeBlock, fio.Volume{Device: filepath.Join(t.TempDir(), "device")}
		if err := os.WriteFile(volume.Device, make([]byte, 4<<20), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if problems := fio.Validate(field.NewPath("job"), job, mode, false); len(problems) > 0 {
		t.Fatal(problems.ToAggregate())
	}
	execute := fiorun.Run
	if test.newer {
		execute = fiorun.RunNewer
	}
	run := execute(t, job.On(volume).String(), "--output-format=json+")
	output, err := fiooutput.Parse(run.Output)
	if err != nil || run.Code != 0 {
		t.Fatalf("fio ended with %d: %v\n%s%s", run.Code, err, run.Stdout, run.Stderr)
	}
	var results []string
	for _, group := range output.Groups {
		results = append(results, group.Name)
		if group.Read == nil && group.Write == nil {
			t.Errorf("%s did no I/O", group.Name)
		}
	}
	want := test.results
	if imported.Workload.Fio != nil {
		want = []string{imported.Workload.Name}
	}
	if diff := cmp.Diff(want, results); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
}

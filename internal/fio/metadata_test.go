package fio

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/storagebench/storagebench/test/fiorun"
)

// TestMetadataGuard: what jobs of metadata may have, and what is said of the rest. Lines are of a job with size=4m and nrfiles=1024.
func TestMetadataGuard(t *testing.T) {
	const noUse = " moves no data, and has no use for it"
	for engine, cases := range map[string]map[string]string{
		"filecreate": {
			"": "", "rw=write\n": "", "numjobs=4\nruntime=30\n": "", "unlink=1\ncreate_on_open=1\nfallocate=none\nopenfiles=1\n": "",
			"direct=1\niodepth=4\ninvalidate=1\nrandrepeat=0\n": "", "rate_iops=100\nthinktime=1ms\n": "", "bs=4k\n": "", "bs=4096\n": "",
			"file_service_type=random\n": "", "loops=1\ntime_based=0\nramp_time=0\n": "", "filename_format=x.$jobnum.$filenum\n": "",
			"rw=randread\n": "reads and writes nothing", "rw=randrw\n": "reads and writes nothing", "rw=trim\n": "reads and writes nothing", "rw=read:8k\n": "reads and writes nothing",
			"bs=64k\n": "bs=4096 is set", "bs=4k,8k\n": "bs=4096 is set", "bsrange=1k-4k\n": "ioengine filecreate" + noUse, "fsync=1\n": noUse, "end_fsync=1\n": noUse,
			"verify=md5\n": noUse, "rate=1m\n": noUse, "offset=4k\n": noUse, "io_size=1m\n": noUse, "number_ios=7\n": noUse, "continue_on_error=all\n": noUse,
			"gtod_reduce=1\n": "counted by their latencies", "disable_lat=1\n": "counted by their latencies", "disable_clat=1\n": "counted by their latencies",
			"filename=x\n": "set nrfiles", "filename_format=x.$jobnum\n": "several would have the same name", "numjobs=2\nfilename_format=x.$filenum\n": "several would have the same name",
			"time_based\nruntime=9\n": "raise nrfiles", "loops=2\n": "raise nrfiles", "ramp_time=1\n": "would not be counted", "file_service_type=zipf:1.2\n": "go back to files",
			"unlink=0\n": "unlink=1 is set", "create_on_open=0\n": "create_on_open=1 is set", "stat_type=lstat\n": "ioengine filecreate does not know it",
			"filesize=1k-4k\n": "write one size", "filesize=8k\n": "raise it to 8388608", "filesize=4k\n": "", "filesize=1k\n": "",
		},
		"filestat": {
			"": "", "stat_type=lstat\n": "", "time_based\nruntime=9\nramp_time=1\n": "", "loops=9\n": "", "file_service_type=zipf:1.2\n": "", "unlink=1\n": "",
			"create_on_open=1\n": "have to be there", "stat_type=fstat\n": "one of stat, lstat, statx",
		},
		"filedelete": {
			"": "", "unlink=0\n": "", "unlink=1\n": "deleted already", "create_on_open=1\n": "have to be there", "time_based\nruntime=9\n": "raise nrfiles", "loops=2\n": "raise nrfiles",
		},
		"dircreate": {"": "", "unlink=0\n": "unlink=1 is set"},
		"dirstat":   {"": "", "time_based\nruntime=9\n": "", "stat_type=statx\n": ""},
		"dirdelete": {"": "", "unlink=1\n": "deleted already", "time_based\nruntime=9\n": "raise nrfiles"},
	} {
		for lines, want := range cases {
			text := "[a]\nsize=4m\nnrfiles=1024\nioengine=" + engine + "\n" + lines
			got := ""
			if errs := refused(t, text, corev1.PersistentVolumeFilesystem, false); len(errs) > 0 {
				got = errs.ToAggregate().Error()
			}
			if (want == "") != (got == "") || !strings.Contains(got, want) {
				t.Errorf("%s %q: %q, want %q", engine, lines, got, want)
			}
		}
	}
}

// TestMetadataFiles: whole files that metadata has, and what is said of them.
func TestMetadataFiles(t *testing.T) {
	for text, want := range map[string]string{
		"[a]\nioengine=filecreate\nfilesize=4k\nnrfiles=200\n":                                                                               "",
		"[a]\nioengine=filecreate\nnrfiles=200\n":                                                                                            "files need a size",
		"[a]\nioengine=filecreate\nnrfiles=200\nsize=100\n":                                                                                  "raise it to 200",
		"[a]\nioengine=filecreate\nnrfiles=2\nfilesize=4k\nsize=50%\n":                                                                       "write a number of bytes, or filesize",
		"[global]\nsize=4m\n[a]\nioengine=filestat\n[b]\nstonewall\nrw=randread\ndirect=1\n":                                                 "",
		"[global]\nsize=4m\ngroup_reporting\n[a]\nioengine=filestat\n[b]\n":                                                                  "section [a] has ioengine filestat, and fio would make one result of both",
		"[global]\nsize=4m\ngroup_reporting\n[a]\n[b]\nioengine=filestat\n":                                                                  "section [a] has ioengine psync, and fio would make one result of both",
		"[global]\nsize=4m\ngroup_reporting\n[a]\nioengine=filestat\n[b]\nioengine=filecreate\n":                                             "fio would make one result of both",
		"[global]\nsize=4m\ngroup_reporting\n[a]\nioengine=filestat\n[b]\nioengine=filestat\n":                                               "",
		"[global]\nsize=4m\ngroup_reporting\n[a]\nioengine=filestat\n[b]\nstonewall\nioengine=filecreate\n":                                  "",
		"[global]\nsize=4m\n[a]\nioengine=filestat\n[b]\nioengine=filecreate\n":                                                              "",
		"[global]\nsize=4m\nfilename_format=f.$jobnum.$filenum\n[a]\nioengine=filecreate\n[b]\nstonewall\nioengine=filecreate\n":             "section [a] has the same files",
		"[global]\nsize=4m\nfilename_format=f.$jobnum.$filenum\n[a]\nioengine=filecreate\n[b]\nstonewall\nioengine=filedelete\n[c]\nrw=read": "",
		"[global]\nsize=4m\nfilename_format=f.$jobnum.$filenum\n[a]\nioengine=filestat\n[b]\nstonewall\nioengine=filestat\n":                 "",
	} {
		got := ""
		if errs := refused(t, text, corev1.PersistentVolumeFilesystem, false); len(errs) > 0 {
			got = errs.ToAggregate().Error()
		}
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if errs := refused(t, "[a]\nioengine=filecreate\nsize=4m\nnrfiles=100\n", corev1.PersistentVolumeBlock, false); len(errs) != 1 || !strings.Contains(errs[0].Detail, "set volumeMode Filesystem") {
		t.Errorf("on a raw block device: %v", errs)
	}
}

// TestMetadataThatNoJobHas: an engine of metadata that no job has lets no other job have a file beside the device.
func TestMetadataThatNoJobHas(t *testing.T) {
	for _, head := range []string{"[global]\nioengine=filestat\n[a]\nioengine=psync\n", "[a]\nioengine=psync\n"} {
		for _, option := range []string{"filename=stray", "nrfiles=2", "filesize=4k", "unlink=1"} {
			text := head + "rw=write\nsize=1M\n" + option + "\n"
			errs := refused(t, text, corev1.PersistentVolumeBlock, false)
			if len(errs) != 1 || !strings.Contains(errs[0].Detail, "it is about files, and the volume is a raw block device") {
				t.Errorf("%q: %v", text, errs)
			}
		}
	}
	const later = "[a]\nrw=write\nsize=1M\n[global]\nioengine=filestat\n"
	if errs := refused(t, later, corev1.PersistentVolumeBlock, false); len(errs) > 0 {
		t.Errorf("%q: %v", later, errs)
	}
}

// TestMetadataOnObjects: Mountpoint looks files up, creates them and deletes them; directories it has without the bucket.
func TestMetadataOnObjects(t *testing.T) {
	for engine, want := range map[string]string{
		"filecreate": "", "filestat": "", "filedelete": "", "dircreate": "not in the bucket", "dirstat": "not in the bucket", "dirdelete": "not in the bucket",
	} {
		for _, rw := range []string{"read", "write"} {
			got := refusedObjects(t, "[a]\nrw="+rw+"\nsize=64k\nnrfiles=16\nnumjobs=2\nioengine="+engine+"\n")
			if (want == "") != (got == "") || !strings.Contains(got, want) {
				t.Errorf("%s, rw=%s: %q, want %q", engine, rw, got, want)
			}
		}
	}
}

func TestWithMetadata(t *testing.T) {
	const all = "bs=4096\nfile_service_type=sequential\n"
	for text, want := range map[string]string{
		"[a]\nioengine=filecreate\nsize=64k\nnrfiles=16\n":                                   all + "create_on_open=1\nunlink=1\n",
		"[a]\nioengine=dircreate\nfilesize=4k\n":                                             all + "create_on_open=1\nunlink=1\n",
		"[a]\nioengine=filestat\nsize=64k\nnrfiles=16\n":                                     all,
		"[a]\nioengine=filedelete\nfilesize=4k\n":                                            all,
		"[a]\nioengine=filestat\nsize=100\nnrfiles=3\n":                                      "bs=33\nfile_service_type=sequential\n",
		"[a]\nioengine=filestat\nfilesize=1g\n":                                              "bs=1048576\nfile_service_type=sequential\n",
		"[a]\nioengine=filecreate\nfilesize=4k\nbs=4k\nunlink=1\nfile_service_type=random\n": "create_on_open=1\n",
		"[a]\nsize=64k\n": "",
	} {
		f := mustParse(t, text)
		if diff := cmp.Diff(text+want, f.WithMetadata().String()); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		if f.String() != text {
			t.Errorf("the original is changed: %s", f)
		}
	}
}

func TestWithMetadataNames(t *testing.T) {
	const attempt = "92da7b0f5628."
	for text, want := range map[string]string{
		"[a]\nioengine=filecreate\n":                                         "[a]\nioengine=filecreate\nfilename_format=" + attempt + "filecreate.$jobname.$jobnum.$filenum\n",
		"[a]\nioengine=dirdelete\n":                                          "[a]\nioengine=dirdelete\nfilename_format=dirdelete.$jobname.$jobnum.$filenum\n",
		"[global]\nfilename_format=x.$jobnum\n[a]\nioengine=filestat\n[b]\n": "[global]\nfilename_format=x.$jobnum\n\n[a]\nioengine=filestat\nfilename_format=filestat.x.$jobnum\n\n[b]\n",
		"[a]\nfilename_format=x\nioengine=filestat\n":                        "[a]\nioengine=filestat\nfilename_format=filestat.x\n",
	} {
		if diff := cmp.Diff(want, mustParse(t, text).WithMetadataNames("b.gp3.1").String()); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
	f := mustParse(t, "[a]\nioengine=filecreate\n")
	if f.WithMetadataNames("one").String() == f.WithMetadataNames("two").String() {
		t.Error("two attempts create the same files")
	}
}

// On an object store, jobs find what was laid out for them, and create under names of the attempt.
func TestMetadataObjectNames(t *testing.T) {
	const rest = "size=64k\nnrfiles=16\n"
	for engine, prefix := range map[string]string{"filecreate": "write-92da7b0f5628.filecreate.", "filestat": "read-4096.filestat.", "filedelete": "read-4096.filedelete."} {
		f := mustParse(t, "[a]\nioengine="+engine+"\n"+rest)
		want := "filename_format=" + prefix + "$jobname.$jobnum.$filenum\n"
		if got := f.WithMetadata().OnObjectStore().WithObjectNames("b.gp3.1").String(); !strings.HasSuffix(got, want) || strings.Contains(got, "end_fsync") {
			t.Errorf("%s: %s", engine, got)
		}
		layout := LayoutObjects(f)
		switch {
		case engine == "filecreate" && layout != nil:
			t.Errorf("laid out to be created: %s", layout)
		case engine != "filecreate" && (layout == nil || !strings.Contains(layout.String(), want) || strings.Contains(layout.String(), "ioengine")):
			t.Errorf("%s is laid out by %v", engine, layout)
		}
	}
}

func TestMetadataLayout(t *testing.T) {
	const rest = "size=64k\nnrfiles=16\n"
	for engine, want := range map[string]struct {
		needed, known, removes bool
		text                   string
	}{
		"filecreate": {}, "dircreate": {}, "dirstat": {},
		"dirdelete":  {removes: true},
		"filestat":   {needed: true, known: true, text: "[a]\nnrfiles=16\nsize=64k\nstonewall=1\nfilename_format=filestat.$jobname.$jobnum.$filenum\nbs=4096\noverwrite=1\n"},
		"filedelete": {needed: true, removes: true, text: "[a]\nnrfiles=16\nsize=64k\nstonewall=1\nfilename_format=filedelete.$jobname.$jobnum.$filenum\nbs=4096\noverwrite=1\n"},
	} {
		f := mustParse(t, "[a]\n"+rest+"stonewall=1\nioengine="+engine+"\n")
		if f.NeedsLayout() != want.needed || (f.Layout() != "") != want.known || f.RemovesFiles() != want.removes {
			t.Errorf("%s: needed %t, layout %q, removes %t", engine, f.NeedsLayout(), f.Layout(), f.RemovesFiles())
		}
		got := ""
		if layout := LayoutFile(f); layout != nil {
			got = layout.String()
		}
		if diff := cmp.Diff(want.text, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", engine, diff)
		}
		if read := f.FilesRead(); len(read) > 0 {
			t.Errorf("%s reads %q", engine, read)
		}
	}
	stat, read := mustParse(t, "[a]\nioengine=filestat\n"+rest), mustParse(t, "[a]\n"+rest)
	if stat.Layout() == read.Layout() {
		t.Error("what is looked up is what is read")
	}
}

func TestMetadataLoads(t *testing.T) {
	for text, want := range map[string]Load{
		"[a]\nioengine=filestat\nnumjobs=2\n":                                     {Jobs: 2, InFlight: 2, Metadata: true, Lookups: true, FileBytes: 128 << 10},
		"[a]\nioengine=filecreate\nrw=write\n":                                    {Jobs: 1, InFlight: 1, Metadata: true, FileBytes: 64 << 10},
		"[global]\ngroup_reporting\n[a]\nioengine=dirstat\n[b]\nioengine=dirstat": {Jobs: 2, InFlight: 2, Metadata: true, Lookups: true, FileBytes: 128 << 10},
	} {
		f := mustParse(t, "[global]\nsize=64k\n"+text)
		if diff := cmp.Diff([]Load{want}, f.Loads()); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
		if got := slices.Collect(maps.Keys(f.Measures())); !slices.Equal(got, []string{MeasuresMetadata}) {
			t.Errorf("%q measures %q", text, got)
		}
	}
	for text, want := range map[string]bool{
		"[a]\nioengine=filecreate\n": true, "[a]\nioengine=filestat\n": true, "[a]\n": false, "[a]\n[b]\nioengine=dirdelete\n": true,
		"[a]\nioengine=filestat\ntime_based\nruntime=9\n": false,
	} {
		if got := mustParse(t, text).EndsByFiles(); got != want {
			t.Errorf("%q ends by files: %t", text, got)
		}
	}
	stage := mustParse(t, "[a]\nioengine=filecreate\nsize=64k\nruntime=9\n").Stages()[0]
	if stage.Counted || stage.MostSeconds != 9 {
		t.Errorf("stage %+v", stage)
	}
}

// TestMetadataOfFio has a real fio do what job files say: each operation is measured once, files are there where they have to be, and nothing
// stays but what is looked up.
func TestMetadataOfFio(t *testing.T) {
	t.Parallel()
	const files, clones = 25, 2
	for engine, left := range map[string]int{"filecreate": 0, "filestat": files * clones, "filedelete": 0} {
		directory := t.TempDir()
		f := mustParse(t, "[a]\nsize=100k\nnrfiles=25\nnumjobs=2\ngroup_reporting\nioengine="+engine+"\n")
		volume := Volume{Directory: directory}
		for attempt := range 2 {
			if layout := LayoutFile(f); layout != nil {
				if run := fiorun.Run(t, layout.On(volume).String(), "--create_only=1"); run.Code != 0 {
					t.Fatalf("%s: layout: %s", engine, run.Output)
				}
			}
			text := f.WithMetadata().WithMetadataNames(strings.Repeat("x", attempt)).On(volume).String()
			run := fiorun.Run(t, text, "--output-format=json+")
			if run.Code != 0 || !strings.Contains(string(run.Output), `"N" : 50,`) {
				t.Errorf("%s, attempt %d: fio ended with %d:\n%s%s", engine, attempt, run.Code, run.Output, run.Stderr)
			}
			if got, err := filepath.Glob(filepath.Join(directory, "*")); err != nil || len(got) != left {
				t.Errorf("%s, attempt %d: %d files are left, want %d (%v)", engine, attempt, len(got), left, err)
			}
		}
		if err := os.RemoveAll(directory); err != nil {
			t.Error(err)
		}
	}
}

package fio

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/storagebench/storagebench/test/fiorun"
)

func TestOnObjectStore(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"reads": {"[a]\nrw=randread\nsize=1M\n", "[a]\nrw=randread\nsize=1M\n"},
		"writes": {"[a]\nrw=write\nsize=1M\n",
			"[a]\nrw=write\nsize=1M\ncreate_on_open=1\nfallocate=none\nend_fsync=1\nunlink=1\n"},
		"what is said stays": {"[global]\nend_fsync=0\n[a]\nunlink=0\nrw=write\nsize=1M\n",
			"[global]\nend_fsync=0\n\n[a]\nunlink=0\nrw=write\nsize=1M\ncreate_on_open=1\nfallocate=none\n"},
		"both": {"[global]\nsize=1M\n[w]\nrw=write\n[r]\nstonewall\n",
			"[global]\nsize=1M\n\n[w]\nrw=write\ncreate_on_open=1\nfallocate=none\nend_fsync=1\nunlink=1\n\n[r]\nstonewall\n"},
	} {
		f := mustParse(t, tt.text)
		before := f.String()
		adapted := f.OnObjectStore()
		if diff := cmp.Diff(tt.want, adapted.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(adapted.sections, adapted.OnObjectStore().sections); diff != "" {
			t.Errorf("%s: done twice:\n%s", name, diff)
		}
		if f.String() != before {
			t.Errorf("%s: the original is changed", name)
		}
	}
}

func TestWithObjectNames(t *testing.T) {
	const attempt = "write-92da7b0f5628."
	for name, tt := range map[string]struct{ text, want string }{
		"reads":         {"[a]\nsize=1M\nnumjobs=2\n", "[a]\nsize=1M\nnumjobs=2\nfilename_format=read-1048576.$jobname.$jobnum.$filenum\n"},
		"several files": {"[a]\nsize=1M\nnrfiles=4\noffset=4k\n", "[a]\nsize=1M\nnrfiles=4\noffset=4k\nfilename_format=read-266240.$jobname.$jobnum.$filenum\n"},
		"a range":       {"[a]\nfilesize=1M-2M\nnrfiles=4\n", "[a]\nfilesize=1M-2M\nnrfiles=4\nfilename_format=read-1048576-2097152.$jobname.$jobnum.$filenum\n"},
		"writes":        {"[a]\nrw=write\nsize=1M\n", "[a]\nrw=write\nsize=1M\nfilename_format=" + attempt + "$jobname.$jobnum.$filenum\n"},
		"a format":      {"[a]\nfilename_format=$JOBNUM\nsize=1k\n", "[a]\nsize=1k\nfilename_format=read-1024.$JOBNUM\n"},
		"named, and shared": {"[global]\nfilename=x:y\nsize=1M\n[a]\n[b]\nsize=2M\n",
			"[global]\nsize=1M\n\n[a]\nfilename=read-524288.x:read-524288.y\n\n[b]\nsize=2M\nfilename=read-1048576.x:read-1048576.y\n"},
	} {
		if diff := cmp.Diff(tt.want, mustParse(t, tt.text).WithObjectNames("b.gp3.1").String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	f := mustParse(t, "[a]\nrw=write\nsize=1M\n")
	if f.WithObjectNames("one").String() == f.WithObjectNames("two").String() {
		t.Error("two attempts write the same files")
	}
}

// TestLayoutObjects: each file that is read is made once, whatever reads it, and none that is written.
func TestLayoutObjects(t *testing.T) {
	section := func(name, bs, size, clones, rest string) string {
		return fmt.Sprintf("[%s]\nrw=read\nbs=%s\nfilesize=%s\nnumjobs=%s\nfallocate=none\ncreate_serialize=0\n%s\n", name, bs, size, clones, rest)
	}
	const format = ".$jobname.$jobnum.$filenum\nnrfiles="
	for name, tt := range map[string]struct {
		texts []string
		want  string
	}{
		"only writes": {[]string{"[a]\nrw=write\nsize=1G\n"}, ""},
		"mixed": {[]string{"[global]\nsize=1M\n[w]\nrw=write\n[r]\nrw=randread\nbs=16k\ndirect=1\n"},
			section("r", "1048576", "1048576", "1", "filename_format=read-1048576"+format+"1")},
		"more clones": {[]string{"[a]\nsize=4k\n", "[a]\nsize=4k\nnumjobs=8\n", "[a]\nsize=4k\nnumjobs=2\nbs=1k\n"},
			section("a", "4096", "4096", "8", "filename_format=read-4096"+format+"1")},
		"more files": {[]string{"[a]\nfilesize=8M\nnrfiles=3\n", "[a]\nsize=8M\n"},
			section("a", "1048576", "8388608", "1", "filename_format=read-8388608"+format+"3")},
		"more of each": {[]string{"[a]\nfilesize=8M\nnrfiles=3\n", "[a]\nsize=8M\nnumjobs=2\n"},
			section("a", "1048576", "8388608", "1", "filename_format=read-8388608"+format+"3") + "\n" +
				section("a", "1048576", "8388608", "2", "filename_format=read-8388608"+format+"1")},
		"named": {[]string{"[a]\nsize=1M\nfilename=x:y\nnumjobs=9\n"},
			section("a", "524288", "524288", "1", "filename=read-524288.x:read-524288.y")},
		"a range": {[]string{"[a]\nfilesize=1k-2M\n"},
			section("a", "1024", "1024-2097152", "1", "filename_format=read-1024-2097152"+format+"1")},
	} {
		var files []*JobFile
		for _, text := range tt.texts {
			files = append(files, mustParse(t, text))
		}
		got := ""
		if layout := LayoutObjects(files...); layout != nil {
			got = layout.String()
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	var many []*JobFile
	for i := range 5 {
		many = append(many, mustParse(t, fmt.Sprintf("[a]\nnumjobs=1024\nsize=%dk\n", i+1)))
	}
	if f := LayoutObjects(many...); f != nil {
		t.Errorf("too many clones: %s", f)
	}
}

func TestWithNamePrefix(t *testing.T) {
	const format = "filename_format=client-1."
	for name, tt := range map[string]struct{ text, run, layout string }{
		"reads": {"[a]\nsize=4k\n",
			"[a]\nsize=4k\n" + format + "read-4096.$jobname.$jobnum.$filenum\n",
			"[a]\nrw=read\nbs=4096\nfilesize=4096\nnumjobs=1\nfallocate=none\ncreate_serialize=0\n" + format + "read-4096.$jobname.$jobnum.$filenum\nnrfiles=1\n"},
		"a format": {"[a]\nfilename_format=$JOBNUM\nsize=4k\n",
			"[a]\nsize=4k\n" + format + "read-4096.$JOBNUM\n",
			"[a]\nrw=read\nbs=4096\nfilesize=4096\nnumjobs=1\nfallocate=none\ncreate_serialize=0\n" + format + "read-4096.$JOBNUM\nnrfiles=1\n"},
		"a list, which the first section shares": {"[global]\nfilename=x:y:z\nsize=12k\n[a]\n[b]\nrw=write\n",
			"[global]\nsize=12k\n\n[a]\nfilename=client-1.read-4096.x:client-1.read-4096.y:client-1.read-4096.z\n\n" +
				"[b]\nrw=write\nfilename=client-1.write-92da7b0f5628.x:client-1.write-92da7b0f5628.y:client-1.write-92da7b0f5628.z\n",
			"[a]\nrw=read\nbs=4096\nfilesize=4096\nnumjobs=1\nfallocate=none\ncreate_serialize=0\n" +
				"filename=client-1.read-4096.x:client-1.read-4096.y:client-1.read-4096.z\n"},
	} {
		f := mustParse(t, tt.text)
		run, layout := f.WithObjectNames("b.gp3.1"), LayoutObjects(f)
		before := run.String() + layout.String()
		if diff := cmp.Diff(tt.run, run.WithNamePrefix("client-1.").String()); diff != "" {
			t.Errorf("%s: run (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(tt.layout, layout.WithNamePrefix("client-1.").String()); diff != "" {
			t.Errorf("%s: layout (-want +got):\n%s", name, diff)
		}
		if before != run.String()+layout.String() {
			t.Errorf("%s: the original is changed", name)
		}
	}
}

// TestObjectsAreReady has fio lay out and run: what reads finds its files, in whatever order runs come, and
// changes none; what writes leaves none.
func TestObjectsAreReady(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	var files []*JobFile
	for _, text := range []string{
		"[a]\nsize=64k\nnumjobs=2\n", "[a]\nsize=64k\n", "[a]\nrw=randread\nsize=128k\nnrfiles=2\nbs=512\n", "[a]\nsize=64k\noffset=4k\n",
		"[a]\nfilesize=16k-64k\nnrfiles=4\n", "[a]\nsize=64k\nfilename=x:y\nnumjobs=3\n", "[a]\nsize=60k\nnrfiles=7\n",
		"[a]\nsize=64k\nnumjobs=3\noffset_increment=8k\n", "[w]\nrw=write\nsize=64k\nnumjobs=2\nnrfiles=2\nstonewall\n[a]\nsize=64k\nstonewall\n",
		"[w]\nrw=write\nsize=64k\nloops=3\nunlink_each_loop=1\n",
	} {
		f := mustParse(t, text)
		if errs := ValidateOnObjectStore(field.NewPath("job"), f); len(errs) > 0 {
			t.Fatal(errs.ToAggregate())
		}
		files = append(files, f)
	}
	run := func(f *JobFile, arguments ...string) {
		t.Helper()
		if run := fiorun.Run(t, f.On(Volume{Directory: directory}).String(), arguments...); run.Code != 0 {
			t.Fatalf("fio: %s%s", run.Output, run.Stderr)
		}
	}
	layOut := func() {
		t.Helper()
		for part := range LayoutParts(LayoutObjects(files...).On(Volume{Directory: directory}).String()) {
			if run := fiorun.Run(t, part, "--create_only=1"); run.Code != 0 {
				t.Fatalf("fio: %s%s", run.Output, run.Stderr)
			}
		}
	}
	layOut()
	laidOut := filesBelow(t, directory)
	layOut()
	for i, f := range files {
		run(f.OnObjectStore().WithObjectNames(fmt.Sprint("attempt", i)))
		if diff := cmp.Diff(laidOut, filesBelow(t, directory)); diff != "" {
			t.Errorf("%s\nchanges files (-before +after):\n%s", f, diff)
		}
	}
}

// TestClientsHaveTheirOwnObjects has fio lay out and run for two clients of one store: each makes and reads files that are
// not the other's.
func TestClientsHaveTheirOwnObjects(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	f := mustParse(t, "[global]\nsize=64k\n[a]\nnumjobs=2\nnrfiles=2\n[b]\nfilename=x:y\n[c]\nfilename_format=$jobname-$jobnum\n[w]\nrw=write\nunlink=0\n")
	run := func(f *JobFile, arguments ...string) {
		t.Helper()
		if run := fiorun.Run(t, f.On(Volume{Directory: directory}).String(), arguments...); run.Code != 0 {
			t.Fatalf("fio: %s%s", run.Output, run.Stderr)
		}
	}
	names := func(prefix string) []string {
		var found []string
		for name := range filesBelow(t, directory) {
			if rest, ok := strings.CutPrefix(name, prefix); ok {
				found = append(found, rest)
			}
		}
		slices.Sort(found)
		return found
	}
	var first []string
	for client, prefix := range []string{"client-0.", "client-1."} {
		run(LayoutObjects(f).WithNamePrefix(prefix), "--create_only=1")
		laidOut := len(names(""))
		run(f.OnObjectStore().WithObjectNames("attempt").WithNamePrefix(prefix))
		if written := len(names("")) - laidOut; written != 1 {
			t.Errorf("client %d makes %d files as it runs, want the one that it writes: %v", client, written, names(""))
		}
		if client == 0 {
			first = names(prefix)
		}
	}
	if diff := cmp.Diff(first, names("client-1.")); diff != "" || len(first) != 4+2+1+1 || len(names("")) != 2*len(first) {
		t.Errorf("%d files of %d are the first client's, those of the second differ:\n%s", len(first), len(names("")), diff)
	}
}

// TestExperiment5OnObjectStore has the sizes and clones of a published measurement as a matrix.
func TestExperiment5OnObjectStore(t *testing.T) {
	base := mustParse(t, "[genome]\nioengine=libaio\ndirect=1\nkb_base=1024\niodepth=128\nbs=8m\nrw=read\nstonewall\ngroup_reporting\n")
	var files []*JobFile
	var names []string
	for _, size := range []string{"500M", "1g", "3g"} {
		for _, clones := range []string{"1", "8", "16"} {
			f := base.With([]Setting{{"size", size}, {"numjobs", clones}})
			errs := append(Validate(nil, f, corev1.PersistentVolumeFilesystem, false), ValidateOnObjectStore(nil, f)...)
			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}
			if diff := cmp.Diff(f.sections, f.OnObjectStore().sections); diff != "" {
				t.Errorf("reads are changed:\n%s", diff)
			}
			files = append(files, f)
			names = append(names, f.WithObjectNames("").FilesRead()...)
		}
	}
	slices.Sort(names)
	want := []string{"read-1073741824.genome.0.0", "read-1073741824.genome.[0-9]*.0", "read-3221225472.genome.0.0",
		"read-3221225472.genome.[0-9]*.0", "read-524288000.genome.0.0", "read-524288000.genome.[0-9]*.0"}
	if diff := cmp.Diff(want, slices.Compact(names)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	layout := LayoutObjects(files...)
	if got := strings.Count(layout.String(), "numjobs=16\n"); got != 3 || len(layout.sections) != 3 {
		t.Errorf("each size is to be laid out once, for 16 clones:\n%s", layout)
	}
}

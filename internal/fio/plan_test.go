package fio

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/test/fiorun"
)

// TestGroups also asks fio itself, with less to write.
func TestGroups(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text string
		want []string
	}{
		"each for itself":                   {"[a]\n[b]\nnumjobs=3\n[c]\n", []string{"a", "b", "c"}},
		"all together":                      {"[global]\ngroup_reporting\n[a]\n[b]\nnumjobs=2\n", []string{"a"}},
		"stonewall parts":                   {"[global]\ngroup_reporting\n[a]\n[b]\n[c]\nstonewall\n[d]\n", []string{"a", "c"}},
		"stonewall everywhere":              {"[global]\ngroup_reporting\nstonewall\n[a]\n[b]\n", []string{"a", "b"}},
		"by its other name":                 {"[global]\ngroup_reporting\n[a]\n[b]\nwait_for_previous\n", []string{"a", "b"}},
		"new_group parts":                   {"[global]\ngroup_reporting\n[a]\n[b]\nnew_group\n[c]\n", []string{"a", "b"}},
		"switched off":                      {"[global]\ngroup_reporting=1\n[a]\n[b]\nstonewall=0\n", []string{"a"}},
		"switched off again":                {"[global]\ngroup_reporting\nstonewall\n[a]\n[global]\nstonewall=0\n[b]\n", []string{"a"}},
		"reported apart in one group":       {"[a]\n[b]\n[global]\ngroup_reporting\n[c]\nstonewall\n[d]\n", []string{"a", "b", "c"}},
		"a global section counts after it":  {"[a]\n[global]\nstonewall\n[b]\n[c]\n", []string{"a", "b", "c"}},
		"clones of a section are together":  {"[global]\nnumjobs=2\n[a]\n[b]\nstonewall\n", []string{"a", "b"}},
		"clones do not part what is inside": {"[global]\nnumjobs=2\ngroup_reporting\nstonewall\n[a]\n[b]\n", []string{"a", "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := mustParse(t, "[global]\nsize=4k\nrw=write\n"+tt.text)
			if diff := cmp.Diff(tt.want, f.Groups()); diff != "" {
				t.Errorf("-want +foretold: %s", diff)
			}
			output := measure(t, f)
			var got []string
			for _, group := range output.Groups {
				got = append(got, group.Name)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +reported by fio: %s", diff)
			}
		})
	}
}

// TestFileBytes also lets fio lay the files out.
func TestFileBytes(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text string
		want int64
	}{
		"one file":                    {"[a]\nsize=64k\n", 64 << 10},
		"clones":                      {"[a]\nsize=64k\nnumjobs=3\n", 3 * 64 << 10},
		"files of a job":              {"[a]\nsize=64k\nnrfiles=4\n", 64 << 10},
		"files of clones":             {"[a]\nsize=64k\nnr_files=4\nnumjobs=2\n", 2 * 64 << 10},
		"sections":                    {"[a]\nsize=64k\n[b]\nsize=32k\n", 96 << 10},
		"files of one job of several": {"[global]\nfilename_format=f.$jobnum.$filenum\n[a]\nsize=64k\nnrfiles=4\n[b]\nsize=64k\nnumjobs=4\n", 4*64<<10 + 3*16<<10},
		"a name in upper case":        {"[global]\nfilename_format=F.$jobnum\nsize=64k\n[a]\n[b]\nfilename_format=f.$jobnum\n", 2 * 64 << 10},
		"shared name":                 {"[global]\nfilename=shared\n[a]\nsize=64k\nnumjobs=2\n[b]\nsize=128k\n", 128 << 10},
		"several names":               {"[a]\nfilename=x:y\nsize=64k\n", 64 << 10},
		"names shared in part":        {"[a]\nfilename=x:y\nsize=64k\n[b]\nfilename=y\nsize=64k\n", 96 << 10},
		"name of each clone":          {"[a]\nfilename_format=f.$jobnum\nsize=64k\nnumjobs=3\n[b]\nfilename_format=f.$jobnum\nsize=64k\n", 3 * 64 << 10},
		"name of the section":         {"[global]\nfilename_format=$JobName\nsize=64k\nnumjobs=2\n[a]\n[b]\n", 2 * 64 << 10},
		"filesize":                    {"[a]\nfilesize=16k\nnrfiles=3\nsize=64k\n", 48 << 10},
		"offset":                      {"[a]\nsize=64k\noffset=16k\n", 80 << 10},
		"offset of clones":            {"[a]\nfilename=x\nsize=64k\noffset_increment=64k\nnumjobs=3\n", 192 << 10},
		"k of 1000":                   {"[a]\nkb_base=1000\nsize=64k\nbs=1k\n", 64_000},
		"KiB of 1000":                 {"[a]\nsize=64KiB\nbs=1000\n", 64_000},
		"Ki as in Kubernetes of 1024": {"[a]\nsize=64Ki\n", 64 << 10},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := mustParse(t, "[global]\nrw=read\n"+tt.text)
			if got, ok := FileBytes(f); got != tt.want || !ok {
				t.Errorf("%d, %t, want %d", got, ok, tt.want)
			}
			directory := t.TempDir()
			run := fiorun.Run(t, f.On(Volume{Directory: directory}).String(), "--create_only=1")
			if got := bytesBelow(t, directory); run.Code != 0 || got != tt.want {
				t.Errorf("fio laid out %d, want %d (%s)", got, tt.want, run.Output)
			}
		})
	}
}

func bytesBelow(t *testing.T, directory string) (total int64) {
	t.Helper()
	err := filepath.WalkDir(directory, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			total += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return total
}

func TestClones(t *testing.T) {
	for text, want := range map[string]int64{
		"[a]\nrw=read\n":                                   1,
		"[global]\nnumjobs=2\n[a]\nnumjobs=8\n":            8,
		"[a]\nnumjobs=8\n[b]\nnumjobs=8\n":                 0,
		"[global]\ngroup_reporting\nnumjobs=2\n[a]\n[b]\n": 0,
		"[a]\nioengine=filestat\nnumjobs=8\n":              0,
	} {
		if got := mustParse(t, text).Clones(); got != want {
			t.Errorf("%q has %d, want %d", text, got, want)
		}
	}
}

func TestFileBytesCannotBeKnown(t *testing.T) {
	for _, text := range []string{
		"[a]\n", "[a]\nsize=0\n", "[a]\nsize=50%\n", "[a]\nfill_device=1\nsize=1G\n", "[a]\nfile_append=1\nsize=1G\n",
		"[a]\nsize=1G\noffset=10%\n", "[a]\nsize=1G\noffset_increment=10%\n", "[a]\nsize=x\n",
		"[a]\nsize=8000P\nnumjobs=2\n", "[a]\nsize=8000P\n[b]\nsize=8000P\n", "[a]\nsize=999999P\n",
		"[a]\nsize=1G\nnumjobs=1025\n", "[a]\nsize=1G\nnrfiles=1000001\n", "[a]\nsize=8000P\noffset=8000P\n", "[a]\nsize=1\noffset_increment=8000P\nnumjobs=100\n",
	} {
		if got, ok := FileBytes(mustParse(t, text)); ok {
			t.Errorf("%q: %d", text, got)
		}
	}
	if got, ok := FileBytes(mustParse(t, "[a]\nfilesize=1M-8M\nnrfiles=3\n")); got != 24*mebibyte || !ok {
		t.Errorf("range of sizes: %d, %t", got, ok)
	}
}

// TestFileBytesOfCases also lets fio lay out the files of one case after the other.
func TestFileBytesOfCases(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		settings [][]Setting
		want     int64
	}{
		"the largest size":   {[][]Setting{{{"size", "64k"}}, {{"size", "128k"}}, {{"size", "32k"}}}, 128 << 10},
		"the most clones":    {[][]Setting{{{"numjobs", "2"}}, {{"numjobs", "4"}}, {{"numjobs", "1"}}}, 4 * 64 << 10},
		"the first is large": {[][]Setting{{{"nrfiles", "1"}}, {{"nrfiles", "4"}}}, 64<<10 + 3*16<<10},
		"clones and files": {
			[][]Setting{{{"nrfiles", "1"}, {"numjobs", "4"}}, {{"nrfiles", "4"}, {"numjobs", "2"}}, {{"nrfiles", "2"}, {"numjobs", "3"}}},
			4*64<<10 + 3*32<<10 + 2*2*16<<10,
		},
		"few files between many": {
			[][]Setting{{{"nrfiles", "4"}}, {{"nrfiles", "1"}, {"size", "8k"}}, {{"nrfiles", "4"}, {"size", "4k"}, {"bs", "1k"}}}, 64 << 10,
		},
		"reads and writes": {[][]Setting{{{"rw", "write"}}, {{"rw", "read"}}, {{"rw", "randwrite"}}}, 64 << 10},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			directory := t.TempDir()
			var cases []*JobFile
			for _, settings := range tt.settings {
				c := mustParse(t, "[a]\nsize=64k\n").With(settings)
				if run := fiorun.Run(t, c.On(Volume{Directory: directory}).String(), "--create_only=1"); run.Code != 0 {
					t.Fatalf("fio: %s", run.Output)
				}
				cases = append(cases, c)
			}
			if got, ok := FileBytes(cases...); got != tt.want || !ok {
				t.Errorf("%d, %t, want %d", got, ok, tt.want)
			}
			slices.Reverse(cases)
			if got, ok := FileBytes(cases...); got != tt.want || !ok {
				t.Errorf("in another order %d, %t, want %d", got, ok, tt.want)
			}
			if got := bytesBelow(t, directory); got != tt.want {
				t.Errorf("fio laid out %d, want %d", got, tt.want)
			}
		})
	}
}

// TestFileBytesOfManyCases: the work does not grow with what numbers say.
func TestFileBytesOfManyCases(t *testing.T) {
	var cases []*JobFile
	for i := range 256 {
		cases = append(cases, mustParse(t, fmt.Sprintf("[a]\nsize=%dk\nnrfiles=%d\nnumjobs=1024\n", 1000-i, 1+100*i)))
	}
	if got, ok := FileBytes(cases...); got == 0 || !ok {
		t.Errorf("%d, %t", got, ok)
	}
}

func TestRuntimeSeconds(t *testing.T) {
	for text, want := range map[string]int64{
		"[a]\nruntime=60\n":                                     60,
		"[a]\ntimeout=5m\n":                                     300,
		"[a]\nruntime=1500ms\n":                                 2,
		"[a]\nruntime=1H\nramp_time=10s\n":                      3610,
		"[a]\nruntime=60\nstartdelay=5-10\n":                    70,
		"[a]\nruntime=60\n[b]\nruntime=90\n":                    90,
		"[a]\nruntime=60\n[b]\nruntime=90\nstonewall\n":         150,
		"[a]\nruntime=60\n[b]\nruntime=90\nnew_group\n":         90,
		"[global]\nruntime=60\nstonewall\n[a]\n[b]\n[c]\n":      180,
		"[a]\nruntime=999999999999\n":                           999_999_999_999,
		"[a]\n":                                                 0,
		"[a]\nruntime=0\n":                                      0,
		"[a]\nruntime=60\n[b]\nsize=1G\n":                       0,
		"[a]\nruntime=60\nramp_time=x\n":                        0,
		"[a]\nruntime=999999999999999d\n":                       0,
		"[a]\nruntime=100000000d\nstartdelay=100000000d\n":      0,
		"[global]\nruntime=100000000d\nstonewall\n[a]\n[b]\n":   0,
		"[a]\nruntime=100000000d\nramp_time=1\n[b]\nruntime=1m": 8_640_000_000_001,
	} {
		if got, ok := mustParse(t, text).RuntimeSeconds(); got != want || ok != (want > 0) {
			t.Errorf("%q: %d, %t, want %d", text, got, ok, want)
		}
	}
}

// The extent counts what a job has, and what it shares, without making it.
func TestExtentOfJobFiles(t *testing.T) {
	for _, test := range []struct {
		text string
		more int
		want int
	}{
		{"[a]\n", 0, 1},
		{"[a]\nrw=read\nbs=4k\n", 0, 3},
		{"[a]\nrw=read\n", 2, 4},
		{"[global]\nrw=read\nbs=4k\n[a]\n[b]\nsize=1M\n", 0, 2 + 3 + 4},
		{"[a]\n[global]\nrw=read\n[b]\n[global]\nbs=4k\n[c]\n", 1, 2 + 2 + 3 + 4},
	} {
		if got := mustParse(t, test.text).Extent(test.more); got != test.want {
			t.Errorf("%q and %d more: %d, want %d", test.text, test.more, got, test.want)
		}
	}
}

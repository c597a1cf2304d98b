package fio

import (
	"math"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/storagebench/storagebench/test/fiorun"
)

func TestGrowthOf(t *testing.T) {
	t.Parallel()
	const mib = 1 << 20
	for name, test := range map[string]struct {
		texts   []string
		present map[string]int64
		want    Growth
	}{
		"nothing is there": {texts: []string{"[a]\nsize=8M\nnrfiles=2\nnumjobs=3\n"}, want: Growth{6, 24 * mib}},
		"all is there": {
			texts:   []string{"[a]\nsize=8M\nnrfiles=2\nnumjobs=2\n"},
			present: map[string]int64{"a.0.0": 4 * mib, "a.0.1": 4 * mib, "a.1.0": 4 * mib, "a.1.1": 4 * mib},
		},
		"some is there": {
			[]string{"[a]\nsize=8M\nnumjobs=3\n"},
			map[string]int64{"a.0.0": 8 * mib, "a.2.0": 2 * mib}, Growth{1, 14 * mib},
		},
		"more is there": {
			[]string{"[a]\nsize=8M\nfilename=f\n"},
			map[string]int64{"f": 9 * mib, "a.0.0": 9 * mib}, Growth{},
		},
		"a list of files": {
			[]string{"[a]\nsize=8M\nfilename=f:g\n"},
			map[string]int64{"f": 4 * mib}, Growth{1, 4 * mib},
		},
		"names in any case": {
			[]string{"[Ab]\nsize=8M\nnumjobs=2\nfilename_format=x.$JobName.$JOBNUM$clientuid\n"},
			map[string]int64{"x.Ab.1": 8 * mib}, Growth{1, 8 * mib},
		},
		"the largest counts": {
			[]string{"[a]\nsize=8M\n", "[a]\nsize=2M\nnrfiles=2\n"},
			map[string]int64{"a.0.0": mib}, Growth{1, 8 * mib},
		},
		"layout and job": {
			[]string{
				"[a]\nfilesize=4k\nnrfiles=8\nfilename_format=x.$jobname.$jobnum.$filenum\n",
				"[a]\nioengine=filestat\nfilesize=4k\nnrfiles=8\nfilename_format=x.$jobname.$jobnum.$filenum\n",
			},
			nil, Growth{8, 8 * 4096},
		},
		"files without data": {
			[]string{"[a]\nioengine=filecreate\nfilesize=4k\nnrfiles=100\nnumjobs=2\n"},
			map[string]int64{"a.1.7": 0}, Growth{199, 0},
		},
		"directories": {
			[]string{"[a]\nioengine=dirstat\nfilesize=4k\nnrfiles=100\n"},
			nil, Growth{100, 0},
		},
		"at the end of a file": {
			[]string{"[a]\nsize=8M\nfile_append=1\nnrfiles=2\n"},
			map[string]int64{"a.0.0": 8 * mib}, Growth{1, 8 * mib},
		},
		"as much as fits":               {[]string{"[a]\nfill_device=1\n"}, nil, Growth{1, 0}},
		"as much as fits, up to a size": {[]string{"[a]\nfill_device=1\nsize=8M\n"}, nil, Growth{1, 8 * mib}},
		"files of different sizes": {
			[]string{"[a]\nfilesize=1M-8M\nnrfiles=3\n"},
			map[string]int64{"a.0.0": 3 * mib, "a.0.1": 1024}, Growth{1, 16*mib - 1024},
		},
		"more than can be counted": {
			[]string{"[a]\nsize=4096P\nnumjobs=3\n[b]\nsize=1M\n"},
			nil, Growth{4, math.MaxInt64},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var files []*JobFile
			for _, text := range test.texts {
				files = append(files, mustParse(t, "[global]\nrw=write\n"+text))
			}
			var present Present
			if test.present != nil {
				present = func(name string) (int64, bool) {
					bytes, exists := test.present[name]
					return bytes, exists
				}
			}
			if got := GrowthOf(present, files...); got != test.want {
				t.Errorf("%+v, want %+v", got, test.want)
			}
		})
	}
}

// TestGrowthOfWhatFioMakes holds GrowthOf to what fio makes: nothing more is needed after it.
func TestGrowthOfWhatFioMakes(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"clones and files": "[a]\nrw=read\nsize=64k\nnrfiles=4\nnumjobs=2\n",
		"sizes":            "[a]\nrw=read\nfilesize=16k-64k\nnrfiles=8\n",
		"names":            "[global]\nrw=read\nsize=64k\n[a]\nfilename=f:g\n[B]\nfilename_format=x.$JobName.$JOBNUM\n",
		"clones in a file": "[a]\nrw=read\nsize=64k\nfilename=f\noffset_increment=64k\nnumjobs=2\n",
		"lookups":          "[a]\nioengine=filestat\nfilesize=4k\nnrfiles=8\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			directory := t.TempDir()
			job := mustParse(t, text).WithMetadata().WithMetadataNames("attempt").On(Volume{Directory: directory})
			files := []*JobFile{job}
			if layout := LayoutFile(mustParse(t, text)); layout != nil {
				files = append(files, layout.On(Volume{Directory: directory}))
			}
			if growth := GrowthOf(nil, files...); growth.Files == 0 {
				t.Errorf("before: %+v", growth)
			}
			for _, file := range files {
				if run := fiorun.Run(t, file.String(), "--create_only=1"); run.Code != 0 {
					t.Fatalf("%s", run.Output)
				}
			}
			growth := GrowthOf(func(name string) (int64, bool) {
				info, err := os.Stat(filepath.Join(directory, name))
				if err != nil {
					return 0, false
				}
				return info.Sys().(*syscall.Stat_t).Blocks * 512, true
			}, files...)
			if growth != (Growth{}) {
				t.Errorf("after: %+v", growth)
			}
		})
	}
}

package fio

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What is known to be filled is what each job writes without a gap from the begin of the device; what is read counts in doubt as all of it.
func TestDeviceUses(t *testing.T) {
	const gib = 1 << 30
	for text, want := range map[string][]DeviceUse{
		"rw=read\n":                         {{ReadsTo: WholeDevice}},
		"rw=randread\nsize=1G\n":            {{ReadsTo: gib}},
		"rw=randread\nsize=1G\noffset=2G\n": {{ReadsTo: 3 * gib}},
		"rw=randread\nsize=1G\noffset_increment=1G\nnumjobs=4\n": {{ReadsTo: 4 * gib}},
		"rw=read\nsize=50%\n":                                            {{ReadsTo: WholeDevice}},
		"rw=randrw\nsize=1G\n":                                           {{ReadsTo: gib}},
		"rw=write\n":                                                     {{FillsTo: WholeDevice}},
		"rw=write\nsize=100%\n":                                          {{FillsTo: WholeDevice}},
		"rw=write\nsize=1G\n":                                            {{FillsTo: gib}},
		"rw=write\nsize=1G\ntime_based=0\n":                              {{FillsTo: gib}},
		"rw=randwrite\nsize=1G\n":                                        {{FillsTo: gib}},
		"rw=write\nsize=1G\nnumjobs=4\noffset_increment=1G\n":            {{FillsTo: 4 * gib}},
		"rw=write\nsize=1G\nruntime=60\nnumjobs=2\n":                     {{FillsTo: gib, FillBytes: 2 * gib}},
		"rw=write\nruntime=60\n":                                         {{}},
		"rw=write\nsize=1G\nnumjobs=4\noffset_increment=2G\n":            {{}},
		"rw=write\nsize=1G\noffset=1G\n":                                 {{}},
		"rw=write:4k\nsize=1G\n":                                         {{}},
		"rw=write\nsize=1G\nio_size=1M\n":                                {{}},
		"rw=write\nsize=50%\n":                                           {{}},
		"rw=randwrite\nsize=1G\nnorandommap\n":                           {{}},
		"rw=randwrite\nsize=1G\nrandom_distribution=zipf\n":              {{}},
		"rw=write\nsize=1G\ntime_based\nruntime=60\n":                    {{FillBytes: gib}},
		"rw=randtrim\nsize=1G\n":                                         {{}},
		"rw=write\nsize=1G\n[b]\nstonewall\nrw=read\nsize=512M\n":        {{FillsTo: gib}, {ReadsTo: gib / 2}},
		"group_reporting\nrw=write\nsize=1G\n[b]\nrw=read\n":             {{ReadsTo: WholeDevice, FillsTo: gib}},
		"group_reporting\nrw=write\nsize=1G\n[b]\nrw=write\nruntime=1\n": {{}},
	} {
		if diff := cmp.Diff(want, mustParse(t, "[a]\n"+text).DeviceUses()); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

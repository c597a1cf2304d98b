package fio

import (
	"regexp"
	"testing"

	"github.com/storagebench/storagebench/test/fiorun"
)

func TestTraps(t *testing.T) {
	for text, want := range map[string]Traps{
		"direct=1\n":                                                         {},
		"iodepth=16\ndirect=1\n":                                             {IgnoredDepth: 16},
		"iodepth=1\ndirect=1\n":                                              {},
		"ioengine=sync\niodepth=16\n[b]\niodepth=32\n":                       {IgnoredDepth: 32},
		"ioengine=libaio\niodepth=16\ndirect=1\n":                            {},
		"ioengine=posixaio\niodepth=16\ndirect=0\n":                          {},
		"io_submit_mode=offload\niodepth=16\n":                               {},
		"ioengine=libaio\niodepth=16\n":                                      {BufferedAsync: true},
		"ioengine=libaio\ndirect=1\n[b]\nioengine=libaio\n":                  {BufferedAsync: true},
		"rw=write\nzero_buffers\n":                                           {AlikeData: "zero_buffers"},
		"rw=write\nzero_buffers=0\n":                                         {},
		"rw=read\nzero_buffers\n":                                            {},
		"rw=randrw\nbuffer_compress_percentage=50\n":                         {AlikeData: "buffer_compress_percentage"},
		"rw=randwrite\ndedupe_percentage=10\nbuffer_compress_percentage=1\n": {AlikeData: "dedupe_percentage"},
		"rw=write\nbuffer_pattern=0xdeadbeef\n":                              {AlikeData: "buffer_pattern"},
		"rw=write\ndedupe_percentage=0\n":                                    {},
		"rw=write\nscramble_buffers=0\n":                                     {AlikeData: "scramble_buffers=0"},
		"rw=read\nscramble_buffers=0\n":                                      {},
		"rw=write\nscramble_buffers=1\n":                                     {},
		"rw=write\nscramble_buffers=0\nrefill_buffers\n":                     {},
		"rate_iops=100\n":                                                    {InlineRate: true},
		"rate=1m\n":                                                          {InlineRate: true},
		"rate_iops=100\nio_submit_mode=offload\n":                            {},
		"rate_iops=0\n":                                                      {},
		"rate=0\n":                                                           {},
		"rw=randrw\nrate_iops=0,100\n":                                       {InlineRate: true},
		"rw=read\nrate_iops=0,100\n":                                         {},
		"rw=write\nnrfiles=2\nfsync=1\n":                                     {OtherFilesSynced: true},
		"rw=randrw\nnr_files=8\nfdatasync=4\nfile_service_type=random\n":     {OtherFilesSynced: true},
		"rw=write\nfilename=x:y\nfdatasync=1\n":                              {OtherFilesSynced: true},
		"rw=write\nnrfiles=2\nsync_file_range=write:8\n":                     {OtherFilesSynced: true},
		"rw=write\nnrfiles=2\nfsync=1\nfile_service_type=sequential\n":       {},
		"rw=write\nnrfiles=3\nopenfiles=2\nfsync=1\n":                        {OtherFilesSynced: true},
		"rw=write\nnrfiles=3\nopenfiles=1\nfsync=1\n":                        {},
		"rw=write\nnrfiles=1\nfsync=1\n":                                     {},
		"rw=write\nfilename=x\nfsync=1\n":                                    {},
		"rw=write\nnrfiles=2\nend_fsync=1\n":                                 {},
		"rw=read\nnrfiles=2\nfsync=1\n":                                      {},
	} {
		f := mustParse(t, "[global]\ngroup_reporting\nsize=64k\n[a]\n"+text)
		if got := f.Loads()[0].Traps; got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}

// TestFioSyncsOtherFiles asks fio itself which file it syncs after each write. Where it is always the one that was written, nothing is warned of.
func TestFioSyncsOtherFiles(t *testing.T) {
	step := regexp.MustCompile(`fill: io_u .*,ddir=([14]),file=(\S+)`)
	const write = "1"
	for options, same := range map[string]bool{
		"": false, "openfiles=2\n": false, "file_service_type=random\n": false, "file_service_type=sequential\n": true, "openfiles=1\n": true,
	} {
		job := "[a]\nrw=write\nioengine=sync\nbs=4k\nsize=96k\nnrfiles=6\nfdatasync=1\n" + options
		run := fiorun.Run(t, job, "--debug=io")
		others, syncs, written := 0, 0, ""
		for _, match := range step.FindAllSubmatch(run.Output, -1) {
			if string(match[1]) == write {
				written = string(match[2])
				continue
			}
			syncs++
			if string(match[2]) != written {
				others++
			}
		}
		if syncs < 20 || same != (others == 0) {
			t.Errorf("%q: %d of %d syncs are of another file: %s", options, others, syncs, run.Stderr)
		}
		if warned := mustParse(t, job).Loads()[0].Traps.OtherFilesSynced; warned == same {
			t.Errorf("%q: warned of it is %t", options, warned)
		}
	}
}

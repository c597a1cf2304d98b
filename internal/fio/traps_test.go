package fio

import "testing"

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
		"rate_iops=100\n":                                                    {InlineRate: true},
		"rate=1m\n":                                                          {InlineRate: true},
		"rate_iops=100\nio_submit_mode=offload\n":                            {},
	} {
		f := mustParse(t, "[global]\ngroup_reporting\nsize=64k\n[a]\n"+text)
		if got := f.Loads()[0].Traps; got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}

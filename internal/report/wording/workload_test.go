package wording

import (
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

func TestWorkloadInWords(t *testing.T) {
	for want, test := range map[string]struct {
		fio    v1alpha1.FioParameters
		choice map[string]string
	}{
		"sequential reads in blocks of 4k by 1 job (psync), through the page cache": {fio: v1alpha1.FioParameters{RW: "read"}},
		"random reads and writes (70 % reads) in blocks of 8k and 32k by 4 jobs (libaio with 32 I/Os in flight each), past the page cache": {
			fio:    v1alpha1.FioParameters{RW: "randrw", RWMixRead: new(int32(70)), BS: new("8k,32k"), IOEngine: new("libaio"), IODepth: new(int32(1)), Direct: new(true)},
			choice: map[string]string{"iodepth": "32", "numjobs": "4"},
		},
		"sequential writes in blocks of 1m by 1 job (psync), past the page cache, each write synchronous (dsync)": {
			fio: v1alpha1.FioParameters{RW: "read", Sync: new("dsync")}, choice: map[string]string{"rw": "write", "bs": "1m", "direct": "1"},
		},
		"random reads in blocks of 8k by 2 jobs (libaio), past the page cache, each write synchronous (sync)": {
			fio:    v1alpha1.FioParameters{Direct: new(false), Options: map[string]v1alpha1.FioOptionValue{"readwrite": "randread:8", "blocksize": "64k", "sync": "1", "ioengine": "libaio"}},
			choice: map[string]string{"blocksize": "8k", "numjobs": "2", "direct": "1"},
		},
		"random reads in blocks of 4k by 1 job (psync with 1 I/O in flight each, whatever iodepth 32 says), past the page cache": {
			fio: v1alpha1.FioParameters{RW: "randread", IODepth: new(int32(32)), Direct: new(true)},
		},
		"random reads in blocks of 4k by 1 job (pvsync2 with 1 I/O in flight each, whatever iodepth 8 says), past the page cache": {
			fio:    v1alpha1.FioParameters{RW: "randread", IOEngine: new("libaio"), Direct: new(true)},
			choice: map[string]string{"iodepth": "8", "ioengine": "pvsync2"},
		},
		"random reads in blocks of 4k by 1 job (sync with 4 I/Os in flight each), past the page cache": {
			fio: v1alpha1.FioParameters{RW: "randread", IOEngine: new("sync"), IODepth: new(int32(4)), Direct: new(true), Options: map[string]v1alpha1.FioOptionValue{"io_submit_mode": "offload"}},
		},
		"I/O in blocks of 4k by 1 job (psync), through the page cache": {fio: v1alpha1.FioParameters{RW: "new"}},
	} {
		if got := Workload(&v1alpha1.Workload{Fio: &test.fio}, "", test.choice); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestOperationsInWords(t *testing.T) {
	for want, set := range map[string]map[string]string{
		"look-up of 1 file (filestat)":                            {"ioengine": "filestat"},
		"deletion of 7 directories by each of 2 jobs (dirdelete)": {"ioengine": "dirdelete", "nrfiles": "7", "numjobs": "2"},
		"creation of 1 directory (dircreate)":                     {"ioengine": "dircreate", "nrfiles": "1"},
		"":                                                        {"ioengine": "psync"},
	} {
		if got := operationsInWords(set); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

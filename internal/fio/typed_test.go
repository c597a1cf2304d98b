package fio

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// TestParametersOfAJob: each field, in all ways to write its option.
func TestParametersOfAJob(t *testing.T) {
	t.Parallel()
	type options = map[string]v1alpha1.FioOptionValue
	for name, test := range map[string]struct {
		text string
		want v1alpha1.FioParameters
	}{
		"nothing but a size": {"size=1M\n", v1alpha1.FioParameters{RW: "read", Size: new("1M")}},
		"aliases":            {"readwrite=write\nblocksize=8k\nnr_files=2\ntimeout=7\nsize=1M\n", v1alpha1.FioParameters{RW: "write", BS: new("8k"), NrFiles: new(int32(2)), RuntimeSeconds: new(int32(7)), Size: new("1M")}},
		"flags": {
			"time_based\nnorandommap=1\ndirect=1\ninvalidate=0\nend_fsync=0\nruntime=1m\nsize=1M\ngroup_reporting\nstonewall\nthread=0\n",
			v1alpha1.FioParameters{
				RW: "read", TimeBased: new(true), NoRandomMap: new(true), Direct: new(true), Invalidate: new(false), EndFsync: new(false), RuntimeSeconds: new(int32(60)), Size: new("1M"),
				Options: options{"stonewall": "1", "thread": "0"},
			},
		},
		"numbers": {
			"iodepth=4\nnumjobs=2\nfsync=3\nfdatasync=0\nloops=5\nrate_iops=6\nsize=1M\n",
			v1alpha1.FioParameters{RW: "read", IODepth: new(int32(4)), NumJobs: new(int32(2)), Fsync: new(int32(3)), Fdatasync: new(int32(0)), Loops: new(int32(5)), RateIOPS: new(intstr.FromInt32(6)), Size: new("1M")},
		},
		"rates":           {"rw=randrw\nrate_iops=500,200\nsize=1M\n", v1alpha1.FioParameters{RW: "randrw", RateIOPS: new(intstr.FromString("500,200")), Size: new("1M")}},
		"writes":          {"rw=randrw\nrate_iops=,200\nsize=1M\n", v1alpha1.FioParameters{RW: "randrw", RateIOPS: new(intstr.FromString("0,200")), Size: new("1M")}},
		"slow ones":       {"rw=randrw\nrate=,2mb\nsize=1M\n", v1alpha1.FioParameters{RW: "randrw", Rate: new("0,2m"), Size: new("1M")}},
		"none":            {"rate_iops=0\nruntime=0\nramp_time=0s\nsize=1M\n", v1alpha1.FioParameters{RW: "read", Size: new("1M")}},
		"no rate":         {"rw=write\nrate=10m,0\nsize=1M\n", v1alpha1.FioParameters{RW: "write", Size: new("1M")}},
		"seconds":         {"runtime=2H\nramp_time=3000ms\nsize=1M\n", v1alpha1.FioParameters{RW: "read", RuntimeSeconds: new(int32(7200)), RampTimeSeconds: new(intstr.FromInt32(3)), Size: new("1M")}},
		"units":           {"bs=4kb,8K,16Ki\nrate=1M,2mb\nsize=1gb\n", v1alpha1.FioParameters{RW: "read", BS: new("4k,8K,16Ki"), Rate: new("1M,2m"), Size: new("1g")}},
		"kb_base":         {"kb_base=1000\nbs=4KiB\nsize=1MB\n", v1alpha1.FioParameters{RW: "read", BS: new("4096"), Size: new("1M"), Options: options{"kb_base": "1000"}}},
		"mixed":           {"rw=randrw\nrwmixread=70\nsize=1M\n", v1alpha1.FioParameters{RW: "randrw", RWMixRead: new(int32(70)), Size: new("1M")}},
		"not mixed":       {"rw=randread\nrwmixread=70\nsize=1M\n", v1alpha1.FioParameters{RW: "randread", Size: new("1M")}},
		"sync":            {"sync=1\nsize=1M\n", v1alpha1.FioParameters{RW: "read", Sync: new("sync"), Size: new("1M")}},
		"no sync":         {"sync=0\nsize=1M\n", v1alpha1.FioParameters{RW: "read", Sync: new("none"), Size: new("1M")}},
		"dsync":           {"sync=dsync\nsize=1M\nioengine=libaio\n", v1alpha1.FioParameters{RW: "read", Sync: new("dsync"), IOEngine: new("libaio"), IODepth: new(int32(1)), Size: new("1M")}},
		"writes of a mix": {"rw=randrw\nrwmixread=60\nrwmixwrite=40\nsize=1M\n", v1alpha1.FioParameters{RW: "randrw", RWMixRead: new(int32(60)), Size: new("1M")}},
		"no reads given":  {"rw=randrw\nrwmixwrite=40\nsize=1M\n", v1alpha1.FioParameters{RW: "randrw", RWMixRead: new(int32(60)), Size: new("1M")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := mustParse(t, "[a]\n"+test.text)
			if errs := Validate(field.NewPath("w"), f, corev1.PersistentVolumeFilesystem, false); len(errs) > 0 {
				t.Fatalf("refused as a job file: %v", errs)
			}
			got, err := f.Parameters()
			if err != nil {
				t.Fatal(err)
			}
			test.want.Inherit(&v1alpha1.FioParameters{IOEngine: new("psync"), Direct: new(false), TimeBased: new(false)})
			if diff := cmp.Diff(&test.want, got, cmpopts.IgnoreFields(v1alpha1.FioParameters{}, "TimeBased")); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if implied := got.TimeBased == nil; implied != ptr.Deref(test.want.TimeBased, false) {
				t.Errorf("timeBased %v, want %v", got.TimeBased, test.want.TimeBased)
			}
			if errs := Validate(field.NewPath("w"), FromParameters("a", got), corev1.PersistentVolumeFilesystem, false); len(errs) > 0 {
				t.Errorf("refused as parameters: %v", errs)
			}
		})
	}
}

func TestParametersCannotSay(t *testing.T) {
	for text, want := range map[string]string{
		"[a]\nsize=1M\n[b]\nsize=1M\n":   "there are 2 jobs",
		"[a]\nrw=read\n":                 "there is neither size nor runtime",
		"[a]\nrw=randread:8\nsize=1M\n":  "rw=randread:8 is more than a type of I/O",
		"[a]\nruntime=500ms\nsize=1M\n":  "runtime=500ms is no number of whole seconds up to 604800",
		"[a]\nruntime=8d\nsize=1M\n":     "runtime=8d is no number of whole seconds up to 604800",
		"[a]\nrate_iops=9,-1\nsize=1M\n": "rate_iops=9,-1 is no rate that a field can have",
		"[a]\nrate_iops=-5\nsize=1M\n":   "rate_iops=-5 is negative",
	} {
		_, err := mustParse(t, text).Parameters()
		if err == nil || err.Error() != want {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

func TestOptionUnits(t *testing.T) {
	for _, test := range []struct {
		option string
		base   int64
		want   string
		unit   bool
	}{
		{"bs=4KiB", 1024, "bs=4000", true}, {"bs=4KiB,8mib", 1000, "bs=4096,8388608", true}, {"bs=4kb", 1024, "bs=4kb", true}, {"bs=4096", 1024, "bs=4096", false},
		{"runtime=5m", 1024, "runtime=5m", false}, {"size=50%", 1024, "size=50%", false}, {"rw=read:4KiB", 1024, "rw=read:4KiB", false}, {"size=1Gi", 1024, "size=1Gi", true},
		{"size=99999999999999999999KiB", 1024, "size=99999999999999999999KiB", true}, {"unknown=4KiB", 1024, "unknown=4KiB", false},
	} {
		o := mustParse(t, "[a]\n"+test.option).sections[0].Options[0]
		got, changed := o.InBytes(test.base)
		if got.String() != test.want || changed != (test.option != test.want || o.Value == "99999999999999999999KiB") || o.HasUnit() != test.unit {
			t.Errorf("%s with kb_base %d is %s, changed %t, with unit %t", test.option, test.base, got, changed, o.HasUnit())
		}
	}
}

package fio

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// allParameters sets every field.
func allParameters() *v1alpha1.FioParameters {
	return &v1alpha1.FioParameters{
		RW: "randrw", RWMixRead: new(int32(70)), BS: new("8k,32k"), IOEngine: new("libaio"),
		IODepth: new(int32(4)), Direct: new(true), Size: new("1G"), NrFiles: new(int32(2)),
		NumJobs: new(int32(3)), RuntimeSeconds: new(int32(60)), RampTimeSeconds: new(intstr.FromInt32(5)),
		TimeBased: new(true), Sync: new("dsync"), Fsync: new(int32(8)), Fdatasync: new(int32(9)),
		EndFsync: new(true), NoRandomMap: new(false), Invalidate: new(false), Rate: new("10m,5m"),
		RateIOPS: new(intstr.FromInt32(100)), Loops: new(int32(2)),
		Options: map[string]v1alpha1.FioOptionValue{"thinktime": "100", "norandommap2": "", "iodepth_low": "1"},
	}
}

func TestFromParameters(t *testing.T) {
	want := `[w]
rw=randrw
rwmixread=70
bs=8k,32k
ioengine=libaio
iodepth=4
direct=1
size=1G
nrfiles=2
numjobs=3
runtime=60
ramp_time=5
time_based=1
sync=dsync
fsync=8
fdatasync=9
end_fsync=1
norandommap=0
invalidate=0
rate=10m,5m
rate_iops=100
loops=2
group_reporting=1
iodepth_low=1
norandommap2=
thinktime=100
`
	if diff := cmp.Diff(want, FromParameters("w", allParameters()).String()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff("[w]\nrw=read\ngroup_reporting=1\n", FromParameters("w", &v1alpha1.FioParameters{RW: "read"}).String()); diff != "" {
		t.Errorf("nothing but rw: %s", diff)
	}
}

// TestOptionsWithAFieldAreRefused: what has a field is set there. What happens anyway may be said.
func TestOptionsWithAFieldAreRefused(t *testing.T) {
	f := FromParameters("w", &v1alpha1.FioParameters{
		RW: "read", Size: new("1M"), Options: map[string]v1alpha1.FioOptionValue{"blocksize": "8k", "group_reporting": "1"},
	})
	want := `fio.options[blocksize]: Invalid value: "8k": it has a field of its own: set bs`
	errs := Validate(nil, f, corev1.PersistentVolumeFilesystem, false)
	if len(errs) != 1 || errs[0].Error() != want {
		t.Errorf("%v, want %s", errs, want)
	}
}

// TestTimeBased: a job with a runtime runs for all of it, unless it says otherwise or does one thing to each file.
func TestTimeBased(t *testing.T) {
	for name, test := range map[string]struct {
		parameters v1alpha1.FioParameters
		want       string
	}{
		"runtime":       {v1alpha1.FioParameters{RW: "read", RuntimeSeconds: new(int32(5))}, "[w]\nrw=read\nruntime=5\ntime_based=1\ngroup_reporting=1\n"},
		"at most":       {v1alpha1.FioParameters{RW: "read", RuntimeSeconds: new(int32(5)), TimeBased: new(false)}, "[w]\nrw=read\nruntime=5\ntime_based=0\ngroup_reporting=1\n"},
		"until size":    {v1alpha1.FioParameters{RW: "read", RuntimeSeconds: new(int32(0))}, "[w]\nrw=read\ngroup_reporting=1\n"},
		"once per file": {v1alpha1.FioParameters{RW: "read", IOEngine: new("filecreate"), RuntimeSeconds: new(int32(5))}, "[w]\nrw=read\nioengine=filecreate\nruntime=5\ngroup_reporting=1\n"},
	} {
		if diff := cmp.Diff(test.want, FromParameters("w", &test.parameters).String()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestFromParametersKnowsEveryField fails when a field is added to the API only.
func TestFromParametersKnowsEveryField(t *testing.T) {
	p := reflect.ValueOf(allParameters()).Elem()
	for i := range p.NumField() {
		if p.Field(i).IsZero() {
			t.Errorf("allParameters does not set %s", p.Type().Field(i).Name)
		}
	}
	options := len(FromParameters("w", allParameters()).sections[0].Options)
	if want := p.NumField() - 1 + len(allParameters().Options) + 1; options != want {
		t.Errorf("%d options, want %d: one for each field, group_reporting and what is in options", options, want)
	}
}

// TestFieldsAreThoseOfTheAPI holds the names of fields in errors to those of the API.
func TestFieldsAreThoseOfTheAPI(t *testing.T) {
	names := map[string]bool{"group_reporting": true}
	for f := range reflect.TypeFor[v1alpha1.FioParameters]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names[name] = true
	}
	for _, o := range knownOptions {
		if o.field != "" && !names[o.field] {
			t.Errorf("option %s: the API has no field %s", o.name, o.field)
		}
	}
}

func TestWorkloadNamesThatFioTakesForGlobal(t *testing.T) {
	f := FromParameters("global-reads", &v1alpha1.FioParameters{RW: "read", Size: new("1M")})
	if diff := cmp.Diff([]string{"workload-global-reads"}, f.Groups()); diff != "" {
		t.Error(diff)
	}
	if errs := Validate(nil, f, corev1.PersistentVolumeFilesystem, false); len(errs) > 0 {
		t.Error(errs)
	}
}

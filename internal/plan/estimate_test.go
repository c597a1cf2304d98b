package plan

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

const (
	gp3    = "{name: gp3, capacity: 100Gi, ebs: {type: gp3, iops: 3000, throughput: 125}}"
	efs    = "{name: efs, capacity: 1Ti, efs: {fileSystemID: fs-0123456789abcdef0, throughputMode: Bursting}}"
	class  = "{name: class, storageClassName: fast, capacity: 100Gi}"
	bucket = "{name: s3, capacity: 1Ti, s3: {bucket: my-bucket, region: eu-west-1}}"
)

// TestEstimates: what is known of how long runs take. 125 MiB/s and 3,000 IOPS are gp3's limits, 100 MiB/s those of writes on
// EFS, of reads 300.
func TestEstimates(t *testing.T) {
	const timed = "timeBased: true, runtimeSeconds: 60"
	for _, test := range []struct {
		name, targets, workloads string
		observed                 []v1alpha1.TargetStatus
		want                     map[string]Estimate
	}{{
		name: "E1: files are laid out once, at the limit of writes", targets: gp3 + ", " + efs,
		workloads: "{name: w, fio: {rw: randwrite, size: 1G, numjobs: 16, " + timed + "}, matrix: {bs: [16k, 64k]}}",
		want: map[string]Estimate{
			"w.bs-16k.gp3": {Layout: 131072 * time.Millisecond, Measuring: time.Minute, Overhead: 2 * time.Second},
			"w.bs-16k.efs": {Layout: 163840 * time.Millisecond, Measuring: time.Minute, Overhead: 2 * time.Second},
			"w.bs-64k.gp3": {Measuring: time.Minute, Overhead: 2 * time.Second},
			"w.bs-64k.efs": {Measuring: time.Minute, Overhead: 2 * time.Second},
		},
	}, {
		name: "the first run lays out the files of all", targets: gp3,
		workloads: "{name: a, fio: {rw: read, size: 125M, " + timed + "}}, {name: b, fio: {rw: read, size: 250M, rampTimeSeconds: 5, " + timed + "}}",
		want: map[string]Estimate{
			"a.gp3": {Layout: 3 * time.Second, Measuring: time.Minute, Overhead: 2 * time.Second},
			"b.gp3": {Measuring: 65 * time.Second, Overhead: 2 * time.Second},
		},
	}, {
		name: "metadata: at most its runtime, where it has one", targets: gp3,
		workloads: "{name: w, fio: {rw: read, ioengine: filecreate, nrfiles: 1000, size: 4M}, matrix: {runtime: [0, 30]}}, " +
			"{name: s, fio: {rw: read, ioengine: dirstat, nrfiles: 1000, size: 4M, " + timed + "}}",
		want: map[string]Estimate{
			"w.runtime-0.gp3":  {Overhead: 2 * time.Second, MeasuringUnknown: true, MayEndSooner: true},
			"w.runtime-30.gp3": {Measuring: 30 * time.Second, Overhead: 2 * time.Second, MayEndSooner: true},
			"s.gp3":            {Measuring: time.Minute, Overhead: 2 * time.Second},
		},
	}, {
		name: "nothing is known of a class", targets: class, workloads: "{name: w, fio: {rw: read, size: 125M, " + timed + "}}",
		want: map[string]Estimate{"w.class": {Measuring: time.Minute, Overhead: 2 * time.Second, LayoutUnknown: true}},
	}, {
		name: "but what the user or the volume says of it", targets: class, workloads: "{name: w, fio: {rw: read, size: 125M, " + timed + "}}",
		observed: []v1alpha1.TargetStatus{{Name: "class", Limits: limits(v1alpha1.Limits{BytesPerSecond: new(int64(25 << 20))})}},
		want:     map[string]Estimate{"w.class": {Layout: 5 * time.Second, Measuring: time.Minute, Overhead: 2 * time.Second}},
	}, {
		name: "a limit of IOPS says nothing of layout", targets: class, workloads: "{name: w, fio: {rw: read, bs: 4k, size: 4M}}",
		observed: []v1alpha1.TargetStatus{{Name: "class", Limits: limits(v1alpha1.Limits{IOPS: new(int64(512))})}},
		want:     map[string]Estimate{"w.class": {Measuring: 2 * time.Second, Overhead: 2 * time.Second, LayoutUnknown: true}},
	}, {
		name: "by size: the slower of IOPS and throughput", targets: gp3,
		workloads: "{name: w, fio: {rw: randrw, size: 750M, loops: 2, numjobs: 2}, matrix: {bs: [4k, 1m]}}",
		want: map[string]Estimate{
			"w.bs-4k.gp3": {Layout: 12 * time.Second, Measuring: 256 * time.Second, Overhead: 2 * time.Second},
			"w.bs-1m.gp3": {Measuring: 24 * time.Second, Overhead: 2 * time.Second},
		},
	}, {
		name: "by size on a file system that reads faster than it writes", targets: efs,
		workloads: "{name: w, fio: {rw: randrw, rwmixread: 75, size: 400M, bs: 1m}}, {name: r, fio: {rw: read, size: 600M, bs: 1m}}",
		want: map[string]Estimate{
			"w.efs": {Layout: 10 * time.Second, Measuring: time.Second, Overhead: 2 * time.Second},
			"r.efs": {Measuring: 2 * time.Second, Overhead: 2 * time.Second},
		},
	}, {
		name: "by size or runtime: whatever comes first", targets: gp3 + ", " + class,
		workloads: "{name: w, fio: {rw: write, bs: 1m, size: 1250M}, matrix: {runtime: [5, 100]}}",
		want: map[string]Estimate{
			"w.runtime-5.gp3":     {Layout: 10 * time.Second, Measuring: 5 * time.Second, Overhead: 2 * time.Second},
			"w.runtime-100.gp3":   {Measuring: 10 * time.Second, Overhead: 2 * time.Second},
			"w.runtime-5.class":   {Measuring: 5 * time.Second, Overhead: 2 * time.Second, LayoutUnknown: true},
			"w.runtime-100.class": {Measuring: 100 * time.Second, Overhead: 2 * time.Second},
		},
	}, {
		name: "by size on storage of which nothing is known", targets: class, workloads: "{name: w, fio: {rw: write, size: 1M}}",
		want: map[string]Estimate{"w.class": {Overhead: 2 * time.Second, LayoutUnknown: true, MeasuringUnknown: true}},
	}, {
		name: "sections one after the other, and at the same time", targets: gp3,
		workloads: `{name: w, jobFile: "[global]\nrw=read\nbs=1m\n[a]\nsize=125M\n[b]\nsize=125M\n[c]\nstonewall\nsize=125M\nruntime=10\ntime_based\n[d]\nsize=125M\n"}`,
		want:      map[string]Estimate{"w.gp3": {Layout: 4 * time.Second, Measuring: 12 * time.Second, Overhead: 2 * time.Second}},
	}, {
		name: "a raw device has no layout, and no size that is known", targets: "{name: gp3, volumeMode: Block, ebs: {}}",
		workloads: "{name: t, fio: {rw: read, size: 100%, " + timed + "}}, {name: s, fio: {rw: read, size: 100%}}",
		want: map[string]Estimate{
			"t.gp3": {Measuring: time.Minute, Overhead: 2 * time.Second},
			"s.gp3": {Overhead: 2 * time.Second, MeasuringUnknown: true},
		},
	}, {
		name: "nor has one that existed", targets: "{name: c, claimName: c, limits: {bytesPerSecond: 1}}", workloads: "{name: w, fio: {rw: read, size: 125M, " + timed + "}}",
		observed: []v1alpha1.TargetStatus{{Name: "c", VolumeMode: corev1.PersistentVolumeBlock}},
		want:     map[string]Estimate{"w.c": {Measuring: time.Minute, Overhead: 2 * time.Second}},
	}, {
		name: "of files that cannot be known only their own run says so", targets: gp3,
		workloads: "{name: a, fio: {rw: read, size: 125M, options: {file_append: '1'}, " + timed + "}}, {name: b, fio: {rw: read, size: 125M, " + timed + "}}",
		want: map[string]Estimate{
			"a.gp3": {Measuring: time.Minute, Overhead: 2 * time.Second, LayoutUnknown: true, LayoutAlone: true},
			"b.gp3": {Layout: time.Second, Measuring: time.Minute, Overhead: 2 * time.Second},
		},
	}, {
		name: "too many files for one job file are laid out before each run", targets: gp3,
		workloads: "{name: w, fio: {rw: read, numjobs: 1000, " + timed + "}, matrix: {size: [125K, 250K, 375K, 500K, 625K]}}",
		want: map[string]Estimate{
			"w.size-125k.gp3": {Layout: 976562500 * time.Nanosecond, Measuring: time.Minute, Overhead: 2 * time.Second},
			"w.size-250k.gp3": {Layout: 2 * 976562500 * time.Nanosecond, Measuring: time.Minute, Overhead: 2 * time.Second},
			"w.size-375k.gp3": {Layout: 3 * 976562500 * time.Nanosecond, Measuring: time.Minute, Overhead: 2 * time.Second},
			"w.size-500k.gp3": {Layout: 4 * 976562500 * time.Nanosecond, Measuring: time.Minute, Overhead: 2 * time.Second},
			"w.size-625k.gp3": {Layout: 5 * 976562500 * time.Nanosecond, Measuring: time.Minute, Overhead: 2 * time.Second},
		},
	}, {
		name: "objects are laid out if they are read", targets: bucket,
		workloads: "{name: w, fio: {rw: write, size: 250M, bs: 1m}}, {name: r, fio: {rw: read, size: 125M, bs: 1m}}",
		observed:  []v1alpha1.TargetStatus{{Name: "s3", ClientLimits: []v1alpha1.KnownLimits{*limits(v1alpha1.Limits{BytesPerSecond: new(int64(25 << 20))})}}},
		want: map[string]Estimate{
			"w.s3": {Measuring: 10 * time.Second, Overhead: 2 * time.Second},
			"r.s3": {Layout: 5 * time.Second, Measuring: 5 * time.Second, Overhead: 2 * time.Second},
		},
	}, {
		name: "files that are gone after each run are made for each", targets: gp3,
		workloads: "{name: w, fio: {rw: read, size: 125M, options: {unlink: '1'}, " + timed + "}, matrix: {bs: [4k, 8k]}}",
		want: map[string]Estimate{
			"w.bs-4k.gp3": {Layout: time.Second, Measuring: time.Minute, Overhead: 2 * time.Second, LayoutAlone: true},
			"w.bs-8k.gp3": {Layout: time.Second, Measuring: time.Minute, Overhead: 2 * time.Second, LayoutAlone: true},
		},
	}, {
		name: "files whose blocks are only reserved, or that are made while fio measures, take no time before", targets: gp3,
		workloads: "{name: r, fio: {rw: write, size: 125M, options: {overwrite: '0', unlink: '1'}, " + timed + "}}, " +
			"{name: o, fio: {rw: write, size: 125M, options: {create_on_open: '1'}, " + timed + "}}, {name: p, jobFile: \"[global]\\nbs=1m\\nrw=write\\nsize=125M\\n[a]\\ncreate_on_open=1\\n[b]\\n\"}",
		want: map[string]Estimate{
			"r.gp3": {Measuring: time.Minute, Overhead: 2 * time.Second, LayoutAlone: true},
			"o.gp3": {Measuring: time.Minute, Overhead: 2 * time.Second},
			"p.gp3": {Layout: time.Second, Measuring: 2 * time.Second, Overhead: 2 * time.Second},
		},
	}, {
		name: "clients share a file system, and have a volume each", targets: gp3 + ", " + efs,
		workloads: "{name: w, fio: {rw: write, bs: 1m, size: 1000M}, clients: [1, 3, 2, 52]}",
		want: map[string]Estimate{
			"w.clients-1.gp3":  {Layout: 8 * time.Second, Measuring: 8 * time.Second, Overhead: 2 * time.Second},
			"w.clients-1.efs":  {Layout: 10 * time.Second, Measuring: 10 * time.Second, Overhead: 2 * time.Second},
			"w.clients-3.gp3":  {Layout: 8 * time.Second, Measuring: 8 * time.Second, Overhead: 4540 * time.Millisecond},
			"w.clients-3.efs":  {Layout: 20 * time.Second, Measuring: 30 * time.Second, Overhead: 4540 * time.Millisecond},
			"w.clients-2.gp3":  {Measuring: 8 * time.Second, Overhead: 4500 * time.Millisecond},
			"w.clients-2.efs":  {Measuring: 20 * time.Second, Overhead: 4500 * time.Millisecond},
			"w.clients-52.gp3": {Layout: 8 * time.Second, Measuring: 8 * time.Second, Overhead: 6500 * time.Millisecond},
			"w.clients-52.efs": {Layout: 490 * time.Second, Measuring: 520 * time.Second, Overhead: 6500 * time.Millisecond},
		},
	}, {
		name: "longer than any run can be", targets: "{name: c, claimName: c, limits: {bytesPerSecond: 1}}",
		workloads: "{name: w, fio: {rw: read, size: 4000P}}",
		want:      map[string]Estimate{"w.c": {Layout: maxEstimate, Measuring: maxEstimate, Overhead: 2 * time.Second}},
	}} {
		t.Run(test.name, func(t *testing.T) {
			runs, problems := Runs(decode(t, []byte("targets: ["+test.targets+"]\nworkloads: ["+test.workloads+"]\n")), nil)
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			if diff := cmp.Diff(test.want, Estimates(runs, test.observed)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func limits(l v1alpha1.Limits) *v1alpha1.KnownLimits { return &v1alpha1.KnownLimits{Limits: l} }

func TestEstimateTotal(t *testing.T) {
	e := Estimate{Layout: time.Second, Measuring: time.Minute, Overhead: time.Hour}
	if got, want := e.Total(), time.Hour+time.Minute+time.Second; got != want || !e.IsComplete() {
		t.Errorf("total %s, want %s; complete %t", got, want, e.IsComplete())
	}
	if (Estimate{LayoutUnknown: true}).IsComplete() || (Estimate{MeasuringUnknown: true}).IsComplete() {
		t.Error("an estimate without all parts is complete")
	}
	if most := MaxResults * (Estimate{Layout: maxEstimate, Measuring: maxEstimate, Overhead: maxEstimate}).Total(); most < 0 || float64(most) > math.MaxInt64/2 {
		t.Errorf("the longest estimates of all runs are %s together", most)
	}
}

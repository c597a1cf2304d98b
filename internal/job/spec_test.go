package job

import (
	"fmt"
	"math"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/internal/storage"
	"github.com/storagebench/storagebench/test/builder"
)

// Where a client works follows from the storage: on a device, in a directory, in one of its own beside other clients', or with names of its own.
func TestForMeasuring(t *testing.T) {
	writes := func(name string) v1alpha1.Workload {
		return v1alpha1.Workload{Name: name, Fio: &v1alpha1.FioParameters{RW: "write", Size: new("16M")}}
	}
	shared := builder.NewTarget("t")
	shared.AccessMode = new(corev1.ReadWriteMany)
	bucket := v1alpha1.Target{Name: "t", S3: &v1alpha1.S3Bucket{Bucket: "b"}}
	directory := "directory=/volume/storagebench-uid"
	for _, test := range []struct {
		name    string
		target  v1alpha1.Target
		driver  string // that was found
		clients int32
		client  int32
		claim   string // the client whose claim it is, "" for the first
		has     []string
		lacks   []string
		change  func(*Volume)
	}{
		{name: "a volume", target: builder.NewTarget("t"), clients: 1, has: []string{directory + "\n"}},
		{name: "each has a volume", target: builder.NewTarget("t"), clients: 2, client: 1, claim: childmeta.Client(1), has: []string{directory + "\n"}},
		{
			name: "a volume for all", target: shared, clients: 2, client: 1, has: []string{directory + "/client-1\n"},
			change: func(v *Volume) { v.Subdirectory = "client-1" },
		},
		{name: "a volume for all, of one", target: shared, clients: 1, has: []string{directory + "\n"}},
		{
			name: "a device", target: builder.NewBlockTarget("t"), clients: 1, has: []string{"filename=/dev/storagebench\n"}, lacks: []string{"directory="},
			change: func(v *Volume) { v.Mode = corev1.PersistentVolumeBlock },
		},
		{
			name: "somebody's claim", target: builder.NewClaimTarget("t", "mine"), clients: 2, has: []string{directory + "/client-0\n"},
			change: func(v *Volume) { v.Claim, v.Existing, v.OwnClaim, v.Subdirectory = "mine", true, false, "client-0" },
		},
		{
			name: "a bucket", target: bucket, clients: 1, has: []string{"directory=/volume\n", "create_on_open=1"}, lacks: []string{"client-0."},
			change: func(v *Volume) { v.Exclusive, v.Objects = true, true },
		},
		{
			name: "somebody's claim on a bucket", clients: 2, driver: storage.S3Driver,
			target: builder.NewClaimTarget("t", "mine"),
			has:    []string{directory + "\n", "create_on_open=1", "client-0."}, lacks: []string{"/client-0"},
			change: func(v *Volume) { v.Claim, v.Existing, v.OwnClaim, v.Objects = "mine", true, false, true },
		},
		{
			name: "a bucket for all", target: bucket, clients: 2, client: 1, has: []string{"directory=/volume\n", "client-1."}, lacks: []string{"/client-1"},
			change: func(v *Volume) { v.Exclusive, v.Objects = true, true },
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			sb := builder.NewBenchmark("default", "sb").Target(test.target).Workload(writes("w")).With(func(sb *v1alpha1.StorageBenchmark) {
				sb.UID, sb.Spec.Clients = "uid", &test.clients
			}).Build()
			sb.Status.Targets = []v1alpha1.TargetStatus{
				{Name: "t", VolumeMode: storage.VolumeMode(&test.target), Driver: test.driver},
			}
			sb.Status.Anchors = []v1alpha1.Anchor{{Node: "first"}, {Node: "second"}}
			run := &v1alpha1.Run{Name: "w.t", Target: "t", Attempts: 3, Clients: test.clients}
			b, planned := planOf(t, sb, run)
			got := b.ForMeasuring(run, planned, test.client)
			for _, words := range test.has {
				if !strings.Contains(got.JobFile, words) {
					t.Errorf("the job file does not say %q:\n%s", words, got.JobFile)
				}
			}
			for _, words := range test.lacks {
				if strings.Contains(got.JobFile, words) {
					t.Errorf("the job file says %q:\n%s", words, got.JobFile)
				}
			}
			want := Run{
				Name: "w.t", Attempt: 3, Client: test.client, Clients: test.clients, JobFile: got.JobFile, Node: []string{"first", "second"}[test.client],
				Volume: Volume{
					Target: "t", Claim: childmeta.Name(sb, "t"), Mode: corev1.PersistentVolumeFilesystem, OwnClaim: true,
				},
			}
			if test.claim != "" {
				want.Volume.Claim = childmeta.Name(sb, "t", test.claim)
			}
			if test.change != nil {
				test.change(&want.Volume)
			}
			if got != want {
				t.Errorf("got  %s\nwant %s", fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want))
			}
		})
	}
}

// A volume whose claim was made for the benchmark is its own also where the volume existed before. A file system
// that is mounted as it is belongs to others as well.
func TestReserve(t *testing.T) {
	static := v1alpha1.Target{Name: "t", EFS: &v1alpha1.EFSFileSystem{Provisioning: new(v1alpha1.EFSStatic)}}
	for _, test := range []struct {
		name    string
		target  v1alpha1.Target
		reserve string
		own     bool
		want    *int64
	}{
		{"a new volume", builder.NewTarget("t"), "", true, nil},
		{"a claim", builder.NewClaimTarget("t", "mine"), "", false, nil},
		{"a file system", static, "", false, nil},
		{"no reserve", builder.NewClaimTarget("t", "mine"), "0", false, new(int64(0))},
		{"a reserve", builder.NewTarget("t"), "1.5Mi", true, new(int64(1536 << 10))},
		{"more than can be", builder.NewTarget("t"), "999E", true, new(int64(math.MaxInt64))},
	} {
		if test.reserve != "" {
			test.target.FreeSpaceReserve = new(resource.MustParse(test.reserve))
		}
		sb := builder.NewBenchmark("ns", "sb").Target(test.target).Workload(builder.NewWorkload("w")).Build()
		sb.Status.Targets = []v1alpha1.TargetStatus{{Name: "t", VolumeMode: corev1.PersistentVolumeFilesystem}}
		run := &v1alpha1.Run{Name: "w.t", Target: "t", Attempts: 1}
		b, planned := planOf(t, sb, run)
		got := b.ForRun(run, planned, 0, b.Shares(planned), true).Volume
		if got.OwnClaim != test.own || !got.Existing || !ptr.Equal(got.FreeSpaceReserve, test.want) {
			t.Errorf("%s: %+v, want own %t, reserve %v", test.name, got, test.own, test.want)
		}
	}
}

// A repetition has other random offsets than the one before it, and the same on all targets. A benchmark without repetitions has
// fio's own.
func TestRepetitionsHaveSeeds(t *testing.T) {
	for _, test := range []struct {
		repetitions int32
		seeds       map[string]string
	}{
		{1, map[string]string{"w.a": "", "w.b": ""}},
		{2, map[string]string{"w.a.1": "randseed=1", "w.b.1": "randseed=1", "w.a.2": "randseed=2", "w.b.2": "randseed=2"}},
	} {
		sb := builder.NewBenchmark("ns", "sb").Target(builder.NewTarget("a")).Target(builder.NewTarget("b")).
			Workload(builder.NewWorkload("w")).With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Repetitions = &test.repetitions }).Build()
		for name, seed := range test.seeds {
			run := &v1alpha1.Run{Name: name, Attempts: 1}
			b, planned := planOf(t, sb, run)
			text := b.ForMeasuring(run, planned, 0).JobFile
			if got := strings.Contains(text, "randseed="); got != (seed != "") || !strings.Contains(text, seed) {
				t.Errorf("run %s of %d repetitions, want %q in\n%s", name, test.repetitions, seed, text)
			}
		}
	}
}

// fio may write to a device only where a job does. To a file system it may always: the runner makes files there.
func TestIsOnlyRead(t *testing.T) {
	device, files := Volume{Mode: corev1.PersistentVolumeBlock}, Volume{Mode: corev1.PersistentVolumeFilesystem}
	for _, test := range []struct {
		volume Volume
		rw     string
		want   bool
	}{
		{device, "read", true}, {device, "randread", true}, {device, "write", false}, {device, "randrw", false}, {device, "trim", false},
		{files, "read", false}, {files, "write", false},
	} {
		if got := isOnlyRead(test.volume, fio.FromParameters("w", &v1alpha1.FioParameters{RW: test.rw})); got != test.want {
			t.Errorf("%s on %s: %t, want %t", test.rw, test.volume.Mode, got, test.want)
		}
	}
}

// planOf returns what is known of a benchmark, and the plan of one of its runs.
func planOf(t *testing.T, sb *v1alpha1.StorageBenchmark, run *v1alpha1.Run) (Spec, *plan.Run) {
	t.Helper()
	runs, problems := plan.Runs(&sb.Spec, plan.VolumesOf(sb.Status.Targets))
	planned, known := plan.Of(runs, run)
	if !known {
		t.Fatalf("run %s is not planned: %v", run.Name, problems)
	}
	return Spec{StorageBenchmark: sb, Plan: runs}, planned
}

// Runs ask EBS only about its own volumes, in a mode in which the driver has metrics of them, and only if the operator is told where.
func TestWhoAsksEBS(t *testing.T) {
	const url = "http://exporter/metrics"
	for _, test := range []struct {
		name, url, driver string
		mode              corev1.PersistentVolumeMode
		want              string
	}{
		{"a volume of EBS", url, storage.EBSDriver, corev1.PersistentVolumeFilesystem, url},
		{"no address", "", storage.EBSDriver, corev1.PersistentVolumeFilesystem, ""},
		{"another driver", url, storage.EFSDriver, corev1.PersistentVolumeFilesystem, ""},
		{"EKS Auto Mode", url, storage.EBSAutoModeDriver, corev1.PersistentVolumeFilesystem, ""},
		{"a raw block volume", url, storage.EBSDriver, corev1.PersistentVolumeBlock, ""},
	} {
		b := Spec{EBSMetricsURL: test.url}
		if got := b.ebsMetricsFor(&v1alpha1.TargetStatus{Name: "t", Driver: test.driver}, test.mode); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

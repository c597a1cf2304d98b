package result

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/analysis"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/test/builder"
)

// Clients that share a node have it once, but for what their containers are limited to.
func TestShareNodes(t *testing.T) {
	told := analysis.Client{CPUMillis: 9000, MemoryBytes: 3 << 30}
	limited := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("3")}
	for name, test := range map[string]struct {
		nodes  []string
		limits corev1.ResourceList
		want   analysis.Client
	}{
		"a node each":     {[]string{"a", "b", "c"}, nil, told},
		"one node":        {[]string{"a", "a", "a"}, nil, analysis.Client{CPUMillis: 3000, MemoryBytes: 1 << 30}},
		"a limit of CPU":  {[]string{"a", "a", "a"}, limited, analysis.Client{CPUMillis: 9000, MemoryBytes: 1 << 30}},
		"two of them one": {[]string{"a", "b", "a"}, nil, analysis.Client{CPUMillis: 6000, MemoryBytes: 2 << 30}},
	} {
		facts := Facts{ContainerLimits: test.limits}
		for _, node := range test.nodes {
			facts.Anchors = append(facts.Anchors, v1alpha1.Anchor{Node: node})
		}
		if got := facts.shareNodes(told, 3); got != test.want {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
	}
}

func TestAreNodesAlike(t *testing.T) {
	var facts Facts
	for _, kind := range []string{"m6i.large", "m6i.large", "c6i.large"} {
		facts.Anchors = append(facts.Anchors, v1alpha1.Anchor{InstanceType: kind})
	}
	for clients, want := range map[int32]bool{1: true, 2: true, 3: false} {
		if got := facts.areNodesAlike(clients); got != want {
			t.Errorf("nodes of %d clients are alike: %t", clients, got)
		}
	}
	if !(&Facts{}).areNodesAlike(1) {
		t.Error("a run without an anchor has unlike nodes")
	}
}

// iops are limits of so many I/Os per second.
func iops(n int64, scope v1alpha1.LimitScope) v1alpha1.KnownLimits {
	return v1alpha1.KnownLimits{Limits: v1alpha1.Limits{IOPS: &n, Scope: scope}}
}

// nodes are anchors on nodes, each with its instance type: node-a of type-a.
func nodes(names ...string) []v1alpha1.Anchor {
	var anchors []v1alpha1.Anchor
	for _, name := range names {
		node, kind, _ := strings.Cut(name, " ")
		anchors = append(anchors, v1alpha1.Anchor{Node: node, InstanceType: kind})
	}
	return anchors
}

// Limits hold for what they are of: a volume, which each client has or all share, and a node, which each has or several share.
func TestAnalyseLimits(t *testing.T) {
	shared := builder.NewTarget("t")
	shared.AccessMode = new(corev1.ReadWriteMany)
	bucket := v1alpha1.Target{Name: "t", S3: &v1alpha1.S3Bucket{Bucket: "my-bucket"}}
	threeNodes := nodes("a m6i", "b m6i", "c m6i")
	for _, test := range []struct {
		name    string
		target  v1alpha1.Target
		clients int
		limits  *v1alpha1.KnownLimits
		client  []v1alpha1.KnownLimits
		anchors []v1alpha1.Anchor
		want    string
		message string
	}{
		{name: "nothing is known", target: shared, clients: 1, want: v1alpha1.BoundUnknown, message: "no limits of the storage are known"},
		{name: "nothing is known of the client of a bucket", target: bucket, clients: 1, want: v1alpha1.BoundUnknown, message: "the type of the node's instance is unknown"},
		{name: "a volume", target: builder.NewTarget("t"), clients: 1, limits: new(iops(3000, "")), want: v1alpha1.BoundVolumeIOPS, message: "3048 of the volume's 3000 IOPS"},
		{
			name: "a volume for each client", target: builder.NewTarget("t"), clients: 3, limits: new(iops(3000, "")), anchors: threeNodes,
			want: v1alpha1.BoundVolumeIOPS, message: "9145 of the 3 volumes' 9000 IOPS",
		},
		{
			name: "a volume for all", target: shared, clients: 3, limits: new(iops(9000, "")), anchors: threeNodes,
			want: v1alpha1.BoundVolumeIOPS, message: "9145 of the volume's 9000 IOPS",
		},
		{
			name: "a node for each client", target: shared, clients: 3, client: []v1alpha1.KnownLimits{iops(3000, v1alpha1.ScopeInstance)}, anchors: threeNodes,
			want: v1alpha1.BoundInstanceIOPS, message: "9000 IOPS",
		},
		{
			name: "a node for all", target: shared, clients: 3, client: []v1alpha1.KnownLimits{iops(9000, v1alpha1.ScopeInstance)}, anchors: nodes("a m6i", "a m6i", "a m6i"),
			want: v1alpha1.BoundInstanceIOPS, message: "9000 IOPS",
		},
		{
			name: "nodes of several types", target: shared, clients: 3, client: []v1alpha1.KnownLimits{iops(3000, v1alpha1.ScopeInstance)}, anchors: nodes("a m6i", "b m6i", "c c6i"),
			want: v1alpha1.BoundUnknown, message: "no limits of the storage are known",
		},
		{
			name: "of several types, but not those of the run", target: shared, clients: 2, client: []v1alpha1.KnownLimits{iops(3000, v1alpha1.ScopeInstance)}, anchors: nodes("a m6i", "b m6i", "c c6i"),
			want: v1alpha1.BoundInstanceIOPS, message: "6000 IOPS",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			var reports []digest.Report
			for range test.clients {
				reports = append(reports, client(1, 0, 0))
			}
			findings := measured(t, reports...).Analyse(Facts{
				Planned: planned(t, test.target, builder.NewDirectWorkload("w"), int32(test.clients)), Mode: corev1.PersistentVolumeFilesystem,
				Target: &v1alpha1.TargetStatus{Name: "t", Limits: test.limits, ClientLimits: test.client}, Anchors: test.anchors,
			})
			if len(findings.LimitedBy) != 1 {
				t.Fatalf("findings are %+v", findings)
			}
			if got := findings.LimitedBy[0]; got.Reason != test.want || !strings.Contains(got.Message, test.message) {
				t.Errorf("limited by %s: %s", got.Reason, got.Message)
			}
			if findings.BurstCredits != nil {
				t.Errorf("credits are %+v", findings.BurstCredits)
			}
		})
	}
}

// Warnings come from the reports, from what was planned and from the mode of the volume.
func TestAnalyseWarnings(t *testing.T) {
	short := builder.Report()
	short.Groups[0].Of(v1alpha1.OperationRead).ShortIOs = 3
	sparse := builder.Report()
	sparse.Environment = digest.Environment{Files: 4, SparseFiles: 2}
	poor, worse := client(1, 0, 500), client(1, 0, 500)
	poor.Environment.StealPermille, poor.Environment.UsedPermille, poor.Environment.BusiestJobPermille = 80, 950, 600
	worse.Environment.StealPermille, worse.Environment.UsedPermille = 410, 930
	byProxy := v1alpha1.Target{Name: "t", EFS: &v1alpha1.EFSFileSystem{FileSystemID: "fs-0123456789abcdef0"}}
	busy, full := client(1, 0, 500), client(1, 0, 500)
	busy.Environment.Node = &digest.Node{BusyPermille: 960, OthersPermille: 900, WaitedPermille: 620}
	full.Environment.Node = &digest.Node{BusyPermille: 960, OthersPermille: 900}
	for _, test := range []struct {
		name    string
		target  v1alpha1.Target
		mode    corev1.PersistentVolumeMode
		reports []digest.Report
		reason  string
		message string // "": there is no such warning
	}{
		{"a new raw volume", builder.NewBlockTarget("t"), corev1.PersistentVolumeBlock, []digest.Report{builder.Report()}, v1alpha1.WarningSparseReads, "the raw volume is new"},
		{"a raw volume that existed", builder.NewClaimTarget("t", "mine"), corev1.PersistentVolumeBlock, []digest.Report{builder.Report()}, v1alpha1.WarningSparseReads, ""},
		{"a file system", builder.NewTarget("t"), corev1.PersistentVolumeFilesystem, []digest.Report{builder.Report()}, v1alpha1.WarningSparseReads, ""},
		{"sparse files", builder.NewTarget("t"), corev1.PersistentVolumeFilesystem, []digest.Report{sparse}, v1alpha1.WarningSparseReads, "2 of 4 files"},
		{"short I/Os", builder.NewTarget("t"), corev1.PersistentVolumeFilesystem, []digest.Report{short}, v1alpha1.WarningShortIOs, "3"},
		{"steal", builder.NewTarget("t"), corev1.PersistentVolumeFilesystem, []digest.Report{poor}, v1alpha1.WarningCPUSteal, "8 % of the node's CPU time"},
		{"the most steal of several clients", builder.NewTarget("t"), corev1.PersistentVolumeFilesystem, []digest.Report{poor, worse}, v1alpha1.WarningCPUSteal, "41 % of a node's CPU time"},
		{"the fullest of several volumes", builder.NewTarget("t"), corev1.PersistentVolumeFilesystem, []digest.Report{worse, poor}, v1alpha1.WarningNearlyFull, "was 95 % full"},
		{"the only job", builder.NewTarget("t"), corev1.PersistentVolumeFilesystem, []digest.Report{poor}, v1alpha1.WarningUnevenJobs, ""},
		{"a busy node", builder.NewTarget("t"), corev1.PersistentVolumeFilesystem, []digest.Report{busy}, v1alpha1.WarningNodeBusy, "waited for a CPU in 62 %"},
		{"the busiest node", builder.NewTarget("t"), corev1.PersistentVolumeFilesystem, []digest.Report{full, busy}, v1alpha1.WarningNodeBusy, "waited for a CPU in 62 %"},
		{"a busy node on which fio did not wait", builder.NewTarget("t"), corev1.PersistentVolumeFilesystem, []digest.Report{full}, v1alpha1.WarningNodeBusy, ""},
		{"one on which efs-proxy may have", byProxy, corev1.PersistentVolumeFilesystem, []digest.Report{full}, v1alpha1.WarningNodeBusy, "96 % busy, and what serves this storage"},
		{"clocks that agree", builder.NewTarget("t"), corev1.PersistentVolumeFilesystem, []digest.Report{client(1, 0, 500), client(1, 0, 1500)}, v1alpha1.WarningStartSkew, ""},
		{"clocks that differ", builder.NewTarget("t"), corev1.PersistentVolumeFilesystem, []digest.Report{client(1, 0, 500), client(1, 0, 1700)}, v1alpha1.WarningStartSkew, "up to 1.2s apart"},
	} {
		t.Run(test.name, func(t *testing.T) {
			findings := measured(t, test.reports...).Analyse(Facts{
				Planned: planned(t, test.target, builder.NewWorkload("w"), int32(len(test.reports))), Mode: test.mode, Target: &v1alpha1.TargetStatus{Name: "t"},
			})
			message := ""
			for _, warning := range findings.Warnings {
				if warning.Reason == test.reason {
					message = warning.Message
				}
			}
			if (message == "") != (test.message == "") || !strings.Contains(message, test.message) {
				t.Errorf("warning %s is %q", test.reason, message)
			}
		})
	}
}

// What the kernel counted is told of all clients together, unless some of one node share the storage. It is what limits are held against, where it is of
// one result alone.
func TestAnalyseCounters(t *testing.T) {
	one := builder.Report()
	one.Environment.Counters = &digest.Counters{Reads: 400, ReadBytes: 400 << 20, BusyMilliseconds: 5}
	two := builder.Report("first", "second")
	two.Environment.Counters = one.Environment.Counters
	nfs := builder.Report()
	nfs.Environment.Counters = &digest.Counters{NFS: true, Reads: 400, Retransmissions: 2}
	shared := builder.NewTarget("t")
	shared.AccessMode = new(corev1.ReadWriteMany)
	const file = "[global]\ndirect=1\nrw=randread\nsize=1M\n"
	alone := builder.NewJobFile("w", file+"[first]\n")
	on := func(nodes ...string) []v1alpha1.Anchor {
		var anchors []v1alpha1.Anchor
		for _, node := range nodes {
			anchors = append(anchors, v1alpha1.Anchor{Node: node})
		}
		return anchors
	}
	once := &v1alpha1.StorageCounters{Source: v1alpha1.CountersOfBlockDevice, Reads: 400, ReadBytes: 400 << 20, BusyMilliseconds: 5}
	twice := &v1alpha1.StorageCounters{Source: v1alpha1.CountersOfBlockDevice, Reads: 800, ReadBytes: 800 << 20, BusyMilliseconds: 10}
	for _, test := range []struct {
		name     string
		target   v1alpha1.Target
		workload v1alpha1.Workload
		anchors  []v1alpha1.Anchor
		reports  []digest.Report
		want     *v1alpha1.StorageCounters
		judged   bool
	}{
		{"one client", builder.NewTarget("t"), alone, nil, []digest.Report{one}, once, true},
		{"NFS", shared, alone, nil, []digest.Report{nfs}, &v1alpha1.StorageCounters{Source: v1alpha1.CountersOfNFS, Reads: 400, Retransmissions: 2}, true},
		{"not counted", builder.NewTarget("t"), alone, nil, []digest.Report{builder.Report()}, nil, false},
		{"clients with a volume each", builder.NewTarget("t"), alone, on("a", "a"), []digest.Report{one, one}, twice, true},
		{"clients that share the storage", shared, alone, on("a", "b"), []digest.Report{one, one}, twice, true},
		{"clients that share the storage on one node", shared, alone, on("a", "a"), []digest.Report{one, one}, nil, false},
		{"not counted of one client", shared, alone, on("a", "b"), []digest.Report{one, builder.Report()}, nil, false},
		{"with a ramp", builder.NewTarget("t"), builder.NewJobFile("w", file+"ramp_time=5\n[first]\n"), nil, []digest.Report{one}, once, false},
		{"several results", builder.NewTarget("t"), builder.NewJobFile("w", file+"[first]\n[second]\nstonewall\n"), nil, []digest.Report{two}, once, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			limits := iops(3000, "")
			limits.BytesPerSecond = new(int64(1 << 40))
			findings := measured(t, test.reports...).Analyse(Facts{
				Planned: planned(t, test.target, test.workload, int32(len(test.reports))), Mode: corev1.PersistentVolumeFilesystem, Anchors: test.anchors,
				Target: &v1alpha1.TargetStatus{Name: "t", Limits: &limits},
			})
			if diff := cmp.Diff(test.want, findings.Counters); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			// fio had 3,048 IOPS of each, which is the limit of one.
			if got := findings.LimitedBy[0]; (got.Reason != v1alpha1.BoundVolumeIOPS) != test.judged && len(test.reports) == 1 {
				t.Errorf("limited by %s: %s", got.Reason, got.Message)
			}
		})
	}
}

// Each section has its own verdict.
func TestAnalyseSections(t *testing.T) {
	report := builder.Report("first", "second")
	report.Groups[1].Of(v1alpha1.OperationRead).MilliIOPS = 1_500_000 // which is the rate that it has
	findings := measured(t, report).Analyse(Facts{
		Planned: planned(t, builder.NewTarget("t"), builder.NewJobFile("w", "[global]\ndirect=1\nrw=read\nsize=1M\n[first]\n[second]\nstonewall\nrate_iops=1500\n"), 1),
		Mode:    corev1.PersistentVolumeFilesystem, Target: &v1alpha1.TargetStatus{Name: "t", Limits: new(iops(3000, ""))},
	})
	var got []string
	for _, l := range findings.LimitedBy {
		got = append(got, l.Reason)
	}
	if diff := cmp.Diff([]string{v1alpha1.BoundVolumeIOPS, v1alpha1.BoundWorkloadRate}, got); diff != "" {
		t.Errorf("the sections are limited by (-want +got):\n%s", diff)
	}
}

// Sections that run together are judged together, by the job file's own words on what waits for what.
func TestAnalyseSectionsTogether(t *testing.T) {
	const text = "[global]\ndirect=1\nrw=randread\nsize=1M\niodepth=8\nioengine=libaio\n[first]\n[second]\n"
	limits := iops(6097, "")
	limits.BytesPerSecond = new(int64(1 << 40))
	for _, test := range []struct{ name, text, reason, message string }{
		{"together", text, v1alpha1.BoundVolumeIOPS, "6097 of the volume's 6097 IOPS together with section second (100 %)"},
		{"one after the other", text + "stonewall\n", v1alpha1.BoundUnknown, ""},
	} {
		findings := measured(t, []digest.Report{builder.Report("first", "second")}...).Analyse(Facts{
			Planned: planned(t, builder.NewTarget("t"), builder.NewJobFile("w", test.text), 1), Mode: corev1.PersistentVolumeFilesystem,
			Target: &v1alpha1.TargetStatus{Name: "t", Limits: &limits},
		})
		if got := findings.LimitedBy[0]; got.Reason != test.reason || test.message != "" && got.Message != test.message {
			t.Errorf("%s: limited by %s: %s", test.name, got.Reason, got.Message)
		}
	}
}

// Credits are those that all runs on the volume have left, the run itself among them.
func TestAnalyseCredits(t *testing.T) {
	noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	limits := iops(3000, "")
	limits.Burst = &v1alpha1.Burst{BaselineIOPS: new(int64(300)), IOCredits: new(int64(5_400_000))}
	m := measured(t, builder.Report())
	run := planned(t, builder.NewTarget("t"), builder.NewWorkload("w"), 1)
	// Ten minutes at 3,000 IOPS take 1,620,000 credits, 30 % of all.
	before := v1alpha1.Run{Name: "before", Target: "t", CompletionTime: new(metav1.NewTime(noon)), Result: &v1alpha1.Result{
		ElapsedMilliseconds: 600_000, Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationRead, Count: 1_800_000, Bytes: 1_800_000 * 4096}},
	}}
	this := v1alpha1.Run{Name: run.Name, Target: "t", CompletionTime: new(metav1.NewTime(noon.Add(70 * time.Second))), Result: m.Result}
	for name, test := range map[string]struct {
		runs []v1alpha1.Run
		want int32
	}{
		"after another run": {[]v1alpha1.Run{before, this}, 70},
		"the first run":     {[]v1alpha1.Run{this}, 100},
	} {
		findings := m.Analyse(Facts{Planned: run, Mode: corev1.PersistentVolumeFilesystem, Target: &v1alpha1.TargetStatus{Name: "t", Limits: &limits}, Runs: test.runs})
		if left := findings.BurstCredits; left == nil || left.LeftPercent != test.want {
			t.Errorf("%s: %+v is left, want %d %%", name, left, test.want)
		}
		left := fmt.Sprintf("%d %% of its credits are left", test.want)
		if !slices.ContainsFunc(findings.Warnings, func(w v1alpha1.Warning) bool {
			return w.Reason == v1alpha1.WarningBurstCredits && strings.Contains(w.Message, left)
		}) {
			t.Errorf("%s: no warning says %q: %+v", name, left, findings.Warnings)
		}
	}
}

// On magnetic disks credits depend on what the sections of a run asked for. A run that is not planned any more counts as sequential.
func TestAnalyseCreditsOfMagneticDisks(t *testing.T) {
	noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	limits := v1alpha1.KnownLimits{Counting: v1alpha1.CountsRandom, Limits: v1alpha1.Limits{BytesPerSecond: new(int64(100 << 20)), Burst: &v1alpha1.Burst{
		BaselineBytesPerSecond: new(int64(10 << 20)), ByteCredits: new(int64(90_000 << 20)),
	}}}
	const cached = "size=64M\nbs=4k\n"
	const direct = cached + "direct=1\n"
	// 100 a second of 4 KiB, for 100 s: random ones take a tenth of all credits.
	section := v1alpha1.SectionResult{Result: v1alpha1.Result{ElapsedMilliseconds: 100_000, Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationRead, Count: 10_000, Bytes: 10_000 * 4096}}}}
	for name, test := range map[string]struct {
		first, second, options string
		gone                   bool
		want                   int32
	}{
		"both are random":                              {"randread", "randread", direct, false, 80},
		"the first is random, then some come back":     {"randread", "read", direct, false, 91},
		"the second is random":                         {"read", "randread", direct, false, 90},
		"both are sequential":                          {"read", "read", direct, false, 100},
		"several follow each other":                    {"randread:8", "randread:8", direct, false, 100},
		"both are random, and go through a page cache": {"randread", "randread", cached, false, 100},
		"both were random":                             {"randread", "randread", direct, true, 100},
	} {
		text := fmt.Sprintf("[a]\nrw=%s\n%[3]s[b]\nstonewall\nrw=%[2]s\n%[3]s", test.first, test.second, test.options)
		run := planned(t, builder.NewTarget("t"), builder.NewJobFile("w", text), 1)
		facts := Facts{Planned: run, Target: &v1alpha1.TargetStatus{Name: "t", Limits: &limits}, Runs: []v1alpha1.Run{
			{Name: run.Name, Target: "t", CompletionTime: new(metav1.NewTime(noon)), Sections: []v1alpha1.SectionResult{section, section}},
		}}
		if !test.gone {
			facts.Plan = []plan.Run{*run}
		}
		if _, left := facts.known(1, 2); left == nil || left.LeftPercent != test.want {
			t.Errorf("%s: %+v is left, want %d %%", name, left, test.want)
		}
	}
}

// Loads are those of all clients together. A raw device has no files.
func TestLoads(t *testing.T) {
	const text = "[a]\nrw=read\nsize=16M\nioengine=libaio\niodepth=4\n[b]\nstonewall\nrw=write\ndirect=1\nsize=8M\nnrfiles=2\nfsync=1\nrate_iops=100\n"
	files := []analysis.Load{
		{InFlight: 12, Jobs: 3, Buffered: true, Reads: true, Sequential: true, FileBytes: 48 << 20, BufferedAsync: true},
		{InFlight: 3, Jobs: 3, Sequential: true, FileBytes: 24 << 20, RateIOPS: 300, InlineRate: true, OtherFilesSynced: true},
	}
	device := func(isNew bool) []analysis.Load {
		loads := []analysis.Load{files[0], files[1]}
		for i := range loads {
			loads[i].FileBytes, loads[i].NewDevice = 0, isNew
		}
		return loads
	}
	for _, test := range []struct {
		name   string
		target v1alpha1.Target
		mode   corev1.PersistentVolumeMode
		want   []analysis.Load
	}{
		{"files", builder.NewTarget("t"), corev1.PersistentVolumeFilesystem, files},
		{"a new device", builder.NewTarget("t"), corev1.PersistentVolumeBlock, device(true)},
		{"a device that existed", builder.NewClaimTarget("t", "mine"), corev1.PersistentVolumeBlock, device(false)},
	} {
		facts := Facts{Planned: planned(t, test.target, builder.NewJobFile("w", text), 3), Mode: test.mode}
		if diff := cmp.Diff(test.want, facts.loads()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// What runners saw is passed on; what they counted is added up, without an overflow whatever they report.
func TestNewClient(t *testing.T) {
	report := &digest.Report{
		Environment: digest.Environment{CPUMillis: 2000, MemoryBytes: 1 << 30, Periods: 100, ThrottledPeriods: 7, Files: 4, SparseFiles: 1,
			StealPermille: 80, UsedPermille: 950, UsedInodesPermille: 20, BusiestJobPermille: 600},
		Groups: []digest.Group{
			{Figures: []digest.Figures{{ShortIOs: 1, DroppedIOs: math.MaxInt64}, {ShortIOs: 2, DroppedIOs: math.MaxInt64}}},
			{Figures: []digest.Figures{{ShortIOs: 4, DroppedIOs: 1}}},
		},
	}
	want := analysis.Client{
		CPUMillis: 2000, MemoryBytes: 1 << 30, ThrottledPercent: new(int32(7)), Files: 4, SparseFiles: 1, ShortIOs: 7, DroppedIOs: math.MaxInt64,
		StealPermille: 80, UsedPermille: 950, UsedInodesPermille: 20, BusiestJobPermille: 600,
	}
	if diff := cmp.Diff(want, newClient(report)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestClockSpread(t *testing.T) {
	for want, margins := range map[time.Duration][]int64{
		0:                       {900},
		1200 * time.Millisecond: {900, 700, 1900},
		5 * time.Millisecond:    {5, 0},
	} {
		var reports []*digest.Report
		for _, margin := range margins {
			reports = append(reports, &digest.Report{Environment: digest.Environment{StartMarginMilliseconds: margin}})
		}
		if got := clockSpread(reports); got != want {
			t.Errorf("of %v it is %s, want %s", margins, got, want)
		}
	}
}

package analysis

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

const (
	mbps  = 1_000_000 / 8
	miBps = 1 << 20
)

// What AWS documents of the experiments' storage and instances.
var (
	gp2Of100GiB = taking(2000, 2000, v1alpha1.KnownLimits{Limits: v1alpha1.Limits{
		Scope: v1alpha1.ScopeVolume, IOPS: new(int64(3000)), BytesPerSecond: new(int64(128 * miBps)),
		Burst: &v1alpha1.Burst{BaselineIOPS: new(int64(300)), BaselineBytesPerSecond: new(int64(75 * miBps)), IOCredits: new(int64(5_400_000))},
	}})
	emptyEFS = taking(1000, 2700, v1alpha1.KnownLimits{Limits: v1alpha1.Limits{
		Scope: v1alpha1.ScopeFileSystem, ReadIOPS: new(int64(35_000)), WriteIOPS: new(int64(7000)),
		ReadBytesPerSecond: new(int64(300 * miBps)), WriteBytesPerSecond: new(int64(100 * miBps)),
		Burst: &v1alpha1.Burst{BaselineBytesPerSecond: new(int64(miBps)), ByteCredits: new(int64(2_308_974_418_330))},
	}})
	// cappedEFS stores 20 TiB in us-east-1, where reads end at 5 GiB/s: less than three times the writes.
	cappedEFS = &v1alpha1.KnownLimits{Counting: v1alpha1.CountsShared, Limits: v1alpha1.Limits{
		Scope: v1alpha1.ScopeFileSystem, ReadIOPS: new(int64(35_000)), WriteIOPS: new(int64(7000)),
		ReadBytesPerSecond: new(int64(5120 * miBps)), WriteBytesPerSecond: new(int64(2000 * miBps)),
		Burst: &v1alpha1.Burst{BaselineBytesPerSecond: new(int64(1000 * miBps)), ByteCredits: new(int64(42 << 40))},
	}}
	efsClient = v1alpha1.KnownLimits{Limits: v1alpha1.Limits{
		Scope: v1alpha1.ScopeClient, ReadBytesPerSecond: new(int64(500 * miBps)), WriteBytesPerSecond: new(int64(500 * miBps)),
	}}
	m6iLargeEBS = v1alpha1.KnownLimits{Limits: v1alpha1.Limits{
		Scope: v1alpha1.ScopeInstance, IOPS: new(int64(40_000)), BytesPerSecond: new(int64(10_000 * mbps)),
		Burst: &v1alpha1.Burst{BaselineIOPS: new(int64(3600)), BaselineBytesPerSecond: new(int64(650 * mbps))},
	}}
	m6iLargeNetwork = network(12_500*mbps, 781*mbps)
	m6i8xlarge      = network(12_500*mbps, 0)
)

func network(peak, baseline int64) v1alpha1.KnownLimits {
	limits := v1alpha1.KnownLimits{Limits: v1alpha1.Limits{
		Scope: v1alpha1.ScopeInstance, ReadBytesPerSecond: &peak, WriteBytesPerSecond: &peak,
	}}
	if baseline > 0 {
		limits.Burst = &v1alpha1.Burst{BaselineBytesPerSecond: &baseline}
	}
	return limits
}

// weighing is an instance with 8,192,000 bytes a second, and so many where its bandwidth is weighted for the other side.
func weighing(lowered int64) v1alpha1.KnownLimits {
	return v1alpha1.KnownLimits{LoweredBytesPerSecond: &lowered, Limits: v1alpha1.Limits{Scope: v1alpha1.ScopeInstance, BytesPerSecond: new(int64(8_192_000))}}
}

func clients(limits ...v1alpha1.KnownLimits) []v1alpha1.KnownLimits { return limits }

// TestExperiments has published rows with the limits of storage and instance.
func TestExperiments(t *testing.T) {
	read, write := func(io *v1alpha1.Figures) *v1alpha1.Result {
		return &v1alpha1.Result{Figures: v1alpha1.ListOf(io.As(v1alpha1.OperationRead))}
	}, func(io *v1alpha1.Figures) *v1alpha1.Result {
		return &v1alpha1.Result{Figures: v1alpha1.ListOf(io.As(v1alpha1.OperationWrite))}
	}
	onEFS := Known{Storage: emptyEFS, Client: clients(efsClient, m6iLargeNetwork)}
	onEBS := Known{Storage: gp3, Client: clients(m6iLargeEBS)}
	onS3 := Known{Unlimited: true, Client: clients(m6i8xlarge)}
	for _, test := range []struct {
		name   string
		result *v1alpha1.Result
		known  Known
		load   Load
		want   v1alpha1.LimitedBy
	}{
		{"E1 gp3 16k", write(blocks(3048, 16<<10, 5_247_200)), onEBS, psync16, limitedBy(v1alpha1.BoundVolumeIOPS, 3000, 102, "3048 of the volume's 3000 IOPS (102 %)")},
		{"E1 gp3 64k", write(blocks(1987, 64<<10, 8_050_720)), onEBS, psync16, limitedBy(v1alpha1.BoundVolumeThroughput, 131_072_000, 99, "124 of the volume's 125 MiB/s (99 %)")},
		{"E1 EFS 16k", write(blocks(1560, 16<<10, 10_251_870)), onEFS, psync16, limitedBy(v1alpha1.BoundLatency, 16, 100,
			"16 of 16 I/Os were in flight all the time, each for 10.3ms on average, and the nearest limit has room (24.4 of the file system's 100 MiB/s of writes, 24 %): try more jobs or a higher iodepth")},
		{"E1 EFS 64k", write(blocks(1614, 64<<10, 9_905_890)), onEFS, psync16, limitedBy(v1alpha1.BoundFileSystemThroughput, 104_857_600, 101, "101 of the file system's 100 MiB/s of writes (101 %)")},
		{"E3 gp2", read(blocks(3064, 16<<10, 1)), Known{Storage: gp2Of100GiB}, Load{}, limitedBy(v1alpha1.BoundVolumeIOPS, 3000, 102, "3064 of the volume's 3000 IOPS (102 %)")},
		{"E5 3g, 16 jobs", read(blocks(178, 8<<20, 1)), onS3, Load{}, limitedBy(v1alpha1.BoundInstanceThroughput, 1_562_500_000, 96, "1424 of the instance's 1490 MiB/s of reads (96 %)")},
		{"E5 3g, 1 job", read(blocks(124, 8<<20, 8_064_516)), onS3, Load{InFlight: 1}, limitedBy(v1alpha1.BoundLatency, 1, 100,
			"1 of 1 I/Os were in flight all the time, each for 8.06ms on average, and the nearest limit has room (992 of the instance's 1490 MiB/s of reads, 67 %): try more jobs or a higher iodepth")},
		{"E5 3g, 1 job that was to keep 128", read(blocks(124, 8<<20, 8_064_516)), onS3, Load{InFlight: 128}, v1alpha1.LimitedBy{
			Reason: v1alpha1.BoundUnknown, Message: "no known limit is reached, but only 1 of the 128 I/Os that the workload asks for were in flight, each for 8.06ms on average",
		}},
	} {
		if diff := cmp.Diff(test.want, Bound(test.result, test.known, test.load, Client{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
	// 1423 MiB/s, the published figure, is no whole number of blocks.
	got := Bound(read(&v1alpha1.Figures{MilliIOPS: 178_000, BytesPerSecond: 1423 * miBps}), onS3, Load{}, Client{})
	if diff := cmp.Diff(limitedBy(v1alpha1.BoundInstanceThroughput, 1_562_500_000, 95, "1423 of the instance's 1490 MiB/s of reads (95 %)"), got); diff != "" {
		t.Errorf("E5 (-want +got):\n%s", diff)
	}
}

// TestBoundByClient has results at 4096 bytes per I/O.
func TestBoundByClient(t *testing.T) {
	limits := func(scope v1alpha1.LimitScope, iops, bytes int64) v1alpha1.KnownLimits {
		return v1alpha1.KnownLimits{Limits: v1alpha1.Limits{Scope: scope, IOPS: &iops, BytesPerSecond: &bytes}}
	}
	large := *taking(2000, 2000, limits(v1alpha1.ScopeVolume, 1_000_000, 1<<40))
	s3 := taking(40_000, 40_000, v1alpha1.KnownLimits{})
	const typeUnknown = "Unknown the type of the node's instance is unknown: set spec.targets[].clientLimits"
	for _, test := range []struct {
		name  string
		known Known
		want  string
	}{
		{"IOPS of the instance", Known{Storage: &large, Client: clients(limits(v1alpha1.ScopeInstance, 1000, 1<<40))}, "InstanceIOPS 1000 of the instance's 1000 IOPS (100 %)"},
		{"throughput of the instance", Known{Storage: &large, Client: clients(limits(v1alpha1.ScopeInstance, 2000, 4_096_000))}, "InstanceThroughput 3.91 of the instance's 3.91 MiB/s (100 %)"},
		{"IOPS of the client", Known{Storage: &large, Client: clients(limits(v1alpha1.ScopeClient, 1000, 1<<40))}, "ClientIOPS 1000 of the client's 1000 IOPS (100 %)"},
		{"throughput of the client", Known{Storage: &large, Client: clients(limits(v1alpha1.ScopeClient, 2000, 4_096_000))}, "ClientThroughput 3.91 of the client's 3.91 MiB/s (100 %)"},
		{"never the volume's", Known{Storage: &large, Client: clients(limits("", 1000, 1<<40))}, "ClientIOPS 1000 of the client's 1000 IOPS (100 %)"},
		{"nearest of two", Known{Storage: &large, Client: clients(limits(v1alpha1.ScopeClient, 1000, 1<<40), limits(v1alpha1.ScopeInstance, 990, 1<<40))}, "InstanceIOPS 1000 of the instance's 990 IOPS (101 %)"},
		{"storage if alike", Known{Storage: &v1alpha1.KnownLimits{Limits: v1alpha1.Limits{IOPS: new(int64(1000))}}, Client: clients(limits(v1alpha1.ScopeInstance, 1000, 4_096_000))}, "VolumeIOPS 1000 of the volume's 1000 IOPS (100 %)"},
		{"near what another weighting leaves", Known{Storage: &large, Client: clients(weighing(4_096_000))},
			"Unknown 3.91 of the instance's 3.91 MiB/s (100 %), if the instance's bandwidth weighting gives the rest to the other side: see NetworkPerformanceOptions of aws ec2 describe-instances, and set spec.targets[].clientLimits"},
		{"more than another weighting leaves", Known{Storage: &large, Client: clients(weighing(3_800_000))},
			"Latency 8 of 8 I/Os were in flight all the time, each for 8ms on average, and the nearest limit has room (3.91 of the instance's 7.81 MiB/s, 50 %): try more jobs or a higher iodepth"},
		{"nearest has room", Known{Storage: &large, Client: clients(limits(v1alpha1.ScopeInstance, 2000, 1<<40))},
			"Latency 8 of 8 I/Os were in flight all the time, each for 8ms on average, and the nearest limit has room (1000 of the instance's 2000 IOPS, 50 %): try more jobs or a higher iodepth"},
		{"limits of the storage count", Known{Client: clients(limits(v1alpha1.ScopeInstance, 2000, 1<<40))}, "Unknown no limits of the storage are known: set spec.targets[].limits"},
		{"object store", Known{Unlimited: true, Storage: s3, Client: clients(m6i8xlarge)},
			"Latency 8 of 8 I/Os were in flight all the time, each for 8ms on average, and the nearest limit has room (3.91 of the instance's 1490 MiB/s of reads, 0 %): try more jobs or a higher iodepth"},
		{"object store from an unknown instance", Known{Unlimited: true}, typeUnknown},
		{"object store with a limit, from an unknown instance", Known{Unlimited: true, Storage: &v1alpha1.KnownLimits{Limits: v1alpha1.Limits{IOPS: new(int64(5000))}}}, typeUnknown},
		{"object store with all limits", Known{Unlimited: true, Storage: taking(40_000, 40_000, limits(v1alpha1.ScopeFileSystem, 5000, 1<<40))},
			"Latency 8 of 8 I/Os were in flight all the time, each for 8ms on average, and the nearest limit of the storage has room (1000 of the file system's 5000 IOPS, 20 %; those of the node are unknown): try more jobs or a higher iodepth"},
		{"object store and no throughput", Known{Unlimited: true, Client: clients(v1alpha1.KnownLimits{Limits: v1alpha1.Limits{IOPS: new(int64(5000))}})},
			"Unknown no known limit is reached, but not all are known: set bytesPerSecond in spec.targets[].clientLimits"},
		{"at the instance's baseline", Known{Storage: &large, Client: clients(network(1<<40, 4_096_000))},
			"Unknown 3.91 of the instance's 3.91 MiB/s of reads that remain without burst credits (100 %): this held the result back if no burst credits were left, something else if some were; it is unknown which"},
		{"above the instance's baseline", Known{Storage: &large, Client: clients(network(8_192_000, 2_048_000))},
			"Latency 8 of 8 I/Os were in flight all the time, each for 8ms on average, and the nearest limit has room (3.91 of the instance's 7.81 MiB/s of reads, 50 %): try more jobs or a higher iodepth"},
	} {
		got := Bound(&v1alpha1.Result{Figures: v1alpha1.ListOf(blocks(1000, 4096, 8_000_000).As(v1alpha1.OperationRead))}, test.known, Load{InFlight: 8}, Client{})
		if text := got.Reason + " " + got.Message; text != test.want {
			t.Errorf("%s: %q,\nwant %q", test.name, text, test.want)
		}
	}
	got := Bound(&v1alpha1.Result{Figures: v1alpha1.ListOf(blocks(1000, 4096, 8_000_000).As(v1alpha1.OperationTrim))}, Known{Unlimited: true, Client: clients(m6i8xlarge)}, Load{InFlight: 8}, Client{})
	if got.Reason != v1alpha1.BoundUnknown {
		t.Errorf("trims of an object store: %+v", got)
	}
}

// TestCounting: what a limit of I/Os says of sequential ones, and what a figure says that is no limit.
func TestCounting(t *testing.T) {
	volume := func(counting v1alpha1.IOCounting, precision v1alpha1.LimitPrecision) Known {
		return Known{Storage: taking(2000, 2000, v1alpha1.KnownLimits{Counting: counting, Precision: precision, Limits: v1alpha1.Limits{IOPS: new(int64(3000)), BytesPerSecond: new(int64(500 << 20))}})}
	}
	fs := *emptyEFS
	fs.Counting = v1alpha1.CountsShared
	lowered := Known{Storage: taking(2000, 2000, v1alpha1.KnownLimits{
		Limits: v1alpha1.Limits{IOPS: new(int64(80_000)), BytesPerSecond: new(int64(2000 << 20))}, Counting: v1alpha1.CountsMerged, LoweredIOPS: new(int64(16_000)),
	})}
	oneZone := []v1alpha1.KnownLimits{{Precision: v1alpha1.PrecisionAtLeast, Limits: v1alpha1.Limits{Scope: v1alpha1.ScopeClient, BytesPerSecond: new(int64(500 << 20))}}}
	elastic := taking(2000, 2700, v1alpha1.KnownLimits{Limits: v1alpha1.Limits{
		Scope: v1alpha1.ScopeFileSystem, ReadIOPS: new(int64(35_000)), WriteIOPS: new(int64(7000)), ReadBytesPerSecond: new(int64(3 << 30)), WriteBytesPerSecond: new(int64(1 << 30)),
	}})
	st1 := Known{Storage: &v1alpha1.KnownLimits{Counting: v1alpha1.CountsRandom, Limits: v1alpha1.Limits{
		Scope: v1alpha1.ScopeVolume, BytesPerSecond: new(int64(500 << 20)), Burst: &v1alpha1.Burst{BaselineBytesPerSecond: new(int64(40 << 20))},
	}}}
	sequential := Load{InFlight: 16, Sequential: true}
	random := Load{InFlight: 16}
	read := func(iops, bytes int64) v1alpha1.Result {
		return v1alpha1.Result{Figures: v1alpha1.ListOf(blocks(iops, bytes, 16*1_000_000_000/iops).As(v1alpha1.OperationRead))}
	}
	both := func(reads, writes int64) v1alpha1.Result {
		return v1alpha1.Result{Figures: v1alpha1.ListOf(blocks(reads, 512, 1).As(v1alpha1.OperationRead), blocks(writes, 512, 1).As(v1alpha1.OperationWrite))}
	}
	const room = "16 of 16 I/Os were in flight all the time, each for "
	for _, test := range []struct {
		name   string
		known  Known
		result v1alpha1.Result
		load   Load
		want   string
	}{
		{"random I/Os", volume(v1alpha1.CountsMerged, ""), read(3000, 64<<10), random, "VolumeIOPS 3000 of the volume's 3000 IOPS (100 %)"},
		{"sequential ones that may be merged", volume(v1alpha1.CountsMerged, ""), read(3000, 64<<10), sequential,
			"Unknown 3000 of the volume's 3000 IOPS (100 %): EBS may count several sequential I/Os of 32 KiB and more as one, so it is unknown whether this held the result back"},
		{"some that were", volume(v1alpha1.CountsMerged, ""), read(6000, 64<<10), sequential,
			"Latency " + room + "2.67ms on average, and the nearest limit of the storage has room (375 of the volume's 500 MiB/s, 75 %; those of the node are unknown): try more jobs or a higher iodepth"},
		{"merged, at the limit of bytes", volume(v1alpha1.CountsMerged, ""), read(8000, 64<<10), sequential, "VolumeThroughput 500 of the volume's 500 MiB/s (100 %)"},
		{"too small to be merged (E2)", volume(v1alpha1.CountsMerged, ""), read(3000, 16<<10), sequential, "VolumeIOPS 3000 of the volume's 3000 IOPS (100 %)"},
		{"random on a magnetic disk", volume(v1alpha1.CountsRandom, ""), read(3000, 16<<10), random, "VolumeIOPS 3000 of the volume's 3000 IOPS (100 %)"},
		{"sequential on a magnetic disk", volume(v1alpha1.CountsRandom, ""), read(3200, 64<<10), sequential,
			"Latency " + room + "5ms on average, and the nearest limit of the storage has room (200 of the volume's 500 MiB/s, 40 %; those of the node are unknown): try more jobs or a higher iodepth"},
		{"sequential on a magnetic disk, and too small to be merged", volume(v1alpha1.CountsRandom, ""), read(3000, 16<<10), sequential,
			"VolumeIOPS 3000 of the volume's 3000 IOPS (100 %)"},
		{"random on st1, whose limit is of bytes", st1, read(488, 16<<10), random, "VolumeThroughput 488 of the volume's 500 MiB/s as EBS counts random I/Os (98 %)"},
		{"small and sequential on st1", st1, read(488, 16<<10), sequential, "VolumeThroughput 488 of the volume's 500 MiB/s as EBS counts small I/Os (98 %)"},
		{"sequential on st1", st1, read(488, 64<<10), sequential,
			"Unknown no known limit is reached, and " + room + "32.8ms on average, as fio keeps them whatever they wait for; how long this storage takes by itself " +
				"is unknown, so that they may have waited for each other: set probe: LastRepetition, or measure a matrix of numjobs"},
		{"random on st1 without credits", st1, read(40, 16<<10), random, "VolumeThroughput 40 of the volume's 40 MiB/s as EBS counts random I/Os that remain without burst credits (100 %)"},
		{"within a range", volume("", v1alpha1.PrecisionRange), read(1000, 4096), random,
			"Unknown the documentation gives a range of what the storage can do, and no limits: set spec.targets[].limits"},
		{"at the end of a range", volume("", v1alpha1.PrecisionRange), read(3000, 4096), random,
			"Unknown 3000 of the volume's 3000 IOPS (100 %): this is the end of a documented range and no limit, so it is unknown whether it held the result back; set spec.targets[].limits"},
		{"beyond a range", volume("", v1alpha1.PrecisionRange), read(30_000, 4096), random,
			"Unknown 30000 of the volume's 3000 IOPS (1000 %) are more than it can do: a cache answered, or the limit is higher than is known"},
		{"as much as it does at least", volume("", v1alpha1.PrecisionAtLeast), read(3000, 4096), random,
			"Unknown 3000 of the volume's 3000 IOPS (100 %): it gives at least that and may give more, so it is unknown whether this held the result back"},
		{"as much as a client has at least", Known{Storage: elastic, Client: oneZone}, read(480, 1<<20), random,
			"Unknown 480 of the client's 500 MiB/s (96 %): it gives at least that and may give more, so it is unknown whether this held the result back"},
		{"more than a client has at least", Known{Storage: elastic, Client: oneZone}, read(700, 1<<20), random,
			"Latency " + room + "22.9ms on average, and the nearest limit has room (700 of the file system's 3072 MiB/s of reads, 23 %): try more jobs or a higher iodepth"},
		{"near what a driver may have left", lowered, read(16_100, 4096), random,
			"Unknown 16100 of the volume's 16000 IOPS (101 %), if the driver lowered the volume to that; it does so if EC2 does not let it look up the region's maximum: see Iops of aws ec2 describe-volumes"},
		{"more than a driver would have left", lowered, read(17_000, 4096), random,
			"Latency " + room + "941us on average, and the nearest limit of the storage has room (17000 of the volume's 80000 IOPS, 21 %; those of the node are unknown): try more jobs or a higher iodepth"},
		{"less than a driver would have left", lowered, read(8000, 4096), random,
			"Latency " + room + "2ms on average, and the nearest limit of the storage has room (8000 of the volume's 80000 IOPS, 10 %; those of the node are unknown): try more jobs or a higher iodepth"},
		{"not lowered, at the limit", lowered, read(79_000, 4096), random, "VolumeIOPS 79000 of the volume's 80000 IOPS (99 %)"},
		{"two volumes near what a driver may have left", Known{Storage: lowered.Storage, Volumes: 2}, read(32_000, 4096), random,
			"Unknown 32000 of the 2 volumes' 32000 IOPS (100 %), if the driver lowered the volume to that; it does so if EC2 does not let it look up the region's maximum: see Iops of aws ec2 describe-volumes"},
		{"reads and writes that share", Known{Storage: &fs}, both(17_500, 3500), random,
			"FileSystemIOPS 35000 of the file system's 35000 IOPS, where a write counts as 5 reads (100 %)"},
		{"writes alone", Known{Storage: &fs}, v1alpha1.Result{Figures: v1alpha1.ListOf(blocks(7000, 512, 1).As(v1alpha1.OperationWrite))}, random, "FileSystemIOPS 7000 of the file system's 7000 IOPS of writes (100 %)"},
	} {
		got := Bound(&test.result, test.known, test.load, Client{})
		if text := got.Reason + " " + got.Message; text != test.want {
			t.Errorf("%s: %q,\nwant %q", test.name, text, test.want)
		}
	}
}

// TestPageCacheBesideClients: what the page cache answers went neither to the storage nor through the client.
func TestPageCacheBesideClients(t *testing.T) {
	known := Known{Storage: gp3, Client: clients(m6iLargeEBS)}
	load := Load{Buffered: true, FileBytes: 1 << 30}
	r := v1alpha1.Result{ElapsedMilliseconds: 60_000, Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationRead, Count: 1 << 30, MilliIOPS: 500_000_000, BytesPerSecond: 8 << 30, Latency: &v1alpha1.Latency{}, CompletionLatency: &v1alpha1.LatencyDistribution{}}}}
	got := Bound(&r, known, load, Client{MemoryBytes: 1 << 31})
	want := v1alpha1.LimitedBy{Reason: v1alpha1.BoundUnknown, Message: "500000 of the volume's 3000 IOPS are more than it can do: the page cache answered"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("bound (-want +got):\n%s", diff)
	}
	for _, w := range Warnings([]v1alpha1.Result{r}, []Known{known}, []Load{load}, Client{MemoryBytes: 1 << 31}) {
		if w.Reason == v1alpha1.WarningBurstCredits {
			t.Errorf("warning: %s", w.Message)
		}
	}
}

// TestGarbage has figures that nobody can measure: nothing panics, and what comes out fits the API.
func TestGarbage(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		g := garbage{random}
		limits := g.limits()
		runs := []v1alpha1.Run{g.run(), g.run(), g.run()}
		history := FollowCredits("t", limits, runs, Volumes{New: g.IntN(2) == 0, PerClient: g.IntN(2) == 0}, nil)
		if left := history.Left(); left != nil && (left.LeftPercent < 0 || left.LeftPercent > 100 || left.SecondsToBaseline < 0) {
			t.Fatalf("left %+v of %+v", left, limits)
		}
		result := *runs[0].Result
		known := Known{Storage: limits, Client: clients(*g.limits(), *g.limits()), Unlimited: g.IntN(2) == 0, Volumes: g.clients(), Nodes: g.clients()}.With(history.Of("r", 0))
		known = known.Beside(CompanyOf([]Section{
			{Result: &result, After: time.Duration(g.figure())}, {Name: "b", Result: runs[1].Result, Load: Load{Jobs: g.figure(), FileBytes: g.figure(), Buffered: g.IntN(2) == 0}},
		}, 0))
		load := Load{InFlight: g.figure(), Jobs: g.figure(), RateIOPS: g.figure(), FileBytes: g.figure(), Buffered: g.IntN(2) == 0}.Times(g.figure())
		client := Client{CPUMillis: g.figure(), MemoryBytes: g.figure(), ClockSpread: time.Duration(g.figure()), StealPermille: g.figure(), BusiestJobPermille: g.figure()}
		bound := Bound(&result, known, load, client)
		if bound.Message == "" || len(bound.Message) > 512 || bound.UsedPercent != nil && *bound.UsedPercent < 0 {
			t.Fatalf("bound %+v of %d bytes", bound, len(bound.Message))
		}
		warnings := Warnings([]v1alpha1.Result{result}, []Known{known}, []Load{load}, client)
		if WarningBytes(warnings) > WarningRoom([]v1alpha1.Result{result}) {
			t.Fatalf("%d bytes of warnings", WarningBytes(warnings))
		}
		for _, w := range warnings {
			if len(w.Message) > 256 {
				t.Fatalf("%d bytes: %s", len(w.Message), w.Message)
			}
		}
	}
}

type garbage struct{ *rand.Rand }

func (g garbage) figure() int64 {
	return []int64{0, 1, -1, 300, 1000, 3000, 1 << 20, 1 << 62, 1<<63 - 1, -1 << 63, g.Int64() >> g.IntN(63)}[g.IntN(11)]
}

// clients returns a number that the API lets be one of clients, or 0 for what is unknown.
func (g garbage) clients() int64 { return g.Int64N(v1alpha1.MaxClients + 1) }

func (g garbage) optional() *int64 {
	if g.IntN(2) == 0 {
		return nil
	}
	return new(g.figure())
}

func (g garbage) limits() *v1alpha1.KnownLimits {
	l := &v1alpha1.KnownLimits{Limits: v1alpha1.Limits{
		Scope: []v1alpha1.LimitScope{"", "x", v1alpha1.ScopeVolume, v1alpha1.ScopeFileSystem, v1alpha1.ScopeInstance}[g.IntN(5)],
		IOPS:  g.optional(), ReadIOPS: g.optional(), WriteIOPS: g.optional(),
		BytesPerSecond: g.optional(), ReadBytesPerSecond: g.optional(), WriteBytesPerSecond: g.optional(),
	}}
	if g.IntN(4) > 0 {
		l.Burst = &v1alpha1.Burst{BaselineIOPS: g.optional(), BaselineBytesPerSecond: g.optional(), IOCredits: g.optional(), ByteCredits: g.optional()}
	}
	switch g.IntN(8) {
	case 0:
		l.Limits = *emptyEFS.Limits.DeepCopy()
	case 1:
		l = cappedEFS.DeepCopy()
	}
	return l
}

func (g garbage) io() *v1alpha1.Figures {
	if g.IntN(4) == 0 {
		return nil
	}
	return &v1alpha1.Figures{Count: g.figure(), Bytes: g.figure(), MilliIOPS: g.figure(), BytesPerSecond: g.figure(), Latency: &v1alpha1.Latency{MeanNanoseconds: g.figure()}}
}

func (g garbage) time() *metav1.Time {
	if g.IntN(4) == 0 {
		return nil
	}
	return &metav1.Time{Time: time.Unix(g.figure()>>g.IntN(60), 0)}
}

func (g garbage) run() v1alpha1.Run {
	return v1alpha1.Run{Name: "r", Target: "t", Clients: int32(g.figure()), StartTime: g.time(), CompletionTime: g.time(), Result: &v1alpha1.Result{
		Clients: int32(g.figure()), StartSkewMilliseconds: g.optional(), CommonMilliseconds: g.figure(), ElapsedMilliseconds: g.figure(), Figures: v1alpha1.ListOf(g.io().As(v1alpha1.OperationRead), g.io().As(v1alpha1.OperationWrite), g.io().As(v1alpha1.OperationTrim)),
		CPU: &v1alpha1.CPUResult{UserPercent: int32(g.figure()), SystemPercent: int32(g.figure())},
	}}
}

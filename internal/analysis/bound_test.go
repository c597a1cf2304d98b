package analysis

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// The limits of E1's targets.
var (
	gp3 = taking(2000, 2000, v1alpha1.KnownLimits{Limits: v1alpha1.Limits{
		Scope: v1alpha1.ScopeVolume, IOPS: new(int64(3000)), BytesPerSecond: new(int64(125 << 20)),
	}})
	efs = taking(1000, 2700, v1alpha1.KnownLimits{Limits: v1alpha1.Limits{
		Scope: v1alpha1.ScopeFileSystem, ReadIOPS: new(int64(35_000)), WriteIOPS: new(int64(7000)), BytesPerSecond: new(int64(100 << 20)),
	}})
	// psync16 are E1's 16 synchronous jobs.
	psync16 = Load{InFlight: 16, Jobs: 16}
)

// taking is storage of which an I/O is known to take so many microseconds by itself.
func taking(read, write int64, limits v1alpha1.KnownLimits) *v1alpha1.KnownLimits {
	limits.TypicalReadMicroseconds, limits.TypicalWriteMicroseconds = &read, &write
	return &limits
}

// blocks is I/O of so many bytes each.
func blocks(iops, bytes, meanNanoseconds int64) *v1alpha1.Figures {
	io := &v1alpha1.Figures{MilliIOPS: 1000 * iops, BytesPerSecond: iops * bytes}
	if meanNanoseconds > 0 {
		io.Latency = &v1alpha1.Latency{MeanNanoseconds: meanNanoseconds}
	}
	return io
}

// limitedBy returns a bound with its limit, in the unit of the reason; rates of the workload have that of the message.
func limitedBy(reason string, limit int64, usedPercent int32, message string) v1alpha1.LimitedBy {
	bound := v1alpha1.LimitedBy{Reason: reason, UsedPercent: &usedPercent, Message: message}
	switch {
	case reason == v1alpha1.BoundClientCPU:
		bound.LimitCPUPercent = &limit
	case reason == v1alpha1.BoundLatency:
		bound.LimitInFlight = &limit
	case strings.HasSuffix(reason, "IOPS"), reason == v1alpha1.BoundWorkloadRate && strings.Contains(message, "IOPS"):
		bound.LimitIOPS = &limit
	default:
		bound.LimitBytesPerSecond = &limit
	}
	return bound
}

// limitsOf returns the limits that a bound has, of which there is to be one at most.
func limitsOf(b v1alpha1.LimitedBy) []int64 {
	var limits []int64
	for _, limit := range []*int64{b.LimitIOPS, b.LimitBytesPerSecond, b.LimitCPUPercent, b.LimitInFlight} {
		if limit != nil {
			limits = append(limits, *limit)
		}
	}
	return limits
}

// TestE1 has the published rows and the author's conclusions.
func TestE1(t *testing.T) {
	for _, test := range []struct {
		name   string
		write  *v1alpha1.Figures
		limits *v1alpha1.KnownLimits
		want   v1alpha1.LimitedBy
	}{
		{"gp3 16k", blocks(3048, 16<<10, 5_247_200), gp3, limitedBy(v1alpha1.BoundVolumeIOPS, 3000, 102, "3048 of the volume's 3000 IOPS (102 %)")},
		{"gp3 64k", blocks(1987, 64<<10, 8_050_720), gp3, limitedBy(v1alpha1.BoundVolumeThroughput, 131_072_000, 99, "124 of the volume's 125 MiB/s (99 %)")},
		{"efs 16k", blocks(1560, 16<<10, 10_251_870), efs, limitedBy(v1alpha1.BoundLatency, 16, 100,
			"16 of 16 I/Os were in flight all the time, each for 10.3ms on average, and the nearest limit of the storage has room (24.4 of the file system's 100 MiB/s, 24 %; those of the node are unknown): try more jobs or a higher iodepth")},
		{"efs 64k", blocks(1614, 64<<10, 9_905_890), efs, limitedBy(v1alpha1.BoundFileSystemThroughput, 104_857_600, 101, "101 of the file system's 100 MiB/s (101 %)")},
	} {
		got := Bound(&v1alpha1.Result{Figures: v1alpha1.ListOf(test.write.As(v1alpha1.OperationWrite)), CPU: &v1alpha1.CPUResult{UserPercent: 1, SystemPercent: 2}}, Known{Storage: test.limits}, psync16, Client{CPUMillis: 2000})
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestBoundByLimits(t *testing.T) {
	limits := func(l v1alpha1.Limits) *v1alpha1.KnownLimits { return &v1alpha1.KnownLimits{Limits: l} }
	n := func(i int64) *int64 { return &i }
	write := func(iops int64) *v1alpha1.Result {
		return &v1alpha1.Result{Figures: v1alpha1.ListOf(blocks(iops, 4096, 0).As(v1alpha1.OperationWrite))}
	}
	mixed := &v1alpha1.Result{Figures: v1alpha1.ListOf(blocks(2000, 4096, 0).As(v1alpha1.OperationRead), blocks(1000, 8192, 0).As(v1alpha1.OperationWrite), blocks(500, 1<<20, 0).As(v1alpha1.OperationTrim))}
	for _, test := range []struct {
		name   string
		result *v1alpha1.Result
		limits v1alpha1.Limits
		want   string // the name, and the message where a limit is reached
	}{
		{"just not", write(894), v1alpha1.Limits{IOPS: n(1000)}, "Unknown"},
		{"just", write(895), v1alpha1.Limits{IOPS: n(1000)}, "VolumeIOPS 895 of the volume's 1000 IOPS (90 %)"},
		{"a little more", write(1204), v1alpha1.Limits{IOPS: n(1000)}, "VolumeIOPS 1204 of the volume's 1000 IOPS (120 %)"},
		{"far more", write(1206), v1alpha1.Limits{IOPS: n(1000)}, "Unknown"},
		{"far more, and another limit", write(10_070), v1alpha1.Limits{IOPS: n(1000), BytesPerSecond: n(41_246_720)}, "Unknown"},
		{"a little more than a fifth, and another limit", write(1206), v1alpha1.Limits{IOPS: n(1000), BytesPerSecond: n(4_939_776)}, "Unknown"},
		{"a fifth more, and another limit", write(1204), v1alpha1.Limits{IOPS: n(1000), BytesPerSecond: n(4_931_584)}, "VolumeIOPS 1204 of the volume's 1000 IOPS (120 %)"},
		{"file system", write(1000), v1alpha1.Limits{Scope: v1alpha1.ScopeFileSystem, IOPS: n(1000)}, "FileSystemIOPS 1000 of the file system's 1000 IOPS (100 %)"},
		{"trims are I/Os", mixed, v1alpha1.Limits{IOPS: n(3500)}, "VolumeIOPS 3500 of the volume's 3500 IOPS (100 %)"},
		{"trims move no bytes", mixed, v1alpha1.Limits{BytesPerSecond: n(16_384_000)}, "VolumeThroughput 15.6 of the volume's 15.6 MiB/s (100 %)"},
		{"reads", mixed, v1alpha1.Limits{ReadIOPS: n(2000)}, "VolumeIOPS 2000 of the volume's 2000 IOPS of reads (100 %)"},
		{"writes", mixed, v1alpha1.Limits{WriteIOPS: n(1000)}, "VolumeIOPS 1000 of the volume's 1000 IOPS of writes (100 %)"},
		{"not of these writes", mixed, v1alpha1.Limits{WriteIOPS: n(2000)}, "Unknown"},
		{"bytes read", mixed, v1alpha1.Limits{ReadBytesPerSecond: n(8_192_000)}, "VolumeThroughput 7.81 of the volume's 7.81 MiB/s of reads (100 %)"},
		{"bytes written", mixed, v1alpha1.Limits{WriteBytesPerSecond: n(8_192_000)}, "VolumeThroughput 7.81 of the volume's 7.81 MiB/s of writes (100 %)"},
		{"reads have their own", mixed, v1alpha1.Limits{IOPS: n(3500), ReadIOPS: n(9000)}, "Unknown"},
		{"the rest together", mixed, v1alpha1.Limits{IOPS: n(1500), ReadIOPS: n(9000)}, "VolumeIOPS 1500 of the volume's 1500 IOPS (100 %)"},
		{"both have their own", &v1alpha1.Result{Figures: v1alpha1.ListOf(mixed.Of(v1alpha1.OperationRead).As(v1alpha1.OperationRead), mixed.Of(v1alpha1.OperationWrite).As(v1alpha1.OperationWrite))}, v1alpha1.Limits{IOPS: n(1), ReadIOPS: n(9000), WriteIOPS: n(9000)}, "Unknown"},
		{"nearest of IOPS and bytes", write(1000), v1alpha1.Limits{IOPS: n(1000), BytesPerSecond: n(4_000_000)}, "VolumeThroughput 3.91 of the volume's 3.81 MiB/s (102 %)"},
		{"nearest of bytes and IOPS", write(1000), v1alpha1.Limits{IOPS: n(970), BytesPerSecond: n(4_000_000)}, "VolumeIOPS 1000 of the volume's 970 IOPS (103 %)"},
		{"alike", write(1000), v1alpha1.Limits{IOPS: n(1000), BytesPerSecond: n(4_096_000)}, "VolumeIOPS 1000 of the volume's 1000 IOPS (100 %)"},
		{"nearest of the directions", mixed, v1alpha1.Limits{ReadIOPS: n(2000), WriteIOPS: n(950)}, "VolumeIOPS 1000 of the volume's 950 IOPS of writes (105 %)"},
	} {
		got := Bound(test.result, Known{Storage: limits(test.limits)}, Load{}, Client{})
		text := got.Reason
		if len(limitsOf(got)) > 0 {
			text += " " + got.Message
		}
		if text != test.want {
			t.Errorf("%s: %q, want %q", test.name, text, test.want)
		}
	}
}

// TestBoundOrder goes down the order of judgement.
func TestBoundOrder(t *testing.T) {
	cpu := func(user, system int32) *v1alpha1.CPUResult {
		return &v1alpha1.CPUResult{UserPercent: user, SystemPercent: system}
	}
	// 1000 IOPS, of which at 8 ms each 8 are in flight.
	io := blocks(1000, 4096, 8_000_000)
	const noLimits = "no limits of the storage are known: set spec.targets[].limits"
	buffered := Load{InFlight: 8, Jobs: 8, Buffered: true, FileBytes: 1 << 30}
	for _, test := range []struct {
		name   string
		result v1alpha1.Result
		limits *v1alpha1.KnownLimits
		load   Load
		client Client
		want   v1alpha1.LimitedBy
	}{{
		name: "nothing measured", want: v1alpha1.LimitedBy{Reason: v1alpha1.BoundUnknown, Message: "no I/O was measured"},
	}, {
		name: "limit before rate and CPU", result: v1alpha1.Result{Figures: v1alpha1.ListOf(blocks(3000, 4096, 1000).As(v1alpha1.OperationRead)), CPU: cpu(50, 50)}, limits: gp3,
		load: Load{Jobs: 1, RateIOPS: 3000},
		want: limitedBy(v1alpha1.BoundVolumeIOPS, 3000, 100, "3000 of the volume's 3000 IOPS (100 %)"),
	}, {
		name: "thinktime", result: v1alpha1.Result{Figures: v1alpha1.ListOf(io.As(v1alpha1.OperationRead))}, limits: gp3, load: Load{Jobs: 1, ThinkMilliIOPS: 1_050_000},
		want: limitedBy(v1alpha1.BoundWorkloadRate, 1050, 95, "1000 of the workload's 1050 IOPS by its thinktime (95 %)"),
	}, {
		name: "few I/Os by thinktime", result: v1alpha1.Result{Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationRead, MilliIOPS: 12_000, Count: 1205, Bytes: 1205 * 4096, BytesPerSecond: 49_357}}}, limits: gp3, load: Load{Jobs: 1, ThinkMilliIOPS: 12_500},
		want: limitedBy(v1alpha1.BoundWorkloadRate, 13, 96, "12 of the workload's 13 IOPS by its thinktime (96 %)"),
	}, {
		name: "rate before CPU", result: v1alpha1.Result{Figures: v1alpha1.ListOf(io.As(v1alpha1.OperationRead)), CPU: cpu(50, 50)}, limits: gp3, load: Load{Jobs: 1, RateIOPS: 1050},
		want: limitedBy(v1alpha1.BoundWorkloadRate, 1050, 95, "1000 of the workload's 1050 IOPS (95 %)"),
	}, {
		name: "rate of bytes in all directions", result: v1alpha1.Result{Figures: v1alpha1.ListOf(io.As(v1alpha1.OperationRead), io.As(v1alpha1.OperationWrite), io.As(v1alpha1.OperationTrim))}, load: Load{RateIOPS: 4000, RateBytesPerSecond: 12_288_000},
		want: limitedBy(v1alpha1.BoundWorkloadRate, 12_288_000, 100, "11.7 of the workload's 11.7 MiB/s (100 %)"),
	}, {
		name: "rate of I/Os in all directions", result: v1alpha1.Result{Figures: v1alpha1.ListOf(io.As(v1alpha1.OperationRead), io.As(v1alpha1.OperationWrite), io.As(v1alpha1.OperationTrim))}, load: Load{RateIOPS: 3000, RateBytesPerSecond: 12_888_000},
		want: limitedBy(v1alpha1.BoundWorkloadRate, 3000, 100, "3000 of the workload's 3000 IOPS (100 %)"),
	}, {
		name: "rate not reached", result: v1alpha1.Result{Figures: v1alpha1.ListOf(io.As(v1alpha1.OperationRead))}, load: Load{RateIOPS: 1059},
		want: v1alpha1.LimitedBy{Reason: v1alpha1.BoundUnknown, Message: noLimits},
	}, {
		name: "CPU of each job", result: v1alpha1.Result{Figures: v1alpha1.ListOf(io.As(v1alpha1.OperationRead)), CPU: cpu(30, 60)}, load: Load{Jobs: 4},
		want: limitedBy(v1alpha1.BoundClientCPU, 400, 90, "each of fio's jobs used 90 % of a CPU, and a job can use no more than one"),
	}, {
		name: "CPU of unknown jobs", result: v1alpha1.Result{Figures: v1alpha1.ListOf(io.As(v1alpha1.OperationRead)), CPU: cpu(30, 60)},
		want: v1alpha1.LimitedBy{Reason: v1alpha1.BoundClientCPU, UsedPercent: new(int32(90)), Message: "each of fio's jobs used 90 % of a CPU, and a job can use no more than one"},
	}, {
		name: "a CPU of each job that polls", result: v1alpha1.Result{Figures: v1alpha1.ListOf(io.As(v1alpha1.OperationRead)), CPU: cpu(1, 99)}, limits: gp3,
		load: Load{InFlight: 8, Jobs: 8, Polls: true}, client: Client{CPUMillis: 8000},
		want: limitedBy(v1alpha1.BoundLatency, 8, 100, "8 of 8 I/Os were in flight all the time, each for 8ms on average, and the nearest limit of the storage has room (1000 of the volume's 3000 IOPS, 33 %; those of the node are unknown): try more jobs or a higher iodepth"),
	}, {
		name: "polling, and throttled", result: v1alpha1.Result{Figures: v1alpha1.ListOf(io.As(v1alpha1.OperationRead)), CPU: cpu(1, 49)}, limits: gp3,
		load: Load{InFlight: 8, Jobs: 1, Polls: true}, client: Client{CPUMillis: 500, ThrottledPercent: new(int32(90))},
		want: limitedBy(v1alpha1.BoundClientCPU, 50, 100, "the container's CPU limit held fio back in 90 % of scheduling periods"),
	}, {
		name: "not quite a CPU each", result: v1alpha1.Result{Figures: v1alpha1.ListOf(io.As(v1alpha1.OperationRead)), CPU: cpu(30, 59)}, load: Load{Jobs: 4}, client: Client{CPUMillis: 4000},
		want: v1alpha1.LimitedBy{Reason: v1alpha1.BoundUnknown, Message: noLimits},
	}, {
		name: "CPU of the container", result: v1alpha1.Result{Figures: v1alpha1.ListOf(io.As(v1alpha1.OperationRead)), CPU: cpu(10, 35)}, load: Load{Jobs: 4}, client: Client{CPUMillis: 2000},
		want: limitedBy(v1alpha1.BoundClientCPU, 200, 90, "fio used 180 % of CPU, and its container may use 200 % (100 for each CPU)"),
	}, {
		name: "not quite the container's", result: v1alpha1.Result{Figures: v1alpha1.ListOf(io.As(v1alpha1.OperationRead)), CPU: cpu(10, 35)}, load: Load{Jobs: 4}, client: Client{CPUMillis: 2001},
		want: v1alpha1.LimitedBy{Reason: v1alpha1.BoundUnknown, Message: noLimits},
	}, {
		name: "throttled", result: v1alpha1.Result{Figures: v1alpha1.ListOf(io.As(v1alpha1.OperationRead)), CPU: cpu(10, 30)}, load: Load{Jobs: 1}, client: Client{CPUMillis: 500, ThrottledPercent: new(int32(50))},
		want: limitedBy(v1alpha1.BoundClientCPU, 50, 80, "the container's CPU limit held fio back in 50 % of scheduling periods"),
	}, {
		name: "throttled, and nothing else known", result: v1alpha1.Result{Figures: v1alpha1.ListOf(io.As(v1alpha1.OperationRead))}, client: Client{ThrottledPercent: new(int32(99))},
		want: v1alpha1.LimitedBy{Reason: v1alpha1.BoundClientCPU, Message: "the container's CPU limit held fio back in 99 % of scheduling periods"},
	}, {
		name: "throttled a little", result: v1alpha1.Result{Figures: v1alpha1.ListOf(io.As(v1alpha1.OperationRead))}, client: Client{ThrottledPercent: new(int32(49))},
		want: v1alpha1.LimitedBy{Reason: v1alpha1.BoundUnknown, Message: noLimits},
	}, {
		name: "page cache", result: v1alpha1.Result{Figures: v1alpha1.ListOf(blocks(15_000, 4096, 1000).As(v1alpha1.OperationRead))}, limits: gp3, load: buffered, client: Client{MemoryBytes: 1 << 30},
		want: v1alpha1.LimitedBy{Reason: v1alpha1.BoundUnknown, Message: "15000 of the volume's 3000 IOPS are more than it can do: the page cache answered"},
	}, {
		name: "page cache, by a little", result: v1alpha1.Result{Figures: v1alpha1.ListOf(blocks(3630, 4096, 1000).As(v1alpha1.OperationRead))}, limits: gp3, load: buffered, client: Client{MemoryBytes: 1 << 30},
		want: v1alpha1.LimitedBy{Reason: v1alpha1.BoundUnknown, Message: "3630 of the volume's 3000 IOPS are more than it can do: the page cache answered"},
	}, {
		name: "files of unknown size", result: v1alpha1.Result{Figures: v1alpha1.ListOf(blocks(15_000, 4096, 1000).As(v1alpha1.OperationRead))}, limits: gp3, load: Load{Buffered: true}, client: Client{MemoryBytes: 1 << 30},
		want: v1alpha1.LimitedBy{Reason: v1alpha1.BoundUnknown, Message: "15000 of the volume's 3000 IOPS are more than it can do: the page cache answered"},
	}, {
		name: "page cache of unknown size", result: v1alpha1.Result{Figures: v1alpha1.ListOf(blocks(15_000, 4096, 1000).As(v1alpha1.OperationRead))}, limits: gp3, load: buffered,
		want: v1alpha1.LimitedBy{Reason: v1alpha1.BoundUnknown, Message: "15000 of the volume's 3000 IOPS are more than it can do: the page cache answered"},
	}, {
		name: "page cache that is too small", result: v1alpha1.Result{Figures: v1alpha1.ListOf(blocks(15_000, 4096, 1000).As(v1alpha1.OperationRead))}, limits: gp3, load: buffered, client: Client{MemoryBytes: 1<<30 - 1},
		want: v1alpha1.LimitedBy{Reason: v1alpha1.BoundUnknown, Message: "15000 of the volume's 3000 IOPS: I/O is buffered, and the page cache turns it into fewer and larger I/Os; how many the storage did is unknown: set direct: true"},
	}, {
		name: "page cache, but not more than the storage can do", result: v1alpha1.Result{Figures: v1alpha1.ListOf(blocks(3600, 4096, 1000).As(v1alpha1.OperationRead))}, limits: gp3, load: buffered, client: Client{MemoryBytes: 1 << 30},
		want: v1alpha1.LimitedBy{Reason: v1alpha1.BoundUnknown, Message: "3600 of the volume's 3000 IOPS: I/O is buffered, and the page cache turns it into fewer and larger I/Os; how many the storage did is unknown: set direct: true"},
	}, {
		name: "buffered sequential writes at the limit of bytes", result: v1alpha1.Result{Figures: v1alpha1.ListOf(blocks(32_000, 4096, 1000).As(v1alpha1.OperationWrite))}, limits: gp3, load: buffered,
		want: limitedBy(v1alpha1.BoundVolumeThroughput, 125<<20, 100, "125 of the volume's 125 MiB/s (100 %)"),
	}, {
		name: "buffered I/O below all limits", result: v1alpha1.Result{Figures: v1alpha1.ListOf(io.As(v1alpha1.OperationRead))}, limits: gp3, load: buffered,
		want: limitedBy(v1alpha1.BoundLatency, 8, 100, "8 of 8 I/Os were in flight all the time, each for 8ms on average, and the nearest limit of the storage has room (1000 of the volume's 3000 IOPS, 33 %; those of the node are unknown): try more jobs or a higher iodepth"),
	}, {
		name: "direct I/O beyond the limit", result: v1alpha1.Result{Figures: v1alpha1.ListOf(blocks(15_000, 4096, 1000).As(v1alpha1.OperationRead))}, limits: gp3, load: psync16, client: Client{MemoryBytes: 1 << 40},
		want: v1alpha1.LimitedBy{Reason: v1alpha1.BoundUnknown, Message: "15000 of the volume's 3000 IOPS (500 %) are more than it can do: a cache answered, or the limit is higher than is known"},
	}, {
		name: "page cache and CPU", result: v1alpha1.Result{Figures: v1alpha1.ListOf(blocks(15_000, 4096, 1000).As(v1alpha1.OperationRead)), CPU: cpu(20, 79)}, limits: gp3, load: buffered,
		want: limitedBy(v1alpha1.BoundClientCPU, 800, 99, "each of fio's jobs used 99 % of a CPU, and a job can use no more than one"),
	}, {
		name: "page cache and rate", result: v1alpha1.Result{Figures: v1alpha1.ListOf(blocks(15_000, 4096, 1000).As(v1alpha1.OperationRead))}, limits: gp3, load: Load{Buffered: true, RateIOPS: 15_000},
		want: limitedBy(v1alpha1.BoundWorkloadRate, 15_000, 100, "15000 of the workload's 15000 IOPS (100 %)"),
	}} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, Bound(&test.result, Known{Storage: test.limits}, test.load, test.client)); diff != "" {
				t.Errorf("bound (-want +got):\n%s", diff)
			}
		})
	}
	if got := Bound(nil, Known{Storage: gp3}, psync16, Client{}); got.Reason != v1alpha1.BoundUnknown {
		t.Errorf("bound of no result: %+v", got)
	}
}

func TestBoundByLatency(t *testing.T) {
	n := func(i int64) *int64 { return &i }
	gp3 := taking(8000, 8000, *gp3)
	limits := func(l v1alpha1.Limits) *v1alpha1.KnownLimits {
		return taking(8000, 8000, v1alpha1.KnownLimits{Limits: l})
	}
	io := blocks(1000, 4096, 8_000_000) // 8 in flight
	reads := v1alpha1.Result{Figures: v1alpha1.ListOf(io.As(v1alpha1.OperationRead))}
	mixed := v1alpha1.Result{Figures: v1alpha1.ListOf(io.As(v1alpha1.OperationRead), io.As(v1alpha1.OperationWrite))}
	trims := v1alpha1.Result{Figures: v1alpha1.ListOf(io.As(v1alpha1.OperationTrim))}
	const some = "no known limit is reached, but not all are known: set "
	for _, test := range []struct {
		name   string
		result v1alpha1.Result
		limits *v1alpha1.KnownLimits
		flight int64
		want   v1alpha1.LimitedBy // of Latency without the message
	}{
		{"all", reads, gp3, 8, v1alpha1.LimitedBy{Reason: v1alpha1.BoundLatency, LimitInFlight: n(8), UsedPercent: new(int32(100))}},
		{"both directions", mixed, gp3, 16, v1alpha1.LimitedBy{Reason: v1alpha1.BoundLatency, LimitInFlight: n(16), UsedPercent: new(int32(100))}},
		{"just enough", v1alpha1.Result{Figures: v1alpha1.ListOf(blocks(1000, 4096, 8_951_000).As(v1alpha1.OperationRead))}, gp3, 10, v1alpha1.LimitedBy{Reason: v1alpha1.BoundLatency, LimitInFlight: n(10), UsedPercent: new(int32(90))}},
		{"just not enough", v1alpha1.Result{Figures: v1alpha1.ListOf(blocks(1000, 4096, 8_940_000).As(v1alpha1.OperationRead))}, gp3, 10, v1alpha1.LimitedBy{
			Reason:  v1alpha1.BoundUnknown,
			Message: "no known limit is reached, but only 8.94 of the 10 I/Os that the workload asks for were in flight, each for 8.94ms on average",
		}},
		{"just not too many", v1alpha1.Result{Figures: v1alpha1.ListOf(blocks(1000, 4096, 11_040_000).As(v1alpha1.OperationRead))}, gp3, 10, v1alpha1.LimitedBy{Reason: v1alpha1.BoundLatency, LimitInFlight: n(10), UsedPercent: new(int32(110))}},
		{"too many", v1alpha1.Result{Figures: v1alpha1.ListOf(blocks(1000, 4096, 11_060_000).As(v1alpha1.OperationRead))}, gp3, 10, v1alpha1.LimitedBy{
			Reason:  v1alpha1.BoundUnknown,
			Message: "no known limit is reached, and the figures contradict each other: IOPS and a mean latency of 11.1ms mean 11.1 I/Os in flight, more than the workload's 10",
		}},
		// 1.4 I/Os a second are reported as 1; of 10 s each, that would be 10 in flight.
		{"slow storage", v1alpha1.Result{Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationRead, Count: 84, Bytes: 84 << 20, MilliIOPS: 1_400, BytesPerSecond: 1_468_006, Latency: &v1alpha1.Latency{MeanNanoseconds: 10_000_000_000}}}}, taking(10_000_000, 1, *gp3), 14, v1alpha1.LimitedBy{Reason: v1alpha1.BoundLatency, LimitInFlight: n(14), UsedPercent: new(int32(100))}},
		{"unknown load", reads, gp3, 0, v1alpha1.LimitedBy{
			Reason: v1alpha1.BoundUnknown, Message: "no known limit is reached; how many I/Os the workload keeps in flight is unknown",
		}},
		{"no latency of writes", v1alpha1.Result{Figures: v1alpha1.ListOf(io.As(v1alpha1.OperationRead), blocks(1, 1, 0).As(v1alpha1.OperationWrite))}, gp3, 8, v1alpha1.LimitedBy{
			Reason: v1alpha1.BoundUnknown, Message: "no known limit is reached; whether latency held it back is unknown, because fio did not measure it",
		}},
		{"no limits", reads, nil, 8, v1alpha1.LimitedBy{Reason: v1alpha1.BoundUnknown, Message: "no limits of the storage are known: set spec.targets[].limits"}},
		{"empty limits", reads, limits(v1alpha1.Limits{}), 8, v1alpha1.LimitedBy{Reason: v1alpha1.BoundUnknown, Message: "no limits of the storage are known: set spec.targets[].limits"}},
		{"no bandwidth", reads, limits(v1alpha1.Limits{IOPS: n(3000)}), 8, v1alpha1.LimitedBy{
			Reason: v1alpha1.BoundUnknown, Message: some + "bytesPerSecond in spec.targets[].limits",
		}},
		{"no IOPS", reads, limits(v1alpha1.Limits{BytesPerSecond: n(1 << 30)}), 8, v1alpha1.LimitedBy{Reason: v1alpha1.BoundUnknown, Message: some + "iops in spec.targets[].limits"}},
		{"only of the other direction", reads, limits(v1alpha1.Limits{WriteIOPS: n(9000), BytesPerSecond: n(1 << 30)}), 8, v1alpha1.LimitedBy{
			Reason: v1alpha1.BoundUnknown, Message: some + "iops in spec.targets[].limits",
		}},
		{"only of one direction", mixed, limits(v1alpha1.Limits{ReadIOPS: n(9000), WriteBytesPerSecond: n(1 << 30)}), 8, v1alpha1.LimitedBy{
			Reason: v1alpha1.BoundUnknown, Message: some + "writeIOPS and readBytesPerSecond in spec.targets[].limits",
		}},
		{"of each direction", mixed, limits(v1alpha1.Limits{
			ReadIOPS: n(9000), WriteIOPS: n(9000), ReadBytesPerSecond: n(1 << 30), WriteBytesPerSecond: n(1 << 30),
		}), 16, v1alpha1.LimitedBy{Reason: v1alpha1.BoundLatency, LimitInFlight: n(16), UsedPercent: new(int32(100))}},
		{"trims have no bandwidth", trims, limits(v1alpha1.Limits{IOPS: n(9000)}), 8, v1alpha1.LimitedBy{Reason: v1alpha1.BoundLatency, LimitInFlight: n(8), UsedPercent: new(int32(100))}},
		{"trims beside", v1alpha1.Result{Figures: v1alpha1.ListOf(io.As(v1alpha1.OperationRead), io.As(v1alpha1.OperationTrim))}, limits(v1alpha1.Limits{ReadIOPS: n(9000), BytesPerSecond: n(1 << 30)}), 16, v1alpha1.LimitedBy{
			Reason: v1alpha1.BoundUnknown, Message: some + "iops in spec.targets[].limits",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := Bound(&test.result, Known{Storage: test.limits}, Load{InFlight: test.flight}, Client{})
			if got.Reason == v1alpha1.BoundLatency && strings.Contains(got.Message, "try more jobs or a higher iodepth") {
				got.Message = ""
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("bound (-want +got):\n%s", diff)
			}
		})
	}
}

// TestBoundFits has figures as large as can be, in all branches with long messages.
func TestBoundFits(t *testing.T) {
	const most = math.MaxInt64
	huge := &v1alpha1.Figures{MilliIOPS: most, BytesPerSecond: most, Latency: &v1alpha1.Latency{MeanNanoseconds: most}}
	tiny := &v1alpha1.KnownLimits{Limits: v1alpha1.Limits{Scope: v1alpha1.ScopeFileSystem, ReadIOPS: new(int64(1)), ReadBytesPerSecond: new(int64(1))}}
	large := &v1alpha1.KnownLimits{Limits: v1alpha1.Limits{Scope: v1alpha1.ScopeFileSystem, ReadIOPS: new(int64(most)), ReadBytesPerSecond: new(int64(most))}}
	for _, got := range []v1alpha1.LimitedBy{
		Bound(&v1alpha1.Result{Figures: v1alpha1.ListOf(huge.As(v1alpha1.OperationRead))}, Known{Storage: tiny}, Load{}, Client{}),
		Bound(&v1alpha1.Result{Figures: v1alpha1.ListOf(huge.As(v1alpha1.OperationRead))}, Known{Storage: tiny}, Load{Buffered: true}, Client{}),
		Bound(&v1alpha1.Result{Figures: v1alpha1.ListOf(huge.As(v1alpha1.OperationRead))}, Known{}, Load{RateBytesPerSecond: 1}, Client{}),
		Bound(&v1alpha1.Result{Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationRead, MilliIOPS: most / 2, Latency: huge.Latency}}}, Known{Storage: large}, Load{InFlight: 1}, Client{}),
	} {
		if len(got.Message) > 512 || got.Message == "" {
			t.Errorf("%s: message of %d bytes: %s", got.Reason, len(got.Message), got.Message)
		}
		if got.UsedPercent != nil && *got.UsedPercent != math.MaxInt32 {
			t.Errorf("%s: used %d %%", got.Reason, *got.UsedPercent)
		}
	}
}

func TestNumbers(t *testing.T) {
	for ns, want := range map[float64]string{0: "0ns", 999: "999ns", 1000: "1us", 5_247_200: "5.25ms", 1e9: "1s", 3.6e12: "3600s"} {
		if got := duration(ns); got != want {
			t.Errorf("duration(%v) is %q, want %q", ns, got, want)
		}
	}
	for bytes, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1024: "1 KiB", 1 << 30: "1 GiB", 7_900_000_000: "7.36 GiB", 1 << 52: "4096 TiB"} {
		if got := size(bytes); got != want {
			t.Errorf("size(%d) is %q, want %q", bytes, got, want)
		}
	}
}

// Of a rate that is kept and a limit that is near, the one that is used more holds the workload back.
func TestRateNearALimit(t *testing.T) {
	limits := &v1alpha1.KnownLimits{Limits: v1alpha1.Limits{Scope: v1alpha1.ScopeVolume, IOPS: new(int64(3000)), BytesPerSecond: new(int64(125 << 20))}}
	for iops, want := range map[int64]string{2800: v1alpha1.BoundWorkloadRate, 3040: v1alpha1.BoundVolumeIOPS} {
		r := &v1alpha1.Result{ElapsedMilliseconds: 60_000, Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationWrite, Count: 60 * iops, Bytes: 60 * iops * 4096, MilliIOPS: 1000 * iops, BytesPerSecond: iops * 4096}}}
		if got := Bound(r, Known{Storage: limits}, Load{RateIOPS: min(iops+iops/100, 3100)}, Client{}); got.Reason != want {
			t.Errorf("%d IOPS are held back by %s, want %s: %s", iops, got.Reason, want, got.Message)
		}
	}
}

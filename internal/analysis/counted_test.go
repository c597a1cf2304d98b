package analysis

import (
	"strings"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// ofAMinute returns a result of a minute.
func ofAMinute(read, write *v1alpha1.Figures) *v1alpha1.Result {
	return &v1alpha1.Result{ElapsedMilliseconds: 60_000, Figures: v1alpha1.ListOf(total(read).As(v1alpha1.OperationRead), total(write).As(v1alpha1.OperationWrite))}
}

// total gives I/O of a minute its numbers.
func total(io *v1alpha1.Figures) *v1alpha1.Figures {
	if io != nil {
		io.Count, io.Bytes = 60*io.IOPS(), 60*io.BytesPerSecond
	}
	return io
}

// overlapping returns a result of so many clients, of which all measured together for a time.
func overlapping(n int32, r *v1alpha1.Result, common int64) *v1alpha1.Result {
	r.Clients, r.CommonMilliseconds = n, common
	return r
}

// TestBoundByCounted: limits are held against what the kernel counted of the storage, which fio cannot see.
func TestBoundByCounted(t *testing.T) {
	volume := func(c *Counted) Known { return Known{Storage: gp3, Counted: c} }
	const minute = 60
	buffered := Load{InFlight: 1, Jobs: 1, Buffered: true, Gathered: true}
	direct := Load{InFlight: 16, Jobs: 16}
	for _, test := range []struct {
		name   string
		known  Known
		result *v1alpha1.Result
		load   Load
		want   string
	}{
		{"as fio has it", volume(&Counted{Reads: minute * 3010, ReadBytes: minute * 3010 * 4096}), ofAMinute(blocks(3000, 4096, 5_333_333), nil), direct,
			"VolumeIOPS 3010 of the volume's 3000 IOPS (100 %)"},
		{"not counted, buffered", volume(nil), ofAMinute(nil, blocks(3000, 4096, 333_333)), buffered,
			"Unknown 3000 of the volume's 3000 IOPS: I/O is buffered, and the page cache turns it into fewer and larger I/Os; how many the storage did is unknown: set direct: true"},
		{"the page cache made few of many", volume(&Counted{Writes: minute * 250, WriteBytes: minute * 125 << 20}), ofAMinute(nil, blocks(32_000, 4096, 31_250)), buffered,
			"VolumeThroughput 125 of the volume's 125 MiB/s, by the kernel's count (100 %)"},
		{"the page cache answered", volume(&Counted{Reads: 10, ReadBytes: 40960}), ofAMinute(blocks(300_000, 4096, 3000), nil), buffered,
			"Unknown the storage read 40 KiB of the 68.7 GiB that fio read: the page cache answered the rest"},
		{"memory kept what was written", volume(&Counted{Writes: 2, WriteBytes: 1 << 20}), ofAMinute(nil, blocks(30_000, 4096, 31_250)),
			Load{InFlight: 1, Jobs: 1, Buffered: true, Gathered: true, UnsyncedWrites: true},
			"Unknown writes are never synced: when fio ended, the storage had written 1 MiB of the 6.87 GiB that fio wrote"},
		{"the file system wrote its own beside", volume(&Counted{Writes: minute * 2990, WriteBytes: minute * 1500 * 12288}), ofAMinute(nil, blocks(1500, 4096, 10_666_666)), direct,
			"VolumeIOPS 2990 of the volume's 3000 IOPS, by the kernel's count, where fio had 1500 (100 %)"},
		{"somebody else read meanwhile", volume(&Counted{Reads: minute * 1900, ReadBytes: minute * 1900 * 4096, Writes: minute * 1100, WriteBytes: minute * 1100 * 4096}), ofAMinute(nil, blocks(1100, 4096, 14_545_454)), direct,
			"VolumeIOPS 3000 of the volume's 3000 IOPS, by the kernel's count, where fio had 1100 (100 %)"},
		{"the kernel split large ones", volume(&Counted{Reads: minute * 960, ReadBytes: minute * 120 << 20}), ofAMinute(blocks(120, 1<<20, 133_333_333), nil), direct,
			"VolumeThroughput 120 of the volume's 125 MiB/s (96 %)"},
		{"large ones are split, and somebody else is there", volume(&Counted{Writes: minute * 3000, WriteBytes: minute * (25<<20 + 2600*4096)}), ofAMinute(nil, blocks(100, 256<<10, 160_000_000)), direct,
			"VolumeIOPS 2700 of the volume's 3000 IOPS, by the kernel's count, where fio had 100 (90 %)"},
		{"random reads of which memory answered half", volume(&Counted{Reads: minute * 500, ReadBytes: minute * 500 * 16384}), ofAMinute(blocks(1000, 4096, 1_000_000), nil), Load{InFlight: 1, Jobs: 1, Buffered: true, Reads: true},
			"Unknown 30000 reads of the storage were for 60000 random ones of fio: the page cache answered the rest"},
		{"direct reads of holes, or counters of something else", volume(&Counted{Reads: 10, ReadBytes: 40960}), ofAMinute(blocks(1000, 4096, 16_000_000), nil), direct,
			"Unknown the storage read 40 KiB of the 234 MiB that fio read, and no page cache answered the rest: blocks were never written, or the kernel counted something else"},
		{"direct writes that the storage did not see", volume(&Counted{}), ofAMinute(nil, blocks(1000, 4096, 16_000_000)), direct,
			"Unknown the storage wrote 0 B of the 234 MiB that fio wrote, and no page cache took the rest: the kernel counted something else"},
		{"clients of which one ended long before", volume(&Counted{Reads: minute * 1500, ReadBytes: minute * 1500 * 4096}), overlapping(2, ofAMinute(blocks(3000, 4096, 5_333_333), nil), 30_000), direct,
			"VolumeIOPS 3000 of the volume's 3000 IOPS (100 %)"},
		{"writes that wait for memory", Known{Storage: gp3}, ofAMinute(nil, blocks(90, 1<<20, 11_000_000)), Load{InFlight: 1, Jobs: 1, Buffered: true, Gathered: true, UnsyncedWrites: true},
			"Unknown no known limit is reached, and writes wait for memory and not for the storage, so that their latency does not tell what held it back: set direct: true"},
		{"writes that wait for memory, and for a sync at the end", Known{Storage: gp3}, ofAMinute(nil, blocks(90, 1<<20, 1_833_333)), Load{InFlight: 1, Jobs: 1, Gathered: true, SyncedAtEnd: true},
			"Unknown no known limit is reached, and writes wait for memory and not for the storage, so that their latency does not tell what held it back: set direct: true"},
		{"writes to an object store wait for it", Known{Unlimited: true, Client: clients(m6iLargeNetwork)}, ofAMinute(nil, blocks(10, 1<<20, 100_000_000)), Load{InFlight: 1, Jobs: 1, Gathered: true, SyncedAtEnd: true},
			"Latency 1 of 1 I/Os were in flight all the time, each for 100ms on average, and the nearest limit has room (10 of the instance's 1490 MiB/s of writes, 1 %): try more jobs or a higher iodepth"},
		{"reads of files that fit into memory", Known{Storage: gp3}, ofAMinute(blocks(1000, 4096, 1_000_000), nil), Load{InFlight: 1, Jobs: 1, Buffered: true, Reads: true, FileBytes: 1 << 20},
			"Unknown no known limit is reached, but the page cache may have answered reads, so that their latency does not tell what held it back: set direct: true"},
		{"reads of files that do not", Known{Storage: gp3}, ofAMinute(blocks(1000, 4096, 1_000_000), nil), Load{InFlight: 1, Jobs: 1, Buffered: true, Reads: true, FileBytes: 1 << 40},
			"Latency 1 of 1 I/Os were in flight all the time, each for 1ms on average, and the nearest limit of the storage has room (1000 of the volume's 3000 IOPS, 33 %; those of the node are unknown): try more jobs or a higher iodepth"},
		{"syncs of NFS are not among it", Known{Storage: efs, Counted: &Counted{NFS: true, Writes: minute * 3400, WriteBytes: minute * 3400 * 4096}}, &v1alpha1.Result{
			ElapsedMilliseconds: 60_000, Figures: v1alpha1.ListOf(total(blocks(3400, 4096, 147_058)).As(v1alpha1.OperationWrite), (&v1alpha1.Figures{Count: minute * 3400, Latency: &v1alpha1.Latency{MeanNanoseconds: 147_058}}).As(v1alpha1.OperationSync)),
		}, Load{InFlight: 1, Jobs: 1},
			"Unknown 6800 of the file system's 7000 IOPS of writes (97 %), if a file system makes one I/O of each sync, so it is unknown whether this held the result back"},
		{"more than it can do", volume(&Counted{Reads: minute * 6000, ReadBytes: minute * 6000 * 512}), ofAMinute(blocks(6000, 512, 2_666_666), nil), direct,
			"Unknown 6000 of the volume's 3000 IOPS (200 %) are more than it can do: a cache answered, or the limit is higher than is known"},
		{"syncs are among it", volume(&Counted{Writes: minute * 1600, WriteBytes: minute * 1600 * 4096}), &v1alpha1.Result{
			ElapsedMilliseconds: 60_000, Figures: v1alpha1.ListOf(total(blocks(1600, 4096, 312_500)).As(v1alpha1.OperationWrite), (&v1alpha1.Figures{Count: minute * 1600, Latency: &v1alpha1.Latency{MeanNanoseconds: 312_500}}).As(v1alpha1.OperationSync)),
		}, Load{InFlight: 1, Jobs: 1},
			"Latency 1 of 1 I/Os and syncs were in flight all the time, each for 312us on average, and the nearest limit of the storage has room (1600 of the volume's 3000 IOPS, 53 %; those of the node are unknown): try more jobs or a higher iodepth"},
	} {
		got := Bound(test.result, test.known, test.load, Client{MemoryBytes: 1 << 30})
		if text := got.Reason + " " + got.Message; text != test.want {
			t.Errorf("%s: %q,\nwant %q", test.name, text, test.want)
		}
	}
}

// TestWarningsByCounted: whether the page cache has a part in a result is known where the storage's own I/O was counted.
func TestWarningsByCounted(t *testing.T) {
	reads := Load{Buffered: true, Reads: true, FileBytes: 1 << 30}
	writes := Load{Buffered: true, UnsyncedWrites: true, Gathered: true, FileBytes: 1 << 30}
	mixed := Load{Buffered: true, UnsyncedWrites: true, Gathered: true, Reads: true, FileBytes: 1 << 30}
	atEnd := Load{SyncedAtEnd: true, Gathered: true, FileBytes: 1 << 30}
	const all = 60 * 1000 << 20
	read, write := blocks(1000, 1<<20, 1_000_000), blocks(1000, 1<<20, 1_000_000)
	for _, test := range []struct {
		name    string
		counted *Counted
		result  *v1alpha1.Result
		load    Load
		memory  int64
		reason  string
		want    string
	}{
		{"files that fit, not counted", nil, ofAMinute(read, nil), reads, 4 << 30, v1alpha1.WarningFilesFitInMemory, "I/O is buffered, and test files of 1 GiB fit into the 4 GiB of memory that the page cache can take"},
		{"files that fit, and were answered", &Counted{ReadBytes: 1 << 30}, ofAMinute(read, nil), reads, 4 << 30, v1alpha1.WarningFilesFitInMemory, "the storage read 1 GiB of the 58.6 GiB that fio read: the page cache answered the rest"},
		{"files that do not fit, and were answered in part", &Counted{ReadBytes: all / 2}, ofAMinute(read, nil), reads, 512 << 20, v1alpha1.WarningFilesFitInMemory, "the storage read 29.3 GiB of the 58.6 GiB that fio read: the page cache answered the rest"},
		{"files that fit, and were read once", &Counted{Reads: 8 * 57_000, ReadBytes: all * 19 / 20}, ofAMinute(read, nil), reads, 4 << 30, v1alpha1.WarningFilesFitInMemory, ""},
		{"more than fio read, as of blocks ahead", &Counted{Reads: 60_000, ReadBytes: 2 * all}, ofAMinute(read, nil), reads, 4 << 30, v1alpha1.WarningFilesFitInMemory, ""},
		{"as much as fio read, of blocks ahead, and memory answered half", &Counted{Reads: 30_000, ReadBytes: all}, ofAMinute(read, nil), reads, 4 << 30, v1alpha1.WarningFilesFitInMemory, "30000 reads of the storage were for 60000 random ones of fio: the page cache answered the rest"},
		{"large ones of small ones that follow each other", &Counted{Reads: 30_000, ReadBytes: all}, ofAMinute(read, nil), Load{Buffered: true, Reads: true, Sequential: true, FileBytes: 1 << 30}, 4 << 30, v1alpha1.WarningFilesFitInMemory, ""},
		{"writes that are synced at the end", &Counted{WriteBytes: all}, ofAMinute(nil, write), atEnd, 4 << 30, v1alpha1.WarningFilesFitInMemory, ""},
		{"writes that were written again before", &Counted{WriteBytes: 1 << 30}, ofAMinute(nil, write), atEnd, 4 << 30, v1alpha1.WarningFilesFitInMemory, "the storage wrote 1 GiB of the 58.6 GiB that fio wrote: blocks were written again before they were synced"},
		{"writes that were written again, not counted", nil, ofAMinute(nil, write), atEnd, 4 << 30, v1alpha1.WarningFilesFitInMemory, "fio wrote 58.6 GiB to files of 1 GiB that fit into memory: blocks that are written again before they are synced reach the storage once"},
		{"writes of each block once, not counted", nil, ofAMinute(nil, write), Load{SyncedAtEnd: true, Gathered: true, FileBytes: all}, 64 << 30, v1alpha1.WarningFilesFitInMemory, ""},
		{"latencies of what is synced at the end", nil, ofAMinute(nil, write), atEnd, 4 << 30, v1alpha1.WarningLatencyOfMemory, "latencies of writes show how fast memory takes them: the sync at the end counts in IOPS and bandwidth, and in no latency"},
		{"reads of it", nil, ofAMinute(read, nil), atEnd, 4 << 30, v1alpha1.WarningLatencyOfMemory, ""},
		{"latencies of what is never synced", nil, ofAMinute(nil, write), mixed, 4 << 30, v1alpha1.WarningLatencyOfMemory, ""},
		{"direct reads", &Counted{ReadBytes: 0}, ofAMinute(read, nil), Load{Reads: true}, 4 << 30, v1alpha1.WarningFilesFitInMemory, ""},
		{"writes, not counted", nil, ofAMinute(nil, write), writes, 4 << 30, v1alpha1.WarningUnsyncedWrites, "writes are buffered and never synced: fio measures how fast memory takes them, not the storage"},
		{"writes that memory kept", &Counted{WriteBytes: 6 << 30}, ofAMinute(nil, write), writes, 512 << 20, v1alpha1.WarningUnsyncedWrites, "writes are never synced: when fio ended, the storage had written 6 GiB of the 58.6 GiB that fio wrote"},
		{"writes that reached it", &Counted{WriteBytes: all * 92 / 100}, ofAMinute(nil, write), writes, 4 << 30, v1alpha1.WarningUnsyncedWrites, ""},
		{"as many writes, of which some were left from before", &Counted{WriteBytes: all, LeftBytes: 30 << 30}, ofAMinute(nil, write), writes, 4 << 30, v1alpha1.WarningUnsyncedWrites,
			"writes are never synced: when fio ended, the storage had written as much as fio, but up to 30 GiB of it were left from the run before"},
		{"as many writes, of which few were left from before", &Counted{WriteBytes: all, LeftBytes: 1 << 30}, ofAMinute(nil, write), writes, 4 << 30, v1alpha1.WarningUnsyncedWrites, ""},
		{"writes that reached it, and reads that did not", &Counted{WriteBytes: all, ReadBytes: 1 << 20}, ofAMinute(read, write), mixed, 4 << 30, v1alpha1.WarningUnsyncedWrites, "the storage read 1 MiB of the 58.6 GiB that fio read: the page cache answered the rest"},
	} {
		got := ""
		for _, w := range Warnings([]v1alpha1.Result{*test.result}, []Known{{Counted: test.counted}}, []Load{test.load}, Client{MemoryBytes: test.memory}) {
			if w.Reason == test.reason {
				got = w.Message
			}
		}
		if got != test.want {
			t.Errorf("%s: %q,\nwant %q", test.name, got, test.want)
		}
	}
}

// TestBurstsByCounted: what the page cache answered took no credits, and what the storage did meanwhile took some.
func TestBurstsByCounted(t *testing.T) {
	for _, test := range []struct {
		name    string
		counted *Counted
		warned  bool
	}{
		{"answered by memory", &Counted{Reads: 60, ReadBytes: 60 << 10}, false},
		{"done by the storage", &Counted{Reads: 60 * 2000, ReadBytes: 60 * 2000 << 12}, true},
	} {
		s := seen{result: ofAMinute(blocks(2000, 4096, 1), nil), known: Known{Storage: gp2Of100GiB, Counted: test.counted}, load: Load{Buffered: true}}
		if got := storageBursts(s); (got != "") != test.warned {
			t.Errorf("%s: %q", test.name, got)
		}
	}
}

// Reads that memory answers are not held back by what reaches the storage beside them, whatever limit that exceeds.
func TestReadsOfMemoryBesideWriteback(t *testing.T) {
	const minute = 60
	r := ofAMinute(blocks(3413, 1<<20, 293_000), nil)
	load := Load{InFlight: 1, Jobs: 1, Buffered: true, Reads: true, Sequential: true, FileBytes: 10 << 30}
	known := Known{Storage: gp3, Counted: &Counted{Writes: minute * 500, WriteBytes: minute * 125 << 20, LeftBytes: 12 << 30}}
	for _, known.Exceeded = range []*Exceeded{nil, {VolumeThroughputMilliseconds: 60_000, RunMilliseconds: 60_000}} {
		if got := Judge(r, known, load, Client{MemoryBytes: 64 << 30}, 0); got.Reason != v1alpha1.BoundUnknown || !strings.Contains(got.Message, "the page cache answered the rest") {
			t.Errorf("%s (%s): %s", got.Reason, got.Evidence, got.Message)
		}
	}
}

// A rate that fio keeps is what held it back, also where the storage had more than fio asked for.
func TestRateThatIsKeptBesideOthers(t *testing.T) {
	const minute = 60
	r := ofAMinute(nil, blocks(2900, 4096, 344_000))
	got := Judge(r, Known{Storage: gp3, Counted: &Counted{Writes: minute * 3010, WriteBytes: minute * 3010 * 4096}}, Load{InFlight: 1, Jobs: 1, RateIOPS: 2900}, Client{}, 0)
	if got.Reason != v1alpha1.BoundWorkloadRate {
		t.Errorf("%s: %s", got.Reason, got.Message)
	}
}

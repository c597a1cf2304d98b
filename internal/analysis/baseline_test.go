package analysis

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// spent are credits of which nothing was left before a run.
var spent = &Credits{RanOut: true}

// TestCreditsInVerdicts has the verdict and the warning for each fate of credits.
func TestCreditsInVerdicts(t *testing.T) {
	unknownCredits := gp2Of100GiB.DeepCopy()
	unknownCredits.Burst.IOCredits = nil
	full := &Credits{Before: 1, After: 0.9693, BurstShare: 1, SecondsToEmpty: 2000}
	assumed := *full
	assumed.Assumed = true
	efsCredits := &Credits{Before: 1, After: 0.9974, BurstShare: 1, SecondsToEmpty: 22_242.5, Assumed: true}
	efsSpent := &Credits{RanOut: true, Assumed: true}
	quarterOfReads := &v1alpha1.KnownLimits{Limits: v1alpha1.Limits{
		Scope: v1alpha1.ScopeFileSystem, ReadBytesPerSecond: new(int64(1000 * miBps)), WriteBytesPerSecond: new(int64(250 * miBps)),
		Burst: &v1alpha1.Burst{BaselineBytesPerSecond: new(int64(100 * miBps)), ByteCredits: new(int64(1 << 40))},
	}}
	half := &Credits{Before: 1, RanOut: true, BurstShare: 0.5, SecondsToEmpty: 2000}
	reads := func(iops, bytes int64) *v1alpha1.Result {
		return &v1alpha1.Result{ElapsedMilliseconds: 60_000, Figures: v1alpha1.ListOf(blocks(iops, bytes, 0).As(v1alpha1.OperationRead))}
	}
	writes := func(iops, bytes int64) *v1alpha1.Result {
		return &v1alpha1.Result{ElapsedMilliseconds: 60_000, Figures: v1alpha1.ListOf(blocks(iops, bytes, 0).As(v1alpha1.OperationWrite))}
	}
	for _, test := range []struct {
		name    string
		result  *v1alpha1.Result
		known   Known
		want    string
		warning string
	}{{
		name: "E3 gp2 on credits", result: reads(3064, 16<<10), known: Known{Storage: gp2Of100GiB, Credits: full},
		want:    "VolumeIOPS 3000 3064 of the volume's 3000 IOPS (102 %)",
		warning: "ran on burst credits at 3064 IOPS, where the volume's baseline is 300 IOPS; 97 % of its credits are left; a full bucket lasts for 2000 s at this rate",
	}, {
		name: "E2 gp2 256K", result: reads(546, 256<<10), known: Known{Storage: gp2Of100GiB, Credits: full},
		want:    "VolumeThroughput 134217728 136 of the volume's 128 MiB/s (107 %)",
		warning: "ran on burst credits at 546 IOPS, where the volume's baseline is 300 IOPS; 97 % of its credits are left; a full bucket lasts for 21951 s at this rate",
	}, {
		name: "gp2 held by latency", result: reads(1000, 16<<10), known: Known{Storage: gp2Of100GiB, Credits: full},
		want:    "Latency? 1000 of the volume's 3000 IOPS, 33 %",
		warning: "ran on burst credits at 1000 IOPS, where the volume's baseline is 300 IOPS; 97 % of its credits are left; a full bucket lasts for 7714 s at this rate",
	}, {
		name: "credits of a rate that needs none by what is metered", result: reads(1000, 256<<10), known: Known{Storage: quarterOfReads, Credits: full},
		want:    "Unknown no known limit is reached, but not all are known: set iops in spec.targets[].limits",
		warning: "ran on burst credits at 250 MiB/s of reads, where the file system's baseline is 100 MiB/s; 97 % of its credits are left",
	}, {
		name: "a claim that existed", result: reads(3064, 16<<10), known: Known{Storage: gp2Of100GiB, Credits: &assumed},
		want:    "VolumeIOPS 3000 3064 of the volume's 3000 IOPS (102 %)",
		warning: "ran on burst credits at 3064 IOPS, where the volume's baseline is 300 IOPS; 97 % of its credits are left, if full when the benchmark began; a full bucket lasts for 2000 s at this rate",
	}, {
		name: "after credits", result: reads(300, 16<<10), known: Known{Storage: gp2Of100GiB, Credits: spent},
		want: "VolumeIOPS 300 300 of the volume's 300 IOPS that remain without burst credits (100 %)",
	}, {
		name: "large I/Os after credits", result: reads(75, 1<<20), known: Known{Storage: gp2Of100GiB, Credits: spent},
		want: "VolumeThroughput 78643200 75 of the volume's 75 MiB/s that remain without burst credits (100 %)",
	}, {
		name: "few came back", result: reads(320, 16<<10), known: Known{Storage: gp2Of100GiB, Credits: &Credits{Before: 0.0002, RanOut: true, BurstShare: 0.007, SecondsToEmpty: 0.4}},
		want: "VolumeIOPS 300 320 of the volume's 300 IOPS that remain without burst credits (107 %)",
	}, {
		name: "room beneath the baseline", result: reads(200, 16<<10), known: Known{Storage: gp2Of100GiB, Credits: &Credits{}},
		want: "Latency? 200 of the volume's 300 IOPS that remain without burst credits, 67 %",
	}, {
		name: "ran out", result: reads(1640, 16<<10), known: Known{Storage: gp2Of100GiB, Credits: half},
		want:    "VolumeIOPS 1650 1640 of the volume's 1650 IOPS on average (99 %): burst credits ran out during the run, so it shows neither the burst nor the baseline",
		warning: "burst credits ran out during the run, after 2000 s at the earliest: its average of 1640 IOPS shows neither the burst nor the volume's baseline of 300",
	}, {
		name: "credits that cannot be right", result: reads(3064, 16<<10), known: Known{Storage: gp2Of100GiB, Credits: spent},
		want:    "VolumeIOPS 3000 3064 of the volume's 3000 IOPS (102 %)",
		warning: "ran at 3064 IOPS, where the volume's baseline is 300 IOPS: it can keep this up only as long as it has burst credits",
	}, {
		name: "unknown credits, above the baseline", result: reads(2900, 16<<10), known: Known{Storage: unknownCredits},
		want:    "VolumeIOPS 3000 2900 of the volume's 3000 IOPS (97 %)",
		warning: "ran at 2900 IOPS, where the volume's baseline is 300 IOPS: it can keep this up only as long as it has burst credits",
	}, {
		name: "unknown credits, at the baseline", result: reads(306, 16<<10), known: Known{Storage: unknownCredits},
		want: "VolumeIOPS 300 306 of the volume's 300 IOPS that remain without burst credits (102 %)",
	}, {
		name: "unknown credits, beneath the baseline", result: reads(268, 16<<10), known: Known{Storage: unknownCredits},
		want: "Latency? 268 of the volume's 3000 IOPS, 9 %",
	}, {
		name: "nearly used up, at the baseline", result: reads(300, 16<<10), known: Known{Storage: gp2Of100GiB, Credits: &Credits{Before: 0.04, After: 0.03, BurstShare: 1}},
		want: "VolumeIOPS 300 300 of the volume's 300 IOPS that remain without burst credits (100 %)",
	}, {
		name: "nearly used up, above the baseline", result: reads(2990, 16<<10), known: Known{Storage: gp2Of100GiB, Credits: &Credits{Before: 0.04, After: 0.03, BurstShare: 1}},
		want:    "VolumeIOPS 3000 2990 of the volume's 3000 IOPS (100 %)",
		warning: "ran on burst credits at 2990 IOPS, where the volume's baseline is 300 IOPS; 3 % of its credits are left; a full bucket lasts for 2007 s at this rate",
	}, {
		name: "full by what is known, at the baseline", result: reads(300, 16<<10), known: Known{Storage: gp2Of100GiB, Credits: full},
		want: "Unknown 300 of the volume's 300 IOPS that remain without burst credits (100 %): this held the result back if no burst credits were left, something else if some were; it is unknown which",
	}, {
		name: "a little above the baseline, which credits allow for more than a day", result: reads(355, 16<<10), known: Known{Storage: gp2Of100GiB, Credits: full},
		want: "Latency? 355 of the volume's 3000 IOPS, 12 %",
	}, {
		name: "E1 EFS 64k", result: writes(1614, 64<<10), known: Known{Storage: emptyEFS, Client: clients(efsClient, m6iLargeNetwork), Credits: efsCredits},
		want:    "FileSystemThroughput 104857600 101 of the file system's 100 MiB/s of writes (101 %)",
		warning: "ran on burst credits at 101 MiB/s of writes, where the file system's baseline is 1 MiB/s; 100 % of its credits are left, if full when the benchmark began; a full bucket lasts for 22243 s at this rate",
	}, {
		name: "EFS writes after credits", result: writes(64, 16<<10), known: Known{Storage: emptyEFS, Credits: efsSpent},
		want: "FileSystemThroughput 1048576 1 of the file system's 1 MiB/s of writes that remain without burst credits (100 %)",
	}, {
		name: "EFS reads after credits", result: reads(192, 16<<10), known: Known{Storage: emptyEFS, Credits: efsSpent},
		want: "FileSystemThroughput 3145728 3 of the file system's 3 MiB/s of reads that remain without burst credits (100 %)",
	}, {
		name: "EFS writes of one byte after credits", result: writes(256, 1), known: Known{Storage: emptyEFS, Credits: efsSpent},
		want: "FileSystemThroughput 1048576 1 of the file system's 1 MiB/s as EFS meters them that remain without burst credits (100 %)",
	}, {
		name: "EFS IOPS without credits", result: writes(7000, 1), known: Known{Storage: emptyEFS, Credits: efsCredits},
		want:    "FileSystemIOPS 7000 7000 of the file system's 7000 IOPS of writes (100 %)",
		warning: "ran on burst credits at 27.3 MiB/s as EFS meters them, where the file system's baseline is 1 MiB/s; 100 % of its credits are left, if full when the benchmark began; a full bucket lasts for 83588 s at this rate",
	}, {
		name: "EFS reads and writes share", known: Known{Storage: emptyEFS, Credits: efsCredits},
		result:  &v1alpha1.Result{ElapsedMilliseconds: 60_000, Figures: v1alpha1.ListOf(blocks(150, miBps, 0).As(v1alpha1.OperationRead), blocks(50, miBps, 0).As(v1alpha1.OperationWrite))},
		want:    "FileSystemThroughput 104857600 100 of the file system's 100 MiB/s as EFS meters them (100 %)",
		warning: "ran on burst credits at 100 MiB/s as EFS meters them, where the file system's baseline is 1 MiB/s; 100 % of its credits are left, if full when the benchmark began; a full bucket lasts for 22243 s at this rate",
	}, {
		name: "EFS reads that a region caps, within the baseline of metered reads", result: reads(1500, miBps), known: Known{Storage: cappedEFS, Credits: efsCredits},
		want: "Latency? 1500 of the file system's 5120 MiB/s of reads, 29 %",
	}, {
		name: "EFS reads that a region caps, at the baseline", result: reads(3000, miBps), known: Known{Storage: cappedEFS, Credits: efsSpent},
		want: "FileSystemThroughput 3145728000 3000 of the file system's 3000 MiB/s of reads that remain without burst credits (100 %)",
	}, {
		name: "EFS reads and writes share where a region caps reads", known: Known{Storage: cappedEFS, Credits: efsSpent},
		result: &v1alpha1.Result{ElapsedMilliseconds: 60_000, Figures: v1alpha1.ListOf(blocks(1500, miBps, 0).As(v1alpha1.OperationRead), blocks(500, miBps, 0).As(v1alpha1.OperationWrite))},
		want:   "FileSystemThroughput 1048576000 1000 of the file system's 1000 MiB/s as EFS meters them that remain without burst credits (100 %)",
	}, {
		name: "limits of a user's file system are not taken for capped ones", result: reads(1500, miBps), known: Known{Storage: &v1alpha1.KnownLimits{Limits: cappedEFS.Limits}},
		want:    "Latency? 1500 of the file system's 5120 MiB/s of reads, 29 %",
		warning: "ran at 1500 MiB/s of reads, where the file system's baseline is 1000 MiB/s: it can keep this up only as long as it has burst credits",
	}, {
		name: "E1 gp3 64k on the instance's burst", result: writes(1987, 64<<10), known: Known{Storage: gp3, Client: clients(m6iLargeEBS)},
		want:    "VolumeThroughput 131072000 124 of the volume's 125 MiB/s (99 %)",
		warning: "moved 124 MiB/s, where the instance's baseline is 77.5 MiB/s: it can keep this up for 30 minutes, at least once in 24 hours",
	}, {
		name: "E1 gp3 16k within the instance's baseline", result: writes(3048, 16<<10), known: Known{Storage: gp3, Client: clients(m6iLargeEBS)},
		want: "VolumeIOPS 3000 3048 of the volume's 3000 IOPS (102 %)",
	}, {
		name: "IOPS of the instance", result: writes(6000, 4096), known: Known{Storage: &v1alpha1.KnownLimits{Limits: v1alpha1.Limits{IOPS: new(int64(16_000)), BytesPerSecond: new(int64(250 * miBps))}}, Client: clients(m6iLargeEBS)},
		want:    "Latency? 6000 of the volume's 16000 IOPS, 38 %",
		warning: "did 6000 IOPS, where the instance's baseline is 3600 IOPS: it can keep this up for 30 minutes, at least once in 24 hours",
	}} {
		t.Run(test.name, func(t *testing.T) {
			var text string
			if got := Bound(test.result, test.known, Load{}, Client{}); len(limitsOf(got)) == 1 {
				text = strings.Join([]string{got.Reason, strconv.FormatInt(limitsOf(got)[0], 10), got.Message}, " ")
			} else if strings.HasPrefix(got.Message, "no known limit is reached; whether latency") {
				nearest, _ := test.known.nearest(test.result, Load{})
				text = "Latency? " + nearest.String() + ", " + strconv.Itoa(int(nearest.percent())) + " %"
			} else {
				text = got.Reason + " " + got.Message
			}
			if diff := cmp.Diff(test.want, text); diff != "" {
				t.Errorf("bound (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.warning, worstMessage("", []func(seen) string{storageBursts, clientBursts}, []seen{{result: test.result, known: test.known}})); diff != "" {
				t.Errorf("warning (-want +got):\n%s", diff)
			}
		})
	}
}

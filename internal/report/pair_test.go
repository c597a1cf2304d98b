package report

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/analysis"
	"github.com/storagebench/storagebench/internal/report/compare"
	"github.com/storagebench/storagebench/internal/report/export"
)

// paired puts two benchmarks beside each other.
func paired(baseline, other *v1alpha1.StorageBenchmark) *compare.Pair {
	found := analysis.Between(&baseline.Status, &other.Status)
	return &compare.Pair{
		Benchmarks: [2]*v1alpha1.StorageBenchmark{baseline, other}, Labels: [2]string{baseline.Name, other.Name},
		Both: found.Both, Only: [2][]v1alpha1.Comparison{found.OnlyBaseline, found.OnlyOther},
	}
}

// beforeAndAfter has gp3 with more IOPS after a change, which EFS did not take part in.
func beforeAndAfter() *compare.Pair {
	before, after := experiment("before", gp3Six, efsSix), experiment("after", []int64{3900, 3950, 3920, 3890, 3910, 3915}, nil)
	after.Spec.Workloads[0].Fio.NumJobs = new(int32(32))
	begin := after.Status.StartTime.AddDate(0, 1, 0)
	after.Status.StartTime, after.Status.CompletionTime = new(metav1.NewTime(begin)), new(metav1.NewTime(begin.Add(10*time.Minute)))
	after.Status.Targets[0].Volumes[0].Name, after.Status.Targets[0].Volumes[0].Handle = "pvc-3", "vol-3"
	return paired(before, after)
}

const wantPair = `
WORKLOAD   PARAMETERS  TARGET  BENCHMARK  I/O           IOPS   BANDWIDTH    MEAN     P50     P90     P99  VS BEFORE  VERDICT  LIMITED BY
randwrite  bs=16k      gp3     before     write  3048 +-0.1%  47.6 MiB/s  5.25ms  5.25ms  5.78ms  10.5ms                      VolumeIOPS
randwrite  bs=16k      gp3     after      write    3913 +-1%  61.1 MiB/s  4.09ms  4.09ms  4.50ms  8.18ms      1.28x  Faster   VolumeIOPS

Measured: before until 2026-07-01 12:10 UTC and after from 2026-08-01 12:00 UTC on, 30 days apart, on other volumes. Verdicts count as a difference whatever else was not the same.

Differs: numjobs of randwrite (16 in before, 32 in after)

Only in before: randwrite bs=16k on efs

Warning Spread (1 result): before: randwrite bs=16k on efs: IOPS of 6 repetitions go from 1549 to 1830 around a median of 1563: a spread of 18 %
  raise repetitions or runtimeSeconds, and look for other load on the node and on the storage, or for burst credits that run out
`

func TestPairTable(t *testing.T) {
	got := printed(func(out *bytes.Buffer) { PairTable(out, beforeAndAfter(), Style{}) })
	if diff := cmp.Diff(wantPair, "\n"+got); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
	wide := printed(func(out *bytes.Buffer) { PairWide(out, beforeAndAfter(), Style{}) })
	for _, want := range []string{"P99 VS BEFORE", "3890-3950", "4.64e-10", "  Faster  ", "Only in before"} {
		if !strings.Contains(wide, want) {
			t.Errorf("wide has no %q:\n%s", want, wide)
		}
	}
}

// What has no result is not compared, and said: a verdict on the runs that did not fail is one on survivors.
func TestPairOfIncomplete(t *testing.T) {
	states := func(sb *v1alpha1.StorageBenchmark, states ...v1alpha1.RunState) {
		for i, state := range states {
			sb.Status.Runs[i].State, sb.Status.Runs[i].Result = state, nil
		}
	}
	const failed, pending, running = v1alpha1.RunFailed, v1alpha1.RunPending, v1alpha1.RunRunning
	for name, test := range map[string]struct {
		change func(before, after *v1alpha1.StorageBenchmark)
		want   []string
	}{
		"nothing is missing": {func(_, _ *v1alpha1.StorageBenchmark) {}, nil},
		"some failed": {
			func(_, after *v1alpha1.StorageBenchmark) { states(after, failed, failed) },
			[]string{"Incomplete: 4 of 6 runs of after have a result (2 failed). Verdicts are on these alone."},
		},
		"it goes on": {
			func(before, _ *v1alpha1.StorageBenchmark) {
				before.Status.CompletionTime = nil
				states(before, running, pending, failed)
			},
			[]string{"Incomplete: 3 of 6 runs of before have a result (1 failed, 2 not made yet). Verdicts are on these alone."},
		},
		"it ended early": {
			func(before, _ *v1alpha1.StorageBenchmark) { states(before, pending) },
			[]string{"Incomplete: 5 of 6 runs of before have a result (1 not made). Verdicts are on these alone."},
		},
		"attempts were abandoned": {
			func(before, after *v1alpha1.StorageBenchmark) {
				before.Status.AbandonedAttempts = make([]v1alpha1.AbandonedAttempt, 1)
				after.Status.AbandonedAttempts = make([]v1alpha1.AbandonedAttempt, compare.MaxAbandoned)
			},
			[]string{"Abandoned: 1 attempt of before ended without a result.", "Abandoned: 32 attempts or more of after ended without a result."},
		},
	} {
		t.Run(name, func(t *testing.T) {
			before, after := experiment("before", gp3Six, nil), experiment("after", gp3Six, nil)
			test.change(before, after)
			pair := paired(before, after)
			var got []string
			for line := range strings.Lines(printed(func(out *bytes.Buffer) { PairTable(out, pair, Style{}) })) {
				if strings.HasPrefix(line, "Incomplete") || strings.HasPrefix(line, "Abandoned") {
					got = append(got, strings.TrimSpace(line))
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
			var page bytes.Buffer
			if err := PairMarkdown(&page, pair); err != nil {
				t.Fatal(err)
			}
			for _, line := range test.want {
				head, text, _ := strings.Cut(line, ": ")
				if item := "- **" + head + "**: " + text; !strings.Contains(page.String(), item) {
					t.Errorf("no %q in\n%s", item, page.String())
				}
			}
		})
	}
}

// Two benchmarks were never measured together, so that what changed in between is in each verdict. That is always said, with what is known of it.
func TestPairOfOtherTimes(t *testing.T) {
	at := func(day, hour, minute int) *metav1.Time {
		return new(metav1.NewTime(time.Date(2026, 7, day, hour, minute, 0, 0, time.FixedZone("CEST", 7200))))
	}
	for name, test := range map[string]struct {
		change func(before, after *v1alpha1.StorageBenchmarkStatus)
		want   string
	}{
		"a minute later": {
			func(_, after *v1alpha1.StorageBenchmarkStatus) { after.StartTime = at(1, 14, 11) },
			"before until 2026-07-01 12:10 UTC and after from 2026-07-01 12:11 UTC on, 60 seconds apart, on the same volumes.",
		},
		"a day later": {
			func(_, after *v1alpha1.StorageBenchmarkStatus) { after.StartTime = at(2, 14, 10) },
			"before until 2026-07-01 12:10 UTC and after from 2026-07-02 12:10 UTC on, 24 hours apart, on the same volumes.",
		},
		"the other way round": {
			func(before, _ *v1alpha1.StorageBenchmarkStatus) { before.StartTime = at(1, 14, 55) },
			"after until 2026-07-01 12:10 UTC and before from 2026-07-01 12:55 UTC on, 45 minutes apart, on the same volumes.",
		},
		"at once": {
			func(_, after *v1alpha1.StorageBenchmarkStatus) { after.StartTime = at(1, 14, 5) },
			"at the same time in part, before from 2026-07-01 12:00 UTC on and after from 2026-07-01 12:05 UTC on, on the same volumes.",
		},
		"the first one goes on": {
			func(before, after *v1alpha1.StorageBenchmarkStatus) {
				before.CompletionTime, after.StartTime = nil, at(2, 14, 0)
			},
			"at the same time in part, before from 2026-07-01 12:00 UTC on and after from 2026-07-02 12:00 UTC on, on the same volumes.",
		},
		"times are not known": {
			func(before, _ *v1alpha1.StorageBenchmarkStatus) { before.StartTime = nil },
			"at unknown times, on the same volumes.",
		},
		"volumes are not known": {
			func(before, after *v1alpha1.StorageBenchmarkStatus) {
				before.StartTime, after.Targets[0].Volumes = nil, nil
			},
			"at unknown times.",
		},
		"one target has another volume": {
			func(before, after *v1alpha1.StorageBenchmarkStatus) {
				before.StartTime, after.Targets[0].Volumes[0].Handle = nil, "vol-3"
			},
			"at unknown times, in part on other volumes.",
		},
		"one volume by two names": {
			func(before, after *v1alpha1.StorageBenchmarkStatus) {
				before.StartTime, after.Targets[0].Volumes[0].Name = nil, "pv-3"
			},
			"at unknown times, on the same volumes.",
		},
		"runs say when": {
			func(before, after *v1alpha1.StorageBenchmarkStatus) { // which waited for the node, and was cleaned up for long
				before.CompletionTime, before.Runs[0].StartTime, before.Runs[0].CompletionTime = at(1, 15, 0), at(1, 14, 1), at(1, 14, 2)
				after.StartTime, after.CompletionTime, after.Runs[0].StartTime, after.Runs[0].CompletionTime = at(1, 14, 0), at(1, 15, 0), at(1, 14, 5), at(1, 14, 6)
			},
			"before until 2026-07-01 12:02 UTC and after from 2026-07-01 12:05 UTC on, 3 minutes apart, on the same volumes.",
		},
		"access points of one file system": {
			func(before, after *v1alpha1.StorageBenchmarkStatus) {
				before.StartTime, before.Targets[0].Volumes[0].Handle, after.Targets[0].Volumes[0].Handle = nil, "fs-1::fsap-1", "fs-1::fsap-2"
			},
			"at unknown times, on the same volumes.",
		},
		"volumes without handles": {
			func(before, after *v1alpha1.StorageBenchmarkStatus) {
				before.StartTime, after.Targets[0].Volumes[0].Handle, after.Targets[1].Volumes[0].Handle = nil, "", ""
				after.Targets[0].Volumes[0].Name, after.Targets[1].Volumes[0].Name = "pvc-3", "pvc-4"
			},
			"at unknown times, on other volumes.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			before, after := experiment("before", gp3Six[:1], efsSix[:1]), experiment("after", gp3Six[:1], efsSix[:1])
			test.change(&before.Status, &after.Status)
			want := "Measured: " + test.want + " Verdicts count as a difference whatever else was not the same.\n"
			if got := printed(func(out *bytes.Buffer) { PairTable(out, paired(before, after), Style{}) }); !strings.Contains(got, want) {
				t.Errorf("no %q in\n%s", want, got)
			}
		})
	}
}

func TestPairMarkdown(t *testing.T) {
	const want = `# after compared with before

| WORKLOAD | PARAMETERS | TARGET | BENCHMARK | I/O | IOPS | BANDWIDTH | MEAN | P50 | P90 | P99 | VS BEFORE | VERDICT | LIMITED BY |
|:--- |:--- |:--- |:--- |:--- | ---:| ---:| ---:| ---:| ---:| ---:| ---:|:--- |:--- |
| randwrite | bs=16k | gp3 | before | write | 3048 ±0.1% | 47.6 MiB/s | 5.25ms | 5.25ms | 5.78ms | 10.5ms |  |  | VolumeIOPS |
| randwrite | bs=16k | gp3 | after | write | 3913 ±1% | 61.1 MiB/s | 4.09ms | 4.09ms | 4.50ms | 8.18ms | 1.28x | Faster | VolumeIOPS |

IOPS, bandwidth and latencies are medians over repetitions, ± half of their range. MEAN is fio's lat, percentiles are of its clat.

## What the verdicts rest on

- **Measured**: before until 2026-07-01 12:10 UTC and after from 2026-08-01 12:00 UTC on, 30 days apart, on other volumes. Verdicts count as a difference whatever else was not the same.

## What differs apart from the results

- numjobs of randwrite (16 in before, 32 in after)

## What has no counterpart

- Only in before: randwrite bs=16k on efs

## Warnings

- **Spread** (1 result of before): randwrite bs=16k on efs: IOPS of 6 repetitions go from 1549 to 1830 around a median of 1563: a spread of 18 %
  To do: raise repetitions or runtimeSeconds, and look for other load on the node and on the storage, or for burst credits that run out
`
	var out bytes.Buffer
	if err := PairMarkdown(&out, beforeAndAfter()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("page (-want +got):\n%s", diff)
	}
}

func TestPairCSV(t *testing.T) {
	got := records(t, func(w io.Writer) error { return export.PairCSV(w, beforeAndAfter()) })
	type short struct{ benchmark, target, bs, iops, ratio, p, verdict, p99 string }
	var rows []short
	for _, r := range got {
		rows = append(rows, short{r["benchmark"], r["target"], r["param_bs"], r["iops_median"], r["iops_ratio"], r["iops_p_value"], r["verdict"], r["clat_p99_ns_verdict"]})
	}
	want := []short{
		{"before", "gp3", "16k", "3048", "", "", "", ""}, {"after", "gp3", "16k", "3913", "1.28", "4.64e-10", "Faster", "Faster"},
		{"before", "efs", "16k", "1563", "", "", "", ""},
	}
	if diff := cmp.Diff(want, rows, cmp.AllowUnexported(short{})); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if r := got[1]; r["iops_ratio_low"] != "1.278" || r["iops_ratio_high"] != "1.292" || r["iops_adjusted_p_value"] != "4.64e-10" || r["iops_detectable_percent"] != "" {
		t.Errorf("the interval is %s to %s, p corrected %s", r["iops_ratio_low"], r["iops_ratio_high"], r["iops_adjusted_p_value"])
	}
}

func TestPairJSON(t *testing.T) {
	var out bytes.Buffer
	if err := export.PairJSON(&out, beforeAndAfter()); err != nil {
		t.Fatal(err)
	}
	var got export.PairDocument
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Baseline.Name != "before" || got.Other.Name != "after" || len(got.Comparisons) != 2 || len(got.Only) != 1 || got.Only[0].Benchmark != "before" || got.Only[0].Target != "efs" {
		t.Errorf("document %+v", got)
	}
	if after := got.Comparisons[1]; after.Benchmark != "after" || after.Figures.MilliIOPS.Ratio != "1.28" || after.Figures.MilliIOPS.RatioLow != "1.278" || after.Figures.MilliIOPS.AdjustedPValue != "4.64e-10" || after.Verdict != v1alpha1.VerdictFaster {
		t.Errorf("the other one is %+v", after)
	}
	if diff := cmp.Diff([]compare.Difference{{What: "numjobs of randwrite", Baseline: "16", Other: "32"}}, got.Differences); diff != "" {
		t.Errorf("differences (-want +got):\n%s", diff)
	}
}

func TestNothingToCompare(t *testing.T) {
	other := experiment("after", nil, []int64{1500})
	other.Status.Runs[0].Workload = "renamed"
	for want, pair := range map[string]*compare.Pair{
		"": beforeAndAfter(),
		"nothing to compare: before has randwrite bs=16k on gp3, and after has no results":                                                    paired(experiment("before", []int64{3000}, nil), experiment("after", nil, nil)),
		"nothing to compare: before has randwrite bs=16k on gp3, and after has renamed bs=16k on efs; both need results of the same workload": paired(experiment("before", []int64{3000}, nil), other),
	} {
		err := pair.Validate()
		if want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestDifferences(t *testing.T) {
	other := func(change func(*v1alpha1.StorageBenchmark)) *v1alpha1.StorageBenchmark {
		sb := experiment("after", gp3Six[:1], efsSix[:1])
		change(sb)
		return sb
	}
	for name, test := range map[string]struct {
		change func(*v1alpha1.StorageBenchmark)
		want   []compare.Difference
	}{
		"nothing": {func(*v1alpha1.StorageBenchmark) {}, nil},
		"the version of fio, of some runs": {
			func(sb *v1alpha1.StorageBenchmark) { sb.Status.Runs[0].Result.FioVersion = "fio-3.40" },
			[]compare.Difference{{What: "version of fio", Baseline: "fio-3.39", Other: "fio-3.39, fio-3.40"}},
		},
		"nodes": {
			func(sb *v1alpha1.StorageBenchmark) { sb.Status.Targets[1].Volumes[0].InstanceType = "m7i.large" },
			[]compare.Difference{{What: "instance types of the nodes of efs", Baseline: "m6i.large", Other: "m7i.large"}},
		},
		"nodes of which the type is not known": {func(sb *v1alpha1.StorageBenchmark) { sb.Status.Targets[1].Volumes[0].InstanceType = "" }, nil},
		"zones": {
			func(sb *v1alpha1.StorageBenchmark) { sb.Status.Targets[0].Volumes[0].Zone = "eu-central-1c" },
			[]compare.Difference{{What: "zones of gp3", Baseline: "eu-central-1a", Other: "eu-central-1c"}},
		},
		"zones that are not known": {func(sb *v1alpha1.StorageBenchmark) { sb.Status.Targets[0].Volumes[0].Zone = "" }, nil},
		"the size": {
			func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Targets[0].Capacity = nil },
			[]compare.Difference{{What: "size of gp3", Baseline: "30Gi", Other: "10Gi"}},
		},
		"the same size in other words": {func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Targets[0].Capacity = new(resource.MustParse("30720Mi")) }, nil},
		"limits": {
			func(sb *v1alpha1.StorageBenchmark) { sb.Status.Targets[0].Limits.IOPS = new(int64(6000)) },
			[]compare.Difference{{What: "limits of gp3", Baseline: "3000 IOPS, 125 MiB/s", Other: "6000 IOPS, 125 MiB/s"}},
		},
		"limits that are not known": {
			func(sb *v1alpha1.StorageBenchmark) { sb.Status.Targets[0].Limits = nil },
			[]compare.Difference{{What: "limits of gp3", Baseline: "Volume: 3000 IOPS, 125 MiB/s", Other: "unknown"}},
		},
		"raw block volumes": {
			func(sb *v1alpha1.StorageBenchmark) { sb.Status.Targets[0].VolumeMode = "Block" },
			[]compare.Difference{{What: "volume mode of gp3", Baseline: "Filesystem", Other: "Block"}},
		},
		"what a volume is made from": {
			func(sb *v1alpha1.StorageBenchmark) {
				sb.Spec.Targets[0].DataSource = &v1alpha1.DataSource{Kind: v1alpha1.DataSourceClaim, Name: "db"}
			},
			[]compare.Difference{{What: "dataSource of gp3", Baseline: "none", Other: "PersistentVolumeClaim db"}},
		},
		"clients": {
			func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Clients = new(int32(4)) },
			[]compare.Difference{{What: "clients of randwrite bs=16k", Baseline: "1", Other: "4"}},
		},
		"parameters and options": {
			func(sb *v1alpha1.StorageBenchmark) {
				p := sb.Spec.Workloads[0].Fio
				p.Direct, p.RuntimeSeconds, p.BS, p.Options = nil, new(int32(604_800)), new("4k"), map[string]v1alpha1.FioOptionValue{"thinktime": "100"}
			},
			[]compare.Difference{{What: "direct of randwrite", Baseline: "true", Other: "unset"}, {What: "runtimeSeconds of randwrite", Baseline: "60", Other: "604800"}, {What: "thinktime of randwrite", Baseline: "unset", Other: "100"}},
		},
		"job files": {
			func(sb *v1alpha1.StorageBenchmark) {
				sb.Spec.Workloads[0].Fio, sb.Spec.Workloads[0].JobFile = nil, new("[a]\n")
			},
			[]compare.Difference{{What: "job file of randwrite"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := paired(experiment("before", gp3Six[:1], efsSix[:1]), other(test.change)).Differences()
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestDifferencesOfOtherTargets: what was not compared does not matter, and two targets that are the only ones have both names.
func TestDifferencesOfOtherTargets(t *testing.T) {
	before, after := experiment("before", gp3Six[:1], nil), experiment("after", nil, efsSix[:1])
	after.Status.Targets[0].Volumes[0].InstanceType = "unlike"
	want := []compare.Difference{{What: "limits of gp3 and efs", Baseline: "Volume: 3000 IOPS, 125 MiB/s", Other: "unknown"}}
	if diff := cmp.Diff(want, paired(before, after).Differences()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

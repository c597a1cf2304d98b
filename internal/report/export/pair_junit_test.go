package export

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/report/compare"
)

func TestPairAsJUnit(t *testing.T) {
	pair := func(verdict v1alpha1.Verdict) *compare.Pair {
		of := func(name string, iops int64, verdict v1alpha1.Verdict, ratio string) v1alpha1.TargetComparison {
			io := &v1alpha1.FiguresComparison{MilliIOPS: &v1alpha1.Statistic{Median: 1000 * iops, Ratio: ratio, Verdict: verdict}}
			return v1alpha1.TargetComparison{Name: name, Runs: 4, Figures: v1alpha1.ListOf(io.As(v1alpha1.OperationRead))}
		}
		return &compare.Pair{
			Benchmarks: [2]*v1alpha1.StorageBenchmark{{}, {}}, Labels: [2]string{"before", "after"},
			Both: []v1alpha1.Comparison{{
				Workload: "w", Parameters: map[string]string{"bs": "4k"},
				Targets: []v1alpha1.TargetComparison{of("gp3", 3000, "", ""), of("gp3", 1500, verdict, "0.50")},
			}},
			Only: [2][]v1alpha1.Comparison{{{Workload: "gone", Targets: []v1alpha1.TargetComparison{of("gp3", 1, "", "")}}}, nil},
		}
	}
	for verdict, want := range map[v1alpha1.Verdict]struct {
		slower, undecided int
		text              string
	}{
		v1alpha1.VerdictSlower:     {1, 0, `<failure message="Slower: 1500 IOPS, 0.50x"`},
		v1alpha1.VerdictTooFewRuns: {0, 1, `<skipped message="TooFewRuns: 1500 IOPS, 0.50x"`},
		v1alpha1.VerdictNotShown:   {0, 1, `<skipped message="NotShown: 1500 IOPS, 0.50x"`},
		v1alpha1.VerdictSame:       {0, 0, `<system-out><![CDATA[Same: 1500 IOPS, 0.50x]]>`},
	} {
		p := pair(verdict)
		var text strings.Builder
		if err := PairJUnit(&text, p); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(text.String(), want.text) || !strings.Contains(text.String(), `name="w bs=4k on gp3: read"`) || !strings.Contains(text.String(), "Missing") {
			t.Errorf("%s is\n%s\nwithout %q", verdict, &text, want.text)
		}
		if slower, undecided := p.Slower(), p.Unknown(); len(slower) != want.slower || len(undecided) != want.undecided+1 {
			t.Errorf("%s: slower %v, undecided %v", verdict, slower, undecided)
		}
	}

	latency := pair(v1alpha1.VerdictSame)
	latency.Both[0].Targets[1].Of(v1alpha1.OperationRead).P99Nanoseconds = &v1alpha1.Statistic{Median: 1, Verdict: v1alpha1.VerdictSlower}
	if slower := latency.Slower(); len(slower) != 1 {
		t.Errorf("a latency is slower, and %v is told", slower)
	}
	goesOn := pair(v1alpha1.VerdictSame)
	goesOn.Benchmarks[1].Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionUnknown}}
	if unknown := goesOn.Unknown(); len(unknown) != 2 || unknown[1] != "after has not ended" {
		t.Errorf("a benchmark goes on, and %v is told", unknown)
	}
}

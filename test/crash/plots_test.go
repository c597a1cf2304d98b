package crash

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// plot is a schedule that makes a StorageBenchmark each minute, and what becomes of these.
type plot struct {
	name string
	spec func(*v1alpha1.StorageBenchmarkScheduleSpec)
	// before is what the history has before the first minute, which may be nothing.
	before []int64
	acts   []act
	// acknowledge has the regression acknowledged at the end.
	acknowledge bool
}

// act is a minute of a plot.
type act struct {
	// ends is how the StorageBenchmark of the minute ends, and iops what it has measured; "": it goes on.
	ends metav1.ConditionStatus
	iops int64
	// deletes has the schedule deleted as soon as the StorageBenchmark has ended.
	deletes bool
	// points and there are how many points and StorageBenchmarks there are then, and regressed is what the condition says, if there is one.
	points, there int
	regressed     string
}

// active is how many StorageBenchmarks go on after the act.
func (a *act) active() int {
	if a.ends == "" {
		return 1
	}
	return 0
}

const (
	succeeded = metav1.ConditionTrue
	failed    = metav1.ConditionFalse
)

// steady is what storage measured that has not changed.
var steady = []int64{3000, 3010, 2990, 3004, 3001, 2995, 3007, 2998, 3003, 3000, 2996, 3005}

// plots make between them all writes that there are for schedules.
var plots = []plot{{
	// The storage gets slower. StorageBenchmarks that have succeeded and that have failed are deleted, as are the oldest points.
	name: "regression",
	spec: func(s *v1alpha1.StorageBenchmarkScheduleSpec) {
		s.SuccessfulBenchmarksHistoryLimit, s.FailedBenchmarksHistoryLimit, s.HistoryLimit = new(int32(1)), new(int32(1)), new(int32(15))
	},
	before: steady,
	acts: []act{
		{ends: succeeded, iops: 1500, points: 13, there: 1, regressed: v1alpha1.ReasonNotSlower},
		{ends: failed, iops: 1504, points: 14, there: 2, regressed: v1alpha1.ReasonNotSlower},
		{ends: succeeded, iops: 1497, points: 15, there: 2, regressed: v1alpha1.ReasonSlower},
		{ends: failed, points: 15, there: 2, regressed: v1alpha1.ReasonSlower},
		{ends: succeeded, iops: 1501, points: 15, there: 2, regressed: v1alpha1.ReasonSlower},
	},
	acknowledge: true,
}, {
	// The first points of a history, of StorageBenchmarks that are deleted at once.
	name: "none is kept",
	spec: func(s *v1alpha1.StorageBenchmarkScheduleSpec) {
		s.SuccessfulBenchmarksHistoryLimit, s.FailedBenchmarksHistoryLimit = new(int32(0)), new(int32(0))
	},
	acts: []act{
		{ends: succeeded, iops: 3000, points: 1, regressed: v1alpha1.ReasonTooFewRuns},
		{ends: failed, iops: 3000, points: 2, regressed: v1alpha1.ReasonTooFewRuns},
		{ends: succeeded, iops: 3000, points: 3, regressed: v1alpha1.ReasonTooFewRuns},
	},
}, {
	// What is not over is deleted for the next one.
	name: "replaced",
	spec: func(s *v1alpha1.StorageBenchmarkScheduleSpec) { s.ConcurrencyPolicy = v1alpha1.ConcurrencyReplace },
	acts: []act{{there: 1}, {there: 1}, {ends: succeeded, iops: 3000, points: 1, there: 1, regressed: v1alpha1.ReasonTooFewRuns}},
}, {
	// The schedule is deleted while a point is kept.
	name: "deletion",
	spec: func(s *v1alpha1.StorageBenchmarkScheduleSpec) { s.SuccessfulBenchmarksHistoryLimit = new(int32(0)) },
	acts: []act{{there: 1}, {ends: succeeded, iops: 3000, deletes: true}},
}}

package attempt

import (
	"slices"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// Earlier is what may be left of earlier attempts when one of a run is to begin.
type Earlier struct {
	// Repeats says that the run was tried before, Measures that a pod of a run is seen that has not ended, CutShort that the run before was
	// given up, whose last pod need not be seen.
	Repeats, Measures, CutShort bool
	// Clients is how many measure together at most.
	Clients int32
	// Saved says that all that was found out is saved. What is not would go with the pods that tell it.
	Saved bool
}

// EarlierAction is what is to be done about earlier attempts before one begins.
type EarlierAction string

// What can be done about them. Two at once would measure each other.
const (
	LeaveJobs  EarlierAction = "LeaveJobs"  // nothing: all have ended, and leave few Jobs
	SaveFirst  EarlierAction = "SaveFirst"  // save what was found out
	EndEarlier EarlierAction = "EndEarlier" // end them, and wait until they have ended
	DropJobs   EarlierAction = "DropJobs"   // delete their Jobs, which have ended
)

// DecideEarlier says what is to be done about earlier attempts before one begins. The Jobs of a single client stay until clean-up. Those of many clients
// in many runs would be so many that each pass takes longer than the one before.
func DecideEarlier(e Earlier) EarlierAction {
	mayGoOn := e.Repeats || e.Measures || e.CutShort
	switch {
	case !mayGoOn && e.Clients <= 1:
		return LeaveJobs
	case !e.Saved:
		return SaveFirst
	case mayGoOn:
		return EndEarlier
	default:
		return DropJobs
	}
}

// JobsAction is what is to be done about the Jobs of an attempt.
type JobsAction string

// What can be done about them.
const (
	FollowJobs JobsAction = "FollowJobs" // see how they get on
	MakeJobs   JobsAction = "MakeJobs"   // make those that are missing
	FindJob    JobsAction = "FindJob"    // see what has become of the first one that is missing: somebody has deleted it, or its labels
)

// DecideJobs says what is to be done about the Jobs of an attempt of which some may be missing. Seen says that all were there before.
func DecideJobs(missing int, seen bool) JobsAction {
	switch {
	case missing == 0:
		return FollowJobs
	case seen:
		return FindJob
	default:
		return MakeJobs
	}
}

// WasCutShort says whether the last run that has begun failed because its attempts were ended from outside. Its last one may go on, also where none of its
// pods is seen yet.
func WasCutShort(runs []v1alpha1.Run) bool {
	for _, run := range slices.Backward(runs) {
		if run.Attempts > 0 {
			return run.Disruptions > MaxDisruptions
		}
	}
	return false
}

package analysis

import (
	"slices"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// A volume that is made from a snapshot or from another volume can be used at once, and some storage loads what it has only then. EBS loads a
// block of a snapshot from S3 when it is first used, unless it came there before by itself:
// https://docs.aws.amazon.com/ebs/latest/userguide/initalize-volume.html
// So the first run on such a volume measures something else than those after it. No run is of one kind alone: a run may use a block twice, storage
// loads more at once than a block of fio's, and a later run comes to blocks that no run has used.

// firstAccess warns of all runs on such a volume, and says which kind most of its I/O may be.
func firstAccess(s seen) string {
	switch {
	case !s.load.Sourced:
		return ""
	case s.load.Used:
		return "earlier runs have used this volume, which was made from a dataSource: blocks that they used are loaded by now"
	default:
		return "no run has used this volume since it was made from its dataSource: storage may load each block when it is first used"
	}
}

// isOfFirstAccess says whether a run has the warning.
func isOfFirstAccess(run *v1alpha1.Run) bool {
	return slices.ContainsFunc(run.Warnings, func(w v1alpha1.Warning) bool { return w.Reason == v1alpha1.WarningFirstAccess })
}

package report

import (
	"fmt"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// nodeLoadInWords returns how busy the node of a run was, "" if that is not known.
func nodeLoadInWords(run *v1alpha1.Run) string {
	n := run.NodeLoad
	if n == nil {
		return ""
	}
	words := fmt.Sprintf("Its CPUs were %d %% busy, %d %% with other work than fio", n.BusyPercent, n.OthersPercent)
	if n.WaitedPercent > 0 {
		words += fmt.Sprintf("; fio's jobs waited for a CPU in %d %% of their time", n.WaitedPercent)
	}
	return words + "."
}

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

// nodeFields are how busy the node was during the run.
func nodeFields() []field[Measurement] {
	load := func(name string, of func(*v1alpha1.NodeLoad) int32) field[Measurement] {
		return field[Measurement]{name, func(m *Measurement) string {
			if m.NodeLoad == nil {
				return ""
			}
			return whole(int64(of(m.NodeLoad)))
		}}
	}
	return []field[Measurement]{
		load("node_busy_percent", func(n *v1alpha1.NodeLoad) int32 { return n.BusyPercent }),
		load("node_others_percent", func(n *v1alpha1.NodeLoad) int32 { return n.OthersPercent }),
		load("node_waited_percent", func(n *v1alpha1.NodeLoad) int32 { return n.WaitedPercent }),
		load("node_cpu_pressure_percent", func(n *v1alpha1.NodeLoad) int32 { return n.CPUPressurePercent }),
		load("node_io_pressure_percent", func(n *v1alpha1.NodeLoad) int32 { return n.IOPressurePercent }),
	}
}

package export

import "github.com/storagebench/storagebench/api/v1alpha1"

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

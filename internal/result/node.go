package result

import (
	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/analysis"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/storage"
)

// nodeLoad returns how busy the node of a run was, nil if that is not known.
func nodeLoad(report *digest.Report) *v1alpha1.NodeLoad {
	n := report.Environment.Node
	if n == nil {
		return nil
	}
	return &v1alpha1.NodeLoad{
		BusyPercent: inPercent(n.BusyPermille), OthersPercent: inPercent(n.OthersPermille),
		WaitedPercent:      inPercent(n.WaitedPermille),
		CPUPressurePercent: inPercent(n.CPUPressurePermille), IOPressurePercent: inPercent(n.IOPressurePermille),
	}
}

// inPercent rounds thousandths.
func inPercent(permille int64) int32 { return int32((permille + 5) / 10) }

// nodeOf returns how busy the node of a run was, as results are judged by it.
func (f *Facts) nodeOf(report *digest.Report) analysis.NodeLoad {
	n := report.Environment.Node
	if n == nil {
		return analysis.NodeLoad{}
	}
	return analysis.NodeLoad{
		BusyPermille: n.BusyPermille, OthersPermille: n.OthersPermille, WaitedPermille: n.WaitedPermille,
		Served: storage.KindOf(f.Planned.Target, f.Target.Driver).IsPartOfService(),
	}
}

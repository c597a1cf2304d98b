package schedule

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/history"
)

// environment returns what the status of a StorageBenchmark does not say of where it was measured. What cannot be found out any more stays unknown:
// the node may be gone.
func (p *pass) environment(ctx context.Context, sb *v1alpha1.StorageBenchmark) history.Environment {
	env := history.Environment{Operator: p.Version}
	name := nodeOf(sb)
	if name == "" || len(p.Namespaces) > 0 {
		return env
	}
	var node corev1.Node
	if err := p.Live.Get(ctx, client.ObjectKey{Name: name}, &node); err != nil {
		return env
	}
	info := &node.Status.NodeInfo
	env.Kubelet, env.Kernel, env.OSImage = info.KubeletVersion, info.KernelVersion, info.OSImage
	return env
}

// nodeOf returns the first node that a StorageBenchmark was measured on.
func nodeOf(sb *v1alpha1.StorageBenchmark) string {
	for i := range sb.Status.Targets {
		for _, volume := range sb.Status.Targets[i].Volumes {
			if volume.Node != "" {
				return volume.Node
			}
		}
	}
	return ""
}

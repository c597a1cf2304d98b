package schedule

import (
	"cmp"
	"context"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/history"
)

// environment returns what the status of a StorageBenchmark does not say of where it was measured. What cannot be found out any more stays unknown:
// the node may be gone.
func (p *pass) environment(ctx context.Context, sb *v1alpha1.StorageBenchmark) history.Environment {
	env := history.Environment{Operator: p.Version}
	if len(p.Namespaces) > 0 {
		return env
	}
	env.Drivers, env.Targets = p.drivers(ctx, sb), p.classes(ctx, sb)
	name := nodeOf(sb)
	if name == "" {
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

// Labels that charts and add-ons put on what they install, as Kubernetes recommends.
const (
	labelName    = "app.kubernetes.io/name"
	labelVersion = "app.kubernetes.io/version"
)

// drivers returns the versions of the CSI drivers of a StorageBenchmark's targets. Their pods are not read, which would take the right to read
// all pods of kube-system: the CSIDriver object has the version as a label, where a chart or an add-on has made it.
func (p *pass) drivers(ctx context.Context, sb *v1alpha1.StorageBenchmark) []history.Driver {
	names := sets.New[string]()
	for i := range sb.Status.Targets {
		names.Insert(sb.Status.Targets[i].Driver)
	}
	var known []history.Driver
	for _, name := range sets.List(names.Delete("")) {
		var driver storagev1.CSIDriver
		if err := p.Live.Get(ctx, client.ObjectKey{Name: name}, &driver); err != nil || driver.Labels[labelVersion] == "" {
			continue
		}
		image := cmp.Or(driver.Labels[labelName], name) + ":" + driver.Labels[labelVersion]
		known = append(known, history.Driver{Name: name, Image: image})
	}
	return known
}

// classes returns the StorageClasses of the targets that name one, or have the cluster's default. Those that the operator has made go with their benchmark, and say what the spec says.
func (p *pass) classes(ctx context.Context, sb *v1alpha1.StorageBenchmark) []history.TargetStorage {
	var known []history.TargetStorage
	for i := range sb.Spec.Targets {
		t := &sb.Spec.Targets[i]
		status := sb.Status.Target(t.Name)
		if t.StorageClassName == nil || status == nil || status.StorageClassName == "" {
			continue
		}
		var class storagev1.StorageClass
		if err := p.Live.Get(ctx, client.ObjectKey{Name: status.StorageClassName}, &class); err != nil {
			continue
		}
		known = append(known, history.TargetStorage{Target: t.Name, Class: class.Name, Parameters: history.ClassParameters(&class)})
	}
	return known
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

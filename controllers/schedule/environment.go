package schedule

import (
	"cmp"
	"context"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/history"
)

// environment returns facts about where a StorageBenchmark was measured that its status does not have. Facts that
// cannot be found out any more stay unknown: the node may be gone.
func environment(ctx context.Context, p *pass, sb *v1alpha1.StorageBenchmark) history.Environment {
	env := history.Environment{Operator: p.Version}
	if len(p.Namespaces) > 0 {
		return env
	}
	env.Drivers, env.Classes = drivers(ctx, p, sb), classes(ctx, p, sb)
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

// drivers returns the versions of the CSI drivers of a StorageBenchmark's targets. Their pods are not read, which would
// take the right to read all pods of kube-system: the CSIDriver object has the version as a label, where a chart or an
// add-on has made it.
func drivers(ctx context.Context, p *pass, sb *v1alpha1.StorageBenchmark) []history.Driver {
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

// classes returns the StorageClasses that targets name, sorted. Changing the parameters of a StorageClass means making
// it anew: for one that is younger than the StorageBenchmark, the parameters of its volumes are unknown.
func classes(ctx context.Context, p *pass, sb *v1alpha1.StorageBenchmark) []history.StorageClass {
	targets := map[string][]string{}
	for i := range sb.Spec.Targets {
		if t := &sb.Spec.Targets[i]; t.StorageClassName != nil {
			targets[*t.StorageClassName] = append(targets[*t.StorageClassName], t.Name)
		}
	}
	var known []history.StorageClass
	for _, name := range slices.Sorted(maps.Keys(targets)) {
		var class storagev1.StorageClass
		err := p.Live.Get(ctx, client.ObjectKey{Name: name}, &class)
		if err != nil || class.CreationTimestamp.After(sb.CreationTimestamp.Time) {
			continue
		}
		known = append(known, history.StorageClass{
			Name: name, Parameters: history.ClassParameters(&class),
			Targets: slices.Sorted(slices.Values(targets[name])),
		})
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

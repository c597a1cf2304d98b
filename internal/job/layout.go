package job

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/storagebench/storagebench/internal/digest"
)

// layoutFlag has the runner lay out files before it measures. One that does not know how to refuses the flag, where it would
// pass over a variable, and measure files that nobody has written.
const layoutFlag = "--layout"

// preconditionFlag has the runner write files or a device before it measures.
const preconditionFlag = "--precondition="

// probeFlag has the runner probe when it has measured. One that does not know how to refuses it.
const probeFlag = "--probe"

// layOutFirst has the container that measures lay out files before. In an init container it would take a second longer, and
// more: a kubelet looks once a second which containers have ended, and only then starts the next.
func layOutFirst(measure *corev1ac.ContainerApplyConfiguration, layoutFile string) {
	measure.
		WithArgs(layoutFlag).
		WithEnv(corev1ac.EnvVar().WithName(digest.LayoutVariable).WithValue(layoutFile))
}

// LaysOutFirst says whether the container that measures lays out files before.
func LaysOutFirst(pod *corev1.PodSpec) bool {
	return measuresWith(pod, layoutFlag) || slices.ContainsFunc(pod.Containers, func(c corev1.Container) bool {
		return c.Name == MeasureContainer && slices.ContainsFunc(c.Args, func(arg string) bool { return strings.HasPrefix(arg, preconditionFlag) })
	})
}

// Probes says whether the container that measures probes afterwards.
func Probes(pod *corev1.PodSpec) bool { return measuresWith(pod, probeFlag) }

func measuresWith(pod *corev1.PodSpec, flag string) bool {
	return slices.ContainsFunc(pod.Containers, func(c corev1.Container) bool {
		return c.Name == MeasureContainer && slices.Contains(c.Args, flag)
	})
}

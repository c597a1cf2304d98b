package attempt

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// quiet is how long a pod may be unready while its container is reported to run.
const quiet = 10 * time.Second

// SilentNode names a pod that is not ready although its container is reported to run, longer than a start takes. Most
// often its node does not answer. An operator that is confined to namespaces cannot read the node itself.
func SilentNode(pods []*corev1.Pod, now time.Time) string {
	for _, pod := range pods {
		if !MayBeCutOff(pod) {
			continue
		}
		for _, c := range pod.Status.Conditions {
			if c.Type == corev1.PodReady && now.Sub(c.LastTransitionTime.Time) > quiet {
				return fmt.Sprintf("pod %s has not been ready since %s: node %s may not answer, and fio may still run there; the run is repeated when Kubernetes gives up the pod",
					pod.Name, c.LastTransitionTime.UTC().Format(time.RFC3339), pod.Spec.NodeName)
			}
		}
	}
	return ""
}

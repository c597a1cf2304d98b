package attempt

import "strings"

// refusals are words of Kubernetes about pods whose resources a namespace does not admit: those of its LimitRanger
// (k8s.io/kubernetes, plugin/pkg/admission/limitranger), and of a quota on resources that a pod does not set
// (k8s.io/apiserver, pkg/admission/plugin/resourcequota).
var refusals = []string{" usage per ", " max limit to request ratio per ", "failed quota: "}

// ResourceRemedy returns what to do about a refusal of a pod for its resources, by the field that sets them, "" where the
// refusal is about something else.
func ResourceRemedy(refusal, field string) string {
	for _, words := range refusals {
		if strings.Contains(refusal, words) {
			return "; the namespace has a LimitRange or a ResourceQuota: set " + field + " to what it admits"
		}
	}
	return ""
}

// The fields that set the resources of pods.
const (
	RunResources    = "spec.pod.resources"
	AnchorResources = "spec.pod.anchorResources"
)

package attempt

import (
	"strings"
	"testing"
)

func TestResourceRemedy(t *testing.T) {
	for refusal, want := range map[string]bool{
		`pods "a" is forbidden: minimum cpu usage per Container is 50m, but request is 10m`:                          true,
		`pods "a" is forbidden: maximum memory usage per Pod is 1Gi, but limit is 2Gi`:                               true,
		`pods "a" is forbidden: cpu max limit to request ratio per Container is 10, but provided ratio is 20.000000`: true,
		`pods "a" is forbidden: failed quota: compute: must specify requests.cpu for: fio`:                           true,
		`jobs.batch "a" is forbidden: exceeded quota: jobs, requested: count/jobs.batch=1, used: 3, limited: 3`:      false,
		`pods "a" is forbidden: violates PodSecurity "restricted:latest"`:                                            false,
	} {
		got := ResourceRemedy(refusal, AnchorResources)
		if (got != "") != want || want && !strings.Contains(got, "set spec.pod.anchorResources") {
			t.Errorf("%s: %q", refusal, got)
		}
	}
}

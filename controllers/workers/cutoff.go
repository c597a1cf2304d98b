package workers

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/attempt"
)

// CutOff says which node of an attempt does not answer, or nothing. Its containers are said to run until it does, or
// until Kubernetes gives its pods up.
func CutOff(ctx context.Context, p *pass.Pass, parts []Part) (string, error) {
	if p.Namespaces.AreSet() {
		return attempt.SilentNode(world.Each(parts, func(one Part) *corev1.Pod { return one.Pod }), p.Now.Time), nil
	}
	for _, one := range parts {
		if !attempt.MayBeCutOff(one.Pod) {
			continue
		}
		var node corev1.Node
		err := p.World.Live.Get(ctx, types.NamespacedName{Name: one.Pod.Spec.NodeName}, &node)
		if err = world.UnlessGone(err, "get node"); err != nil {
			return "", err
		}
		if unanswered := attempt.Unanswered(one.Pod.Spec.NodeName, &node); unanswered != "" {
			return unanswered, nil
		}
	}
	return "", nil
}

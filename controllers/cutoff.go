package controllers

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/namespaced"
)

// cutOff says which node of an attempt does not answer, or nothing. Its containers are said to run until it does, or
// until Kubernetes gives its pods up.
func (p *pass) cutOff(ctx context.Context, parts []part) (string, error) {
	if p.namespaces.AreSet() {
		return namespaced.SilentNode(each(parts, func(one part) *corev1.Pod { return one.pod }), p.now.Time), nil
	}
	for _, one := range parts {
		if !attempt.MayBeCutOff(one.pod) {
			continue
		}
		var node corev1.Node
		if err := unlessGone(p.Live.Get(ctx, types.NamespacedName{Name: one.pod.Spec.NodeName}, &node), "get node"); err != nil {
			return "", err
		}
		if unanswered := attempt.Unanswered(one.pod.Spec.NodeName, &node); unanswered != "" {
			return unanswered, nil
		}
	}
	return "", nil
}

package controllers

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"github.com/storagebench/storagebench/internal/attempt"
)

// cutOff says which node of an attempt does not answer, or nothing. Its containers are said to run until it does, or
// until Kubernetes gives its pods up.
func (p *pass) cutOff(ctx context.Context, parts []part) (string, error) {
	if p.isNamespaced() {
		return p.silentNode(parts), nil
	}
	for _, one := range parts {
		if !attempt.MayBeCutOff(one.pod) {
			continue
		}
		name := one.pod.Spec.NodeName
		var node corev1.Node
		err := p.Live.Get(ctx, types.NamespacedName{Name: name}, &node)
		switch i := slices.IndexFunc(node.Status.Conditions, isNotReady); {
		case apierrors.IsNotFound(err):
			return fmt.Sprintf("node %s is gone; the run is made again when Kubernetes has given up its pod", name), nil
		case err != nil:
			return "", fmt.Errorf("get node: %w", err)
		case i >= 0:
			return fmt.Sprintf("node %s does not answer (%s), where fio may go on; the run is made again when Kubernetes has given up its pod",
				name, strings.TrimSuffix(node.Status.Conditions[i].Message, ".")), nil
		}
	}
	return "", nil
}

func isNotReady(c corev1.NodeCondition) bool {
	return c.Type == corev1.NodeReady && c.Status != corev1.ConditionTrue
}

package pvc

import (
	"context"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/world"
)

// FewClaims is up to how many claims are read by their names, one after the other. For more, all claims of the
// namespace are listed.
const FewClaims = 4

// LiveClaims returns the claims that have names which the benchmark gives, as the API server has them. It does not go
// by labels, which they may have lost.
func LiveClaims(ctx context.Context, p *pass.Pass) (claims []corev1.PersistentVolumeClaim, err error) {
	if len(p.Children.ClaimTargets) > FewClaims {
		var list corev1.PersistentVolumeClaimList
		isWanted := IsNamedIn(p.Children.ClaimTargets)
		err := world.ListLive(ctx, p.World.Live, &list, isWanted, client.InNamespace(p.SB.Namespace))
		if err != nil {
			return nil, fmt.Errorf("list claims: %w", err)
		}
		return list.Items, nil
	}
	for _, name := range slices.Sorted(maps.Keys(p.Children.ClaimTargets)) {
		claim, err := p.World.LiveClaim(ctx, name, "get claim "+name)
		if err != nil {
			return nil, err
		}
		if claim.Name != "" {
			world.Trim(claim)
			claims = append(claims, *claim)
		}
	}
	return claims, nil
}

// IsNamedIn returns a function that reports whether a claim has the name of one of the claims of the targets.
func IsNamedIn(targets map[string]string) func(*corev1.PersistentVolumeClaim) bool {
	return func(claim *corev1.PersistentVolumeClaim) bool { return targets[claim.Name] != "" }
}

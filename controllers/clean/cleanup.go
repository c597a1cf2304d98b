package clean

import (
	"context"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/workers"
	"github.com/storagebench/storagebench/internal/children"
	"github.com/storagebench/storagebench/internal/cleanup"
)

// Up removes volumes and test files. It waits until they are gone: a volume that stays costs money.
func Up(ctx context.Context, p *pass.Pass) (pass.Outcome, error) {
	deleting := !p.SB.DeletionTimestamp.IsZero()
	// Leftovers and retained objects get another chance when the benchmark is deleted. Nothing comes after NothingLeft.
	status := p.SB.Status.Condition(v1alpha1.ConditionCleanedUp).Status
	if status == metav1.ConditionTrue || (status != "" && !deleting) {
		return pass.GoOn(), nil
	}
	if p.SB.Spec.CleanupPolicy == v1alpha1.CleanupRetain && !deleting {
		return Retain(ctx, p)
	}
	left, err := workers.UntilNothingIsLeft(ctx, p, Remove)
	left, out, err := AwaitRemoval(p, left, err)
	if err != nil || out.Stop {
		return out, err
	}
	if len(left) > 0 {
		SetLeftBehind(p, left)
	} else {
		SetCleanedUp(p)
	}
	return pass.GoOn(), nil
}

// AwaitRemoval waits until nothing is left, or until the deadline of clean-up has passed. Then it returns what is.
func AwaitRemoval(s *pass.Pass, left []cleanup.Leftover, err error) ([]cleanup.Leftover, pass.Outcome, error) {
	remaining := s.Cleaning().Remaining()
	waitFor := cleanup.WithoutAbandoned(left)
	switch {
	case err != nil && remaining > 0:
		return nil, pass.Outcome{}, err
	case err != nil:
		return append(left, cleanup.LeftByError(err)), pass.GoOn(), nil
	case remaining > 0 && len(waitFor) > 0:
		s.Step(v1alpha1.ReasonCleaningUp, "waiting for the removal of "+cleanup.Names(waitFor))
		return nil, pass.AwaitGone(left, remaining), nil
	default:
		return left, pass.GoOn(), nil
	}
}

// SetCleanedUp reports that all is gone, or, where that cannot be seen, what of it is.
func SetCleanedUp(s *pass.Pass) {
	if unknown := children.VolumesUnknown(s.Namespaces, s.SB); unknown != "" {
		s.SetCondition(v1alpha1.ConditionCleanedUp, metav1.ConditionTrue, v1alpha1.ReasonClaimsGone, unknown)
		return
	}
	s.SetCondition(v1alpha1.ConditionCleanedUp, metav1.ConditionTrue, v1alpha1.ReasonNothingLeft, s.Kept.Words(s.SB))
}

// SetLeftBehind reports what clean-up could not remove.
func SetLeftBehind(s *pass.Pass, left []cleanup.Leftover) {
	words := s.Cleaning().DescribeLeft(left)
	s.SetCondition(v1alpha1.ConditionCleanedUp, metav1.ConditionFalse, v1alpha1.ReasonLeftBehind, words)
}

// Remove goes one step further in removing what was made, and returns what is not gone yet. Package cleanup has the
// order of the kinds. ConfigMaps keep what the logs of pods hold.
func Remove(ctx context.Context, p *pass.Pass) (left []cleanup.Leftover, err error) {
	var before []cleanup.Removal
	for {
		turn := cleanup.NextTurn(before, p.Cleaning().IsHalfOver(), p.Cleaning().Remaining() <= 0)
		if turn.Kind == "" {
			return left, err
		}
		some, failure := removeKind(ctx, p, turn)
		before = append(before, cleanup.Removal{Kind: turn.Kind, Left: len(some) > 0, Failed: failure != nil})
		left, err = append(left, some...), errors.Join(err, failure)
	}
}

// removeKind does so for a kind, and returns what of it is not gone yet.
func removeKind(ctx context.Context, p *pass.Pass, turn cleanup.Turn) ([]cleanup.Leftover, error) {
	switch turn.Kind {
	case cleanup.Runs:
		return workers.RemoveJobs(ctx, p, client.MatchingLabels{v1alpha1.LabelRole: v1alpha1.RoleRun})
	case cleanup.Anchors:
		return workers.RemoveAnchors(ctx, p)
	case cleanup.Files:
		return removeFiles(ctx, p, len(turn.After) == 0)
	case cleanup.Volumes:
		return removeVolumes(ctx, p)
	case cleanup.Objects:
		return removeClusterObjects(ctx, p)
	default:
		return nil, fmt.Errorf("no way is known to remove %s", turn.Kind)
	}
}

package controllers

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/internal/storage"
)

// referenceGrace is how long after its creation a benchmark waits for the objects that it names: one
// kubectl apply may create them right after it.
const referenceGrace = 10 * time.Second

// validate makes the plan, and refuses a spec that cannot be carried out before anything is provisioned.
func validate(ctx context.Context, s *scope) (outcome, error) {
	if s.concluded() {
		return goOn(), nil
	}
	if s.sb.Status.StartTime == nil {
		return s.start(ctx)
	}
	runs, problems := plan.Runs(&s.sb.Spec, s.volumeModes())
	if len(problems) > 0 {
		s.fail(v1alpha1.ReasonInvalidSpec, problems.ToAggregate().Error())
		return halt(), nil
	}
	s.runs = runs
	for i := range s.sb.Status.Runs {
		if s.planned(&s.sb.Status.Runs[i]) == nil {
			s.fail(v1alpha1.ReasonInvalidSpec, fmt.Sprintf("run %s is no longer part of the spec", s.sb.Status.Runs[i].Name))
			return halt(), nil
		}
	}
	return goOn(), nil
}

// start checks all that the spec says and names, and records the runs. From then on the spec is fixed.
func (s *scope) start(ctx context.Context) (outcome, error) {
	targets, missing, err := s.resolveTargets(ctx)
	if err != nil {
		return outcome{}, err
	}
	if wait := s.sb.CreationTimestamp.Add(referenceGrace).Sub(s.Clock.Now()); len(missing) > 0 && wait > 0 {
		s.step(v1alpha1.ReasonPending, missing.ToAggregate().Error())
		return haltFor(min(wait, time.Second)), nil
	}
	s.sb.Status.Targets = targets
	runs, problems := plan.Runs(&s.sb.Spec, s.volumeModes())
	if problems = append(missing, problems...); len(problems) > 0 {
		s.sb.Status.Targets = nil
		s.setCondition(v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonInvalidSpec, describe(problems))
		s.sb.Status.CompletionTime = new(s.now())
		return halt(), nil
	}
	s.sb.Status.StartTime = new(s.now())
	s.sb.Status.PlannedRuns = int32(len(runs))
	s.sb.Status.Runs = make([]v1alpha1.Run, len(runs))
	for i, run := range runs {
		s.sb.Status.Runs[i] = v1alpha1.Run{
			Name: run.Name, Target: run.Target.Name, Workload: run.Workload.Name, Parameters: run.Parameters, Repetition: run.Repetition,
			State: v1alpha1.RunPending,
		}
	}
	s.step(v1alpha1.ReasonProvisioning, plural(len(runs), "run")+" on "+plural(len(targets), "target"))
	return halt(), nil
}

// describe lists problems as sentences; one that is the only one stands by itself.
func describe(problems field.ErrorList) string {
	texts := make([]string, len(problems))
	for i, problem := range problems {
		texts[i] = problem.Error()
	}
	return strings.Join(texts, "; ")
}

func (s *scope) volumeModes() plan.VolumeModes {
	modes := plan.VolumeModes{}
	for i := range s.sb.Status.Targets {
		modes[s.sb.Status.Targets[i].Name] = s.sb.Status.Targets[i].VolumeMode
	}
	return modes
}

// resolveTargets looks up the StorageClasses and claims that the targets name.
func (s *scope) resolveTargets(ctx context.Context) ([]v1alpha1.TargetStatus, field.ErrorList, error) {
	var statuses []v1alpha1.TargetStatus
	var missing field.ErrorList
	for i := range s.sb.Spec.Targets {
		target := &s.sb.Spec.Targets[i]
		path := field.NewPath("spec", "targets").Index(i)
		resolve := s.resolveClass
		if target.ClaimName != nil {
			resolve = s.resolveClaim
		}
		status, problem, err := resolve(ctx, path, target)
		if err != nil {
			return nil, nil, err
		}
		if problem != nil {
			missing = append(missing, problem)
		}
		statuses = append(statuses, status)
	}
	return statuses, missing, nil
}

func (s *scope) resolveClass(ctx context.Context, path *field.Path, target *v1alpha1.Target) (v1alpha1.TargetStatus, *field.Error, error) {
	status := v1alpha1.TargetStatus{
		Name:             target.Name,
		StorageClassName: *target.StorageClassName,
		VolumeMode:       storage.VolumeMode(target),
		AccessModes:      []corev1.PersistentVolumeAccessMode{storage.AccessMode(target)},
		Claims:           []string{storage.ClaimName(s.sb, target)},
		Limits:           storage.Limits(target),
	}
	var classes storagev1.StorageClassList
	if err := s.Live.List(ctx, &classes); err != nil {
		return status, nil, fmt.Errorf("list StorageClasses: %w", err)
	}
	names := make([]string, len(classes.Items))
	for i := range classes.Items {
		names[i] = classes.Items[i].Name
		if names[i] == status.StorageClassName {
			return status, nil, nil
		}
	}
	remedy := "this cluster has none; create one"
	if len(names) > 0 {
		remedy = "this cluster has " + strings.Join(names, ", ")
	}
	return status, field.Invalid(path.Child("storageClassName"), status.StorageClassName, "there is no such StorageClass: "+remedy), nil
}

func (s *scope) resolveClaim(ctx context.Context, path *field.Path, target *v1alpha1.Target) (v1alpha1.TargetStatus, *field.Error, error) {
	status := v1alpha1.TargetStatus{Name: target.Name, Claims: []string{*target.ClaimName}, Limits: storage.Limits(target)}
	var claim corev1.PersistentVolumeClaim
	key := types.NamespacedName{Namespace: s.sb.Namespace, Name: *target.ClaimName}
	if err := s.Live.Get(ctx, key, &claim); err != nil {
		if !apierrors.IsNotFound(err) {
			return status, nil, fmt.Errorf("get claim: %w", err)
		}
		return status, field.Invalid(path.Child("claimName"), *target.ClaimName,
			fmt.Sprintf("there is no such PersistentVolumeClaim in namespace %s; create it, or name a storageClassName for a new volume", s.sb.Namespace)), nil
	}
	status.VolumeMode = ptr.Deref(claim.Spec.VolumeMode, corev1.PersistentVolumeFilesystem)
	status.AccessModes = claim.Spec.AccessModes
	status.StorageClassName = ptr.Deref(claim.Spec.StorageClassName, "")
	if !claim.DeletionTimestamp.IsZero() {
		return status, field.Invalid(path.Child("claimName"), *target.ClaimName, "the PersistentVolumeClaim is being deleted; name another one"), nil
	}
	return status, nil, nil
}

package workers

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/util/retry"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/internal/result"
	"github.com/storagebench/storagebench/internal/sizelimit"
)

// MaxClientRecords is the most records of clients that are kept for a benchmark, of all its runs: one takes about 4
// KiB, and etcd holds a few GiB in all.
const MaxClientRecords = 8192

// KeepClients writes what each client has measured into a ConfigMap. It fails only if it may succeed later: the run has
// its result also without.
func KeepClients(ctx context.Context, p *pass.Pass, run *v1alpha1.Run, measured *result.Measured) error {
	if keptRecords(p.SB.Status.Runs)+int(run.ClientCount()) > MaxClientRecords {
		return nil
	}
	zipped, err := measured.Records()
	if errors.As(err, new(sizelimit.SizeError)) {
		ctrl.LoggerFrom(ctx).Info("Results of single clients are not kept", "run", run.Name, "why", err.Error())
		return nil
	}
	if err != nil {
		return fmt.Errorf("encode the clients' results: %w", err)
	}
	name := childmeta.Name(p.SB, run.Name, "clients")
	err = applyArtifact(ctx, p, run, name, map[string][]byte{childmeta.ClientsKey: zipped})
	switch {
	case err == nil:
		run.ClientsConfigMap = name
	case world.IsRefused(err), apierrors.IsInvalid(err), apierrors.IsRequestEntityTooLargeError(err), p.IsResultLate():
		ctrl.LoggerFrom(ctx).Info("Results of single clients are not kept", "run", run.Name, "why", err.Error())
	default:
		return fmt.Errorf("keep the clients' results: %w", err)
	}
	return nil
}

// keptRecords returns how many records of clients are kept.
func keptRecords(runs []v1alpha1.Run) int {
	kept := 0
	for i := range runs {
		if run := &runs[i]; run.ClientsConfigMap != "" {
			kept += int(run.ClientCount())
		}
	}
	return kept
}

// artifactPatience limits how often, and at which intervals, making a ConfigMap is tried. Later steps of a run do not
// depend on the ConfigMap, so no later pass would try it again.
var artifactPatience = wait.Backoff{Steps: 4, Duration: 100 * time.Millisecond, Factor: 3, Jitter: 0.1}

// applyArtifact makes a ConfigMap of a run.
func applyArtifact(ctx context.Context, p *pass.Pass, run *v1alpha1.Run, name string, data map[string][]byte) error {
	made := corev1ac.ConfigMap(name, p.SB.Namespace).
		WithLabels(childmeta.Labels(p.SB, v1alpha1.LabelTarget, run.Target)).
		WithAnnotations(map[string]string{v1alpha1.AnnotationRun: run.Name}).
		WithOwnerReferences(childmeta.OwnerReference(p.SB)).
		WithBinaryData(data)
	mayPass := func(err error) bool {
		return ctx.Err() == nil && !apierrors.IsInvalid(err) && !apierrors.IsRequestEntityTooLargeError(err)
	}
	apply := func() error { return p.World.Client.Apply(ctx, made, world.ApplyOptions...) }
	return retry.OnError(artifactPatience, mayPass, apply)
}

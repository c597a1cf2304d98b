package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/tools/record"
)

// election is how long a leader that does not answer stays one. What to choose between is in docs/operations.md.
type election struct {
	lease, renew, retry time.Duration
}

// bind adds the flags, which are named as those of Kubernetes' own components.
func (e *election) bind(flags *flag.FlagSet) {
	flags.DurationVar(&e.lease, "leader-elect-lease-duration", 60*time.Second, "how long others wait for a leader that does not renew its lease before one takes over")
	flags.DurationVar(&e.renew, "leader-elect-renew-deadline", 45*time.Second, "how long the leader tries to renew its lease before it ends")
	flags.DurationVar(&e.retry, "leader-elect-retry-period", 5*time.Second, "how long to wait between tries to get or renew the lease")
}

// check holds the durations to each other: lease > renew > retry, with the jitter that tries have.
func (e *election) check() error {
	tries := time.Duration(leaderelection.JitterFactor * float64(e.retry))
	switch {
	case e.retry <= 0:
		return fmt.Errorf("--leader-elect-retry-period is %s; give a time above 0", e.retry)
	case e.renew <= tries:
		return fmt.Errorf("--leader-elect-renew-deadline is %s, and must be above %s, which is --leader-elect-retry-period with its jitter: raise it", e.renew, tries)
	case e.lease <= e.renew:
		return fmt.Errorf("--leader-elect-lease-duration is %s, and must be above --leader-elect-renew-deadline, %s: raise it, or two operators could lead", e.lease, e.renew)
	}
	return nil
}

const (
	// leaseName is the name of the lease; the leader's Role names it.
	leaseName = "storagebench.storagebench.dev"
	// podVariable holds the name of the operator's pod.
	podVariable = "POD_NAME"
	// namespaceFile holds the namespace of the operator's pod.
	namespaceFile = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"
)

// lock returns a lease that the pod holds, and not the process: an operator that was killed, and that its kubelet starts
// again, leads at once instead of waiting for its own lease to end. No two processes are the same pod at the same time. It
// is nil where the pod is not known, and the manager's own lease is each process's.
func (e *election) lock(config *rest.Config, scheme *runtime.Scheme) (resourcelock.Interface, error) {
	pod := os.Getenv(podVariable)
	if pod == "" {
		return nil, nil //nolint:nilnil // No lock is what the manager takes for its own.
	}
	namespace, err := os.ReadFile(namespaceFile)
	if err != nil {
		return nil, fmt.Errorf("find the namespace of pod %s: %w", pod, err)
	}
	clientset, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	events := record.NewBroadcaster()
	events.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: clientset.CoreV1().Events(string(namespace))})
	return resourcelock.NewFromKubeconfig(resourcelock.LeasesResourceLock, string(namespace), leaseName, resourcelock.ResourceLockConfig{
		Identity:      pod,
		EventRecorder: events.NewRecorder(scheme, corev1.EventSource{Component: pod}),
	}, config, e.renew)
}

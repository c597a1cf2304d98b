package plugin

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// cluster is the cluster and the namespace that the user's flags and kubeconfig name.
type cluster struct {
	client.WithWatch
	source

	config *rest.Config
}

// connect finds the cluster and the namespace. It asks the cluster nothing yet.
func connect(flags *genericclioptions.ConfigFlags) (*cluster, error) {
	config, err := flags.ToRESTConfig()
	if err != nil {
		return nil, fmt.Errorf("find the cluster: %w", err)
	}
	namespace, _, err := flags.ToRawKubeConfigLoader().Namespace()
	if err != nil {
		return nil, fmt.Errorf("find the namespace: %w", err)
	}
	c, err := client.NewWithWatch(config, client.Options{Scheme: newScheme()})
	if err != nil {
		return nil, fmt.Errorf("make a client: %w", err)
	}
	c = harmlessClient(c)
	return &cluster{WithWatch: c, source: source{from: c, namespace: namespace, inflatable: maxInflated}, config: config}, nil
}

// connectTo finds the cluster, and reads a StorageBenchmark of the namespace.
func connectTo(ctx context.Context, flags *genericclioptions.ConfigFlags, name string) (*cluster, *v1alpha1.StorageBenchmark, error) {
	c, err := connect(flags)
	if err != nil {
		return nil, nil, err
	}
	benchmark, err := c.benchmark(ctx, name)
	return c, benchmark, err
}

// installPage says how the operator gets into a cluster.
const installPage = "https://github.com/storagebench/storagebench/blob/main/docs/install.md"

// explainMissing says what to do where the cluster knows no StorageBenchmarks. That an object is missing is another matter.
func explainMissing(err error) error {
	var status apierrors.APIStatus
	unknown := errors.As(err, &status) && status.Status().Reason == metav1.StatusReasonNotFound && (status.Status().Details == nil || status.Status().Details.Name == "")
	if !unknown && !meta.IsNoMatchError(err) {
		return err
	}
	return fmt.Errorf("%w: is storagebench installed in this cluster? %s says how", err, installPage)
}

// newScheme knows StorageBenchmarks, and what Kubernetes itself has.
func newScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(v1alpha1.AddToScheme(scheme))
	return scheme
}

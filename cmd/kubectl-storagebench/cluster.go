package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// cluster is the cluster and the namespace that the user's flags and kubeconfig name.
type cluster struct {
	client.WithWatch

	namespace string
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
	return &cluster{WithWatch: c, namespace: namespace}, nil
}

// benchmark reads a StorageBenchmark of the namespace.
func (c *cluster) benchmark(ctx context.Context, name string) (*v1alpha1.StorageBenchmark, error) {
	benchmark := &v1alpha1.StorageBenchmark{}
	return benchmark, c.Get(ctx, client.ObjectKey{Namespace: c.namespace, Name: name}, benchmark)
}

// completeNames completes the arguments of a command that takes up to most names of StorageBenchmarks.
func completeNames(flags *genericclioptions.ConfigFlags, most int) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		c, err := connect(flags)
		if err != nil || len(args) >= most {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var all v1alpha1.StorageBenchmarkList
		if err := c.List(cmd.Context(), &all, client.InNamespace(c.namespace)); err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		names := make([]cobra.Completion, len(all.Items))
		for i := range all.Items {
			names[i] = cobra.CompletionWithDesc(all.Items[i].Name, all.Items[i].Status.Summary)
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

// newScheme knows StorageBenchmarks, and what Kubernetes itself has.
func newScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(v1alpha1.AddToScheme(scheme))
	return scheme
}

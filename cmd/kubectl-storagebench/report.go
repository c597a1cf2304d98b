package main

import (
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/report"
)

func newReportCommand(flags *genericclioptions.ConfigFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "report NAME",
		Short: "Print the results of a StorageBenchmark as a table",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			benchmark, err := get(cmd, flags, args[0])
			if err != nil {
				return err
			}
			report.Table(cmd.OutOrStdout(), benchmark)
			return nil
		},
	}
}

func get(cmd *cobra.Command, flags *genericclioptions.ConfigFlags, name string) (*v1alpha1.StorageBenchmark, error) {
	config, err := flags.ToRESTConfig()
	if err != nil {
		return nil, fmt.Errorf("find the cluster: %w", err)
	}
	namespace, _, err := flags.ToRawKubeConfigLoader().Namespace()
	if err != nil {
		return nil, fmt.Errorf("find the namespace: %w", err)
	}
	c, err := client.New(config, client.Options{Scheme: newScheme()})
	if err != nil {
		return nil, fmt.Errorf("make a client: %w", err)
	}
	benchmark := &v1alpha1.StorageBenchmark{}
	return benchmark, c.Get(cmd.Context(), client.ObjectKey{Namespace: namespace, Name: name}, benchmark)
}

func newScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	utilruntime.Must(v1alpha1.AddToScheme(scheme))
	return scheme
}

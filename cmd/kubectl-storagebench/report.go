package main

import (
	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/storagebench/storagebench/internal/report"
)

func newReportCommand(flags *genericclioptions.ConfigFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "report NAME",
		Short: "Print the results of a StorageBenchmark as a table",
		Args:  cobra.ExactArgs(1),

		ValidArgsFunction: completeNames(flags, 1),

		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := connect(flags)
			if err != nil {
				return err
			}
			benchmark, err := c.benchmark(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			report.Table(cmd.OutOrStdout(), benchmark)
			return nil
		},
	}
}

package plugin

import (
	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// complete returns a completion by what a function finds in the cluster. Without a cluster there is nothing to complete.
func complete(flags *genericclioptions.ConfigFlags, find func(*cobra.Command, *cluster, []string) []cobra.Completion) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		c, err := connect(flags)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return find(cmd, c, args), cobra.ShellCompDirectiveNoFileComp
	}
}

// completeNames completes the arguments of a command that takes up to most names of StorageBenchmarks.
func completeNames(flags *genericclioptions.ConfigFlags, most int) cobra.CompletionFunc {
	return complete(flags, func(cmd *cobra.Command, c *cluster, args []string) []cobra.Completion {
		if len(args) >= most {
			return nil
		}
		return namesOf(cmd, c)
	})
}

// completeNamesAndRuns completes the name of a StorageBenchmark, and then that of one of its runs.
func completeNamesAndRuns(flags *genericclioptions.ConfigFlags) cobra.CompletionFunc {
	return complete(flags, func(cmd *cobra.Command, c *cluster, args []string) []cobra.Completion {
		switch len(args) {
		case 0:
			return namesOf(cmd, c)
		case 1:
			benchmark, err := c.benchmark(cmd.Context(), args[0])
			if err != nil {
				return nil
			}
			runs := make([]cobra.Completion, len(benchmark.Status.Runs))
			for i := range runs {
				runs[i] = cobra.CompletionWithDesc(benchmark.Status.Runs[i].Name, string(benchmark.Status.Runs[i].State))
			}
			return runs
		}
		return nil
	})
}

// withSchedules completes the first argument with schedules as well, such as schedule/nightly.
func withSchedules(flags *genericclioptions.ConfigFlags, names cobra.CompletionFunc) cobra.CompletionFunc {
	schedules := completeSchedules(flags)
	return func(cmd *cobra.Command, args []string, toComplete string) ([]cobra.Completion, cobra.ShellCompDirective) {
		all, directive := names(cmd, args, toComplete)
		if len(args) > 0 {
			return all, directive
		}
		of, _ := schedules(cmd, args, toComplete)
		for _, s := range of {
			all = append(all, schedulePrefix+s)
		}
		return all, directive
	}
}

func namesOf(cmd *cobra.Command, c *cluster) []cobra.Completion {
	var all v1alpha1.StorageBenchmarkList
	if err := c.List(cmd.Context(), &all, client.InNamespace(c.namespace)); err != nil {
		return nil
	}
	names := make([]cobra.Completion, len(all.Items))
	for i := range all.Items {
		names[i] = cobra.CompletionWithDesc(all.Items[i].Name, all.Items[i].Status.Summary)
	}
	return names
}

// completeClasses completes names of StorageClasses.
func completeClasses(flags *genericclioptions.ConfigFlags) cobra.CompletionFunc {
	return complete(flags, func(cmd *cobra.Command, c *cluster, _ []string) []cobra.Completion {
		var all storagev1.StorageClassList
		if err := c.List(cmd.Context(), &all); err != nil {
			return nil
		}
		names := make([]cobra.Completion, len(all.Items))
		for i := range all.Items {
			names[i] = cobra.CompletionWithDesc(all.Items[i].Name, all.Items[i].Provisioner)
		}
		return names
	})
}

// completeClaims completes names of claims.
func completeClaims(flags *genericclioptions.ConfigFlags) cobra.CompletionFunc {
	return complete(flags, func(cmd *cobra.Command, c *cluster, _ []string) []cobra.Completion {
		var all corev1.PersistentVolumeClaimList
		if err := c.List(cmd.Context(), &all, client.InNamespace(c.namespace)); err != nil {
			return nil
		}
		names := make([]cobra.Completion, len(all.Items))
		for i := range all.Items {
			names[i] = all.Items[i].Name
		}
		return names
	})
}

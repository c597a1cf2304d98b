package plugin

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/storagebench/storagebench/internal/preset"

	"github.com/storagebench/storagebench/internal/report"
)

// presetFormats are the ways to print presets.
var presetFormats = append([]format[[]preset.Preset]{
	{"table", "a row for each", infallible(report.Presets)},
	{"markdown", "all that is known of each, as docs/presets.md has it", unstyled(report.PresetsMarkdown)},
}, documents(same[[]preset.Preset])...)

// newPresetsCommand returns the command that prints what presets there are.
func newPresetsCommand() *cobra.Command {
	var output *string
	all := false
	cmd := &cobra.Command{
		Use:   "presets [NAME...]",
		Short: "Print the workloads that have a name, such as etcd, what they expect, and where that is from",
		Long: `Print the workloads that have a name, such as etcd, what they expect, and where that is from, without a cluster.

With names it prints all that is known of them: what fio is given, and the public documents behind it. A workload of a
StorageBenchmark has one by "preset: NAME".`,
		Example: `  kubectl storagebench presets
  kubectl storagebench presets etcd postgres-wal`,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			var names []cobra.Completion
			for _, p := range preset.Newest() {
				names = append(names, cobra.CompletionWithDesc(p.Name, p.About))
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			chosen, err := formatNamed(presetFormats, *output)
			if err != nil {
				return err
			}
			presets, err := presetsNamed(args)
			if err != nil {
				return err
			}
			if len(args) > 0 && chosen.name == presetFormats[0].name {
				printPresets(cmd, presets)
				return nil
			}
			if all && len(args) == 0 {
				presets = preset.All()
			}
			return chosen.print(cmd.OutOrStdout(), presets, styleOf(cmd))
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "also older versions")
	output = addOutputFlag(cmd, presetFormats)
	return cmd
}

func printPresets(cmd *cobra.Command, presets []preset.Preset) {
	for i := range presets {
		if i > 0 {
			fmt.Fprintln(cmd.OutOrStdout())
		}
		report.Preset(cmd.OutOrStdout(), &presets[i])
	}
}

// presetsNamed returns the presets of names, with or without versions, each once; without names the newest of all.
func presetsNamed(names []string) ([]preset.Preset, error) {
	if len(names) == 0 {
		return preset.Newest(), nil
	}
	var presets []preset.Preset
	for _, name := range names {
		p, known := preset.Find(name)
		if !known {
			return nil, fmt.Errorf("there is no preset %q: use one of %s", name, preset.Names())
		}
		if !slices.ContainsFunc(presets, func(had preset.Preset) bool { return had.ID() == p.ID() }) {
			presets = append(presets, *p)
		}
	}
	return presets, nil
}

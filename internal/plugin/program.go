package plugin

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/storagebench/storagebench/internal/humanize"
)

// nameAfterProgram has the help of all commands name the program as it was started: storagebench, or kubectl
// storagebench.
func nameAfterProgram(root *cobra.Command) {
	if humanize.Program() == humanize.Plugin {
		return
	}
	root.Use = humanize.Program()
	root.Annotations = nil
	for _, cmd := range root.Commands() {
		cmd.Long, cmd.Example = humanize.Typed(cmd.Long), humanize.Typed(cmd.Example)
		cmd.Flags().VisitAll(func(flag *pflag.Flag) { flag.Usage = humanize.Typed(flag.Usage) })
	}
}

package plugin

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/storagebench/storagebench/internal/legible"
)

// nameAfterProgram has the help of all commands name the program as it was started: storagebench, or kubectl
// storagebench.
func nameAfterProgram(root *cobra.Command) {
	if legible.Program() == legible.Plugin {
		return
	}
	root.Use = legible.Program()
	root.Annotations = nil
	for _, cmd := range root.Commands() {
		cmd.Long, cmd.Example = legible.Typed(cmd.Long), legible.Typed(cmd.Example)
		cmd.Flags().VisitAll(func(flag *pflag.Flag) { flag.Usage = legible.Typed(flag.Usage) })
	}
}

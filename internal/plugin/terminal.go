package plugin

import (
	"io"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/storagebench/storagebench/internal/report"
)

// noColor is the name of the flag that turns colours off.
const noColor = "no-color"

// styleOf returns how a command's output is printed.
func styleOf(cmd *cobra.Command) report.Style { return styleOn(cmd, cmd.OutOrStdout()) }

// styleOn returns how a command prints somewhere: on a terminal in its width and with colours, unless the user wants none
// (https://no-color.org) or the terminal has none; elsewhere plain.
func styleOn(cmd *cobra.Command, out io.Writer) report.Style {
	file, ok := out.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return report.Style{}
	}
	dumb := os.Getenv("TERM") == "dumb"
	style := report.Style{Color: !dumb && wantsColor(cmd), Unicode: !dumb}
	if width, _, err := term.GetSize(int(file.Fd())); err == nil {
		style.Width = width
	}
	return style
}

// wantsColor says whether neither the flag nor the environment turns colours off.
func wantsColor(cmd *cobra.Command) bool {
	off, err := cmd.Flags().GetBool(noColor)
	return os.Getenv("NO_COLOR") == "" && (err != nil || !off)
}
